//! `agent run --batch`.

use crate::support::script::{Answer, Script};
use crate::support::{CommandOutput, Folder, agent, agent_with, command};
use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

const GUIDE: &str = "[guide:Agent {instruction: \"Guide through {{city}}.\", model: \"OpenAI/m\"}]";

/// A folder with an agent and the paths of a batch.
struct Batch {
    folder: Folder,
    agent: String,
    input: String,
    output: String,
}

impl Batch {
    fn new(input: &str) -> Self {
        let folder = Folder::new();
        let agent = folder.file("guide.gram", GUIDE);
        let input = folder.file("in.jsonl", input);
        let output = format!("{}/out.jsonl", folder.path());
        Self {
            folder,
            agent,
            input,
            output,
        }
    }

    fn args<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        let fixed = [
            "run",
            &self.agent,
            "--batch",
            &self.input,
            "--output",
            &self.output,
        ];
        [&fixed[..], more].concat()
    }

    /// Runs the batch with the offline model.
    fn offline(&self, more: &[&str]) -> CommandOutput {
        agent(&self.args(&[&["--offline", "--var", "city=Ulm"], more].concat()))
    }

    /// Runs the batch, one input at a time, with these answers. Returns the number of requests, too.
    fn scripted(&self, answers: Vec<Answer>, more: &[&str]) -> (CommandOutput, usize) {
        let script = Script::start(answers);
        let base_url = script.base_url();
        let fixed = [
            "--base-url",
            &base_url,
            "--var",
            "city=Ulm",
            "--concurrency=1",
        ];
        let ended = agent(&self.args(&[&fixed, more].concat()));
        (ended, script.messages().len())
    }

    fn output(&self) -> String {
        fs::read_to_string(&self.output).expect("the output")
    }

    fn lines(&self) -> Vec<Value> {
        let lines = self.output();
        let lines = lines.lines();
        lines
            .map(|line| serde_json::from_str(line).expect("a line of JSON"))
            .collect()
    }

    /// The ids in the output, in order.
    fn ids(&self) -> Vec<String> {
        let lines = self.lines().into_iter();
        lines
            .map(|line| line["id"].as_str().expect("an id").to_owned())
            .collect()
    }
}

#[test]
fn each_line_has_a_result_and_a_second_start_skips_it() {
    let batch = Batch::new(
        "{\"id\": \"a\", \"input\": \"Where do I eat?\"}\n\
         \"Where do I sleep?\"\n\n\
         {\"input\": \"And then?\", \"variables\": {\"city\": \"Bonn\"}}\n",
    );
    let ended = batch.offline(&[]).expect(0);
    assert_eq!(
        (ended.stdout.as_str(), ended.stderr.as_str()),
        ("", "3 of 3 answered\n")
    );
    let mut ids = batch.ids();
    ids.sort_unstable();
    assert_eq!(ids, ["2", "4", "a"]);
    for line in batch.lines() {
        let members: Vec<&String> = line.as_object().expect("an object").keys().collect();
        assert_eq!(members, ["content", "id", "inputHash", "usage"], "{line}");
        assert_eq!(line["usage"]["requests"], 1);
    }
    let before = batch.output();
    let ended = batch.offline(&[]).expect(0);
    assert_eq!(ended.stderr, "3 of 3 answered (3 before)\n");
    assert_eq!(batch.output(), before);
}

#[test]
fn failed_inputs_are_recorded_and_sent_again() {
    let batch = Batch::new("\"one\"\n\"two\"\n\"three\"\n");
    let answers = vec![
        Answer::Text(&["First."]),
        Answer::Refuse(400),
        Answer::Text(&["Third."]),
    ];
    let prices = ["--price", "OpenAI/m=10,100"];
    let (ended, requests) = batch.scripted(answers, &prices);
    let ended = ended.expect(1);
    assert_eq!(requests, 3);
    let stderr: Vec<&str> = ended.stderr.lines().collect();
    assert!(
        stderr[0].starts_with("error: line 2: OpenAI at "),
        "{stderr:?}"
    );
    assert_eq!(
        stderr[1..],
        [
            "2 of 3 answered, 1 failed",
            "cost: at least $0.0040 (3 requests, 200 tokens sent, 20 written)"
        ]
    );
    let lines = batch.lines();
    assert_eq!(
        (&lines[0]["content"], &lines[0]["cost"]),
        (&"First.".into(), &0.002.into())
    );
    assert!(
        lines[1]["error"]
            .as_str()
            .is_some_and(|error| error.contains("400"))
    );
    assert_eq!(lines[2]["content"], "Third.");

    let (ended, requests) = batch.scripted(vec![Answer::Text(&["Second."])], &[]);
    assert_eq!(ended.expect(0).stderr, "3 of 3 answered (2 before)\n");
    assert_eq!(requests, 1);
    assert_eq!(batch.ids(), ["1", "2", "3", "2"]);
    assert_eq!(batch.lines()[3]["content"], "Second.");
}

