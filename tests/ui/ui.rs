//! Compile errors: each case in `<topic>/` must fail with exactly its `.stderr`.
//!
//! No case here may be one that passes: with one, trybuild starts cargo anew for each case, and builds
//! where it could check, which takes ten times as long. Those are in `pass/`.

use std::process::Command;

/// Agent files are found below this folder, since trybuild compiles the cases in another one.
const ROOT_VARIABLE: &str = "AGENT_GRAM_ROOT";

/// The flags with which trybuild compiles the cases, separated as cargo's variable `CARGO_ENCODED_RUSTFLAGS` has them.
/// trybuild compiles the dependencies without the last one, so cargo would compile them again for the cases. The
/// variable makes the flags the same, because cargo prefers it to trybuild's own way.
const RUSTC_FLAGS: &str = "--verbose\x1f-A\x1fdead_code\x1f--diagnostic-width=140";

#[test]
fn ui() {
    // The variables must be there before the compiler starts, and a test cannot set them for itself
    // without unsafe code: so it runs itself once more.
    if std::env::var_os(ROOT_VARIABLE).is_none() {
        let this_test = std::env::current_exe().expect("a test has a path");
        let filter = std::env::args().filter(|argument| argument.starts_with("trybuild="));
        let status = Command::new(this_test)
            .args(["ui", "--exact", "--nocapture"])
            .args(filter)
            .env(ROOT_VARIABLE, concat!(env!("CARGO_MANIFEST_DIR"), "/gram"))
            .env("CARGO_ENCODED_RUSTFLAGS", RUSTC_FLAGS)
            .status()
            .expect("a test can be run again");
        assert!(status.success(), "see above");
        return;
    }
    let cases = trybuild::TestCases::new();
    for topic in [
        "tool",
        "toolbox",
        "parameter",
        "result",
        "agent_syntax",
        "agent_structure",
        "agent_against_tools",
        "agent_function",
        "agents_as_functions",
        "file",
        "mcp",
        "models",
        "deny",
        "derive",
        "gram_macro",
        "tools",
    ] {
        cases.compile_fail(format!("{topic}/*.rs"));
    }
}
