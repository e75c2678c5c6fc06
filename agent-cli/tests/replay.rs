//! `agent replay`.

use crate::support::script::{Answer, Script};
use crate::support::{CommandOutput, Folder, agent, agent_with, agent_with_tools, command};
use serde_json::{Value, json};

const GREETING: &str = "[sayHello:Tool {description: \"Returns a friendly greeting message for the given name\"} | \
                        (personName::Text {default: \"world\"})==>(::String)]";

/// A recorded run, and the folder of its journal.
struct Recorded {
    folder: Folder,
    document: String,
    journal: String,
    run: String,
}

impl Recorded {
    /// Records a run of a document with the offline model.
    fn offline(document: &str) -> Self {
        Self::of(document, &["--offline"])
    }

    fn of(document: &str, options: &[&str]) -> Self {
        let folder = Folder::new();
        let journal = format!("{}/runs.db", folder.path());
        let document = folder.file("agent.gram", document);
        let mut arguments = vec!["run", &document, "Greet Ada", "--journal", &journal];
        arguments.extend(options);
        with_key(&arguments).expect(0);
        let list = ["runs", "list", "--format", "json", "--journal", &journal];
        let list = agent(&list).expect(0).json();
        let run = list[0]["run"].as_str().expect("an id").to_owned();
        Self {
            folder,
            document,
            journal,
            run,
        }
    }

    fn replay(&self, options: &[&str]) -> CommandOutput {
        let mut arguments = vec!["replay", &self.run[..8], "--journal", &self.journal];
        arguments.extend(options);
        with_key(&arguments)
    }

    /// Replays with the document, in which a text is replaced.
    fn with(&self, from: &str, to: &str, options: &[&str]) -> CommandOutput {
        let text = std::fs::read_to_string(&self.document).expect("a document");
        assert!(text.contains(from), "{from}");
        let changed = self.folder.file("new.gram", text.replacen(from, to, 1));
        let mut arguments = vec!["--with", &changed];
        arguments.extend(options);
        self.replay(&arguments)
    }
}

fn with_key(arguments: &[&str]) -> CommandOutput {
    let mut command = command(arguments);
    command.env("OPENAI_API_KEY", "sk-0123456789");
    CommandOutput::of(command.output().expect("the command starts"))
}

#[test]
fn the_same_agent_makes_the_same_requests() {
    let recorded = Recorded::offline(&agent_with_tools(GREETING));
    let same = recorded.replay(&[]).expect(0);
    assert_eq!(
        (same.stdout.as_str(), same.stderr.as_str()),
        ("2 requests are the same\n", "")
    );
    let same = recorded.replay(&["--with", &recorded.document]).expect(0);
    assert_eq!(same.stdout, "2 requests are the same\n");
    for (from, to) in [
        ("[a:Agent", "// A comment\n[a:Agent"),
        (
            "{instruction: \"Help.\", model: \"OpenAI/gpt-6-luna\"}",
            "{\n  model: \"OpenAI/gpt-6-luna\",\n  instruction: \"Help.\"\n}",
        ),
        ("{instruction", "{maxIterations: 7, instruction"),
        ("given name\"", "given name\", requiresApproval: true"),
    ] {
        let same = recorded.with(from, to, &[]).expect(0);
        assert_eq!(same.stdout, "2 requests are the same\n", "{to}");
    }
    let text = std::fs::read_to_string(&recorded.document).expect("a document");
    let arguments = [
        "replay",
        &recorded.run,
        "--with",
        "-",
        "--journal",
        &recorded.journal,
    ];
    let piped = agent_with(&arguments, text).expect(0);
    assert_eq!(piped.stdout, "2 requests are the same\n");
}

#[test]
fn the_first_request_that_differs_is_shown() {
    let recorded = Recorded::offline(&agent_with_tools(GREETING));
    let changed = recorded.with("Help.", "Help kindly.", &[]).expect(1);
    let (heading, diff) = changed.stdout.split_once('\n').expect("two lines");
    assert_eq!(
        heading,
        "request 1 of `a` differs from the recorded one in the instruction"
    );
    assert!(diff.starts_with("--- recorded\n+++ "), "{diff}");
    assert!(
        diff.contains("\n instruction:\n-  Help.\n+  Help kindly.\n"),
        "{diff}"
    );

    let json = recorded.with("a friendly greeting", "a greeting", &["--format", "json"]);
    let json = json.expect(1).json();
    assert_eq!(json["run"], recorded.run.as_str());
    assert_eq!(
        (&json["same"], &json["requests"]),
        (&json!(false), &json!(1))
    );
    let difference = &json["difference"];
    assert_eq!(difference["part"], "tool");
    assert_eq!(difference["name"], "sayHello");
    let (old, new) = (&difference["recorded"], &difference["new"]);
    assert!(old.as_str().is_some_and(|text| {
        text.ends_with("Returns a friendly greeting message for the given name")
    }));
    assert!(
        new.as_str()
            .is_some_and(|text| text.ends_with("Returns a greeting message for the given name"))
    );

    let model = recorded
        .with("gpt-6-luna", "gpt-6-sol", &[])
        .expect(1)
        .stdout;
    assert!(
        model.contains("\n-model: OpenAI/gpt-6-luna\n+model: OpenAI/gpt-6-sol\n"),
        "{model}"
    );
    let same = recorded.replay(&["--format", "json"]).expect(0).json();
    assert_eq!(same["difference"], Value::Null);
    assert_eq!(same["sentOtherwise"], json!([]));
}

