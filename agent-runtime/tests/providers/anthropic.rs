//! Tests of Anthropic's wire format.

use crate::providers::exchange::{ANTHROPIC, TOOL};
use crate::support::server::{Answer, Request, Server, status, streamed};
use crate::support::{hello_tool, library};
use agent_runtime::conversation::ToolCall;
use agent_runtime::model::FinishReason;
use agent_runtime::spec::AgentPattern;
use agent_runtime::{Agent, AgentResponse, Conversation, Environment, Message, Runtime};
use serde_json::{Value, json};

#[tokio::test]
async fn sends_a_conversation_with_calls_and_parses_its_replies() {
    let answers = vec![
        ANTHROPIC.answer("calls.json"),
        ANTHROPIC.answer("hello.json"),
    ];
    let (response, conversation, server) = ANTHROPIC.execute(answers).await;
    let response = response.expect("an answer");
    assert_eq!(response.content, "Grüß dich, Ada 👋!");
    assert_eq!(response.tools_used.len(), 2);
    let requests = server.requests();
    assert_eq!(requests[0].line, "POST /v1/messages HTTP/1.1");
    assert_eq!(requests[0].header("x-api-key"), Some(ANTHROPIC.key.1));
    assert_eq!(requests[0].header("authorization"), None);
    assert_eq!(requests[0].header("anthropic-version"), Some("2023-06-01"));
    let first = json!({
        "model": "claude-haiku-4-5",
        "max_tokens": 8192,
        "system": [
            {"type": "text", "text": "Greet people.", "cache_control": {"type": "ephemeral"}},
        ],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Hello, I'm Ada"}]},
        ],
        "tools": [{
            "name": "sayHello",
            "description": crate::support::GREETING,
            "input_schema": {
                "type": "object",
                "properties": {"personName": {"type": "string"}},
                "required": ["personName"],
            },
        }],
    });
    let mut marked = first.clone();
    mark_last_block(&mut marked);
    assert_eq!(requests[0].json(), marked);
    let mut second = first;
    let messages = second["messages"].as_array_mut().expect("messages");
    messages.push(json!({"role": "assistant", "content": [
        {"type": "text", "text": "I greet them both."},
        {"type": "tool_use", "id": "toolu_01A09q90qw90lq917835lq9", "name": "sayHello",
         "input": {"personName": "Ada"}},
        {"type": "tool_use", "id": "toolu_01B19q90qw90lq917835lq9", "name": "sayHello",
         "input": {"personName": "Bob 👋"}},
    ]}));
    messages.push(json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "toolu_01A09q90qw90lq917835lq9",
         "content": "Hello, Ada! Nice to meet you."},
        {"type": "tool_result", "tool_use_id": "toolu_01B19q90qw90lq917835lq9",
         "content": "Hello, Bob 👋! Nice to meet you."},
    ]}));
    mark_last_block(&mut second);
    assert_eq!(requests[1].json(), second);
    assert!(
        conversation
            .messages()
            .iter()
            .all(|message| message.parts().iter().all(|part| part.as_text().is_some()))
    );
}

/// Marks the last block for the cache, as a request to a compatible server has it.
fn mark_last_block(request: &mut Value) {
    let messages = request["messages"].as_array_mut().expect("messages");
    let content = &mut messages.last_mut().expect("a message")["content"];
    let blocks = content.as_array_mut().expect("blocks");
    blocks.last_mut().expect("a block")["cache_control"] = json!({"type": "ephemeral"});
}

#[tokio::test]
async fn a_streamed_request_differs_only_in_its_stream_member() {
    let plain = ANTHROPIC
        .execute(vec![ANTHROPIC.answer("hello.json")])
        .await;
    let mut expected = plain.2.requests()[0].json();
    expected["stream"] = json!(true);
    let streamed = ANTHROPIC.stream(vec![ANTHROPIC.answer("hello.sse")]).await;
    assert_eq!(streamed.requests[0], expected);
}

