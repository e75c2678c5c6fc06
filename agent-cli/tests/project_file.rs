//! The project file `agent.gram`: who reads it, and its mistakes.

use crate::support::{Folder, agent, agent_with_tools, command};
use agent_runtime::conversation::ToolCall;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::spec::AgentPattern;
use agent_runtime::{Conversation, Runtime};
use std::fs;
use std::time::{Duration, Instant};

const GREET: &str = "[greet:Tool {description: \"Greets.\"} |\n  \
                     (user::Object {fields: [{name: \"name\", type: \"Text\"}]})==>(::String)\n]\n";

/// A project with a tool file, and an agent in a folder below that names the tool.
fn project(settings: &str) -> (Folder, String) {
    let folder = Folder::new();
    for name in ["gram", "agents/deep"] {
        fs::create_dir_all(format!("{}/{name}", folder.path())).expect("a folder can be made");
    }
    folder.file("agent.gram", settings);
    folder.file("gram/greet.gram", GREET);
    let document = folder.file("agents/deep/a.gram", agent_with_tools("greet, calculator"));
    (folder, document)
}

#[test]
fn documents_name_the_tools_of_the_project_file() {
    let (_folder, document) = project("{tools: [\"gram/*.gram\"]}");
    let ended = agent(&["check", &document]).expect(0);
    assert_eq!(ended.stdout, format!("{document}: ok (1 agent, 2 tools)\n"));
    let (_folder, document) = project("{}");
    let ended = agent(&["check", &document]).expect(1);
    assert!(
        ended.stderr.contains("no tool or agent `greet`"),
        "{}",
        ended.stderr
    );
}

#[test]
fn each_command_knows_the_tools_of_the_project_file() {
    let (_folder, document) = project("{tools: [\"gram/*.gram\"]}");
    let ended = agent(&["schema", &document, "--tool", "greet"]).expect(0);
    assert_eq!(ended.json()["name"], "greet");
    let ended = agent(&["new-tools", &document, "--tool", "greet"]).expect(0);
    assert!(ended.stdout.contains("fn greet("), "{}", ended.stdout);
    let ended = agent(&["diff", &document, &document]).expect(0);
    assert_eq!(ended.stderr, "");
    // The document is right. The built-in library has no such tool, and the file starts nothing.
    let ended = agent(&["run", &document, "Hi", "--offline"]);
    for part in [
        "tool `greet`: the library has no tool of this name",
        "warning: `greet` is not here: `agent` has the built-in tools, see `agent tools`, and those of the MCP servers",
    ] {
        assert!(ended.stderr.contains(part), "{}", ended.stderr);
    }
}

#[test]
fn standard_input_has_the_project_of_the_current_folder() {
    use std::io::Write as _;
    use std::process::Stdio;

    let (folder, _) = project("{tools: [\"gram/*.gram\"]}");
    let mut command = command(&["check", "-"]);
    command.current_dir(format!("{}/agents", folder.path()));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    write!(stdin, "{}", agent_with_tools("greet")).expect("it is read");
    drop(stdin);
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(
        String::from_utf8_lossy(&ended.stdout),
        "<stdin>: ok (1 agent, 1 tool)\n"
    );
}

#[test]
fn a_given_tool_file_replaces_the_tools_of_the_project() {
    let (folder, document) = project("{tools: [\"gram/*.gram\"]}");
    let other = GREET.replace("user", "person");
    let given = folder.file("other.gram", other);
    let ended = agent(&["schema", &document, "--tool", "greet", "--tools", &given]).expect(0);
    assert!(ended.stdout.contains("person"), "{}", ended.stdout);
}

#[test]
fn models_name_the_providers_of_the_project_file_and_no_server_gets_a_request() {
    let (folder, _) = project("{providers: [\"Acme\"]}");
    let document = folder.file(
        "agents/b.gram",
        "[b:Agent {instruction: \"Help.\", model: \"Acme/large\"}]\n",
    );
    agent(&["check", &document]).expect(0);
    let ended = agent(&["run", &document, "Hi"]);
    assert!(
        ended.stderr.contains("no provider `Acme`"),
        "{}",
        ended.stderr
    );
}