#[test]
fn the_agent_is_the_one_of_the_recorded_name() {
    let recorded = Recorded::offline(&agent_with_tools(GREETING));
    let other = "[b:Agent {instruction: \"Other.\", model: \"OpenAI/gpt-6-luna\"}]\n[a:Agent";
    let same = recorded.with("[a:Agent", other, &[]).expect(0).stdout;
    assert_eq!(same, "2 requests are the same\n");
    let named = recorded
        .with("[a:Agent", other, &["--agent", "b"])
        .expect(1)
        .stdout;
    assert!(named.contains("+  Other."), "{named}");
}

#[test]
fn variables_are_recorded() {
    let document = "[a:Agent {instruction: \"Help in {{city}}.\", model: \"OpenAI/gpt-6-luna\"}]\n";
    let recorded = Recorded::of(document, &["--offline", "--var", "city=Ulm"]);
    recorded.replay(&["--with", &recorded.document]).expect(0);
    let changed = recorded.with("Help in", "Help near", &[]).expect(1).stdout;
    assert!(
        changed.contains("-  Help in Ulm.\n+  Help near Ulm."),
        "{changed}"
    );
    let missing = recorded.with("{{city}}", "{{town}}", &[]).expect(2).stderr;
    assert!(missing.contains("needs the variable `town`"), "{missing}");
    let given = recorded.with("{{city}}", "{{town}}", &["--var", "town=Ulm"]);
    assert_eq!(given.expect(0).stdout, "1 request is the same\n");
}

