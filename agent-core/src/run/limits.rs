//! The limits of a run: of its turns, calls, tokens and cost.

use crate::conversation::Part;
use crate::model::{ModelReply, Usage};
use agent_effects::bounds;
use agent_spec::json::{value_count, values_in};
use agent_spec::{Agent, Model};
use agent_tool::Error;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The maximum number of turns that call tools, unless the agent sets `maxIterations`.
pub const MAX_ITERATIONS: u32 = bounds::DEFAULT_ITERATIONS;

/// The maximum number of times that a run continues one answer that its provider pauses. A broken provider could pause
/// forever, and each request costs money.
pub const MAX_PAUSES: usize = 10;

/// The number of failures of one tool in a row after which it has no attempts left.
pub const MAX_FAILURES: u32 = bounds::MAX_FAILURES;

/// The number of bad calls in a row, of any tools, that ends a run, because a model that repeats its mistakes would
/// spend money to no end. A call is bad when its tool fails, when its arguments are refused, or when its tool has no
/// attempts left. A call that a person denied or edited wrongly, or that was cut off, is not bad.
pub const MAX_BAD_CALLS: u32 = 10;

/// The maximum number of calls in one answer. A model can write thousands of calls, each of which would be made, and
/// would be part of the next request with its result. An answer with more calls ends the run. OpenAI accepts 128 calls
/// in an answer that is sent back.
pub const MAX_CALLS: usize = bounds::MAX_CALLS;

/// The maximum number of calls of one answer that run at the same time; further calls begin as those end. Each call of
/// a model can hold a thread, a connection or a file, of which a process has a limited number.
pub const MAX_CALLS_AT_ONCE: usize = 32;

/// The maximum number of bytes of a result that the model reads, unless `RuntimeBuilder::result_limit` sets another. A
/// tool of somebody else can return megabytes, and each further request would contain them. The response has the whole
/// result.
pub const MAX_RESULT_TEXT: usize = 262_144;

/// The maximum size in bytes of the answers and results of a run, including those of the agents that it called. A run
/// keeps all of them until it ends, so that a model and its tools could fill the memory. The size is approximately the
/// memory that they occupy. Texts count once for each place in which a run keeps them: a result counts as a value and
/// as the text that the model reads. Each call of a tool counts 1,024 bytes more, and each value of JSON 64, where a
/// list counts twice as much and an object eight times. Media are not counted.
pub const MAX_RUN_BYTES: usize = 128 << 20;

/// The size of an answer that counts for [`MAX_RUN_BYTES`].
pub(super) fn reply_size(reply: &ModelReply) -> usize {
    // The arguments are kept as a text and as a value.
    let calls = reply.tool_calls.iter().map(|call| {
        let arguments = call.args_text();
        let values = value_count(arguments.as_bytes()).saturating_mul(VALUE_SIZE);
        CALL_SIZE + call.id().len() + call.tool().len() + 2 * arguments.len() + values
    });
    parts_size(&reply.parts) + calls.sum::<usize>()
}

/// The size of the parts of an answer or of a result.
pub(super) fn parts_size(parts: &[Part]) -> usize {
    let sizes = parts.iter().map(|part| match part {
        Part::Text(text) => text.len(),
        Part::Thinking(thinking) => thinking.text().len(),
        Part::Provider(data) => value_size(data.data()),
        _ => 0,
    });
    sizes.map(|size| VALUE_SIZE + size).sum()
}

/// The size of a call besides its texts: it is in the history, in the turn and in the record of calls.
const CALL_SIZE: usize = 1_024;

/// The size of a JSON value besides its text, as [`values_in`] counts values: approximately its size in
/// memory.
const VALUE_SIZE: usize = 64;

/// The size of a value that counts for [`MAX_RUN_BYTES`].
pub(super) fn value_size(value: &Value) -> usize {
    values_in(value) * VALUE_SIZE + text_size(value)
}

/// The length of all texts and keys of a value.
fn text_size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(text_size).sum(),
        Value::Object(members) => {
            let members = members.iter();
            members.map(|(key, item)| key.len() + text_size(item)).sum()
        }
        _ => 0,
    }
}

