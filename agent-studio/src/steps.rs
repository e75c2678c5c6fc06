//! The steps of a run, read from its records.

use agent_runtime::conversation::{Part, Taint, ToolCall};
use agent_runtime::cost::Prices;
use agent_runtime::model::Usage;
use agent_runtime::run::{called_tool, search_result};
use agent_runtime::{Agent, Conversation, Model};
use agent_spec::AgentTool;
use agent_spec::json::agent_pattern_from_json;
use agent_spec::terminal;
use serde_json::{Value, json};
use std::collections::HashMap;

/// The states of calls without results.
const ASKED: &str = "was not begun";
const BEGUN: &str = "was begun, and has no result";
const DECIDED: &str = "was decided on, without a result";
/// The state of a call that a crash interrupted.
pub const INTERRUPTED: &str = "was interrupted and may have been made";
/// The state of a call that waits for a decision.
pub const NEEDS_APPROVAL: &str = "needs approval";

/// The beginning of the name of the tool with which a model gives a typed answer.
const ANSWER: &str = "finalAnswer";

/// The maximum number of characters of a name in a path. A model can write a name of any length.
const MAX_NAME: usize = 100;

/// Writes a name that a model or a document chose, on one line.
fn name(name: &str) -> String {
    terminal::line(name, MAX_NAME)
}

/// The steps of a run.
#[derive(Default)]
pub struct Steps {
    /// The time of the first record, in milliseconds.
    pub start: u64,
    /// The steps, in the order of the records.
    pub entries: Vec<Entry>,
    /// The calls, in the order in which the models asked for them.
    pub calls: Vec<RecordedCall>,
    /// The indexes of the calls by their ids, which begin with the ids of the calls that lead to the run.
    ids: HashMap<String, usize>,
    runs: HashMap<String, OwnRun>,
    agent: Option<Agent>,
    prices: Prices,
    /// Whether the answer of the run is a value of a type.
    pub is_typed: bool,
}

/// A step.
pub struct Entry {
    /// The time in milliseconds since 1970.
    pub at: u64,
    /// The ids of the calls that lead to the run of the step; empty for the run itself.
    pub place: String,
    /// The event of the step.
    pub step: Step,
}

/// The event of a step.
pub enum Step {
    /// A message of the user.
    Said(Vec<Part>),
    /// A reply of a model.
    Replied(Box<Reply>),
    /// The result of a call, by its index.
    Called(usize),
    /// A person's decision on a call.
    Decided(Decided),
    /// The id of a call that a crash interrupted.
    Interrupted(String),
    /// An error of a request, or the one that ended the run.
    Failed(Failure),
}

/// An error of a request or of a run.
pub struct Failure {
    /// The word for the kind of the error.
    pub kind: String,
    /// The error.
    pub text: String,
    /// The time from which the request was due, in milliseconds since 1970; `None` for an error that does not
    /// belong to a request.
    pub since: Option<u64>,
}

/// A reply of a model.
pub struct Reply {
    /// The text, the thoughts and the media.
    pub parts: Vec<Part>,
    /// The reason why the model stopped, in the words of the records.
    pub finish_reason: String,
    /// The usage of the request.
    pub usage: Usage,
    /// The cost, if the price of the model is known.
    pub dollars: Option<f64>,
    /// The indexes of the calls that the model asked for.
    pub calls: Vec<usize>,
    /// The provider's id of the reply.
    pub id: Option<String>,
    /// The model that the provider names.
    pub model: Option<String>,
    /// The time from which the request was due, in milliseconds since 1970.
    pub since: u64,
}

/// A person's decision on a call.
pub struct Decided {
    /// The id of the call.
    pub call: String,
    /// The word for the decision.
    pub decision: String,
    /// The reason of a denial, or the arguments or the result that the person gave.
    pub detail: Option<String>,
    /// The index of the call.
    pub of: Option<usize>,
}

/// A call that a model asked for.
pub struct RecordedCall {
    /// The id of the call, after the ids of the calls that lead to its run.
    pub id: String,
    /// The name of the tool.
    pub tool: String,
    /// The JSON text of the arguments.
    pub arguments: String,
    /// The state of a call without a result.
    pub state: &'static str,
    /// The result or the error, once there is one.
    pub outcome: Option<Outcome>,
    /// The times of the beginning and the end of the call, in milliseconds since 1970.
    pub times: Option<(u64, u64)>,
    /// The number of the call since the tool last succeeded, from 1.
    pub attempt: u32,
    /// The taint that the result brought into the conversation.
    pub taint: Taint,
    /// The reason for which the call waits or waited for a decision, if `whenTainted` guards it.
    pub guarded: Option<String>,
    asked: u64,
    begun: Option<u64>,
}

