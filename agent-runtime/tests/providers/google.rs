//! Tests of Google's wire format.

use crate::providers::exchange::GOOGLE;
use crate::support::server::{Request, Server, status, streamed};
use crate::support::{hello_tool, library};
use agent_runtime::conversation::ToolCall;
use agent_runtime::model::FinishReason;
use agent_runtime::spec::AgentPattern;
use agent_runtime::{Conversation, Environment, Message, Runtime};
use serde_json::{Value, json};

const LINE: &str = "POST /v1beta/models/gemini-2.5-flash:generateContent HTTP/1.1";

#[tokio::test]
async fn sends_a_conversation_with_calls_and_parses_its_replies() {
    let answers = vec![GOOGLE.answer("calls.json"), GOOGLE.answer("hello.json")];
    let (response, conversation, server) = GOOGLE.execute(answers).await;
    let response = response.expect("an answer");
    assert_eq!(response.content, "Grüß dich, Ada 👋!");
    assert_eq!(response.tools_used.len(), 2);
    let requests = server.requests();
    assert_eq!(requests[0].line, LINE);
    assert_eq!(requests[0].header("x-goog-api-key"), Some(GOOGLE.key.1));
    assert_eq!(requests[0].header("authorization"), None);
    let first = json!({
        "systemInstruction": {"parts": [{"text": "Greet people."}]},
        "contents": [{"role": "user", "parts": [{"text": "Hello, I'm Ada"}]}],
        "tools": [{"functionDeclarations": [{
            "name": "sayHello",
            "description": crate::support::GREETING,
            "parametersJsonSchema": {
                "type": "object",
                "properties": {"personName": {"type": "string"}},
                "required": ["personName"],
            },
        }]}],
    });
    assert_eq!(requests[0].json(), first);
    let mut second = first;
    let contents = second["contents"].as_array_mut().expect("contents");
    contents.push(json!({"role": "model", "parts": [
        {"text": "I greet them both."},
        {"functionCall": {"name": "sayHello", "args": {"personName": "Ada"}},
         "thoughtSignature": "skip_thought_signature_validator"},
        {"functionCall": {"name": "sayHello", "args": {"personName": "Bob 👋"}}},
    ]}));
    contents.push(json!({"role": "user", "parts": [
        {"functionResponse": {"name": "sayHello",
                              "response": {"output": "Hello, Ada! Nice to meet you."}}},
        {"functionResponse": {"name": "sayHello",
                              "response": {"output": "Hello, Bob 👋! Nice to meet you."}}},
    ]}));
    assert_eq!(requests[1].json(), second);
    // The run created the ids, because the model sent none.
    let ids: Vec<&str> = conversation.messages()[1]
        .tool_calls()
        .iter()
        .map(ToolCall::id)
        .collect();
    assert!(
        ids.len() == 2 && ids[0] != ids[1] && !ids.contains(&""),
        "{ids:?}"
    );
}

#[tokio::test]
async fn a_streamed_request_differs_only_in_its_url() {
    let (_, _, plain) = GOOGLE.execute(vec![GOOGLE.answer("hello.json")]).await;
    let server = Server::start(vec![GOOGLE.answer("hello.sse")]);
    let runtime = GOOGLE.runtime(&server).build().expect("a runtime");
    let (mut conversation, library) = (Conversation::new(), library([hello_tool()]));
    let agent = GOOGLE.agent();
    let mut stream = runtime
        .run(&agent, "Hello, I'm Ada")
        .tools(&library)
        .conversation(&mut conversation)
        .stream();
    while let Some(event) = stream.next().await {
        event.expect("an event");
    }
    let request = &server.requests()[0];
    assert_eq!(
        request.line,
        "POST /v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse HTTP/1.1"
    );
    assert_eq!(request.json(), plain.requests()[0].json());
}