/// The usage limits of a run: requests, calls of tools, tokens, dollars.
///
/// When a limit is reached, no further request is sent, and the run ends with a limit error. The calls in the
/// last answer are not made either, because no model would read their results. An answer in text is kept even
/// beyond a limit; so a run may exceed a limit of tokens or cost by one answer, whose length
/// [`maxTokens`](agent_spec::Settings::max_tokens) bounds. If an answer makes more calls than are left, none of
/// them is made.
///
/// Some servers do not report the tokens of a request. A limit of tokens or cost cannot be enforced then: the
/// run ends with a limit error before the next request or call. For such a server, limit
/// [`requests`](Self::requests) and the length of an answer.
///
/// ```
/// use agent_runtime::run::UsageLimits;
/// use agent_runtime::Runtime;
///
/// let limits = UsageLimits::new().requests(5).total_tokens(20_000);
/// let runtime = Runtime::builder().usage_limits(limits).build()?;
/// # Ok::<(), agent_runtime::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[must_use]
pub struct UsageLimits {
    requests: Option<u64>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    total_tokens: Option<u64>,
    tool_calls: Option<u64>,
    cost: Option<f64>,
}

/// A count that is limited: its name in messages, its limit, and the amount used.
type Count = (
    &'static str,
    fn(&mut UsageLimits) -> &mut Option<u64>,
    fn(&Usage) -> u64,
);

const COUNTS: [Count; 4] = [
    (
        "requests",
        |limits| &mut limits.requests,
        |usage| usage.requests,
    ),
    (
        "sent tokens",
        |limits| &mut limits.input_tokens,
        |usage| usage.input_tokens,
    ),
    (
        "written tokens",
        |limits| &mut limits.output_tokens,
        |usage| usage.output_tokens,
    ),
    (
        "tokens",
        |limits| &mut limits.total_tokens,
        |usage| usage.input_tokens.saturating_add(usage.output_tokens),
    ),
];

impl UsageLimits {
    /// Creates limits that allow everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the maximum number of requests to models. Retries of a request are not counted.
    pub fn requests(mut self, most: u64) -> Self {
        self.requests = Some(most);
        self
    }

    /// Sets the maximum number of calls of tools, including those that fail or are denied. With 0, an answer that
    /// calls a tool ends the run.
    pub fn tool_calls(mut self, most: u64) -> Self {
        self.tool_calls = Some(most);
        self
    }

    /// Sets the maximum number of input tokens, including cached ones.
    pub fn input_tokens(mut self, most: u64) -> Self {
        self.input_tokens = Some(most);
        self
    }

    /// Sets the maximum number of output tokens, including reasoning.
    pub fn output_tokens(mut self, most: u64) -> Self {
        self.output_tokens = Some(most);
        self
    }

    /// Sets the maximum number of tokens, input and output.
    pub fn total_tokens(mut self, most: u64) -> Self {
        self.total_tokens = Some(most);
        self
    }

    /// Sets the maximum cost in dollars. The runtime must know the price of each model of the agent, including
    /// fallback models: from the [catalogue](agent_catalog::Catalog), or from `RuntimeBuilder::prices`.
    pub fn cost(mut self, dollars: f64) -> Self {
        self.cost = Some(dollars);
        self
    }

    /// Whether the cost is limited.
    pub(crate) fn limits_cost(&self) -> bool {
        self.cost.is_some()
    }

    /// Checks that the limits can be enforced for an agent.
    pub(crate) fn check(
        &self,
        agent: &Agent,
        has_price: impl Fn(&Model) -> bool,
    ) -> Result<(), Error> {
        let mut problems = Vec::new();
        for (words, limit, _) in COUNTS {
            if *limit(&mut self.clone()) == Some(0) {
                problems.push(format!(
                    "a limit of no {words} lets nothing be done; the least is 1"
                ));
            }
        }
        if let Some(dollars) = self.cost {
            if !dollars.is_finite() || dollars <= 0.0 {
                problems.push(format!(
                    "the limit of cost is {dollars}; it is a number of dollars above 0"
                ));
            }
            let models = std::iter::once(agent.model()).chain(agent.settings().fallback.iter());
            problems.extend(models.filter(|model| !has_price(model)).map(|model| {
                format!(
                    "the cost is limited, but there is no price for `{model}` here (a price of the catalogue holds at the \
                     vendor's own address); add `--price {model}=SENT,WRITTEN`, in dollars per million tokens (in code, \
                     `RuntimeBuilder::prices`)"
                )
            }));
        }
        Error::combined(problems.into_iter().map(Error::configuration).collect())
    }

