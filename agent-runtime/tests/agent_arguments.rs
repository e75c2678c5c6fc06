//! Agents that are called with arguments: their templates, their messages and their results.

use agent_runtime::conversation::{Image, Part};
use agent_runtime::model::{ModelReply, ModelRequest, Scripted};
use agent_runtime::runtime::Input;
use agent_runtime::serde_json::{Value, json};
use agent_runtime::{Agent, AgentResponse, Error, Runtime};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";

fn agent(properties: &str, signature: &str) -> Agent {
    let source = format!("[a:Agent {{{properties}, model: \"Scripted/any\"}} | {signature}]");
    Agent::parse(&source, None, Default::default()).expect(&source)
}

/// The answer to a call, and its first request.
async fn call(agent: &Agent, input: Input) -> Result<(AgentResponse, ModelRequest), Error> {
    let model = Scripted::new([ModelReply::text("Done.")]);
    let runtime = Runtime::builder()
        .model(model.clone())
        .variable("today", "Monday")
        .build()?;
    let response = runtime.run(agent, input).await?;
    Ok((response, model.requests()[0].clone()))
}

/// The instruction and the message of a call.
async fn texts(agent: &Agent, arguments: Value) -> (String, String) {
    let called = call(agent, Input::from_arguments(arguments)).await;
    let (_, request) = called.expect("an answer");
    (
        request.instruction.clone(),
        request.messages[0].content().to_owned(),
    )
}

/// The error of a call, which is one of validation.
async fn error(agent: &Agent, input: Input) -> String {
    let error = call(agent, input).await.expect_err("an error");
    assert!(error.is_validation(), "{error:?}");
    error.to_string()
}

#[tokio::test]
async fn the_message_is_the_one_required_text_that_the_instruction_does_not_name() {
    let translate = agent(
        "instruction: \"Translate into {{language}}.\"",
        "(text::Text)==>(language::Text)==>(tone::Text {optional: true})==>(::String)",
    );
    let arguments = json!({"text": "Guten Tag", "language": "fr"});
    let (instruction, message) = texts(&translate, arguments).await;
    assert_eq!(instruction, "Translate into fr.");
    assert_eq!(message, "Guten Tag");
}