#[tokio::test]
async fn sends_signatures_thoughts_and_ids_back_unchanged() {
    for ending in ["json", "sse"] {
        let answers = ["calls_signed", "hello"].map(|name| format!("{name}.{ending}"));
        let answers = answers.map(|file| GOOGLE.answer(&file)).into();
        let request = if ending == "json" {
            let (response, _, server) = GOOGLE.execute(answers).await;
            response.expect("an answer");
            server.requests()[1].json()
        } else {
            GOOGLE.stream(answers).await.requests[1].clone()
        };
        let reply: Value =
            serde_json::from_str(&GOOGLE.read("calls_signed.json")).expect("a reply");
        let content = &reply["candidates"][0]["content"];
        assert_eq!(&request["contents"][1], content, "{ending}");
        let ids: Vec<&Value> = ["0", "1"]
            .map(|at| format!("/contents/2/parts/{at}/functionResponse/id"))
            .iter()
            .filter_map(|path| request.pointer(path))
            .collect();
        assert_eq!(ids, ["u7x1kq2m", "u7x1kq2n"], "{ending}");
    }
}

#[tokio::test]
async fn streams_thoughts_apart_from_the_text() {
    let answers = vec![
        GOOGLE.answer("calls_signed.sse"),
        GOOGLE.answer("hello.sse"),
    ];
    let streamed = GOOGLE.stream(answers).await;
    assert_eq!(streamed.text(), "I greet them both.Grüß dich, Ada 👋!");
    assert_eq!(
        streamed.thoughts(),
        "**Greeting**\n\nThey told me two names."
    );
}

#[tokio::test]
async fn leaves_out_blank_texts_and_alternates_roles() {
    let request = GOOGLE
        .request_after(vec![
            Message::assistant("Welcome."),
            Message::user("Hi."),
            Message::user(" \n"),
            Message::user("Hello?"),
            Message::assistant(" ").with_tool_calls([
                ToolCall::new("a", "1st tool", "[1]"),
                ToolCall::new("b", "sayHello", r#"{"personName": "Bob"}"#),
            ]),
            // Google matches results by their order.
            Message::function("sayHello", "b", "Hello, Bob!"),
            Message::function("1st tool", "a", "there is no such tool").into_error(),
            Message::user("Hm."),
            Message::assistant(" "),
        ])
        .await;
    let expected = json!([
        {"role": "user", "parts": [{"text": "(The conversation begins with your answer.)"}]},
        {"role": "model", "parts": [{"text": "Welcome."}]},
        {"role": "user", "parts": [{"text": "Hi."}, {"text": "Hello?"}]},
        {"role": "model", "parts": [
            {"functionCall": {"name": "_1st_tool", "args": {}},
             "thoughtSignature": "skip_thought_signature_validator"},
            {"functionCall": {"name": "sayHello", "args": {"personName": "Bob"}}},
        ]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "_1st_tool",
                                  "response": {"error": "there is no such tool"}}},
            {"functionResponse": {"name": "sayHello", "response": {"output": "Hello, Bob!"}}},
            {"text": "Hm."},
            {"text": "And now?"},
        ]},
    ]);
    assert_eq!(request["contents"], expected);
}

/// Returns the request for an agent with this model, these settings and tools, to a path of the server.
async fn sent_request(model: &str, settings: &str, tools: &str, base: &str) -> Request {
    let gram = format!(
        "[a:Agent {{instruction: \"Greet.\", model: \"Google/{model}\"{settings}}}{tools}]"
    );
    GOOGLE.request_for(&gram, base).await
}

#[tokio::test]
async fn sends_settings_under_googles_names() {
    let settings = ", temperature: 0.5, topP: 0.9, seed: 7, maxTokens: 100, stop: [\"END\"]";
    let request = sent_request("gemini-2.5-flash", settings, "", "").await;
    assert_eq!(
        request.json(),
        json!({
            "systemInstruction": {"parts": [{"text": "Greet."}]},
            "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
            "generationConfig": {
                "temperature": 0.5,
                "topP": 0.9,
                "seed": 7,
                "maxOutputTokens": 100,
                "stopSequences": ["END"],
            },
        })
    );
}