#[test]
fn a_live_run_gets_the_recorded_results() {
    let answers = [
        Answer::Call("sayHello", r#"{"personName": "Eve"}"#),
        Answer::Text(&["Done."]),
    ];
    let recording = Script::start(answers);
    let url = recording.base_url();
    let document = agent_with_tools(GREETING);
    let recorded = Recorded::of(&document, &["--base-url", &url, "--stream"]);
    recorded.replay(&[]).expect(0);

    for with_tools in [false, true] {
        let server = Script::start([Answer::Text(&["Hello."])]);
        let url = server.base_url();
        let mut options = vec!["--live", "--base-url", &url];
        if with_tools {
            options.push("--tools");
        }
        let live = recorded.replay(&options).expect(0).stdout;
        assert_eq!(
            live,
            "- 🛠️ sayHello {\"personName\":\"Eve\"} → Hello, Eve! Nice to meet you.\n- 🤖 Done.\n+ 🤖 Hello.\n"
        );
        assert_eq!(server.messages()[0][1]["content"], "Greet Ada");
    }
    // The offline model greets Ada.
    let offline = recorded.replay(&["--live", "--offline"]).expect(0).stdout;
    assert!(offline.contains("+ 🛠️ sayHello "), "{offline}");
    assert!(
        offline.contains("error: not made: this run repeats a recorded one"),
        "{offline}"
    );
    let made = recorded
        .replay(&["--live", "--offline", "--tools"])
        .expect(0)
        .stdout;
    assert!(
        made.contains("+ 🛠️ sayHello {\"personName\":\"Ada\"} → Hello, Ada!")
            && !made.contains("not made"),
        "{made}"
    );
    let json = recorded.replay(&["--live", "--offline", "--format", "json"]);
    let json = json.expect(0).json();
    let steps = json["steps"].as_array().expect("steps");
    assert_eq!(steps[0]["side"], "recorded");
    assert_eq!(steps[0]["result"], "Hello, Eve! Nice to meet you.");
    assert!(json["content"].is_string());
}

#[test]
fn a_live_run_with_equal_calls_is_the_same() {
    let recorded = Recorded::offline(&agent_with_tools(GREETING));
    let live = recorded.with("Help.", "Help kindly.", &["--live", "--offline"]);
    let live = live.expect(0).stdout;
    assert!(live.lines().all(|line| line.starts_with("= ")), "{live}");
}

#[test]
fn a_live_run_that_fails_has_exit_code_1() {
    let recorded = Recorded::offline(&agent_with_tools(GREETING));
    let server = Script::start([Answer::Refuse(400)]);
    let url = server.base_url();
    let failed = recorded.replay(&["--live", "--base-url", &url]).expect(1);
    assert!(
        failed.stdout.starts_with("- 🛠️ sayHello"),
        "{}",
        failed.stdout
    );
    assert!(failed.stderr.starts_with("error: "), "{}", failed.stderr);
    let mut without_key = command(&[
        "replay",
        &recorded.run,
        "--live",
        "--journal",
        &recorded.journal,
    ]);
    let output = CommandOutput::of(without_key.output().expect("the command starts"));
    assert!(output.expect(2).stderr.contains("OPENAI_API_KEY"));
}

#[test]
fn a_run_that_waits_is_replayed_and_so_is_one_that_was_approved() {
    let folder = Folder::new();
    let journal = format!("{}/runs.db", folder.path());
    let elements = GREETING.replace("given name\"", "given name\", requiresApproval: true");
    let document = folder.file("agent.gram", agent_with_tools(&elements));
    let run = [
        "run",
        &document,
        "Greet Ada",
        "--offline",
        "--journal",
        &journal,
    ];
    with_key(&run).expect(1);
    let list = ["runs", "list", "--format", "json", "--journal", &journal];
    let run = agent(&list).expect(0).json()[0]["run"]
        .as_str()
        .expect("an id")
        .to_owned();
    let replay = ["replay", &run, "--with", &document, "--journal", &journal];
    assert_eq!(agent(&replay).expect(0).stdout, "1 request is the same\n");
    let shown = agent(&["runs", "show", &run, "--journal", &journal])
        .expect(0)
        .stdout;
    let id = shown
        .rsplit_once('(')
        .expect("an id")
        .1
        .trim_end()
        .trim_end_matches(')');
    let approve = [
        "runs",
        "approve",
        &run,
        id,
        "--offline",
        "--journal",
        &journal,
    ];
    with_key(&approve).expect(0);
    assert_eq!(agent(&replay).expect(0).stdout, "2 requests are the same\n");
}

#[test]
fn tools_that_the_command_does_not_have_are_replayed() {
    // As a program with its own tools recorded it: the spec is in the journal.
    let elements = "[sayHello:Tool {description: \"Returns a friendly greeting message for the given name\"} | \
                    (personName::Text {default: \"world\"})==>(::String)], \
                    [pay:Tool {description: \"Pays\"} | (sum::Integer)==>(::String)]";
    let recorded = Recorded::offline(&agent_with_tools(GREETING));
    let changed = recorded.folder.file("pay.gram", agent_with_tools(elements));
    let told = recorded.replay(&["--with", &changed]).expect(1).stdout;
    assert!(
        told.starts_with("request 1 of `a` has the tool `pay` now\n"),
        "{told}"
    );
    assert!(
        told.contains("\n+tool pay:\n+  (sum::Int)==>(::String)\n+  Pays\n"),
        "{told}"
    );
}

#[test]
fn mistakes_are_named() {
    let recorded = Recorded::offline(&agent_with_tools(GREETING));
    let none = agent(&["replay", "4f1c", "--journal", "none.db"]);
    let none = none.expect(2).stderr;
    assert!(none.contains("there is no journal `none.db`"), "{none}");
    let unknown = agent(&["replay", "zz", "--journal", &recorded.journal])
        .expect(2)
        .stderr;
    assert!(unknown.contains("the journal has no run `zz`"), "{unknown}");
    for options in [["--agent", "a"], ["--var", "a=b"]] {
        let alone = recorded.replay(&options).expect(2).stderr;
        assert!(alone.contains("--with"), "{alone}");
    }
    let alone = recorded.replay(&["--tools"]).expect(2).stderr;
    assert!(alone.contains("--live"), "{alone}");
    let wrong = recorded
        .with("(personName", "(personName::Text, personName", &[])
        .expect(1);
    assert!(wrong.stderr.contains("error"), "{}", wrong.stderr);
    let named = recorded
        .replay(&["--with", &recorded.document, "--agent", "b"])
        .expect(2)
        .stderr;
    assert!(named.contains("declares no agent `b`"), "{named}");
    let missing = recorded.replay(&["--with", "none.gram"]).expect(2).stderr;
    assert!(missing.contains("none.gram"), "{missing}");
}

#[test]
fn a_damaged_journal_is_an_error() {
    let recorded = Recorded::offline(&agent_with_tools(GREETING));
    let file = rusqlite::Connection::open(&recorded.journal).expect("a file");
    let changed = file.execute("UPDATE record SET json = replace(json, 'Ada', 'Eve')", []);
    assert!(changed.expect("it can be changed") > 0);
    drop(file);
    for options in [&[][..], &["--live", "--offline"]] {
        let error = recorded.replay(options).expect(2);
        assert!(
            error.stderr.contains("record 0 does not fit its checksum"),
            "{}",
            error.stderr
        );
        assert_eq!(error.stdout, "");
    }
}

#[test]
fn keys_are_masked() {
    let recorded = Recorded::offline(&agent_with_tools(GREETING));
    for options in [&[][..], &["--format", "json"]] {
        let told = recorded
            .with("Help.", "Help with sk-0123456789.", options)
            .expect(1);
        assert!(told.stdout.contains("Help with [key]."), "{}", told.stdout);
        assert!(!told.stdout.contains("sk-0123456789"), "{}", told.stdout);
    }
}
