//! The templates of `agent new` and `agent init`. Their files are in the folder `templates` of this crate.

use crate::outcome::CommandError;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of a project: its path, and its text with `__NAME__` in place of the name of the project.
pub(crate) type File = (&'static str, &'static str);

/// Lists files of a folder of templates.
macro_rules! files {
    ($($folder:literal: [$($path:literal $(= $source:literal)?),* $(,)?]),* $(,)?) => {
        &[$($(($path, include_str!(concat!("../templates/", $folder, "/", files!(@ $path $(= $source)?))))),*),*]
    };
    (@ $path:literal) => { $path };
    (@ $path:literal = $source:literal) => { $source };
}

/// The kind of a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Template {
    /// An agent with two tools, at the command line
    #[default]
    Basic,
    /// A server with a chat page, users, and a call that a person approves
    Web,
    /// An agent that is called as a function, with typed arguments and a typed answer
    Typed,
    /// An MCP server with two tools
    Mcp,
    /// An agent with tools in Python; needs no Rust
    Python,
    /// An agent that runs on each line of a file
    Batch,
}

/// The files that `agent init` adds to a crate.
pub(crate) const INIT: &[File] = files! {
    "init": ["agents/support.gram", "src/support.rs"],
    "shared": [
        ".github/workflows/agents.yml" = "agents.yml",
        ".vscode/extensions.json" = "extensions.json",
        ".vscode/settings.json" = "settings.json",
    ],
};

/// Says where GitHub reads workflows, if a project is a part of a repository; else returns an empty text.
pub(crate) fn about_workflow(folder: &Path) -> String {
    let Ok(folder) = folder.canonicalize() else {
        return String::new();
    };
    let repository = folder.ancestors().find(|above| above.join(".git").exists());
    match repository {
        Some(top) if top != folder => format!(
            "\nGitHub reads workflows at the top of a repository only: move .github/workflows/agents.yml to {}, and give its steps \
             `working-directory: {}`.\n",
            top.join(".github/workflows").display(),
            folder.strip_prefix(top).unwrap_or(&folder).display()
        ),
        _ => String::new(),
    }
}

/// Writes a file unless it is there. Returns whether it was written.
pub(crate) fn write_missing(path: &Path, text: &str) -> Result<bool, CommandError> {
    let is_new = !path.exists();
    if is_new {
        write(path, text)?;
    }
    Ok(is_new)
}