/// The outcome of a call.
pub enum Outcome {
    /// The JSON text of the result, and the images, documents and audio in it. A value takes far more memory than its
    /// text.
    Result(String, Vec<Part>),
    /// The kind and the text of an error.
    Error(String, String),
    /// The call of an agent that has ended without an answer in the records.
    Ended,
}

/// The run at a place.
#[derive(Default)]
struct OwnRun {
    /// The time from which the next request of the run is due.
    since: u64,
    /// The index of the last reply of the run.
    last_reply: Option<usize>,
    last_error: Option<String>,
    failed_requests: usize,
    /// The number of calls of each tool since it last succeeded.
    attempts: HashMap<String, u32>,
}

impl Steps {
    /// Reads the records of a run.
    ///
    /// # Errors
    /// Returns the error of the first record that cannot be read.
    pub fn new<E>(
        records: impl Iterator<Item = Result<Value, E>>,
        prices: Prices,
    ) -> Result<Self, E> {
        let mut steps = Self {
            prices,
            ..Self::default()
        };
        for (position, record) in records.enumerate() {
            let record = record?;
            if position == 0 {
                steps.start = at(&record);
            }
            steps.add(&record);
        }
        Ok(steps)
    }

    /// Returns the calls without results.
    pub fn unfinished(&self) -> impl Iterator<Item = &RecordedCall> {
        self.calls.iter().filter(|call| call.outcome.is_none())
    }

    fn add(&mut self, record: &Value) {
        let text = |key: &str| record[key].as_str().unwrap_or_default();
        let (at, place) = (at(record), text("run"));
        let id = || id_from(place, text("call"));
        match text("kind") {
            "started" => self.started(at, &record["run"]),
            "replied" => self.replied(at, place, record),
            "callBegun" | "agentBegun" => {
                let id = id();
                if let Some(call) = self.call(&id) {
                    call.state = BEGUN;
                    call.begun = Some(at);
                    if let Some(arguments) = record["arguments"].as_str() {
                        call.arguments = arguments.to_owned();
                    }
                }
                // The call may begin an agent, whose first request is due now.
                self.own(&id).since = at;
            }
            "callFinished" => {
                self.taint(&id(), record);
                self.finished(at, &id(), outcome_of(&record["outcome"]));
            }
            // The run itself is called by no agent, whatever the ids of the calls are.
            "agentEnded" if !place.is_empty() => {
                self.taint(place, record);
                self.take_answer(place);
                if let Some(call) = self.call(place) {
                    call.begun.get_or_insert(call.asked);
                }
                // The outcome is only created if it is needed, because the last answer may be long and is
                // copied.
                if self.call(place).is_some_and(|call| call.outcome.is_none()) {
                    self.finished(at, place, self.outcome_of_agent(place));
                }
            }
            "decisionMade" => self.decided(at, record),
            "decisionAsked" => {
                let calls = record["calls"].as_array().into_iter().flatten();
                for id in calls.filter_map(Value::as_str) {
                    if let Some(call) = self.call(id)
                        && call.state != INTERRUPTED
                    {
                        call.state = NEEDS_APPROVAL;
                        call.guarded = record["reasons"][id].as_str().map(str::to_owned);
                    }
                }
            }
            "callInDoubt" => {
                let id = id();
                if let Some(call) = self.call(&id) {
                    call.state = INTERRUPTED;
                }
                self.push(at, place, Step::Interrupted(id));
            }
            "said" => {
                let messages = record["messages"].as_array().into_iter().flatten();
                for message in messages {
                    let parts = parts_of("user", &message["content"]);
                    self.push(at, place, Step::Said(parts));
                }
            }
            "requestFailed" => {
                let own = self.own(place);
                own.failed_requests += 1;
                let since = std::mem::replace(&mut own.since, at);
                self.failed(at, place, &record["error"], Some(since));
            }
            "stopped" => self.failed(at, place, &record["error"], None),
            "ended" if record["error"].is_object() => {
                self.failed(at, place, &record["error"], None);
            }
            "ended" => self.take_answer(place),
            _ => {}
        }
    }