#[tokio::test]
async fn sends_signed_thoughts_back_unchanged() {
    for ending in ["json", "sse"] {
        let answers = ["calls_thinking", "hello"].map(|name| format!("{name}.{ending}"));
        let answers = answers.map(|file| ANTHROPIC.answer(&file)).into();
        let request = if ending == "json" {
            let (response, _, server) = ANTHROPIC.execute(answers).await;
            assert_eq!(response.expect("an answer").usage.reasoning_tokens, 21);
            server.requests()[1].json()
        } else {
            ANTHROPIC.stream(answers).await.requests[1].clone()
        };
        let reply: Value =
            serde_json::from_str(&ANTHROPIC.read("calls_thinking.json")).expect("a reply");
        assert_eq!(
            request["messages"][1]["content"], reply["content"],
            "{ending}"
        );
    }
}

/// Blocks of the server's own tools, citations, and thoughts that cannot be read.
#[tokio::test]
async fn sends_blocks_of_the_server_and_redacted_thoughts_back_unchanged() {
    for name in ["search", "redacted"] {
        let reply: Value =
            serde_json::from_str(&ANTHROPIC.read(&format!("{name}.json"))).expect("a reply");
        for ending in ["json", "sse"] {
            let answer = vec![ANTHROPIC.answer(&format!("{name}.{ending}"))];
            let conversation = match ending {
                "json" => ANTHROPIC.execute(answer).await.1,
                _ => ANTHROPIC.stream(answer).await.conversation,
            };
            let request = ANTHROPIC
                .request_after(conversation.messages().to_vec())
                .await;
            assert_eq!(
                request["messages"][1]["content"], reply["content"],
                "{name}.{ending}"
            );
        }
    }
}

#[tokio::test]
async fn streams_thoughts_apart_from_the_text() {
    let streamed = ANTHROPIC
        .stream(vec![ANTHROPIC.answer("thinking.sse")])
        .await;
    assert_eq!(streamed.text(), "Hello, Ada!");
    assert_eq!(streamed.thoughts(), "Ada told me her name, so I greet her.");
}

#[tokio::test]
async fn leaves_out_blank_texts_and_alternates_roles() {
    let call = |id| ToolCall::new(id, "say hello", "[1]");
    let request = ANTHROPIC
        .request_after(vec![
            Message::assistant("Welcome."),
            Message::user("Hi."),
            Message::user(" \n"),
            Message::user("Hello?"),
            Message::assistant(" ").with_tool_calls([call("a.b"), call("c")]),
            Message::function("say hello", "a.b", "there is no such tool").into_error(),
            Message::function("say hello", "c", ""),
            Message::user("Hm."),
            Message::assistant(" "),
        ])
        .await;
    let text = |text: &str| json!({"type": "text", "text": text});
    let call = |id: &Value| json!({"type": "tool_use", "id": id, "name": "say_hello", "input": {}});
    // Anthropic rejects the dot. The replacement is derived from the id.
    let replaced = request["messages"][3]["content"][0]["id"].clone();
    assert!(replaced.as_str().is_some_and(|id| id.starts_with("id_")));
    let mut expected = json!({"messages": [
        {"role": "user", "content": [text("(The conversation begins with your answer.)")]},
        {"role": "assistant", "content": [text("Welcome.")]},
        {"role": "user", "content": [text("Hi."), text("Hello?")]},
        {"role": "assistant", "content": [call(&replaced), call(&json!("c"))]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": replaced, "content": "there is no such tool",
             "is_error": true},
            {"type": "tool_result", "tool_use_id": "c"},
            text("Hm."),
            text("And now?"),
        ]},
    ]});
    mark_last_block(&mut expected);
    assert_eq!(request["messages"], expected["messages"]);
}

/// Returns the request for an agent with these settings.
async fn sent_request(settings: &str, base: &str) -> Request {
    let model = ANTHROPIC.model;
    let gram = format!("[a:Agent {{instruction: \"Greet.\", model: \"{model}\"{settings}}}]");
    ANTHROPIC.request_for(&gram, base).await
}

#[tokio::test]
async fn sends_settings_under_anthropics_names() {
    let settings = ", temperature: 0.5, topP: 0.9, seed: 7, maxTokens: 100, stop: [\"END\"], \
                    cache: \"off\"";
    let request = sent_request(settings, "").await;
    assert_eq!(
        request.json(),
        json!({
            "model": "claude-haiku-4-5",
            "max_tokens": 100,
            "system": "Greet.",
            "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
            "stop_sequences": ["END"],
        })
    );
}

