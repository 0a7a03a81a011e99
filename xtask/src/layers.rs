//! Who may depend on whom.
//!
//! Owns the fence that `cargo metadata` can see: the edges between our packages and the outside
//! libraries of `pkg/`. What a package calls is the matter of the two `clippy.toml` files. Edges of
//! tests are free: a dev-dependency never reaches a user.

mod rules;
#[cfg(test)]
mod tests;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::repo::Repo;
use crate::{cargo, say};

/// Fails when an edge between packages, or an outside library of `pkg/`, is not in the tables.
pub(crate) fn check(repo: &Repo) -> Result<()> {
    let metadata = cargo::metadata(repo, &["--no-deps"])?;
    let packages = packages(&metadata)?;
    let broken = violations(&packages);
    if !broken.is_empty() {
        bail!("the layers do not hold:\n  {}", broken.join("\n  "));
    }
    say::line(&format!("{} packages keep to their layers", packages.len()));
    Ok(())
}

/// A package of ours: its folder from the root, and what it depends on outside of tests.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Package {
    folder: String,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Dependency {
    Ours { folder: String },
    Outside { name: String },
}

/// Reads our packages out of what `cargo metadata --no-deps` prints.
fn packages(metadata: &Value) -> Result<Vec<Package>> {
    let root = metadata["workspace_root"].as_str().context("metadata without workspace_root")?;
    let folder = |path: &str| -> Result<String> {
        let inside =
            path.strip_prefix(root).with_context(|| format!("{path} is outside {root}"))?;
        Ok(inside.trim_matches('/').trim_end_matches("/Cargo.toml").to_owned())
    };
    let mut packages = Vec::new();
    for package in metadata["packages"].as_array().context("metadata without packages")? {
        let manifest =
            package["manifest_path"].as_str().context("package without manifest_path")?;
        let mut dependencies = Vec::new();
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            if dependency["kind"].as_str() == Some("dev") {
                continue;
            }
            dependencies.push(match dependency["path"].as_str() {
                Some(path) => Dependency::Ours { folder: folder(path)? },
                None => Dependency::Outside {
                    name: dependency["name"]
                        .as_str()
                        .context("dependency without name")?
                        .to_owned(),
                },
            });
        }
        packages.push(Package { folder: folder(manifest)?, dependencies });
    }
    packages.sort_by(|one, other| one.folder.cmp(&other.folder));
    Ok(packages)
}

/// One sentence per broken rule.
fn violations(packages: &[Package]) -> Vec<String> {
    let mut broken = Vec::new();
    for Package { folder, dependencies } in packages {
        let Some(allowed) = rules::edges(folder) else {
            broken.push(format!("{folder} is in no layer: add it to the table of xtask"));
            continue;
        };
        for dependency in dependencies {
            match dependency {
                Dependency::Ours { folder: to } => {
                    if let Some(why) = rules::refusal(folder, to, allowed) {
                        broken.push(format!("{folder} may not depend on {to}: {why}"));
                    }
                }
                Dependency::Outside { name } => {
                    if folder.starts_with("pkg/") && !rules::is_outside_library_of_pkg(name) {
                        broken.push(format!(
                            "{folder} may not depend on {name}: it is not on the list of pure libraries"
                        ));
                    }
                }
            }
        }
    }
    broken
}
