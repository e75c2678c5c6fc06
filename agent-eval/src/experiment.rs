//! An experiment: its set-up, its runs and their order.

use crate::random::Random;
use crate::report::{ExperimentReport, Setup};
use crate::score::{IntoScore, Scorer};
use crate::trial::{Meter, Trial};
use agent_runtime::cost::Prices;
use agent_runtime::run::Input;
use agent_runtime::spec::terminal;
use agent_runtime::tool::catch_panic;
use agent_runtime::{
    Agent, AgentResponse, Cancellation, Conversation, Error, Event, Executable, Model, Runtime,
    ToolLibrary,
};
use serde_json::Value;
use std::future::IntoFuture as _;
use std::sync::Arc;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::Instrument;

/// The number of concurrent runs, unless [`Experiment::concurrency`] sets another.
pub const CONCURRENCY: usize = 4;

/// Runs one agent, or several, over a set of inputs in several ways, and compares the results.
///
/// The [crate's documentation](crate) has an example.
#[derive(Clone, Debug)]
#[must_use = "an experiment does nothing until it is run"]
pub struct Experiment {
    agent: Agent,
    runtime: Runtime,
    library: ToolLibrary,
    arms: Vec<Arm>,
    inputs: Vec<GivenInput>,
    trials: usize,
    concurrency: usize,
    prices: Prices,
    seed: u64,
    cancellation: Cancellation,
}

/// One way to run the agent of an experiment: with another library, model or runtime, or another agent in its place.
#[derive(Clone, Debug)]
#[must_use]
pub struct Arm {
    name: String,
    agent: Option<Agent>,
    library: Option<ToolLibrary>,
    model: Option<Model>,
    runtime: Option<Runtime>,
}

impl Arm {
    /// Creates an arm that differs in nothing yet. The name is shown in the report: one line,
    /// without characters that control a terminal, and unique in the experiment.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            agent: None,
            library: None,
            model: None,
            runtime: None,
        }
    }

    /// Sets the agent, in place of the experiment's: another instruction, other settings, or one agent in place of
    /// several that call each other. Calls and tokens of the agents that it calls count for the arm.
    ///
    /// ```
    /// use agent_eval::{Arm, Experiment, Figure};
    /// use agent_runtime::{Runtime, agent};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), agent_runtime::Error> {
    /// let plain = agent! {
    ///     [translate:Agent {instruction: "Translate into French.", model: "Offline/any"}]
    /// };
    /// let careful = agent! {
    ///     [translate:Agent {instruction: "Translate into French. Keep names as they are.", model: "Offline/any"}]
    /// };
    /// let report = Experiment::new(&plain, Runtime::offline())?
    ///     .arm(Arm::new("plain"))
    ///     .arm(Arm::new("careful").agent(careful))
    ///     .inputs(["Ada lives in Ulm"])
    ///     .run(|_input, response| response.content.contains("Ada"))
    ///     .await?;
    /// assert!(report.comparison("plain", "careful").is_some());
    /// # Ok(())
    /// # }
    /// ```
    pub fn agent(mut self, agent: Agent) -> Self {
        self.agent = Some(agent);
        self
    }

    /// Sets the library, in place of the experiment's.
    pub fn library(mut self, library: ToolLibrary) -> Self {
        self.library = Some(library);
        self
    }

    /// Sets the model, in place of the agent's.
    pub fn model(mut self, model: Model) -> Self {
        self.model = Some(model);
        self
    }

    /// Sets the runtime, in place of the experiment's: other keys and addresses, limits or variables.
    pub fn runtime(mut self, runtime: Runtime) -> Self {
        self.runtime = Some(runtime);
        self
    }
}