#[tokio::test]
async fn accepts_a_base_url_with_the_version() {
    for base in ["", "/", "/v1", "/v1/"] {
        let request = sent_request("", base).await;
        assert_eq!(request.line, "POST /v1/messages HTTP/1.1", "{base}");
    }
    let request = sent_request("", "/proxy/anthropic").await;
    assert_eq!(request.line, "POST /proxy/anthropic/v1/messages HTTP/1.1");
}

#[tokio::test]
async fn reads_key_and_base_url_from_variables() {
    for (variables, key, token) in [
        (
            &[("ANTHROPIC_AUTH_TOKEN", "t-1")][..],
            None,
            Some("Bearer t-1"),
        ),
        (
            &[
                ("ANTHROPIC_AUTH_TOKEN", "t-1"),
                ("ANTHROPIC_API_KEY", "k-1"),
            ],
            Some("k-1"),
            None,
        ),
        (&[], None, None),
    ] {
        let request = ANTHROPIC
            .request_with_variables("ANTHROPIC_BASE_URL", variables)
            .await;
        assert_eq!(request.header("x-api-key"), key);
        assert_eq!(request.header("authorization"), token);
    }
}

#[tokio::test]
async fn an_error_names_the_variables_of_a_missing_key() {
    let runtime = Runtime::builder().environment(Environment::empty());
    let runtime = runtime.build().expect("a runtime");
    let (mut conversation, library) = (Conversation::new(), library([hello_tool()]));
    let error = runtime
        .execute(&ANTHROPIC.agent(), "Hi", &mut conversation, &library)
        .await
        .expect_err("no key");
    assert!(error.is_configuration());
    let text = error.to_string();
    assert!(
        text.contains("ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN") && text.contains("--offline"),
        "{text}"
    );
}

#[tokio::test]
async fn counts_cached_tokens_as_input() {
    let expected = json!({"inputTokens": 86, "outputTokens": 9, "requests": 1, "cachedTokens": 64,
                          "cacheWrittenTokens": 4});
    let (response, ..) = ANTHROPIC
        .execute(vec![ANTHROPIC.answer("hello.json")])
        .await;
    assert_eq!(response.expect("an answer").usage.to_json(), expected);
    let streamed = ANTHROPIC.stream(vec![ANTHROPIC.answer("hello.sse")]).await;
    assert_eq!(streamed.response().usage.to_json(), expected);
}

#[tokio::test]
async fn parses_stop_reasons() {
    for (file, reason) in [
        ("hello.json", FinishReason::Stop),
        ("stopped.json", FinishReason::Stop),
        ("long.json", FinishReason::Length),
        ("window.json", FinishReason::Length),
        ("refusal.json", FinishReason::ContentFilter),
    ] {
        let (response, ..) = ANTHROPIC.execute(vec![ANTHROPIC.answer(file)]).await;
        assert_eq!(response.expect("an answer").finish_reason, reason, "{file}");
    }
}

/// A refusal often ends an answer before its first text.
#[tokio::test]
async fn returns_the_explanation_of_a_refusal_without_text() {
    let said = json!({"type": "refusal", "category": "bio", "explanation": "Not about this."});
    let body = json!({"content": [], "stop_reason": "refusal", "stop_details": said});
    let delta = json!({"stop_reason": "refusal", "stop_details": said});
    let events = [
        json!({"type": "message_start", "message": {"content": []}}),
        json!({"type": "message_delta", "delta": delta}),
        json!({"type": "message_stop"}),
    ];
    let events = events.map(|event| format!("data: {event}\n\n")).concat();
    let (plain, ..) = ANTHROPIC
        .execute(vec![status(200, &body.to_string())])
        .await;
    let events = streamed("text/event-stream", events);
    let streamed = ANTHROPIC.stream(vec![events]).await;
    for response in [&plain.expect("an answer"), streamed.response()] {
        assert_eq!(response.content, "Not about this.");
        assert_eq!(response.finish_reason, FinishReason::ContentFilter);
    }
}

fn error_body(kind: &str, message: &str) -> String {
    let error = json!({"type": kind, "message": message});
    json!({"type": "error", "error": error, "request_id": "req_1"}).to_string()
}

