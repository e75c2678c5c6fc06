//! An agent that must call a tool, with a model that does whatever it must: its runs end.

use agent_runtime::conversation::ToolCall;
use agent_runtime::model::{ChatFuture, ChatModel, ModelReply, ModelRequest};
use agent_runtime::spec::ToolChoice;
use agent_runtime::{Agent, Conversation, Runtime, agent, tool, tools};
use std::sync::Mutex;

/// Returns a friendly greeting message for the given name
#[tool]
fn say_hello(person_name: String) -> String {
    format!("Hello, {person_name}!")
}

/// Says what time it is
#[tool]
fn get_time() -> String {
    "noon".to_owned()
}

const MUST_CALL: Agent = agent! {
    tools: [say_hello, get_time],
    [must_call:Agent {
        instruction: "Greet people.", model: "Scripted/obedient", toolChoice: "required"
    } |
        sayHello, getTime
    ]
};

const MUST_GREET: Agent = agent! {
    tools: [say_hello, get_time],
    [must_greet:Agent {
        instruction: "Greet people.", model: "Scripted/obedient", toolChoice: "sayHello"
    } |
        getTime, sayHello
    ]
};

/// Calls a tool whenever it must, and never otherwise.
#[derive(Default)]
struct Obedient {
    choices: Mutex<Vec<Option<ToolChoice>>>,
}

impl Obedient {
    fn answer(&self, request: &ModelRequest) -> ModelReply {
        let choice = request.settings.tool_choice.clone();
        let mut choices = self.choices.lock().expect("no panic");
        choices.push(choice.clone());
        let tool = match choice {
            Some(ToolChoice::Required) => "getTime".to_owned(),
            Some(ToolChoice::Tool(name)) => name.into_string(),
            _ => return ModelReply::text("Done."),
        };
        let id = format!("call_{}", choices.len());
        ModelReply::calls([ToolCall::new(id, tool, r#"{"personName": "Ada"}"#)])
    }
}

impl ChatModel for &'static Obedient {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move { Ok(self.answer(request)) })
    }
}

#[tokio::test]
async fn a_forced_tool_call_does_not_loop() {
    for (agent, choice, called) in [
        (&MUST_CALL, ToolChoice::Required, "getTime"),
        (&MUST_GREET, ToolChoice::Tool("sayHello".into()), "sayHello"),
    ] {
        let model: &'static Obedient = Box::leak(Box::default());
        let runtime = Runtime::with_model(model);
        let mut conversation = Conversation::new();
        let library = tools![say_hello, get_time];
        for _ in 0..2 {
            let response = runtime
                .execute(agent, "Hi", &mut conversation, &library)
                .await
                .expect("an answer");
            assert_eq!(response.content, "Done.");
            let [used] = response.tools_used.as_slice() else {
                panic!("{:?}", response.tools_used);
            };
            assert_eq!(used.tool, called);
            assert!(used.result.is_ok(), "{used:?}");
        }
        let choices = model.choices.lock().expect("no panic").clone();
        let (asked, met) = (Some(choice), Some(ToolChoice::Auto));
        assert_eq!(choices, [asked.clone(), met.clone(), asked, met]);
    }
}
