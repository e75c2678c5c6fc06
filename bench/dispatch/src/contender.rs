//! Who is measured: each calls the same function by name, with the same JSON text.

mod around;
mod by_hand;
mod ours;
mod rig;
mod rmcp;

use std::str::FromStr;

pub(crate) const NAME: &str = "add";
pub(crate) const TEXT: &str = r#"{"a": 2, "b": 3}"#;

pub(crate) use bench_shared::Failure;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contender {
    /// A map of boxed functions, written by hand.
    HandPlain,
    /// The same, whose functions give boxed futures.
    HandBoxed,
    /// `Tool::call` of a `#[tool(inline)]`.
    Typed,
    /// The arguments checked against the signature, then the call.
    Validated,
    /// A tool of a JSON Schema, which the crate `jsonschema` validates.
    JsonSchema,
    /// rig's `ToolSet::execute`.
    Rig,
    /// rmcp's `ToolRouter::call`.
    Rmcp,
    /// What of it is the context that each call takes.
    RmcpContext,
    /// `Tool::call` under a time limit.
    Timeout,
    /// `Tool::call` with panics caught.
    Panics,
    /// `Tool::call` of a `#[tool]` that runs on the blocking pool.
    Pool,
    /// All of what the runtime puts around a call.
    Invoked,
}

impl Contender {
    pub(crate) const ALL: [Self; 12] = [
        Self::HandPlain,
        Self::HandBoxed,
        Self::Typed,
        Self::Validated,
        Self::JsonSchema,
        Self::Rig,
        Self::Rmcp,
        Self::RmcpContext,
        Self::Timeout,
        Self::Panics,
        Self::Pool,
        Self::Invoked,
    ];

    /// Those that are compared with each other.
    pub(crate) const WHOLE: [Self; 7] = [
        Self::HandPlain,
        Self::HandBoxed,
        Self::Typed,
        Self::Validated,
        Self::JsonSchema,
        Self::Rig,
        Self::Rmcp,
    ];

    /// Those that show what is put around a call.
    pub(crate) const AROUND: [Self; 4] = [Self::Timeout, Self::Panics, Self::Pool, Self::Invoked];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::HandPlain => "hand-plain",
            Self::HandBoxed => "hand-boxed",
            Self::Typed => "typed",
            Self::Validated => "validated",
            Self::JsonSchema => "json-schema",
            Self::Rig => "rig",
            Self::Rmcp => "rmcp",
            Self::RmcpContext => "rmcp-context",
            Self::Timeout => "timeout",
            Self::Panics => "panics",
            Self::Pool => "pool",
            Self::Invoked => "invoked",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::HandPlain => "by hand, a map of functions",
            Self::HandBoxed => "by hand, a map of functions that give boxed futures",
            Self::Typed => "ours, typed: `Tool::call`",
            Self::Validated => "ours, validated against the signature, then called",
            Self::JsonSchema => "ours, of a JSON Schema, by `jsonschema`",
            Self::Rig => "rig, `ToolSet::execute`",
            Self::Rmcp => "rmcp, `ToolRouter::call`",
            Self::RmcpContext => "rmcp's context, cloned",
            Self::Timeout => "under `tokio::time::timeout`",
            Self::Panics => "with panics caught",
            Self::Pool => "on the blocking pool",
            Self::Invoked => "all of it: `invoke_tool`",
        }
    }

    /// How many nanoseconds a call takes.
    pub(crate) async fn measure(self, calls: u32) -> Result<f64, Failure> {
        match self {
            Self::HandPlain => by_hand::plain(calls).await,
            Self::HandBoxed => by_hand::boxed(calls).await,
            Self::Typed => ours::typed(calls).await,
            Self::Validated => ours::validated(calls).await,
            Self::JsonSchema => ours::json_schema(calls).await,
            Self::Rig => rig::execute(calls).await,
            Self::Rmcp => rmcp::call(calls).await,
            Self::RmcpContext => rmcp::context(calls).await,
            Self::Timeout => around::timeout(calls).await,
            Self::Panics => around::panics(calls).await,
            Self::Pool => around::pool(calls).await,
            Self::Invoked => around::invoked(calls).await,
        }
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
