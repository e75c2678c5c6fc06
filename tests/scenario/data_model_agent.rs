//! The hello world agent as the document of the data model prints it: with a long instruction, the
//! label `ToolSpecification`, and a parameter without default.

use agent_runtime::library::bind_agent_tools;
use agent_runtime::spec::AgentPattern;
use agent_runtime::{Conversation, Runtime};
use serde_json::json;

const GRAM: &str = include_str!("../documents/001/hello_world_agent.gram");

#[tokio::test]
async fn runs_the_documents_agent_offline() {
    let pattern = AgentPattern::parse(GRAM).expect("an agent");
    let agent = pattern.to_agent().expect("a valid agent");
    assert_eq!(agent.model().to_string(), "OpenAI/gpt-3.5-turbo");
    assert!(agent.instruction().contains("use the `sayHello` tool"));
    let signature = agent_runtime::spec::parse_signature("(personName::Text)==>(::String)")
        .expect("a signature");
    assert_eq!(agent.tools()[0].signature(), &signature);

    let library = agent_builtin::library();
    let bound = bind_agent_tools(&agent, &library).expect("the built-in tool fits");
    assert!(bound.get("sayHello").is_some());

    // The pattern itself is executed, as the document's interpreter would.
    let mut conversation = Conversation::new();
    let response = Runtime::offline()
        .execute(&pattern, "Hello!", &mut conversation, &library)
        .await
        .expect("an answer");
    assert_eq!(response.content, "Hello, world! Nice to meet you.");
    // The message names nobody, so the model leaves the name out, and the tool knows what then.
    assert_eq!(
        response.to_json()["toolsUsed"],
        json!([{
            "tool": "sayHello",
            "args": {},
            "result": "Hello, world! Nice to meet you.",
            "attempt": 1,
        }])
    );
    assert_eq!(conversation.len(), 4);
}