impl Experiment {
    /// Creates an experiment with an agent. Arms without an agent or a runtime of their own use these. A tool that
    /// the agent only names has, in each arm, the spec of the arm's library.
    ///
    /// # Errors
    /// Validation when the pattern is not that of an agent.
    pub fn new(agent: impl Executable, runtime: Runtime) -> Result<Self, Error> {
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

    /// Sets the library of all arms without a library of their own.
    pub fn library(mut self, library: ToolLibrary) -> Self {
        self.library = library;
        self
    }

    /// Adds an arm.
    pub fn arm(mut self, arm: Arm) -> Self {
        self.arms.push(arm);
        self
    }

    /// Adds inputs. Each run begins a new conversation with its input. Two inputs of the same text count as
    /// further trials of one input.
    pub fn inputs<I: Into<String>>(self, inputs: impl IntoIterator<Item = I>) -> Self {
        let texts = inputs.into_iter().map(Into::into);
        texts.fold(self, |experiment, text: String| {
            let input = Input::new(text.as_str());
            experiment.input(text, input)
        })
    }

    /// Adds an input of any kind, such as a text with an image. The score and the reports get `text` for it. Two inputs of the
    /// same text count as further trials of one input.
    pub fn input(mut self, text: impl Into<String>, input: Input) -> Self {
        let text = text.into();
        self.inputs.push(GivenInput { text, input });
        self
    }

    /// Adds inputs for agents with a signature: the arguments of each call, an object. The score and the reports get
    /// them as JSON.
    ///
    /// ```
    /// use agent_eval::{Arm, Experiment};
    /// use agent_runtime::{Runtime, agent};
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), agent_runtime::Error> {
    /// let translate = agent! {
    ///     [translate:Agent {instruction: "Translate into {{language}}.", model: "Offline/any"} |
    ///         (text::Text)==>(language::Text)==>(::String)]
    /// };
    /// let report = Experiment::new(&translate, Runtime::offline())?
    ///     .arm(Arm::new("plain"))
    ///     .arguments([json!({"text": "Guten Tag", "language": "fr"})])
    ///     .run(|arguments, response| arguments.contains("Guten Tag") && !response.content.is_empty())
    ///     .await?;
    /// assert_eq!(report.trials.len(), 1);
    /// assert!(report.trials[0].answer.is_ok());
    /// # Ok(())
    /// # }
    /// ```
    pub fn arguments<I: Into<Value>>(self, arguments: impl IntoIterator<Item = I>) -> Self {
        let arguments = arguments.into_iter().map(Into::into);
        arguments.fold(self, |experiment, arguments: Value| {
            experiment.input(arguments.to_string(), Input::from_arguments(arguments))
        })
    }

    /// Sets the number of runs of each arm with each input. The default is 1.
    pub fn trials(mut self, trials: usize) -> Self {
        self.trials = trials;
        self
    }

    /// Sets the number of concurrent runs. The default is [`CONCURRENCY`]. With more, a provider's rate limit
    /// is reached sooner, and the latency includes the waiting.
    pub fn concurrency(mut self, concurrency: usize) -> Self {
        self.concurrency = concurrency;
        self
    }

    /// Sets the prices of models, in place of those of each arm's runtime. The cost of an arm is unknown
    /// unless every model that it asks has a price.
    pub fn prices(mut self, prices: Prices) -> Self {
        self.prices = prices;
        self
    }

    /// Sets the seed of the random numbers, which order the arms for each input and draw the inputs for the
    /// intervals. The same runs with the same seed give the same report.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Ends the experiment when this signal is given. The report then has the runs that were completed.
    pub fn cancellation(mut self, cancellation: Cancellation) -> Self {
        self.cancellation = cancellation;
        self
    }

    /// Runs the experiment. The scorer gets an input and its answer, and returns a [`Score`](crate::Score):
    /// a `bool`, a number from 0 to 1, or either in a `Result`.
    ///
    /// A run that fails is counted and ends nothing; its score is 0. When the scorer fails, panics, or
    /// returns a number that is no score, that answer is left out of the success rate, and the report has a
    /// note.
    ///
    /// Dropping the future cancels the runs.
    ///
    /// # Errors
    /// - Validation when there are no arms, inputs or trials, when the concurrency is 0, when an input is
    ///   blank, or when the name of an arm is not unique or does not fit the table.
    /// - The error that every run of an arm would end with, such as a missing tool, key or variable. It is
    ///   found before the first run, by [`Runtime::check`].
    pub async fn run<F, S>(&self, scorer: F) -> Result<ExperimentReport, Error>
    where
        F: Fn(&str, &AgentResponse) -> S + Send + Sync + 'static,
        S: IntoScore,
    {
        self.run_scored(Scorer::sync(scorer)).await
    }

    /// Runs the experiment with an async scorer, for example one that asks a model.
    ///
    /// The latency does not include the scorer's time, and the cost does not include its requests.
    ///
    /// # Errors
    /// The errors of [`run`](Self::run).
    pub async fn run_judged<F, R>(&self, judge: F) -> Result<ExperimentReport, Error>
    where
        F: Fn(String, AgentResponse) -> R + Send + Sync + 'static,
        R: Future<Output: IntoScore> + Send + 'static,
    {
        self.run_scored(Scorer::future(judge)).await
    }

    async fn run_scored(&self, scorer: Scorer) -> Result<ExperimentReport, Error> {
        let planned = self.check()?;
        self.check_arms()?;
        let trials = self.run_all(scorer).await;
        let arms = self.arms.iter().map(|arm| {
            let model = self.agent_of(arm).model().clone();
            (arm.name.clone(), model)
        });
        let own = self.arms.iter().filter_map(|arm| arm.runtime.as_ref());
        let runtimes = std::iter::once(&self.runtime).chain(own);
        let setup = Setup {
            agent: self.agent.name().to_owned(),
            arms: arms.collect(),
            inputs: self.inputs.iter().map(|given| given.text.clone()).collect(),
            trials_per_input: self.trials,
            planned,
            seed: self.seed,
            redactors: runtimes.map(Runtime::redactor).collect(),
        };
        Ok(ExperimentReport::new(setup, trials))
    }

    /// Checks the set-up, and returns the number of runs.
    fn check(&self) -> Result<usize, Error> {
        let has = |problem: &str, advice: &str| {
            Error::validation(format!("the experiment has {problem}; {advice}"))
        };
        if self.arms.is_empty() {
            return Err(has("no arms", "add at least one with `arm`"));
        }
        if self.inputs.is_empty() {
            return Err(has("no inputs", "add some with `inputs` or `arguments`"));
        }
        let is_blank = |given: &GivenInput| given.text.trim().is_empty();
        if let Some(at) = self.inputs.iter().position(is_blank) {
            let problem = format!("nothing but blanks in input {}", at + 1);
            return Err(has(&problem, "each input is what a user says"));
        }
        if self.trials == 0 {
            return Err(has(
                "0 trials",
                "each arm must get each input at least once",
            ));
        }
        if self.concurrency == 0 {
            let advice = "at least one run must go on at a time";
            return Err(has("a concurrency of 0", advice));
        }
        for (at, arm) in self.arms.iter().enumerate() {
            let name = &arm.name;
            if name.trim().is_empty() {
                return Err(has("an arm without a name", "name each arm"));
            }
            // A line stays as it is only without characters that control a terminal.
            if terminal::line(name, usize::MAX) != *name {
                return Err(Error::validation(format!(
                    "the name {name:?} of an arm is not fit for a table; \
                     write one line without characters that control a terminal"
                )));
            }
            if self.arms[..at].iter().any(|other| other.name == *name) {
                let problem = format!("two arms called `{name}`");
                return Err(has(&problem, "call one of them otherwise"));
            }
        }
        let pairs = self.inputs.len().checked_mul(self.arms.len());
        pairs
            .and_then(|pairs| pairs.checked_mul(self.trials))
            .ok_or_else(|| has("more runs than can be counted", "give `trials` less"))
    }

    /// Checks that each arm can begin a run. No model is asked.
    fn check_arms(&self) -> Result<(), Error> {
        for arm in &self.arms {
            let ArmSetup {
                agent,
                library,
                runtime,
            } = self.arm_setup(arm);
            let checked = runtime.check(&agent, &library);
            let input = self.inputs.first().map(|given| given.input.clone());
            let input = input.unwrap_or_else(|| Input::new(""));
            // Only a run knows whether all variables of the instruction are set.
            let started = checked.and_then(|()| runtime.run(agent, input).tools(&library).start());
            started.map_err(|error| {
                error.with_context(format_args!("the arm `{}` cannot run", arm.name))
            })?;
        }
        Ok(())
    }

    /// The agent of an arm, with the model of the arm.
    fn agent_of(&self, arm: &Arm) -> Agent {
        let agent = arm.agent.as_ref().unwrap_or(&self.agent).clone();
        match &arm.model {
            Some(model) => agent.with_model(model.clone()),
            None => agent,
        }
    }

    fn arm_setup(&self, arm: &Arm) -> ArmSetup {
        ArmSetup {
            agent: self.agent_of(arm),
            library: arm.library.as_ref().unwrap_or(&self.library).clone(),
            runtime: arm.runtime.as_ref().unwrap_or(&self.runtime).clone(),
        }
    }

    /// Returns the jobs in the order in which their runs begin. The arms alternate at each input, so that
    /// the time of day and the load affect all arms alike, and a cancelled experiment has as many runs of
    /// each. The order of the arms is random, because the first one may find a cold cache.
    fn jobs(&self) -> impl Iterator<Item = Job> + use<> {
        let (trials, inputs) = (self.trials, self.inputs.len());
        let mut arms: Vec<usize> = (0..self.arms.len()).collect();
        let mut random = Random::new(self.seed);
        let rounds =
            (0..trials).flat_map(move |trial| (0..inputs).map(move |input| (trial, input)));
        rounds.flat_map(move |(trial, input)| {
            random.shuffle(&mut arms);
            let job = move |arm| Job { trial, input, arm };
            arms.clone().into_iter().map(job)
        })
    }

    /// Makes the runs, and returns the completed ones in the order of trials, inputs and arms. Each run is
    /// a task, so that runs can be on several threads. Dropping the future aborts all of them.
    async fn run_all(&self, scorer: Scorer) -> Vec<Trial> {
        let runner = Arc::new(Runner {
            arms: self.arms.iter().map(|arm| self.arm_setup(arm)).collect(),
            inputs: self.inputs.clone(),
            prices: self.prices.clone(),
            scorer,
            cancellation: self.cancellation.clone(),
        });
        let mut jobs = self.jobs();
        let mut running = JoinSet::new();
        let mut completed: Vec<(Job, Trial)> = Vec::new();
        loop {
            while running.len() < self.concurrency
                && !self.cancellation.is_cancelled()
                && let Some(job) = jobs.next()
            {
                let run = Arc::clone(&runner).run(job);
                running.spawn(async move { (job, run.await) }.in_current_span());
            }
            match running.join_next().await {
                None => break,
                Some(Ok((job, Some(trial)))) => completed.push((job, trial)),
                // The run was cancelled, or its task was aborted because this future was dropped.
                Some(Ok((_, None)) | Err(_)) => {}
            }
        }
        completed.sort_by_key(|(job, _)| *job);
        completed.into_iter().map(|(_, trial)| trial).collect()
    }
}

/// A run to be made, by the index of its trial, input and arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Job {
    trial: usize,
    input: usize,
    arm: usize,
}

