//! Runs of each kind, with their models and tools.

use crate::support::{calls, config, library};
use agent_runtime::approval::Approver;
use agent_runtime::conversation::{Compaction, Role};
use agent_runtime::hook::{HookFuture, RunContext, ToolVerdict};
use agent_runtime::model::{ChatFuture, ChatModel, FinishReason, ModelReply, ModelRequest, Usage};
use agent_runtime::run::{Decision, PendingCall, UsageLimits};
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::tool::ToolConfig;
use agent_runtime::{Agent, Conversation, Error, Hook, Message, ToolError, ToolLibrary, agent};
use serde_json::{Value, json};

pub type Reply = fn(&ModelRequest, usize) -> Result<ModelReply, Error>;

/// A model that answers by the request and the number of answers in it.
#[derive(Clone, Copy)]
pub struct Model(pub Reply);

impl ChatModel for Model {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        let answers = request
            .messages
            .iter()
            .filter(|message| message.role() == Role::Assistant);
        let reply = (self.0)(request, answers.count());
        let reply = reply.map(|reply| reply.with_usage(Usage::of_request(10, 1)));
        Box::pin(async move { reply })
    }
}

/// Tools that may run twice, so that nobody is asked after a crash.
pub fn tools() -> ToolLibrary {
    let tool = |config: ToolConfig, result: Result<Value, ToolError>| {
        let built = config
            .idempotent(true)
            .build(move |_| std::future::ready(result.clone()));
        built.expect("a tool")
    };
    let text = |name| ToolConfig::with_signature(name, "Does something.", "(a::Text)==>(::Any)");
    library([
        tool(config("fine"), Ok(json!({"fine": [1, 2.5, "é\u{0}"]}))),
        tool(
            config("fails"),
            Err(ToolError::Execution("out of order".to_owned())),
        ),
        tool(config("alone").sequential(true), Ok("alone".into())),
        tool(text("asked").requires_approval(true), Ok("asked".into())),
        tool(text("echo"), Ok("echoed".into())),
    ])
}

/// A run of one kind.
pub struct Scenario {
    pub name: &'static str,
    pub agent: Agent,
    pub model: Reply,
    pub configure: fn(RuntimeBuilder) -> RuntimeBuilder,
    pub history: Conversation,
    pub limits: UsageLimits,
    /// The least number of commits, so that the scenario does what it is for.
    pub commits: usize,
}

impl Scenario {
    fn new(name: &'static str, agent: Agent, model: Reply, commits: usize) -> Self {
        Self {
            name,
            agent,
            model,
            configure: |builder| builder,
            history: Conversation::new(),
            limits: UsageLimits::new(),
            commits,
        }
    }
}

/// Returns a run of each kind.
pub fn all() -> Vec<Scenario> {
    vec![
        a_fallback_model(),
        a_model_that_fails(),
        tools_that_fail_and_calls_that_are_wrong(),
        tools_that_run_alone(),
        answers_that_are_empty_cut_off_or_paused(),
        decisions_of_a_person(),
        tools_that_are_searched(),
        a_limit_of_turns_that_is_reached(),
        a_limit_of_tokens_that_is_reached(),
        summaries(),
        agents_that_call_agents(),
        hooks_around_tools_and_agents(),
    ]
}

fn tooled() -> Agent {
    agent! {
        tools: [dynamic fine, dynamic fails, dynamic alone, dynamic asked, dynamic echo],
        [tooled:Agent {instruction: "Go.", model: "Scripted/any", fallback: ["Scripted/other"]} |
            [fine:Tool {description: "Does something."} | ()==>(::Any)],
            [fails:Tool {description: "Does something."} | ()==>(::Any)],
            [alone:Tool {description: "Does something."} | ()==>(::Any)],
            [asked:Tool {description: "Does something."} | (a::Text)==>(::Any)],
            [echo:Tool {description: "Does something."} | (a::Text)==>(::Any)]
        ]
    }
}

pub fn a_fallback_model() -> Scenario {
    let model: Reply = |request, turn| match (request.model.id(), turn) {
        ("any", _) => Err(Error::llm("the provider is down").into_unavailable()),
        (_, 0) => Ok(calls(&[("x", "fine", "{}")])),
        _ => Ok(ModelReply::text("Done.")),
    };
    Scenario::new("fallback", tooled(), model, 5)
}

pub fn a_model_that_fails() -> Scenario {
    let model: Reply = |_, turn| match turn {
        0 => Ok(calls(&[("x", "fine", "{}")])),
        _ => Err(Error::llm("it refuses")),
    };
    Scenario::new("failure", tooled(), model, 4)
}

