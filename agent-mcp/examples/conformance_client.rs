//! The client under test for the official conformance suite, which appends the address of its server to the arguments.
//! Calls every tool of the server, so that each scenario finds the calls that it asks for.

use agent_mcp::{ConnectedServer, InputAnswer, InputForm, InputRequest, McpServer, ServerTool};
use agent_runtime::serde_json::{self, Map, Value, json};
use agent_runtime::tool::invoke_tool;
use agent_runtime::{ToolContext, ToolError};
use std::env;
use std::error::Error;
use std::time::Duration;
use tokio::time::sleep;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = env::args().next_back().filter(|text| text.contains("://"));
    let url = url.ok_or("the last argument must be the address of the suite's server")?;
    let server = McpServer::http("suite", url).on_input(async |request| fill_in(&request));
    let server = server.connect().await?;
    eprintln!("connected with revision {}", server.protocol());
    for tool in server.refused() {
        eprintln!("refused {}: {}", tool.remote, tool.reason);
    }
    let outcome = match env::var("MCP_CONFORMANCE_SCENARIO").as_deref() {
        // The server of this scenario only lists its tools.
        Ok("json-schema-ref-no-deref") => Ok(()),
        Ok("sse-retry") => {
            // The suite takes the stream of notifications for that of the call if it is opened later than the call is
            // made, which happens when the machine is busy.
            sleep(Duration::from_secs(2)).await;
            call_all(&server).await
        }
        _ => call_all(&server).await,
    };
    server.close().await;
    Ok(outcome?)
}

/// Calls the tools with the arguments that the scenario gives, or else with samples.
async fn call_all(server: &ConnectedServer) -> Result<(), ToolError> {
    let context = env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or_default();
    let library = server.library();
    for tool in server.tools() {
        // A tool that was refused is not in the library.
        let Some(callable) = library.lookup(&tool.name) else {
            continue;
        };
        let calls = context["toolCalls"].as_array().into_iter().flatten();
        let mut given = calls.filter(|call| call["name"] == tool.remote.as_str());
        let arguments = match given.next() {
            Some(call) => call["arguments"].clone(),
            None => samples(server, tool)?,
        };
        let result = invoke_tool(
            &**callable,
            &arguments.to_string(),
            &ToolContext::detached(),
        )
        .await;
        eprintln!("{}: {:?}", tool.remote, result?);
    }
    Ok(())
}

/// Returns arguments for the required parameters of a tool.
fn samples(server: &ConnectedServer, tool: &ServerTool) -> Result<Value, ToolError> {
    let schema = schema_of(tool)?;
    let required = schema["required"].as_array().into_iter().flatten();
    let mut arguments = Map::new();
    for name in required.filter_map(Value::as_str) {
        let sample = match schema["properties"][name]["type"].as_str() {
            Some("string") => json!("sample"),
            Some("number" | "integer") => json!(1),
            Some("boolean") => json!(true),
            Some("array") => json!([]),
            // One scenario compares the schema of the first tool with what the client read.
            Some("object") if name == "schema" => schema_of(&server.tools()[0])?,
            Some("object") => json!({}),
            _ => Value::Null,
        };
        arguments.insert(name.to_owned(), sample);
    }
    Ok(arguments.into())
}

fn schema_of(tool: &ServerTool) -> Result<Value, ToolError> {
    serde_json::from_str(&tool.input_schema).map_err(ToolError::execution)
}

/// Answers a question as a form whose fields hold their defaults does when the person accepts it at once.
fn fill_in(request: &InputRequest) -> InputAnswer {
    let InputForm::Fields(schema) = &request.form else {
        return InputAnswer::Decline;
    };
    let fields = schema["properties"].as_object().into_iter().flatten();
    let answers = fields.map(|(name, field)| {
        let default = field["default"].clone();
        // The suite's fields without a default are booleans.
        let value = if default.is_null() {
            json!(true)
        } else {
            default
        };
        (name.clone(), value)
    });
    InputAnswer::Accept(Value::Object(answers.collect()))
}