#[tokio::test]
async fn reports_errors_with_their_text() {
    use crate::support::server::Answer::Plain;
    let body = error_body(
        "invalid_request_error",
        "`temperature` is deprecated for this model.",
    );
    let error = ANTHROPIC
        .execute_err(vec![Plain(400, "request-id: req_011\r\n", body)])
        .await;
    let text = error.to_string();
    assert!(error.is_llm() && !error.is_unavailable(), "{text}");
    assert!(
        text.contains("(request req_011): `temperature` is deprecated"),
        "{text}"
    );
    let error = ANTHROPIC
        .execute_err(vec![status(
            401,
            &error_body("authentication_error", "bad key"),
        )])
        .await;
    assert!(error.is_configuration());
    let overloaded = || status(529, &error_body("overloaded_error", "Overloaded"));
    let error = ANTHROPIC
        .execute_err(vec![overloaded(), overloaded(), overloaded()])
        .await;
    assert!(
        error.is_unavailable() && error.to_string().contains("529"),
        "{error}"
    );
    // With a success status.
    let error = ANTHROPIC
        .execute_err(vec![status(200, &error_body("api_error", "Sorry"))])
        .await;
    assert!(
        error.is_unavailable() && error.to_string().contains("Sorry"),
        "{error}"
    );
    for (body, why) in [("<html>", "is not JSON"), ("{}", "has no content")] {
        let error = ANTHROPIC.execute_err(vec![status(200, body)]).await;
        assert!(error.is_llm() && error.to_string().contains(why), "{error}");
    }
}

#[tokio::test]
async fn reports_an_error_within_a_stream() {
    let text = ANTHROPIC.read("hello.sse");
    let (begun, _) = text
        .split_once("event: content_block_stop")
        .expect("a block");
    let error = error_body("overloaded_error", "Overloaded");
    let broken = format!("{begun}event: error\ndata: {error}\n\n");
    let streamed = ANTHROPIC
        .stream(vec![streamed("text/event-stream", broken)])
        .await;
    assert_eq!(streamed.text(), "Grüß dich, Ada 👋!");
    let error = streamed.error.expect("an error");
    assert!(
        error.is_llm() && error.to_string().contains("Overloaded"),
        "{error}"
    );
}

#[tokio::test]
async fn an_answer_without_an_end_is_an_error() {
    let text = ANTHROPIC.read("calls.sse");
    let (begun, _) = text.split_once("event: message_delta").expect("an end");
    let streamed = ANTHROPIC
        .stream(vec![streamed("text/event-stream", begun)])
        .await;
    let error = streamed.error.expect("an error");
    assert!(
        error.to_string().contains("broke its answer off"),
        "{error}"
    );
}

#[tokio::test]
async fn parses_a_text_without_its_first_event() {
    let events = [
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "H"}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "i"}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
        json!({"type": "message_stop"}),
    ];
    let events = events.map(|event| format!("data: {event}\n\n")).concat();
    let answer = crate::support::server::streamed("text/event-stream", events);
    assert_eq!(
        ANTHROPIC.stream(vec![answer]).await.response().content,
        "Hi"
    );
}

#[tokio::test]
async fn a_call_of_a_program_is_sent_back_with_its_caller() {
    let caller = json!({"type": "code_execution_20250825", "tool_id": "srvtoolu_1"});
    let body = json!({"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [
        {"type": "tool_use", "id": "toolu_1", "name": "sayHello", "input": {"personName": "Ada"},
         "caller": caller},
        {"type": "tool_use", "id": "toolu_2", "name": "sayHello", "input": {"personName": "Bob"},
         "caller": {"type": "direct"}},
    ], "stop_reason": "tool_use", "usage": {"input_tokens": 1, "output_tokens": 1}});
    let answers = vec![
        status(200, &body.to_string()),
        ANTHROPIC.answer("hello.json"),
    ];
    let (response, _, server) = ANTHROPIC.execute(answers).await;
    response.expect("an answer");
    let sent = server.requests()[1].json();
    let calls = &sent["messages"][1]["content"];
    assert_eq!(calls[0]["caller"], caller);
    assert_eq!(calls[0]["id"], "toolu_1");
    assert_eq!(calls[1].get("caller"), None);
}

