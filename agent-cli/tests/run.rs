//! `agent run`: runs with the offline model, and errors before a run.

use crate::support;
use crate::support::{Folder, agent, agent_with, agent_with_tools};
use serde_json::json;

const HELLO: &str = "agents/hello.gram";

#[test]
fn shows_a_run_while_it_goes_on() {
    let ended = agent(&["run", HELLO, "Hello, I'm Ada", "--offline"]).expect(0);
    assert_eq!(
        ended.stdout,
        "💬 Hello, I'm Ada\n\
         🛠️ sayHello {\"personName\":\"Ada\"} → Hello, Ada! Nice to meet you.\n\
         🤖 Hello, Ada! Nice to meet you.\n"
    );
    assert_eq!(ended.stderr, "");
}

#[test]
fn json_output_is_exact() {
    let args = [
        "run",
        HELLO,
        "Hello, I'm Ada",
        "-",
        "--offline",
        "--format",
        "json",
    ];
    let ended = agent(&args).expect(0);
    let document = ended.json();
    let first = &document["responses"][0];
    assert_eq!(first["content"], "Hello, Ada! Nice to meet you.");
    assert_eq!(
        first["toolsUsed"],
        json!([{
            "tool": "sayHello",
            "args": {"personName": "Ada"},
            "result": "Hello, Ada! Nice to meet you.",
            "attempt": 1,
        }])
    );
    assert_eq!(
        first["usage"],
        json!({"inputTokens": 0, "outputTokens": 0, "requests": 2})
    );
    assert_eq!(document["responses"].as_array().unwrap().len(), 2);
    let id = &document["conversation"][1]["toolCalls"][0]["id"];
    assert_eq!(
        document["conversation"].as_array().unwrap()[..5],
        [
            json!({"role": "user", "content": "Hello, I'm Ada"}),
            json!({"role": "assistant", "content": "", "toolCalls": [
                {"id": id, "tool": "sayHello", "args": {"personName": "Ada"}}]}),
            json!({"role": "function", "name": "sayHello", "callId": id,
                "content": "Hello, Ada! Nice to meet you."}),
            json!({"role": "assistant", "content": "Hello, Ada! Nice to meet you."}),
            json!({"role": "user", "content": "-"}),
        ]
    );
    assert_eq!(document.as_object().unwrap().len(), 2);
    assert_eq!(ended.stderr, "");
}

#[test]
fn gram_output_is_a_valid_document() {
    let args = [
        "run",
        HELLO,
        "Hello, I'm Ada",
        "-",
        "--offline",
        "--format",
        "gram",
    ];
    let ended = agent(&args).expect(0);
    assert_eq!(ended.stderr, "");
    let patterns = agent_with(&["parse", "-"], ended.stdout).expect(0).json();
    let id = &patterns[0]["elements"][0]["subject"]["properties"]["callId"];
    let usage = json!({"inputTokens": 0, "outputTokens": 0, "requests": 2});
    let tool = json!({"identity": "sayHello", "labels": [], "properties": {}});
    let hello = "Hello, Ada! Nice to meet you.";
    assert_eq!(
        patterns[0],
        json!({
            "subject": {
                "identity": "",
                "labels": ["AgentResponse"],
                "properties": {"content": hello, "finishReason": "stop", "usage": usage},
            },
            "elements": [{
                "subject": {
                    "identity": "",
                    "labels": ["ToolInvocation"],
                    "properties": {
                        "callId": id,
                        "args": {"personName": "Ada"},
                        "result": hello,
                        "attempt": 1,
                    },
                },
                "elements": [{"subject": tool, "elements": []}],
            }],
        })
    );
    assert_eq!(patterns.as_array().unwrap().len(), 2);
}

#[test]
fn binds_built_in_tools_by_name() {
    let file = "agents/hello_and_goodbye.gram";
    let ended = agent(&["run", file, "Hello, I'm Ada", "Goodbye!", "--offline"]).expect(0);
    assert!(ended.stdout.contains("🛠️ sayHello"), "{}", ended.stdout);
    assert!(ended.stdout.contains("🛠️ sayGoodbye"), "{}", ended.stdout);
}

#[test]
fn reads_the_document_from_standard_input() {
    let document = std::fs::read(support::examples().join(HELLO)).unwrap();
    agent_with(&["run", "-", "Hello", "--offline"], document).expect(0);
}

#[test]
fn names_a_missing_key_and_its_remedies() {
    let ended = agent(&["run", HELLO, "Hello", "--format", "json"]).expect(2);
    assert!(ended.stderr.contains("OPENAI_API_KEY"), "{}", ended.stderr);
    assert!(ended.stderr.contains("--offline"), "{}", ended.stderr);
    assert_eq!(ended.stdout, "");
}