#[test]
fn mistakes_are_reported_with_file_line_and_column() {
    let (folder, document) = project("{\n  tool: [\"gram/*.gram\"]\n}\n");
    let ended = agent(&["check", &document, "--format", "short"]).expect(1);
    let file = fs::canonicalize(folder.path()).expect("it is there");
    let file = file.join("agent.gram").display().to_string();
    let expected = format!("{file}:2:3: agent::unknown-property: `tool` is not a property of");
    assert!(ended.stdout.starts_with(&expected), "{}", ended.stdout);
    let note = format!("not checked, because the project file has errors: {document}\n");
    assert!(ended.stderr.contains(&note), "{}", ended.stderr);
    let ended = agent(&["check", &document]).expect(1);
    assert!(
        ended.stderr.contains("did you mean `tools`?"),
        "{}",
        ended.stderr
    );
    // Commands that need the document stop.
    let ended = agent(&["schema", &document]).expect(1);
    assert!(
        ended.stderr.contains("did you mean `tools`?"),
        "{}",
        ended.stderr
    );
    // The file itself can be checked.
    let ended = agent(&["check", &format!("{}/agent.gram", folder.path())]).expect(1);
    assert!(ended.stderr.contains("1 error"), "{}", ended.stderr);
    folder.file("agent.gram", "{tools: [\"gram/*.gram\"]}");
    let path = format!("{}/agent.gram", folder.path());
    let ended = agent(&["check", &path]).expect(0);
    assert_eq!(ended.stdout, format!("{path}: ok (project file)\n"));
}