    /// Reads a record with the state of the run: at its beginning, or when a host continued it.
    fn started(&mut self, at: u64, run: &Value) {
        let pattern = agent_pattern_from_json(&run["agent"]).ok();
        let agent = pattern.and_then(|pattern| Agent::from_pattern(&pattern).ok());
        let is_first = self.entries.is_empty();
        self.is_typed = !run["output"].is_null();
        self.own("").since = at;
        self.agent = agent.or(self.agent.take());
        // A summary may come from another model, and its replies look like others.
        if !run["state"]["compaction"]["model"].is_null() {
            self.prices = Prices::new();
        }
        let history = run["state"]["history"].as_array();
        let mut said = history.into_iter().flatten().rev();
        let said = said.find(|message| message["role"] == "user");
        if let Some(message) = said.filter(|_| is_first) {
            let parts = parts_of("user", &message["content"]);
            self.push(at, "", Step::Said(parts));
        }
    }

    fn replied(&mut self, at: u64, place: &str, record: &Value) {
        self.refuse_rest(place);
        let usage = Usage::from_json(&record["usage"]);
        let model = self.model(place);
        let set = model.and_then(|model| self.prices.cost(model, &usage));
        let dollars = set.or(record["cost"].as_f64());
        let asked = record["toolCalls"].as_array().into_iter().flatten();
        let calls = asked.map(|call| self.asked(at, place, call)).collect();
        let index = self.entries.len();
        let text = |key: &str| record[key].as_str().map(str::to_owned);
        let reply = Reply {
            id: text("id"),
            model: text("model"),
            since: std::mem::replace(&mut self.own(place).since, at),
            parts: parts_of("assistant", &record["content"]),
            finish_reason: record["finishReason"].as_str().unwrap_or("stop").to_owned(),
            usage,
            dollars,
            calls,
        };
        self.push(at, place, Step::Replied(Box::new(reply)));
        self.own(place).last_reply = Some(index);
    }

    fn asked(&mut self, at: u64, place: &str, call: &Value) -> usize {
        let text = |key: &str| call[key].as_str().unwrap_or_default();
        let asked = ToolCall::new(text("id"), text("tool"), text("argsText"));
        let agent = self.agent_at(place);
        let target = agent.and_then(|agent| called_tool(agent, &asked));
        let asked = target.unwrap_or(asked);
        let (id, tool) = (id_from(place, asked.id()), asked.tool().to_owned());
        let attempts = self.own(place).attempts.entry(tool.clone()).or_default();
        *attempts += 1;
        let attempt = *attempts;
        let earlier = self.ids.insert(id.clone(), self.calls.len());
        if earlier.is_some() && !id.is_empty() {
            // An earlier call has the same id. The answer of the agent that it called is not the answer of this call. A
            // damaged journal may have any number of calls with one id, and each would get a copy of the answer.
            self.runs.remove(&id);
        }
        self.calls.push(RecordedCall {
            id,
            tool,
            arguments: asked.args_text().to_owned(),
            state: ASKED,
            outcome: None,
            times: None,
            attempt,
            taint: Taint::Clean,
            guarded: None,
            asked: at,
            begun: None,
        });
        self.calls.len() - 1
    }

    /// Gives an outcome to the calls of the last reply that were never begun. The model was asked again, so they were
    /// refused, and a refusal has no record of its own.
    fn refuse_rest(&mut self, place: &str) {
        let Some((index, rest)) = self.rest(place) else {
            return;
        };
        let at = self.entries[index].at;
        let mut refused = Vec::with_capacity(rest.len());
        for call in rest {
            let outcome = self.found(place, &self.calls[call]);
            self.calls[call].outcome = Some(outcome.unwrap_or_else(|| {
                let reason = self.refusal(place, &self.calls[call]);
                Outcome::Error("validation".to_owned(), reason)
            }));
            refused.push(Entry {
                at,
                place: place.to_owned(),
                step: Step::Called(call),
            });
        }
        let count = refused.len();
        if count == 0 {
            return;
        }
        // The refused calls are inserted together, because a reply may have any number of them.
        self.entries.splice(index + 1..index + 1, refused);
        for own in self.runs.values_mut() {
            own.last_reply = own.last_reply.map(|last| match last > index {
                true => last + count,
                false => last,
            });
        }
    }

    /// Returns the index of the last reply, and the indexes of its calls that were never begun.
    fn rest(&self, place: &str) -> Option<(usize, Vec<usize>)> {
        let index = self.runs.get(place)?.last_reply?;
        let Step::Replied(reply) = &self.entries.get(index)?.step else {
            return None;
        };
        let calls = reply.calls.iter().copied();
        let is_rest = |call: &usize| {
            let call = &self.calls[*call];
            call.outcome.is_none() && call.state == ASKED
        };
        Some((index, calls.filter(is_rest).collect()))
    }

    /// Returns the result of a call that searched for tools, which has no record of its own.
    fn found(&self, place: &str, call: &RecordedCall) -> Option<Outcome> {
        let call = ToolCall::new("", &call.tool, &call.arguments);
        let found = search_result(self.agent_at(place)?, &call)?.ok()?;
        Some(Outcome::Result(
            Value::String(found).to_string(),
            Vec::new(),
        ))
    }

