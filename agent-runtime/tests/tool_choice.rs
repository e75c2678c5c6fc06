//! Choices of tools, and settings of one provider, from one request of a run to the next: on the state
//! machine alone.

use crate::support::{calls, greeter, hello_spec, hello_tool, library};
use agent_runtime::__private::AgentFunction;
use agent_runtime::gram::Value;
use agent_runtime::gram::value::Record;
use agent_runtime::library::{BoundTools, bind_agent_tools};
use agent_runtime::model::{ModelReply, ModelRequest, Scripted};
use agent_runtime::run::{Run, Step};
use agent_runtime::spec::{Settings, ToolChoice};
use agent_runtime::{Agent, Conversation, Error, Model, Runtime};
use std::collections::BTreeMap;

fn bind(agent: &Agent) -> BoundTools {
    bind_agent_tools(agent, &library([hello_tool()])).expect("the tools fit")
}

/// A run, and short ways to feed it.
struct Play {
    run: Run,
}

impl Play {
    fn new(agent: &Agent, conversation: &Conversation) -> Self {
        let run = Run::new(
            agent,
            &bind(agent),
            "Hello!",
            conversation,
            &BTreeMap::new(),
        );
        Self {
            run: run.expect("a run"),
        }
    }

    fn request(&self) -> ModelRequest {
        match self.run.clone().next() {
            Ok(Step::CallModel(request)) => request,
            other => panic!("no request is due, but {other:?}"),
        }
    }

    fn choice(&self) -> Option<ToolChoice> {
        self.request().settings.tool_choice.clone()
    }

    fn reply(&mut self, reply: ModelReply) {
        self.run.model_replied(reply).expect("a reply is due");
    }

