//! Agents that call agents, with a model behind real sockets.

mod approval;
mod bounds;
mod stopped;
mod stream;
mod trouble;

use crate::scenario::support::openai;
use crate::scenario::support::server::{Answer, Request, Server, none_left};
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::{Agent, Conversation, Environment, Runtime, ToolLibrary, agent, tool, tools};

/// Looks up a customer
#[tool]
async fn look_up(customer: &str) -> String {
    tokio::task::yield_now().await;
    format!("{customer} ordered a lamp")
}

/// Pays money back
#[tool(requires_approval)]
fn refund(euros: u32) -> String {
    format!("{euros} euros are paid back")
}

/// An agent with two specialists; the refunds of `billing` need an approval.
static SUPPORT: Agent = agent! {
    tools: [look_up, refund],
    [support:Agent {instruction: "I am support.", model: "OpenAI/gpt-6-luna"} |
        [billing:Agent {
            description: "Knows invoices", instruction: "I am billing.", model: "OpenAI/gpt-6-luna"
        } |
            (question::Text)==>(::String), lookUp, refund
        ],
        [research:Agent {
            description: "Finds out", instruction: "I am research.", model: "OpenAI/gpt-6-luna"
        } |
            (question::Text)==>(::String), lookUp
        ]
    ]
};

/// An agent for whatever follows a run.
static LATER: Agent = agent! {
    [later:Agent {instruction: "I am later.", model: "OpenAI/gpt-6-luna"}]
};

const QUESTION: &str = r#"{"question": "What did Ada order?"}"#;
const CUSTOMER: &str = r#"{"customer": "Ada"}"#;
const EUROS: &str = r#"{"euros": 12}"#;

fn library() -> ToolLibrary {
    tools![look_up, refund]
}

/// The answers of each agent, in the order of the turns of one run of it. The model keeps no state: the messages of a
/// request show its turn, so that runs of one agent at the same time do not race for answers.
#[derive(Clone, Default)]
struct Script(Vec<(&'static str, Vec<Answer>)>);

impl Script {
    fn agent(mut self, name: &'static str, answers: impl IntoIterator<Item = Answer>) -> Self {
        self.0.push((name, answers.into_iter().collect()));
        self
    }

    /// The answer to a request, streamed if it asks for that. `None` when the agent has no script.
    fn answer(&self, request: &Request) -> Option<Answer> {
        let name = asking(request);
        let (_, answers) = self.0.iter().find(|(agent, _)| *agent == name)?;
        let body = request.json();
        let messages = body["messages"].as_array()?;
        // The turns of earlier runs begin with a message of the user.
        let begin = messages
            .iter()
            .rposition(|message| message["role"] == "user")?;
        let turns = messages[begin..].iter();
        let turn = turns
            .filter(|message| message["role"] == "assistant")
            .count();
        let answer = answers.get(turn).cloned().or_else(none_left)?;
        match body["stream"] == true {
            true => Some(openai::streamed(&answer)),
            false => Some(answer),
        }
    }

    /// Starts a server that answers by the script. An agent without a script waits for an answer.
    fn serve(self) -> Server {
        let script = self.agent("later", [openai::text("Good.")]);
        Server::answering(move |request| script.answer(request))
    }
}

/// The agent that sends a request, by its instruction.
fn asking(request: &Request) -> String {
    let body = request.json();
    let instruction = body["messages"][0]["content"].as_str().unwrap_or_default();
    let name = instruction.strip_prefix("I am ").unwrap_or_default();
    name.trim_end_matches('.').to_owned()
}

/// The names of the agents that sent requests, in that order.
fn asked(server: &Server) -> Vec<String> {
    server.requests().iter().map(asking).collect()
}

fn builder(server: &Server) -> RuntimeBuilder {
    Runtime::builder()
        .environment(Environment::empty())
        .base_url(server.base_url())
        .api_key("sk-scenario")
}

fn runtime(server: &Server) -> Runtime {
    builder(server).build().expect("a runtime")
}

/// Asks both specialists, which look something up.
fn both_look_up() -> Script {
    Script::default()
        .agent(
            "support",
            [
                openai::calls(&[("b", "billing", QUESTION), ("r", "research", QUESTION)]),
                openai::text("Ada ordered a lamp."),
            ],
        )
        .agent(
            "billing",
            [
                openai::call("l", "lookUp", CUSTOMER),
                openai::text("It cost 12 euros."),
            ],
        )
        .agent(
            "research",
            [
                openai::call("l", "lookUp", CUSTOMER),
                openai::text("A lamp it is."),
            ],
        )
}

/// Asserts that a conversation can be sent on after whatever happened.
async fn assert_goes_on(runtime: &Runtime, conversation: &mut Conversation) {
    conversation.check().expect("a history that can be sent");
    let after = runtime.run(&LATER, "And now?").conversation(conversation);
    assert_eq!(after.await.expect("an answer").content, "Good.");
}
