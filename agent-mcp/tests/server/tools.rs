//! Tools: the list, results, errors, progress and cancellation.

use crate::support::{REVISIONS, Revision, User, call, code, connect, text};
use agent_mcp::{ServeError, Server};
use agent_runtime::media::{Document, Image, Part};
use agent_runtime::serde_json::{Value, json};
use agent_runtime::tool::{ToolConfig, create_tool, invoke_tool};
use agent_runtime::{GramType, Tool, ToolContext, ToolError, ToolLibrary, tool, tools};
use rmcp::model::{ErrorCode, PaginatedRequestParams};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// Greets a person
#[tool(read_only, idempotent)]
fn greet(name: &str) -> String {
    format!("Hello, {name}!")
}

/// Adds numbers
#[tool]
fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[derive(Serialize, GramType)]
struct Town {
    name: String,
    inhabitants: u32,
}

/// Finds a town
#[tool]
fn find_town(name: &str) -> Result<Town, ToolError> {
    match name {
        "Ulm" => Ok(Town {
            name: "Ulm".to_owned(),
            inhabitants: 128_000,
        }),
        _ => Err(ToolError::retry("there is Ulm only; give `Ulm`")),
    }
}

/// Deletes all
#[tool(destructive)]
fn delete_all(context: &ToolContext) {
    for part in ["the first half", "the second half"] {
        context.report(part);
    }
}

fn library() -> ToolLibrary {
    tools![greet, find_town, add, delete_all]
}

#[tokio::test]
async fn lists_tools_by_name_with_schemas_and_hints() {
    for revision in REVISIONS {
        let server = Server::new(&library()).cache_for(Duration::from_secs(7));
        let (client, _) = connect(server, revision, User::default()).await;
        let listed = client.list_tools(None).await.unwrap();
        let names: Vec<_> = listed.tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["add", "deleteAll", "findTown", "greet"]);
        let json = |at: usize| agent_runtime::serde_json::to_value(&listed.tools[at]).unwrap();
        assert_eq!(json(3)["inputSchema"], greet {}.input_schema());
        assert_eq!(json(3)["description"], "Greets a person");
        let hints = json!({"readOnlyHint": true, "idempotentHint": true});
        assert_eq!(json(3)["annotations"], hints);
        assert_eq!(json(1)["annotations"], json!({"destructiveHint": true}));
        assert_eq!(json(0)["annotations"], Value::Null);
        assert_eq!(
            json(2)["outputSchema"]["required"],
            json!(["name", "inhabitants"])
        );
        let sum = json(0)["outputSchema"].clone();
        match revision {
            Revision::Current => {
                assert_eq!(sum["type"], "integer");
                assert_eq!(listed.ttl_ms, Some(7000));
            }
            Revision::Earlier => {
                assert_eq!(sum["type"], "object");
                assert_eq!(sum["properties"]["result"]["type"], "integer");
                assert_eq!(listed.ttl_ms, None);
            }
        }
    }
}

#[tokio::test]
async fn the_list_has_one_page() {
    let (client, _) = connect(Server::new(&library()), Revision::Current, User::default()).await;
    let page = PaginatedRequestParams::default().with_cursor(Some("2".to_owned()));
    let error = client.list_tools(Some(page)).await.unwrap_err();
    assert_eq!(code(error), ErrorCode::INVALID_PARAMS);
}

