//! The tools that the official conformance suite asks for, served over HTTP at the port that is given.

use agent_mcp::{Answer, ClientUser, ServeError, Server};
use agent_runtime::media::{Audio, Document, Image, Part};
use agent_runtime::serde_json::{Value, json};
use agent_runtime::tool::{
    Contract, DynamicTool, ToolConfig, ToolConfigError, ToolDescriptor, ToolFuture, ToolSettings,
};
use agent_runtime::{Tool, ToolContext, ToolError, ToolLibrary};
use std::error::Error;
use std::time::Duration;

/// The beginning of a PNG file of one pixel.
const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
/// A WAV file without samples.
const SILENCE: &[u8] =
    b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let port: u16 = match std::env::args().nth(1) {
        Some(port) => port.parse()?,
        None => 8080,
    };
    let mut library = ToolLibrary::new();
    for tool in [contents()?, questions()?].into_iter().flatten() {
        library.add(tool)?;
    }
    library.add(BySchema::new())?;
    serve(&library, port).await?;
    Ok(())
}

async fn serve(library: &ToolLibrary, port: u16) -> Result<(), ServeError> {
    let server = Server::new(library).name("conformance").version("1.0.0");
    let server = server.http(([127, 0, 0, 1], port));
    let server = server.max_requests_per_second(10_000).bind().await?;
    eprintln!("listening at http://{}/mcp", server.local_addr());
    server.run().await
}

/// The tools whose results have texts and media.
fn contents() -> Result<Vec<DynamicTool>, ToolConfigError> {
    let tool = |name: &'static str, signature| {
        ToolConfig::with_signature(name, "A tool of the suite", signature)
    };
    Ok(vec![
        tool("test_simple_text", "()==>(::String)")
            .build(async |_| Ok("This is a simple text response for testing.".into()))?,
        tool("test_image_content", "()==>(::Image)")
            .build_with_context(async |_, context| Ok(context.keep(Image::new(PIXEL))))?,
        tool("test_audio_content", "()==>(::Audio)")
            .build_with_context(async |_, context| Ok(context.keep(Audio::new(SILENCE))))?,
        tool("test_embedded_resource", "()==>(::Document)")
            .build_with_context(async |_, context| Ok(context.keep(document())))?,
        tool("test_multiple_content_types", "()==>(::Parts)").build_with_context(
            async |_, context| {
                let text = context.keep(Part::Text("Multiple content types test:".to_owned()));
                let image = context.keep(Image::new(PIXEL));
                Ok(json!([text, image, context.keep(document())]))
            },
        )?,
        tool("test_error_handling", "()==>(::String)").build(async |_| {
            let text = "This tool intentionally returns an error for testing";
            Err(ToolError::Execution(text.to_owned()))
        })?,
        tool("test_logging_tool", "()==>(::String)").build(async |_| Ok("Done".into()))?,
        tool("test_tool_with_progress", "()==>(::String)").build_with_context(
            async |_, context| {
                for part in ["0 of 100", "50 of 100", "100 of 100"] {
                    context.report(part);
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Ok("Done".into())
            },
        )?,
        tool("test_missing_capability", "()==>(::String)")
            .requires_approval(true)
            .build(async |_| Ok("Done".into()))?,
    ])
}

/// A tool whose JSON Schema has keywords that gram does not have. The suite checks that the list contains all
/// of these keywords, and that a header that repeats an argument is compared with the argument.
struct BySchema(ToolDescriptor);

impl BySchema {
    fn new() -> Self {
        let input = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {"address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }},
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "region": {"type": "string", "x-mcp-header": "Region"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}, {"required": []}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
            "then": {"required": ["phone"]},
            "else": {},
            "additionalProperties": false,
        });
        let contract = Contract::Schema {
            input,
            output: None,
        };
        let settings = ToolSettings::DEFAULT;
        let (name, description) = (
            "json_schema_2020_12_tool",
            "A tool with JSON Schema 2020-12 features",
        );
        Self(ToolDescriptor::new(
            name.into(),
            description.into(),
            contract,
            settings,
        ))
    }
}

