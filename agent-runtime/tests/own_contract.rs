//! The tool's own validation and defaults stand in front of every tool, whoever calls it.

use crate::support::{Served, agent, calls, library, results};
use agent_runtime::library::{BindPolicy, bind_agent_tools_with};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::tool::{
    Contract, DynamicTool, ToolConfig, ToolDescriptor, ToolFuture, ToolSettings, invoke_tool,
};
use agent_runtime::{
    AgentResponse, Conversation, Runtime, Tool, ToolContext, ToolError, ToolLibrary, ToolSpec,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

const GREETS: &str = "(personName::Text {default: \"world\"})==>(::String)";

/// The greeting tool. Its closure panics without a name.
fn greet() -> DynamicTool {
    ToolConfig::with_signature("greet", "Greets", GREETS)
        .build(async |args| {
            let name = args["personName"].as_str().expect("a name");
            Ok(format!("Hello, {name}!").into())
        })
        .expect("a tool")
}

/// Runs an agent with a spec of the one tool of a library. The model makes one call.
async fn run(
    signature: &str,
    library: &ToolLibrary,
    policy: BindPolicy,
    arguments: &str,
) -> (AgentResponse, String) {
    let name = library.names().next().expect("a tool").to_owned();
    let description = library.iter().next().expect("a tool").descriptor();
    let spec = ToolSpec::new(
        name.clone(),
        description.description().to_owned(),
        signature,
    );
    let model = Scripted::new([
        calls(&[("a", &name, arguments)]),
        ModelReply::text("That is all."),
    ]);
    let runtime = Runtime::builder().model(model).bind_policy(policy).build();
    let mut conversation = Conversation::new();
    let response = runtime
        .expect("a runtime")
        .execute(
            &agent([spec.expect("a spec")]),
            "Hi",
            &mut conversation,
            library,
        )
        .await
        .expect("an answer");
    let result = results(&conversation).remove(0).1;
    (response, result)
}

#[tokio::test]
async fn a_signature_tool_fills_in_its_defaults_where_the_spec_has_none() {
    for (spec, arguments, expected) in [
        ("(personName::Text)==>(::String)", "{}", "Hello, world!"),
        (
            "(personName::Text)==>(::String)",
            r#"{"personName": null}"#,
            "Hello, world!",
        ),
        ("()==>(::String)", "{}", "Hello, world!"),
        // The spec does not name the parameter, so the model's argument is dropped.
        (
            "()==>(::String)",
            r#"{"personName": "Ada"}"#,
            "Hello, world!",
        ),
        (
            "(personName::Text {optional: true})==>(::String)",
            "{}",
            "Hello, world!",
        ),
        (
            "(personName::Text)==>(::String)",
            r#"{"personName": "Ada"}"#,
            "Hello, Ada!",
        ),
    ] {
        let library = library([greet()]);
        let (_, result) = run(spec, &library, BindPolicy::Compatible, arguments).await;
        assert_eq!(result, expected, "{spec} {arguments}");
    }
}

#[tokio::test]
async fn a_signature_tool_bound_by_name_validates_its_own_arguments() {
    let library = library([greet()]);
    let arguments = r#"{"personName": 5}"#;
    let spec = "(personName::Int)==>(::String)";
    let (response, result) = run(spec, &library, BindPolicy::Name, arguments).await;
    assert_eq!(
        result,
        "the arguments are not right: `$.personName`: expected Text, found the number 5"
    );
    assert!(matches!(
        response.tools_used[0].result,
        Err(ToolError::Validation(_))
    ));
}

#[tokio::test]
async fn invoke_tool_and_call_validate_a_signature_tool() {
    let context = ToolContext::detached();
    let tool = greet();
    for (arguments, expected) in [
        ("{}", Ok("Hello, world!")),
        ("", Ok("Hello, world!")),
        (r#"{"personName": "Ada", "mood": 1}"#, Ok("Hello, Ada!")),
        (r#"{"personName": 5}"#, Err("`$.personName`: expected Text")),
        (r#"{"personNam": "Ada"}"#, Err("did you mean `personName`?")),
        ("[]", Err("expected an object of arguments")),
        ("{", Err("expected JSON")),
    ] {
        let invoked = invoke_tool(&tool, arguments, &context).await;
        assert_eq!(tool.call(arguments, &context).await, invoked);
        match (invoked, expected) {
            (Ok(result), Ok(expected)) => assert_eq!(result, expected),
            (Err(ToolError::Validation(text)), Err(expected)) => {
                assert!(text.contains(expected), "{arguments}: {text}");
            }
            (found, _) => panic!("{arguments}: {found:?}"),
        }
    }
}

#[tokio::test]
async fn a_tool_that_another_calls_with_its_own_context_validates_the_arguments() {
    let short = "(personName::Text {maxLength: 3})==>(::String)";
    let inner = ToolConfig::with_signature("inner", "Greets", short)
        .build(async |args| Ok(args["personName"].clone()))
        .expect("a tool");
    let inner = Arc::new(inner);
    let outer = ToolConfig::with_signature("greet", "Greets", short)
        .build_with_context(move |args, context| {
            let inner = Arc::clone(&inner);
            async move {
                assert_eq!(args["personName"], "Ada");
                inner.call(r#"{"personName": "Grace"}"#, &context).await
            }
        })
        .expect("a tool");
    let library = library([outer]);
    let arguments = r#"{"personName": "Ada"}"#;
    let (_, result) = run(short, &library, BindPolicy::Compatible, arguments).await;
    assert!(result.contains("at most 3 characters"), "{result}");
}

/// A tool written by hand, which keeps the texts that it is called with.
struct ByHand {
    descriptor: ToolDescriptor,
    validates: bool,
    texts: Arc<Mutex<Vec<String>>>,
}

impl Tool for ByHand {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    fn call<'a>(&'a self, arguments: &'a str, _: &'a ToolContext) -> ToolFuture<'a> {
        let mut texts = self.texts.lock().expect("no panic");
        texts.push(arguments.to_owned());
        Box::pin(async { Ok(json!({"size": "large"})) })
    }

    fn validates_arguments(&self) -> bool {
        self.validates
    }
}

fn by_hand(contract: Contract, validates: bool) -> (ToolLibrary, Arc<Mutex<Vec<String>>>) {
    let settings = ToolSettings::DEFAULT;
    let descriptor = ToolDescriptor::new("look".into(), "Looks".into(), contract, settings);
    let texts = Arc::<Mutex<Vec<String>>>::default();
    let tool = ByHand {
        descriptor,
        validates,
        texts: Arc::clone(&texts),
    };
    let mut library = ToolLibrary::new();
    library.add(tool).expect("a good name");
    (library, texts)
}

fn signature(text: &str) -> Contract {
    Contract::Signature(agent_runtime::spec::parse_signature(text).expect("a signature"))
}

/// Returns the text that the tool is called with in a run and by `invoke_tool`, or the errors.
async fn both_ways(
    contract: &Contract,
    spec: &str,
    policy: BindPolicy,
    arguments: &str,
) -> [Result<String, String>; 2] {
    let (library, texts) = by_hand(contract.clone(), false);
    let (response, _) = run(spec, &library, policy, arguments).await;
    let in_a_run = response.tools_used[0].result.clone();
    let (alone, alone_texts) = by_hand(contract.clone(), false);
    let tool = Arc::clone(alone.lookup("look").expect("the tool"));
    let invoked = invoke_tool(&*tool, arguments, &ToolContext::detached()).await;
    [(in_a_run, texts), (invoked, alone_texts)].map(|(result, texts)| match result {
        Ok(_) => Ok(texts.lock().expect("no panic").remove(0)),
        Err(error) => Err(error.to_string()),
    })
}

#[tokio::test]
async fn a_tool_by_hand_gets_the_defaults_of_its_signature() {
    let tool = "(a::Int {default: 7})==>(b::Object {fields: [{name: \"c\", type: \"Int\"}, \
                {name: \"d\", type: \"Int\", default: 8}], optional: true})==>(::Any)";
    let spec = "(b::Object {fields: [{name: \"c\", type: \"Int\"}], optional: true})==>(::Any)";
    let contract = signature(tool);
    let all = |text: &str| [Ok(text.to_owned()), Ok(text.to_owned())];
    let policy = BindPolicy::Compatible;
    assert_eq!(
        both_ways(&contract, "()==>(::Any)", policy, "{}").await,
        all(r#"{"a":7}"#)
    );
    assert_eq!(
        both_ways(&contract, spec, policy, r#"{"b":{"c":1.0}}"#).await,
        all(r#"{"a":7,"b":{"c":1,"d":8}}"#)
    );
    // Without anything to fill in, the model's own text is passed on.
    let text = r#"{ "a": 1, "b": {"c": 2, "d": 3} }"#;
    assert_eq!(both_ways(&contract, tool, policy, text).await, all(text));
}

#[tokio::test]
async fn a_tool_by_hand_is_not_called_with_what_its_signature_refuses() {
    let contract = signature("(a::Int {maximum: 9})==>(::Any)");
    let found = both_ways(
        &contract,
        "(a::Int)==>(::Any)",
        BindPolicy::Name,
        r#"{"a": 10}"#,
    )
    .await;
    for result in found {
        let error = result.expect_err("too much");
        assert!(error.contains("`$.a`") && error.contains("10"), "{error}");
    }
}

#[tokio::test]
async fn a_tool_by_hand_is_not_called_with_what_its_schema_refuses() {
    let contract = Contract::Schema {
        input: json!({
            "type": "object",
            "properties": {"a": {"type": "integer", "maximum": 9}},
            "required": ["a"],
        }),
        output: Some(json!({"type": "object", "properties": {"size": {"type": "string"}}})),
    };
    let spec = "(a::Int)==>(::Any)";
    let found = both_ways(&contract, spec, BindPolicy::Name, r#"{"a": 10}"#).await;
    for result in found {
        let error = result.expect_err("too much");
        assert!(error.contains("`$.a`"), "{error}");
    }
    let text = r#"{"a": 9}"#;
    let found = both_ways(&contract, spec, BindPolicy::Name, text).await;
    assert_eq!(found, [Ok(text.to_owned()), Ok(text.to_owned())]);
    // The result is held against the tool's own schema, too.
    let Contract::Schema { input, .. } = contract else {
        panic!("a schema");
    };
    let output = Some(json!({"type": "object", "properties": {"size": {"type": "integer"}}}));
    let contract = Contract::Schema { input, output };
    for result in both_ways(&contract, spec, BindPolicy::Name, text).await {
        assert!(result.expect_err("no number").contains("`$.size`"));
    }
}

#[tokio::test]
async fn a_tool_that_validates_by_itself_gets_its_arguments_as_they_are() {
    let (library, texts) = by_hand(signature(GREETS), true);
    let tool = library.lookup("look").expect("the tool");
    let result = invoke_tool(&**tool, "{\"personName\": ", &ToolContext::detached()).await;
    // The result is validated, whoever validates the arguments.
    assert!(
        matches!(result, Err(ToolError::Validation(_))),
        "{result:?}"
    );
    assert_eq!(*texts.lock().expect("no panic"), ["{\"personName\": "]);
}

#[tokio::test]
async fn a_schema_that_cannot_be_used_is_found_when_the_tool_is_bound() {
    let contract = Contract::Schema {
        input: json!({"type": "object", "required": [1]}),
        output: None,
    };
    let (library, _) = by_hand(contract, false);
    let spec = ToolSpec::new("look", "Looks", "()==>(::Any)").expect("a spec");
    let error = bind_agent_tools_with(&agent([spec]), &library, BindPolicy::Name)
        .expect_err("no schema")
        .to_string();
    assert!(
        error.contains("tool `look`: a schema of the tool cannot be used"),
        "{error}"
    );
    let tool = library.lookup("look").expect("the tool");
    let result: Result<Value, _> = invoke_tool(&**tool, "{}", &ToolContext::detached()).await;
    assert!(matches!(result, Err(ToolError::Execution(text)) if text.contains("`look`")));
}

#[test]
fn a_spec_binds_to_a_tool_whose_description_may_change() {
    let signature = agent_runtime::spec::parse_signature(GREETS).expect("a signature");
    let schema = signature.schema().to_value();
    let contracts = [
        Contract::Signature(signature),
        Contract::Schema {
            input: schema,
            output: None,
        },
    ];
    for contract in contracts {
        let agent = agent([ToolSpec::new("greet", "Greets people", GREETS).expect("a spec")]);
        let new = |contract| {
            let settings = ToolSettings::DEFAULT;
            ToolDescriptor::new("greet".into(), "Another text".into(), contract, settings)
        };
        let bind = |descriptor| {
            let mut library = ToolLibrary::new();
            library
                .register("greet", Served(descriptor))
                .expect("a tool");
            bind_agent_tools_with(&agent, &library, BindPolicy::Compatible)
        };
        assert!(bind(new(contract.clone())).is_err());
        assert!(bind(new(contract).with_changing_description()).is_ok());
    }
}
