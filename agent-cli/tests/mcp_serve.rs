//! `agent mcp serve`.

use crate::runs::{Clerk, GREETING};
use crate::support::script::Answer;
use crate::support::{CommandOutput, Folder, agent, agent_with, command};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

/// Two agents, of which one calls the other.
const SUPPORT: &str = r#"[support:Agent {description: "Helps", instruction: "Help.", model: "OpenAI/gpt-6-luna"} |
  [billing:Agent {description: "Knows invoices", instruction: "Answer.", model: "OpenAI/gpt-6-luna"}]
]
"#;

/// Returns a request of the revision 2026-07-28.
fn request(id: u32, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Sends requests to a server, one after another, and closes its standard input.
fn serve(args: &[&str], requests: &[Value]) -> (Vec<Value>, CommandOutput) {
    let args = [&["mcp", "serve"], args].concat();
    let lines: String = requests.iter().map(|line| format!("{line}\n")).collect();
    let ended = agent_with(&args, lines);
    // Nothing but messages.
    let answers = ended
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")));
    let mut answers: Vec<Value> = answers.collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    (answers, ended)
}

fn names(answer: &Value) -> Vec<&str> {
    let tools = answer["result"]["tools"]
        .as_array()
        .expect("a list of tools");
    let names = tools.iter().map(|tool| tool["name"].as_str());
    names.map(|name| name.expect("a name")).collect()
}

#[test]
fn a_tool_is_served_as_its_document_has_it() {
    let folder = Folder::new();
    let document = |returns: &str| {
        folder.file(
            "tools.gram",
            format!(
                "[sayHello:Tool {{description: \"Returns a friendly greeting message for the given name\", \
                 requiresApproval: true}} | (personName::Text {{default: \"world\", maxLength: 5}})==>({returns})]"
            ),
        )
    };
    let call = |name: &str| json!({"name": "sayHello", "arguments": {"personName": name}});
    let requests = [
        request(1, "tools/call", call("Ada")),
        request(2, "tools/call", call("Augusta")),
    ];
    let tools = document("::String");
    // The client cannot ask its user.
    let (answers, ended) = serve(&[&tools], &requests);
    ended.expect(0);
    assert_eq!(answers[0]["error"]["code"], -32021, "{answers:?}");
    let (answers, _) = serve(&[&tools, "--yes"], &requests);
    assert_eq!(
        answers[0]["result"]["content"][0]["text"],
        "Hello, Ada! Nice to meet you."
    );
    assert_eq!(answers[1]["result"]["isError"], true, "{answers:?}");
    let (answers, ended) = serve(&[&document("::Int")], &requests);
    assert!(answers.is_empty() && ended.code == 1, "{answers:?}");
    assert!(
        ended.stderr.contains("cannot be served"),
        "{}",
        ended.stderr
    );
}

#[test]
fn an_agent_is_served_on_standard_input_and_output() {
    let call = json!({"name": "hello_world_agent", "arguments": {"message": "Hello, I'm Ada"}});
    let requests = [
        request(1, "tools/list", json!({})),
        request(2, "tools/call", call),
    ];
    let (answers, ended) = serve(&["agents/hello.gram", "--offline"], &requests);
    ended.expect(0);
    assert_eq!(names(&answers[0]), ["hello_world_agent"]);
    let text = answers[1]["result"]["content"][0]["text"].as_str().unwrap();
    let run = agent(&[
        "run",
        "agents/hello.gram",
        "Hello, I'm Ada",
        "--offline",
        "--format",
        "json",
    ]);
    assert_eq!(text, run.json()["responses"][0]["content"]);
}

#[test]
fn agents_that_others_call_are_served_by_name_only() {
    let folder = Folder::new();
    let document = folder.file("support.gram", SUPPORT);
    let list = [request(1, "tools/list", json!({}))];
    let (answers, ended) = serve(&[&document, "--offline"], &list);
    ended.expect(0);
    assert_eq!(names(&answers[0]), ["support"]);
    let (answers, _) = serve(&[&document, "--offline", "--agent", "billing"], &list);
    assert_eq!(names(&answers[0]), ["billing"]);
    let (_, ended) = serve(&[&document, "--offline", "--agent", "biling"], &list);
    let expected = "error: no document declares an agent `biling`; did you mean `billing`?\n";
    assert_eq!(ended.expect(2).stderr, expected);
}

#[test]
fn a_document_without_agents_serves_its_built_in_tools() {
    let folder = Folder::new();
    let tools = agent(&["tools", "calculator", "readFile"]).expect(0).stdout;
    let document = folder.file("tools.gram", tools);
    let path = folder.file("note.txt", "A note");
    let call = |id, name: &str, arguments: Value| {
        request(
            id,
            "tools/call",
            json!({"name": name, "arguments": arguments}),
        )
    };
    let requests = [
        request(1, "tools/list", json!({})),
        call(2, "calculator", json!({"expression": "6 * 7"})),
        call(3, "readFile", json!({"path": path})),
    ];
    let (answers, ended) = serve(&[&document], &requests);
    ended.expect(0);
    assert_eq!(names(&answers[0]), ["calculator", "readFile"]);
    let result = &answers[1]["result"]["structuredContent"]["result"];
    assert_eq!(*result, 42);
    assert_eq!(answers[2]["result"]["isError"], true);
    let (answers, _) = serve(&[&document, "--allow-read", &folder.path()], &requests[2..]);
    let text = answers[0]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("A note"), "{text}");
}