impl Template {
    fn files(self) -> &'static [&'static [File]] {
        const EDITOR: &[File] = files! { "shared": [
            ".vscode/extensions.json" = "extensions.json",
            ".vscode/settings.json" = "settings.json",
        ]};
        const CI: &[File] = files! { "shared": [".github/workflows/agents.yml" = "agents.yml"] };
        const IGNORE: &[File] = files! { "shared": [".gitignore" = "gitignore"] };
        match self {
            Self::Basic => &[
                files! { "basic": ["Cargo.toml" = "Cargo.toml.in", "README.md", "agents/support.gram", "src/main.rs", "src/tools.rs"] },
                EDITOR,
                CI,
                IGNORE,
            ],
            Self::Web => &[
                files! { "web": [
                    ".gitignore" = "gitignore", "Cargo.toml" = "Cargo.toml.in", "README.md", "agents/support.gram",
                    "page/chat.css", "page/chat.js", "page/index.html", "src/main.rs", "src/tools.rs",
                ] },
                EDITOR,
                CI,
            ],
            Self::Typed => &[
                files! { "typed": ["Cargo.toml" = "Cargo.toml.in", "README.md", "agents/triage.gram", "src/main.rs"] },
                EDITOR,
                CI,
                IGNORE,
            ],
            Self::Mcp => &[
                files! { "mcp": [
                    ".github/workflows/agents.yml" = "agents.yml", "Cargo.toml" = "Cargo.toml.in", "README.md",
                    "src/main.rs", "src/tools.rs", "tests/server.rs",
                ] },
                EDITOR,
                IGNORE,
            ],
            Self::Python => &[
                files! { "python": [
                    ".github/workflows/agents.yml" = "agents.yml", ".gitignore" = "gitignore",
                    ".vscode/extensions.json" = "extensions.json", "README.md", "agent.gram", "agents/support.gram",
                    "mcp/orders.gram", "questions.jsonl", "requirements.txt", "test_tools.py", "tools.py",
                ] },
                files! { "shared": [".vscode/settings.json" = "settings.json"] },
            ],
            Self::Batch => &[
                files! { "batch": [
                    ".gitignore" = "gitignore", "Cargo.toml" = "Cargo.toml.in", "README.md", "agents/support.gram",
                    "questions.jsonl", "src/main.rs", "src/tools.rs",
                ] },
                EDITOR,
                CI,
            ],
        }
    }

    /// Writes a project into a folder, which has none of its files.
    pub(crate) fn write(
        self,
        folder: &Path,
        name: &str,
        crates: &Crates,
    ) -> Result<(), CommandError> {
        for (path, text) in self.files().iter().copied().flatten() {
            let mut text = text.replace("__NAME__", name);
            if *path == "Cargo.toml" {
                text = crates.in_manifest(&text)?;
            }
            write(&folder.join(path), &text)?;
        }
        Ok(())
    }

    /// Whether a project of this kind depends on a package.
    pub(crate) fn depends_on(self, package: &str) -> bool {
        let mut files = self.files().iter().copied().flatten();
        let manifest = files.find(|(path, _)| *path == "Cargo.toml");
        manifest.is_some_and(|(_, text)| text.contains(&format!("\n{package} = ")))
    }

    /// The commands to run next, a line each.
    pub(crate) fn next_steps(self) -> &'static str {
        match self {
            Self::Basic => "  cargo run -- --offline \"Where is order 1042?\"\n  cargo test",
            Self::Web => "  cargo run -- --offline    # then open http://127.0.0.1:8700/",
            Self::Typed | Self::Batch => "  cargo run -- --offline\n  cargo test",
            Self::Mcp => "  cargo test",
            // An environment that is active has `agent` itself, if pip installed it.
            Self::Python if std::env::var_os("VIRTUAL_ENV").is_some() => {
                "  pip install -r requirements.txt\n  \
                 agent run agents/support.gram \"Where is order 1042?\" --mcp mcp/orders.gram --offline"
            }
            Self::Python => {
                "  python3 -m venv .venv && . .venv/bin/activate && pip install -r requirements.txt\n  \
                 agent run agents/support.gram \"Where is order 1042?\" --mcp mcp/orders.gram --offline"
            }
        }
    }
}

/// Where the crates of a project are.
#[derive(Debug, clap::Args)]
pub(crate) struct Crates {
    /// Depend on the crates in this checkout of their repository, and not on those of the registry
    #[arg(long, value_name = "FOLDER")]
    crates: Option<PathBuf>,
}

impl Crates {
    /// The path of a crate in the checkout; none if the crate of the registry is meant.
    ///
    /// # Errors
    /// Returns an error if the folder has no such crate.
    pub(crate) fn path_of(&self, package: &str) -> Result<Option<PathBuf>, CommandError> {
        let Some(checkout) = &self.crates else {
            return Ok(None);
        };
        let folder = checkout.join(package.replace("gramwork-", "agent-"));
        let path = fs::canonicalize(&folder).map_err(|error| {
            CommandError::new(format!(
                "--crates: `{}` is no checkout of the crates: {error}",
                folder.display()
            ))
        })?;
        Ok(Some(path))
    }

    /// Writes the paths of the crates into a manifest, in which each has the form `gramwork-… = { version = "…" }`.
    fn in_manifest(&self, manifest: &str) -> Result<String, CommandError> {
        let mut text = String::new();
        for line in manifest.lines() {
            let path = match line.split_once(" = { ") {
                Some((package, _)) if package.starts_with("gramwork-") => self.path_of(package)?,
                _ => None,
            };
            match path {
                // A literal text, because a path of Windows has backslashes.
                Some(path) => {
                    let path = format!(" = {{ path = '{}', ", path.display());
                    text += &line.replacen(" = { ", &path, 1);
                }
                None => text += line,
            }
            text.push('\n');
        }
        Ok(text)
    }
}

fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .map_err(|error| CommandError::new(format!("cannot write `{}`: {error}", path.display())))
}
