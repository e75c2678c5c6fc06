//! `agent mcp serve`.

use crate::support::{CommandOutput, Folder, agent, agent_with, command};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

/// Two agents, of which one calls the other.
const SUPPORT: &str = r#"[support:Agent {description: "Helps", instruction: "Help.", model: "OpenAI/gpt-4o-mini"} |
  [billing:Agent {description: "Knows invoices", instruction: "Answer.", model: "OpenAI/gpt-4o-mini"}]
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
    let silent = "[silent:Agent {instruction: \"Help.\", model: \"OpenAI/gpt-4o-mini\"}]\n";
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
    let without_token = "other machines can reach 0.0.0.0:0, and no token is asked for";
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
