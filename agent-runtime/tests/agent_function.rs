//! Agents as functions: `#[agent_fn]`.

use agent_runtime::conversation::{Image, Part, ToolCall};
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::serde::{Deserialize, Serialize};
use agent_runtime::serde_json::json;
use agent_runtime::tool::{StaticTool, Tool, invoke_tool};
use agent_runtime::{
    Agent, Error, GramType, Runtime, ToolContext, agent, agent_fn, tool, tool_set, tools,
};
use std::fmt;

/// Looks a word up
#[tool]
fn look_up(word: &str) -> String {
    word.to_uppercase()
}

#[derive(Clone, Copy, Debug, Deserialize, GramType, Serialize)]
#[serde(crate = "agent_runtime::serde", rename_all = "lowercase")]
enum Language {
    De,
    Fr,
}

#[derive(Debug, Deserialize, GramType, PartialEq)]
#[serde(crate = "agent_runtime::serde")]
struct Translation {
    text: String,
    confident: bool,
}

/// Translates a text
#[agent_fn(file = "tests/gram/translate.gram", tools = [look_up])]
async fn translate(
    runtime: &Runtime,
    text: &str,
    language: Language,
    tone: Option<&str>,
) -> Result<Translation, Error>;

fn answer(json: &str) -> ModelReply {
    ModelReply::calls([ToolCall::new("1", "finalAnswer", json)])
}

const BONJOUR: &str = r#"{"text": "Bonjour", "confident": true, "words": 1}"#;

#[tokio::test]
async fn calls_the_agent_of_a_file_and_reads_the_answer() -> Result<(), Error> {
    let model = Scripted::new([answer(BONJOUR)]);
    let runtime = Runtime::with_model(model.clone());
    let translation = translate(&runtime, "Guten Tag", Language::Fr, None).await?;
    let expected = Translation {
        text: "Bonjour".to_owned(),
        confident: true,
    };
    assert_eq!(translation, expected);
    let request = &model.requests()[0];
    assert_eq!(request.instruction, "Translate into fr, politely.");
    assert_eq!(request.messages[0].content(), "Guten Tag");
    let names: Vec<&str> = request.tools.iter().map(|tool| tool.name()).collect();
    assert_eq!(names, ["lookUp", "finalAnswer"]);
    Ok(())
}

#[tokio::test]
async fn given_options_are_passed() -> Result<(), Error> {
    let model = Scripted::new([answer(BONJOUR)]);
    let runtime = Runtime::with_model(model.clone());
    translate(&runtime, "Guten Tag", Language::De, Some("shortly")).await?;
    assert_eq!(
        model.requests()[0].instruction,
        "Translate into de, shortly."
    );
    Ok(())
}