/// The thoughts of a conversation may have been signed for another key.
#[tokio::test]
async fn a_conversation_goes_on_without_thoughts_that_are_refused() {
    let refused = || {
        let text = "messages.1.content.0: Invalid `signature` in `thinking` block";
        let error = json!({"type": "invalid_request_error", "message": text});
        status(400, &json!({"type": "error", "error": error}).to_string())
    };
    for is_streamed in [false, true] {
        let answer = |name: &str| {
            let ending = if is_streamed { "sse" } else { "json" };
            ANTHROPIC.answer(&format!("{name}.{ending}"))
        };
        let server = Server::start(vec![
            answer("thinking"),
            refused(),
            answer("thinking"),
            answer("hello"),
            refused(),
        ]);
        let runtime = ANTHROPIC.runtime(&server).build().expect("a runtime");
        let agent = Agent::new("a", ANTHROPIC.model, "Answer.").expect("an agent");
        let mut conversation = Conversation::new();
        for input in ["Hi", "And now?", "And then?"] {
            let run = runtime.run(&agent, input).conversation(&mut conversation);
            let response = match is_streamed {
                true => run.streaming().await,
                false => run.await,
            };
            response.unwrap_or_else(|error| panic!("{input}: {error}"));
        }
        let requests = server.requests();
        assert_eq!(requests.len(), 4);
        let has_thoughts = |request: usize, message: usize| {
            let sent = requests[request].json();
            let blocks = sent["messages"][message]["content"].as_array().cloned();
            let blocks = blocks.expect("blocks");
            assert!(blocks.iter().any(|block| block["type"] == "text"), "{sent}");
            blocks.iter().any(|block| block["type"] == "thinking")
        };
        assert!(has_thoughts(1, 1));
        assert!(!has_thoughts(2, 1));
    }
}

#[tokio::test]
async fn a_refused_signature_is_an_error_if_there_is_none_to_leave_out() {
    let text = "Invalid `signature` in `thinking` block";
    let error = json!({"type": "invalid_request_error", "message": text});
    let body = json!({"type": "error", "error": error}).to_string();
    let error = ANTHROPIC.execute_err(vec![status(400, &body)]).await;
    assert!(error.is_llm(), "{error:?}");
    let error = error.to_string();
    for words in [text, "use these again, or leave out the earlier answers"] {
        assert!(error.contains(words), "{error}");
    }
}

/// Returns an answer with these blocks, in one piece or as events.
fn answer_of(blocks: &[Value], reason: &str, is_streamed: bool) -> Answer {
    let delta = json!({"stop_reason": reason});
    if !is_streamed {
        let body = json!({"content": blocks, "stop_reason": reason});
        return status(200, &body.to_string());
    }
    let mut events = vec![json!({"type": "message_start", "message": {"content": []}})];
    for (index, block) in blocks.iter().enumerate() {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "message_delta", "delta": delta}));
    events.push(json!({"type": "message_stop"}));
    let events: Vec<String> = (events.iter())
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    streamed("text/event-stream", events.concat())
}

/// Runs an agent with these settings on two inputs. Returns the responses and the requests.
async fn two_inputs(
    settings: &str,
    answers: Vec<Answer>,
    is_streamed: bool,
) -> (Vec<AgentResponse>, Vec<Value>) {
    let server = Server::start(answers);
    let runtime = ANTHROPIC.runtime(&server).build().expect("a runtime");
    let model = ANTHROPIC.model;
    let gram =
        format!("[a:Agent {{instruction: \"Answer.\", model: \"{model}\"{settings}}}{TOOL}]");
    let agent = AgentPattern::parse(&gram).expect("an agent");
    let (library, mut conversation) = (library([hello_tool()]), Conversation::new());
    let mut responses = Vec::new();
    for input in ["Hi", "And now?"] {
        let run = runtime.run(&agent, input).tools(&library);
        let run = run.conversation(&mut conversation);
        let response = match is_streamed {
            true => run.streaming().await,
            false => run.await,
        };
        responses.push(response.unwrap_or_else(|error| panic!("{input}: {error}")));
    }
    let requests = server.requests().iter().map(Request::json).collect();
    (responses, requests)
}

