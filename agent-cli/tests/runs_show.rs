//! The steps of a run in `agent runs show`.

use crate::runs::{Clerk, GREETING, text_of, with_key};
use crate::support::script::{Answer, Script};
#[cfg(target_os = "linux")]
use crate::support::{CommandOutput, Folder};
use agent_gram::Pattern;
use agent_runtime::AgentResponse;
use agent_runtime::response::ToolInvocation;

/// The lines of a run after the one about the run, without their times.
fn steps(clerk: &Clerk, more: &[&str]) -> Vec<String> {
    let run = clerk.only_run();
    let all = [&["show", text_of(&run["run"])], more].concat();
    let shown = clerk.runs(&all).expect(0).stdout;
    let lines = shown.lines().skip(1);
    let without_time = |line: &str| match line.split_once(" s  ") {
        Some((time, text)) if time.trim().parse::<f64>().is_ok() => text.trim_start().to_owned(),
        _ => line.to_owned(),
    };
    lines.map(without_time).collect()
}

#[test]
fn no_further_line_of_a_text_looks_like_a_step() {
    const IMITATION: &str =
        "Fine.\n     0.1 s  🛠️ pay {} → paid\n📎 image `a.png`\n🛠️ pay {} needs approval (c1)";
    let clerk = Clerk::new(GREETING, [Answer::Text(&[IMITATION])]);
    clerk.run().expect(0);
    let run = clerk.only_run();
    let shown = clerk.runs(&["show", text_of(&run["run"])]).expect(0).stdout;
    let lines: Vec<&str> = shown.lines().skip(2).collect();
    assert_eq!(lines.len(), 4, "{shown}");
    assert!(lines[0].ends_with(" 🤖 Fine."), "{shown}");
    // A row of a terminal that continues a line begins with blanks.
    assert!(
        lines[0].starts_with(|c: char| c.is_ascii_digit()),
        "{shown}"
    );
    for line in &lines[1..] {
        assert!(line.starts_with(&" ".repeat(15)), "{shown}");
    }
}

#[test]
fn refused_calls_and_called_agents_have_a_line() {
    let inner = "[greeter:Agent {description: \"Greets\", instruction: \"Greet.\", \
                 model: \"OpenAI/gpt-6-luna\"}]";
    let elements = format!("{GREETING}, {inner}");
    let answers = [
        Answer::Call("fly", "{}"),
        Answer::Call("sayHello", "{\"personName\": 7}"),
        Answer::Call("greeter", "{\"message\": \"Greet Ada\"}"),
        Answer::Text(&["I greeted ", "her."]),
        Answer::Text(&["Done."]),
    ];
    let clerk = Clerk::new(&elements, answers);
    clerk.run().expect(0);
    let lines = steps(&clerk, &[]);
    assert_eq!(
        lines,
        [
            "💬 Greet Ada",
            "🤖 (100 tokens → 10)",
            "🛠️ fly {} → error: the agent has no such tool",
            "🤖 (100 tokens → 10)",
            "🛠️ sayHello {\"personName\": 7} → error: the arguments were refused: `$.personName`: \
             expected Text, found the number 7",
            "🤖 (100 tokens → 10)",
            "🤖 a/greeter: I greeted her. (100 tokens → 10)",
            "🛠️ greeter {\"message\": \"Greet Ada\"} → I greeted her.",
            "🤖 Done. (100 tokens → 10)",
        ]
    );
}

#[test]
fn calls_through_the_search_of_tools_are_those_of_the_tools() {
    let answers = [
        Answer::Call("searchTools", "{\"query\": \"quantum\"}"),
        Answer::Call("callTool", "{\"name\": \"fly\"}"),
        Answer::Call(
            "callTool",
            "{\"name\": \"sayHello\", \"arguments\": {\"personName\": \"Ada\"}}",
        ),
        Answer::Text(&["Done."]),
    ];
    let clerk = Clerk::new(GREETING, answers);
    let text = std::fs::read_to_string(&clerk.document).expect("the document");
    let text = text.replacen("model:", "toolSearch: true, model:", 1);
    std::fs::write(&clerk.document, text).expect("the document");
    let paused = clerk.run();
    assert!(paused.stderr.contains("sayHello"), "{}", paused.stderr);
    let run = clerk.only_run();
    let waiting = steps(&clerk, &[]);
    let last = waiting.last().expect("a line");
    assert!(
        last.starts_with("🛠️ sayHello {\"personName\": \"Ada\"} needs approval"),
        "{waiting:?}"
    );
    let (_, id) = last.rsplit_once('(').expect("an id");
    let id = id.trim_end_matches(')');
    clerk.runs(&["approve", text_of(&run["run"]), id]).expect(0);
    let lines = steps(&clerk, &[]);
    let asks = "🤖 (100 tokens → 10)";
    let searched = "🛠️ searchTools {\"query\": \"quantum\"} → no tool fits these words; search with other words";
    assert_eq!(
        lines,
        [
            "💬 Greet Ada",
            asks,
            searched,
            asks,
            "🛠️ fly {} → error: the agent has no such tool",
            asks,
            "decision on call_3: approve of 🛠️ sayHello {\"personName\": \"Ada\"}",
            "🛠️ sayHello {\"personName\": \"Ada\"} → Hello, Ada! Nice to meet you.",
            "🤖 Done. (100 tokens → 10)",
        ]
    );
}

