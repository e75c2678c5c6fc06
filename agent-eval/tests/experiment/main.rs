//! Experiments: runs, counts, scores, limits and reports.

mod arms;
mod failures;
mod reports;
mod scores;
mod support;
mod time;

use agent_eval::{Arm, Experiment, ExperimentReport, Figure};
use agent_runtime::model::{ChatFuture, ChatModel, ModelReply, ModelRequest, Usage};
use agent_runtime::{Agent, AgentResponse, Error, Runtime};
use std::time::Duration;
use support::agent;

/// A model whose answers, and the pauses before them, come from a closure.
struct Answers<F>(F);

impl<F> ChatModel for Answers<F>
where
    F: Fn(&ModelRequest) -> (Duration, Result<ModelReply, Error>) + Send + Sync + 'static,
{
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            let (pause, answer) = (self.0)(request);
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            answer
        })
    }
}

/// A runtime whose model answers at once.
fn answering<F>(answer: F) -> Runtime
where
    F: Fn(&ModelRequest) -> Result<ModelReply, Error> + Send + Sync + 'static,
{
    Runtime::with_model(Answers(move |request: &ModelRequest| {
        (Duration::ZERO, answer(request))
    }))
}

/// A runtime whose model always gives this answer, for 1000 tokens sent and 100 written.
fn saying(text: &'static str) -> Runtime {
    answering(move |_| Ok(ModelReply::text(text).with_usage(Usage::of_request(1_000, 100))))
}

/// A runtime whose model is always down.
fn failing() -> Runtime {
    answering(|_| Err(Error::llm("the model is down")))
}

fn asked(request: &ModelRequest) -> &str {
    request
        .messages
        .last()
        .map_or("", |message| message.content())
}

fn talker() -> Agent {
    agent([])
}

fn experiment(runtime: Runtime) -> Experiment {
    Experiment::new(talker(), runtime).expect("an agent")
}

/// Two arms that answer "yes" and "no", over so many inputs.
fn yes_and_no(inputs: usize) -> Experiment {
    experiment(Runtime::offline())
        .arm(Arm::new("yes").runtime(saying("yes")))
        .arm(Arm::new("no").runtime(saying("no")))
        .inputs((0..inputs).map(|at| format!("question {at}")))
}

fn is_yes(_input: &str, response: &AgentResponse) -> bool {
    response.content == "yes"
}

fn value(report: &ExperimentReport, arm: &str, figure: Figure) -> Option<f64> {
    Some(report.arm(arm)?.figure(figure)?.value)
}
