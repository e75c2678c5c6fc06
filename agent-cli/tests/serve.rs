//! `agent serve`.

use crate::runs::{Clerk, GREETING};
use crate::support::script::Answer;
use crate::support::{Folder, agent, command};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStderr, Stdio};
use std::time::{Duration, Instant};

/// A server, which is killed at the end of a test.
struct Server {
    child: Child,
    address: String,
    /// Open, so that the server can write its log.
    log: BufReader<ChildStderr>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The answer to a request.
struct Answered {
    status: String,
    head: String,
    body: String,
}

impl Server {
    /// Starts a server at a free port, with these variables of the environment.
    fn start(args: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = command(&[&["serve"], args, &["--http", "0"]].concat());
        command.envs(variables.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut log = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        log.read_line(&mut line).expect("a line");
        let Some((_, address)) = line.trim().split_once(" at http://") else {
            let _ = log.read_to_string(&mut line);
            panic!("the server does not start: {line}");
        };
        let address = address.trim_end_matches('/').to_owned();
        Self {
            child,
            address,
            log,
        }
    }

    /// Starts a server of the agent that greets, with more options.
    fn of(clerk: &Clerk, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let url = clerk.server.base_url();
        let own = [
            &*clerk.document,
            "--journal",
            &clerk.journal,
            "--base-url",
            &url,
        ];
        let key = [("OPENAI_API_KEY", "sk-0123456789")];
        Self::start(&[&own, args].concat(), &[&key, variables].concat())
    }

    /// Sends a request with these headers, and reads the answer to its end.
    fn send(&self, request: &str, headers: &[&str], body: &str) -> Answered {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        let mut head = format!("{request} HTTP/1.1\r\nConnection: close\r\n");
        for header in headers {
            head.push_str(&format!("{header}\r\n"));
        }
        if !headers.iter().any(|header| header.starts_with("Host:")) {
            head.push_str("Host: localhost\r\n");
        }
        let length = body.len();
        head.push_str(&format!(
            "Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        ));
        stream
            .write_all(head.as_bytes())
            .expect("the request is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        Answered {
            status: head.split(' ').nth(1).unwrap_or_default().to_owned(),
            head: head.to_ascii_lowercase(),
            body: body.to_owned(),
        }
    }

    fn get(&self, path: &str, token: &str) -> Answered {
        self.send(&format!("GET {path}"), &[&bearer(token)], "")
    }

    fn post(&self, path: &str, token: &str, body: &Value) -> Answered {
        self.send(
            &format!("POST {path}"),
            &[&bearer(token)],
            &body.to_string(),
        )
    }
}

fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}")
}

impl Answered {
    #[track_caller]
    fn expect(self, status: &str, text: &str) -> Self {
        let Self { head, body, .. } = &self;
        assert_eq!(self.status, status, "{head}\n\n{body}");
        assert!(body.contains(text), "no {text:?}: {head}\n\n{body}");
        self
    }

    /// Expects problem details, which no program mistakes for an answer.
    #[track_caller]
    fn expect_problem(self, status: &str, text: &str) -> Self {
        let problem = self.expect(status, text);
        let head = &problem.head;
        assert!(
            head.contains("content-type: application/problem+json"),
            "{head}"
        );
        problem
    }

