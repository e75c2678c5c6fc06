//! Permissions of tools: the grants of the host, narrowed by an agent.

use crate::support::{calls, library};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::spec::AgentPattern;
use agent_runtime::tool::{ToolConfig, ToolDescriptor, ToolFuture};
use agent_runtime::{
    Agent, Conversation, Environment, Grants, Permissions, Runtime, Tool, ToolContext, ToolError,
    ToolLibrary,
};
use serde_json::json;
use std::path::Path;

const ASK: &str = "(host::Text)==>(::Any)";

/// A tool that answers with what it may touch.
fn asking() -> ToolLibrary {
    let tool =
        ToolConfig::with_signature("ask", "Asks", ASK).build_with_context(|args, context| {
            let granted = context.permissions().clone();
            async move {
                let host = args["host"].as_str().unwrap_or_default();
                let text = |error: ToolError| error.to_string();
                let name = |path: &Path| path.file_name().map(|name| name.display().to_string());
                Ok(json!({
                    "host": granted.check_host(host, 443).err().map(text),
                    "home": match granted.variable("HOME") {
                        Ok(value) => value,
                        Err(error) => Some(text(error)),
                    },
                    "read": granted.read_folders().map(name).collect::<Vec<_>>(),
                    "write": granted.write_folders().map(name).collect::<Vec<_>>(),
                }))
            }
        });
    library([tool.expect("a tool")])
}

