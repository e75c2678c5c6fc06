//! `agent new` and `agent init`. `.ci/templates` builds and tests what they write.

use crate::support::{Folder, agent, command};
use std::fs;
use std::path::Path;

const TEMPLATES: [&str; 6] = ["basic", "web", "typed", "mcp", "python", "batch"];

/// The files below a folder, with `/`.
fn files(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(inner).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let path = path.strip_prefix(folder).expect("a file below the folder");
                files.push(path.to_str().expect("UTF-8").replace('\\', "/"));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn each_template_is_complete_and_passes_the_check() {
    for template in TEMPLATES {
        let folder = Folder::new();
        let project = format!("{}/my-shop", folder.path());
        let made = agent(&["new", &project, "--template", template]).expect(0);
        assert!(made.stdout.contains("Next:"), "{}", made.stdout);
        let files = files(Path::new(&project));
        for wanted in [
            ".gitignore",
            "README.md",
            ".github/workflows/agents.yml",
            ".vscode/settings.json",
        ] {
            assert!(
                files.iter().any(|file| file == wanted),
                "{template}: {files:?}"
            );
        }
        for file in &files {
            let text = fs::read_to_string(format!("{project}/{file}")).expect("a text");
            assert!(!text.contains("__NAME__"), "{template}/{file}");
        }
        if files.iter().any(|file| file.starts_with("agents/")) {
            let mut check = command(&["check", "."]);
            let checked = check.current_dir(&project).output().expect("it runs");
            assert!(checked.status.success(), "{template}: {checked:?}");
        }
    }
}

#[test]
fn a_project_depends_on_the_crates_of_a_checkout() {
    let folder = Folder::new();
    let project = format!("{}/shop", folder.path());
    let checkout = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    agent(&["new", &project, "--template", "web", "--crates", checkout]).expect(0);
    let manifest = fs::read_to_string(format!("{project}/Cargo.toml")).expect("a manifest");
    for name in ["runtime", "store", "web"] {
        let path = fs::canonicalize(format!("{checkout}/agent-{name}")).expect("a crate");
        let line = format!("gramwork-{name} = {{ path = '{}', ", path.display());
        assert!(manifest.contains(&line), "{manifest}");
    }
    let nowhere = agent(&["new", "other", "--crates", &folder.path()]).expect(2);
    assert!(
        nowhere.stderr.contains("is no checkout of the crates"),
        "{}",
        nowhere.stderr
    );
}

#[test]
fn what_is_there_stays() {
    let folder = Folder::new();
    folder.file("notes.txt", "mine");
    let refused = agent(&["new", &folder.path()]).expect(2);
    assert!(
        refused.stderr.contains("is no name") || refused.stderr.contains("is not empty"),
        "{}",
        refused.stderr
    );
    let project = format!("{}/shop", folder.path());
    agent(&["new", &project]).expect(0);
    let refused = agent(&["new", &project]).expect(2);
    assert!(
        refused.stderr.contains("is not empty"),
        "{}",
        refused.stderr
    );
    for name in ["Shop", "1shop", "my shop", "shop/../x/.."] {
        let refused = agent(&["new", name]).expect(2);
        assert!(
            refused.stderr.contains("is no name for a project"),
            "{name}: {}",
            refused.stderr
        );
    }
    for name in ["build", "self", "async", "tokio", "gramwork-runtime"] {
        let refused = agent(&["new", name]).expect(2);
        assert!(
            refused.stderr.contains("cargo refuses"),
            "{name}: {}",
            refused.stderr
        );
    }
    let refused = agent(&["init", &folder.path()]).expect(2);
    assert!(
        refused.stderr.contains("has no Cargo.toml"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_new_repository_and_a_part_of_one_become_projects() {
    let folder = Folder::new();
    let top = format!("{}/shop", folder.path());
    fs::create_dir_all(format!("{top}/.git")).expect("a folder");
    let made = agent(&["new", &top]).expect(0);
    assert!(!made.stdout.contains("workflows"), "{}", made.stdout);
    let part = agent(&["new", &format!("{top}/crates/desk")]).expect(0);
    assert!(
        part.stdout.contains("`working-directory: crates/desk`"),
        "{}",
        part.stdout
    );
}

#[test]
fn a_module_that_is_there_is_not_mixed_with_a_new_one() {
    let folder = Folder::new();
    folder.file("Cargo.toml", "[package]\nname = \"desk\"\n");
    let module = format!("{}/src/support", folder.path());
    fs::create_dir_all(module).expect("a folder");
    let refused = agent(&["init", &folder.path()]).expect(2);
    assert!(
        refused.stderr.contains("src/support` is there"),
        "{}",
        refused.stderr
    );
    assert!(!Path::new(&folder.path()).join("agents").exists());
}