#[tokio::test]
async fn the_message_is_an_object_of_the_other_arguments() {
    let several = agent(
        "instruction: \"Count {{c}}.\"",
        "(b::Text)==>(a::Text)==>(c::Int)==>(d::Int {default: 2})==>(e::Bool {optional: true})==>(::String)",
    );
    let (instruction, message) = texts(&several, json!({"a": "x", "b": "y", "c": 3})).await;
    assert_eq!(instruction, "Count 3.");
    assert_eq!(message, r#"{"a":"x","b":"y","d":2}"#);
    let none_left = agent("instruction: \"Count {{c}}.\"", "(c::Int)==>(::String)");
    assert_eq!(texts(&none_left, json!({"c": 1})).await.1, "{}");
    let none = agent("instruction: \"Count.\"", "()==>(::String)");
    assert_eq!(texts(&none, json!({})).await.1, "{}");
}

#[tokio::test]
async fn values_are_inserted_once() {
    let agent = agent(
        "instruction: \"{{a}} {{list}} {{absent}}{{today}}\", prompt: \"<{{a}}>\", variables: [\"today\"]",
        "(a::Text)==>(list::Array {elementType: \"Int\"})==>(absent::Int {optional: true})==>(::String)",
    );
    let arguments = json!({"a": "{{today}} {{'{{'}} {{list}}", "list": [1, 2]});
    let (instruction, message) = texts(&agent, arguments).await;
    assert_eq!(instruction, "{{today}} {{'{{'}} {{list}} [1,2] Monday");
    assert_eq!(message, "<{{today}} {{'{{'}} {{list}}>");
}

#[tokio::test]
async fn an_empty_text_is_an_error_that_names_the_parameter() {
    let translate = agent(
        "instruction: \"i {{tone}}{{mark}}\"",
        "(text::Text)==>(tone::Text {optional: true})==>(mark::Text {default: \"\"})==>(::String)",
    );
    for (arguments, expected) in [
        (
            json!({"text": " "}),
            "the argument `text` of the agent `a` is empty",
        ),
        (
            json!({"text": "x", "tone": ""}),
            "the argument `tone` of the agent `a` is empty; leave it out",
        ),
    ] {
        assert_eq!(
            error(&translate, Input::from_arguments(arguments)).await,
            expected
        );
    }
    let allowed = json!({"text": "x", "mark": ""});
    assert_eq!(texts(&translate, allowed).await.1, "x");
    let prompted = agent(
        "instruction: \"i\", prompt: \"{{tone}}\"",
        "(tone::Text {optional: true})==>(::String)",
    );
    let found = error(&prompted, Input::from_arguments(json!({}))).await;
    assert!(
        found.starts_with("the message for the agent `a` is empty"),
        "{found}"
    );
}

#[tokio::test]
async fn wrong_arguments_are_errors_before_the_first_request() {
    let translate = agent(
        "instruction: \"i\"",
        "(text::Text)==>(count::Int)==>(::String)",
    );
    for (arguments, part) in [
        (json!({"text": "x"}), "`count`"),
        (json!({"text": "x", "count": "three"}), "count"),
        (json!({"txt": "x", "count": 3}), "txt"),
        (json!(["x"]), "an object with a member for each parameter"),
    ] {
        let found = error(&translate, Input::from_arguments(arguments)).await;
        assert!(found.contains(part), "{found}");
    }
}

#[tokio::test]
async fn a_message_alone_is_enough_for_one_required_text() {
    let ask = agent(
        "instruction: \"i\", prompt: \"Answer: {{question}}\"",
        "(question::Text)==>(depth::Int {default: 1})==>(::String)",
    );
    let (_, request) = call(&ask, "Why?".into()).await.expect("an answer");
    assert_eq!(request.messages[0].content(), "Answer: Why?");
    let translate = agent(
        "instruction: \"{{language}}\"",
        "(text::Text)==>(language::Text)==>(::String)",
    );
    let found = error(&translate, "Why?".into()).await;
    assert!(found.contains("`--arg text=… --arg language=…`"), "{found}");
    let photo = agent("instruction: \"i\"", "(photo::Image)==>(::String)");
    assert!(error(&photo, "Why?".into()).await.contains("--arg photo=…"));
}

#[tokio::test]
async fn media_become_parts_of_the_message() {
    let look = agent(
        "instruction: \"i\"",
        "(photo::Image)==>(question::Text)==>(more::Parts {optional: true})==>(::String)",
    );
    let photo = json!({"type": "image", "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB"});
    let arguments = json!({
        "photo": photo.clone(),
        "question": "What is this?",
        "more": [{"type": "text", "text": "Compare:"}, {"type": "image", "url": "https://a.example/b.png"}]
    });
    let input = Input::from_arguments(arguments).image(PNG.to_vec());
    let (_, request) = call(&look, input).await.expect("an answer");
    let parts = request.messages[0].parts();
    let kinds: Vec<&str> = parts.iter().map(Part::kind).collect();
    assert_eq!(kinds, ["text", "image", "text", "image", "image"]);
    assert_eq!(parts[0].as_text(), Some("What is this?"));
    assert_eq!(parts[1], Part::Image(Image::new(PNG)));

    let alone = agent("instruction: \"i\"", "(photo::Image)==>(::String)");
    let input = Input::from_arguments(json!({"photo": photo}));
    let (_, request) = call(&alone, input).await.expect("an answer");
    assert_eq!(request.messages[0].parts(), [Part::Image(Image::new(PNG))]);

    let part = Part::Image(Image::new(PNG));
    let input = Input::from_arguments(json!({"photo": part}));
    let kept = input.clone().argument_media(part.media().cloned());
    let (_, request) = call(&alone, kept).await.expect("an answer");
    assert_eq!(request.messages[0].parts(), [Part::Image(Image::new(PNG))]);
    let found = error(&alone, input).await;
    assert!(found.contains("only the digest of the image"), "{found}");

    for (photo, expected) in [
        (json!("photo.png"), "photo"),
        (
            json!({"type": "audio", "data": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB"}),
            "the argument `photo` of the agent `a` is not right",
        ),
        (
            json!({"type": "image", "data": "JVBERi0xLjc="}),
            "`application/pdf`, not an image",
        ),
        (json!({"type": "image"}), "needs `data` (base64), `url`"),
    ] {
        let found = error(&alone, Input::from_arguments(json!({"photo": photo}))).await;
        assert!(found.contains(expected), "{found}");
    }
}

#[tokio::test]
async fn a_result_is_validated_against_the_signature_and_corrected() {
    let rate = agent(
        "instruction: \"i\"",
        "(text::Text)==>(::Object {fields: {stars: {type: \"Int\", maximum: 5}}})",
    );
    let model = Scripted::new([
        ModelReply::text(r#"{"stars": 9}"#),
        ModelReply::text(r#"{"stars": 5}"#),
    ]);
    let runtime = Runtime::with_model(model.clone());
    let response = runtime
        .call(&rate, json!({"text": "Good."}))
        .await
        .expect("an answer");
    assert_eq!(response.content, r#"{"stars": 5}"#);
    let requests = model.requests();
    assert_eq!(requests.len(), 2);
    let correction = requests[1].messages.last().expect("a message").content();
    assert!(correction.contains("stars"), "{correction}");
}