/// Returns the permissions of a tool, for the `grants` of the host and those of an agent.
async fn told(grants: Grants, agent_grants: &str) -> serde_json::Value {
    let agent = format!(
        "[a:Agent {{instruction: \"i\", model: \"Scripted/m\"{agent_grants}}} | \
         [ask:Tool {{description: \"Asks\"}} | {ASK}]]"
    );
    let agent = AgentPattern::parse(&agent).expect("an agent");
    let model = Scripted::new([
        calls(&[("a", "ask", r#"{"host": "a.example"}"#)]),
        ModelReply::text("Done."),
    ]);
    let environment = Environment::from_pairs([("HOME", "/home/ada")]);
    let runtime = Runtime::builder().model(model).grants(grants);
    let runtime = runtime.environment(environment).build().expect("a runtime");
    let mut conversation = Conversation::new();
    let response = runtime
        .execute(&agent, "Hi", &mut conversation, &asking())
        .await
        .expect("an answer");
    response.tools_used[0].result.clone().expect("a result")
}

/// The folder of this package, which has folders `src` and `tests`.
fn here() -> Grants {
    let here = env!("CARGO_MANIFEST_DIR");
    Grants::new().read(here).write(format!("{here}/src"))
}

#[tokio::test]
async fn permits_nothing_by_default() {
    assert_eq!(
        told(Grants::new(), "").await,
        json!({
            "host": "not allowed: contacting `a.example:443`; granted for the network: nothing",
            "home": "not allowed: reading the variable `HOME`; granted for variables: nothing",
            "read": [],
            "write": [],
        })
    );
}

#[tokio::test]
async fn an_agent_without_grants_has_what_the_host_granted() {
    let grants = here().network("*.example").environment("HOME");
    assert_eq!(
        told(grants, "").await,
        json!({"host": null, "home": "/home/ada", "read": ["agent-runtime"], "write": ["src"]})
    );
}

#[tokio::test]
async fn an_agent_narrows_what_the_host_granted_and_never_widens_it() {
    let src = format!("{}/src", env!("CARGO_MANIFEST_DIR"));
    let host = || here().network("*.example").environment("HOME");
    let told = |grants: String| told(host(), Box::leak(grants.into_boxed_str()));
    // One folder is within the granted one, one is not, and one is around it.
    let agent = format!(
        ", grants: {{read: [\"{src}\", \"/\", \"{src}/no-such\"], write: \"{src}/runtime\", \
         network: [\"b.example\", \"*\"], environment: [\"PATH\"]}}"
    );
    assert_eq!(
        told(agent).await,
        json!({
            "host": null,
            "home": "not allowed: reading the variable `HOME`; granted for variables: `PATH`",
            "read": ["src", "agent-runtime"],
            "write": ["runtime"],
        })
    );
    assert_eq!(
        told(", grants: {network: \"b.example\"}".to_owned()).await,
        json!({
            "host": "not allowed: contacting `a.example:443`; granted for the network: `b.example`",
            "home": "not allowed: reading the variable `HOME`; granted for variables: nothing",
            "read": [],
            "write": [],
        })
    );
}

#[test]
fn an_invalid_grant_is_a_configuration_error() {
    for (grants, reason) in [
        (
            Grants::new().read("no/such/folder"),
            "`no/such/folder` cannot be granted",
        ),
        (
            Grants::new().write(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")),
            "no folder",
        ),
        (Grants::new().read(""), "is empty"),
        (Grants::new().network("http://a.example/"), "is a URL"),
        (Grants::new().environment("A=b"), "no name of a variable"),
    ] {
        let error = Permissions::new(&grants).expect_err("it cannot be granted");
        assert!(error.is_configuration(), "{error}");
        assert!(error.to_string().contains(reason), "{error}");
        let error = Runtime::builder().grants(grants).build();
        assert!(error.expect_err("as above").is_configuration());
    }
}

#[test]
fn an_address_that_is_not_public_is_granted_as_an_address() {
    let granted = Permissions::new(&Grants::new().network("*").network("127.0.0.1:8080"));
    let granted = granted.expect("grants");
    let check = |address: &str, port| {
        let address = address.parse().expect("an address");
        granted.check_address("a.example", address, port)
    };
    assert_eq!(check("1.1.1.1", 443), Ok(()));
    assert_eq!(check("127.0.0.1", 8080), Ok(()));
    for (address, port) in [
        ("127.0.0.1", 80),
        ("10.0.0.1", 443),
        ("::ffff:127.0.0.1", 8080),
    ] {
        let error = check(address, port).expect_err("not granted").to_string();
        assert!(
            error.contains("not public") && error.contains(address),
            "{error}"
        );
    }
}

/// A tool that lacks a key.
struct Keyless(ToolDescriptor);

impl Tool for Keyless {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.0
    }

    fn call<'a>(&'a self, _: &'a str, _: &'a ToolContext) -> ToolFuture<'a> {
        Box::pin(async { Err(ToolError::Execution("no key".to_owned())) })
    }

    fn check_configuration(&self) -> Result<(), String> {
        Err("set `SEARCH_KEY`".to_owned())
    }
}

#[tokio::test]
async fn a_tool_that_lacks_a_key_is_a_configuration_error_before_the_run() {
    let tool = ToolConfig::with_signature("ask", "Asks", ASK).build(|_| async { Ok(json!(1)) });
    let descriptor = tool.expect("a tool").descriptor().clone();
    let mut keyless = ToolLibrary::new();
    keyless.add(Keyless(descriptor)).expect("the one tool");
    let spec = agent_runtime::ToolSpec::new("ask", "Asks", ASK).expect("a spec");
    let agent = Agent::new("a", "Scripted/m", "i").expect("an agent");
    // An agent that does not name the tool needs no configuration of it.
    let runtime = Runtime::with_model(Scripted::new([ModelReply::text("Done.")]));
    let mut conversation = Conversation::new();
    let response = runtime.execute(&agent, "Hi", &mut conversation, &keyless);
    assert!(response.await.is_ok());
    let agent = agent.with_tool(spec).expect("an agent");
    let error = runtime
        .execute(&agent, "Hi", &mut conversation, &keyless)
        .await
        .expect_err("the key is missing");
    assert!(error.is_configuration(), "{error}");
    assert!(
        error.to_string().contains("tool `ask`: set `SEARCH_KEY`"),
        "{error}"
    );
}
