//! The gram file, the descriptor, the check of `agent!`, the schema and the results of the calculator agree.

use agent_runtime::library::{BindPolicy, bind_agent_tools_with};
use agent_runtime::tool::invoke_tool;
use agent_runtime::{Agent, ToolContext, ToolError, agent};
use serde_json::{Value, json};

/// The schema of the design documents, with the field that was added.
static AGENT: Agent = agent! {
    tools: [agent_builtin::calculator],
    [computer:Agent {instruction: "Compute.", model: "OpenAI/gpt-6-luna"} |
        [calculator:Tool {description: "Evaluates mathematical expressions."} |
            (expression::Text {description: "Math expression like '2 + 2'"})==>
            (::Object {fields: [
                {name: "result", type: "Double", optional: true},
                {name: "exact", type: "Text", optional: true}
            ]})
        ]
    ]
};

#[test]
fn schemas_are_those_of_the_design_document() {
    let spec = &AGENT.tools()[0];
    assert_eq!(
        spec.signature().schema().to_value(),
        json!({
            "type": "object",
            "properties": {
                "expression": {"type": "string", "description": "Math expression like '2 + 2'"},
            },
            "required": ["expression"],
        })
    );
    assert_eq!(
        spec.signature().return_schema().to_value(),
        json!({
            "type": "object",
            "properties": {"result": {"type": "number"}, "exact": {"type": "string"}},
            "required": [],
        })
    );
}

#[test]
fn binds_an_agent_with_the_calculator() {
    let library = agent_builtin::library();
    let bound = bind_agent_tools_with(&AGENT, &library, BindPolicy::Exact);
    assert_eq!(bound.expect("it binds").len(), 1);
}

async fn call(expression: &str) -> Result<Value, ToolError> {
    let library = agent_builtin::library();
    let tool = library.lookup("calculator").expect("it is built in");
    let arguments = json!({"expression": expression}).to_string();
    // The call validates the result.
    invoke_tool(&**tool, &arguments, &ToolContext::detached()).await
}

#[tokio::test]
async fn results_fit_the_schema() {
    for (expression, result) in [
        ("2 + 2", json!({"result": 4})),
        ("1 / 3", json!({"result": 1.0 / 3.0})),
        ("-2^63", json!({"result": i64::MIN})),
        (
            "2^64",
            json!({"result": 18_446_744_073_709_551_616.0, "exact": "18446744073709551616"}),
        ),
    ] {
        assert_eq!(call(expression).await.as_ref(), Ok(&result), "{expression}");
    }
}

#[tokio::test]
async fn returns_an_error_for_an_expression_without_value() {
    let error = call("1 / 0").await.expect_err("nothing");
    let expected = "division by zero (at character 3: `/ 0`)";
    assert_eq!(error, ToolError::Execution(expected.into()));
}

#[tokio::test]
async fn an_agent_calculates() {
    let runtime = agent_runtime::Runtime::offline();
    let (mut conversation, library) =
        (agent_runtime::Conversation::new(), agent_builtin::library());
    let response = runtime
        .execute(&AGENT, "What is 2 + 3?", &mut conversation, &library)
        .await
        .expect("an answer");
    assert_eq!(response.content, r#"{"result":5}"#);
}