#[tokio::test]
async fn sends_no_schema_for_a_tool_without_parameters() {
    let tools = " | [nothing:Tool {description: \"Does something.\"} | ()==>(::Any)]";
    let request = sent_request("gemini-2.5-flash", "", tools, "").await;
    assert_eq!(
        request.json()["tools"],
        json!([{"functionDeclarations": [
            {"name": "nothing", "description": "Does something."},
        ]}])
    );
}

#[tokio::test]
async fn accepts_full_resource_names_and_a_base_url_with_the_version() {
    for (model, base, line) in [
        ("gemini-2.5-flash", "/", LINE),
        ("models/gemini-2.5-flash", "/v1beta", LINE),
        (
            "tunedModels/mine",
            "/proxy/v1/",
            "POST /proxy/v1/tunedModels/mine:generateContent HTTP/1.1",
        ),
        (
            "google/gemini pro",
            "/proxy",
            "POST /proxy/v1beta/models/google/gemini%20pro:generateContent HTTP/1.1",
        ),
    ] {
        assert_eq!(sent_request(model, "", "", base).await.line, line);
    }
}

/// The id is a part of the URL, and URL parsers drop such segments.
#[tokio::test]
async fn rejects_a_model_that_would_change_the_url() {
    for model in ["../../x?y#z", "a/../b", "./a", "a//b", "a/", "models/.."] {
        let server = Server::start(Vec::new());
        let gram = format!("[a:Agent {{instruction: \"x\", model: \"Google/{model}\"}}]");
        let agent = AgentPattern::parse(&gram).expect("an agent");
        let runtime = Runtime::builder().environment(Environment::empty());
        let runtime = runtime
            .base_url(server.base_url())
            .build()
            .expect("a runtime");
        let mut conversation = Conversation::new();
        let run = runtime
            .run(&agent, "Hi")
            .conversation(&mut conversation)
            .await;
        let error = run.expect_err(model);
        assert!(error.is_configuration(), "{error:?}");
        assert!(error.to_string().contains(model), "{error}");
        assert!(server.requests().is_empty());
    }
}

#[tokio::test]
async fn reads_key_and_base_url_from_variables() {
    for (variables, key) in [
        (&[("GEMINI_API_KEY", "k-1")][..], Some("k-1")),
        (
            &[("GEMINI_API_KEY", "k-1"), ("GOOGLE_API_KEY", "k-2")],
            Some("k-2"),
        ),
        (&[], None),
    ] {
        let request = GOOGLE
            .request_with_variables("GOOGLE_GEMINI_BASE_URL", variables)
            .await;
        assert_eq!(request.line, LINE);
        assert_eq!(request.header("x-goog-api-key"), key);
    }
}

#[tokio::test]
async fn counts_thoughts_as_output() {
    let expected = json!({"inputTokens": 82, "outputTokens": 9, "requests": 1, "cachedTokens": 64});
    let (response, ..) = GOOGLE.execute(vec![GOOGLE.answer("hello.json")]).await;
    assert_eq!(response.expect("an answer").usage.to_json(), expected);
    let streamed = GOOGLE
        .stream(vec![GOOGLE.answer("hello.usage_after.sse")])
        .await;
    assert_eq!(streamed.response().usage.to_json(), expected);
    let expected =
        json!({"inputTokens": 40, "outputTokens": 35, "requests": 1, "reasoningTokens": 30});
    let (response, ..) = GOOGLE.execute(vec![GOOGLE.answer("thinking.json")]).await;
    assert_eq!(response.expect("an answer").usage.to_json(), expected);
}

