//! Tests that images, documents and audio are sent in the form of each provider, and read from answers.

use crate::providers::exchange::{ANTHROPIC, Dialect, GOOGLE, OLLAMA, OPENAI, RESPONSES};
use crate::support::server::{Server, status, streamed};
use agent_runtime::conversation::{
    Audio, Document, Image, Part, ProviderPart, Sha256, Thinking, ToolCall,
};
use agent_runtime::runtime::Input;
use agent_runtime::{Agent, Conversation, Message, Tool as _, ToolSpec, tool, tools};
use serde_json::{Value, json};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
const PNG_IN_BASE64: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB";

/// A question with an image and a text file, a call whose result has an image, and an answer.
fn history() -> Vec<Message> {
    let call = ToolCall::new("call_1", "sayHello", r#"{"personName":"Ada"}"#);
    vec![
        Message::user_parts([
            "Who is this?".into(),
            Image::new(PNG).into(),
            Document::new(b"Ada's diary").with_name("diary.txt").into(),
        ]),
        Message::assistant("").with_tool_calls([call]),
        Message::function_parts(
            "sayHello",
            "call_1",
            ["Hello!".into(), Image::new(PNG).into()],
        ),
        Message::assistant("It is Ada."),
    ]
}

#[tokio::test]
async fn anthropic_gets_media_in_blocks_and_in_results() {
    let request = ANTHROPIC.request_after(history()).await;
    let source = json!({"type": "base64", "media_type": "image/png", "data": PNG_IN_BASE64});
    let image = json!({"type": "image", "source": source});
    let text = json!({"type": "text", "media_type": "text/plain", "data": "Ada's diary"});
    assert_eq!(
        request["messages"][0]["content"],
        json!([
            {"type": "text", "text": "Who is this?"},
            image,
            {"type": "document", "source": text, "title": "diary.txt"},
        ])
    );
    assert_eq!(
        request["messages"][2]["content"][0]["content"],
        json!([{"type": "text", "text": "Hello!"}, image])
    );
}

#[tokio::test]
async fn openai_gets_the_media_of_results_in_a_message_after_them() {
    let request = OPENAI.request_after(history()).await;
    let url = format!("data:image/png;base64,{PNG_IN_BASE64}");
    let image = json!({"type": "image_url", "image_url": {"url": url}});
    let messages = &request["messages"];
    assert_eq!(
        messages[1]["content"],
        json!([
            {"type": "text", "text": "Who is this?"},
            image,
            {"type": "text", "text": "diary.txt\nAda's diary"},
        ])
    );
    assert_eq!(messages[3]["content"], "Hello!\n\n[image 1]");
    let label = json!({"type": "text", "text": "From the result of `sayHello`:"});
    assert_eq!(
        messages[4],
        json!({"role": "user", "content": [label, image]})
    );
    assert_eq!(messages[5]["content"], "It is Ada.");
}

#[tokio::test]
async fn google_gets_the_media_of_results_after_all_results() {
    let request = GOOGLE.request_after(history()).await;
    let image = json!({"inlineData": {"mimeType": "image/png", "data": PNG_IN_BASE64}});
    assert_eq!(
        request["contents"][0]["parts"],
        json!([{"text": "Who is this?"}, image, {"text": "diary.txt\nAda's diary"}])
    );
    let parts = request["contents"][2]["parts"].as_array().expect("parts");
    let output = &parts[0]["functionResponse"]["response"]["output"];
    assert_eq!(*output, "Hello!\n\n[image 1]");
    let label = json!({"text": "From the result of `sayHello`:"});
    assert_eq!(parts[1..], [label, image]);
}

#[tokio::test]
async fn ollama_gets_images_beside_the_text() {
    let request = OLLAMA.request_after(history()).await;
    let messages = &request["messages"];
    assert_eq!(messages[1]["images"], json!([PNG_IN_BASE64]));
    let content = "Who is this?\n\ndiary.txt\nAda's diary";
    assert_eq!(messages[1]["content"], content);
    assert_eq!(messages[3]["content"], "Hello!\n\n[image 1]");
    let label = "From the result of `sayHello`:";
    assert_eq!(
        messages[4],
        json!({"role": "user", "content": label, "images": [PNG_IN_BASE64]})
    );
}

/// Other kinds, and other places where a provider finds the bytes.
#[tokio::test]
async fn each_provider_gets_other_kinds_and_places_in_its_form() {
    let pdf = || Part::from(Document::new(b"%PDF-1.7\n").with_name("a.pdf"));
    let pdf_in_base64 = "JVBERi0xLjcK";
    let wav = || Part::from(Audio::new(b"RIFF\0\0\0\0WAVE"));
    let wav_in_base64 = "UklGRgAAAABXQVZF";
    let linked = || Part::from(Image::from_url("https://example.com/a.png"));
    let file = |provider: &str| Part::from(Document::from_file_id(provider, "file-1"));
    for (dialect, part, path, expected) in [
        (
            ANTHROPIC,
            pdf(),
            "/messages/0/content/0",
            json!({"type": "document", "title": "a.pdf", "source": {
                "type": "base64", "media_type": "application/pdf", "data": pdf_in_base64}}),
        ),
        (
            ANTHROPIC,
            linked(),
            "/messages/0/content/0",
            json!({"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}),
        ),
        (
            ANTHROPIC,
            file("Anthropic"),
            "/messages/0/content/0",
            json!({"type": "document", "source": {"type": "file", "file_id": "file-1"}}),
        ),
        (
            OPENAI,
            pdf(),
            "/messages/1/content/0",
            json!({"type": "file", "file": {"filename": "a.pdf",
                "file_data": format!("data:application/pdf;base64,{pdf_in_base64}")}}),
        ),
        (
            OPENAI,
            wav(),
            "/messages/1/content/0",
            json!({"type": "input_audio", "input_audio": {"data": wav_in_base64, "format": "wav"}}),
        ),
        (
            OPENAI,
            linked(),
            "/messages/1/content/0",
            json!({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}),
        ),
        (
            OPENAI,
            file("OpenAI"),
            "/messages/1/content/0",
            json!({"type": "file", "file": {"file_id": "file-1"}}),
        ),
        (
            GOOGLE,
            wav(),
            "/contents/0/parts/0",
            json!({"inlineData": {"mimeType": "audio/wav", "data": wav_in_base64}}),
        ),
        (
            GOOGLE,
            linked(),
            "/contents/0/parts/0",
            json!({"fileData": {"mimeType": "image/png", "fileUri": "https://example.com/a.png"}}),
        ),
    ] {
        let said = vec![
            Message::user_parts([part, "?".into()]),
            Message::assistant("!"),
        ];
        let request = dialect.request_after(said).await;
        assert_eq!(request.pointer(path), Some(&expected), "{request}");
    }
}

/// Executes a run on an input that the provider does not take.
async fn refused(dialect: &Dialect, input: Input) -> String {
    let server = Server::start(vec![]);
    let runtime = dialect.runtime(&server).build().expect("a runtime");
    let agent = Agent::new("reader", dialect.model, "Look.").expect("an agent");
    let error = runtime
        .run(&agent, input)
        .await
        .expect_err("it is not taken");
    assert!(error.is_validation(), "{error:?}");
    assert!(server.requests().is_empty(), "nothing is sent");
    error.to_string()
}

#[tokio::test]
async fn a_request_with_media_that_a_provider_does_not_take_is_not_sent() {
    let audio = Input::new("What is said?").audio(b"RIFF\0\0\0\0WAVE".to_vec());
    for dialect in [ANTHROPIC, OLLAMA] {
        let error = refused(&dialect, audio.clone()).await;
        assert!(
            error.contains("part 2 of message 1 (type `audio`)"),
            "{error}"
        );
    }
    let uploaded = Image::from_file_id("OpenAI", "file-1");
    let error = refused(&GOOGLE, Input::new("Who?").image(uploaded)).await;
    assert!(error.contains("was uploaded to OpenAI"), "{error}");
}

/// An answer with thoughts, an image, a text, and a signature.
fn pictured() -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": [
        {"text": "I draw.", "thought": true},
        {"inlineData": {"mimeType": "image/png", "data": PNG_IN_BASE64}, "thoughtSignature": "c2ln"},
        {"text": "A cat."},
    ]}, "finishReason": "STOP", "index": 0}], "responseId": "r"})
}

