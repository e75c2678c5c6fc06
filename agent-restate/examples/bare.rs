//! A run of six steps written with the SDK alone, and the same run as an agent, to measure what the agent costs beside the
//! engine. `bare PORT` serves both on 127.0.0.1.

#![allow(missing_docs, reason = "the macro of the SDK writes a method")]

use agent_restate::DurableAgent;
use agent_restate::restate_sdk;
use agent_restate::restate_sdk::prelude::*;
use agent_runtime::conversation::{Role, ToolCall};
use agent_runtime::model::{ChatFuture, ChatModel, ModelReply, ModelRequest};
use agent_runtime::{Agent, Runtime, agent, tool, tools};
use serde_json::{Value, json};

static CLERK: Agent = agent! {
    tools: [look, refund],
    [clerk:Agent {instruction: "Look.", model: "Scripted/any"} | look, refund]
};

/// Looks
#[tool(read_only)]
async fn look(order: &str) -> String {
    format!("{order} is there")
}

/// Pays back
#[tool(requires_approval)]
async fn refund(order: &str) -> String {
    format!("{order} is paid back")
}

struct Model;

impl ChatModel for Model {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        let text = request.messages[0].content();
        let turns = request.messages.iter();
        let turn = turns
            .filter(|message| message.role() == Role::Assistant)
            .count();
        let call = |tool| {
            let arguments = r#"{"order": "17"}"#;
            ModelReply::calls([ToolCall::new(format!("c{turn}"), tool, arguments)])
        };
        let reply = match (text, turn) {
            ("wait", 0) => call("refund"),
            (_, 0..2) => call("look"),
            _ => ModelReply::text("Done."),
        };
        Box::pin(async move { Ok(reply) })
    }
}

/// The sizes of the steps of a run of the agent, as the engine has them.
const SIZES: [usize; 6] = [1_800, 700, 500, 700, 500, 1_700];

/// The object that uses the SDK alone.
struct Bare;

#[restate_sdk::object]
impl Bare {
    /// Does as many steps as the agent, with texts as large as its steps, and writes as much state.
    #[handler]
    async fn send(&self, ctx: ObjectContext<'_>, _: Json<Value>) -> HandlerResult<Json<Value>> {
        let _: Option<Json<Value>> = ctx.get("conversation").await?;
        let _: Option<Json<Value>> = ctx.get("status").await?;
        ctx.set("status", Json(json!({"invocation": ctx.invocation_id()})));
        for (at, size) in SIZES.into_iter().enumerate() {
            let step = ctx.run(move || async move { Ok("x".repeat(size)) });
            let _: String = step.name(format!("step {at}")).await?;
            if at > 0 {
                ctx.set("progress", "x".repeat(200));
            }
        }
        ctx.set("conversation", "x".repeat(700));
        ctx.set("status", Json(json!({})));
        Ok(Json(json!("x".repeat(400))))
    }
}

#[tokio::main]
async fn main() {
    let port: u16 = std::env::args()
        .nth(1)
        .and_then(|port| port.parse().ok())
        .expect("a port");
    let clerk = DurableAgent::new(
        Runtime::builder().model(Model),
        &CLERK,
        &tools![look, refund],
    );
    let clerk = clerk.expect("an agent").into_service().expect("an object");
    let endpoint = Endpoint::builder().bind(clerk).bind(Bare).build();
    let served = agent_restate::serve(endpoint, ([127, 0, 0, 1], port).into());
    served.await.expect("a free port");
}