impl Tool for BySchema {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.0
    }

    fn call<'a>(&'a self, arguments: &'a str, _context: &'a ToolContext) -> ToolFuture<'a> {
        Box::pin(async move { Ok(arguments.into()) })
    }

    /// Leaves the arguments as they are, because this server is about the protocol.
    fn validates_arguments(&self) -> bool {
        true
    }
}

fn document() -> Document {
    Document::new(*b"This is an embedded resource.").with_media_type("text/plain")
}

/// The tools that ask the user.
fn questions() -> Result<Vec<DynamicTool>, ToolConfigError> {
    let name = || flat(json!({"name": {"type": "string"}}), &["name"]);
    let confirm = || flat(json!({"ok": {"type": "boolean"}}), &["ok"]);
    let defaults = flat(
        json!({
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            "verified": {"type": "boolean", "default": true},
        }),
        &[],
    );
    let options = json!([{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}]);
    let names = json!(["option1", "option2", "option3"]);
    let enums = flat(
        json!({
            "untitledSingle": {"type": "string", "enum": names},
            "titledSingle": {"type": "string", "oneOf": options},
            "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": names}},
            "titledMulti": {"type": "array", "items": {"anyOf": options}},
        }),
        &[],
    );
    let person = flat(
        json!({
            "username": {"type": "string", "description": "User's response"},
            "email": {"type": "string", "description": "User's email address"},
        }),
        &["username", "email"],
    );
    let by_argument = ToolConfig::with_signature(
        "test_elicitation",
        "Asks the user",
        "(message::Text)==>(::String)",
    );
    Ok(vec![
        by_argument.build_with_context(move |arguments: Value, context: ToolContext| {
            let person = person.clone();
            async move {
                let message = arguments["message"].as_str().unwrap_or_default();
                ask(&context, &[("user", message, person)]).await
            }
        })?,
        asking("test_elicitation_sep1034_defaults", "values", defaults)?,
        asking("test_elicitation_sep1330_enums", "choices", enums)?,
        asking("test_streaming_elicitation", "confirm", confirm())?,
        asking(
            "test_input_required_result_elicitation",
            "user_name",
            name(),
        )?,
        asking(
            "test_input_required_result_request_state",
            "confirm",
            confirm(),
        )?,
        asking(
            "test_input_required_result_tampered_state",
            "confirm",
            confirm(),
        )?,
        asking(
            "test_input_required_result_capabilities",
            "confirm",
            confirm(),
        )?,
        config("test_input_required_result_multi_round").build_with_context(
            move |_: Value, context: ToolContext| async move {
                let color = flat(json!({"color": {"type": "string"}}), &["color"]);
                let name = flat(json!({"name": {"type": "string"}}), &["name"]);
                let questions = [
                    ("step1", "Step 1: What is your name?", name),
                    ("step2", "Step 2: What is your favorite color?", color),
                ];
                ask(&context, &questions).await
            },
        )?,
    ])
}

fn config(name: &'static str) -> ToolConfig {
    ToolConfig::with_signature(name, "Asks the user", "()==>(::String)")
}

/// A tool that asks one question.
fn asking(
    name: &'static str,
    key: &'static str,
    schema: Value,
) -> Result<DynamicTool, ToolConfigError> {
    config(name).build_with_context(move |_: Value, context: ToolContext| {
        let schema = schema.clone();
        async move { ask(&context, &[(key, "What is your answer?", schema)]).await }
    })
}

/// Asks questions one after another, and returns the answers.
async fn ask(context: &ToolContext, questions: &[(&str, &str, Value)]) -> Result<Value, ToolError> {
    let user = ClientUser::of(context);
    let user = user.ok_or_else(|| ToolError::execution("the call was not made over MCP"))?;
    let mut text = "state-ok".to_owned();
    for (key, message, schema) in questions {
        match user.ask(key, message, schema.clone()).await? {
            Answer::Accepted(values) => text.push_str(&format!(", {key}: {values}")),
            answer => text.push_str(&format!(", {key}: {answer:?}")),
        }
    }
    Ok(text.into())
}

/// The schema of an object with these properties.
fn flat(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required})
}
