//! Scores of answers, and the functions that give them.

use agent_runtime::AgentResponse;
use agent_runtime::tool::catch_panic;
use std::error::Error as StdError;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

/// The quality of an answer: a number from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Score(f64);

impl Score {
    /// The best score, 1.
    pub const PASS: Self = Self(1.0);
    /// The worst score, 0.
    pub const FAIL: Self = Self(0.0);

    /// Creates a score.
    ///
    /// # Errors
    /// When the value is not between 0 and 1.
    pub fn new(value: f64) -> Result<Self, ScoreError> {
        // NaN is in no range, so it is rejected too.
        if (0.0..=1.0).contains(&value) {
            Ok(Self(value))
        } else {
            Err(ScoreError::new(format!(
                "the scorer gave {value}; a score is between 0 and 1"
            )))
        }
    }

    /// The number.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.0
    }
}

/// The reason why an answer could not be scored.
#[derive(Debug)]
pub struct ScoreError {
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl ScoreError {
    fn new(message: String) -> Self {
        Self {
            message,
            source: None,
        }
    }
}

impl fmt::Display for ScoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl StdError for ScoreError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&**self.source.as_ref()?)
    }
}

/// The types that a scorer may return: passed or not, a number from 0 to 1, a [`Score`], or one of these in a
/// `Result`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no score",
    label = "a scorer returns `bool`, a number from 0 to 1 as `f64`, `Score`, or one of these in a `Result`"
)]
pub trait IntoScore {
    /// The score.
    ///
    /// # Errors
    /// Returns an error if the scorer failed, or gave a number that is not between 0 and 1.
    fn into_score(self) -> Result<Score, ScoreError>;
}

impl IntoScore for Score {
    fn into_score(self) -> Result<Score, ScoreError> {
        Ok(self)
    }
}

impl IntoScore for bool {
    fn into_score(self) -> Result<Score, ScoreError> {
        Ok(if self { Score::PASS } else { Score::FAIL })
    }
}

impl IntoScore for f64 {
    fn into_score(self) -> Result<Score, ScoreError> {
        Score::new(self)
    }
}

impl<S: IntoScore, E: Into<Box<dyn StdError + Send + Sync>>> IntoScore for Result<S, E> {
    fn into_score(self) -> Result<Score, ScoreError> {
        let score = self.map_err(|error| ScoreError {
            message: "the scorer failed".to_owned(),
            source: Some(error.into()),
        })?;
        score.into_score()
    }
}

type Scored = Result<Score, ScoreError>;
type ScoreFuture = Pin<Box<dyn Future<Output = Scored> + Send>>;

/// The scorer of an experiment, shared by its runs.
#[derive(Clone)]
pub(crate) struct Scorer(Arc<dyn Fn(String, AgentResponse) -> ScoreFuture + Send + Sync>);

impl Scorer {
    /// A scorer that returns its score.
    pub(crate) fn sync<F, S>(scorer: F) -> Self
    where
        F: Fn(&str, &AgentResponse) -> S + Send + Sync + 'static,
        S: IntoScore,
    {
        Self(Arc::new(move |input, response| {
            let scored = scorer(&input, &response).into_score();
            Box::pin(std::future::ready(scored))
        }))
    }

    /// A scorer that returns the future of its score.
    pub(crate) fn future<F, R>(judge: F) -> Self
    where
        F: Fn(String, AgentResponse) -> R + Send + Sync + 'static,
        R: Future<Output: IntoScore> + Send + 'static,
    {
        Self(Arc::new(move |input, response| {
            let scored = judge(input, response);
            Box::pin(async move { scored.await.into_score() })
        }))
    }

    /// Scores an answer. A panic of the scorer becomes the error of this score.
    pub(crate) async fn score(&self, input: &str, response: &AgentResponse) -> Scored {
        let (input, response) = (input.to_owned(), response.clone());
        let scored = catch_panic(async { (self.0)(input, response).await }).await;
        scored.unwrap_or_else(|message| {
            Err(ScoreError::new(format!("the scorer panicked: {message}")))
        })
    }
}