#[tokio::test]
async fn images_and_thoughts_of_an_answer_are_parts_and_go_back_as_they_came() {
    for is_streamed in [false, true] {
        let text = pictured().to_string();
        let answer = match is_streamed {
            true => streamed("text/event-stream", format!("data: {text}\n\n")),
            false => status(200, &text),
        };
        let server = Server::start(vec![answer, GOOGLE.answer("hello.json")]);
        let runtime = GOOGLE.runtime(&server).build().expect("a runtime");
        let agent = Agent::new("painter", GOOGLE.model, "Draw.").expect("an agent");
        let mut conversation = Conversation::new();
        let run = runtime.run(&agent, "A cat").conversation(&mut conversation);
        let response = match is_streamed {
            true => run.streaming().await,
            false => run.await,
        };
        let response = response.expect("an answer");
        assert_eq!(response.content, "A cat.");
        let thought = Part::from(Thinking::new("Google", "I draw."));
        let image = Part::from(Image::new(PNG));
        assert_eq!(
            response.parts,
            [thought.clone(), image.clone(), "A cat.".into()]
        );
        let kept = json!([
            {"text": null, "thought": true},
            {"inlineData": null, "thoughtSignature": "c2ln"},
            {"text": null},
        ]);
        let kept = Part::from(ProviderPart::new("Google", kept));
        let said = conversation.last().expect("an answer");
        assert_eq!(said.parts(), [thought, image, "A cat.".into(), kept]);

        let run = runtime
            .run(&agent, "Thanks")
            .conversation(&mut conversation);
        run.await.expect("an answer");
        let sent = server.requests()[1].json();
        assert_eq!(
            sent["contents"][1]["parts"],
            pictured()["candidates"][0]["content"]["parts"]
        );
        // Another provider gets the text and the image, and nothing else.
        let other = OPENAI.request_after(conversation.messages().to_vec()).await;
        assert_eq!(
            other["messages"][2],
            json!({"role": "assistant", "content": "[image 1]\n\nA cat."})
        );
        let label = json!({"type": "text", "text": "From your answer:"});
        assert_eq!(other["messages"][3]["content"][0], label);
        let other = ANTHROPIC
            .request_after(conversation.messages().to_vec())
            .await;
        let texts = |at: usize| other["messages"][at]["content"][0]["text"].clone();
        assert_eq!(
            (texts(1), texts(2)),
            ("[image 1]\n\nA cat.".into(), "From your answer:".into())
        );
        assert_eq!(other["messages"][2]["content"][1]["type"], "image");
    }
}