#[tokio::test]
async fn the_tools_of_the_agent_are_called() -> Result<(), Error> {
    let call = ToolCall::new("1", "lookUp", r#"{"word": "Tag"}"#);
    let model = Scripted::new([ModelReply::calls([call]), answer(BONJOUR)]);
    let runtime = Runtime::with_model(model.clone());
    translate(&runtime, "Guten Tag", Language::Fr, None).await?;
    let requests = model.requests();
    let result = requests[1].messages.last().expect("a result");
    assert!(result.content().contains("TAG"), "{}", result.content());
    Ok(())
}

#[tokio::test]
async fn a_wrong_answer_is_asked_for_again() -> Result<(), Error> {
    let wrong = r#"{"text": "Bonjour", "confident": "yes", "words": 1}"#;
    let model = Scripted::new([answer(wrong), answer(BONJOUR)]);
    let runtime = Runtime::with_model(model.clone());
    assert!(
        translate(&runtime, "Guten Tag", Language::Fr, None)
            .await?
            .confident
    );
    assert_eq!(model.requests().len(), 2);
    Ok(())
}

#[tokio::test]
async fn the_agent_runs_with_other_tools() -> Result<(), Error> {
    /// Looks a word up
    #[tool(name = "lookUp")]
    fn look_up_again(word: &str) -> String {
        format!("{word}!")
    }

    let call = ToolCall::new("1", "lookUp", r#"{"word": "Tag"}"#);
    let model = Scripted::new([ModelReply::calls([call]), answer(BONJOUR)]);
    let runtime = Runtime::with_model(model.clone());
    let arguments = json!({"text": "Guten Tag", "language": "it"});
    let other = tools![look_up_again];
    let response = runtime
        .call(&translate::AGENT, arguments)
        .tools(&other)
        .await?;
    assert_eq!(response.tools_used[0].result, Ok("Tag!".into()));
    Ok(())
}

#[test]
fn the_agent_is_that_of_the_file() {
    let text = include_str!("gram/translate.gram");
    let agent = Agent::parse(text, Some("translate"), Default::default()).expect("an agent");
    assert_eq!(translate::AGENT.signature(), agent.signature());
    assert_eq!(translate::AGENT.tools()[0].description(), "Looks a word up");
    assert!(
        translate::GRAM.contains("[summarize:Agent"),
        "{}",
        translate::GRAM
    );
}

#[test]
fn the_agent_is_a_tool() {
    let library = tools![translate, look_up];
    assert_eq!(library.names().collect::<Vec<_>>(), ["translate", "lookUp"]);
    let descriptor = translate::DESCRIPTOR;
    assert_eq!(descriptor.description(), "Translates a text");
    assert_eq!(descriptor.signature(), Some(translate::AGENT.signature()));
    let tool = (translate {}).agent().expect("an agent");
    assert_eq!(tool.agent(), &translate::AGENT);
    let tools: Vec<&str> = tool
        .tools()
        .iter()
        .map(|tool| tool.descriptor().name())
        .collect();
    assert_eq!(tools, ["lookUp"]);
}

#[tokio::test]
async fn a_call_without_a_run_is_a_clear_error() {
    let context = ToolContext::detached();
    let arguments = r#"{"text": "Guten Tag", "language": "fr"}"#;
    let error = invoke_tool(&translate {}, arguments, &context).await;
    let error = error
        .expect_err("the context belongs to no run")
        .to_string();
    assert!(
        error.contains("`translate` cannot be called here"),
        "{error}"
    );
}

tool_set! {
    /// Tools and agents.
    pub LANGUAGE = [translate, look_up]
}

#[test]
fn agents_stand_in_sets_and_in_other_agents() {
    let guide = agent! {
        tools: LANGUAGE,
        [guide:Agent {instruction: "Guide.", model: "Scripted/any"} | translate, lookUp]
    };
    assert_eq!(guide.tools()[0].signature(), translate::AGENT.signature());
    assert_eq!(tools![..LANGUAGE {}].len(), 2);
}

/// The error of a program.
#[derive(Debug)]
struct Failure(String);

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Counts the words of a text
///
/// # Arguments
/// * `language` - The language of the text
#[agent_fn(
    model = "Scripted/any",
    instruction = "Count words of {{language}}, today, {{today}}. At most {{limit}}.",
    variables = ["today"],
    temperature = 0.5,
    max_tokens = 100,
    timeout = "90s",
    tools = LANGUAGE,
)]
async fn count_words(
    text: &str,
    #[agent_fn(default = Language::De)] language: Language,
    #[agent_fn(minimum = 1, maximum = 1000)] limit: Option<u16>,
    runtime: &Runtime,
) -> Result<u32, Failure>;

