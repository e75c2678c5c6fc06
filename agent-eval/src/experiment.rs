//! Experiments: one agent over a set of inputs in several ways, compared. See [`Experiment`].

mod arm;
mod bootstrap;
mod conduct;
mod figure;
mod meter;
mod plan;
mod random;
mod report;
mod sample;
mod score;
#[cfg(test)]
mod tests;
mod trial;

use agent_runtime::cost::Prices;
use agent_runtime::{Agent, AgentResponse, Cancellation, Error, Executable, Runtime, ToolLibrary};
pub use arm::Arm;
pub use bootstrap::{CONFIDENCE, RESAMPLES};
pub use figure::Figure;
pub use report::{ArmReport, Comparison, Estimate, ExperimentReport, Interval};
pub use score::{IntoScore, Score, ScoreError};
pub use trial::Trial;

use score::Scorer;

/// How many runs go on at a time, unless the experiment says otherwise.
pub const CONCURRENCY: usize = 4;

#[doc = include_str!("experiment.md")]
#[derive(Clone, Debug)]
#[must_use = "an experiment does nothing until it is run"]
pub struct Experiment {
    agent: Agent,
    runtime: Runtime,
    library: ToolLibrary,
    arms: Vec<Arm>,
    inputs: Vec<String>,
    trials: usize,
    concurrency: usize,
    prices: Prices,
    seed: u64,
    cancellation: Cancellation,
}

impl Experiment {
    /// An experiment with an agent. The runtime is that of every arm which brings none of its own.
    ///
    /// # Errors
    /// Validation when the pattern is not that of an agent.
    pub fn new<A: Executable + ?Sized>(agent: &A, runtime: Runtime) -> Result<Self, Error> {
        Ok(Self {
            agent: agent.to_agent()?.into_owned(),
            runtime,
            library: ToolLibrary::new(),
            arms: Vec::new(),
            inputs: Vec::new(),
            trials: 1,
            concurrency: CONCURRENCY,
            prices: Prices::new(),
            seed: 0,
            cancellation: Cancellation::new(),
        })
    }

    /// The tools of every arm that brings none of its own.
    pub fn library(mut self, library: ToolLibrary) -> Self {
        self.library = library;
        self
    }

    /// One more way to run the agent.
    pub fn arm(mut self, arm: Arm) -> Self {
        self.arms.push(arm);
        self
    }

    /// Further inputs. Each is the beginning of a conversation of its own. The same text given twice
    /// counts as more trials of one input.
    pub fn inputs<I: Into<String>>(mut self, inputs: impl IntoIterator<Item = I>) -> Self {
        self.inputs.extend(inputs.into_iter().map(Into::into));
        self
    }

    /// How often each arm gets each input; once, when nothing is said.
    pub fn trials(mut self, trials: usize) -> Self {
        self.trials = trials;
        self
    }

    /// How many runs go on at a time; [`CONCURRENCY`], when nothing is said. A provider's limit on
    /// requests is met sooner with more, and then the latency is that of waiting.
    pub fn concurrency(mut self, concurrency: usize) -> Self {
        self.concurrency = concurrency;
        self
    }

    /// What models cost; without this, what the runtime of each arm says. Without a price for every
    /// model that an arm asked, its cost is not known.
    pub fn prices(mut self, prices: Prices) -> Self {
        self.prices = prices;
        self
    }

    /// Where chance begins: which arm is first for an input, and which inputs are drawn for the
    /// intervals. The same runs with the same seed give the same report.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Ends the experiment when this signal is given. The report is then about the runs that were
    /// done; those that were going on are not in it.
    pub fn cancellation(mut self, cancellation: Cancellation) -> Self {
        self.cancellation = cancellation;
        self
    }

    /// Runs it. The scorer says of an input and the answer to it how good the answer is: passed or
    /// not (`bool`), or a number from 0 to 1, or either in a `Result`.
    ///
    /// Runs that fail are counted, and end nothing. A run without an answer has the score 0; an
    /// answer that the scorer could not score, because it failed, panicked, or gave what is no
    /// score, is left out of the success rate, and the report says so.
    ///
    /// Dropping the future cancels the runs.
    ///
    /// # Errors
    /// Validation when there is nothing to run: no arms, no inputs, no trials, no concurrency; two
    /// arms of one name, or one that does not fit a table; an input without words. When an arm could
    /// not run whatever it is asked, such as for want of a tool, a key or a variable, the error that
    /// each of its runs would end with, before the first of them.
    pub async fn run<F, S>(&self, scorer: F) -> Result<ExperimentReport, Error>
    where
        F: Fn(&str, &AgentResponse) -> S + Send + Sync + 'static,
        S: IntoScore,
    {
        self.conduct(Scorer::sync(scorer)).await
    }

    /// Runs it with a scorer that takes its time, such as one that asks a model.
    ///
    /// The time that it takes is not part of the latency, and what it costs is not counted.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub async fn run_judged<F, R>(&self, judge: F) -> Result<ExperimentReport, Error>
    where
        F: Fn(String, AgentResponse) -> R + Send + Sync + 'static,
        R: Future<Output: IntoScore> + Send + 'static,
    {
        self.conduct(Scorer::future(judge)).await
    }

    async fn conduct(&self, scorer: Scorer) -> Result<ExperimentReport, Error> {
        plan::check(self)?;
        self.check_arms()?;
        let trials = conduct::conduct(self, scorer).await;
        Ok(ExperimentReport::new(self, trials))
    }

    /// Checks that each arm can begin a run, which asks no model.
    fn check_arms(&self) -> Result<(), Error> {
        let Some(input) = self.inputs.first() else {
            return Ok(());
        };
        for arm in &self.arms {
            let runtime = arm.runtime.as_ref().unwrap_or(&self.runtime);
            let library = arm.library.as_ref().unwrap_or(&self.library);
            let agent = self.agent_of(arm);
            let checked = runtime.check(&agent, library);
            let started = checked.and_then(|()| runtime.run(&agent, input).tools(library).start());
            started.map_err(|error| {
                error.with_context(format_args!("the arm `{}` cannot run", arm.name))
            })?;
        }
        Ok(())
    }

    /// The agent as an arm runs it.
    fn agent_of(&self, arm: &Arm) -> Agent {
        match &arm.model {
            Some(model) => self.agent.clone().with_model(model.clone()),
            None => self.agent.clone(),
        }
    }
}
