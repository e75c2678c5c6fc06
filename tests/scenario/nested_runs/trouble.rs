//! Agents that fail, never end, or call each other in a circle.

use super::*;
use agent_runtime::ToolError;
use std::time::Duration;

/// Fails always
#[tool]
fn broken() -> Result<String, ToolError> {
    Err(ToolError::execution("it is broken"))
}

static PATIENT: Agent = agent! {
    tools: [look_up, broken],
    [support:Agent {instruction: "I am support.", model: "OpenAI/gpt-6-luna"} |
        [silent:Agent {
            description: "Waits", instruction: "I am silent.", model: "OpenAI/gpt-6-luna", timeout: 100ms
        } |
            (question::Text)==>(::String)
        ],
        [restless:Agent {
            description: "Looks on", instruction: "I am restless.", model: "OpenAI/gpt-6-luna"
        } |
            (question::Text)==>(::String), lookUp
        ],
        [clumsy:Agent {
            description: "Breaks all", instruction: "I am clumsy.", model: "OpenAI/gpt-6-luna"
        } |
            (question::Text)==>(::String), broken
        ]
    ]
};

/// Asks an agent, and answers.
fn asks(agent: &str) -> Script {
    let answers = [
        openai::call("c", agent, QUESTION),
        openai::text("I cannot say."),
    ];
    Script::default().agent("support", answers)
}

/// Runs an agent that asks another one, and returns the error of that call.
async fn error_of(script: Script) -> String {
    let server = script.serve();
    let runtime = builder(&server).max_attempts(1).build().expect("a runtime");
    let library = tools![look_up, broken];
    let mut conversation = Conversation::new();
    let run = runtime.run(&PATIENT, "Well?").tools(&library);
    let response = run
        .conversation(&mut conversation)
        .await
        .expect("an answer");
    assert_eq!(response.content, "I cannot say.");
    assert_goes_on(&runtime, &mut conversation).await;
    let [call] = response.tools_used.as_slice() else {
        panic!("{:?}", response.tools_used)
    };
    call.result.clone().expect_err("a failure").to_string()
}

#[tokio::test]
async fn an_agent_that_is_never_answered_ends_at_its_timeout() {
    let error = error_of(asks("silent")).await;
    assert_eq!(error, ToolError::Timeout.to_string());
}

#[tokio::test]
async fn an_agent_that_calls_tools_for_ever_ends_at_its_most_turns() {
    let again = std::iter::repeat_n(openai::call("l", "lookUp", CUSTOMER), 50);
    let error = error_of(asks("restless").agent("restless", again)).await;
    assert!(
        error.contains("the agent `restless` failed: ") && error.contains("10"),
        "{error}"
    );
}

#[tokio::test]
async fn an_agent_whose_tool_fails_at_each_step_ends_with_an_error() {
    let again = std::iter::repeat_n(openai::call("b", "broken", "{}"), 50);
    let error = error_of(asks("clumsy").agent("clumsy", again)).await;
    assert!(error.contains("the agent `clumsy` failed: "), "{error}");
}

#[tokio::test]
async fn an_agent_whose_provider_refuses_is_not_asked_for_ever() {
    let refused = || Answer(400, r#"{"error": {"message": "no such thing"}}"#.to_owned());
    let again = std::iter::repeat_n(openai::call("c", "clumsy", QUESTION), 5);
    let script = Script::default()
        .agent("support", again.chain([openai::text("I cannot say.")]))
        .agent("clumsy", [refused()]);
    let server = script.serve();
    let (runtime, library) = (runtime(&server), tools![look_up, broken]);
    let mut conversation = Conversation::new();
    let run = runtime.run(&PATIENT, "Well?").tools(&library);
    let response = run
        .conversation(&mut conversation)
        .await
        .expect("an answer");
    // After three failures in a row the agent has no attempts left, like any tool.
    let clumsy = asked(&server)
        .iter()
        .filter(|name| *name == "clumsy")
        .count();
    assert_eq!((clumsy, response.tools_used.len()), (3, 5));
    let error = response.tools_used[0]
        .result
        .clone()
        .expect_err("a failure");
    assert!(error.to_string().contains("no such thing"), "{error}");
    assert_goes_on(&runtime, &mut conversation).await;
}

#[tokio::test]
async fn the_time_limit_of_a_run_ends_the_agents_that_it_called() {
    let script = Script::default().agent("support", [openai::call("b", "billing", QUESTION)]);
    let server = script.serve();
    let limit = Duration::from_millis(200);
    let runtime = builder(&server)
        .run_timeout(limit)
        .build()
        .expect("a runtime");
    let (mut conversation, library) = (Conversation::new(), library());
    let run = runtime.run(&SUPPORT, "Well?").tools(&library);
    let error = run
        .conversation(&mut conversation)
        .await
        .expect_err("no time");
    assert!(error.is_timeout(), "{error}");
    conversation.check().expect("a history that can be sent");
    assert_eq!(conversation.messages().len(), 3);
}

#[tokio::test]
async fn agents_that_call_each_other_end_at_the_depth() {
    static CIRCLE: Agent = agent! {
        [first:Agent {instruction: "I am first.", model: "OpenAI/gpt-6-luna"} | ping]
        [ping:Agent {description: "Asks pong", instruction: "I am ping.", model: "OpenAI/gpt-6-luna"} | pong]
        [pong:Agent {description: "Asks ping", instruction: "I am pong.", model: "OpenAI/gpt-6-luna"} | ping]
    };
    let asks = |agent: &str| {
        let arguments = r#"{"message": "go on"}"#;
        [openai::call("c", agent, arguments), openai::text("Enough.")]
    };
    let script = Script::default()
        .agent("first", asks("ping"))
        .agent("ping", asks("pong"))
        .agent("pong", asks("ping"));
    let server = script.serve();
    let runtime = runtime(&server);
    let mut conversation = Conversation::new();
    let run = runtime.run(&CIRCLE, "Go!").conversation(&mut conversation);
    let response = run.await.expect("an answer");
    assert_eq!(response.content, "Enough.");
    // The first and 8 below it, each with two requests.
    assert_eq!(server.requests().len(), 18);
    let requests = server.requests();
    let refused = requests.iter().filter(|request| {
        let body = request.json();
        let last = body["messages"]
            .as_array()
            .and_then(|all| all.last().cloned());
        last.is_some_and(|last| last["content"].to_string().contains("a call of the agent"))
    });
    assert_eq!(refused.count(), 1);
    assert_goes_on(&runtime, &mut conversation).await;
}
