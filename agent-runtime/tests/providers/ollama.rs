//! Tests of Ollama's wire format.

use crate::providers::exchange::{OLLAMA, Streamed};
use crate::support::server::{Answer, Server, status, streamed};
use crate::support::{GREETING, check_unanswered, hello_tool, library};
use agent_runtime::conversation::{ProviderPart, Thinking};
use agent_runtime::spec::AgentPattern;
use agent_runtime::{AgentResponse, Conversation, Environment, Error, Event, Message, Runtime};
use serde_json::{Value, json};

const KEY: &str = "ollama-test-1234567890";

fn lines(text: impl Into<Vec<u8>>) -> Answer {
    streamed("application/x-ndjson", text)
}

/// An answer with a text, a reason and usage.
fn ended(reason: &str) -> Answer {
    let body = json!({"model": "m", "message": {"role": "assistant", "content": "Well"},
                      "done": true, "done_reason": reason});
    status(200, &body.to_string())
}

#[tokio::test]
async fn sends_a_conversation_with_calls_and_parses_its_replies() {
    let answers = vec![
        OLLAMA.answer("calls_after_thinking.json"),
        OLLAMA.answer("hello.json"),
    ];
    let (response, conversation, server) = OLLAMA.execute(answers).await;
    let response = response.expect("an answer");
    assert_eq!(response.content, "Grüß dich, Ada 👋!");
    assert_eq!(
        response.usage.to_json(),
        json!({"inputTokens": 164, "outputTokens": 18, "requests": 2})
    );
    let requests = server.requests();
    assert_eq!(requests[0].line, "POST /api/chat HTTP/1.1");
    let bearer = format!("Bearer {KEY}");
    assert_eq!(requests[0].header("authorization"), Some(bearer.as_str()));
    assert_eq!(requests[0].header("content-type"), Some("application/json"));
    let system = json!({"role": "system", "content": "Greet people."});
    let user = json!({"role": "user", "content": "Hello, I'm Ada"});
    let tool = json!({"type": "function", "function": {
        "name": "sayHello",
        "description": GREETING,
        "parameters": {
            "type": "object",
            "properties": {"personName": {"type": "string"}},
            "required": ["personName"],
        },
    }});
    assert_eq!(
        requests[0].json(),
        json!({"model": "qwen3:4b", "messages": [system, user], "tools": [tool], "stream": false})
    );
    let call =
        |name: &str| json!({"function": {"name": "sayHello", "arguments": {"personName": name}}});
    let result = |name: &str| {
        json!({"role": "tool", "tool_name": "sayHello",
               "content": format!("Hello, {name}! Nice to meet you.")})
    };
    assert_eq!(
        requests[1].json()["messages"],
        json!([
            system,
            user,
            {"role": "assistant", "content": "Just a moment.",
             "thinking": "The user greets. I greet back, by name.",
             "tool_calls": [call("Ada"), call("Bob 👋")]},
            result("Ada"),
            result("Bob 👋"),
        ])
    );
    // The history has the ids, although they are not sent.
    let calls = conversation.messages()[1].tool_calls();
    assert_eq!([calls[0].id(), calls[1].id()], ["call_a1", "call_b2"]);
}

#[tokio::test]
async fn a_streamed_request_differs_only_in_its_stream_member() {
    let (_, _, server) = OLLAMA.execute(vec![OLLAMA.answer("hello.json")]).await;
    let mut plain = server.requests()[0].json();
    let streamed = OLLAMA.stream(vec![OLLAMA.answer("hello.ndjson")]).await;
    plain["stream"] = json!(true);
    assert_eq!(streamed.requests, [plain]);
}

#[tokio::test]
async fn sends_settings_as_options_and_no_empty_tools() {
    let server = Server::start(vec![OLLAMA.answer("hello.json")]);
    let gram = "[a:Agent {instruction: \"x\", model: \"Ollama/library/m:7b\", temperature: 0.5, \
                topP: 1.0, seed: 7, maxTokens: 50, stop: [\"END\"]}]";
    let pattern = AgentPattern::parse(gram).expect("an agent");
    let runtime = OLLAMA.runtime(&server).build().expect("a runtime");
    runtime
        .run(&pattern, "Hi")
        .conversation(&mut Conversation::new())
        .await
        .expect("an answer");
    let mut body = server.requests()[0].json();
    body.as_object_mut().expect("an object").remove("messages");
    assert_eq!(
        body,
        json!({"model": "library/m:7b", "stream": false, "options": {
            "temperature": 0.5, "top_p": 1.0, "seed": 7, "num_predict": 50, "stop": ["END"]}})
    );
}