#[test]
fn a_typed_answer_is_an_answer_and_no_call() {
    let answers = [
        Answer::Call("finalAnswer", "{\"answer\": \"many\"}"),
        Answer::Call("finalAnswer", "{\"answer\": 3}"),
    ];
    let clerk = Clerk::new("(message::Text)==>(::Int)", answers);
    clerk.run().expect(0);
    let lines = steps(&clerk, &[]);
    assert_eq!(
        lines,
        [
            "💬 Greet Ada",
            "🤖 (100 tokens → 10)",
            "🛠️ finalAnswer {\"answer\": \"many\"} → error: the answer was refused",
            "🤖 {\"answer\": 3} (100 tokens → 10)",
        ]
    );
}

#[test]
fn an_error_is_printed_once_and_attached_files_are_named() {
    let clerk = Clerk::new(GREETING, [Answer::Refuse(400)]);
    let photo = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
    let photo = clerk.folder.file("photo.png", photo);
    let mut arguments = clerk.run_arguments();
    arguments.extend(["--attach", &photo, "--journal", &clerk.journal].map(str::to_owned));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let refused = with_key(&arguments);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    let lines = steps(&clerk, &[]);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!(lines[0], "💬 Greet Ada");
    assert_eq!(
        lines[1].trim_start(),
        "📎 image `photo.png` (image/png, 24 bytes)"
    );
    assert!(lines[2].starts_with("error: "), "{lines:?}");
}

#[test]
fn dollars_are_shown_where_the_price_is_known() {
    let clerk = Clerk::new(GREETING, [Answer::Text(&["Hello."])]);
    clerk.run().expect(0);
    for (price, shown) in [
        (
            "OpenAI/gpt-6-luna=10000,20000",
            "🤖 Hello. (100 tokens → 10, $1.2000)",
        ),
        (
            "OpenAI/gpt-6-sol=10000,20000",
            "🤖 Hello. (100 tokens → 10)",
        ),
    ] {
        assert_eq!(steps(&clerk, &["--price", price])[1], shown);
    }
}

#[test]
fn a_run_is_written_as_gram() {
    let answers = [
        Answer::Call("fly", "{\"to\": null}"),
        Answer::Call("sayHello", "{\"personName\": \"Ada\"}"),
        Answer::Text(&["Done."]),
    ];
    let clerk = Clerk::new(GREETING, answers);
    clerk.run().expect(1);
    let run = clerk.only_run();
    let id = text_of(&run["run"]);
    let gram = |more: &[&str]| {
        let all = [&["show", id, "--format", "gram"], more].concat();
        let text = clerk.runs(&all).expect(0).stdout;
        let mut patterns = agent_gram::parse_patterns(&text).expect("gram");
        assert_eq!(patterns.len(), 1, "{text}");
        patterns.remove(0)
    };
    let labels = |pattern: &Pattern| -> Vec<String> {
        let all = pattern.filter(|found| !found.subject().labels.is_empty());
        all.map(|found| found.subject().labels[0].to_string())
            .collect()
    };
    let paused = gram(&[]);
    assert_eq!(
        labels(&paused),
        [
            "Run",
            "Message",
            "AgentResponse",
            "ToolInvocation",
            "AgentResponse",
            "PendingCall"
        ]
    );
    clerk.runs(&["approve", id, "call_2"]).expect(0);
    let ended = gram(&["--price", "OpenAI/gpt-6-luna=10000,20000"]);
    assert_eq!(
        labels(&ended),
        [
            "Run",
            "Message",
            "AgentResponse",
            "ToolInvocation",
            "AgentResponse",
            "ToolInvocation",
            "Decision",
            "AgentResponse"
        ]
    );
    let read: Vec<AgentResponse> = ended
        .elements()
        .iter()
        .filter_map(|element| AgentResponse::from_pattern(element).ok())
        .collect();
    assert_eq!(read.len(), 3);
    let refused: &ToolInvocation = &read[0].tools_used[0];
    assert_eq!((refused.tool.as_str(), refused.attempt), ("fly", 1));
    assert!(refused.args["to"].is_null() && refused.result.is_err());
    let greeted: &ToolInvocation = &read[1].tools_used[0];
    assert_eq!(
        greeted.result.as_ref().expect("a greeting"),
        "Hello, Ada! Nice to meet you."
    );
    assert_eq!(
        (read[2].content.as_str(), read[2].usage.input_tokens),
        ("Done.", 100)
    );
    assert_eq!(read[2].cost, Some(1.2));
}

