//! Runs whose answer is a value of a Rust type.

use crate::support::{ada, agent, calls, greeter, hello_tool, library};
use agent_runtime::conversation::ToolCall;
use agent_runtime::model::{FinishReason, ModelReply, Scripted};
use agent_runtime::run::{Decision, RunOutcome};
use agent_runtime::runtime::TypedResponse;
use agent_runtime::serde::Deserialize;
use agent_runtime::{Conversation, Error, GramType, Runtime};

#[derive(Debug, Deserialize, GramType, PartialEq)]
#[serde(crate = "agent_runtime::serde")]
struct Town {
    name: String,
    inhabitants: u32,
    twins: Option<Vec<String>>,
}

/// A type whose reader knows more than gram can say.
#[derive(Debug, GramType, PartialEq)]
struct Even {
    number: i64,
}

impl<'de> Deserialize<'de> for Even {
    fn deserialize<D>(deserializer: D) -> Result<Self, D::Error>
    where
        D: agent_runtime::serde::Deserializer<'de>,
    {
        #[derive(Deserialize)]
        #[serde(crate = "agent_runtime::serde")]
        struct Read {
            number: i64,
        }
        let Read { number } = Read::deserialize(deserializer)?;
        match number % 2 {
            0 => Ok(Self { number }),
            _ => Err(agent_runtime::serde::de::Error::custom("the number is odd")),
        }
    }
}

const ULM: &str = r#"{"name": "Ulm", "inhabitants": 128000}"#;

fn ulm() -> Town {
    Town {
        name: "Ulm".into(),
        inhabitants: 128_000,
        twins: None,
    }
}

fn given(arguments: &str) -> ModelReply {
    ModelReply::calls([ToolCall::new("", "finalAnswer", arguments)])
}

/// Plays a script to its end; gives the answer, and the conversation, which can be sent.
async fn play<T>(script: Vec<ModelReply>) -> (Result<TypedResponse<T>, Error>, Conversation)
where
    T: GramType + agent_runtime::serde::de::DeserializeOwned,
{
    play_with(Scripted::new(script)).await
}

async fn play_with<T>(model: Scripted) -> (Result<TypedResponse<T>, Error>, Conversation)
where
    T: GramType + agent_runtime::serde::de::DeserializeOwned,
{
    let runtime = Runtime::with_model(model);
    let (greeter, library) = (greeter(), library([hello_tool()]));
    let mut conversation = Conversation::new();
    let answer = runtime
        .run(&greeter, "Where?")
        .tools(&library)
        .conversation(&mut conversation)
        .output::<T>()
        .await;
    conversation.check().expect("a valid history");
    (answer, conversation)
}

#[tokio::test]
async fn a_record_is_given_by_a_call() {
    let (answer, conversation) = play::<Town>(vec![given(ULM)]).await;
    let answer = answer.expect("an answer");
    assert_eq!(answer.value, ulm());
    assert!(answer.response.tools_used.is_empty());
    let content: Town = serde_json::from_str(&answer.response.content).expect("JSON of the answer");
    assert_eq!(content, ulm());
    // The call is kept as the model wrote it, with a result, so that the next request can begin with it.
    let [_, call, result] = conversation.messages() else {
        panic!("{conversation:?}");
    };
    assert_eq!(call.tool_calls()[0].args_text(), ULM);
    assert_eq!(result.call_id(), Some(call.tool_calls()[0].id()));
    assert_eq!(
        (result.content(), result.is_error()),
        ("the answer was taken", false)
    );
}

#[tokio::test]
async fn a_refusal_ends_the_run_with_its_reason() {
    let refusal = ModelReply::text("I cannot tell.");
    let script = vec![refusal.with_finish_reason(FinishReason::ContentFilter)];
    let (answer, conversation) = play::<Town>(script).await;
    let error = answer.expect_err("a refusal");
    assert!(error.is_refused(), "{error:?}");
    assert!(
        error
            .to_string()
            .ends_with("refused to give the answer: I cannot tell.")
    );
    assert_eq!(conversation.messages()[1].content(), "I cannot tell.");
}