#[tokio::test]
async fn results_and_errors_are_those_of_calls_in_process() {
    let calls = [
        ("greet", json!({"name": "Ada"})),
        ("greet", json!({"name": 5})),
        ("greet", json!({})),
        ("add", json!({"a": 1, "b": 2})),
        ("findTown", json!({"name": "Ulm"})),
        ("findTown", json!({"name": "Rome"})),
        ("deleteAll", json!({})),
    ];
    for revision in REVISIONS {
        let (client, _) = connect(Server::new(&library()), revision, User::default()).await;
        for (name, arguments) in calls.clone() {
            let library = library();
            let tool = &**library.lookup(name).unwrap();
            let context = ToolContext::detached();
            let expected = invoke_tool(tool, &arguments.to_string(), &context).await;
            let result = call(&client, name, arguments).await.unwrap();
            match expected {
                Ok(value) => {
                    assert_ne!(result.is_error, Some(true));
                    let structured = result.structured_content.clone().unwrap();
                    match revision == Revision::Current || value.is_object() {
                        true => assert_eq!(structured, value),
                        false => assert_eq!(structured, json!({"result": value})),
                    }
                    match value {
                        Value::String(value) => assert_eq!(text(&result), value),
                        value => assert_eq!(text(&result), value.to_string()),
                    }
                }
                Err(error) => {
                    assert_eq!(result.is_error, Some(true));
                    assert_eq!(text(&result), error.to_string());
                    assert_eq!(result.structured_content, None);
                }
            }
        }
    }
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_of_the_protocol() {
    for revision in REVISIONS {
        let (client, _) = connect(Server::new(&library()), revision, User::default()).await;
        let error = call(&client, "fly", json!({})).await.unwrap_err();
        assert!(
            error.to_string().contains("there is no tool `fly`"),
            "{error}"
        );
        assert_eq!(code(error), ErrorCode::INVALID_PARAMS);
    }
}

#[tokio::test]
async fn what_is_not_offered_is_no_method() {
    for revision in REVISIONS {
        let (client, _) = connect(Server::new(&library()), revision, User::default()).await;
        let capabilities = client.peer_info().unwrap().capabilities.clone();
        assert!(capabilities.tools.is_some());
        assert!(capabilities.prompts.is_none() && capabilities.resources.is_none());
        let errors = [
            client.list_resources(None).await.map(drop).unwrap_err(),
            client.list_prompts(None).await.map(drop).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(code(error), ErrorCode::METHOD_NOT_FOUND);
        }
    }
}

#[tokio::test]
async fn media_are_content_and_not_structured() {
    const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
    let album = ToolConfig::with_signature("album", "Shows pictures", "()==>(::Parts)")
        .build_with_context(async |_, context| {
            let note = Document::new(*b"A note").with_media_type("text/plain");
            let linked = Image::from_url("https://example.org/a.png");
            let text = Part::Text("Two pictures".to_owned());
            Ok(json!([
                context.keep(text),
                context.keep(Image::new(PIXEL)),
                context.keep(linked),
                context.keep(note),
            ]))
        })
        .unwrap();
    let library = tools![..[album]];
    for revision in REVISIONS {
        let (client, _) = connect(Server::new(&library), revision, User::default()).await;
        let listed = client.list_tools(None).await.unwrap();
        assert_eq!(listed.tools[0].output_schema, None);
        let result = call(&client, "album", json!({})).await.unwrap();
        assert_eq!(result.structured_content, None);
        let [text, image, link, note] = &result.content[..] else {
            panic!("four parts: {:?}", result.content);
        };
        assert_eq!(text.as_text().unwrap().text, "Two pictures");
        assert_eq!(image.as_image().unwrap().mime_type, "image/png");
        assert!(image.as_image().unwrap().data.starts_with("iVBORw0KGgo"));
        assert_eq!(
            link.as_resource_link().unwrap().uri,
            "https://example.org/a.png"
        );
        assert_eq!(note.as_resource().unwrap().get_text(), "A note");
    }
}

#[tokio::test]
async fn any_result_is_a_value_or_parts() {
    let find = ToolConfig::with_signature("find", "Finds", "(what::Text)==>(::Any)")
        .build_with_context(|arguments: Value, context: ToolContext| async move {
            Ok(match arguments["what"].as_str() {
                Some("parts") => context.keep_parts([Part::Text("one".to_owned())]),
                Some("list") => json!([1, 2]),
                _ => json!({"a": 1}),
            })
        });
    let library = tools![..[find.unwrap()]];
    for revision in REVISIONS {
        let (client, _) = connect(Server::new(&library), revision, User::default()).await;
        let listed = client.list_tools(None).await.unwrap();
        assert_eq!(listed.tools[0].output_schema, None);
        // A call with parts does not make parts of the results of later calls.
        let is_current = revision == Revision::Current;
        for (what, expected, structured) in [
            ("parts", "one", None),
            ("list", "[1,2]", is_current.then(|| json!([1, 2]))),
            ("object", r#"{"a":1}"#, Some(json!({"a": 1}))),
        ] {
            let result = call(&client, "find", json!({"what": what})).await.unwrap();
            assert_eq!(text(&result), expected);
            assert_eq!(result.structured_content, structured);
        }
    }
}

#[tokio::test]
async fn parts_beside_a_result_come_after_its_text() {
    let count = ToolConfig::with_signature("count", "Counts", "()==>(::Integer)")
        .build_with_context(|_: Value, context: ToolContext| async move {
            context.keep_beside([Part::Text("as of yesterday".to_owned())]);
            Ok(json!(3))
        });
    let library = tools![..[count.unwrap()]];
    for revision in REVISIONS {
        let (client, _) = connect(Server::new(&library), revision, User::default()).await;
        let result = call(&client, "count", json!({})).await.unwrap();
        assert_eq!(text(&result), "3\nas of yesterday");
        assert!(result.structured_content.is_some());
    }
}

#[tokio::test]
async fn progress_is_reported_before_the_result() {
    for revision in REVISIONS {
        let (client, user) = connect(Server::new(&library()), revision, User::default()).await;
        // rmcp's client sends a token with each request.
        call(&client, "deleteAll", json!({})).await.unwrap();
        let expected = [
            (1.0, "the first half".to_owned()),
            (2.0, "the second half".to_owned()),
        ];
        // Notifications are handled on tasks of their own, which may end after the call.
        while user.progress().len() < 2 {
            tokio::task::yield_now().await;
        }
        let mut progress = user.progress();
        progress.sort_by(|one, other| one.0.total_cmp(&other.0));
        assert_eq!(progress, expected);
    }
}

#[tokio::test]
async fn a_cancelled_call_is_dropped() {
    struct Told(Arc<Notify>);
    impl Drop for Told {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    for revision in REVISIONS {
        let (began, dropped) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (begins, told) = (Arc::clone(&began), Arc::clone(&dropped));
        let wait = create_tool("wait", "Waits", json!({"type": "object"}), move |_| {
            let (begins, told) = (Arc::clone(&begins), Told(Arc::clone(&told)));
            async move {
                let _told = told;
                begins.notify_one();
                std::future::pending().await
            }
        });
        let (client, _) = connect(
            Server::new(&tools![wait.unwrap()]),
            revision,
            User::default(),
        )
        .await;
        let waiting = call(&client, "wait", json!({}));
        tokio::select! {
            _ = waiting => panic!("the tool waits for ever"),
            () = began.notified() => {}
        }
        // Dropping the call tells the server.
        dropped.notified().await;
    }
}

#[tokio::test]
async fn each_call_has_ids_of_its_own() {
    let key = ToolConfig::with_signature("key", "Returns the key", "()==>(::String)")
        .build_with_context(async |_, context| {
            Ok(json!(
                [context.tool(), &context.idempotency_key()].join(" ")
            ))
        });
    let (client, _) = connect(
        Server::new(&tools![key.unwrap()]),
        Revision::Current,
        User::default(),
    )
    .await;
    let one = text(&call(&client, "key", json!({})).await.unwrap());
    let other = text(&call(&client, "key", json!({})).await.unwrap());
    assert!(one.starts_with("key ") && one.len() > 40, "{one}");
    assert_ne!(one, other);
}

#[tokio::test]
async fn the_context_of_the_server_is_that_of_its_tools() {
    struct Motto(&'static str);
    let motto = ToolConfig::with_signature("motto", "Returns the motto", "()==>(::String)")
        .build_with_context(async |_, context| {
            Ok(context
                .extension::<Motto>()
                .map_or("none", |motto| motto.0)
                .into())
        });
    let context = ToolContext::detached().with_extension(Motto("Onward"));
    let server = Server::new(&tools![motto.unwrap()]).context(context);
    let (client, _) = connect(server, Revision::Current, User::default()).await;
    assert_eq!(
        text(&call(&client, "motto", json!({})).await.unwrap()),
        "Onward"
    );
}

#[tokio::test]
async fn a_panic_is_an_error_of_the_call() {
    let fail = create_tool("fail", "Fails", json!({"type": "object"}), async |_| {
        panic!("out of paper")
    });
    let (client, _) = connect(
        Server::new(&tools![fail.unwrap(), greet]),
        Revision::Current,
        User::default(),
    )
    .await;
    let result = call(&client, "fail", json!({})).await.unwrap();
    assert_eq!(result.is_error, Some(true));
    assert_eq!(text(&result), "the tool panicked: out of paper");
    let result = call(&client, "greet", json!({"name": "Ada"}))
        .await
        .unwrap();
    assert_eq!(text(&result), "Hello, Ada!");
}

#[tokio::test]
async fn secrets_are_replaced_in_errors() {
    let redactor = agent_runtime::redact::Redactor::new();
    redactor.add("sk-very-secret");
    let fail = create_tool("fail", "Fails", json!({"type": "object"}), async |_| {
        Err(ToolError::execution("the key sk-very-secret was refused"))
    });
    let server = Server::new(&tools![fail.unwrap()]).redactor(&redactor);
    let (client, _) = connect(server, Revision::Current, User::default()).await;
    let answer = text(&call(&client, "fail", json!({})).await.unwrap());
    assert!(
        !answer.contains("sk-very-secret") && answer.contains("was refused"),
        "{answer}"
    );
}

#[tokio::test]
async fn an_agent_in_a_library_needs_a_runtime() {
    use agent_runtime::{agent, tool::AgentTool};
    let billing = agent! {
        [billing:Agent {description: "Knows invoices", instruction: "Answer.", model: "Scripted/any"}]
    };
    let mut library = ToolLibrary::new();
    let tool = AgentTool::new(billing, &ToolLibrary::new()).unwrap();
    library.add(tool).unwrap();
    let error = Server::new(&library)
        .stream(tokio::io::empty(), tokio::io::sink())
        .await;
    let Err(ServeError::Tools(text)) = error else {
        panic!("an error of the tools: {error:?}");
    };
    assert!(text.contains("serve it with `Server::agent`"), "{text}");
}