/// Otherwise the next start with `--yes` would skip the line, although the agent did not do its work.
#[test]
fn a_line_with_a_denied_call_has_failed_and_is_sent_again() {
    const TOOL: &str = "[sayHello:Tool {description: \"Returns a friendly greeting message for the given name\", requiresApproval: true} | \
                        (personName::Text {default: \"world\"})==>(::String)]";
    let greeter =
        "[greeter:Agent {description: \"Greets\", instruction: \"Greet.\", model: \"OpenAI/m\"} | ";
    let nested = format!("{greeter}{TOOL}]");
    for (tool, calls) in [
        (TOOL, &["sayHello"][..]),
        (&nested, &["greeter", "sayHello"]),
    ] {
        let batch = Batch::new("\"one\"\n\"two\"\n");
        let agent =
            "[guide:Agent {instruction: \"Guide through {{city}}.\", model: \"OpenAI/m\"} | ";
        batch.folder.file("guide.gram", format!("{agent}{tool}]"));
        let mut answers = vec![Answer::Text(&["First."])];
        let called = calls.iter().map(|call| match *call {
            "greeter" => Answer::Call("greeter", "{\"message\":\"Greet\"}"),
            call => Answer::Call(call, "{}"),
        });
        let answered = calls.iter().map(|_| Answer::Text(&["Second."]));
        answers.extend(called.chain(answered));
        let (ended, _) = batch.scripted(answers, &[]);
        let ended = ended.expect(1);
        let denied =
            "a call of `sayHello` was denied, because it requires approval and nobody was asked";
        let stderr: Vec<&str> = ended.stderr.lines().collect();
        assert_eq!(
            stderr[..2],
            [
                format!("error: line 2: {denied}").as_str(),
                "1 of 2 answered, 1 failed"
            ]
        );
        assert!(
            stderr[2].contains("`--yes`") && stderr.len() == 3,
            "{stderr:?}"
        );
        let lines = batch.lines();
        assert_eq!(lines[0].get("error"), None);
        assert_eq!(
            (&lines[1]["content"], &lines[1]["error"]),
            (&"Second.".into(), &denied.into())
        );

        let answers = vec![Answer::Text(&["Done."])];
        let (ended, requests) = batch.scripted(answers, &["--yes"]);
        assert_eq!(ended.expect(0).stderr, "2 of 2 answered (1 before)\n");
        assert_eq!(
            (requests, batch.ids()),
            (1, vec!["1".into(), "2".into(), "2".into()])
        );
    }
}

#[test]
fn a_changed_line_is_sent_again() {
    let batch = Batch::new("\"one\"\n\"two\"\n");
    batch.offline(&[]).expect(0);
    batch.folder.file("in.jsonl", "\"one\"\n\"too\"\n");
    let ended = batch.offline(&[]).expect(0);
    let stderr: Vec<&str> = ended.stderr.lines().collect();
    assert!(
        stderr[0].starts_with("warning: inputs changed since"),
        "{stderr:?}"
    );
    assert!(
        stderr[0].ends_with("1 in all; they are sent again"),
        "{stderr:?}"
    );
    assert_eq!(stderr[1], "2 of 2 answered (1 before)");
    assert_eq!(batch.lines().len(), 3);
    // A result without a hash, such as one by hand, is one of any input.
    fs::write(
        &batch.output,
        "{\"id\": \"1\", \"content\": \"x\"}\n{\"content\": \"y\", \"id\": \"2\"}",
    )
    .expect("a file");
    let ended = batch.offline(&[]).expect(0);
    assert_eq!(ended.stderr, "2 of 2 answered (2 before)\n");
    assert!(batch.output().ends_with("\"2\"}\n"));
}