    /// The limits that are left after this usage. At least 1 is left of each count.
    pub(crate) fn left(mut self, usage: &Usage, cost: Option<f64>, calls: usize) -> Self {
        for (_, limit, used) in COUNTS {
            let most = limit(&mut self);
            *most = most.map(|most| most.saturating_sub(used(usage)).max(1));
        }
        self.tool_calls = self
            .tool_calls
            .map(|most| most.saturating_sub(calls as u64));
        self.cost = self
            .cost
            .map(|most| (most - cost.unwrap_or(0.0)).max(f64::MIN_POSITIVE));
        self
    }

    /// Returns the stricter of each of these limits and other limits.
    pub(crate) fn within(mut self, mut others: Self) -> Self {
        let least = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).min();
        for (_, limit, _) in COUNTS {
            *limit(&mut self) = least(*limit(&mut self), *limit(&mut others));
        }
        self.tool_calls = least(self.tool_calls, others.tool_calls);
        self.cost = self.cost.into_iter().chain(others.cost).reduce(f64::min);
        self
    }

    /// The text of the limit that `asked` calls exceed.
    pub(super) fn calls_reached(&self, asked: usize) -> Option<String> {
        let (most, asked) = (self.tool_calls?, asked as u64);
        (asked > most).then(|| format!("has asked for {asked} of at most {most} calls of tools"))
    }

    /// The text of the limit that forbids a further request.
    pub(super) fn reached(&self, usage: &Usage, cost: Option<f64>) -> Option<String> {
        for (words, limit, used) in COUNTS {
            let used = used(usage);
            match *limit(&mut self.clone()) {
                Some(most) if used >= most => {
                    return Some(format!("has used {used} of at most {most} {words}"));
                }
                _ => {}
            }
        }
        if let (Some(most), Some(cost)) = (self.cost, cost)
            && cost >= most
        {
            return Some(format!("has cost ${cost:.4} of at most ${most:.4}"));
        }
        self.not_enforceable(usage, cost)
    }

    /// The text of a limit that cannot be enforced, because usage or price is unknown.
    fn not_enforceable(&self, usage: &Usage, cost: Option<f64>) -> Option<String> {
        let of_tokens = COUNTS.into_iter().skip(1);
        let mut limited =
            of_tokens.filter_map(|(words, limit, _)| Some((words, (*limit(&mut self.clone()))?)));
        let limit = match (limited.next(), self.cost) {
            (Some((words, most)), _) => format!("at most {most} {words}"),
            (None, Some(most)) => format!("at most ${most:.4}"),
            (None, None) => return None,
        };
        if !usage.is_counted() {
            return Some(format!(
                "may use {limit}, but its provider did not say how many tokens a request used, so \
                 that the limit cannot be held; limit the requests instead \
                 (`UsageLimits::requests`)"
            ));
        }
        (self.cost.is_some() && cost.is_none()).then(|| {
            format!(
                "may use {limit}, but a model that answered has no price, so that the limit cannot \
                 be held"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::ToolCall;
    use serde_json::json;

    #[test]
    fn calls_and_values_without_text_count_for_the_bound_of_a_run() {
        let call = |id: usize| ToolCall::new(id.to_string(), "t", "{}");
        let reply = ModelReply::calls((0..1_000).map(call));
        assert!(reply_size(&reply) >= 1_024 * 1_000);
        // An object with one member takes the room of eleven.
        assert!(value_size(&json!([[], {}, null, {"": 0}])) >= 600);
        assert_eq!(value_size(&json!("x".repeat(1_000))), 1_064);
    }

    #[test]
    fn each_limit_is_reached_by_its_own_count() {
        let mut usage = Usage::of_request(70, 30);
        usage.requests = 4;
        let cases = [
            (UsageLimits::new(), None),
            (UsageLimits::new().requests(5), None),
            (
                UsageLimits::new().requests(4),
                Some("has used 4 of at most 4 requests"),
            ),
            (UsageLimits::new().input_tokens(71), None),
            (
                UsageLimits::new().input_tokens(69),
                Some("has used 70 of at most 69 sent tokens"),
            ),
            (
                UsageLimits::new().output_tokens(30),
                Some("has used 30 of at most 30 written tokens"),
            ),
            (UsageLimits::new().total_tokens(101), None),
            (
                UsageLimits::new().total_tokens(100),
                Some("has used 100 of at most 100 tokens"),
            ),
            (UsageLimits::new().cost(0.5), None),
            (
                UsageLimits::new().cost(0.25),
                Some("has cost $0.2500 of at most $0.2500"),
            ),
        ];
        for (limits, expected) in cases {
            assert_eq!(limits.reached(&usage, Some(0.25)).as_deref(), expected);
        }
    }
}