/// Returns a friendly greeting message for the given name
#[tool]
fn say_hello(person_name: &str) -> Vec<Part> {
    let portrait = Image::new(PNG);
    vec![format!("Hello, {person_name}!").into(), portrait.into()]
}

/// Returns the request after the turn in which the model of a provider calls the tool twice.
async fn after_two_results(dialect: &Dialect, is_streamed: bool) -> Value {
    let extension = match is_streamed {
        true => dialect.stream.1,
        false => ".json",
    };
    let answers = ["calls", "hello"].map(|name| dialect.answer(&format!("{name}{extension}")));
    let server = Server::start(answers.into());
    let runtime = dialect.runtime(&server).build().expect("a runtime");
    let spec = ToolSpec::new(
        "sayHello",
        say_hello {}.descriptor().description(),
        say_hello::SIGNATURE,
    );
    let agent = Agent::new("greeter", dialect.model, "Greet people.").expect("an agent");
    let agent = agent.with_tool(spec.expect("a spec")).expect("a tool");
    let library = tools![say_hello];
    let run = runtime.run(&agent, "Greet Ada and Bob").tools(&library);
    let response = match is_streamed {
        true => run.streaming().await,
        false => run.await,
    };
    let response = response.expect("an answer");
    let digest = json!(Sha256::of(PNG).to_string());
    for call in &response.tools_used {
        let result = call.result.as_ref().expect("parts");
        assert_eq!(result[1]["sha256"], digest);
    }
    server.requests()[1].json()
}