#[test]
fn wrong_lines_are_named_before_anything_is_sent() {
    let batch = Batch::new(
        "\"one\"\n{\"input\": \"two\", \"inputs\": 1}\n\n{\"input\": \n[]\n{\"x\": 1}\n",
    );
    let script = Script::start([Answer::Text(&["Never."])]);
    let base_url = script.base_url();
    let args = batch.args(&["--base-url", &base_url, "--var", "city=Ulm"]);
    let ended = agent(&args).expect(1);
    let name = &batch.input;
    assert_eq!(
        ended.stderr,
        format!(
            "error: {name}:2: `inputs` is no member of a line; did you mean `input`?\n\
             error: {name}:4:10: this is not JSON: the line ends before the value does; a `}}`, a `]` or a quote is \
             missing\n\
             error: {name}:5: a line is an object with the member `input`, or the input itself as a text in \
             quotes\n\
             error: {name}:6: `x` is no member of a line; its members are `id`, `input`, `arguments`, `attach`, \
             `variables`, `expected`\n"
        )
    );
    assert!(script.messages().is_empty());
    assert!(fs::metadata(&batch.output).is_err(), "no output is begun");
    // A variable without a value is a mistake of the line, too.
    let batch = Batch::new("{\"input\": \"a\", \"variables\": {\"city\": \"Ulm\"}}\n\"b\"\n");
    let ended = agent(&batch.args(&["--offline"])).expect(1);
    assert!(
        ended
            .stderr
            .contains("in.jsonl:2: `{{city}}` of the instruction has no value")
    );
    for empty in ["", "\n \n"] {
        let ended = Batch::new(empty).offline(&[]).expect(1);
        assert!(ended.stderr.contains("has no inputs"), "{}", ended.stderr);
    }
}

#[test]
fn at_most_ten_wrong_lines_are_shown() {
    let ended = Batch::new(&"7\n".repeat(30)).offline(&[]).expect(1);
    let lines: Vec<&str> = ended.stderr.lines().collect();
    assert_eq!(
        (lines.len(), lines[10]),
        (11, "error: 20 more lines are wrong")
    );
}

#[test]
fn an_answer_is_recorded_without_hidden_characters() {
    let batch = Batch::new("\"one\"\n");
    const ANSWER: &str = "a\u{7f}\u{9b}2Jb\u{202e}c\u{2028}d\u{200b}\u{e0041}é";
    batch
        .scripted(vec![Answer::Text(&[ANSWER])], &[])
        .0
        .expect(0);
    assert_eq!(batch.lines()[0]["content"], ANSWER);
    let shown = "\"a\\u007f\\u009b2Jb\\u202ec\\u2028d\\u200b\\udb40\\udc41é\"";
    assert!(batch.output().contains(shown), "{}", batch.output());
    // It is found again.
    let ended = batch.offline(&[]).expect(0);
    assert_eq!(ended.stderr, "1 of 1 answered (1 before)\n");
}

#[test]
fn only_the_state_of_a_recorded_line_is_read() {
    let batch = Batch::new("\"one\"\n");
    let usage = format!("[{}0]", "0,".repeat(1_000_000));
    let deep = "[".repeat(1000) + &"]".repeat(1000);
    for other in ["1".to_owned(), "null".to_owned(), usage, deep] {
        let line = format!("{{\"id\":\"1\",\"content\":\"x\",\"usage\":{other}}}\n");
        fs::write(&batch.output, line).expect("a file");
        let ended = batch.offline(&[]).expect(0);
        assert_eq!(ended.stderr, "1 of 1 answered (1 before)\n");
    }
}

#[test]
fn a_torn_last_line_is_repaired() {
    for torn in [
        "{",
        "{\"id\":\"2\",\"content\":\"Hel",
        "{\"id\":\"2\"\0\0",
        "\0\0\0",
        "{\"i",
    ] {
        let batch = Batch::new("\"one\"\n\"two\"\n");
        batch.offline(&["--concurrency=1"]).expect(0);
        let whole = batch.output();
        let first = whole.split_inclusive('\n').next().expect("a line");
        fs::write(&batch.output, format!("{first}{torn}")).expect("a file");
        let ended = batch.offline(&[]).expect(0);
        let stderr: Vec<&str> = ended.stderr.lines().collect();
        assert!(
            stderr[0].ends_with("was not written completely, and is removed"),
            "{stderr:?}"
        );
        assert_eq!(stderr[1], "2 of 2 answered (1 before)");
        assert_eq!(batch.output(), whole, "{torn:?}");
    }
}

