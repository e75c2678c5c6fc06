//! The packages of the command for people without Rust: a wheel for pip, and packages for npm.
//!
//! Both have the same program. For Linux, the program is linked with musl, so that it runs on each distribution,
//! whatever the version of its C library.

use crate::commands::{cargo_program, run};
use crate::workspace::{package_value, root};
use serde_json::{Value, json};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The name of the package in PyPI and in npm, which is the name of the crate.
const PACKAGE: &str = "gramwork-cli";

/// The tools of Python that build a wheel: the builder, and a C compiler for musl.
const MATURIN: &str = "maturin==1.16.0";
const ZIG: &str = "ziglang==0.17.1";

/// The systems for which npm has a program: the target of rustc, and the names that node gives the system and the
/// processor.
const SYSTEMS: [(&str, &str, &str); 5] = [
    ("x86_64-unknown-linux-musl", "linux", "x64"),
    ("aarch64-unknown-linux-musl", "linux", "arm64"),
    ("x86_64-apple-darwin", "darwin", "x64"),
    ("aarch64-apple-darwin", "darwin", "arm64"),
    ("x86_64-pc-windows-msvc", "win32", "x64"),
];

/// How the program of a package is built.
pub(crate) struct Build {
    /// The target of rustc.
    target: String,
    /// Optimized, and linked so that it runs on each system of its kind. Otherwise the package is for tests on this
    /// machine.
    is_release: bool,
}

impl Build {
    /// Reads `[--debug] [--target TARGET]`. `None` for other arguments.
    pub(crate) fn from_arguments(arguments: &[&str]) -> Option<Self> {
        let (target, is_release) = match arguments {
            [] => (this_system(), true),
            ["--debug"] => (this_system(), false),
            ["--target", target] => ((*target).to_owned(), true),
            _ => return None,
        };
        Some(Self { target, is_release })
    }
}

/// Makes the wheel in `target/packages`.
pub(crate) fn wheel(build: &Build) -> ExitCode {
    finish(try_wheel(build))
}

/// Makes the packages of npm in `target/packages`: the package that people install, and the package with the program
/// for one system.
pub(crate) fn npm(build: &Build) -> ExitCode {
    finish(try_npm(build))
}

fn finish(made: Result<(), String>) -> ExitCode {
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The target of rustc for this system.
fn this_system() -> String {
    let arch = std::env::consts::ARCH;
    match std::env::consts::OS {
        "linux" => format!("{arch}-unknown-linux-musl"),
        "macos" => format!("{arch}-apple-darwin"),
        "windows" => format!("{arch}-pc-windows-msvc"),
        other => format!("{arch}-unknown-{other}"),
    }
}

/// Builds the program and puts it into a wheel.
fn try_wheel(build: &Build) -> Result<(), String> {
    let target = build.target.as_str();
    let is_musl = build.is_release && target.ends_with("-musl");
    let tools = root().join("target/packaging");
    let programs = tools.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let python = if cfg!(windows) { "python" } else { "python3" };

    let mut venv = Command::new(python);
    venv.args(["-m", "venv"]).arg(&tools);
    run(venv)?;
    let mut pip = Command::new(programs.join("pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", MATURIN]);
    if is_musl {
        pip.arg(ZIG);
    }
    run(pip)?;

    let mut maturin = Command::new(programs.join("maturin"));
    maturin
        .args(["build", "--locked", "--manifest-path"])
        .arg(root().join("agent-cli/Cargo.toml"))
        .arg("--out")
        .arg(root().join("target/packages"))
        .env("CARGO", cargo_program())
        // maturin looks for zig there.
        .env("PATH", with_programs(&programs)?);
    // Without a target, a build for tests uses what other builds of this machine have built already.
    if build.is_release {
        let mut rustup = Command::new("rustup");
        rustup.args(["target", "add", target]);
        run(rustup)?;
        maturin.args(["--release", "--target", target]);
    }
    if is_musl {
        // A program that is linked with musl needs nothing of the system, so the wheel is for both kinds of Linux.
        maturin.args(["--zig", "--compatibility", "manylinux2014", "musllinux_1_1"]);
    }
    run(maturin)
}

/// The variable `PATH` with a folder before the others.
fn with_programs(folder: &Path) -> Result<std::ffi::OsString, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [folder.to_owned()]
        .into_iter()
        .chain(std::env::split_paths(&path));
    std::env::join_paths(folders).map_err(|error| format!("PATH: {error}"))
}

/// Builds the program, and puts it and the script that starts it into packages.
fn try_npm(build: &Build) -> Result<(), String> {
    let known: Vec<&str> = SYSTEMS.iter().map(|(target, ..)| *target).collect();
    let Some((_, os, cpu)) = SYSTEMS.iter().find(|(known, ..)| *known == build.target) else {
        return Err(format!(
            "npm has no package for {}; there are {}",
            build.target,
            known.join(", ")
        ));
    };
    try_wheel(build)?;
    let program = if *os == "win32" { "agent.exe" } else { "agent" };
    let folder = match build.is_release {
        true => Path::new(&build.target).join("release"),
        false => PathBuf::from("debug"),
    };
    let built = root().join("target").join(folder).join(program);

    let version = package_value("version").ok_or("Cargo.toml has no version")?;
    let own = format!("{PACKAGE}-{os}-{cpu}");
    let all = SYSTEMS
        .iter()
        .map(|(_, os, cpu)| (format!("{PACKAGE}-{os}-{cpu}"), json!(version)));
    let main = json!({
        "bin": { "agent": "agent.js" },
        "engines": { "node": ">=18" },
        "optionalDependencies": all.collect::<serde_json::Map<_, _>>(),
    });
    let of_system = json!({ "os": [os], "cpu": [cpu], "preferUnplugged": true });
    let script = root().join("agent-cli/npm/agent.js");
    pack(PACKAGE, &version, main, &script, "agent.js")?;
    pack(&own, &version, of_system, &built, &format!("bin/{program}"))
}

/// Makes a package of npm with one file beside its description and its licences.
fn pack(
    name: &str,
    version: &str,
    mut manifest: Value,
    file: &Path,
    place: &str,
) -> Result<(), String> {
    let folder = root().join("target/npm").join(name);
    manifest["name"] = json!(name);
    manifest["version"] = json!(version);
    manifest["description"] =
        json!("The `agent` command: checks, compares, runs and serves LLM agents declared in gram");
    manifest["license"] = json!(package_value("license"));
    // npm takes a signed statement of where a package was built only if the package names the repository.
    if let Some(repository) = package_value("repository") {
        manifest["repository"] = json!(repository);
    }
    let files = [
        (file.to_owned(), place),
        (root().join("agent-cli/README.md"), "README.md"),
        (root().join("LICENSE-MIT"), "LICENSE-MIT"),
        (root().join("LICENSE-APACHE"), "LICENSE-APACHE"),
    ];
    for (from, to) in files {
        copy(&from, &folder.join(to)).map_err(|error| format!("{}: {error}", from.display()))?;
    }
    let text = format!("{manifest:#}\n");
    fs::write(folder.join("package.json"), text)
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.args(["pack", "--silent", "--pack-destination"])
        .arg(root().join("target/packages"))
        .current_dir(&folder);
    run(npm)
}

/// Copies a file and its permissions, into a folder that is made if it does not exist.
fn copy(from: &Path, to: &PathBuf) -> io::Result<()> {
    fs::create_dir_all(to.parent().unwrap_or(to))?;
    fs::copy(from, to).map(drop)
}
