//! Clean builds of a package with one tool.

use crate::cargo::{Cargo, Run, remove};
use crate::options::Options;
use crate::package;
use crate::subject::Subject;

/// One clean build.
pub(crate) struct Sample {
    pub subject: &'static Subject,
    pub run: Run,
}

/// Builds each from nothing. The subjects are built one after another: cargo uses all cores.
///
/// Incremental compilation is off: rustc would keep what it finds out of our crates, which are at a
/// path here, and not of those from a registry.
///
/// # Errors
/// What cargo said.
pub(crate) fn measure(options: &Options) -> Result<Vec<Sample>, String> {
    options
        .subjects()
        .filter(|subject| subject.clean)
        .map(|subject| {
            let cargo = Cargo {
                root: package::write(&options.dir.join("clean"), subject, &[1])?,
                target: options.dir.join("clean/target"),
                incremental: false,
            };
            cargo.fetch()?;
            remove(&cargo.target)?;
            let run = cargo.run(&["build"])?;
            eprintln!("{}: built", subject.key);
            Ok(Sample { subject, run })
        })
        .collect()
}