#[tokio::test]
async fn images_of_a_tool_arrive_where_the_provider_takes_them() {
    for is_streamed in [false, true] {
        let sent = after_two_results(&ANTHROPIC, is_streamed).await;
        let source = json!({"type": "base64", "media_type": "image/png", "data": PNG_IN_BASE64});
        let image = json!({"type": "image", "source": source});
        let results = sent["messages"][2]["content"].as_array().expect("results");
        assert_eq!(results.len(), 2);
        for (result, name) in results.iter().zip(["Ada", "Bob 👋"]) {
            let text = json!({"type": "text", "text": format!("Hello, {name}!")});
            assert_eq!(result["type"], "tool_result");
            assert_eq!(result["content"], json!([text, image]));
        }

        let sent = after_two_results(&OPENAI, is_streamed).await;
        let messages = sent["messages"].as_array().expect("messages");
        assert_eq!(messages[3]["content"], "Hello, Ada!\n\n[image 1]");
        assert_eq!(messages[4]["content"], "Hello, Bob 👋!\n\n[image 1]");
        let url = format!("data:image/png;base64,{PNG_IN_BASE64}");
        let image = json!({"type": "image_url", "image_url": {"url": url}});
        let label = json!({"type": "text", "text": "From the result of `sayHello`:"});
        assert_eq!(messages[5]["role"], "user");
        assert_eq!(messages[5]["content"], json!([label, image, label, image]));
        assert_eq!(messages.len(), 6);

        let sent = after_two_results(&RESPONSES, is_streamed).await;
        let items = sent["input"].as_array().expect("items");
        let results = items
            .iter()
            .filter(|item| item["type"] == "function_call_output");
        let results: Vec<_> = results.collect();
        assert_eq!(results.len(), 2);
        for (result, name) in results.iter().zip(["Ada", "Bob 👋"]) {
            let output = &result["output"];
            assert_eq!(output[0]["text"], format!("Hello, {name}!"));
            assert_eq!(output[1]["type"], "input_image");
            assert_eq!(output[1]["image_url"], url.as_str());
        }

        let sent = after_two_results(&GOOGLE, is_streamed).await;
        let parts = sent["contents"][2]["parts"].as_array().expect("parts");
        let output = |at: usize| parts[at]["functionResponse"]["response"]["output"].clone();
        assert_eq!(output(0), "Hello, Ada!\n\n[image 1]");
        assert_eq!(output(1), "Hello, Bob 👋!\n\n[image 1]");
        let image = json!({"inlineData": {"mimeType": "image/png", "data": PNG_IN_BASE64}});
        let label = json!({"text": "From the result of `sayHello`:"});
        assert_eq!(parts[2..], [label.clone(), image.clone(), label, image]);

        let sent = after_two_results(&OLLAMA, is_streamed).await;
        let messages = sent["messages"].as_array().expect("messages");
        assert_eq!(messages[3]["content"], "Hello, Ada!\n\n[image 1]");
        assert_eq!(messages[4]["content"], "Hello, Bob 👋!\n\n[image 1]");
        assert_eq!(messages[5]["role"], "user");
        assert_eq!(messages[5]["images"], json!([PNG_IN_BASE64, PNG_IN_BASE64]));
        assert_eq!(messages.len(), 6);
    }
}

#[tokio::test]
async fn the_parts_of_a_message_stay_apart() {
    let file = |name: &str, text: &str| Part::from(Document::new(text).with_name(name));
    let said = || {
        let parts = [
            "compare:".into(),
            file("a.csv", "a,b"),
            file("notes.txt", "some notes"),
        ];
        vec![Message::user_parts(parts), Message::assistant("Yes.")]
    };
    let texts = ["compare:", "a.csv\na,b", "notes.txt\nsome notes"];
    let request = OLLAMA.request_after(said()).await;
    assert_eq!(request["messages"][1]["content"], texts.join("\n\n"));
    for (dialect, path) in [
        (OPENAI, "/messages/1/content"),
        (RESPONSES, "/input/0/content"),
        (GOOGLE, "/contents/0/parts"),
    ] {
        let request = dialect.request_after(said()).await;
        let parts = request.pointer(path).and_then(Value::as_array);
        let parts = parts.expect("parts").iter();
        let sent: Vec<_> = parts
            .map(|part| part["text"].as_str().expect("text"))
            .collect();
        assert_eq!(sent, texts, "{dialect:?}");
    }
}

/// Some servers reject an empty message, and an empty text beside media.
#[tokio::test]
async fn no_provider_gets_an_empty_text() {
    let said = || {
        vec![
            Message::user_parts(["".into(), Image::new(PNG).into()]),
            Message::assistant_parts([Part::from(Image::new(PNG))]),
            Message::user("And?"),
            Message::assistant_parts([
                Part::from(Thinking::new("Acme", "Hm.")),
                ProviderPart::new("Acme", json!([1])).into(),
            ]),
        ]
    };
    for dialect in [OPENAI, RESPONSES, ANTHROPIC, GOOGLE, OLLAMA] {
        let request = dialect.request_after(said()).await;
        let keys = ["messages", "input", "contents"];
        let messages = keys.iter().find_map(|key| request[*key].as_array());
        for message in messages.expect("messages") {
            let is_picture = message.get("images").is_some();
            let content = message.get("content").or_else(|| message.get("parts"));
            let content = content.expect("content");
            assert!(is_picture || *content != "", "{dialect:?}: {request}");
            for part in content.as_array().into_iter().flatten() {
                assert_ne!(part["text"], "", "{dialect:?}: {request}");
            }
        }
        let text = request.to_string();
        let keeps_image = dialect.folder == "google";
        assert!(keeps_image || text.contains("[image 1]"), "{request}");
    }
}