#[tokio::test]
async fn accepts_an_answer_whose_type_is_not_a_record() {
    let (answer, _) = play::<Vec<u8>>(vec![given(r#"{"answer": [1, 2]}"#)]).await;
    assert_eq!(answer.expect("an answer").value, [1, 2]);
    let (answer, _) = play::<Option<bool>>(vec![given("{}")]).await;
    assert_eq!(answer.expect("an answer").value, None);
}

#[tokio::test]
async fn the_tools_of_the_agent_may_be_called_before() {
    let script = vec![calls(&[("a", "sayHello", &ada().to_string())]), given(ULM)];
    let (answer, _) = play::<Town>(script).await;
    let answer = answer.expect("an answer");
    assert_eq!(answer.value, ulm());
    assert_eq!(answer.response.tools_used.len(), 1);
}

#[tokio::test]
async fn accepts_the_same_answer_twice_and_rejects_two_answers() {
    let twice = |second| calls(&[("a", "finalAnswer", ULM), ("b", "finalAnswer", second)]);
    let (answer, conversation) = play::<Town>(vec![twice(ULM)]).await;
    assert_eq!(answer.expect("an answer").value, ulm());
    assert_eq!(crate::support::results(&conversation).len(), 2);
    let other = r#"{"name": "Ulm", "inhabitants": 7}"#;
    let (answer, conversation) = play::<Town>(vec![twice(other), given(ULM)]).await;
    assert_eq!(answer.expect("an answer").value, ulm());
    let results = crate::support::results(&conversation);
    let ([refused @ .., taken], 3) = (&results[..], results.len()) else {
        panic!("{results:?}");
    };
    assert!(!taken.2, "{taken:?}");
    for (_, text, is_error) in refused {
        let words = "`finalAnswer` was called 2 times in one answer: call it once";
        assert!(*is_error && text.contains(words), "{text}");
    }
}

#[tokio::test]
async fn an_answer_beside_other_calls_waits_for_their_results() {
    let both = calls(&[
        ("a", "finalAnswer", ULM),
        ("b", "sayHello", &ada().to_string()),
    ]);
    let (answer, conversation) = play::<Town>(vec![both, given(ULM)]).await;
    let answer = answer.expect("an answer");
    assert_eq!(answer.value, ulm());
    let results = crate::support::results(&conversation);
    assert!(
        results[0].1.contains("call `finalAnswer` alone"),
        "{results:?}"
    );
    assert!(!results[1].2, "the other call was made");
    let used: Vec<_> = answer
        .response
        .tools_used
        .iter()
        .map(|call| call.tool.as_str())
        .collect();
    assert_eq!(used, ["sayHello"]);
}

#[tokio::test]
async fn a_model_corrects_itself() {
    for (wrong, words) in [
        (given(r#"{"name": "Ulm"}"#), "inhabitants"),
        (
            given(r#"{"name": "Ulm", "inhabitants": -1}"#),
            "integer `-1`",
        ),
        (given("Ulm"), "not"),
        (
            ModelReply::text("In Ulm."),
            "by calling the tool `finalAnswer`",
        ),
        (ModelReply::text("{\"name\": 7}"), "name"),
    ] {
        let model = Scripted::new([wrong, given(ULM)]);
        let (answer, _) = play_with::<Town>(model.clone()).await;
        let requests = model.requests();
        let answer = answer.expect("an answer");
        assert_eq!(answer.value, ulm());
        // The agent has used no tool: what takes the answer is none of its own.
        assert_eq!(answer.response.tools_used, []);
        // The reply to a call is its result, the reply to text a correction.
        let told = requests[1].messages.last().expect("a line").content();
        assert!(told.contains(words), "{told}");
    }
}

#[tokio::test]
async fn reports_a_value_that_only_the_reader_rejects() {
    let script = vec![given(r#"{"number": 3}"#), given(r#"{"number": 4}"#)];
    let (answer, conversation) = play::<Even>(script).await;
    assert_eq!(answer.expect("an answer").value, Even { number: 4 });
    let told = conversation.messages()[2].content();
    assert_eq!(told, "`$`: the number is odd");
}

/// The error has the path in the answer, and not the column that serde reports.
#[tokio::test]
async fn reports_the_path_of_a_value_that_serde_rejects() {
    #[derive(Debug, Deserialize, GramType)]
    #[serde(crate = "agent_runtime::serde")]
    struct Sum {
        parts: Vec<Even>,
    }
    let parts = |last: u8| format!(r#"{{"parts": [{{"number": 2}}, {{"number": {last}}}]}}"#);
    let script = vec![given(&parts(3)), given(&parts(4))];
    let (answer, conversation) = play::<Sum>(script).await;
    assert_eq!(answer.expect("an answer").value.parts.len(), 2);
    let told = conversation.messages()[2].content();
    assert_eq!(told, "`$.parts[1]`: the number is odd");

    let list = |last: u8| format!(r#"{{"answer": [{{"number": {last}}}]}}"#);
    let (answer, conversation) = play::<Vec<Even>>(vec![given(&list(1)), given(&list(2))]).await;
    answer.expect("an answer");
    let told = conversation.messages()[2].content();
    assert_eq!(told, "`$.answer[0]`: the number is odd");
}

#[tokio::test]
async fn json_as_text_is_understood() {
    for text in [
        ULM.to_owned(),
        format!("```json\n{ULM}\n```"),
        format!("\n```\n{ULM}```\n"),
    ] {
        let (answer, _) = play::<Town>(vec![ModelReply::text(&text)]).await;
        assert_eq!(answer.expect("an answer").value, ulm(), "{text}");
    }
    let (answer, _) = play::<u8>(vec![ModelReply::text("7")]).await;
    assert_eq!(answer.expect("an answer").value, 7);
}

#[tokio::test]
async fn accepts_text_as_a_typed_answer_of_text() {
    for words in ["In Ulm.", "\"In Ulm.\""] {
        let (answer, _) = play::<String>(vec![ModelReply::text(words)]).await;
        assert_eq!(answer.expect("an answer").value, "In Ulm.");
    }
}

/// A correction that was sent stays in the conversation, so that the next request can begin with it.
#[tokio::test]
async fn a_correction_stays_in_the_conversation_and_begins_no_turn() {
    let words = ModelReply::text("In Ulm.");
    let model = Scripted::new([words, given(ULM)]);
    let (answer, conversation) = play_with::<Town>(model.clone()).await;
    answer.expect("an answer");
    let roles: Vec<_> = conversation
        .messages()
        .iter()
        .map(|said| said.role().as_str())
        .collect();
    assert_eq!(
        roles,
        ["user", "assistant", "user", "assistant", "function"]
    );
    assert_eq!(model.requests()[1].messages, conversation.messages()[..3]);
    assert!(conversation.messages()[2].is_correction());
    assert_eq!(conversation.turns().count(), 1);
    // Also in a file.
    let read = Conversation::from_json(&conversation.to_json()).expect("its own form");
    assert_eq!(read.turns().count(), 1);
}

#[tokio::test]
async fn three_failures_end_the_run() {
    let many = given(r#"{"name": "Ulm", "inhabitants": "many"}"#);
    let cases = [
        (given("{}"), 7, "name"),
        (many, 7, "$.inhabitants"),
        (ModelReply::text("In Ulm."), 6, "text and no JSON"),
        (ModelReply::text("{\"name\": \"Ulm\"}"), 6, "inhabitants"),
    ];
    for (wrong, messages, reason) in cases {
        let (answer, conversation) = play::<Town>(vec![wrong.clone(), wrong.clone(), wrong]).await;
        let error = answer.expect_err("no answer");
        assert!(error.is_llm(), "{error}");
        // The type, and the reason for which the last answer was refused.
        let text = error.to_string();
        for part in ["3 times", "(name::Text", reason] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(conversation.messages().len(), messages);
    }
}

#[tokio::test]
async fn rejects_a_typed_answer_that_was_cut_off() {
    let mut cut = given(ULM);
    cut.finish_reason = agent_runtime::model::FinishReason::Length;
    let (answer, conversation) = play::<Town>(vec![cut, given(ULM)]).await;
    answer.expect("an answer");
    assert!(
        crate::support::results(&conversation)[0]
            .1
            .contains("cut off")
    );
}

#[tokio::test]
async fn a_tool_of_that_name_keeps_it() {
    let tool = crate::support::tool("finalAnswer", |_| async { Ok(1.into()) });
    let agent = agent([crate::support::spec("finalAnswer")]);
    let script = [
        calls(&[("a", "finalAnswer", "{}")]),
        ModelReply::calls([ToolCall::new("b", "finalAnswer2", ULM)]),
    ];
    let runtime = Runtime::with_model(Scripted::new(script));
    let mut conversation = Conversation::new();
    let answer = runtime
        .run(&agent, "Where?")
        .tools(&library([tool]))
        .conversation(&mut conversation)
        .output::<Town>()
        .await
        .expect("an answer");
    assert_eq!((answer.value, answer.response.tools_used.len()), (ulm(), 1));
}

#[tokio::test]
async fn the_tool_for_the_answer_has_the_types_schema() {
    let model = Scripted::new([given(ULM)]);
    let requests = model.clone();
    let runtime = Runtime::with_model(model);
    let mut conversation = Conversation::new();
    runtime
        .run(greeter(), "Where?")
        .tools(&library([hello_tool()]))
        .conversation(&mut conversation)
        .output::<Town>()
        .await
        .expect("an answer");
    let request = &requests.requests()[0];
    let names: Vec<_> = request.tools.iter().map(|tool| tool.name()).collect();
    assert_eq!(names, ["sayHello", "finalAnswer"]);
    let schema = request.tools[1].schema().to_value();
    assert_eq!(schema["properties"]["inhabitants"]["type"], "integer");
    assert_eq!(
        schema["required"],
        serde_json::json!(["name", "inhabitants"])
    );
}

/// With a call that a person must approve, in between.
#[tokio::test]
async fn a_typed_run_that_awaits_approval_can_be_saved_as_json() {
    let risky = crate::support::config("risky").requires_approval(true);
    let risky = risky.build(|_| async { Ok(1.into()) }).expect("a tool");
    let (agent, library) = (agent([crate::support::spec("risky")]), library([risky]));
    let script = Scripted::new([calls(&[("a", "risky", "{}")]), given("{}"), given(ULM)]);
    let runtime = Runtime::with_model(script);
    let mut run = runtime
        .run(&agent, "Where?")
        .tools(&library)
        .output::<Town>()
        .start()
        .expect("a run");
    let progress = runtime.resume(&mut run).tools(&library).await;
    assert!(
        matches!(progress, Ok(RunOutcome::AwaitingApproval(_))),
        "{progress:?}"
    );
    let mut run = runtime
        .read_run(&run.to_json(), &library)
        .expect("the same run");
    run.approve("a", Decision::Approve).expect("it waits");
    let progress = runtime.resume(&mut run).tools(&library).await;
    let Ok(RunOutcome::Done(response)) = progress else {
        panic!("{progress:?}");
    };
    let town: Town = serde_json::from_str(&response.content).expect("a town");
    assert_eq!(town, ulm());
    // Neither the wrong nor the right call of the answer is among the calls of tools.
    let used: Vec<_> = response
        .tools_used
        .iter()
        .map(|call| call.tool.as_str())
        .collect();
    assert_eq!(used, ["risky"]);
}
