//! Tests of the wire format of OpenAI's Responses API.

use crate::providers::exchange::{Dialect, OPENAI, RESPONSES};
use crate::support::check_unanswered;
use crate::support::server::{Answer, Server, status, streamed};
use agent_runtime::conversation::{Audio, Document, Image, Part, Thinking, ToolCall};
use agent_runtime::model::{CompatibleProvider, FinishReason};
use agent_runtime::runtime::Input;
use agent_runtime::{
    Agent, AgentResponse, Conversation, Environment, Error, GramType, Message, Runtime,
};
use serde::Deserialize;
use serde_json::{Value, json};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
const PNG_URL: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB";

/// The JSON of a reply file.
fn reply(name: &str) -> Value {
    serde_json::from_str(&RESPONSES.read(&format!("{name}.json"))).expect("JSON")
}

/// Runs an agent without tools on two inputs. The second one is answered by the file `hello`.
async fn two_turns(name: &str, is_streamed: bool) -> (AgentResponse, Conversation, Value) {
    let ending = if is_streamed { "sse" } else { "json" };
    let answers = [name, "hello"].map(|name| RESPONSES.answer(&format!("{name}.{ending}")));
    let server = Server::start(answers.into());
    let runtime = RESPONSES.runtime(&server).build().expect("a runtime");
    let agent = Agent::new("a", RESPONSES.model, "Answer.").expect("an agent");
    let mut conversation = Conversation::new();
    let mut responses = Vec::new();
    for input in ["Hi", "And now?"] {
        let run = runtime.run(&agent, input).conversation(&mut conversation);
        let response = match is_streamed {
            true => run.streaming().await,
            false => run.await,
        };
        responses.push(response.unwrap_or_else(|error| panic!("{name}: {error}")));
    }
    let request = server.requests()[1].json();
    (responses.remove(0), conversation, request)
}

#[tokio::test]
async fn sends_a_conversation_with_calls_and_parses_its_replies() {
    let answers = vec![
        RESPONSES.answer("calls.json"),
        RESPONSES.answer("hello.json"),
    ];
    let (response, conversation, server) = RESPONSES.execute(answers).await;
    let response = response.expect("an answer");
    assert_eq!(response.content, "Grüß dich, Ada 👋!");
    assert_eq!(response.tools_used.len(), 2);
    let requests = server.requests();
    assert_eq!(requests[0].line, "POST /v1/responses HTTP/1.1");
    let key = format!("Bearer {}", RESPONSES.key.1);
    assert_eq!(requests[0].header("authorization"), Some(key.as_str()));
    let first = json!({
        "model": "gpt-5-mini",
        "instructions": "Greet people.",
        "input": [{"type": "message", "role": "user", "content": "Hello, I'm Ada"}],
        "tools": [{
            "type": "function",
            "name": "sayHello",
            "description": crate::support::GREETING,
            "parameters": {
                "type": "object",
                "properties": {"personName": {"type": "string"}},
                "required": ["personName"],
            },
            "strict": false,
        }],
        "store": false,
        "include": ["reasoning.encrypted_content"],
    });
    assert_eq!(requests[0].json(), first);
    let mut second = first;
    let call = |id: &str, arguments: &str| {
        json!({"type": "function_call", "call_id": id, "name": "sayHello",
               "arguments": arguments})
    };
    let result = |id: &str, output: &str| json!({"type": "function_call_output", "call_id": id, "output": output});
    second["input"].as_array_mut().expect("items").extend([
        call("call_a1", "{\"personName\":\"Ada\"}"),
        call("call_b2", "{\"personName\": \"Bob 👋\"}"),
        result("call_a1", "Hello, Ada! Nice to meet you."),
        result("call_b2", "Hello, Bob 👋! Nice to meet you."),
    ]);
    assert_eq!(requests[1].json(), second);
    // Plain texts and calls need no data of the provider.
    let mut parts = conversation.messages().iter().flat_map(Message::parts);
    assert!(parts.all(|part| part.as_text().is_some()));
}

#[tokio::test]
async fn a_streamed_request_differs_only_in_its_stream_member() {
    let answers = || vec![RESPONSES.answer("hello.json")];
    let (_, _, server) = RESPONSES.execute(answers()).await;
    let mut expected = server.requests()[0].json();
    expected["stream"] = json!(true);
    let streamed = RESPONSES.stream(vec![RESPONSES.answer("hello.sse")]).await;
    assert_eq!(streamed.requests[0], expected);
    let usage = streamed.response().usage.to_json();
    assert_eq!(
        usage,
        json!({"inputTokens": 82, "outputTokens": 9, "requests": 1, "cachedTokens": 64,
               "cacheWrittenTokens": 4, "reasoningTokens": 2})
    );
}

