//! A model that makes mistakes is told what is wrong and what would be right, and is not let go on
//! for ever.

use agent_runtime::conversation::{Role, ToolCall};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::run::{MAX_BAD_CALLS, MAX_ITERATIONS};
use agent_runtime::{
    Agent, AgentResponse, Conversation, Error, Message, Runtime, agent, tool, tools,
};

/// Books a table at the restaurant
#[tool]
fn book_table(guests: u8, day: String) -> String {
    format!("A table for {guests} on {day} is yours.")
}

static AGENT: Agent = agent! {
    tools: [book_table],
    [waiter:Agent {instruction: "Book tables.", model: "OpenAI/gpt-6-luna"} |
        [bookTable:Tool {description: "Books a table at the restaurant"} |
            (guests::Int)==>(day::Text)==>(::String)
        ]
    ]
};

/// A call: tool and arguments.
type Call = (&'static str, &'static str);

const RIGHT: Call = ("bookTable", r#"{"guests": 4, "day": "Friday"}"#);
const UNKNOWN_TOOL: Call = ("book_tabel", r#"{"guests": 4, "day": "Friday"}"#);
const BROKEN_JSON: Call = ("bookTable", r#"{"guests": 4, "day": "Fri"#);
const WRONG_TYPES: Call = ("bookTable", r#"{"guests": "four", "day": 5}"#);
const MISSING_FIELD: Call = ("bookTable", r#"{"guests": 4}"#);
const OUT_OF_RANGE: Call = ("bookTable", r#"{"guests": 400, "day": "Friday"}"#);
const MISSPELT_FIELD: Call = ("bookTable", r#"{"guest": 4, "day": "Friday"}"#);

/// Plays a model that makes these calls, one a turn, and then says it is done.
async fn play(calls: &[Call]) -> (Result<AgentResponse, Error>, Conversation, Scripted) {
    let turns = calls.iter().enumerate().map(|(at, (tool, arguments))| {
        ModelReply::calls([ToolCall::new(format!("call_{at}"), *tool, *arguments)])
    });
    let model = Scripted::new(turns).then(ModelReply::text("Done."));
    let mut conversation = Conversation::new();
    let result = Runtime::with_model(model.clone())
        .execute(
            &AGENT,
            "A table for four on Friday!",
            &mut conversation,
            &tools![book_table],
        )
        .await;
    conversation.check().expect("a history that can be sent");
    (result, conversation, model)
}

fn results(conversation: &Conversation) -> Vec<&Message> {
    let messages = conversation.messages().iter();
    messages
        .filter(|message| message.role() == Role::Function)
        .collect()
}

#[tokio::test]
async fn answers_each_mistake_with_advice() {
    // For each call, what the model must read: what is wrong, and what would be right.
    let cases: [(Call, &[&str]); 6] = [
        (
            UNKNOWN_TOOL,
            &["there is no tool `book_tabel`", "did you mean `bookTable`?"],
        ),
        (
            BROKEN_JSON,
            &[
                "expected JSON",
                "EOF while parsing a string",
                "line 1 column 25",
            ],
        ),
        (
            WRONG_TYPES,
            // Both at once: a model that is told one at a time wastes a turn for each.
            &[
                "`$.guests`: expected Int, found the text \"four\"",
                "`$.day`: expected Text, found the number 5",
            ],
        ),
        (MISSING_FIELD, &["`$.day`: expected Text, found nothing"]),
        (
            OUT_OF_RANGE,
            &["`$.guests`: expected Int from 0 to 255, found the number 400"],
        ),
        (MISSPELT_FIELD, &["\"guest\"", "did you mean `guests`?"]),
    ];
    for (mistake, expected) in cases {
        let (result, conversation, model) = play(&[mistake, RIGHT]).await;
        let response = result.expect("a run that recovers");
        model.assert_complete();
        let results = results(&conversation);
        assert!(results[0].is_error(), "{mistake:?}");
        let told = results[0].content();
        for part in expected {
            assert!(told.contains(part), "{mistake:?}: {told}");
        }
        // The model reads it in its next request, with the very call that it made.
        let sent = &model.requests()[1].messages;
        assert_eq!(sent.last(), Some(results[0]));
        assert_eq!(sent[1].tool_calls()[0].args_text(), mistake.1);
        assert!(!results[1].is_error());
        assert_eq!(results[1].content(), "A table for 4 on Friday is yours.");
        assert_eq!(response.tools_used.len(), 2);
        assert!(response.tools_used[0].result.is_err());
        assert!(response.tools_used[1].result.is_ok());
    }
}

#[tokio::test]
async fn recovers_from_consecutive_mistakes() {
    // A success gives a tool its attempts back, so that there may be more mistakes in a run than
    // attempts.
    let calls = [
        UNKNOWN_TOOL,
        BROKEN_JSON,
        WRONG_TYPES,
        RIGHT,
        MISSING_FIELD,
        RIGHT,
    ];
    let (result, conversation, model) = play(&calls).await;
    let response = result.expect("an answer");
    model.assert_complete();
    assert_eq!(response.content, "Done.");
    let failed: Vec<bool> = results(&conversation)
        .iter()
        .map(|result| result.is_error())
        .collect();
    assert_eq!(failed, [true, true, true, false, true, false]);
    let attempts: Vec<u32> = response
        .tools_used
        .iter()
        .map(|call| call.attempt)
        .collect();
    assert_eq!(attempts, [1, 1, 2, 3, 1, 2]);
}

#[tokio::test]
async fn disables_a_tool_after_three_consecutive_failures() {
    let (result, conversation, model) =
        play(&[BROKEN_JSON, WRONG_TYPES, MISSING_FIELD, RIGHT]).await;
    let response = result.expect("an answer in words");
    model.assert_complete();
    let results = results(&conversation);
    let last = "no attempts are left: do not call `bookTable` again";
    let told: Vec<bool> = results
        .iter()
        .map(|result| result.content().contains(last))
        .collect();
    assert_eq!(told, [false, false, true, false]);
    // The right call comes too late.
    assert_eq!(
        results[3].content(),
        "not made: no attempts are left, so do not call `bookTable` again"
    );
    assert!(response.tools_used.iter().all(|call| call.result.is_err()));
}

#[tokio::test]
async fn ends_at_the_limit_of_bad_calls() {
    for call in [UNKNOWN_TOOL, WRONG_TYPES] {
        let (result, conversation, model) = play(&[call; 20]).await;
        let error = result.expect_err("an endless run");
        assert!(error.is_limit(), "{error:?}");
        let text = error.to_string();
        assert!(text.contains("`waiter`"), "{text}");
        assert!(text.contains("10 bad calls in a row"), "{text}");
        assert_eq!(model.requests().len(), MAX_BAD_CALLS as usize);
        assert_eq!(results(&conversation).len(), MAX_BAD_CALLS as usize);
    }
}

#[tokio::test]
async fn ends_at_the_limit_of_turns() {
    let (result, conversation, model) = play(&[RIGHT; 20]).await;
    let error = result.expect_err("an endless run");
    assert!(error.is_limit(), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("`waiter`"), "{text}");
    assert!(text.contains("more than 10 turns"), "{text}");
    assert!(text.contains("`maxIterations`"), "{text}");
    // The request after the last turn is still made, so that the model can answer in words.
    assert_eq!(model.requests().len(), MAX_ITERATIONS as usize + 1);
    let done = results(&conversation);
    let done = done.iter().filter(|result| !result.is_error()).count();
    assert_eq!(done, MAX_ITERATIONS as usize);
}