    /// Returns the reason for which a call was refused.
    fn refusal(&self, place: &str, call: &RecordedCall) -> String {
        let agent = self.agent_at(place);
        let tool = agent.and_then(|agent| agent.all_tools().find(|tool| tool.name() == call.tool));
        match tool {
            Some(AgentTool::Spec(spec)) => {
                match spec.signature().check_arguments(&call.arguments, None) {
                    Err(violations) => format!("the arguments were refused: {violations}"),
                    Ok(_) => "the call was refused".to_owned(),
                }
            }
            None if agent.is_some() && call.tool.starts_with(ANSWER) => {
                "the answer was refused".to_owned()
            }
            None if agent.is_some() => "the agent has no such tool".to_owned(),
            _ => "the call was refused".to_owned(),
        }
    }

    /// Takes the typed answer of a run that has ended, which is a call without a result.
    fn take_answer(&mut self, place: &str) {
        let Some((index, rest)) = self.rest(place) else {
            return;
        };
        let mut answers = rest.iter();
        let Some(answer) = answers.find(|call| self.calls[**call].tool.starts_with(ANSWER)) else {
            return;
        };
        let arguments = std::mem::take(&mut self.calls[*answer].arguments);
        self.calls[*answer].outcome = Some(Outcome::Ended);
        if let Step::Replied(reply) = &mut self.entries[index].step {
            reply.calls.retain(|call| call != answer);
            reply.parts.push(Part::Text(arguments));
        }
    }

    /// Notes the taint that a record has of the result of a call.
    fn taint(&mut self, id: &str, record: &Value) {
        let taint = record["taint"].as_str().and_then(Taint::of);
        if let (Some(taint), Some(call)) = (taint, self.call(id)) {
            call.taint = taint;
        }
    }

    fn finished(&mut self, at: u64, id: &str, outcome: Outcome) {
        let Some(index) = self.ids.get(id).copied() else {
            return;
        };
        let call = &mut self.calls[index];
        if call.outcome.is_some() {
            return;
        }
        let (tool, is_fine) = (call.tool.clone(), !matches!(outcome, Outcome::Error(..)));
        call.outcome = Some(outcome);
        call.times = call.begun.map(|begun| (begun, at));
        let place = caller_of(id).to_owned();
        let own = self.own(&place);
        own.since = at;
        if is_fine {
            own.attempts.remove(&tool);
        }
        self.push(at, &place, Step::Called(index));
    }

    /// Returns the result of an agent that was called: its last answer or error.
    fn outcome_of_agent(&self, place: &str) -> Outcome {
        let Some(own) = self.runs.get(place) else {
            return Outcome::Ended;
        };
        if let Some(error) = &own.last_error {
            return Outcome::Error("execution".to_owned(), error.clone());
        }
        let reply = own.last_reply.and_then(|index| self.entries.get(index));
        match reply.map(|entry| &entry.step) {
            Some(Step::Replied(reply)) => Outcome::Result(
                Value::String(text_of(&reply.parts)).to_string(),
                media_of(reply.parts.clone()),
            ),
            _ => Outcome::Ended,
        }
    }

    fn decided(&mut self, at: u64, record: &Value) {
        let text = |key: &str| record[key].as_str().map(str::to_owned);
        let (call, decision) = (text("call").unwrap_or_default(), text("decision"));
        let (decision, detail) = (decision.unwrap_or_default(), text("detail"));
        let of = self.ids.get(&call).copied();
        self.own(caller_of(&call)).since = at;
        if let Some(index) = of {
            let own = &mut self.calls[index];
            own.state = DECIDED;
            match decision.as_str() {
                "deny" => {
                    let reason = detail.clone().unwrap_or_else(|| "denied".to_owned());
                    own.outcome = Some(Outcome::Error("authorization".to_owned(), reason));
                }
                "unknown" => {
                    let text = "it is not known whether the call was made".to_owned();
                    own.outcome = Some(Outcome::Error("execution".to_owned(), text));
                }
                "done" => {
                    let result = detail.as_deref().unwrap_or_default();
                    let result = serde_json::from_str(result).unwrap_or(Value::Null);
                    let result = result.to_string();
                    own.outcome = Some(Outcome::Result(result, Vec::new()));
                }
                "edit" => own.arguments = detail.clone().unwrap_or_default(),
                _ => {}
            }
        }
        let step = Step::Decided(Decided {
            call,
            decision,
            detail,
            of,
        });
        self.push(at, "", step);
    }

