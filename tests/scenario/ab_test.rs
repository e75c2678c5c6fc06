//! One agent, two libraries: the same questions, other answers.

use crate::scenario::support::hello::AGENT;
use crate::scenario::support::recorder::Recorder;
use agent_runtime::conversation::Role;
use agent_runtime::model::ModelRequest;
use agent_runtime::{Conversation, Runtime, ToolLibrary, tools};

mod formal {
    use agent_runtime::tool;

    /// Returns a friendly greeting message for the given name
    #[tool]
    pub(super) fn say_hello(#[tool(default = "world")] person_name: String) -> String {
        format!("Good day, {person_name}.")
    }
}

mod casual {
    use agent_runtime::tool;

    /// Returns a friendly greeting message for the given name
    #[tool]
    pub(super) fn say_hello(#[tool(default = "world")] person_name: &str) -> String {
        format!("Hey {person_name}!")
    }
}

/// The answer with this library, and all that the model was asked.
async fn play(input: &str, library: &ToolLibrary) -> (String, Vec<ModelRequest>) {
    let model = Recorder::default();
    let mut conversation = Conversation::new();
    let response = Runtime::with_model(model.clone())
        .execute(&AGENT, input, &mut conversation, library)
        .await
        .expect("an answer");
    (response.content, model.requests())
}

#[tokio::test]
async fn arms_differ_only_in_results() {
    let (a, b) = (tools![formal::say_hello], tools![casual::say_hello]);
    for (input, answer_a, answer_b) in [
        ("Hello, I'm Ada", "Good day, Ada.", "Hey Ada!"),
        ("Please greet Grace", "Good day, Grace.", "Hey Grace!"),
        ("Hello!", "Good day, world.", "Hey world!"),
    ] {
        let (by_a, requests_a) = play(input, &a).await;
        let (by_b, requests_b) = play(input, &b).await;
        assert_eq!((by_a.as_str(), by_b.as_str()), (answer_a, answer_b));
        assert_eq!((requests_a.len(), requests_b.len()), (2, 2));
        assert_eq!(requests_a[0], requests_b[0]);
        // After the call, the two differ in the text of the result and in nothing else.
        let (mut after_a, mut after_b) = (requests_a[1].clone(), requests_b[1].clone());
        let result_a = after_a.messages.pop().expect("a result");
        let result_b = after_b.messages.pop().expect("a result");
        assert_eq!(after_a, after_b);
        assert_eq!(result_a.role(), Role::Function);
        assert_eq!(result_a.call_id(), result_b.call_id());
        assert_eq!(
            (result_a.content(), result_b.content()),
            (answer_a, answer_b)
        );
    }
}
