//! Generators and checks of this repository, in the language of the repository.
//!
//! `cargo xtask` prints the commands. Each module owns one subject; this one owns the command line.

mod bfcl;
mod booking;
mod cargo;
mod deep;
mod docs;
mod download;
mod faults;
mod features;
mod fixtures;
mod generate;
mod json_schema;
mod layers;
mod licences;
mod model;
mod openapi;
mod programs;
mod repo;
mod say;
mod sdk;
mod steps;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::repo::Repo;
use crate::steps::RealModel;

const HELP: &str = "\
Usage: cargo xtask COMMAND

  test [--model | --no-model]  every check and every test; the real model when CI is set or --model is given
  ci                           what continuous integration runs: test, with CI set
  check-layers                 who may depend on whom, and which outside libraries pkg/ may use
  check-licences               the licence and the source of every library
  check-docs                   console blocks, agent files, links and words in the documentation
  check-features               docs/features.md against the ids it must answer for and the proofs it names
  check-fixtures               the source of each fixture, and that none holds a key or a person
  examples                     runs each example program and checks each example file
  gen [--check]                writes the generated references, or fails when one is out of date
  booking                      the booking example: the agent against its two apps
  openapi                      imports real OpenAPI documents in bulk and prints what came of them
  sdk                          the Python and Node packages: their own tests, and each against the others
  bfcl                         thousands of function documents for every provider, right calls and wrong ones
  json-schema                  the official JSON Schema test suite through our check of arguments
  model-chat                   a real model drives the bakery through `manos chat`
  faults                       plants deliberate faults in a copy of the sources; the simulator must find each
  deep                         what takes hours: faults, and a hundred times the simulated worlds of the tests
  model-serve                  starts the real model and waits, for trying things by hand";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say::error(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[&str]) -> Result<()> {
    let repo = Repo::find()?;
    match arguments {
        [] | ["help" | "--help" | "-h"] => {
            say::line(HELP);
            Ok(())
        }
        ["test"] => steps::test(&repo, RealModel::WhenCi),
        ["test", "--model"] => steps::test(&repo, RealModel::Always),
        ["test", "--no-model"] => steps::test(&repo, RealModel::Never),
        ["ci"] => steps::ci(&repo),
        ["check-layers"] => layers::check(&repo),
        ["check-licences"] => licences::check(&repo),
        ["check-docs"] => docs::check(&repo),
        ["check-features"] => features::check(&repo),
        ["check-fixtures"] => fixtures::check(&repo),
        ["examples"] => steps::examples(&repo),
        ["openapi"] => openapi::check(&repo),
        ["booking"] => booking::check(&repo),
        ["sdk"] => sdk::check(&repo),
        ["gen"] => generate::write(&repo),
        ["gen", "--check"] => generate::check(&repo),
        ["json-schema"] => json_schema::check(&repo),
        ["bfcl"] => bfcl::check(&repo),
        ["faults"] => faults::check(&repo),
        ["deep"] => deep::run(&repo),
        ["model-chat"] => model::chat(&repo),
        ["model-serve"] => model::serve(&repo),
        [model::INSIDE, rest @ ..] => model::inside(&repo, rest),
        unknown => bail!("`cargo xtask {}` is not a command\n\n{HELP}", unknown.join(" ")),
    }
}
