//! Cargo, started and measured.

use crate::usage::Usage;
use crate::wrapper::{self, RECORD, Record};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Where cargo runs, and where it puts what it builds.
pub(crate) struct Cargo {
    /// The folder of the manifest.
    pub root: PathBuf,
    /// What is built goes here.
    pub target: PathBuf,
    /// Whether rustc keeps what it found out, for the next time.
    pub incremental: bool,
}

/// What one run of cargo took.
pub(crate) struct Run {
    /// Of cargo and all that it started.
    pub user: Duration,
    /// From start to end.
    pub wall: Duration,
    /// Each rustc.
    pub rustcs: Vec<Record>,
}

impl Cargo {
    /// Fetches what the packages need, so that nothing is loaded while something is measured.
    ///
    /// # Errors
    /// What cargo said.
    pub(crate) fn fetch(&self) -> Result<(), String> {
        self.command(&["fetch"]).map(drop)
    }

    /// Runs cargo, and measures it.
    ///
    /// # Errors
    /// What cargo said.
    pub(crate) fn run(&self, arguments: &[&str]) -> Result<Run, String> {
        let record = self.root.join("rustcs");
        let _ = std::fs::remove_file(&record);
        let before = Usage::of_children()?;
        let start = Instant::now();
        self.command(&[arguments, &["--offline"]].concat())?;
        Ok(Run {
            wall: start.elapsed(),
            user: Usage::of_children()?.user.saturating_sub(before.user),
            rustcs: wrapper::read(&record)?,
        })
    }

    fn command(&self, arguments: &[&str]) -> Result<(), String> {
        let this = std::env::current_exe().map_err(|error| error.to_string())?;
        let output = Command::new("cargo")
            .current_dir(&self.root)
            .args(arguments)
            .env("CARGO_TARGET_DIR", &self.target)
            .env(
                "CARGO_INCREMENTAL",
                if self.incremental { "1" } else { "0" },
            )
            .env("RUSTC_WRAPPER", this)
            .env(RECORD, self.root.join("rustcs"))
            // Cargo sets it when it runs this program, and asks rustc questions with it in place.
            .env_remove("CARGO_PKG_NAME")
            // Only what users get when they set nothing.
            .env_remove("CARGO_PROFILE_DEV_DEBUG")
            .env_remove("RUSTFLAGS")
            .output()
            .map_err(|error| format!("cannot start cargo: {error}"))?;
        if output.status.success() {
            return Ok(());
        }
        Err(format!(
            "cargo {} failed in {}:\n{}",
            arguments.join(" "),
            self.root.display(),
            String::from_utf8_lossy(&output.stderr)
        ))
    }
}

/// Removes a folder with all that is in it, if it is there.
///
/// # Errors
/// When it cannot be removed.
pub(crate) fn remove(folder: &Path) -> Result<(), String> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("cannot remove {}: {error}", folder.display()))
        }
        _ => Ok(()),
    }
}