/// The items of the request after an answer that thought, commented and called tools.
fn thinking_items() -> Vec<Value> {
    let mut items = reply("calls_thinking")["output"].take();
    let items = items.as_array_mut().expect("items");
    for item in items.iter_mut() {
        let item = item.as_object_mut().expect("an item");
        if item["type"] == "function_call" {
            item.remove("id");
            item.remove("status");
        }
        for part in item
            .get_mut("content")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            part.as_object_mut().expect("a part").remove("logprobs");
        }
    }
    std::mem::take(items)
}

#[tokio::test]
async fn sends_encrypted_reasoning_back_in_its_place() {
    for ending in ["json", "sse"] {
        let answers = ["calls_thinking", "hello"].map(|name| format!("{name}.{ending}"));
        let answers = answers.map(|file| RESPONSES.answer(&file)).into();
        let (request, conversation) = if ending == "json" {
            let (response, conversation, server) = RESPONSES.execute(answers).await;
            assert_eq!(response.expect("an answer").usage.reasoning_tokens, 23);
            (server.requests()[1].json(), conversation)
        } else {
            let streamed = RESPONSES.stream(answers).await;
            assert_eq!(
                streamed.thoughts(),
                "**Greeting both**\n\nAda and Bob get**Order**\n\nAda comes first."
            );
            (streamed.requests[1].clone(), streamed.conversation)
        };
        let items = request["input"].as_array().expect("items");
        assert_eq!(items[1..6], thinking_items(), "{ending}");
        // The reasoning of an item that is not done yet is incomplete.
        assert!(!request.to_string().contains("incomplete"), "{request}");
        let thought = |text: &str| Part::from(Thinking::new("OpenAIResponses", text));
        assert_eq!(
            conversation.messages()[1].parts()[..3],
            [
                thought("**Greeting both**\n\nAda and Bob get"),
                thought("**Order**\n\nAda comes first."),
                "I greet them both.".into(),
            ]
        );
        // A store keeps it, too.
        let stored = Conversation::from_json(&conversation.to_json()).expect("its own form");
        let again = RESPONSES.request_after(stored.messages().to_vec()).await;
        let items = again["input"].as_array().expect("items");
        assert_eq!(items[1..5], thinking_items()[..4], "{ending}");
    }
}

#[tokio::test]
async fn readable_reasoning_goes_back_to_the_server_that_does_not_encrypt_it() {
    for is_streamed in [false, true] {
        let (response, _, request) = two_turns("open_thinking", is_streamed).await;
        let thought = |text: &str| Part::from(Thinking::new("OpenAIResponses", text));
        let expected = [
            thought("The user is Ada."),
            thought("I greet her."),
            "Hello, Ada!".into(),
        ];
        assert_eq!(response.parts, expected);
        assert_eq!(request["input"][1], reply("open_thinking")["output"][0]);
    }
}

#[tokio::test]
async fn a_refusal_is_a_part_and_goes_back_as_one() {
    for is_streamed in [false, true] {
        let (response, _, request) = two_turns("text_then_refusal", is_streamed).await;
        assert_eq!(
            response.parts,
            ["Let me see. ".into(), "I cannot help with that.".into()]
        );
        assert_eq!(response.finish_reason, FinishReason::ContentFilter);
        let text = json!({"type": "output_text", "text": "Let me see. ", "annotations": []});
        let refusal = json!({"type": "refusal", "refusal": "I cannot help with that."});
        assert_eq!(request["input"][1]["content"], json!([text, refusal]));
        let (response, _, request) = two_turns("refusal", is_streamed).await;
        assert_eq!(response.content, "I cannot help with that.");
        assert_eq!(response.finish_reason, FinishReason::ContentFilter);
        assert_eq!(request["input"][1]["content"], json!([refusal]));
    }
}

#[tokio::test]
async fn incomplete_answers_have_their_reason() {
    for (name, text, reason) in [
        ("long", "And so it went on and", FinishReason::Length),
        ("filtered", "I would", FinishReason::ContentFilter),
        (
            "many_messages",
            "First.Second.",
            FinishReason::Other("max_messages".to_owned()),
        ),
    ] {
        for is_streamed in [false, true] {
            let (response, _, request) = two_turns(name, is_streamed).await;
            assert_eq!(response.content, text);
            assert_eq!(response.finish_reason, reason, "{name}");
            assert!(request.to_string().contains("And now?"));
        }
    }
}