#[tokio::test]
async fn parses_finish_reasons() {
    let other = |word: &str| FinishReason::Other(word.to_owned());
    for (word, reason) in [
        ("STOP", FinishReason::Stop),
        ("MAX_TOKENS", FinishReason::Length),
        ("SAFETY", FinishReason::ContentFilter),
        ("PROHIBITED_CONTENT", FinishReason::ContentFilter),
        ("OTHER", other("OTHER")),
        ("SOMETHING_NEW", other("SOMETHING_NEW")),
    ] {
        let body = GOOGLE.read("hello.json").replace("STOP", word);
        let (response, ..) = GOOGLE.execute(vec![status(200, &body)]).await;
        assert_eq!(response.expect("an answer").finish_reason, reason, "{word}");
    }
}

#[tokio::test]
async fn retries_an_answer_without_content_once_and_then_reports_the_reason() {
    let body = json!({
        "candidates": [{
            "content": {}, "finishReason": "MALFORMED_FUNCTION_CALL", "index": 0,
            "finishMessage": "Malformed function call: call:sayHello{",
        }],
        "usageMetadata": {"promptTokenCount": 9},
    });
    let body = body.to_string();
    let error = GOOGLE
        .execute_err(vec![status(200, &body), status(200, &body)])
        .await;
    assert!(error.is_llm(), "{error}");
    assert!(
        error.to_string().contains("MALFORMED_FUNCTION_CALL"),
        "{error}"
    );
}

#[tokio::test]
async fn reports_a_blocked_request() {
    let body = json!({
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
        "usageMetadata": {"promptTokenCount": 9},
    });
    let event = format!("data: {body}\n\n");
    let plain = GOOGLE
        .execute_err(vec![status(200, &body.to_string())])
        .await;
    let streamed = GOOGLE
        .stream(vec![streamed("text/event-stream", event)])
        .await;
    for error in [plain, streamed.error.expect("an error")] {
        let text = error.to_string();
        assert!(error.is_llm() && !error.is_unavailable(), "{text}");
        assert!(
            text.contains("the request was blocked (PROHIBITED_CONTENT)"),
            "{text}"
        );
    }
}

fn error_body(code: u16, status: &str, message: &str) -> String {
    json!({"error": {"code": code, "message": message, "status": status}}).to_string()
}

#[tokio::test]
async fn reports_errors_with_their_text() {
    let body = error_body(400, "INVALID_ARGUMENT", "Unknown name \"const\"");
    let error = GOOGLE.execute_err(vec![status(400, &body)]).await;
    assert!(
        error.is_llm() && error.to_string().contains("Unknown name"),
        "{error}"
    );
    let body = error_body(403, "PERMISSION_DENIED", "API key not valid");
    assert!(
        GOOGLE
            .execute_err(vec![status(403, &body)])
            .await
            .is_configuration()
    );
    let busy = || status(503, &error_body(503, "UNAVAILABLE", "overloaded"));
    assert!(
        GOOGLE
            .execute_err(vec![busy(), busy(), busy()])
            .await
            .is_unavailable()
    );
    // In an array, where the request asked for an array of chunks.
    let body = format!("[{}]", error_body(400, "INVALID_ARGUMENT", "Unknown name"));
    let error = GOOGLE.execute_err(vec![status(400, &body)]).await;
    assert!(
        error.to_string().ends_with("status 400: Unknown name"),
        "{error}"
    );
    let body = format!("[{}]", error_body(503, "UNAVAILABLE", "overloaded"));
    let error = GOOGLE.execute_err(vec![status(200, &body)]).await;
    assert!(error.is_unavailable(), "{error:?}");
    for (body, why) in [("<html>", "is not JSON"), ("{}", "has no candidates")] {
        let error = GOOGLE.execute_err(vec![status(200, body)]).await;
        assert!(error.is_llm() && error.to_string().contains(why), "{error}");
    }
    let nameless =
        r#"{"candidates": [{"content": {"parts": [{"functionCall": {"args": {"a": 1}}}]}}]}"#;
    let error = GOOGLE.execute_err(vec![status(200, nameless)]).await;
    assert!(
        error.to_string().contains("has a call without a name"),
        "{error}"
    );
}

