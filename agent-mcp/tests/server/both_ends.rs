//! Our client with our server: the same results as in process.

use agent_mcp::{McpServer, Server};
use agent_runtime::media::Image;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::serde_json::{Value, json};
use agent_runtime::tool::{ToolConfig, invoke_tool};
use agent_runtime::{Agent, Runtime, ToolContext, ToolError, ToolLibrary, agent, tool, tools};

/// Greets a person
#[tool]
fn greet(name: &str) -> Result<String, ToolError> {
    match name {
        "" => Err(ToolError::execution("nobody is there")),
        name => Ok(format!("Hello, {name}!")),
    }
}

/// Splits a text
#[tool]
fn split(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn counter() -> Agent {
    agent! {
        [counter:Agent {description: "Counts letters", instruction: "Count.", model: "Scripted/any"} |
            (text::Text)==>(::Integer)]
    }
}

fn counting() -> Runtime {
    Runtime::with_model(Scripted::new([ModelReply::call(
        "finalAnswer",
        r#"{"answer": 3}"#,
    )]))
}

#[tokio::test]
async fn tools_and_agents_give_the_results_that_they_give_in_process() {
    const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
    let photo = ToolConfig::with_signature("photo", "Takes a photo", "()==>(::Image)")
        .build_with_context(async |_, context| Ok(context.keep(Image::new(PIXEL))));
    let mut own = tools![greet, split];
    own.add(photo.unwrap()).unwrap();
    let server = Server::new(&own)
        .agent(&counting(), &counter(), &ToolLibrary::new())
        .unwrap();
    let bound = server.http(([127, 0, 0, 1], 0)).bind().await.unwrap();
    let url = format!("http://{}/mcp", bound.local_addr());
    tokio::spawn(bound.run());
    let connected = McpServer::http("ours", url).connect().await.unwrap();
    let library = connected.library();
    let context = || ToolContext::detached().with_call("run", "call", "tool");
    for (name, arguments) in [
        ("greet", json!({"name": "Ada"})),
        ("greet", json!({"name": ""})),
        ("split", json!({"text": "a b"})),
    ] {
        let arguments = arguments.to_string();
        let expected = invoke_tool(&**own.lookup(name).unwrap(), &arguments, &context()).await;
        let tool = library.lookup(&format!("ours_{name}")).unwrap();
        let given = invoke_tool(&**tool, &arguments, &context()).await;
        match (given, expected) {
            (Ok(given), Ok(expected)) => assert_eq!(given, expected),
            (Err(given), Err(expected)) => assert_eq!(given.to_string(), expected.to_string()),
            (given, expected) => panic!("{given:?} in place of {expected:?}"),
        }
    }
    let count = library.lookup("ours_counter").unwrap();
    let arguments = json!({"text": "abc"});
    let given = invoke_tool(&**count, &arguments.to_string(), &context()).await;
    let expected = counting().call(counter(), arguments).await.unwrap();
    assert_eq!(given.unwrap().to_string(), expected.content);
    let photo = library.lookup("ours_photo").unwrap();
    let context = context();
    let given = invoke_tool(&**photo, "{}", &context).await.unwrap();
    let part = context.part(&given[0]).unwrap();
    assert_eq!(part.media().unwrap().bytes(), Some(PIXEL));
}

#[tokio::test]
async fn an_agent_uses_an_agent_that_is_served() {
    let server = Server::new(&tools![])
        .agent(&counting(), &counter(), &ToolLibrary::new())
        .unwrap();
    let bound = server.http(([127, 0, 0, 1], 0)).bind().await.unwrap();
    let url = format!("http://{}/mcp", bound.local_addr());
    tokio::spawn(bound.run());
    let connected = McpServer::http("ours", url).connect().await.unwrap();
    let boss = agent! {
        tools: [dynamic ours_counter],
        [boss:Agent {instruction: "Ask.", model: "Scripted/any"} | ours_counter]
    };
    let model = Scripted::new([ModelReply::call("ours_counter", r#"{"text": "abc"}"#)])
        .then(ModelReply::text("Three."));
    let response = Runtime::with_model(model)
        .run(&boss, "How many?")
        .tools(&connected.library())
        .await
        .unwrap();
    assert_eq!(response.tools_used[0].result, Ok(Value::from(3)));
    assert_eq!(response.content, "Three.");
}