#[test]
fn an_agent_is_written_in_the_attribute() {
    let agent = count_words::AGENT;
    assert_eq!(agent.name(), "countWords");
    assert_eq!(agent.description(), Some("Counts the words of a text"));
    assert_eq!(
        agent.signature().to_string(),
        "(text::Text)==>(language::Text {default: \"de\", description: \"The language of the text\", enum: [\"de\", \
         \"fr\"]})==>(limit::Int {optional: true, minimum: 1, maximum: 1000})==>(::Int)"
    );
    assert_eq!(agent.timeout().map(|timeout| timeout.as_secs()), Some(90));
    let names: Vec<&str> = agent.tools().iter().map(|tool| tool.name()).collect();
    assert_eq!(names, ["translate", "lookUp"]);
    let read = Agent::parse(count_words::GRAM, None, Default::default());
    let read = read.unwrap_or_else(|error| panic!("{error}\n{}", count_words::GRAM));
    assert_eq!(read.to_gram(), agent.to_gram());
    assert_eq!(count_words::DESCRIPTOR.signature(), Some(agent.signature()));
}

#[tokio::test]
async fn an_agent_of_an_attribute_runs() {
    let model = Scripted::new([answer(r#"{"answer": 4}"#)]);
    let runtime = Runtime::builder().variable("today", "Monday");
    let runtime = runtime.model(model.clone()).build().expect("a runtime");
    let count = count_words("Ene mene muh du", Language::De, None, &runtime).await;
    assert_eq!(count.expect("an answer"), 4);
    let instruction = &model.requests()[0].instruction;
    assert_eq!(instruction, "Count words of de, today, Monday. At most .");
    let error = count_words(" ", Language::De, None, &runtime).await;
    assert!(error.unwrap_err().to_string().contains("`text`"));
}

#[derive(Debug, Deserialize, GramType, PartialEq)]
#[serde(crate = "agent_runtime::serde")]
struct Rating {
    stars: u8,
    #[gram(minimum = 1)]
    votes: u32,
    wait: std::time::Duration,
}

#[agent_fn(gram = [rate:Agent {instruction: "Rate.", model: "Scripted/any"} |
    (what::Text)==>(::Object {fields: {stars: "Int", votes: "Int", wait: "Text"}})
])]
async fn rate(runtime: &Runtime, what: &str) -> Result<Rating, Error>;

/// The gram is silent about the ranges of the Rust type, and has the text of a duration.
#[tokio::test]
async fn an_answer_that_the_rust_type_refuses_is_asked_for_again() -> Result<(), Error> {
    let given = |stars: u32, votes: u32| {
        answer(&json!({"stars": stars, "votes": votes, "wait": "90s"}).to_string())
    };
    let model = Scripted::new([given(300, 1), given(3, 0), given(3, 1)]);
    let runtime = Runtime::with_model(model.clone());
    let rating = rate(&runtime, "a film").await?;
    let wait = std::time::Duration::from_secs(90);
    assert_eq!((rating.stars, rating.votes, rating.wait), (3, 1, wait));
    let refusals: Vec<String> = model.requests()[1..]
        .iter()
        .filter_map(|request| Some(request.messages.last()?.content().to_owned()))
        .collect();
    assert!(refusals[0].contains("stars"), "{refusals:?}");
    assert!(refusals[1].contains("votes"), "{refusals:?}");
    Ok(())
}

#[tokio::test]
async fn an_answer_that_stays_wrong_is_an_error() {
    let wrong = r#"{"stars": 300, "votes": 1, "wait": "90s"}"#;
    let model = Scripted::new([answer(wrong), answer(wrong), answer(wrong), answer(wrong)]);
    let error = rate(&Runtime::with_model(model), "a film").await;
    assert!(error.expect_err("it is wrong").is_llm());
}

#[derive(Debug, Deserialize, GramType, PartialEq)]
#[serde(crate = "agent_runtime::serde", rename_all = "lowercase")]
enum Mood {
    Good,
    Bad,
}

#[agent_fn(gram = [judge:Agent {instruction: "Judge.", model: "Scripted/any"} |
    (text::Text)==>(::Text {enum: ["good", "bad"]})
])]
async fn judge(runtime: &Runtime, text: &str) -> Result<Mood, Error>;

#[agent_fn(agent = "judge", gram = [judge:Agent {instruction: "Judge.", model: "Scripted/any"} |
    (text::Text)==>(::Text {enum: ["good", "bad"]})
])]
async fn judge_in_words(runtime: &Runtime, text: &str) -> Result<String, Error>;

