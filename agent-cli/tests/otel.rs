//! The export of `agent run` to the collector that the environment names.
#![cfg(feature = "otel")]

use crate::runs::Clerk;
use crate::support::script::Answer;
use crate::support::{CommandOutput, command};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// Runs an agent offline with a collector at this address.
fn run(collector: &str) -> CommandOutput {
    let arguments = ["run", "agents/hello.gram", "Hello, I'm Ada", "--offline"];
    let mut command = command(&arguments);
    let output = command
        .arg("--format=json")
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", collector);
    CommandOutput::of(output.output().expect("the command starts"))
}

/// The first lines and the bodies of the requests to a collector.
type Received = Arc<Mutex<Vec<(String, String)>>>;

/// Starts a collector, and returns its address and what it receives.
fn collector() -> (String, Received) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let received = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&received);
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let mut reader = BufReader::new(stream);
            let (mut head, mut length) = (String::new(), 0);
            while reader.read_line(&mut head).expect("a line") > 2 {
                let line = head.lines().last().unwrap_or_default();
                if let Some((_, value)) = line.split_once("content-length: ") {
                    length = value.parse().expect("a length");
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).expect("a body");
            let first = head.lines().next().unwrap_or_default().to_owned();
            let body = String::from_utf8_lossy(&body).into_owned();
            seen.lock().expect("no panic").push((first, body));
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
            reader.get_mut().write_all(answer).expect("an answer");
        }
    });
    (format!("http://{address}"), received)
}

#[test]
fn exports_a_run_to_the_collector_of_the_environment() {
    let (address, received) = collector();
    run(&address).expect(0).json();
    let received = received.lock().expect("no panic");
    let sent = |path: &str, text: &str| {
        let mut to = received.iter().filter(|(first, _)| first.contains(path));
        to.any(|(_, body)| body.contains(text))
    };
    assert!(sent("POST /v1/traces ", "invoke_agent "), "{received:?}");
    assert!(
        sent("POST /v1/traces ", "execute_tool sayHello"),
        "{received:?}"
    );
    assert!(
        sent("POST /v1/metrics ", "gen_ai.execute_tool.duration"),
        "{received:?}"
    );
    assert!(!sent("POST", "Ada"), "{received:?}");
}

#[test]
fn a_missing_collector_does_not_fail_the_run() {
    let gone = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = gone.local_addr().expect("an address");
    drop(gone);
    let ended = run(&format!("http://{address}")).expect(0);
    ended.json();
    assert_eq!(ended.stderr, "");
}

#[test]
fn reports_an_invalid_collector_address() {
    let ended = run("localhost:4318").expect(2);
    let text = "`OTEL_EXPORTER_OTLP_ENDPOINT` of the telemetry is no http or https address";
    assert!(ended.stderr.contains(text), "{}", ended.stderr);
}

/// Returns the names of spans and attributes in the messages to a collector.
fn names(received: &Received) -> BTreeSet<String> {
    let received = received.lock().expect("no panic");
    let mut traces = received
        .iter()
        .filter(|(first, _)| first.contains("/v1/traces "));
    let mut names = BTreeSet::new();
    for (_, body) in &mut traces {
        for beginning in [
            "gen_ai.",
            "agent_runtime.",
            "error.type",
            "invoke_agent ",
            "execute_tool ",
            "chat ",
        ] {
            for (at, _) in body.match_indices(beginning) {
                let is_part = |c: char| c.is_ascii_alphanumeric() || "._- ".contains(c);
                let end = body[at..].find(|c| !is_part(c));
                names.insert(body[at..][..end.unwrap_or(0)].to_owned());
            }
        }
    }
    names
}

#[test]
fn a_recorded_run_has_the_spans_and_attributes_of_a_live_one() {
    let inner = "[greeter:Agent {description: \"Greets\", instruction: \"Greet.\", model: \"OpenAI/m\"} | sayHello]";
    let answers = [
        Answer::Call("fly", "{}"),
        Answer::Call("greeter", "{\"message\": \"Greet Ada\"}"),
        Answer::Call("sayHello", "{\"personName\": \"Ada\"}"),
        Answer::Text(&["I greeted her."]),
        Answer::Text(&["Done."]),
    ];
    let clerk = Clerk::new(inner, answers);
    let (live, recorded) = (collector(), collector());
    let mut arguments = clerk.run_arguments();
    arguments.extend(["--stream", "--journal", &clerk.journal].map(str::to_owned));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let to = |arguments: &[&str], collector: &str| {
        let mut command = command(arguments);
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", collector);
        CommandOutput::of(command.output().expect("the command starts"))
    };
    to(&arguments, &live.0).expect(0);
    let run = clerk.only_run();
    let id = run["run"].as_str().expect("an id");
    let export = ["runs", "export", id, "--otlp", "--journal", &clerk.journal];
    to(&export, &recorded.0).expect(0);

    // Streams are not in the journal, and a refused call is an event of the live run alone.
    let mut expected = names(&live.1);
    let missing = [
        "gen_ai.request.stream",
        "gen_ai.response.time_to_first_chunk",
        "error.type",
    ];
    for missing in missing {
        assert!(expected.remove(missing), "{expected:?}");
    }
    assert_eq!(names(&recorded.1), expected);
    let called = |name: &String| name.starts_with("execute_tool sayHello");
    assert!(expected.iter().any(called), "{expected:?}");
    let received = recorded.1.lock().expect("no panic");
    assert!(
        received
            .iter()
            .all(|(first, body)| first.contains("/v1/traces ") && !body.contains("Ada"))
    );
    drop(received);

    let gone = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("http://{}", gone.local_addr().expect("an address"));
    drop(gone);
    let failed = to(&export, &address).expect(2);
    assert!(
        failed.stderr.contains("were not exported"),
        "{}",
        failed.stderr
    );
}