pub fn tools_that_fail_and_calls_that_are_wrong() -> Scenario {
    let model: Reply = |_, turn| {
        Ok(match turn {
            0..=3 => calls(&[
                ("", "fails", "{}"),
                ("", "fine", "{}"),
                ("", "nowhere", "{}"),
            ]),
            4 => calls(&[("x", "echo", r#"{"b": 1}"#), ("y", "echo", "no JSON")]),
            5 => calls(&[("x", "echo", r#"{"a": "again"}"#)]),
            _ => ModelReply::text("Done."),
        })
    };
    Scenario::new("mistakes", tooled(), model, 12)
}

pub fn tools_that_run_alone() -> Scenario {
    let model: Reply = |_, turn| {
        Ok(match turn {
            0 => calls(&[
                ("a", "fine", "{}"),
                ("b", "alone", "{}"),
                ("c", "alone", "{}"),
            ]),
            _ => ModelReply::text("Done."),
        })
    };
    Scenario::new("barriers", tooled(), model, 6)
}

pub fn answers_that_are_empty_cut_off_or_paused() -> Scenario {
    let model: Reply = |_, turn| {
        Ok(match turn {
            0 => ModelReply::text("First, ").with_finish_reason(FinishReason::Paused),
            1 => calls(&[("x", "fine", "{}")]).with_finish_reason(FinishReason::Length),
            2 => calls(&[("y", "fine", "{}")]),
            _ => ModelReply::text("Done."),
        })
    };
    Scenario::new("odd answers", tooled(), model, 5)
}

pub fn decisions_of_a_person() -> Scenario {
    let model: Reply = |_, turn| {
        Ok(match turn {
            0 => calls(&[
                ("a", "asked", r#"{"a": "deny"}"#),
                ("b", "asked", r#"{"a": "edit"}"#),
                ("c", "asked", r#"{"a": "approve"}"#),
                ("d", "fine", "{}"),
            ]),
            _ => ModelReply::text("Done."),
        })
    };
    struct Decides;
    impl Approver for Decides {
        fn decide<'a>(
            &'a self,
            call: &'a PendingCall,
        ) -> std::pin::Pin<Box<dyn Future<Output = Decision> + Send + 'a>> {
            Box::pin(async move {
                match call.args()["a"].as_str() {
                    Some("deny") => Decision::Deny {
                        reason: Some("no".to_owned()),
                    },
                    Some("edit") => Decision::Edit {
                        args: json!({"a": "edited"}),
                    },
                    _ => Decision::Approve,
                }
            })
        }
    }
    Scenario {
        configure: |builder| builder.approver(Decides),
        ..Scenario::new("decisions", tooled(), model, 5)
    }
}

/// Through `callTool` and by their own names, with a person's decision, mistakes, and an agent that is called.
pub fn tools_that_are_searched() -> Scenario {
    let model: Reply = |request, turn| {
        let call = |tool: &str, arguments: &str| {
            format!(r#"{{"name": "{tool}", "arguments": {arguments}}}"#)
        };
        let search = r#"{"query": "does something"}"#;
        Ok(match (request.agent.as_str(), turn) {
            ("searching", 0) => calls(&[("s", "searchTools", search), ("f", "fine", "{}")]),
            ("searching", 1) => calls(&[
                ("a", "callTool", &call("asked", r#"{"a": "x"}"#)),
                ("b", "callTool", &call("fails", "{}")),
                ("c", "callTool", &call("alone", "{}")),
                ("d", "searchTools", search),
                ("e", "callTool", &call("nowhere", "{}")),
                ("g", "callTool", "no JSON"),
            ]),
            ("searching", 2) => calls(&[
                ("h", "callTool", &call("helper", r#"{"what": "cats"}"#)),
                ("i", "callTool", &call("echo", r#"{"a": "y"}"#)),
            ]),
            ("helper", 0) => calls(&[("a", "callTool", &call("fine", "{}"))]),
            ("helper", _) => ModelReply::text("Cats."),
            _ => ModelReply::text("Done."),
        })
    };
    let agent = agent! {
        tools: [dynamic fine, dynamic fails, dynamic alone, dynamic asked, dynamic echo],
        [searching:Agent {instruction: "Go.", model: "Scripted/any", toolSearch: true} |
            [helper:Agent {description: "Helps", instruction: "Help.", model: "Scripted/any", toolSearch: true} |
                (what::Text)==>(::String),
                fine
            ],
            [fine:Tool {description: "Does something."} | ()==>(::Any)],
            [fails:Tool {description: "Does something."} | ()==>(::Any)],
            [alone:Tool {description: "Does something."} | ()==>(::Any)],
            [asked:Tool {description: "Does something."} | (a::Text)==>(::Any)],
            [echo:Tool {description: "Does something."} | (a::Text)==>(::Any)]
        ]
    };
    Scenario {
        configure: |builder| builder.approver(async |_: PendingCall| Decision::Approve),
        ..Scenario::new("search", agent, model, 10)
    }
}

const CALLS: Reply = |_, _| Ok(calls(&[("", "fine", "{}"), ("", "echo", r#"{"a": "x"}"#)]));

pub fn a_limit_of_turns_that_is_reached() -> Scenario {
    Scenario::new("iterations", tooled(), CALLS, 20)
}

pub fn a_limit_of_tokens_that_is_reached() -> Scenario {
    Scenario {
        limits: UsageLimits::new().total_tokens(40),
        ..Scenario::new("tokens", tooled(), CALLS, 6)
    }
}

pub fn summaries() -> Scenario {
    let model: Reply = |request, _| {
        let is_run = request.instruction == "Go.";
        let results = request
            .messages
            .iter()
            .filter(|message| message.role() == Role::Function);
        Ok(match (is_run, results.count()) {
            (false, _) => ModelReply::text("In short: words."),
            (true, 0) => calls(&[("x", "fine", "{}")]),
            (true, _) => ModelReply::text("Done."),
        })
    };
    let text = "word ".repeat(100);
    let turn = [Message::user(&text), Message::assistant(&text)];
    Scenario {
        history: turn.into_iter().cycle().take(20).collect(),
        configure: |builder| builder.compaction(Compaction::above(1_200)),
        ..Scenario::new("summaries", tooled(), model, 5)
    }
}

fn team() -> Agent {
    agent! {
        tools: [dynamic fine, dynamic fails],
        [lead:Agent {instruction: "Lead.", model: "Scripted/any"} |
            [one:Agent {description: "One", instruction: "Work.", model: "Scripted/any"} |
                (what::Text)==>(::String),
                [two:Agent {description: "Two", instruction: "Help.", model: "Scripted/any"} |
                    (what::Text)==>(::Object {fields: {text: "Text"}}),
                    fine,
                    fails
                ],
                fine
            ],
            [fine:Tool {description: "Does something."} | ()==>(::Any)],
            [fails:Tool {description: "Does something."} | ()==>(::Any)]
        ]
    }
}

const WHAT: &str = r#"{"what": "cats"}"#;

fn team_model(request: &ModelRequest, turn: usize) -> Result<ModelReply, Error> {
    Ok(match (request.agent.as_str(), turn) {
        ("lead", 0) => calls(&[("a", "one", WHAT), ("b", "one", WHAT), ("c", "fine", "{}")]),
        ("one", 0) => calls(&[("a", "two", WHAT), ("b", "fine", "{}")]),
        ("two", 0) => calls(&[("x", "fine", "{}"), ("y", "fails", "{}")]),
        // No value of the type at first.
        ("two", 1) => ModelReply::text("no JSON"),
        ("two", _) => {
            let mut names = request.tools.iter().map(|tool| tool.name().to_string());
            let answer = names.find(|name| !["fine", "fails"].contains(&name.as_str()));
            let answer = answer.expect("the call of the answer");
            calls(&[("z", &answer, r#"{"text": "Cats sleep."}"#)])
        }
        ("one", _) => ModelReply::text("Cats."),
        _ => ModelReply::text("Done."),
    })
}

pub fn agents_that_call_agents() -> Scenario {
    Scenario::new("team", team(), team_model, 8)
}

/// Changes arguments and results, and takes its time.
struct Changes;

impl Hook for Changes {
    fn before_tool<'a>(
        &'a self,
        _: &'a RunContext,
        call: &'a PendingCall,
        arguments: &'a mut String,
    ) -> HookFuture<'a, ToolVerdict> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            if arguments.contains("cats") {
                *arguments = arguments.replace("cats", "dogs");
            }
            assert!(call.path.starts_with("lead/"));
            Ok(ToolVerdict::Call)
        })
    }
}

pub fn hooks_around_tools_and_agents() -> Scenario {
    Scenario {
        configure: |builder| builder.hook(Changes),
        ..Scenario::new("hooks", team(), team_model, 8)
    }
}