#[test]
fn a_file_of_somebody_else_is_left_alone() {
    for (text, line) in [
        ("Dear diary", 1),
        ("\0\0\0", 1),
        ("{", 1),
        ("{\"id\":", 1),
        ("{\"id\": 7, \"text\": \"x", 1),
        ("{\"id\": \"1\", \"content\": \"x\"}\nnotes\n", 2),
        ("[1, 2]\n", 1),
        ("{\"name\": \"x\"}", 1),
        ("{\"id\": \"1\", \"content\": 7}", 1),
        ("{\"id\": \"1\", \"error\": {}}\n", 1),
        (
            "{\"id\":\"1\",\"content\n{\"id\":\"2\",\"content\":\"x\"}\n",
            1,
        ),
    ] {
        let batch = Batch::new("\"one\"\n");
        fs::write(&batch.output, text).expect("a file");
        let ended = batch.offline(&[]).expect(2);
        let expected = format!("has no result of a batch on line {line}; name another file");
        assert!(ended.stderr.contains(&expected), "{}", ended.stderr);
        assert_eq!(batch.output(), text);
    }
    let mut batch = Batch::new("\"one\"\n");
    batch.output = batch.input.clone();
    assert!(batch.offline(&[]).expect(2).stderr.contains("on line 1"));
    batch.output = batch.folder.path();
    assert!(batch.offline(&[]).expect(2).stderr.contains("is no file"));
    if cfg!(target_os = "linux") {
        batch.output = "/proc/version".to_owned();
        assert!(batch.offline(&[]).expect(2).stderr.contains("is no file"));
    }
    batch.output = format!("{}/missing/out.jsonl", batch.folder.path());
    assert!(
        batch
            .offline(&[])
            .expect(2)
            .stderr
            .contains("cannot be used for the results")
    );
}

#[test]
fn a_configuration_error_stops_the_batch_and_is_not_recorded() {
    let batch = Batch::new("\"one\"\n\"two\"\n\"three\"\n");
    let (ended, requests) =
        batch.scripted(vec![Answer::Text(&["First."]), Answer::Refuse(401)], &[]);
    let ended = ended.expect(2);
    assert_eq!(requests, 2);
    assert!(
        ended
            .stderr
            .starts_with("1 of 3 answered\nerror: OpenAI at "),
        "{}",
        ended.stderr
    );
    assert_eq!(batch.ids(), ["1"]);
    // Without a key nothing is sent.
    let ended = agent(&batch.args(&["--var", "city=Ulm"])).expect(2);
    assert!(ended.stderr.contains("OPENAI_API_KEY"), "{}", ended.stderr);
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_done() {
    let batch = Batch::new("\"one\"\n\"two\"\n\"three\"\n");
    let script = Script::start([Answer::Text(&["First."]), Answer::Hang("")]);
    let base_url = script.base_url();
    let fixed = [
        "--base-url",
        &base_url,
        "--var",
        "city=Ulm",
        "--concurrency=1",
        "--debug",
    ];
    let mut child = command(&batch.args(&fixed))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // The debug output shows when the second request is sent.
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut shown = String::new();
    while !shown.contains("\"two\"") {
        let read = stderr.read_line(&mut shown).expect("a line");
        assert!(read > 0, "{shown}");
    }
    let kill = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.expect("a signal").success());
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut stderr, &mut rest).expect("the rest");
    assert_eq!(child.wait().expect("an end").code(), Some(130), "{rest}");
    assert!(
        rest.ends_with("1 of 3 answered\nstopped; start it again to continue\n"),
        "{rest}"
    );
    assert_eq!(batch.ids(), ["1"]);
    let answers = vec![Answer::Text(&["Second."]), Answer::Text(&["Third."])];
    let (ended, requests) = batch.scripted(answers, &[]);
    ended.expect(0);
    assert_eq!((requests, batch.ids().len()), (2, 3));
}