#[tokio::test]
async fn reports_an_error_within_a_stream_and_a_missing_end() {
    let text = GOOGLE.read("hello.end_alone.sse");
    let at = text.find("\n\n").expect("a chunk") + 2;
    let error = error_body(503, "UNAVAILABLE", "The model is overloaded.");
    for (rest, words) in [
        (format!("data: {error}\n\n"), "The model is overloaded."),
        (format!("data: [{error}]\n\n"), "The model is overloaded."),
        (String::new(), "broke its answer off"),
    ] {
        let body = format!("{}{rest}", &text[..at]);
        let streamed = GOOGLE
            .stream(vec![streamed("text/event-stream", body)])
            .await;
        assert_eq!(streamed.text(), "Grüß");
        let error = streamed.error.expect("an error");
        assert!(
            error.is_llm() && error.to_string().contains(words),
            "{error}"
        );
    }
}

#[tokio::test]
async fn parses_an_array_of_chunks() {
    let chunks: Vec<Value> = GOOGLE
        .read("hello.sse")
        .lines()
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
        .collect();
    let body = Value::from(chunks).to_string();
    let streamed = GOOGLE.stream(vec![status(200, &body)]).await;
    assert_eq!(streamed.text(), "Grüß dich, Ada 👋!");
    assert_eq!(streamed.response().usage.cached_tokens, 64);
}

#[tokio::test]
async fn an_answer_beyond_the_tokens_of_a_request_goes_on_with_its_token() {
    let candidate = |text: &str, reason: &str, token: Option<&str>| {
        let mut candidate = json!({"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": reason});
        if let Some(token) = token {
            candidate["continuationToken"] = json!(token);
        }
        let usage = json!({"promptTokenCount": 5, "candidatesTokenCount": 5});
        json!({"candidates": [candidate], "usageMetadata": usage}).to_string()
    };
    let answers = vec![
        status(
            200,
            &candidate("Grüß dich, ", "CONTINUATION", Some("dG9rZW4=")),
        ),
        status(200, &candidate("Ada", "CONTINUATION", Some("dG9rZW4y"))),
        status(200, &candidate(" 👋!", "STOP", None)),
        status(200, &candidate("Yes.", "STOP", None)),
        // Without a token it cannot go on.
        status(200, &candidate("Well", "CONTINUATION", None)),
    ];
    let server = Server::start(answers);
    let runtime = GOOGLE.runtime(&server).build().expect("a runtime");
    let mut conversation = Conversation::new();
    let agent = GOOGLE.agent();
    let library = library([hello_tool()]);
    let mut run = async |input: &str| {
        let run = runtime.run(&agent, input).tools(&library);
        run.conversation(&mut conversation)
            .await
            .expect("an answer")
    };
    assert_eq!(run("Hello, I'm Ada").await.content, "Grüß dich, Ada 👋!");
    run("Really?").await;
    let cut = run("And now?").await;
    assert_eq!(
        (cut.content.as_str(), cut.finish_reason),
        ("Well", FinishReason::Length)
    );
    let requests: Vec<Value> = server.requests().iter().map(Request::json).collect();
    let tokens: Vec<&Value> = requests
        .iter()
        .map(|sent| &sent["continuationToken"])
        .collect();
    let none = &Value::Null;
    assert_eq!(
        tokens,
        [none, &json!("dG9rZW4="), &json!("dG9rZW4y"), none, none]
    );
    for request in &requests[..3] {
        assert_eq!(request["contents"], requests[0]["contents"]);
    }
    let parts = &requests[3]["contents"][1]["parts"];
    let texts: Vec<&Value> = parts.as_array().expect("parts").iter().collect();
    assert_eq!(
        texts,
        [
            &json!({"text": "Grüß dich, "}),
            &json!({"text": "Ada"}),
            &json!({"text": " 👋!"})
        ]
    );
}