    /// Returns the id of the run.
    fn run(&self) -> String {
        let mut lines = self.head.lines();
        let run = lines.find_map(|line| line.strip_prefix("x-run-id: "));
        run.expect("the id of a run").to_owned()
    }
}

/// An agent whose call requires approval, and a model that makes the call and then answers.
fn greeter() -> Clerk {
    let answers = [
        Answer::Call("sayHello", r#"{"personName": "Ada"}"#),
        Answer::Text(&["Ada is greeted."]),
    ];
    Clerk::new(GREETING, answers)
}

fn approval() -> Value {
    json!({"decisions": {"c1": {"type": "approve"}}})
}

#[test]
fn a_run_is_streamed_and_kept_in_the_usual_journal() {
    let folder = Folder::new();
    let data = [("XDG_DATA_HOME", &*folder.path())];
    let mut server = Server::start(&["agents/hello.gram", "--offline"], &data);
    let message = json!({"message": "Hello, I'm Ada", "conversation": "first"});
    let streamed = server.post("/hello_world_agent/runs", "", &message);
    let streamed = streamed.expect("200", r#""type":"finished""#);
    assert!(
        streamed.head.contains("content-type: text/event-stream"),
        "{}",
        streamed.head
    );
    server
        .get("/conversations/first", "")
        .expect("200", "Hello, I'm Ada");
    server.get("/ready", "").expect("200", "true");

    let mut list = command(&["runs", "list", "--format", "json"]);
    let list = list.envs(data).output().expect("the command starts");
    let list: Value = serde_json::from_slice(&list.stdout).expect("a list");
    assert_eq!(list[0]["run"], *streamed.run(), "{list}");
    assert_eq!(list[0]["state"], "done", "{list}");

    #[cfg(unix)]
    {
        let id = server.child.id().to_string();
        let kill = std::process::Command::new("kill").arg(&id).status();
        assert!(kill.expect("the command `kill`").success());
        let ended = server.child.wait().expect("it ends");
        let mut log = String::new();
        server.log.read_to_string(&mut log).expect("a log");
        assert_eq!((ended.code(), log.as_str()), (Some(0), ""));
    }
}

#[test]
fn a_call_is_decided_after_the_server_was_killed() {
    let clerk = greeter();
    let mut first = Server::of(&clerk, &[], &[]);
    let message = json!({"message": "Greet Ada", "conversation": "greetings"});
    let waiting = first
        .post("/a/runs", "", &message)
        .expect("200", r#""type":"waiting""#);
    first.child.kill().expect("SIGKILL");
    first.child.wait().expect("it ends");

    let second = Server::of(&clerk, &[], &[]);
    second
        .get("/conversations/greetings", "")
        .expect("200", "sayHello");
    let decisions = format!("/runs/{}/decisions", waiting.run());
    let finished = second.post(&decisions, "", &approval());
    finished
        .expect("200", "Ada is greeted.")
        .expect("200", r#""type":"finished""#);
    second
        .post(&decisions, "", &approval())
        .expect_problem("409", "c1");
    assert_eq!(clerk.only_run()["state"], "done");
}

#[test]
fn a_run_that_was_killed_goes_on_when_the_server_starts_again() {
    let answers = [Answer::Hang("Half"), Answer::Text(&["The whole."])];
    let clerk = Clerk::new(GREETING, answers);
    let first = Server::of(&clerk, &[], &[]);
    let mut stream = TcpStream::connect(&first.address).expect("a connection");
    let body = r#"{"message": "Hello"}"#;
    let request = format!(
        "POST /a/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream
        .write_all(request.as_bytes())
        .expect("the request is sent");
    let mut head = BufReader::new(stream).lines().map_while(Result::ok);
    let run = head.find_map(|line| line.strip_prefix("x-run-id: ").map(str::to_owned));
    let run = run.expect("the id of a run");
    assert!(head.any(|line| line.contains("Half")));
    drop(first);

    let second = Server::of(&clerk, &[], &[]);
    let events = second.get(&format!("/runs/{run}/events"), "");
    events
        .expect("200", "The whole.")
        .expect("200", r#""type":"finished""#);
}

#[test]
fn owners_see_their_own_and_a_clerk_decides() {
    let clerk = greeter();
    let tokens = [("ADA", "token-a"), ("BOB", "token-b"), ("CLEO", "token-c")];
    let options = [
        "--token-env",
        "ADA",
        "--token-env",
        "BOB",
        "--token-env",
        "CLEO",
    ];
    let server = Server::of(
        &clerk,
        &[&options[..], &["--may-decide", "Cleo"]].concat(),
        &tokens,
    );
    for token in ["", "token", "token-a2"] {
        let refused = server
            .get("/conversations", token)
            .expect_problem("401", "token");
        assert!(
            refused.head.contains("www-authenticate: bearer"),
            "{}",
            refused.head
        );
    }
    let message = json!({"message": "Greet Ada", "conversation": "greetings"});
    let waiting = server.post("/a/runs", "token-a", &message);
    let run = waiting.expect("200", r#""type":"waiting""#).run();
    assert_eq!(clerk.only_run()["owner"], "ada");
    let (events, decisions) = (
        format!("/runs/{run}/events"),
        format!("/runs/{run}/decisions"),
    );
    for token in ["token-b", "token-c"] {
        server.get(&events, token).expect_problem("404", &run);
        server
            .get("/conversations/greetings", token)
            .expect_problem("404", "greetings");
        assert_eq!(
            server.get("/conversations", token).expect("200", "").body,
            "[]"
        );
    }
    assert_eq!(
        server.get("/waiting", "token-b").expect("200", "").body,
        "[]"
    );
    server
        .post(&decisions, "token-b", &approval())
        .expect_problem("404", &run);
    server
        .post(&decisions, "token-a", &approval())
        .expect_problem("403", "may not decide");
    server.get("/waiting", "token-c").expect("200", &run);
    server
        .post(&decisions, "token-c", &approval())
        .expect("202", "");
    server
        .get(&events, "token-a")
        .expect("200", "Ada is greeted.");
}

#[test]
fn yes_makes_calls_without_a_decision() {
    let clerk = greeter();
    let server = Server::of(&clerk, &["--yes"], &[]);
    let streamed = server.post("/a/runs", "", &json!({"message": "Greet Ada"}));
    streamed.expect("200", "Ada is greeted.");
}

#[test]
fn runs_of_other_programs_are_left_alone() {
    let answers = [Answer::Hang("Half"), Answer::Text(&["Second."])];
    let clerk = Clerk::new(GREETING, answers);
    let arguments = clerk.run_arguments();
    let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    arguments.extend(["--stream", "--journal", &clerk.journal]);
    let mut run = command(&arguments);
    run.env("OPENAI_API_KEY", "sk-0123456789")
        .stderr(Stdio::null());
    let mut run = run
        .stdout(Stdio::null())
        .spawn()
        .expect("the command starts");
    let start = Instant::now();
    while clerk.server.messages().is_empty() {
        assert!(start.elapsed() < Duration::from_secs(60), "no request");
        std::thread::sleep(Duration::from_millis(5));
    }
    run.kill().expect("SIGKILL");
    run.wait().expect("it ends");

    let server = Server::of(&clerk, &[], &[]);
    let streamed = server.post("/a/runs", "", &json!({"message": "Hello"}));
    streamed.expect("200", "Second.");
    let list = clerk.runs(&["list", "--format", "json"]).expect(0).json();
    let states = |owner: &Value| {
        let runs = list.as_array().expect("runs").iter();
        let runs = runs.filter(|run| run["owner"] == *owner);
        runs.map(|run| run["state"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(states(&json!("local")), ["done"], "{list}");
    assert_eq!(states(&Value::Null), ["running"], "{list}");
}

#[test]
fn a_request_for_another_host_is_refused() {
    let folder = Folder::new();
    let journal = format!("{}/runs.db", folder.path());
    let options = ["agents/hello.gram", "--offline", "--journal", &journal];
    let server = Server::start(
        &[&options[..], &["--allow-host", "tools.example"]].concat(),
        &[],
    );
    let status = |host: &str| {
        let host = format!("Host: {host}");
        server.send("GET /health", &[&host], "").status
    };
    for (host, expected) in [
        (&*server.address, "200"),
        ("localhost:1", "200"),
        ("tools.example", "200"),
        ("evil.example", "403"),
        ("localhost.evil.example", "403"),
    ] {
        assert_eq!(status(host), expected, "{host}");
    }
    let refused = server.send("GET /conversations", &["Host: evil.example"], "");
    refused.expect_problem("403", "--allow-host");
}

#[test]
fn wrong_usage_has_the_exit_code_2() {
    let folder = Folder::new();
    let journal = format!("{}/runs.db", folder.path());
    let used = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = used.local_addr().expect("an address").port().to_string();
    let agent_of = |name: &str, model: &str| {
        let text = format!("[{name}:Agent {{instruction: \"Help.\", model: \"{model}\"}}]\n");
        folder.file(&format!("{name}.gram"), text)
    };
    let (one, other) = (
        agent_of("one", "OpenAI/gpt-6-luna"),
        agent_of("other", "Anthropic/claude-haiku-5-5"),
    );
    let reserved = agent_of("runs", "Offline/any");
    let hello = "agents/hello.gram";
    for (args, expected) in [
        (&["nothing.gram"][..], "nothing.gram"),
        (&[hello, "--http", &port], "another program has the port"),
        (&[hello, "--http", "0.0.0.0:0"], "no token is asked for"),
        (
            &[hello, "--token-env", "NONE"],
            "`NONE` of --token-env is not set",
        ),
        (
            &[hello, "--token-env", "ADA", "--token-env", "ada"],
            "names the owner `ada` twice",
        ),
        (
            &[hello, "--token-env", "ADA", "--token-env", "SAME"],
            "`ada` and `same` have the same token",
        ),
        (&[hello, "--may-decide", "ada"], "the owners are local"),
        (
            &[hello, "--token-env", "ADA", "--may-decide", "bob"],
            "the owners are ada",
        ),
        (
            &[hello, "--journal", "mysql://db/agents"],
            "a URL is one of PostgreSQL",
        ),
        (&[hello, "--wait-for-turn", "100000"], "86400"),
        (&[hello, "--per-owner-dollars", "0"], "dollars above 0"),
        (
            &[&one, &other, "--base-url", "http://127.0.0.1:1"],
            "models of OpenAI and Anthropic",
        ),
        (&[&one, &one], "two agents are named `one`"),
        (&[&reserved], "an agent cannot be named `runs`"),
    ] {
        let mut args = [&["serve"], args].concat();
        for (option, value) in [("--http", "0"), ("--journal", &*journal)] {
            if !args.contains(&option) {
                args.extend([option, value]);
            }
        }
        args.push("--offline");
        let mut command = command(&args);
        let tokens = [("ADA", "token-a"), ("ada", "token-b"), ("SAME", "token-a")];
        let ended = command.envs(tokens).output().expect("the command ends");
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(expected), "no {expected:?}: {stderr}");
        assert!(!stderr.contains("token-a"), "{stderr}");
    }
}

#[test]
fn a_document_without_agents_is_an_error() {
    let folder = Folder::new();
    let tools = agent(&["tools", "calculator"]).expect(0).stdout;
    let document = folder.file("tools.gram", tools);
    let ended = agent(&["serve", &document, "--http", "0"]).expect(1);
    assert!(
        ended.stderr.contains("declare no agent"),
        "{}",
        ended.stderr
    );
}

#[cfg(not(feature = "postgres"))]
#[test]
fn without_its_feature_postgres_is_refused_with_the_way_to_get_it() {
    let url = "postgres://ada:secret@127.0.0.1:1/agents";
    let args = [
        "serve",
        "agents/hello.gram",
        "--offline",
        "--http",
        "0",
        "--journal",
        url,
    ];
    let stderr = agent(&args).expect(2).stderr;
    assert!(stderr.contains("--features postgres"), "{stderr}");
    assert!(!stderr.contains("secret"), "{stderr}");
}