    fn call(&mut self, id: &str) {
        self.reply(calls(&[(id, "sayHello", r#"{"personName": "Ada"}"#)]));
        let result = Ok("Hello, Ada!".into());
        self.run.tool_finished(id, result).expect("the call waits");
    }

    fn finish(&mut self) {
        self.reply(ModelReply::text("Done."));
        match self.run.next() {
            Ok(Step::Done(response)) => assert_eq!(response.content, "Done."),
            other => panic!("the run is not done, but {other:?}"),
        }
    }
}

/// An agent that greets and has this choice.
fn choosing(choice: ToolChoice) -> Agent {
    let mut settings = Settings::NONE;
    settings.tool_choice = Some(choice);
    greeter().with_settings(settings).expect("good settings")
}

#[test]
fn forces_a_call_until_an_answer_has_called_tools() {
    for choice in [ToolChoice::Required, ToolChoice::Tool("sayHello".into())] {
        let mut play = Play::new(&choosing(choice.clone()), &Conversation::new());
        assert_eq!(play.choice(), Some(choice.clone()));
        // An empty answer calls nothing.
        play.reply(ModelReply::text(""));
        assert_eq!(play.choice(), Some(choice));
        // A call that cannot be made is a call.
        play.reply(calls(&[("a", "sayHello", "{broken")]));
        assert_eq!(play.choice(), Some(ToolChoice::Auto));
        play.call("b");
        assert_eq!(play.choice(), Some(ToolChoice::Auto));
        play.finish();
    }
}

#[test]
fn each_run_of_a_conversation_demands_its_call_anew() {
    let agent = choosing(ToolChoice::Required);
    let mut play = Play::new(&agent, &Conversation::new());
    play.call("a");
    play.finish();
    let next = Play::new(&agent, &play.run.conversation());
    assert_eq!(next.choice(), Some(ToolChoice::Required));
}

#[test]
fn a_saved_run_knows_whether_its_call_was_made() {
    let agent = choosing(ToolChoice::Required);
    let mut play = Play::new(&agent, &Conversation::new());
    for (id, expected) in [("a", ToolChoice::Required), ("b", ToolChoice::Auto)] {
        let saved = play.run.to_json();
        let run = Run::from_json(&saved, &bind(&agent)).expect("a run");
        assert_eq!(Play { run }.choice(), Some(expected));
        play.call(id);
    }
}

#[test]
fn keeps_a_tool_choice_that_forces_no_call() {
    for choice in [ToolChoice::Auto, ToolChoice::None] {
        let mut play = Play::new(&choosing(choice.clone()), &Conversation::new());
        play.call("a");
        assert_eq!(play.choice(), Some(choice));
    }
}

#[test]
fn a_call_that_cannot_be_made_is_a_validation_error() {
    for (choice, has_tool, text) in [
        (ToolChoice::Required, false, "has none"),
        (ToolChoice::Tool("other".into()), true, "`other`"),
    ] {
        let mut settings = Settings::NONE;
        settings.tool_choice = Some(choice);
        // By hand, past the checks of `with_settings`.
        let specs: &'static [_] = if has_tool {
            vec![hello_spec()].leak()
        } else {
            &[]
        };
        let model = Model::from_static("OpenAI", "m");
        let agent = Agent::from_static(
            "a",
            None,
            "i",
            model,
            settings,
            specs,
            &[],
            Record::new(),
            AgentFunction::NONE,
            &[],
        );
        let tools = bind(&agent);
        let run = Run::new(&agent, &tools, "Hi", &Conversation::new(), &BTreeMap::new());
        let error = run.expect_err("nothing can be called");
        assert!(error.is_validation());
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[test]
fn sends_no_extra_of_one_provider_to_another() {
    let mut settings = Settings::NONE;
    let extra = [("parallel_tool_calls".into(), Value::Boolean(false))];
    settings.extra = Record::from_entries(extra).expect("flat");
    let models = ["OpenAI/second", "Anthropic/third"];
    let models = models.map(|model| Model::parse(model).expect("a model"));
    settings.fallback = models.to_vec().into();
    let agent = greeter().with_settings(settings).expect("good settings");
    let mut play = Play::new(&agent, &Conversation::new());
    let mut seen = Vec::new();
    for more in [true, true, false] {
        seen.push(play.request().settings.extra.len());
        let down = Error::llm("down").into_unavailable();
        assert_eq!(play.run.model_failed(down).is_ok(), more);
    }
    assert_eq!(seen, [1, 1, 0]);
}

/// The tool choice and the tools of a request for a typed answer.
async fn asked_for_a_number(choice: ToolChoice, script: &[&str]) -> Vec<(String, Vec<String>)> {
    let replies = script.iter().zip(0..).map(|(tool, at)| {
        let id = format!("call_{at}");
        let arguments = r#"{"personName": "Ada", "answer": 7}"#;
        calls(&[(id.as_str(), *tool, arguments)])
    });
    let model = Scripted::new(replies);
    let runtime = Runtime::with_model(model.clone());
    let (agent, library) = (choosing(choice), library([hello_tool()]));
    let answer = runtime
        .run(&agent, "How many?")
        .tools(&library)
        .conversation(&mut Conversation::new())
        .output::<i64>()
        .await;
    assert_eq!(answer.expect("an answer").value, 7);
    assert_eq!(model.remaining(), 0);
    let asked = model.requests().into_iter().map(|request| {
        let choice = request.settings.tool_choice.as_ref();
        let tools = request.tools.iter().map(|tool| tool.name().to_owned());
        (choice.expect("a choice").to_string(), tools.collect())
    });
    asked.collect()
}

#[tokio::test]
async fn a_typed_answer_is_possible_with_any_tool_choice() {
    let tools = |names: &[&str]| -> Vec<String> { names.iter().map(|&name| name.into()).collect() };
    let (all, answer) = (&["sayHello", "finalAnswer"], "finalAnswer");
    assert_eq!(
        asked_for_a_number(ToolChoice::None, &[answer]).await,
        [(answer.to_owned(), tools(&[answer]))]
    );
    assert_eq!(
        asked_for_a_number(ToolChoice::Required, &[answer]).await,
        [("required".to_owned(), tools(all))]
    );
    assert_eq!(
        asked_for_a_number(ToolChoice::Tool("sayHello".into()), &["sayHello", answer]).await,
        [
            ("sayHello".to_owned(), tools(all)),
            ("auto".to_owned(), tools(all))
        ]
    );
}