#[test]
fn a_run_that_waits_is_a_document_for_programs() {
    let clerk = Clerk::new(GREETING, []);
    for (format, expected) in [("json", "\"waiting\": {"), ("gram", "[:WaitingRun {run: ")] {
        let server = Script::start([Answer::Call("sayHello", "{\"personName\": \"Ada\"}")]);
        let (url, journal) = (server.base_url(), format!("{}-{format}", clerk.journal));
        let arguments = [
            "run",
            &clerk.document,
            "Greet Ada",
            "--stream",
            "--format",
            format,
        ];
        let more = ["--base-url", &url, "--journal", &journal];
        let paused = with_key(&[&arguments[..], &more].concat()).expect(1);
        assert!(paused.stdout.contains(expected), "{}", paused.stdout);
        if format == "json" {
            let waiting = paused.json()["waiting"].clone();
            let list = with_key(&["runs", "list", "--format", "json", "--journal", &journal]);
            assert_eq!(waiting["run"], list.json()[0]["run"]);
            let call = &waiting["calls"][0];
            assert_eq!(
                (text_of(&call["callId"]), text_of(&call["tool"])),
                ("c1", "sayHello")
            );
            assert_eq!(
                (&call["args"]["personName"], &call["inDoubt"]),
                (&"Ada".into(), &false.into())
            );
        }
    }
}

/// Creates a journal with a run that has these records.
#[cfg(target_os = "linux")]
fn journal_of(folder: &Folder, records: &[String]) -> String {
    use agent_runtime::journal::{Commit, Journal as _, Record, RunInfo};
    let path = format!("{}/large.db", folder.path());
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    tokio.block_on(async {
        let journal = agent_store::SqliteJournal::open(&path).await;
        let journal = journal.expect("a journal");
        let lease = journal.begin("large");
        let mut last = Record::first_checksum();
        let sealed = (0..).zip(records).map(|(position, json)| {
            let record = Record::sealed("large", position, json.as_str(), &last);
            last = *record.checksum();
            record
        });
        let commit = Commit::new(0, sealed.collect(), RunInfo::new("large", "a"));
        journal.append(&lease, commit).await.expect("appended");
        journal.release(&lease);
    });
    path
}

/// Each journal took several hundred megabytes: one for all its values, the other for the copies of its one text. Without
/// `MALLOC_ARENA_MAX`, the GNU C library reserves addresses for each thread, which the limit counts.
#[cfg(target_os = "linux")]
#[test]
fn a_run_is_shown_with_little_memory() {
    let call = |value: &str| {
        format!(
            "{{\"kind\":\"callFinished\",\"run\":\"\",\"call\":\"c\",\"at\":1,\"outcome\":{{\"result\":{{\"value\":{value}}}}}}}"
        )
    };
    let objects = format!("[{}0]", "{\"\":0},".repeat(30_000));
    let said =
        serde_json::json!({"kind": "callFinished", "at": 1, "ignored": "x".repeat(1_000_000)});
    for (format, records) in [
        ("json", vec![call(&objects); 20]),
        ("human", vec![said.to_string(); 110]),
    ] {
        let folder = Folder::new();
        let journal = journal_of(&folder, &records);
        let script = format!(
            "ulimit -v 300000; MALLOC_ARENA_MAX=1 exec '{}' runs show large --format {format} --journal '{journal}' >/dev/null",
            env!("CARGO_BIN_EXE_agent")
        );
        let mut shell = std::process::Command::new("sh");
        let shown = shell.args(["-c", &script]).output().expect("a shell");
        CommandOutput::of(shown).expect(0);
    }
}

/// In a damaged journal. Each of the calls had a copy of the answer to the first one.
#[cfg(target_os = "linux")]
#[test]
fn calls_with_the_id_of_an_earlier_call_do_not_get_its_answer() {
    let reply = |place: &str, text: &str, calls: &[&str]| {
        let calls = calls
            .iter()
            .map(|id| serde_json::json!({"id": id, "tool": "sub", "argsText": "{}"}));
        let calls: Vec<_> = calls.collect();
        serde_json::json!({"kind": "replied", "run": place, "at": 1, "content": text, "toolCalls": calls}).to_string()
    };
    let ended = serde_json::json!({"kind": "agentEnded", "run": "c", "at": 1}).to_string();
    let answer = "x".repeat(1_000_000);
    let mut records = vec![reply("", "", &["c"]), reply("c", &answer, &[])];
    for _ in 0..400 {
        records.extend([ended.clone(), reply("", "", &["c"])]);
    }
    let folder = Folder::new();
    let journal = journal_of(&folder, &records);
    let script = format!(
        "ulimit -v 300000; MALLOC_ARENA_MAX=1 exec '{}' runs show large --journal '{journal}'",
        env!("CARGO_BIN_EXE_agent")
    );
    let mut shell = std::process::Command::new("sh");
    let shown = shell.args(["-c", &script]).output().expect("a shell");
    let shown = CommandOutput::of(shown).expect(0).stdout;
    assert_eq!(shown.matches("sub {} → xxx").count(), 1);
    assert_eq!(shown.matches("sub {} → ended").count(), 399);
}
