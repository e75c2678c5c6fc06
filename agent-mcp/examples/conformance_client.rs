//! The client under test for the official conformance suite, which appends the address of its server to the arguments.
//! Calls every tool of the server, so that each scenario finds the calls that it asks for.

use agent_mcp::{
    ConnectedServer, InputAnswer, InputForm, InputRequest, McpServer, ServerTool, SignIn,
};
use agent_runtime::serde_json::{self, Map, Value, json};
use agent_runtime::tool::invoke_tool;
use agent_runtime::{ToolContext, ToolError};
use std::env;
use std::error::Error;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::sleep;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = env::args().next_back().filter(|text| text.contains("://"));
    let url = url.ok_or("the last argument must be the address of the suite's server")?;
    let context = env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or_default();
    let server = McpServer::http("suite", url)
        .on_input(async |request| fill_in(&request))
        .sign_in(sign_in(&context));
    let server = server.connect().await?;
    eprintln!("connected with revision {}", server.protocol());
    for tool in server.refused() {
        eprintln!("refused {}: {}", tool.remote, tool.reason);
    }
    let outcome = match env::var("MCP_CONFORMANCE_SCENARIO").as_deref() {
        // The server of this scenario only lists its tools.
        Ok("json-schema-ref-no-deref") => Ok(()),
        Ok("sse-retry") => {
            // The suite mistakes the notification stream for the stream of the call if it is opened after the
            // call is made, which happens when the machine is busy.
            sleep(Duration::from_secs(2)).await;
            call_all(&server, &context).await
        }
        _ => call_all(&server, &context).await,
    };
    server.close().await;
    Ok(outcome?)
}

/// Returns the sign-in for the credentials that the scenario gives.
fn sign_in(context: &Value) -> SignIn {
    let given = |name: &str| context[name].as_str();
    let scenario = env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let is_program = scenario.starts_with("auth/client-credentials");
    let mut sign_in = match (
        given("client_id"),
        given("client_secret"),
        given("private_key_pem"),
    ) {
        (Some(id), _, Some(pem)) => {
            SignIn::client_key(id, pem, given("signing_algorithm").unwrap_or_default())
        }
        (Some(id), Some(secret), _) if is_program => SignIn::client_secret(id, secret),
        (id, secret, _) => {
            let sign_in = SignIn::browser("http://127.0.0.1:3000/callback", visit)
                .client_metadata_url("https://conformance-test.local/client-metadata.json");
            match (id, secret) {
                (Some(id), Some(secret)) => sign_in.client_with_secret(id, secret),
                (Some(id), None) => sign_in.client(id),
                _ => sign_in,
            }
        }
    };
    if let Some(issuer) = given("issuer") {
        sign_in = sign_in.issuer(issuer);
    }
    sign_in
}

/// Opens an address like the browser of a person who agrees at once, and returns the address of the redirect.
async fn visit(address: String) -> io::Result<String> {
    let rest = address
        .strip_prefix("http://")
        .ok_or_else(|| io::Error::other("not http"))?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut stream = TcpStream::connect(host).await?;
    let request = format!("GET /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let location = answer.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("location")
            .then(|| value.trim().to_owned())
    });
    location
        .ok_or_else(|| io::Error::other("the authorization server does not send the person back"))
}

/// Calls the tools with the arguments that the scenario gives, or else with samples.
async fn call_all(server: &ConnectedServer, context: &Value) -> Result<(), ToolError> {
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

/// Answers each field of a question with its default, like a person who accepts the form at once.
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