    fn failed(&mut self, at: u64, place: &str, error: &Value, since: Option<u64>) {
        let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
        let (kind, text) = (text("kind"), text("text"));
        let own = self.own(place);
        // The error of the last request is also the error of the run, and is added once.
        if own.last_error.as_ref() != Some(&text) {
            own.last_error = Some(text.clone());
            self.push(at, place, Step::Failed(Failure { kind, text, since }));
        }
    }

    fn push(&mut self, at: u64, place: &str, step: Step) {
        if matches!(step, Step::Replied(_)) {
            self.own(place).last_error = None;
        }
        self.entries.push(Entry {
            at,
            place: place.to_owned(),
            step,
        });
    }

    fn own(&mut self, place: &str) -> &mut OwnRun {
        let (ids, calls) = (&self.ids, &self.calls);
        self.runs.entry(place.to_owned()).or_insert_with(|| {
            // An agent begins when it is asked for, unless hooks are called before.
            let call = ids.get(place).map(|index| &calls[*index]);
            OwnRun {
                since: call.map_or(0, |call| call.begun.unwrap_or(call.asked)),
                ..OwnRun::default()
            }
        })
    }

    fn call(&mut self, id: &str) -> Option<&mut RecordedCall> {
        self.calls.get_mut(*self.ids.get(id)?)
    }

    /// Returns the agent of a run.
    pub fn agent_at(&self, place: &str) -> Option<&Agent> {
        let agent = self.agent.as_ref()?;
        let Some(call) = self.ids.get(place) else {
            return place.is_empty().then_some(agent);
        };
        let name = &self.calls[*call].tool;
        let mut agents = agent.agents().into_iter();
        agents.find(|agent| agent.name() == name)
    }

    /// Returns the names of the agents that lead to a run, joined by `/`. Long names are cut, because each step has them.
    pub fn path(&self, place: &str) -> String {
        let mut names = Vec::new();
        let mut place = place;
        while let Some(call) = self.ids.get(place) {
            names.push(name(&self.calls[*call].tool));
            place = caller_of(place);
        }
        names.push(name(self.agent.as_ref().map_or("", Agent::name)));
        names.reverse();
        names.join("/")
    }

    /// Returns the model that answers in a run: the agent's model, or after n failed requests the n-th
    /// fallback model.
    pub fn model(&self, place: &str) -> Option<&Model> {
        let agent = self.agent_at(place)?;
        let failed = self.runs.get(place).map_or(0, |own| own.failed_requests);
        match failed.checked_sub(1) {
            None => Some(agent.model()),
            Some(index) => agent.settings().fallback.get(index),
        }
    }
}

fn at(record: &Value) -> u64 {
    record["at"].as_u64().unwrap_or_default()
}

/// Returns the id of a call from the first run on: the ids that lead to its run, and its own.
fn id_from(place: &str, id: &str) -> String {
    match place {
        "" => id.to_owned(),
        place => format!("{place}/{id}"),
    }
}

/// Returns the place of the run that makes a call.
pub fn caller_of(id: &str) -> &str {
    id.rsplit_once('/').map_or("", |(place, _)| place)
}

fn outcome_of(outcome: &Value) -> Outcome {
    let result = &outcome["result"];
    if let Value::Object(error) = &result["error"] {
        let text = |key: &str| {
            let text = error.get(key).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        return Outcome::Error(text("kind"), text("text"));
    }
    match result.get("value") {
        Some(value) => {
            let parts = parts_of("assistant", &outcome["parts"]);
            Outcome::Result(value.to_string(), media_of(parts))
        }
        None => Outcome::Ended,
    }
}

/// Reads the parts of the content of a message.
fn parts_of(role: &str, content: &Value) -> Vec<Part> {
    if content.is_null() {
        return Vec::new();
    }
    let message = json!([{"role": role, "content": content}]);
    match Conversation::from_json(&message) {
        Ok(conversation) => {
            let messages = conversation.messages().iter();
            messages
                .flat_map(|message| message.parts().to_vec())
                .collect()
        }
        // A journal of another program, or of a later version.
        Err(_) => {
            let parts = content.as_array().into_iter().flatten();
            let texts = parts.filter_map(|part| part["text"].as_str());
            let text: String = content.as_str().into_iter().chain(texts).collect();
            vec![Part::Text(text)]
        }
    }
}

/// Joins the texts of parts.
pub fn text_of(parts: &[Part]) -> String {
    parts.iter().filter_map(Part::as_text).collect()
}

fn media_of(mut parts: Vec<Part>) -> Vec<Part> {
    parts.retain(|part| part.media().is_some());
    parts
}