#[test]
fn a_directory_of_the_name_is_an_error() {
    let (folder, document) = project("{}");
    fs::remove_file(format!("{}/agent.gram", folder.path())).expect("it is there");
    fs::create_dir(format!("{}/agent.gram", folder.path())).expect("it can be made");
    for arguments in [
        &["check", document.as_str()][..],
        &["fmt", &document],
        &["schema", &document],
    ] {
        let ended = agent(arguments).expect(2);
        assert!(
            ended.stderr.contains("it is a directory"),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn patterns_name_files_of_the_project_only() {
    for (pattern, message) in [
        ("missing.gram", "names no file"),
        ("gram/*.txt", "names no file"),
        ("../*.gram", "leads out of the folder"),
        ("/etc/*", "is an absolute path"),
    ] {
        let (_folder, document) = project(&format!("{{tools: [\"{pattern}\"]}}"));
        let ended = agent(&["check", &document]).expect(1);
        assert!(
            ended.stderr.contains(message),
            "{pattern}: {}",
            ended.stderr
        );
    }
    for pattern in ["**/*.gram", "gram/greet.gram", "g?am/*", "./gram/g*t.gram"] {
        let (_folder, document) = project(&format!("{{tools: [\"{pattern}\"]}}"));
        agent(&["check", &document]).expect(0);
    }
}

#[test]
fn the_parts_of_a_pattern_are_bounded() {
    // Any number of them means the same as one.
    let pattern = format!("{}*.gram", "**/".repeat(100_000));
    let (_folder, document) = project(&format!("{{tools: [\"{pattern}\"]}}"));
    agent(&["check", &document]).expect(0);
    for part in ["gram/../", "**/*/"] {
        let pattern = format!("{}*.gram", part.repeat(100_000));
        let (_folder, document) = project(&format!("{{tools: [\"{pattern}\"]}}"));
        let ended = agent(&["check", &document]).expect(1);
        assert!(!ended.stderr.is_empty());
    }
    let pattern = format!("{}*.gram", "gram/".repeat(200));
    let (_folder, document) = project(&format!("{{tools: [\"{pattern}\"]}}"));
    let ended = agent(&["check", &document]).expect(1);
    assert!(
        ended.stderr.contains("has more than 128 parts"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_project_is_searched_once_for_all_documents() {
    // The search of such a pattern ends at the limit of names, after a second or more.
    let (folder, _) = project(&format!("{{tools: [\"{}*.none\"]}}", "**/*/".repeat(20)));
    let name = |at: usize| format!("{}documents/{at}", "deep/".repeat(24));
    let mut check = vec!["check".to_owned()];
    for at in 0..100 {
        fs::create_dir_all(format!("{}/{}", folder.path(), name(at))).expect("a folder");
        let document = format!("{}/a.gram", name(at));
        check.push(folder.file(&document, agent_with_tools("calculator")));
    }
    let start = Instant::now();
    let ended = agent(&["fmt", "--check", &folder.path()]).expect(2);
    let count = ended.stderr.matches("the project file has errors").count();
    assert!(count > 50, "{}", ended.stderr);
    let ended = agent(&check.iter().map(String::as_str).collect::<Vec<_>>()).expect(1);
    assert!(
        ended.stderr.contains("more than 100000 names"),
        "{}",
        ended.stderr
    );
    assert!(
        start.elapsed() < Duration::from_secs(60),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn many_names_of_providers_stay_out_of_findings() {
    let names: Vec<String> = (0..10_000).map(|at| format!("\"Provider{at}\"")).collect();
    let (folder, _) = project(&format!("{{providers: [{}]}}", names.join(", ")));
    let document = folder.file(
        "agents/b.gram",
        "[b:Agent {instruction: \"Help.\", model: \"Zz/m\"}]\n",
    );
    let ended = agent(&["check", &document]).expect(1);
    assert!(
        ended.stderr.contains(" and others; `Zz` becomes one"),
        "{}",
        ended.stderr.len()
    );
    assert!(ended.stderr.len() < 10_000, "{} bytes", ended.stderr.len());
}

#[test]
#[cfg(unix)]
fn links_do_not_lead_out_of_the_project() {
    let (folder, document) = project("{tools: [\"gram/*.gram\"]}");
    let outside = Folder::new();
    let secret = outside.file("secret.gram", GREET);
    let link = format!("{}/gram/link.gram", folder.path());
    std::os::unix::fs::symlink(&secret, &link).expect("a link can be made");
    let ended = agent(&["check", &document]).expect(1);
    assert!(
        ended.stderr.contains("outside of the project"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_mistake_in_a_tool_file_is_reported_once() {
    let (folder, document) = project("{tools: [\"gram/*.gram\"]}");
    let broken = folder.file("gram/greet.gram", GREET.replace("Object", "Objct"));
    // The rest of the document is checked. Whether the tool exists is not known.
    let other = folder.file(
        "agents/b.gram",
        agent_with_tools("greet").replace("Help.", ""),
    );
    let ended = agent(&["check", &document, &other, "--format", "json"]).expect(1);
    let codes: Vec<String> = ended.json()["diagnostics"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|found| found["code"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(codes, ["agent::unknown-type", "agent::missing-instruction"]);
    let ended = agent(&["check", &broken, &document, "--format", "json"]).expect(1);
    assert_eq!(
        ended.json()["diagnostics"].as_array().map(Vec::len),
        Some(1)
    );
}

#[test]
fn two_files_of_a_project_must_agree_on_a_tool() {
    let (folder, document) = project("{tools: [\"gram/*.gram\"]}");
    folder.file("gram/other.gram", GREET.replace("Greets.", "Waves."));
    let ended = agent(&["check", &document]).expect(2);
    assert!(
        ended.stderr.contains("`greet`") && ended.stderr.contains("agent.gram"),
        "{}",
        ended.stderr
    );
}

#[test]
fn agents_of_tool_files_may_name_tools_of_other_files() {
    let (folder, document) = project("{tools: [\"**/*.gram\"]}");
    folder.file(
        "gram/again.gram",
        agent_with_tools("greet").replace("[a:", "[again:"),
    );
    agent(&["check", &document]).expect(0);
}

#[test]
fn fmt_writes_the_style_of_the_project() {
    let (folder, _) = project("{style: \"portable\"}");
    let tool = format!("{}/gram/greet.gram", folder.path());
    let ended = agent(&["fmt", "--diff", &tool]).expect(0);
    assert!(
        ended.stdout.contains("fields: {name: \"Text\"}"),
        "{}",
        ended.stdout
    );
    // An option counts more than the project file.
    let ended = agent(&["fmt", "--check", "--style", "list", &tool]).expect(0);
    assert_eq!(ended.stdout, "");
    // A document whose signatures have errors keeps its types.
    let broken = folder.file("gram/broken.gram", "[t:Tool|(x::Txt)==>(::String)]");
    let ended = agent(&["fmt", "--check", &broken]).expect(1);
    assert_eq!(ended.stdout, format!("{broken}\n"));
    // The project file is formatted, and has no types.
    let project = format!("{}/agent.gram", folder.path());
    agent(&["fmt", &project]).expect(0);
}

#[test]
fn a_document_of_the_name_of_project_files_is_a_document() {
    let (folder, _) = project("{}");
    let document = folder.file("agents/agent.gram", agent_with_tools("calculator"));
    let ended = agent(&["check", &document]).expect(0);
    assert_eq!(ended.stdout, format!("{document}: ok (1 agent, 1 tool)\n"));
}

#[tokio::test]
async fn the_example_that_only_names_tools_is_checked_read_and_executed() {
    agent(&["check", "agents/reader.gram"]).expect(0);
    let source = fs::read_to_string(crate::support::examples().join("agents/reader.gram"));
    let pattern = AgentPattern::parse(&source.expect("the example")).expect("an agent");
    assert_eq!(
        pattern.references(),
        ["listDirectory", "readFile", "calculator"]
    );
    let library = agent_builtin::library();
    let call = ToolCall::new("1", "calculator", "{\"expression\": \"6 * 7\"}");
    let model = Scripted::new([ModelReply::calls([call]), ModelReply::text("42")]);
    let runtime = Runtime::with_model(model);
    runtime.check(&pattern, &library).expect("it can run");
    let mut conversation = Conversation::new();
    let response = runtime
        .execute(&pattern, "How much is it?", &mut conversation, &library)
        .await
        .expect("an answer");
    assert_eq!(response.content, "42");
    let result = response.tools_used[0].result.as_ref().expect("a result");
    assert!(result.to_string().contains("42"), "{result}");
}

/// A project with a catalogue of models, and an agent with a setting that its model refuses.
fn project_with_models(settings: &str, models: &str) -> (Folder, String) {
    let folder = Folder::new();
    fs::create_dir_all(format!("{}/agents", folder.path())).expect("a folder can be made");
    folder.file("agent.gram", settings);
    folder.file("models.gram", models);
    let agent = "[a:Agent {instruction: \"Write.\", model: \"Anthropic/claude-sonnet-5\", temperature: 0.5}]\n";
    let document = folder.file("agents/a.gram", agent);
    (folder, document)
}

const TAKES_TEMPERATURE: &str =
    "[Anthropic:Catalog | [claude-sonnet-5:Model {temperature: \"always\"}]]\n";

#[test]
fn models_of_the_project_are_above_the_builtin_and_below_the_given_ones() {
    let (folder, document) = project_with_models("{models: [\"models.gram\"]}", TAKES_TEMPERATURE);
    let ended = agent(&["check", &document]).expect(0);
    assert_eq!(ended.stderr, "");
    let never = TAKES_TEMPERATURE.replace("always", "never");
    let given = folder.file("given.gram", &never);
    let ended = agent(&["check", &document, "--models", &given]).expect(1);
    assert!(
        ended.stderr.contains("refuses `temperature`"),
        "{}",
        ended.stderr
    );
    // In a list, the later file wins, and the files of a pattern are sorted.
    folder.file("below-a.gram", TAKES_TEMPERATURE);
    folder.file("below-b.gram", &never);
    for (models, code) in [
        ("[\"below-*.gram\"]", 1),
        ("[\"below-b.gram\", \"below-a.gram\"]", 0),
        ("[\"below-b.gram\", \"models.gram\"]", 0),
    ] {
        folder.file("agent.gram", format!("{{models: {models}}}"));
        agent(&["check", &document]).expect(code);
    }
}

#[test]
fn mistakes_in_models_of_the_project_are_reported_once_and_no_model_is_checked() {
    let models = "[Anthropic:Catalog |\n  [claude-sonnet-5:Model {temprature: \"always\"}]\n]\n";
    let (folder, document) = project_with_models("{models: [\"models.gram\"]}", models);
    let ended = agent(&["check", &document, "--format", "short"]).expect(1);
    let file = fs::canonicalize(folder.path()).expect("it is there");
    let file = file.join("models.gram").display().to_string();
    let expected = format!("{file}:2:27: agent::unknown-property: ");
    assert!(ended.stdout.starts_with(&expected), "{}", ended.stdout);
    assert_eq!(ended.stdout.lines().count(), 1, "{}", ended.stdout);
}

#[test]
fn catalogues_are_named_in_models_and_other_files_in_tools() {
    for (settings, place, message) in [
        (
            "{tools: [\"*.gram\"]}",
            "1:10",
            "`*.gram` in `tools` names `models.gram`, which is a catalogue of models",
        ),
        (
            "{models: [\"agents/a.gram\"]}",
            "1:11",
            "`agents/a.gram` in `models` names `agents/a.gram`, which is no catalogue of models",
        ),
        (
            "{models: [\"none.gram\"]}",
            "1:11",
            "`none.gram` in `models` names no file",
        ),
    ] {
        let (folder, _) = project_with_models(settings, TAKES_TEMPERATURE);
        let mut command = command(&["check", "agents/a.gram", "--format", "short"]);
        let ended = command
            .current_dir(folder.path())
            .output()
            .expect("it starts");
        let found = String::from_utf8_lossy(&ended.stdout).into_owned();
        let expected = format!("agent.gram:{place}: agent::bad-value: {message}");
        assert!(found.starts_with(&expected), "{found}");
    }
    let both = "{tools: [\"**/*.gram\"], models: [\"models.gram\"]}";
    let (_folder, document) = project_with_models(both, TAKES_TEMPERATURE);
    agent(&["check", &document]).expect(0);
}

/// The folder may be that of a stranger.
#[test]
fn the_models_of_a_project_name_no_server_that_gets_a_message() {
    let folder = Folder::new();
    folder.file("agent.gram", "{models: [\"models.gram\"]}");
    let models = folder.file(
        "models.gram",
        "[Acme:Catalog {baseUrl: \"http://127.0.0.1:9/v1\"}]",
    );
    let document = folder.file(
        "a.gram",
        "[a:Agent {instruction: \"x\", model: \"Acme/m\"}]",
    );
    let ended = agent(&["run", &document, "Hello"]).expect(2);
    assert!(
        ended.stderr.contains("a project file names none"),
        "{}",
        ended.stderr
    );
    // Nor a variable that is sent as the key.
    folder.file(
        "models.gram",
        "[Acme:Catalog {key: \"AWS_SECRET_ACCESS_KEY\"}]",
    );
    let ended = agent(&[
        "run",
        &document,
        "Hello",
        "--base-url",
        "http://127.0.0.1:9",
    ])
    .expect(2);
    assert!(
        ended.stderr.contains("has a key of `Acme`"),
        "{}",
        ended.stderr
    );
    folder.file(
        "models.gram",
        "[Acme:Catalog {baseUrl: \"http://127.0.0.1:9/v1\"}]",
    );
    // Whoever runs the command may name it.
    fs::remove_file(format!("{}/agent.gram", folder.path())).expect("it is there");
    let ended = agent(&[
        "run",
        &document,
        "Hello",
        "--models",
        &models,
        "--max-attempts",
        "1",
    ]);
    let ended = ended.expect(1);
    assert!(
        ended.stderr.contains("cannot be reached"),
        "{}",
        ended.stderr
    );
}

#[cfg(unix)]
#[test]
fn a_project_file_that_is_a_link_out_of_its_folder_is_not_shown() {
    let folder = Folder::new();
    folder.file("secrets.gram", "{password: \"hunter2\"}");
    let inner = format!("{}/inner", folder.path());
    std::fs::create_dir(&inner).expect("a folder");
    let document = folder.file(
        "inner/a.gram",
        agent_with_tools("[t:Tool {description: \"d\"} | ()==>(::Text)]"),
    );
    let link = format!("{inner}/agent.gram");
    std::os::unix::fs::symlink("../secrets.gram", &link).expect("a link");
    for args in [
        &["check", &document][..],
        &["check", &link],
        &["check", &inner],
        &["check", "--format", "json", &document],
        &["check", "--format", "short", &document],
        &["fmt", "--check", &document],
        &["run", &document, "Hi", "--offline"],
        &["schema", &document],
    ] {
        let ended = agent(args);
        assert_ne!(ended.code, 0, "{args:?}");
        let shown = format!("{}{}", ended.stdout, ended.stderr);
        assert!(shown.contains("outside of its folder"), "{args:?}: {shown}");
        for secret in ["password", "hunter2"] {
            assert!(!shown.contains(secret), "{args:?}: {shown}");
        }
    }
    // One without errors counts as before.
    folder.file("secrets.gram", "{style: \"list\"}");
    agent(&["check", &document]).expect(0);
}
