//! Who is measured: each does the same run of two turns with one tool.

pub(crate) mod bare;
mod ours;
mod rig;

use std::str::FromStr;
use std::sync::Arc;

pub(crate) const INSTRUCTION: &str =
    "You are a friendly assistant. Greet the user with the sayHello tool.";
pub(crate) const DESCRIPTION: &str = "Returns a friendly greeting message for the given name";
pub(crate) const INPUT: &str = "Hello, I'm Ada";
pub(crate) const ANSWER: &str = "I greeted Ada.";

pub(crate) use bench_shared::Failure;

/// What the tool says.
pub(crate) fn greeting(name: &str) -> String {
    format!("Hello, {name}! Nice to meet you.")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contender {
    /// reqwest and serde_json alone.
    Bare,
    Ours,
    /// Ours, with a journal in a file.
    Journaled,
    Rig,
}

impl Contender {
    pub(crate) const ALL: [Self; 4] = [Self::Bare, Self::Ours, Self::Journaled, Self::Rig];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Bare => "reqwest",
            Self::Ours => "ours",
            Self::Journaled => "journaled",
            Self::Rig => "rig",
        }
    }

    /// What all runs share.
    pub(crate) async fn prepare(self, base_url: &str) -> Result<Prepared, Failure> {
        Ok(match self {
            Self::Bare => Prepared::Bare(Arc::new(bare::Prepared::new(base_url)?)),
            Self::Ours => Prepared::Ours(Arc::new(ours::Prepared::new(base_url)?)),
            Self::Journaled => Prepared::Ours(Arc::new(ours::Prepared::journaled(base_url).await?)),
            Self::Rig => Prepared::Rig(Arc::new(rig::Prepared::new(base_url)?)),
        })
    }
}

impl FromStr for Contender {
    type Err = Failure;

    fn from_str(word: &str) -> Result<Self, Failure> {
        let mut all = Self::ALL.into_iter();
        Ok(all
            .find(|contender| contender.word() == word)
            .ok_or("an unknown contender")?)
    }
}

#[derive(Clone)]
pub(crate) enum Prepared {
    Bare(Arc<bare::Prepared>),
    Ours(Arc<ours::Prepared>),
    Rig(Arc<rig::Prepared>),
}

impl Prepared {
    /// One run; gives the answer.
    pub(crate) async fn run(&self) -> Result<String, Failure> {
        match self {
            Self::Bare(prepared) => prepared.run().await,
            Self::Ours(prepared) => prepared.run().await,
            Self::Rig(prepared) => prepared.run().await,
        }
    }
}
