//! `agent new-tools`: its output and its errors.

use crate::support::{Folder, agent, agent_with, agent_with_tools};
use std::fs;
use std::path::PathBuf;

/// Returns a file of the folder with documents and their generated code, which the tests of the workspace
/// compile.
fn printed(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    folder.join("../tests/new_tools").join(name)
}

/// Fails unless the code for a document is that of the file. With `UPDATE_PRINTED` set, writes the file.
fn prints(document: &str, file: &str) {
    let ended = agent(&["new-tools", document]).expect(0);
    assert_eq!(ended.stderr, "");
    let file = printed(file);
    if std::env::var_os("UPDATE_PRINTED").is_some() {
        std::fs::write(&file, &ended.stdout).expect("the file can be written");
    }
    let expected = std::fs::read_to_string(&file).expect("the file is there");
    assert_eq!(
        ended.stdout,
        expected,
        "not as in {}; with UPDATE_PRINTED=1 the test writes it",
        file.display()
    );
}

#[test]
fn prints_functions_for_the_tools_of_a_document() {
    prints("agents/hello.gram", "hello.rs");
    let shop = printed("shop.gram").display().to_string();
    prints(&shop, "shop.rs");
}

#[test]
fn reads_the_document_from_standard_input() {
    let document = agent_with_tools("[t:Tool {description: \"d\"} | ()==>(::Null)]");
    let ended = agent_with(&["new-tools", "-"], document).expect(0);
    assert!(
        ended
            .stdout
            .contains("pub fn t() -> Result<(), ToolError> {"),
        "{}",
        ended.stdout
    );
}

#[test]
fn prints_tools_that_are_only_named() {
    let ended = agent(&["new-tools", "agents/hello_and_goodbye.gram"]).expect(0);
    for function in ["pub fn say_hello(", "pub fn say_goodbye("] {
        assert!(ended.stdout.contains(function), "{}", ended.stdout);
    }
}