#[cfg(unix)]
#[test]
fn a_terminal_shows_one_line_of_progress() {
    use crate::support::terminal::Terminal;
    let batch = Batch::new(&"\"Hello\"\n".repeat(20));
    let mut terminal = Terminal::start(command(&batch.args(&["--offline", "--var", "city=Ulm"])));
    terminal.wait_for("0 of 20 answered");
    terminal.wait_for("\r\u{1b}[K20 of 20 answered\r\n");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn reads_the_inputs_from_standard_input() {
    let mut batch = Batch::new("");
    batch.input = "-".to_owned();
    let args = batch.args(&["--offline", "--var", "city=Ulm"]);
    agent_with(&args, "\"one\"\n").expect(0);
    assert_eq!(batch.ids(), ["1"]);
    batch.agent = "-".to_owned();
    let ended = agent_with(&batch.args(&["--offline"]), "").expect(2);
    assert!(
        ended.stderr.contains("can be read only once"),
        "{}",
        ended.stderr
    );
}

#[test]
fn rejects_options_that_do_not_fit_a_batch() {
    let batch = Batch::new("\"one\"\n");
    for more in [
        &["--history", "x.json"][..],
        &["--conversation", "ada"],
        &["--keep-turns", "3"],
        &["--stream"],
        &["--format", "json"],
        &["a message"],
        &["--concurrency", "0"],
        &["--requests-per-minute", "0"],
        &["--tokens-per-minute", "x"],
    ] {
        let ended = batch.offline(more).expect(2);
        let words = ["cannot be used with", "write a whole number, 1 or more"];
        assert!(
            words.iter().any(|text| ended.stderr.contains(text)),
            "{}",
            ended.stderr
        );
    }
    let ended = agent(&["run", &batch.agent, "--batch", &batch.input]).expect(2);
    assert!(ended.stderr.contains("--output <FILE>"), "{}", ended.stderr);
    let ended = agent(&["run", &batch.agent, "Hi", "--concurrency=2", "--offline"]).expect(2);
    assert!(ended.stderr.contains("--batch <FILE>"), "{}", ended.stderr);
    agent(&["run", &batch.agent]).expect(2);
}

#[test]
fn the_example_runs() {
    let folder = Folder::new();
    let output = format!("{}/greetings.jsonl", folder.path());
    let args = ["run", "agents/hello.gram", "--batch", "agents/names.jsonl"];
    let ended = agent(&[&args[..], &["--output", &output, "--offline"]].concat()).expect(0);
    assert_eq!(ended.stderr, "3 of 3 answered\n");
}

#[test]
fn limits_each_provider() {
    let batch = Batch::new(&"\"Hello\"\n".repeat(30));
    let options = [
        "--requests-per-minute=1000",
        "--tokens-per-minute=100000",
        "--concurrency=4",
    ];
    let ended = batch.offline(&options).expect(0);
    assert_eq!(ended.stderr, "30 of 30 answered\n");
}

#[test]
fn a_key_in_an_answer_is_masked() {
    let batch = Batch::new("\"one\"\n");
    let script = Script::start([Answer::Text(&["Your key is sk-test-12345678."])]);
    let base_url = script.base_url();
    let args = batch.args(&["--base-url", &base_url, "--var", "city=Ulm"]);
    let mut command = command(&args);
    command
        .env("OPENAI_API_KEY", "sk-test-12345678")
        .stdin(Stdio::null());
    CommandOutput::of(command.output().expect("the command starts")).expect(0);
    assert_eq!(batch.lines()[0]["content"], "Your key is [key].");
}

#[test]
fn standard_output_and_other_lines_are_no_record() {
    let batch = Batch::new("\"one\"\n");
    let ended = agent(&[
        "run",
        &batch.agent,
        "--batch",
        &batch.input,
        "--output",
        "-",
        "--offline",
        "--var",
        "city=Ulm",
    ]);
    let stderr = ended.expect(2).stderr;
    assert!(stderr.contains("`--output -` is no file"), "{stderr}");
    for other in [
        "{\"id\": \"zz\", \"other\": 1}\n",
        "{\"id\": \"1\", \"content\": null}\n",
    ] {
        fs::write(&batch.output, other).expect("a file");
        let stderr = batch.offline(&[]).expect(2).stderr;
        assert!(
            stderr.contains("has no result of a batch on line 1"),
            "{stderr}"
        );
        assert_eq!(batch.output(), other);
    }
}

#[test]
fn an_unknown_provider_is_explained_as_in_a_run() {
    let batch = Batch::new("\"one\"\n");
    let ended = agent(&batch.args(&["--var", "city=Ulm", "--model", "Nope/x"])).expect(2);
    assert!(
        ended
            .stderr
            .contains("there is no provider `Nope`; a server is given that name with"),
        "{}",
        ended.stderr
    );
}