/// The agent, library and runtime of an arm.
struct ArmSetup {
    agent: Agent,
    library: ToolLibrary,
    runtime: Runtime,
}

/// An input of the runs, and its text in reports.
#[derive(Clone, Debug)]
struct GivenInput {
    text: String,
    input: Input,
}

/// The data that all runs of an experiment share.
struct Runner {
    arms: Vec<ArmSetup>,
    inputs: Vec<GivenInput>,
    prices: Prices,
    scorer: Scorer,
    cancellation: Cancellation,
}

impl Runner {
    /// Makes a run and scores it. Returns `None` if the experiment is cancelled before both are completed.
    async fn run(self: Arc<Self>, job: Job) -> Option<Trial> {
        let ArmSetup {
            agent,
            library,
            runtime,
        } = &self.arms[job.arm];
        let prices = match self.prices.is_empty() {
            true => runtime.prices(),
            false => &self.prices,
        };
        let GivenInput { text, input } = &self.inputs[job.input];
        let mut meter = Meter::new(prices);
        let mut conversation = Conversation::new();
        let mut observer = |event: &Event| meter.count(event);
        let began = Instant::now();
        let run = runtime
            .run(agent, input.clone())
            .tools(library)
            .conversation(&mut conversation)
            .observer(&mut observer)
            .cancellation(self.cancellation.clone())
            .deny_without_approver();
        // A model of the host that panics fails this run only.
        let outcome = catch_panic(run.into_future()).await;
        let outcome = outcome
            .unwrap_or_else(|message| Err(Error::llm(format!("the run panicked: {message}"))));
        let latency = began.elapsed();
        let (answer, score) = match outcome {
            Ok(response) => {
                let scored = self.scorer.score(text, &response);
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
            usage: meter.usage,
            cost: meter.cost,
            models: meter.models,
            latency,
        })
    }
}