/// Removes the marks of caches from the blocks of a message.
fn remove_marks(message: &mut Value) {
    for block in message["content"].as_array_mut().into_iter().flatten() {
        block
            .as_object_mut()
            .expect("a block")
            .remove("cache_control");
    }
}

fn thought() -> Value {
    json!({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"})
}

fn said(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// The provider's own tools may take long before the first text.
#[tokio::test]
async fn an_answer_that_is_paused_before_its_text_is_sent_back() {
    for is_streamed in [false, true] {
        let search = json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
                            "input": {"query": "parcels"}});
        let blocks = [thought(), search];
        let (responses, requests) = two_inputs(
            "",
            vec![
                answer_of(&blocks, "pause_turn", is_streamed),
                answer_of(&[said("It is in Ulm.")], "end_turn", is_streamed),
                answer_of(&[said("Yes.")], "end_turn", is_streamed),
            ],
            is_streamed,
        )
        .await;
        assert_eq!(responses[0].content, "It is in Ulm.");
        let mut sent = requests[1]["messages"][1].clone();
        assert_eq!(sent["role"], "assistant");
        remove_marks(&mut sent);
        assert_eq!(sent["content"], json!(blocks));
    }
}

/// An answer ends with a thought if it was cut off there, or if the model had nothing to add to its calls.
#[tokio::test]
async fn a_thought_at_the_end_of_an_answer_is_not_sent_back() {
    for is_streamed in [false, true] {
        let hidden = json!({"type": "redacted_thinking", "data": "ZGF0YQ=="});
        for (blocks, expected) in [
            (vec![said("A"), thought(), hidden], json!([said("A")])),
            (
                vec![thought(), said("A"), thought()],
                json!([thought(), said("A")]),
            ),
        ] {
            let answers = vec![
                answer_of(&blocks, "max_tokens", is_streamed),
                answer_of(&[said("Yes.")], "end_turn", is_streamed),
            ];
            let (_, requests) = two_inputs("", answers, is_streamed).await;
            let mut sent = requests[1]["messages"][1].clone();
            remove_marks(&mut sent);
            assert_eq!(sent["content"], expected);
        }
        let call = json!({"type": "tool_use", "id": "t", "name": "sayHello",
                          "input": {"personName": "Ada"}});
        let answers = vec![
            answer_of(&[thought(), call], "tool_use", is_streamed),
            answer_of(&[thought()], "end_turn", is_streamed),
            answer_of(&[said("Yes.")], "end_turn", is_streamed),
        ];
        let (responses, requests) = two_inputs("", answers, is_streamed).await;
        assert_eq!(responses[0].content, "");
        // The next input follows the result, because nothing is left of the answer.
        let messages = requests[2]["messages"].as_array().expect("messages");
        let roles: Vec<&Value> = messages.iter().map(|message| &message["role"]).collect();
        assert_eq!(roles, ["user", "assistant", "user"]);
    }
}

/// Anthropic rejects a budget between calls when the answer that made them begins with something else.
#[tokio::test]
async fn between_calls_a_budget_needs_an_answer_that_begins_with_a_thought() {
    let call = json!({"type": "tool_use", "id": "t", "name": "sayHello",
                      "input": {"personName": "Ada"}});
    let forced = ", thinkingBudget: 2048, toolChoice: \"required\"";
    for (settings, blocks, expected) in [
        (
            ", thinkingBudget: 2048",
            vec![thought(), call.clone()],
            [true, true, true],
        ),
        (
            ", thinkingBudget: 2048",
            vec![call.clone()],
            [true, false, true],
        ),
        // The first request of each turn demands a call.
        (forced, vec![call], [false, false, false]),
    ] {
        let answers = vec![
            answer_of(&blocks, "tool_use", false),
            answer_of(&[said("Done.")], "end_turn", false),
            answer_of(&[said("Yes.")], "end_turn", false),
        ];
        let (_, requests) = two_inputs(settings, answers, false).await;
        let has_budget: Vec<bool> = (requests.iter())
            .map(|request| request.get("thinking").is_some())
            .collect();
        assert_eq!(has_budget, expected, "{settings}");
    }
}