#[tokio::test]
async fn streams_thoughts_apart_from_the_text() {
    let answers = vec![
        OLLAMA.answer("calls_after_thinking.ndjson"),
        OLLAMA.answer("hello.ndjson"),
    ];
    let streamed = OLLAMA.stream(answers).await;
    let thoughts = streamed.events.iter().filter_map(|event| match event {
        Event::ThoughtDelta { text, .. } => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(
        thoughts.collect::<String>(),
        "The user greets. I greet back, by name."
    );
    assert_eq!(streamed.text(), "Just a moment.Grüß dich, Ada 👋!");
    assert_eq!(
        streamed.requests[1]["messages"][2]["thinking"],
        "The user greets. I greet back, by name."
    );
}

#[tokio::test]
async fn does_not_send_the_data_of_another_provider() {
    let request = OLLAMA
        .request_after(vec![
            Message::user("Hello"),
            Message::assistant_parts([
                Thinking::new("Anthropic", "Hm.").into(),
                "Hi!".into(),
                ProviderPart::new("Anthropic", json!([{"signature": "abc"}])).into(),
            ]),
        ])
        .await;
    assert_eq!(
        request["messages"][2],
        json!({"role": "assistant", "content": "Hi!"})
    );
}

/// Returns the call of the first answer as the second request has it.
async fn resent_call(call: Value) -> Value {
    let body = json!({"message": {"role": "assistant", "content": "", "tool_calls": [call]},
                      "done": true, "done_reason": "stop"});
    let answers = vec![status(200, &body.to_string()), OLLAMA.answer("hello.json")];
    let (response, _, server) = OLLAMA.execute(answers).await;
    response.expect("an answer");
    server.requests()[1].json()["messages"].clone()
}

#[tokio::test]
async fn sends_arguments_back_as_an_object() {
    for (arguments, sent) in [
        (json!({"personName": "Ada"}), json!({"personName": "Ada"})),
        (
            json!("{\"personName\": \"Ada\"}"),
            json!({"personName": "Ada"}),
        ),
        (json!("{\"a\": 1, \"a\": 2}"), json!({"a": 2})),
        (json!("{broken"), json!({})),
        (json!([1]), json!({})),
        (Value::Null, json!({})),
    ] {
        let call = json!({"function": {"name": "sayHello", "arguments": arguments}});
        let messages = resent_call(call).await;
        let function = &messages[2]["tool_calls"][0]["function"];
        assert_eq!(function["arguments"], sent, "{arguments}");
    }
}

#[tokio::test]
async fn marks_a_failed_call_in_the_text_of_its_result() {
    let messages = resent_call(json!({"function": {"name": "sayHallo", "arguments": {}}})).await;
    assert_eq!(messages[3]["tool_name"], "sayHallo");
    let content = messages[3]["content"].as_str().expect("a text");
    assert!(
        content.starts_with("Error: ") && content.contains("sayHello"),
        "{content}"
    );
}

#[tokio::test]
async fn does_not_parse_calls_in_texts() {
    let printed = "{\"name\": \"sayHello\", \"parameters\": {\"personName\": \"Ada\"}}";
    let body = json!({"message": {"content": printed}, "done": true, "done_reason": "stop"});
    let (response, _, _) = OLLAMA.execute(vec![status(200, &body.to_string())]).await;
    let response = response.expect("an answer");
    assert_eq!(response.content, printed);
    assert!(response.tools_used.is_empty());
}

#[tokio::test]
async fn parses_done_reasons() {
    for (reason, word) in [("stop", "stop"), ("length", "length"), ("load", "load")] {
        let (response, _, _) = OLLAMA.execute(vec![ended(reason)]).await;
        let response = response.expect("an answer");
        assert_eq!(response.finish_reason.as_str(), word);
    }
    // The calls of a truncated answer are not executed.
    let call = json!({"function": {"name": "sayHello", "arguments": {"personName": "Ad"}}});
    let cut = json!({"message": {"content": "", "tool_calls": [call]}, "done": true,
                     "done_reason": "length"});
    let answers = vec![status(200, &cut.to_string()), OLLAMA.answer("hello.json")];
    let (response, _, _) = OLLAMA.execute(answers).await;
    let used = response.expect("an answer").tools_used;
    assert!(used.len() == 1 && used[0].result.is_err(), "{used:?}");
}

/// Executes a run with a value of `OLLAMA_HOST`, in which `PORT` is the port of a server.
async fn at(variable: String, key: bool) -> Result<AgentResponse, Error> {
    let host = ("OLLAMA_HOST", variable.as_str());
    let variables = [host, OLLAMA.key].into_iter().take(1 + usize::from(key));
    let runtime = Runtime::builder().environment(Environment::from_pairs(variables));
    let runtime = runtime.build().expect("a runtime");
    let library = library([hello_tool()]);
    runtime
        .execute(&OLLAMA.agent(), "Hello", &mut Conversation::new(), &library)
        .await
}

#[tokio::test]
async fn parses_ollama_host_as_ollama_does() {
    for form in [
        "127.0.0.1:PORT",
        ":PORT",
        "0.0.0.0:PORT",
        "http://127.0.0.1:PORT",
        "http://127.0.0.1:PORT/",
        "localhost:PORT/",
    ] {
        let server = Server::start(vec![OLLAMA.answer("hello.json")]);
        let variable = form.replace("PORT", &server.port.to_string());
        let response = at(variable, true).await;
        response.unwrap_or_else(|error| panic!("{form}: {error}"));
        let request = server.requests().remove(0);
        assert_eq!(request.line, "POST /api/chat HTTP/1.1", "{form}");
        assert!(request.header("authorization").is_some(), "{form}");
    }
    let server = Server::start(vec![OLLAMA.answer("hello.json")]);
    let response = at(format!("127.0.0.1:{}/ollama/", server.port), false).await;
    response.expect("an answer");
    let request = server.requests().remove(0);
    assert_eq!(request.line, "POST /ollama/api/chat HTTP/1.1");
    assert_eq!(request.header("authorization"), None);
}

#[tokio::test]
async fn rejects_an_ollama_host_without_an_address() {
    for bad in ["host:port", "ftp://host", "http://", "user:secret@host"] {
        let error = at(bad.to_owned(), false).await.expect_err(bad);
        assert!(error.is_configuration(), "{bad}: {error:?}");
        assert!(!format!("{error:?} {error}").contains("secret"), "{error}");
    }
}

#[tokio::test]
async fn only_ollamas_own_host_requires_a_key() {
    let error = at("https://ollama.com".to_owned(), false).await;
    let error = error.expect_err("no key");
    assert!(error.is_configuration());
    let text = error.to_string();
    assert!(
        text.contains("OLLAMA_API_KEY") && text.contains("--offline"),
        "{text}"
    );
}

#[tokio::test]
async fn reports_errors_with_their_text() {
    for (answer, words) in [
        (
            status(404, r#"{"error":"model 'qwen3:4b' not found"}"#),
            "status 404: model 'qwen3:4b' not found",
        ),
        (
            status(400, r#"{"error":"gemma3 does not support tools"}"#),
            "does not support tools",
        ),
        (
            status(200, r#"{"error":"out of memory"}"#),
            "reports an error: out of memory",
        ),
        (status(200, "{}"), "has no message"),
        (status(200, "<html>Log in</html>"), "is not JSON"),
        (
            status(
                200,
                r#"{"message":{"tool_calls":[{"id":"a"}]},"done":true}"#,
            ),
            "without a name",
        ),
    ] {
        let (response, conversation, _) = OLLAMA.execute(vec![answer]).await;
        let error = response.expect_err(words);
        assert!(error.is_llm(), "{error:?}");
        assert!(error.to_string().contains(words), "{error} lacks {words}");
        assert!(error.to_string().contains("/api/chat"), "{error}");
        assert_eq!(conversation.messages().len(), 0);
    }
}

const HALF: &str = "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"Half a\"},\"done\":false}\n";

async fn broken(answer: Answer, words: &str) -> Streamed {
    let streamed = OLLAMA.stream(vec![answer]).await;
    let error = streamed.error.as_ref().expect(words);
    assert!(error.is_llm(), "{error:?}");
    assert!(error.to_string().contains(words), "{error} lacks {words}");
    check_unanswered(&streamed.conversation);
    streamed
}

#[tokio::test]
async fn reports_an_error_within_a_stream_after_its_parts() {
    let nameless = "{\"message\":{\"tool_calls\":[{\"function\":{\"arguments\":{\"a\":1}}}]}}\n";
    for (rest, words) in [
        (
            "{\"error\":\"llama runner process has terminated\"}\n",
            "has terminated",
        ),
        ("{\"message\":\n", "is not JSON"),
        (nameless, "without a name"),
    ] {
        let streamed = broken(lines(format!("{HALF}{rest}")), words).await;
        assert_eq!(streamed.text(), "Half a");
        broken(lines(rest), words).await;
    }
    broken(lines("{\"done\":true}\n"), "has no message").await;
    broken(lines(HALF), "broke its answer off").await;
    for empty in [
        "",
        "null",
        "{}",
        "{\"foo\":1}\n",
        "[]\n",
        "{\"status\":\"loading\"}\n{}\n",
    ] {
        let words = match empty {
            "" => "gave an empty answer".to_owned(),
            text => format!("has no message: {}", text.trim().replace('\n', " ")),
        };
        broken(lines(empty), &words).await;
    }
    let cut = format!("{HALF}{{\"message\":");
    broken(lines(cut), "broke its answer off").await;
    broken(
        lines(b"{\"message\":{\"content\":\"\xff\"}}\n".to_vec()),
        "not UTF-8",
    )
    .await;
    broken(
        streamed("text/html", "<html>\nLog in\n</html>"),
        "is not JSON",
    )
    .await;
}

#[tokio::test]
async fn parses_lines_with_the_content_type_of_json() {
    let text = OLLAMA.read("hello.ndjson");
    let streamed = OLLAMA
        .stream(vec![streamed("application/json", text)])
        .await;
    assert_eq!(streamed.text(), "Grüß dich, Ada 👋!");
}