#[test]
fn a_failed_run_prints_no_document() {
    // Nothing listens on this port.
    let args = [
        "run",
        HELLO,
        "Hello",
        "--base-url",
        "http://127.0.0.1:1/v1",
        "--format",
        "json",
    ];
    let ended = agent(&args).expect(1);
    assert_eq!(ended.stdout, "");
    assert!(ended.stderr.starts_with("error: "), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("cannot be reached"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_negative_number_is_a_message() {
    let ended = agent(&["run", HELLO, "-5", "--offline"]).expect(0);
    assert!(ended.stdout.starts_with("💬 -5\n"), "{}", ended.stdout);
}

#[test]
fn selects_an_agent_by_name() {
    let folder = Folder::new();
    let two = ["alice", "bob"]
        .map(|name| agent_with_tools("sayHello").replacen('a', name, 1))
        .concat();
    let document = folder.file("two.gram", two);
    let ended = agent(&["run", &document, "Hello", "--offline"]).expect(2);
    assert!(
        ended.stderr.contains("--agent: alice, bob"),
        "{}",
        ended.stderr
    );
    let ended = agent(&["run", &document, "Hello", "--offline", "--agent", "alise"]).expect(2);
    assert!(
        ended.stderr.contains("did you mean `alice`?"),
        "{}",
        ended.stderr
    );
    agent(&["run", &document, "Hello", "--offline", "--agent", "bob"]).expect(0);
}

#[test]
fn does_not_run_a_document_with_errors() {
    let folder = Folder::new();
    let wrong = folder.file("wrong.gram", agent_with_tools("sayHelo"));
    let ended = agent(&["run", &wrong, "Hello", "--offline"]).expect(1);
    assert!(
        ended.stderr.contains("agent::unknown-tool"),
        "{}",
        ended.stderr
    );
    let tool = "[t:Tool {description: \"T.\"} | (x::Int)==>(::Int)]";
    let no_agent = folder.file("tool.gram", tool);
    let ended = agent(&["run", &no_agent, "Hello", "--offline"]).expect(1);
    assert!(ended.stderr.contains("no agent"), "{}", ended.stderr);
    let unbound = folder.file("unbound.gram", agent_with_tools(tool));
    let ended = agent(&["run", &unbound, "Hello", "--offline", "--format=json"]).expect(1);
    assert!(ended.stderr.contains("`t`"), "{}", ended.stderr);
    assert_eq!(ended.stdout, "");
}

#[test]
fn rejects_an_empty_message_before_sending() {
    let ended = agent(&["run", HELLO, "Hello", " ", "--offline"]).expect(2);
    assert_eq!(ended.stdout, "");
    assert!(ended.stderr.contains("empty"), "{}", ended.stderr);
}

#[test]
fn variables_fill_the_instruction() {
    let folder = Folder::new();
    let text = agent_with_tools("sayHello").replace("Help.", "Speak {{language}}.");
    let document = folder.file("agent.gram", text);
    let ended = agent(&["run", &document, "Hello", "--offline"]).expect(2);
    assert!(ended.stderr.contains("language"), "{}", ended.stderr);
    agent(&[
        "run",
        &document,
        "Hello",
        "--offline",
        "--var",
        "language=a=b",
    ])
    .expect(0);
}

#[test]
fn warns_about_unused_variables() {
    let folder = Folder::new();
    let text = agent_with_tools("sayHello").replace("Help.", "Speak {{language}} to {{user}}.");
    let document = folder.file("agent.gram", text);
    let run = |document: &str, variables: &[&str]| {
        let mut args = vec!["run", document, "Hello", "--offline"];
        args.extend(variables.iter().flat_map(|given| ["--var", given]));
        agent(&args).expect(0).stderr
    };
    let all = ["language=de", "user=Ada"];
    assert_eq!(run(&document, &all), "");
    assert_eq!(
        run(&document, &[&all[..], &["langauge=fr"]].concat()),
        "warning: `--var` gives `langauge` a value, but the instruction of `a` has no \
         `{{langauge}}`; did you mean `language`?\n"
    );
    let told = run(&document, &[&all[..], &["city=Vienna"]].concat());
    assert!(told.contains("; it has language, user\n"), "{told}");
    let told = run(HELLO, &["city=Vienna"]);
    assert!(told.contains("; it has no variables\n"), "{told}");
    // It is unknown which of the two is meant.
    let twice = [
        "run",
        HELLO,
        "Hi",
        "--offline",
        "--var",
        "who=x",
        "--var",
        "who=y",
    ];
    let ended = agent(&twice).expect(2);
    let text = "`--var` is given twice for `who`; leave one of them out";
    assert!(ended.stderr.contains(text), "{}", ended.stderr);
}

#[test]
fn help_says_that_history_excludes_conversation() {
    for command in ["run", "chat"] {
        let help = agent(&[command, "--help"]).expect(0).stdout;
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for text in ["Not with --conversation", "Not with --history"] {
            assert!(words.contains(text), "{help}");
        }
    }
}

#[test]
fn yes_makes_no_call_that_words_of_strangers_guard() {
    let document = "[a:Agent {instruction: \"Greet.\", model: \"OpenAI/gpt-6-luna\", whenTainted: \"approve\"} |
        [sayHello:Tool {description: \"Returns a friendly greeting message for the given name\", sends: true} |
            (personName::Text {default: \"world\"})==>(::String)]]";
    let folder = Folder::new();
    let document = folder.file("sends.gram", document);
    let args = ["run", &document, "Hello, I'm Ada", "--offline", "--yes"];
    let made = agent(&args).expect(0).stdout;
    assert!(made.contains("Nice to meet you."), "{made}");
    let denied = agent(&[&args[..], &["--untrusted"]].concat()).expect(1);
    for part in ["words of strangers", "`--yes` does not make such calls"] {
        assert!(denied.stdout.contains(part), "{part}: {}", denied.stdout);
    }
}

#[test]
fn a_denied_call_names_the_option_that_makes_it() {
    let folder = Folder::new();
    let document = folder.file("careful.gram", crate::support::careful_agent());
    let journal = format!("{}/runs.db", folder.path());
    let run = |code: i32, options: &[&str]| {
        let args = ["run", &document, "Hello, I'm Ada", "--offline"];
        agent(&[&args[..], options].concat()).expect(code).stderr
    };
    for options in [&[][..], &["--format", "json"], &["--format", "gram"]] {
        let told = run(1, options);
        for part in ["a call was denied", "`--yes`", "`agent run --journal FILE`"] {
            assert!(told.contains(part), "{part}: {told}");
        }
    }
    assert!(!run(0, &["--yes"]).contains("denied"));
    // With a journal, the run waits.
    let told = run(1, &["--journal", &journal]);
    assert!(
        told.contains("agent runs approve") && !told.contains("denied"),
        "{told}"
    );
    let (lines, output) = (
        folder.file("in.jsonl", "\"Hello, I'm Ada\""),
        format!("{}/out.jsonl", folder.path()),
    );
    let batch = [
        "run",
        &document,
        "--offline",
        "--batch",
        &lines,
        "--output",
        &output,
    ];
    let ended = agent(&batch).expect(1);
    assert!(
        ended.stderr.contains("a call was denied"),
        "{}",
        ended.stderr
    );
    std::fs::remove_file(&output).expect("the results");
    let ended = agent(&[&batch[..], &["--yes"]].concat()).expect(0);
    assert!(!ended.stderr.contains("denied"), "{}", ended.stderr);
}

#[test]
fn the_offline_model_is_named_when_it_gives_no_typed_answer() {
    let folder = Folder::new();
    let document =
        "[rate:Agent {instruction: \"Rate.\", model: \"OpenAI/m\"} | (text::Text)==>(::Int)]";
    let document = folder.file("rate.gram", document);
    let ended = agent(&["run", &document, "Hi", "--offline"]).expect(1);
    assert!(
        ended
            .stderr
            .contains("the offline model answers in place of the agent's own"),
        "{}",
        ended.stderr
    );
}

#[test]
fn rejects_invalid_models() {
    let ended = agent(&["run", HELLO, "Hello", "--model", "gpt-6-sol"]).expect(2);
    assert!(
        ended.stderr.contains("Provider/model-id"),
        "{}",
        ended.stderr
    );
    let ended = agent(&["run", HELLO, "Hello", "--model", "OpenAi/gpt-6-sol"]).expect(2);
    assert!(
        ended.stderr.contains("did you mean `OpenAI`?"),
        "{}",
        ended.stderr
    );
    agent(&["run", HELLO, "Hello", "--model", "Offline/rules"]).expect(0);
}

#[test]
fn tracing_goes_to_standard_error() {
    let ended = agent(&[
        "run",
        HELLO,
        "Hello",
        "--offline",
        "--debug",
        "--format=json",
    ])
    .expect(0);
    ended.json();
    assert!(ended.stderr.contains("execute_tool"), "{}", ended.stderr);
    assert!(!ended.stderr.contains('\u{1b}'), "{}", ended.stderr);
}
