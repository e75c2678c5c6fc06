//! A project file: its mistakes are at places in the text, and the files that it names are those of its folder.

#![no_main]

use agent_project::loaded_project::{LoadedProject, ProjectError, load};
use agent_spec::project_file::{Project, is_project};
use libfuzzer_sys::fuzz_target;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

/// A folder with documents that patterns can match.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("agent-fuzz-project-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    for file in [
        "a.gram",
        "b.gram",
        "tools/c.gram",
        "tools/deep/d.gram",
        "models.gram",
    ] {
        let file = folder.join(file);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, "(a)\n").expect("a file");
    }
    folder.canonicalize().expect("a path")
});

fuzz_target!(|text: &str| {
    let parsed = Project::parse(text);
    match &parsed {
        Ok(project) => assert_eq!(Some(project), Project::parse(text).ok().as_ref()),
        Err(found) => {
            assert!(found.iter().next().is_some(), "an error has a finding");
            for diagnostic in found.iter() {
                let span = diagnostic.span();
                assert!(text.get(span.start..span.end).is_some(), "{diagnostic:?}");
                assert!(!diagnostic.message().is_empty());
            }
        }
    }
    let _ = is_project(text);
    match load(&FOLDER.join("agents.gram"), text) {
        Ok(LoadedProject {
            tool_files,
            model_files,
            ..
        }) => {
            assert!(parsed.is_ok());
            for file in tool_files.iter().chain(&model_files) {
                assert!(file.starts_with(&*FOLDER), "{}", file.display());
            }
        }
        Err(ProjectError::Findings(report)) => assert!(report.has_errors()),
        Err(error) => panic!("the project file is no link: {error:?}"),
    }
});
