//! Experiments: an agent over a set of inputs in several ways, or several agents, compared.
//!
//! An [`Arm`] is one way to run the agent: with another library, model or runtime, or another
//! [agent](Arm::agent) in its place. Every arm gets every input
//! a number of times, each in a new conversation, and a scorer rates each answer. The result is an
//! [`ExperimentReport`]: each metric ([`Figure`]) of each arm and of each pair of arms, with its confidence
//! interval, as a table, as JSON, and as a page with plots.
//!
//! ```
//! use agent_eval::{Arm, Experiment, Figure};
//! use agent_runtime::{Runtime, agent, tools};
//!
//! mod formal {
//!     /// Returns a greeting for the given name
//!     #[agent_runtime::tool]
//!     pub fn say_hello(person_name: &str) -> String {
//!         format!("Good day, {person_name}.")
//!     }
//! }
//!
//! mod casual {
//!     /// Returns a greeting for the given name
//!     #[agent_runtime::tool]
//!     pub fn say_hello(person_name: &str) -> String {
//!         format!("Hey {person_name}!")
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), agent_runtime::Error> {
//! let agent = agent! {
//!     tools: [formal::say_hello],
//!     [greeter:Agent {
//!         instruction: "Greet the user with the sayHello tool.",
//!         model: "OpenAI/gpt-6-luna"
//!     } | sayHello]
//! };
//! let report = Experiment::new(&agent, Runtime::offline())?
//!     .arm(Arm::new("formal").library(tools![formal::say_hello]))
//!     .arm(Arm::new("casual").library(tools![casual::say_hello]))
//!     .inputs(["Hello, I'm Ada", "Please greet Grace"])
//!     .trials(5)
//!     .concurrency(2)
//!     .run(|_input, response| response.content.starts_with("Hey"))
//!     .await?;
//!
//! let formal = report.arm("formal").unwrap();
//! assert_eq!(formal.figure(Figure::SuccessRate).unwrap().value, 0.0);
//! let pair = report.comparison("formal", "casual").unwrap();
//! assert_eq!(pair.difference(Figure::SuccessRate).unwrap().value, 1.0);
//! println!("{report}");
//! # Ok(())
//! # }
//! ```
//!
//! # Intervals
//!
//! An interval shows which values other inputs of the same kind could have given. It is computed by
//! bootstrap: inputs are drawn with replacement, [`RESAMPLES`] times, and the figures are computed for each
//! draw; the interval holds the middle 95 % of them. An input is drawn with all its runs, because runs of one
//! input are alike. More inputs therefore make an interval narrower, and more trials of the same inputs soon
//! do not. All arms get the same draws, so that inputs that are hard for all arms cancel out.
//!
//! A difference whose interval excludes 0 is marked. Figures are tested separately: of twenty that do not
//! differ, one is marked by chance. A latency has an interval when five or more answers took longer: p50 from
//! 10 answers on, p90 from 50, p99 from 500. An interval of width 0 means that all inputs gave the same
//! value, not that other inputs would.
//!
//! # Failed runs and latency
//!
//! Failed runs count in every figure except the latencies: each is an error, has the score 0, and costs what
//! it used. The latency is the time of a run with all its requests and calls, on tokio's clock, while other
//! runs are made beside it as [`concurrency`](Experiment::concurrency) allows. A call that needs a person's
//! approval is denied, unless the runtime has an [`Approver`](agent_runtime::approval::Approver).
//!
//! # A scorer that asks a model
//!
//! [`run_judged`](Experiment::run_judged) accepts an async scorer, which owns its arguments:
//!
//! ```
//! # use agent_eval::{Arm, Experiment};
//! # use agent_runtime::{Error, Runtime, agent};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Error> {
//! # let agent = agent! { [helper:Agent {instruction: "Help.", model: "Offline/any"}] };
//! let judge = agent! {
//!     [judge:Agent {instruction: "Is this a good answer? Say yes or no.", model: "Offline/any"}]
//! };
//! let runtime = Runtime::offline();
//! let report = Experiment::new(&agent, runtime.clone())?
//!     .arm(Arm::new("current"))
//!     .inputs(["Hello"])
//!     .run_judged(move |input, response| {
//!         let question = format!("Question: {input}\nAnswer: {}", response.content);
//!         let verdict = runtime.run(&judge, question);
//!         async move { Ok::<_, Error>(verdict.await?.content.to_lowercase().contains("yes")) }
//!     })
//!     .await?;
//! # assert!(report.is_complete());
//! # Ok(())
//! # }
//! ```

mod experiment;
mod figure;
mod random;
mod report;
mod score;
mod statistics;
mod trial;

pub use experiment::{Arm, CONCURRENCY, Experiment};
pub use figure::Figure;
pub use report::{ArmReport, Comparison, ExperimentReport};
pub use score::{IntoScore, Score, ScoreError};
pub use statistics::{CONFIDENCE, Estimate, Interval, RESAMPLES};
pub use trial::Trial;