/// Items of the provider's own tools, and items that this version does not know.
#[tokio::test]
async fn items_of_the_providers_tools_go_back_as_they_came() {
    for (name, count) in [("search", 1), ("unknown", 3)] {
        for is_streamed in [false, true] {
            let (response, conversation, request) = two_turns(name, is_streamed).await;
            assert!(!response.content.is_empty(), "{name}");
            let items = reply(name)["output"].take();
            let sent = request["input"].as_array().expect("items");
            assert_eq!(
                sent[1..=count],
                items.as_array().expect("items")[..count],
                "{name}"
            );
            // Another provider gets the text alone.
            let other = OPENAI.request_after(conversation.messages().to_vec()).await;
            let said = json!({"role": "assistant", "content": response.content});
            assert_eq!(other["messages"][2], said);
        }
    }
    let (.., request) = two_turns("search", false).await;
    let annotations = &request["input"][2]["content"][0]["annotations"];
    assert_eq!(annotations[0]["url"], "https://example.com/ada");
}

#[tokio::test]
async fn images_of_an_answer_are_parts_and_go_back_as_they_came() {
    for is_streamed in [false, true] {
        let (response, conversation, request) = two_turns("drawing", is_streamed).await;
        let drawn = &reply("drawing")["output"][1];
        let [Part::Image(image), Part::Text(text)] = response.parts.as_slice() else {
            panic!("{:?}", response.parts);
        };
        assert_eq!(image.media_type(), Some("image/png"));
        assert!(image.bytes().is_some_and(|bytes| bytes.starts_with(PNG)));
        assert_eq!(text, "A dot.");
        assert_eq!(request["input"][2], *drawn);
        // The bytes are in the message once.
        let said = &conversation.messages()[1];
        let [_, _, Part::Provider(kept)] = said.parts() else {
            panic!("{said:?}");
        };
        assert_eq!(kept.data()[1].get("result"), None);
        // Another provider gets the image in a message of the user.
        let other = OPENAI.request_after(conversation.messages().to_vec()).await;
        assert_eq!(other["messages"][3]["content"][1]["type"], "image_url");
    }
}

#[tokio::test]
async fn an_edited_answer_is_sent_as_text() {
    let answers = ["calls_thinking.json", "hello.json"].map(|file| RESPONSES.answer(file));
    let (_, conversation, _) = RESPONSES.execute(answers.into()).await;
    let messages = conversation.messages();
    let mut parts = messages[1].parts().to_vec();
    parts.push("More.".into());
    let edited = Message::assistant_parts(parts).with_tool_calls(messages[1].tool_calls().to_vec());
    let history = [&[messages[0].clone(), edited], &messages[2..]].concat();
    let request = RESPONSES.request_after(history).await;
    let text =
        json!({"type": "message", "role": "assistant", "content": "I greet them both.More."});
    assert_eq!(request["input"][1], text);
    assert_eq!(request["input"][2]["call_id"], "call_a1");
    assert!(!request.to_string().contains("gAAAA"), "{request}");
}