const TWO_AGENTS: &str = "\
[first:Agent {instruction: \"i\", model: \"Offline/m\"} |
  [findUser:Tool {description: \"d\"} | ()==>(::Text)], [saveUser:Tool {description: \"d\"} | ()==>(::Text)]]
[second:Agent {instruction: \"i\", model: \"Offline/m\"} | saveUser]
[loose:Tool {description: \"d\"} | ()==>(::Text)]
";

/// Returns the names of the functions that are printed for these arguments.
fn functions(args: &[&str]) -> Vec<String> {
    let args = [&["new-tools", "-"], args].concat();
    let ended = agent_with(&args, TWO_AGENTS).expect(0);
    let lines = ended.stdout.lines().filter_map(|line| {
        let name = line.strip_prefix("pub fn ")?.split('(').next()?;
        Some(name.to_owned())
    });
    lines.collect()
}

#[test]
fn selects_agents_and_tools() {
    assert_eq!(functions(&[]), ["find_user", "save_user", "loose"]);
    assert_eq!(functions(&["--agent", "second"]), ["save_user"]);
    assert_eq!(functions(&["--tool", "loose"]), ["loose"]);
    assert_eq!(
        functions(&["--tool", "saveUser", "--tool", "findUser"]),
        ["find_user", "save_user"]
    );
}

#[test]
fn suggests_the_nearest_name() {
    for (args, message) in [
        (
            &["--agent", "secnd"][..],
            "`<stdin>` declares no agent `secnd`; did you mean `second`?",
        ),
        (
            &["--tool", "savUser"],
            "`<stdin>` has no tool `savUser`; did you mean `saveUser`?",
        ),
        (
            &["--agent", "second", "--tool", "loose"],
            "the agent `second` has no tool `loose`; it has saveUser",
        ),
    ] {
        let args = [&["new-tools", "-"], args].concat();
        let ended = agent_with(&args, TWO_AGENTS).expect(2);
        assert_eq!(ended.stdout, "");
        assert_eq!(ended.stderr, format!("error: {message}\n"));
    }
}

#[test]
fn a_document_with_errors_gives_no_functions() {
    let folder = Folder::new();
    let document = folder.file("agent.gram", agent_with_tools("sayHelo"));
    let ended = agent(&["new-tools", &document]).expect(1);
    assert_eq!(ended.stdout, "");
    assert!(
        ended.stderr.contains("did you mean `sayHello`?"),
        "{}",
        ended.stderr
    );
    let ended = agent(&["new-tools", "no_such.gram"]).expect(2);
    assert!(
        ended.stderr.contains("there is no such file"),
        "{}",
        ended.stderr
    );
}

#[test]
fn rejects_an_agent_without_tools() {
    let document = "[a:Agent {instruction: \"i\", model: \"Offline/m\"}]";
    let ended = agent_with(&["new-tools", "-"], document).expect(2);
    assert_eq!(
        ended.stderr,
        "error: `<stdin>` has no tools, so there is nothing to write\n"
    );
}

#[test]
fn warns_about_types_that_attributes_cannot_express() {
    let signature = "()==>(::Object {enum: [{a: 1}]})";
    let document = agent_with_tools(&format!("[t:Tool {{description: \"d\"}} | {signature}]"));
    let ended = agent_with(&["new-tools", "-"], document).expect(0);
    let warning = "warning: the result of `t` allows only some records";
    assert!(ended.stderr.starts_with(warning), "{}", ended.stderr);
    assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    assert!(
        ended.stdout.contains("Map<String, Value>"),
        "{}",
        ended.stdout
    );
}

#[test]
fn prints_the_functions_of_agents_with_signatures() {
    let ended = agent(&["new-tools", "../examples/agents/translate.gram"]).expect(0);
    let expected = fs::read_to_string(printed("translate.rs")).expect("the file");
    assert_eq!(ended.stdout, expected);
}

#[test]
fn the_function_of_an_agent_names_its_tools_and_optional_parameters() {
    let folder = Folder::new();
    let file = folder.file(
        "desk.gram",
        "[`help-desk`:Agent {description: \"Helps\", instruction: \"i\", model: \"OpenAI/m\"} |
            (question::Text)==>(runtime::Text {default: \"none\"})==>(userName::Text {optional: true})==>(count::Int)
              ==>(::Object {fields: {answer: \"Text\"}}), lookUp, other]
         [other:Agent {description: \"Knows more\", instruction: \"i\", model: \"OpenAI/m\"} | find]
         [lookUp:Tool {description: \"d\"} | (word::Text)==>(::String)]
         [find:Tool {description: \"d\"} | ()==>(::String)]
         [unused:Tool {description: \"d\"} | ()==>(::String)]",
    );
    let ended = agent(&["new-tools", &file]).expect(0);
    for part in [
        "use agent_runtime::{Error, GramType, Runtime, ToolError, agent_fn, tool};\n",
        "pub async fn help_desk(\n    runtime: &Runtime,\n    \
         question: &str,\n    #[agent_fn(name = \"runtime\")] runtime_2: Option<&str>,\n    user_name: Option<&str>,\n    \
         count: i64,\n) -> Result<HelpDeskResult, Error>;\n",
        "pub struct HelpDeskResult {",
        "pub fn unused() -> Result<String, ToolError> {",
    ] {
        assert!(ended.stdout.contains(part), "{part}\n{}", ended.stdout);
    }
    // The length of the folder's name decides whether the attribute is on one line.
    let words: Vec<&str> = ended.stdout.split_whitespace().collect();
    let attribute = ".gram\", agent = \"help-desk\", tools = [look_up, find]";
    assert!(words.join(" ").contains(attribute), "{}", ended.stdout);
    // An agent without a signature of its own is called with a message.
    assert!(!ended.stdout.contains("fn other"), "{}", ended.stdout);
}
