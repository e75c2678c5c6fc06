//! Making the runs of an experiment.

use super::Experiment;
use super::meter::Meter;
use super::plan::{Job, jobs};
use super::score::Scorer;
use super::trial::Trial;
use agent_runtime::cost::Prices;
use agent_runtime::tool::catch_panic;
use agent_runtime::{Agent, Cancellation, Conversation, Error, Event, Runtime, ToolLibrary};
use std::future::IntoFuture as _;
use std::sync::Arc;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::Instrument;

/// What all runs share.
struct Bench {
    arms: Vec<Set>,
    inputs: Vec<String>,
    prices: Prices,
    scorer: Scorer,
    cancellation: Cancellation,
}

/// What an arm runs with.
struct Set {
    agent: Agent,
    library: ToolLibrary,
    runtime: Runtime,
}

/// Makes the runs, so many at a time, and gives those that were done, in the order of trials, inputs
/// and arms. Each is a task of its own, so that they can be on several threads; dropping the future
/// drops them all.
pub(super) async fn conduct(experiment: &Experiment, scorer: Scorer) -> Vec<Trial> {
    let bench = Arc::new(Bench::new(experiment, scorer));
    let mut jobs = jobs(experiment);
    let mut running = JoinSet::new();
    let mut done: Vec<(Job, Trial)> = Vec::new();
    loop {
        while running.len() < experiment.concurrency
            && !experiment.cancellation.is_cancelled()
            && let Some(job) = jobs.next()
        {
            let run = Arc::clone(&bench).run(job);
            running.spawn(async move { (job, run.await) }.in_current_span());
        }
        match running.join_next().await {
            None => break,
            Some(Ok((job, Some(trial)))) => done.push((job, trial)),
            // The run was cancelled; or it was aborted, which is when this future is no longer there.
            Some(Ok((_, None)) | Err(_)) => {}
        }
    }
    done.sort_by_key(|(job, _)| *job);
    done.into_iter().map(|(_, trial)| trial).collect()
}

impl Bench {
    fn new(experiment: &Experiment, scorer: Scorer) -> Self {
        let set = |arm: &super::Arm| Set {
            agent: experiment.agent_of(arm),
            library: arm.library.as_ref().unwrap_or(&experiment.library).clone(),
            runtime: arm.runtime.as_ref().unwrap_or(&experiment.runtime).clone(),
        };
        Self {
            arms: experiment.arms.iter().map(set).collect(),
            inputs: experiment.inputs.clone(),
            prices: experiment.prices.clone(),
            scorer,
            cancellation: experiment.cancellation.clone(),
        }
    }

    /// Makes a run and scores it. `None` when the experiment was cancelled before that was done.
    async fn run(self: Arc<Self>, job: Job) -> Option<Trial> {
        let Set {
            agent,
            library,
            runtime,
        } = &self.arms[job.arm];
        let prices = match self.prices.is_empty() {
            true => runtime.prices(),
            false => &self.prices,
        };
        let input = &self.inputs[job.input];
        let mut meter = Meter::default();
        let mut conversation = Conversation::new();
        let mut hear = |event: &Event| meter.hear(event);
        let began = Instant::now();
        let run = runtime
            .run(agent, input)
            .tools(library)
            .conversation(&mut conversation)
            .observer(&mut hear)
            .cancellation(self.cancellation.clone())
            .deny_without_approver();
        // A model of the caller's that panics fails this run, as one that returns an error does.
        let outcome = catch_panic(run.into_future()).await;
        let outcome = outcome
            .unwrap_or_else(|message| Err(Error::llm(format!("the run panicked: {message}"))));
        let latency = began.elapsed();
        let (answer, score) = match outcome {
            Ok(response) => {
                let scored = self.scorer.score(input, &response);
                let score = self.cancellation.run_until_cancelled(scored).await?;
                (Ok(response.content), Some(score))
            }
            Err(_) if self.cancellation.is_cancelled() => return None,
            Err(error) => (Err(error), None),
        };
        Some(Trial {
            arm: job.arm,
            input: job.input,
            number: job.trial + 1,
            answer,
            score,
            tool_calls: meter.tool_calls,
            failed_calls: meter.failed_calls,
            usage: meter.usage(),
            cost: meter.cost(prices),
            models: meter.models,
            latency,
        })
    }
}