#[tokio::test]
async fn media_are_sent_in_messages_and_in_results() {
    let call = ToolCall::new("call_1", "sayHello", r#"{"personName":"Ada"}"#);
    let pdf = || Document::new(b"%PDF-1.7\n").with_name("a.pdf");
    let history = vec![
        Message::user_parts([
            "Who is this?".into(),
            Image::new(PNG).into(),
            Image::from_url("https://example.com/a.png").into(),
            Image::from_file_id("OpenAI", "file-1").into(),
            Document::new(b"Ada's diary").with_name("diary.txt").into(),
            pdf().into(),
            Document::from_url("https://example.com/a.pdf").into(),
            Document::from_file_id("OpenAIResponses", "file-2").into(),
        ]),
        Message::assistant("").with_tool_calls([call]),
        Message::function_parts(
            "sayHello",
            "call_1",
            ["Hello!".into(), Image::new(PNG).into(), pdf().into()],
        ),
        Message::assistant_parts(["It is Ada.".into(), Image::new(PNG).into()]),
    ];
    let request = RESPONSES.request_after(history).await;
    let input = &request["input"];
    let text = |text: &str| json!({"type": "input_text", "text": text});
    let image = json!({"type": "input_image", "detail": "auto", "image_url": PNG_URL});
    let file = json!({"type": "input_file", "filename": "a.pdf",
                      "file_data": "data:application/pdf;base64,JVBERi0xLjcK"});
    assert_eq!(
        input[0]["content"],
        json!([
            text("Who is this?"),
            image,
            {"type": "input_image", "detail": "auto", "image_url": "https://example.com/a.png"},
            {"type": "input_image", "detail": "auto", "file_id": "file-1"},
            text("diary.txt\nAda's diary"),
            file,
            {"type": "input_file", "file_url": "https://example.com/a.pdf"},
            {"type": "input_file", "file_id": "file-2"},
        ])
    );
    assert_eq!(input[2]["output"], json!([text("Hello!"), image, file]));
    // The image of another provider's answer.
    assert_eq!(input[3]["content"], "It is Ada.\n\n[image 1]");
    let shown = json!([text("From your answer:"), image]);
    assert_eq!(
        input[4],
        json!({"type": "message", "role": "user", "content": shown})
    );
}

#[tokio::test]
async fn audio_is_an_error_before_the_request() {
    let server = Server::start(vec![]);
    let runtime = RESPONSES.runtime(&server).build().expect("a runtime");
    let agent = Agent::new("a", RESPONSES.model, "Listen.").expect("an agent");
    let input = Input::new("What is said?").audio(Audio::new(*b"RIFF\0\0\0\0WAVE"));
    let error = runtime.run(&agent, input).await.expect_err("no audio");
    assert!(error.is_validation(), "{error:?}");
    let text = error.to_string();
    assert!(
        text.contains("part 2 of message 1 (type `audio`) cannot be sent to OpenAIResponses"),
        "{text}"
    );
    assert!(server.requests().is_empty());
}

#[derive(Debug, Deserialize, GramType, PartialEq)]
struct Town {
    name: String,
    inhabitants: u32,
}

/// An answer in one piece with this text.
fn said(text: &str) -> Answer {
    let part = json!({"type": "output_text", "text": text, "annotations": []});
    let item = json!({"type": "message", "id": "msg_1", "role": "assistant",
                      "status": "completed", "content": [part]});
    status(
        200,
        &json!({"status": "completed", "output": [item]}).to_string(),
    )
}

#[tokio::test]
async fn a_typed_answer_that_is_a_record_has_a_text_format() {
    let server = Server::start(vec![
        said(r#"{"name": "Ulm", "inhabitants": 128000}"#),
        said("[1, 2]"),
    ]);
    let runtime = RESPONSES.runtime(&server).build().expect("a runtime");
    let agent = Agent::new("a", RESPONSES.model, "Answer.").expect("an agent");
    let answer = runtime.run(&agent, "Where?").output::<Town>().await;
    let town = Town {
        name: "Ulm".to_owned(),
        inhabitants: 128_000,
    };
    assert_eq!(answer.expect("an answer").value, town);
    let numbers = runtime.run(&agent, "Count.").output::<Vec<i64>>().await;
    assert_eq!(numbers.expect("an answer").value, [1, 2]);
    let requests = server.requests();
    let format = &requests[0].json()["text"]["format"];
    assert_eq!(format["type"], "json_schema");
    assert_eq!(format["strict"], true);
    let properties = format["schema"]["properties"].as_object();
    let names: Vec<_> = properties.expect("properties").keys().cloned().collect();
    assert_eq!(names, ["inhabitants", "name"]);
    assert_eq!(format["schema"]["additionalProperties"], false);
    // The text of a list would be an object by the schema, so the call of the tool alone has one.
    assert_eq!(requests[1].json().get("text"), None);
    assert_eq!(requests[1].json()["tools"][0]["name"], "finalAnswer");
}

fn event(json: &Value) -> String {
    let kind = json["type"].as_str().expect("a type");
    format!("event: {kind}\ndata: {json}\n\n")
}

async fn failed(dialect: &Dialect, body: String) -> Error {
    let answers = vec![streamed("text/event-stream", body)];
    let streamed = dialect.stream(answers).await;
    check_unanswered(&streamed.conversation);
    streamed.error.expect("an error")
}

#[tokio::test]
async fn errors_within_a_stream_have_their_cause() {
    let limited = json!({"code": "rate_limit_exceeded", "message": "Slow down."});
    let mut event_itself = limited.clone();
    event_itself["type"] = json!("error");
    let wrapped = json!({"type": "error", "error": limited});
    let response = json!({"id": "r", "status": "failed", "error": limited, "output": []});
    let response = json!({"type": "response.failed", "response": response});
    for json in [event_itself, wrapped, response] {
        for body in [event(&json), format!("data: {json}\n\n")] {
            let error = failed(&RESPONSES, body).await;
            assert!(error.is_rate_limited(), "{error:?}");
            assert!(error.is_unavailable(), "{error:?}");
            assert!(error.to_string().ends_with(": Slow down."), "{error}");
        }
    }
    for code in ["bio_policy", "misalignment_policy_violation"] {
        let error = json!({"code": code, "message": "No."});
        let response = json!({"status": "failed", "error": error, "output": []});
        let json = json!({"type": "response.failed", "response": response});
        let error = failed(&RESPONSES, event(&json)).await;
        assert!(error.is_refused(), "{code}: {error:?}");
    }
}

#[tokio::test]
async fn answers_that_are_none_are_errors() {
    for (body, words) in [
        (json!({"choices": []}), "has no output"),
        (
            json!({"status": "queued", "output": []}),
            "is not complete; its status is `queued`",
        ),
        (
            json!({"status": "completed", "output": [
                {"type": "function_call", "call_id": "c", "name": "", "arguments": "{}"}]}),
            "has a tool call without a name",
        ),
        (
            json!({"status": "failed", "error": {"message": "too hot"}}),
            "reports an error: too hot",
        ),
    ] {
        let error = RESPONSES
            .execute_err(vec![status(200, &body.to_string())])
            .await;
        assert!(error.is_llm(), "{error:?}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let delta = json!({"type": "response.output_text.delta", "delta": "Half a"});
    let error = failed(&RESPONSES, event(&delta)).await;
    assert!(
        error.to_string().contains("broke its answer off"),
        "{error}"
    );
}

/// Texts, thoughts and calls out of order, with positions and types that are none.
#[tokio::test]
async fn a_stream_of_nonsense_loses_no_text() {
    let piece = |index: Value, text: &str| {
        json!({"type": "response.output_text.delta", "output_index": index, "item_id": 7,
               "content_index": "x", "delta": text})
    };
    let completed = json!({"type": "response.completed", "response": {
        "id": "", "model": null, "usage": "much", "status": "completed",
        "input_transformations": [{"action": "removed"}, 7, null],
        "output": [null, 7, {}, {"type": "message", "content": "text"}]}});
    let events = [
        json!({"type": "response.output_item.done", "output_index": 3, "item": null}),
        piece(json!(9), "one "),
        json!({"type": "response.reasoning_summary_text.delta", "delta": 7}),
        json!({"type": "response.output_item.done", "output_index": 9, "item": {"type": 7}}),
        piece(json!(-1), "two "),
        json!({"type": "response.output_item.added"}),
        json!({"no": "type"}),
        json!([1]),
        piece(json!(u64::MAX), "three"),
        completed,
    ];
    let body: String = events
        .iter()
        .map(|json| format!("data: {json}\n\n"))
        .collect();
    let streamed = RESPONSES
        .stream(vec![streamed("text/event-stream", body)])
        .await;
    assert!(streamed.error.is_none(), "{:?}", streamed.error);
    assert_eq!(streamed.text(), "one two three");
    assert_eq!(streamed.response().content, "one two three");
}

#[tokio::test]
async fn a_compatible_server_has_a_name_and_a_key_of_its_own() {
    let server = Server::start(vec![RESPONSES.answer("hello.json")]);
    let acme = CompatibleProvider::openai_responses(format!("http://127.0.0.1:{}/v1", server.port))
        .key_variable("ACME_API_KEY");
    let variables = [
        ("ACME_API_KEY", "acme-1234567890"),
        ("OPENAI_API_KEY", "sk-vendor"),
        ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1"),
    ];
    let runtime = Runtime::builder()
        .environment(Environment::from_pairs(variables))
        .compatible_provider("Acme", acme)
        .build()
        .expect("a runtime");
    let agent = Agent::new("a", "Acme/large", "Answer.").expect("an agent");
    let response = runtime.run(&agent, "Hi").await.expect("an answer");
    assert_eq!(response.content, "Grüß dich, Ada 👋!");
    let request = server.requests().remove(0);
    assert_eq!(request.line, "POST /v1/responses HTTP/1.1");
    assert_eq!(
        request.header("authorization"),
        Some("Bearer acme-1234567890")
    );
    assert_eq!(request.json().get("prompt_cache_key"), None);
}