#[agent_fn(gram = [ask:Agent {instruction: "Ask.", model: "Scripted/any"}])]
async fn ask(runtime: &Runtime, message: &str) -> Result<Option<String>, Error>;

#[agent_fn(model = "Scripted/any", instruction = "Find.")]
async fn find(runtime: &Runtime, text: &str) -> Result<Option<String>, Error>;

#[tokio::test]
async fn an_optional_text_is_none_or_a_text() -> Result<(), Error> {
    for (given, expected) in [
        (r#"{"answer": null}"#, None),
        (r#"{"answer": "here"}"#, Some("here")),
        (r#"{"answer": "null"}"#, Some("null")),
        (r#"{"answer": ""}"#, Some("")),
    ] {
        let runtime = Runtime::with_model(Scripted::new([answer(given)]));
        assert_eq!(find(&runtime, "x").await?.as_deref(), expected, "{given}");
    }
    Ok(())
}

#[tokio::test]
async fn texts_and_variants_are_read() -> Result<(), Error> {
    let good = || Scripted::new([answer(r#"{"answer": "good"}"#)]);
    assert_eq!(judge(&Runtime::with_model(good()), "x").await?, Mood::Good);
    let runtime = Runtime::with_model(good());
    assert_eq!(judge_in_words(&runtime, "x").await?, "good");
    let runtime = Runtime::with_model(Scripted::new([ModelReply::text("Who?")]));
    assert_eq!(ask(&runtime, "x").await?.as_deref(), Some("Who?"));
    Ok(())
}

#[agent_fn(
    model = "Scripted/any",
    instruction = "Name the person, if there is one."
)]
async fn person(runtime: &Runtime, text: &str) -> Result<Option<String>, Error>;

#[tokio::test]
async fn an_answer_that_may_be_missing_is_structured_output() -> Result<(), Error> {
    for (reply, expected) in [
        (answer(r#"{"answer": null}"#), None),
        (answer("{}"), None),
        (answer(r#"{"answer": "Ada"}"#), Some("Ada")),
        (ModelReply::text("null"), None),
        (ModelReply::text("Ada"), Some("Ada")),
    ] {
        let model = Scripted::new([reply]);
        let runtime = Runtime::with_model(model.clone());
        assert_eq!(person(&runtime, "x").await?.as_deref(), expected);
        assert_eq!(model.requests()[0].tools[0].name(), "finalAnswer");
    }
    Ok(())
}

#[derive(Serialize, GramType)]
#[serde(crate = "agent_runtime::serde")]
struct Letter {
    title: String,
    to: Option<String>,
    age: std::time::Duration,
}

#[agent_fn(
    model = "Scripted/any",
    instruction = "Sort.",
    prompt = "{{letters}} {{limit}} {{first}}"
)]
async fn sort(
    runtime: &Runtime,
    letters: &[Letter],
    limit: Option<u8>,
    first: &str,
) -> Result<String, Error>;

#[tokio::test]
async fn arguments_are_inserted_as_json_and_once() -> Result<(), Error> {
    let model = Scripted::new([ModelReply::text("sorted")]);
    let runtime = Runtime::with_model(model.clone());
    let letter = Letter {
        title: "{{first}}".to_owned(),
        to: None,
        age: std::time::Duration::from_secs(60),
    };
    assert_eq!(
        sort(&runtime, &[letter], None, "{{limit}}").await?,
        "sorted"
    );
    let message = model.requests()[0].messages[0].content().to_owned();
    assert!(message.contains("\"{{first}}\""), "{message}");
    assert!(message.ends_with(" {{limit}}"), "{message}");
    assert!(message.contains("\"PT1M\""), "{message}");
    Ok(())
}

/// A map whose keys are no texts in JSON.
struct Unwritable;

impl Serialize for Unwritable {
    fn serialize<S: agent_runtime::serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(agent_runtime::serde::ser::Error::custom("it is too large"))
    }
}

#[agent_fn(model = "Scripted/any", instruction = "Help.")]
async fn help(
    runtime: &Runtime,
    #[agent_fn(type = "Text")] what: Unwritable,
) -> Result<String, Error>;

#[tokio::test]
async fn an_argument_that_cannot_be_written_is_named() {
    let runtime = Runtime::with_model(Scripted::new([]));
    let error = help(&runtime, Unwritable)
        .await
        .expect_err("it cannot be written");
    assert!(error.is_validation());
    assert!(error.to_string().contains("`what`"), "{error}");
}

#[tokio::test]
async fn limits_of_parameters_are_checked_at_the_call() {
    let runtime = Runtime::with_model(Scripted::new([]));
    let error = count_words("x", Language::De, Some(0), &runtime).await;
    let text = error.expect_err("0 is below the minimum").to_string();
    assert!(text.contains("limit"), "{text}");
}

/// The future can be spawned.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_runs_on_another_task() {
    let runtime = Runtime::with_model(Scripted::new([answer(BONJOUR)]));
    let task =
        tokio::spawn(async move { translate(&runtime, "Guten Tag", Language::Fr, None).await });
    let translation = task.await.expect("no panic").expect("an answer");
    assert_eq!(translation.text, "Bonjour");
}

#[agent_fn(gram = [look:Agent {instruction: "Look.", model: "Scripted/any"} |
    (question::Text)==>(photo::Image)==>(more::Parts {optional: true})==>(::String)
])]
async fn look(
    runtime: &Runtime,
    question: &str,
    photo: &Image,
    more: Option<Vec<Part>>,
) -> Result<String, Error>;

#[tokio::test]
async fn media_are_parts_of_the_message() -> Result<(), Error> {
    let model = Scripted::new([ModelReply::text("a dot"), ModelReply::text("two dots")]);
    let runtime = Runtime::with_model(model.clone());
    let photo = Image::new(&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0"[..]);
    assert_eq!(
        look(&runtime, "What is this?", &photo, None).await?,
        "a dot"
    );
    let more = vec![
        Part::Text("and this?".to_owned()),
        Part::from(photo.clone()),
    ];
    assert_eq!(
        look(&runtime, "What is this?", &photo, Some(more)).await?,
        "two dots"
    );
    let requests = model.requests();
    let parts = |at: usize| requests[at].messages[0].parts().to_vec();
    assert_eq!(
        parts(0),
        [Part::Text("What is this?".to_owned()), Part::from(photo)]
    );
    assert_eq!(parts(1).len(), 4);
    Ok(())
}

/// Guides a traveller
#[agent_fn(model = "Scripted/any", instruction = "Guide.", tools = [translate])]
async fn guide(runtime: &Runtime, question: &str) -> Result<String, Error>;

#[tokio::test]
async fn an_agent_function_is_called_inside_of_the_run_of_another() -> Result<(), Error> {
    let call = ToolCall::new(
        "1",
        "translate",
        r#"{"text": "Guten Tag", "language": "it"}"#,
    );
    let look_up = ToolCall::new("2", "lookUp", r#"{"word": "Tag"}"#);
    let model = Scripted::new([
        ModelReply::calls([call]),
        ModelReply::calls([look_up]),
        answer(BONJOUR),
        ModelReply::text("Say bonjour."),
    ]);
    let runtime = Runtime::with_model(model.clone());
    assert_eq!(guide(&runtime, "How do I greet?").await?, "Say bonjour.");
    let requests = model.requests();
    assert_eq!(requests[1].instruction, "Translate into it, politely.");
    let result = requests[2].messages.last().expect("the result of lookUp");
    assert!(result.content().contains("TAG"), "{}", result.content());
    let result = requests[3]
        .messages
        .last()
        .expect("the answer of translate");
    assert!(result.content().contains("Bonjour"), "{}", result.content());
    model.assert_complete();
    Ok(())
}
