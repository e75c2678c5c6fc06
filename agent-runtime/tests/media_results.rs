//! Tools that return images, audio, documents and parts.

use crate::support::calls;
use agent_runtime::conversation::ToolCall;
use agent_runtime::hook::{HookFuture, RunContext, ToolVerdict};
use agent_runtime::library::bind_agent_tools;
use agent_runtime::media::{Audio, Document, Image, Part, Sha256};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::run::{PendingCall, Run, Step};
use agent_runtime::tool::{ToolConfig, ToolDescriptor, ToolFuture, invoke_tool};
use agent_runtime::{
    Agent, AgentResponse, Conversation, Error, Event, Hook, Message, Runtime, Signature, Tool,
    ToolContext, ToolError, ToolLibrary, ToolSpec, tool, toolbox, tools,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
const PNG_IN_BASE64: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB";

/// Takes a photo
#[tool]
fn photo() -> Image {
    Image::new(PNG).with_name("photo.png")
}

/// Records a sound
#[tool]
async fn record(seconds: u32) -> Result<Audio, ToolError> {
    match seconds {
        0 => Err(ToolError::retry("record at least a second")),
        _ => Ok(Audio::new(b"RIFF\0\0\0\0WAVE")),
    }
}

/// Finds a document
#[tool(inline)]
fn find(name: &str) -> Option<Document> {
    (name == "diary").then(|| Document::new(b"Ada's diary"))
}

/// Reads a page with its pictures
#[tool]
fn page() -> Vec<Part> {
    vec![
        "Two pictures:".into(),
        Image::new(PNG).into(),
        Image::new(b"GIF89a\x01\0\x01\0").into(),
    ]
}

struct Camera {
    shots: Vec<Vec<u8>>,
}

#[toolbox]
impl Camera {
    /// Shows a shot
    #[tool]
    async fn shot(&self, number: usize) -> Result<Image, String> {
        let shot = self.shots.get(number).cloned();
        shot.map(Image::new)
            .ok_or_else(|| "no such shot".to_owned())
    }
}

/// Returns a library of these tools, and the agent that declares them.
fn agent(library: &ToolLibrary) -> Agent {
    let mut agent = Agent::new("a", "Scripted/any", "Look.").expect("an agent");
    for tool in library.iter() {
        let descriptor = tool.descriptor();
        let signature = descriptor.signature().expect("a signature").clone();
        let (name, description) = (descriptor.name(), descriptor.description());
        let spec = ToolSpec::with_signature(name.to_owned(), description.to_owned(), signature);
        agent = agent
            .with_tool(spec.expect("a spec"))
            .expect("another tool");
    }
    agent
}

/// Runs an agent that makes one call, and returns the response and the message with the result.
async fn after_call(
    library: &ToolLibrary,
    tool: &str,
    arguments: &str,
) -> (AgentResponse, Message) {
    let model = Scripted::new([
        ModelReply::calls([ToolCall::new("c", tool, arguments)]),
        ModelReply::text("Done."),
    ]);
    let runtime = Runtime::with_model(model);
    run_one(&runtime, library).await
}

async fn run_one(runtime: &Runtime, library: &ToolLibrary) -> (AgentResponse, Message) {
    let mut conversation = Conversation::new();
    let response = runtime
        .run(agent(library), "Look")
        .tools(library)
        .conversation(&mut conversation)
        .await
        .expect("the model answers");
    (response, conversation.messages()[2].clone())
}

fn digest(bytes: &[u8]) -> String {
    Sha256::of(bytes).to_string()
}

#[test]
fn signatures_name_media() {
    for (tool, expected) in [
        (photo {}.descriptor(), "()==>(::Image)"),
        (record {}.descriptor(), "(seconds::Int)==>(::Audio)"),
        (
            find {}.descriptor(),
            "(name::Text)==>(::Document {optional: true})",
        ),
        (page {}.descriptor(), "()==>(::Parts)"),
    ] {
        let signature = tool.signature().map(Signature::to_string);
        assert_eq!(signature.as_deref(), Some(expected));
    }
}

#[tokio::test]
async fn the_model_gets_the_image_and_observers_its_digest() {
    let (response, message) = after_call(&tools![photo], "photo", "{}").await;
    assert_eq!(
        message.parts(),
        [Image::new(PNG).with_name("photo.png").into()]
    );
    let expected = json!({"type": "image", "mediaType": "image/png", "name": "photo.png",
        "sha256": digest(PNG)});
    assert_eq!(response.tools_used[0].result, Ok(expected.clone()));
    assert_eq!(response.to_json()["toolsUsed"][0]["result"], expected);
}

#[tokio::test]
async fn async_tools_and_results_give_media_or_their_error() {
    let library = tools![record];
    let (_, message) = after_call(&library, "record", r#"{"seconds": 1}"#).await;
    assert_eq!(message.parts(), [Audio::new(b"RIFF\0\0\0\0WAVE").into()]);
    let (_, message) = after_call(&library, "record", r#"{"seconds": 0}"#).await;
    assert!(message.is_error());
    assert_eq!(message.content(), "record at least a second");
}

#[tokio::test]
async fn a_missing_optional_document_is_null() {
    let library = tools![find];
    let (_, message) = after_call(&library, "find", r#"{"name": "diary"}"#).await;
    assert_eq!(message.parts(), [Document::new(b"Ada's diary").into()]);
    let (response, message) = after_call(&library, "find", r#"{"name": "atlas"}"#).await;
    assert_eq!(message.content(), "null");
    assert_eq!(response.tools_used[0].result, Ok(Value::Null));
}

#[tokio::test]
async fn parts_keep_their_order() {
    let (response, message) = after_call(&tools![page], "page", "{}").await;
    assert_eq!(message.parts(), page());
    let result = response.tools_used[0].result.as_ref().expect("a result");
    assert_eq!(result[0], json!({"type": "text", "text": "Two pictures:"}));
    assert_eq!(result[2]["sha256"], digest(b"GIF89a\x01\0\x01\0"));
}

#[tokio::test]
async fn methods_of_toolboxes_return_media() {
    let camera = Camera {
        shots: vec![PNG.to_vec()],
    };
    let library = tools![..camera];
    let (_, message) = after_call(&library, "shot", r#"{"number": 0}"#).await;
    assert_eq!(message.parts(), [Image::new(PNG).into()]);
    let (_, message) = after_call(&library, "shot", r#"{"number": 1}"#).await;
    assert_eq!(message.content(), "no such shot");
}

/// A tool that is written by hand and returns what it was given.
struct Given(ToolDescriptor, Value);

impl Given {
    fn new(signature: &str, result: Value) -> Self {
        let signature = agent_runtime::spec::parse_signature(signature).expect("a signature");
        let contract = agent_runtime::tool::Contract::Signature(signature);
        let settings = agent_runtime::tool::ToolSettings::default();
        let descriptor = ToolDescriptor::new("given".into(), "Gives it".into(), contract, settings);
        Self(descriptor, result)
    }
}

impl Tool for Given {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.0
    }

    fn call<'a>(&'a self, _arguments: &'a str, _context: &'a ToolContext) -> ToolFuture<'a> {
        Box::pin(async { Ok(self.1.clone()) })
    }
}

async fn given(signature: &str, result: Value) -> (AgentResponse, Message) {
    let mut library = ToolLibrary::new();
    library.add(Given::new(signature, result)).expect("a name");
    after_call(&library, "given", "{}").await
}

#[tokio::test]
async fn base64_in_a_result_becomes_a_digest() {
    let image = json!({"type": "image", "data": PNG_IN_BASE64});
    let (response, message) = given("()==>(::Image)", image).await;
    assert_eq!(message.parts(), [Image::new(PNG).into()]);
    let expected = json!({"type": "image", "mediaType": "image/png", "sha256": digest(PNG)});
    assert_eq!(response.tools_used[0].result, Ok(expected));
}

#[tokio::test]
async fn urls_and_uploaded_files_are_passed_on() {
    let linked = json!({"type": "image", "url": "https://example.com/a.png"});
    let (_, message) = given("()==>(::Image)", linked).await;
    assert_eq!(
        message.parts(),
        [Image::from_url("https://example.com/a.png").into()]
    );
    let file = json!({"type": "document", "fileId": "f", "provider": "OpenAI"});
    let (_, message) = given("()==>(::Document)", file).await;
    assert_eq!(
        message.parts(),
        [Document::from_file_id("OpenAI", "f").into()]
    );
}

#[tokio::test]
async fn a_result_that_is_no_media_is_an_error_that_the_model_reads() {
    let base64 = |bytes: &[u8]| {
        // The JSON of a message has base64, too.
        let message = Message::user_parts([Document::new(bytes).into()]);
        let json = [message].into_iter().collect::<Conversation>();
        json.to_json_with_data()[0]["content"][0]["data"].clone()
    };
    for (signature, result, expected) in [
        ("Image", json!("a.png"), "expected Image"),
        ("Image", json!({"type": "audio", "data": ""}), "$.type"),
        ("Image", json!({"type": "image"}), "needs `data` (base64)"),
        (
            "Image",
            json!({"type": "image", "data": "", "url": "https://example.com"}),
            "only one of",
        ),
        (
            "Image",
            json!({"type": "image", "data": "%%%"}),
            "`data` is not base64",
        ),
        ("Image", json!({"type": "image", "data": ""}), "no bytes"),
        (
            "Image",
            json!({"type": "image", "data": base64(b"Hello")}),
            "are `text/plain`, not an image",
        ),
        (
            "Image",
            json!({"type": "image", "mediaType": "image/png", "data": base64(b"<html>")}),
            "are `text/plain`, not an image",
        ),
        (
            "Image",
            json!({"type": "image", "data": base64(b"\0\x01\x02")}),
            "show no media type",
        ),
        (
            "Document",
            json!({"type": "document", "data": PNG_IN_BASE64, "name": "a.pdf"}),
            "are `image/png`, not a PDF or a text",
        ),
        (
            "Document",
            json!({"type": "document", "mediaType": "image/png", "data": base64(b"%PDF-1.7")}),
            "the media type of the document is `image/png`",
        ),
        (
            "Audio",
            json!({"type": "audio", "data": base64(b"%PDF-1.7")}),
            "not audio",
        ),
        (
            "Image",
            json!({"type": "image", "sha256": digest(PNG)}),
            "only the digest of the image is known",
        ),
        ("Image", json!({"type": "image", "sha256": "12"}), "SHA-256"),
        (
            "Image",
            json!({"type": "image", "mediatype": "image/png", "data": PNG_IN_BASE64}),
            "mediaType",
        ),
        (
            "Parts",
            json!({"type": "text", "text": "a"}),
            "expected Parts",
        ),
        (
            "Parts",
            json!([{"type": "text"}]),
            "part 1: `text` is missing",
        ),
        (
            "Parts",
            json!([{"type": "text", "text": "a"}, {"type": "image", "data": ""}]),
            "part 2: the image has no bytes",
        ),
        (
            "Parts",
            json!([{"type": "thinking", "provider": "OpenAI", "text": "Hm."}]),
            "$[0].type",
        ),
    ] {
        let (response, message) = given(&format!("()==>(::{signature})"), result.clone()).await;
        assert!(message.is_error(), "{result}");
        assert!(
            message.content().contains(expected),
            "{result}\n{}\n{expected}",
            message.content()
        );
        let error = response.tools_used[0]
            .result
            .as_ref()
            .expect_err("it is wrong");
        assert!(matches!(error, ToolError::Validation(_)), "{error:?}");
    }
}

#[tokio::test]
async fn media_beyond_the_bounds_are_an_error() {
    let many: Value = (0..1001)
        .map(|_| json!({"type": "text", "text": ""}))
        .collect();
    let (_, message) = given("()==>(::Parts)", many).await;
    assert!(
        message.content().contains("it has 1001 parts"),
        "{}",
        message.content()
    );

    let huge = ToolConfig::with_signature("huge", "Too much", "()==>(::Image)")
        .build_with_context(async |_, context: ToolContext| {
            let mut bytes = PNG.to_vec();
            bytes.resize((100 << 20) + 1, 0);
            Ok(context.keep(Image::new(bytes)))
        })
        .expect("a tool");
    let error = invoke_tool(&huge, "{}", &ToolContext::detached()).await;
    let error = error.expect_err("too large").to_string();
    assert!(error.contains("101 MiB; the most is 100 MiB"), "{error}");
}

/// A long text is cut at the limit of results, and an image of more bytes is whole.
#[tokio::test]
async fn texts_are_cut_and_media_are_not() {
    let mut bytes = PNG.to_vec();
    bytes.resize(5_000, 0);
    let image = Image::new(bytes);
    let parts = [
        Part::from("a".repeat(600)),
        image.clone().into(),
        Part::from("b".repeat(600)),
    ];
    let tool = ToolConfig::with_signature("given", "Gives it", "()==>(::Parts)")
        .build_with_context(move |_, context: ToolContext| {
            let json = parts
                .iter()
                .map(|part| context.keep(part.clone()))
                .collect();
            async move { Ok(json) }
        })
        .expect("a tool");
    let mut library = ToolLibrary::new();
    library.add(tool).expect("a name");
    let model = Scripted::new([calls(&[("c", "given", "{}")]), ModelReply::text("Done.")]);
    let runtime = Runtime::builder().model(model).result_limit(1_000).build();
    let (_, message) = run_one(&runtime.expect("a runtime"), &library).await;
    let [Part::Text(first), second, Part::Text(third)] = message.parts() else {
        panic!("{message:?}");
    };
    assert_eq!(first.len(), 600);
    assert_eq!(*second, Part::from(image));
    assert!(
        third.starts_with(&format!("{}\n[cut:", "b".repeat(400))),
        "{third}"
    );
}

#[tokio::test]
async fn closures_keep_media_in_the_context_of_the_call() {
    let tool = ToolConfig::with_signature("given", "Gives it", "()==>(::Image)")
        .build_with_context(async |_, context: ToolContext| Ok(context.keep(Image::new(PNG))))
        .expect("a tool");
    let context = ToolContext::detached();
    let result = invoke_tool(&tool, "{}", &context).await.expect("an image");
    assert_eq!(result["sha256"], digest(PNG));
    assert_eq!(context.part(&result), Ok(Image::new(PNG).into()));
    // Another context has not kept it.
    let part = ToolContext::detached().part(&result).expect("a part");
    assert!(part.media().expect("an image").is_missing());

    let mut library = ToolLibrary::new();
    library.add(tool).expect("a name");
    let (_, message) = after_call(&library, "given", "{}").await;
    assert_eq!(message.parts(), [Image::new(PNG).into()]);
}

/// A tool with the return type `Any` may return parts in one call and a value in another.
#[tokio::test]
async fn parts_are_read_where_the_return_type_is_any() {
    let library = |tool: ToolConfig, marked: bool| {
        let tool = tool
            .build_with_context(move |_, context: ToolContext| {
                let parts = [Part::from("One picture:"), Image::new(PNG).into()];
                let result = match marked {
                    true => context.keep_parts(parts),
                    false => parts.into_iter().map(|part| context.keep(part)).collect(),
                };
                async move { Ok(result) }
            })
            .expect("a tool");
        let mut library = ToolLibrary::new();
        library.add(tool).expect("a name");
        library
    };
    let any = || ToolConfig::with_signature("given", "Gives it", "()==>(::Any)");
    let (response, message) = after_call(&library(any(), true), "given", "{}").await;
    let expected = [Part::from("One picture:"), Image::new(PNG).into()];
    assert_eq!(message.parts(), expected, "{response:?}");
    // A value that only looks like parts stays a value.
    let (_, message) = after_call(&library(any(), false), "given", "{}").await;
    assert!(
        message.content().contains(r#""type":"image""#),
        "{message:?}"
    );
    // A type of its own is still validated.
    let text = ToolConfig::with_signature("given", "Gives it", "()==>(::Text)");
    let (_, message) = after_call(&library(text, true), "given", "{}").await;
    assert!(message.content().contains("is not right"), "{message:?}");
}

/// A tool that calls another one passes its image on.
#[tokio::test]
async fn a_tool_passes_on_the_image_of_another() {
    /// Takes a photo, and again
    #[tool]
    async fn twice(context: &ToolContext) -> Result<Vec<Part>, ToolError> {
        let first = invoke_tool(&photo {}, "{}", context).await?;
        let first = context.part(&first).map_err(ToolError::execution)?;
        Ok(vec![first.clone(), first])
    }
    let (_, message) = after_call(&tools![twice], "twice", "{}").await;
    let image = Part::from(Image::new(PNG).with_name("photo.png"));
    assert_eq!(message.parts(), [image.clone(), image]);
}

/// A hook that changes the results of calls.
struct Changing {
    verdict: Option<Value>,
    result: Option<Value>,
    seen: Arc<Mutex<Vec<Value>>>,
}

impl Hook for Changing {
    fn before_tool<'a>(
        &'a self,
        _: &'a RunContext,
        _: &'a PendingCall,
        _: &'a mut String,
    ) -> HookFuture<'a, ToolVerdict> {
        Box::pin(async {
            let answer = self.verdict.clone();
            Ok(answer.map_or(ToolVerdict::Call, |value| ToolVerdict::Answer(Ok(value))))
        })
    }

    fn after_tool<'a>(
        &'a self,
        _: &'a RunContext,
        _: &'a PendingCall,
        result: &'a mut Result<Value, ToolError>,
    ) -> HookFuture<'a> {
        Box::pin(async move {
            if let Ok(value) = result {
                self.seen.lock().expect("no panic").push(value.clone());
                if let Some(changed) = &self.result {
                    *value = changed.clone();
                }
            }
            Ok(())
        })
    }
}

#[tokio::test]
async fn hooks_see_digests_and_may_give_other_media() {
    let gif = json!({"type": "image", "data": "R0lGODlhAQABAA=="});
    let text = json!("no image");
    for (verdict, result, expected) in [
        (None, None, Ok(PNG)),
        (None, Some(gif.clone()), Ok(&b"GIF89a\x01\0\x01\0"[..])),
        (Some(gif), None, Ok(b"GIF89a\x01\0\x01\0")),
        (None, Some(text.clone()), Err("expected Image")),
        (Some(text), None, Err("expected Image")),
    ] {
        let seen = Arc::default();
        let is_called = verdict.is_none();
        let hook = Changing {
            verdict,
            result,
            seen: Arc::clone(&seen),
        };
        let model = Scripted::new([calls(&[("c", "photo", "{}")]), ModelReply::text("Done.")]);
        let runtime = Runtime::builder().model(model).hook(hook).build();
        let (_, message) = run_one(&runtime.expect("a runtime"), &tools![photo]).await;
        match expected {
            Ok(bytes) => {
                let part = message.parts()[0].media().expect("an image").clone();
                assert_eq!(part.bytes(), Some(bytes));
            }
            Err(text) => {
                assert!(message.is_error());
                assert!(message.content().contains(text), "{}", message.content());
            }
        }
        if is_called {
            let seen = seen.lock().expect("no panic");
            assert_eq!(seen[0]["sha256"], digest(PNG));
        }
    }
}

#[tokio::test]
async fn events_have_digests() {
    let model = Scripted::new([calls(&[("c", "photo", "{}")]), ModelReply::text("Done.")]);
    let runtime = Runtime::with_model(model);
    let library = tools![photo];
    let mut results = Vec::new();
    runtime
        .run(agent(&library), "Look")
        .tools(&library)
        .observer(&mut |event| {
            if let Event::ToolFinished { invocation, .. } = event {
                results.push(invocation.to_json());
            }
        })
        .await
        .expect("the model answers");
    assert_eq!(results[0]["result"]["sha256"], digest(PNG));
    assert_eq!(results[0]["result"].get("data"), None);
}

/// A driver of its own gives the result in the context of the call, and the run is saved before the model reads it.
#[tokio::test]
async fn a_run_that_is_driven_by_hand_and_saved_keeps_the_bytes() -> Result<(), Error> {
    let library = tools![photo, page];
    let agent = agent(&library);
    let tools = bind_agent_tools(&agent, &library)?;
    let (conversation, variables) = (Conversation::new(), BTreeMap::new());
    let mut run = Run::new(&agent, &tools, "Look", &conversation, &variables)?;
    assert!(matches!(run.next()?, Step::CallModel(_)));
    let both = [
        ToolCall::new("1", "photo", "{}"),
        ToolCall::new("2", "page", "{}"),
    ];
    run.model_replied(ModelReply::calls(both))?;
    let Step::CallTools(pending) = run.next()? else {
        panic!("two calls are due");
    };
    // The second call is first, so that its result waits for that of the first.
    for call in pending.iter().rev() {
        let tool = tools.get(&call.tool).expect("it is bound").tool();
        let context = ToolContext::detached();
        let result = invoke_tool(&**tool, &call.arguments, &context).await;
        run.tool_finished_in(&context, &call.id, result)?;
        let text = run.to_json().to_string();
        let json = serde_json::from_str(&text).expect("JSON");
        run = Run::from_json(&json, &tools)?;
    }
    let Step::CallModel(request) = run.next()? else {
        panic!("the model is asked");
    };
    assert_eq!(
        request.messages[2].parts(),
        [Image::new(PNG).with_name("photo.png").into()]
    );
    assert_eq!(request.messages[3].parts(), page());
    Ok(())
}