#[test]
fn what_cannot_be_served_is_an_error_of_the_document() {
    let folder = Folder::new();
    let unknown = "[fly:Tool {description: \"Flies\"} | ()==>(::String)]\n";
    let silent = "[silent:Agent {instruction: \"Help.\", model: \"OpenAI/gpt-6-luna\"}]\n";
    for (text, expected) in [
        (unknown, "the tool `fly` cannot be served"),
        (
            silent,
            "the agent `silent` cannot be served: it has no `description`",
        ),
        ("[", "error"),
    ] {
        let document = folder.file("a.gram", text);
        let (answers, ended) = serve(&[&document, "--offline"], &[]);
        let ended = ended.expect(1);
        assert!(
            answers.is_empty() && ended.stderr.contains(expected),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn wrong_usage_has_the_exit_code_2() {
    let without_token = "other machines can reach 0.0.0.0:0, and no token is asked for; name the variable with a token with \
                         `--token-env NAME`, or serve this machine alone with `--http 0`";
    for (args, expected) in [
        (&["nothing.gram"][..], "nothing.gram"),
        (&["-"], "a document cannot be `-`"),
        (
            &["agents/hello.gram", "--http", "somewhere"],
            "write a port",
        ),
        (&["agents/hello.gram", "--token-env", "MCP_TOKEN"], "--http"),
        (
            &[
                "agents/hello.gram",
                "--http",
                "0",
                "--token-env",
                "MCP_TOKEN",
            ],
            "`MCP_TOKEN` of --token-env is not set",
        ),
        (
            &["agents/hello.gram", "--offline", "--http", "0.0.0.0:0"],
            without_token,
        ),
        (&["agents/hello.gram"], "OPENAI_API_KEY"),
    ] {
        let (answers, ended) = serve(args, &[]);
        let ended = ended.expect(2);
        assert!(
            answers.is_empty() && ended.stderr.contains(expected),
            "{}",
            ended.stderr
        );
    }
}

/// A server that is stopped at the end of a test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn an_agent_is_served_over_http_with_a_token() {
    let args = [
        "mcp",
        "serve",
        "agents/hello.gram",
        "--offline",
        "--http",
        "0",
        "--token-env",
        "MCP_TOKEN",
    ];
    let mut command = command(&args);
    command.env("MCP_TOKEN", "open-sesame").stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = Server(command.spawn().expect("the command starts"));
    let mut line = String::new();
    let mut stderr = BufReader::new(server.0.stderr.take().expect("a pipe"));
    stderr
        .read_line(&mut line)
        .expect("the server says where it listens");
    let address = line
        .trim()
        .strip_prefix("listening at http://")
        .expect("an address");
    let address = address
        .strip_suffix("/mcp")
        .expect("the path of the endpoint");
    let body = request(1, "tools/list", json!({})).to_string();
    let answer = |token: &str| {
        let mut stream = TcpStream::connect(address).expect("a connection");
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
             Mcp-Method: tools/list\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream
            .write_all(head.as_bytes())
            .expect("the request is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    };
    assert!(answer("open").starts_with("HTTP/1.1 401"));
    let listed = answer("open-sesame");
    assert!(
        listed.starts_with("HTTP/1.1 200") && listed.contains("hello_world_agent"),
        "{listed}"
    );
}

/// A server on standard input and output that a test kills.
struct Killable {
    server: Server,
    answers: BufReader<std::process::ChildStdout>,
}

impl Killable {
    /// Starts a server of an agent, with its journal.
    fn start(clerk: &Clerk) -> Self {
        let url = clerk.server.base_url();
        let args = ["mcp", "serve", &clerk.document, "--base-url", &url];
        let mut command = command(&[&args[..], &["--journal", &clerk.journal]].concat());
        command.env("OPENAI_API_KEY", "sk-0123456789");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = Server(command.spawn().expect("the command starts"));
        let answers = BufReader::new(server.0.stdout.take().expect("a pipe"));
        Self { server, answers }
    }

    fn send(&mut self, call: &Value) {
        let input = self.server.0.stdin.as_mut().expect("a pipe");
        writeln!(input, "{call}").expect("the server reads");
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("an answer");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn call(&mut self, call: &Value) -> Value {
        self.send(call);
        self.receive()
    }
}

/// A call of the agent by a client that can ask its user.
fn greeting(more: Value) -> Value {
    let mut call = json!({"name": "greeter", "arguments": {"message": "Greet Ada"}});
    for (name, value) in more.as_object().expect("members") {
        call[name] = value.clone();
    }
    let mut call = request(1, "tools/call", call);
    call["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({"elicitation": {}});
    call
}

/// The call that follows a question, with the approval.
fn approving(asked: &Value) -> Value {
    let required = &asked["result"];
    assert_eq!(required["resultType"], "input_required", "{asked}");
    let questions = required["inputRequests"].as_object().expect("questions");
    let answers = questions
        .keys()
        .map(|key| (key.clone(), json!({"action": "accept"})));
    let answers = Value::Object(answers.collect());
    greeting(json!({"requestState": required["requestState"], "inputResponses": answers}))
}

/// An agent whose call requires approval, and a model that makes the call and then answers.
fn greeter() -> Clerk {
    let answers = [
        Answer::Call("sayHello", r#"{"personName": "Ada"}"#),
        Answer::Text(&["Ada is greeted."]),
    ];
    let clerk = Clerk::new(GREETING, answers);
    let text = format!(
        "[greeter:Agent {{description: \"Greets\", instruction: \"Greet.\", model: \"OpenAI/gpt-6-luna\"}} | {GREETING}]\n"
    );
    clerk.folder.file("agent.gram", text);
    clerk
}

#[test]
fn a_server_that_was_killed_continues_the_run_with_the_answer() {
    let clerk = greeter();
    let mut first = Killable::start(&clerk);
    let asked = first.call(&greeting(json!({})));
    first.server.0.kill().expect("SIGKILL");
    let mut second = Killable::start(&clerk);
    let answered = second.call(&approving(&asked));
    assert_eq!(
        answered["result"]["content"][0]["text"], "Ada is greeted.",
        "{answered}"
    );
    let used = second.call(&approving(&asked));
    assert_eq!(used["error"]["code"], -32602, "{used}");
    let run = clerk.only_run();
    assert_eq!(run["state"], "done");
    let last = clerk.last_request();
    let result = &last.last().expect("a result")["content"];
    assert!(
        result.as_str().expect("a text").contains("Hello, Ada"),
        "{result}"
    );
}

#[test]
fn of_two_servers_that_get_the_answer_one_continues_the_run() {
    let clerk = greeter();
    let mut servers = [Killable::start(&clerk), Killable::start(&clerk)];
    let asked = servers[0].call(&greeting(json!({})));
    for server in &mut servers {
        server.send(&approving(&asked));
    }
    let answers = servers.each_mut().map(Killable::receive);
    let continued = answers
        .iter()
        .filter(|answer| answer["result"]["content"][0]["text"] == "Ada is greeted.");
    assert_eq!(continued.count(), 1, "{answers:?}");
    // A third request would have found no answer.
    assert_eq!(clerk.server.messages().len(), 2);
    assert_eq!(clerk.only_run()["state"], "done");
}

/// The requests are written at once. Begun at once, they would take 90 MB.
#[cfg(target_os = "linux")]
#[test]
fn a_flood_of_requests_takes_little_memory() {
    const REQUESTS: u32 = 10_000;
    let folder = Folder::new();
    let tools = agent(&["tools", "calculator"]).expect(0).stdout;
    let document = folder.file("tools.gram", tools);
    let mut command = command(&["mcp", "serve", &document]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = Server(command.spawn().expect("the command starts"));
    let mut input = server.0.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || {
        let call = json!({"name": "calculator", "arguments": {"expression": "6 * 7"}});
        let lines = (0..REQUESTS).map(|id| request(id, "tools/call", call.clone()).to_string());
        let lines = lines.collect::<Vec<_>>().join("\n");
        input.write_all(lines.as_bytes()).expect("the server reads");
        input.write_all(b"\n").expect("the server reads");
        input
    });
    let answers = BufReader::new(server.0.stdout.take().expect("a pipe")).lines();
    let mut answers = answers.map(|line| line.expect("a line"));
    let all = answers.by_ref().take(REQUESTS as usize);
    assert!(
        all.into_iter()
            .all(|answer| answer.contains("\"result\":42"))
    );
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.0.id()));
    let status = status.expect("the server runs");
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB"));
    let peak: u64 = peak.expect("a size").trim().parse().expect("a number");
    assert!(peak < 70 << 10, "{peak} KiB");
    drop(writer.join().expect("all was written"));
}
