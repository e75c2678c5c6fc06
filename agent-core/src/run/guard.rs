//! The guard of calls that send, write or destroy, once words of strangers are in the conversation: `whenTainted`.

use super::agent_run::AgentRun;
use super::guarded::Guarded;
use super::state::{CallState, Outcome, Phase, TurnCall};
use crate::conversation::{Message, Role, Taint, worst};
use agent_effects::{Effect, TracedValues, WhenTainted, is_inert, is_inert_value};
use agent_spec::json::parse_json;
use agent_tool::__private::ToolRule;
use agent_tool::tool::ToolError;
use serde_json::Value;

/// The guard.
impl AgentRun {
    /// The state of the conversation of this run.
    pub(crate) fn taint(&self) -> Taint {
        worst(&self.state.history)
    }

    /// The taint that the result of an agent which this run called will bring in.
    pub(super) fn taint_from(&self, agent: &Self) -> Taint {
        let rule = self.tools.get(agent.agent().name());
        let is_inert = rule.is_some_and(|rule| is_inert(rule.spec.signature().returns().ty()));
        match (agent.taint(), is_inert) {
            (Taint::Clean, _) => Taint::Clean,
            (_, true) => Taint::Touched,
            (_, false) => Taint::Tainted,
        }
    }

    /// The taint of the result of a call that has finished and is not in the conversation yet.
    pub(super) fn taint_of_call(&self, id: &str) -> Taint {
        let Phase::Tools(turn) = &self.state.phase else {
            return Taint::Clean;
        };
        match turn.call(id).map(|call| (call, &call.state)) {
            Some((call, CallState::Finished(outcome))) => self.taint_of(call, outcome),
            _ => Taint::Clean,
        }
    }

    /// Returns the strictest of what the agent, the host and the agents that called this one say.
    pub(crate) fn when_tainted(&self) -> WhenTainted {
        let own = self.agent.settings().when_tainted.unwrap_or_default();
        own.max(self.host.when_tainted).max(self.state.when_tainted)
    }

    /// Returns the reason why a call is guarded, if it is. `arguments` are validated.
    pub(super) fn guarded(&self, tool: &str, arguments: &str) -> Option<Guarded> {
        if self.when_tainted() == WhenTainted::Allow {
            return None;
        }
        let rule = self.tools.get(tool)?;
        let mut effects = [Effect::Sends, Effect::Destructive, Effect::Writes].into_iter();
        let effect = match rule.is_agent {
            // An agent that is called is tainted from the start, and its own calls are guarded. But its provider fetches the
            // image whose address the model wrote, so that the address can carry any words out.
            true => passes_media(rule, arguments).then_some(Effect::Sends)?,
            false => effects.find(|effect| rule.effects.has(*effect))?,
        };
        let guarded = |message: &Message, argument| {
            let call = self.call_of(message);
            Guarded::new(message.taint(), effect, call, argument)
        };
        let mut history = self.state.history.iter();
        if let Some(message) = history.find(|message| message.taint() == Taint::Tainted) {
            return Some(guarded(message, None));
        }
        let arguments = parse_json(arguments).unwrap_or_default();
        let found = |content: &str| TracedValues::of_result(content).found_in(&arguments);
        let mut own = self.touched_messages();
        let own = own.find_map(|message| Some(guarded(message, Some(found(message.content())?))));
        own.or_else(|| {
            let mut passed = self.state.touched.iter();
            let argument = passed.find_map(|content| found(content))?;
            Some(Guarded::new(Taint::Touched, effect, None, Some(argument)))
        })
    }

    /// Returns the tool and the id of the call whose result a message is. A call through `callTool` counts as one of the tool
    /// that it stands for.
    fn call_of<'m>(&'m self, message: &'m Message) -> Option<(&'m str, &'m str)> {
        let id = message
            .call_id()
            .filter(|_| message.role() == Role::Function)?;
        let mut invocations = self.state.invocations.iter();
        let made = invocations
            .find(|made| made.call_id == id)
            .map(|made| &*made.tool);
        Some((made.or(message.name())?, id))
    }

    /// The results with values of strangers, and those of the agents that called this one.
    pub(crate) fn touched_results(&self) -> Vec<String> {
        let own = self.touched_messages();
        let own = own.map(|message| message.content().to_owned());
        self.state.touched.iter().cloned().chain(own).collect()
    }

    fn touched_messages(&self) -> impl Iterator<Item = &Message> {
        let history = self.state.history.iter();
        history.filter(|message| message.taint() == Taint::Touched)
    }

    /// The taint that a result brings into the conversation.
    pub(super) fn taint_of(&self, call: &TurnCall, outcome: &Outcome) -> Taint {
        let Some(rule) = self.tools.get(call.made().tool()) else {
            return Taint::Clean;
        };
        let is_untrusted = match rule.effects.is_unknown() && !rule.is_agent {
            // Tools that say nothing count as untrusted only while somebody asks.
            true => self.when_tainted() != WhenTainted::Allow,
            false => !rule.is_agent && rule.effects.has(Effect::Untrusted),
        };
        if !is_untrusted && call.inner_taint.is_clean() {
            return Taint::Clean;
        }
        match &outcome.result {
            // The tool was not called, so that the error is ours.
            Err(_) if outcome.arguments.is_none() => Taint::Clean,
            Err(ToolError::Timeout) => Taint::Clean,
            // The reason of an agent's failure is left out.
            Err(_) if rule.is_agent => Taint::Clean,
            Ok(value) if outcome.parts.is_empty() && has_no_words(rule, value) => Taint::Touched,
            // Also the answer of an agent that is only touched: values of strangers cannot be found in its words.
            _ => Taint::Tainted,
        }
    }
}

/// Whether the arguments of an agent have media that they name by an address or by the id of a file.
fn passes_media(rule: &ToolRule, arguments: &str) -> bool {
    let mut params = rule.spec.signature().params().iter();
    params.any(|param| param.ty().holds_media())
        && parse_json(arguments).is_ok_and(|value| names_media(&value))
}

/// Whether a value names media by an address, or by the id of a file at a provider.
fn names_media(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(names_media),
        Value::Object(members) => {
            let names_it = members.contains_key("url") || members.contains_key("fileId");
            names_it || members.values().any(names_media)
        }
        _ => false,
    }
}

/// Whether a result is of a type without words, and has none.
fn has_no_words(rule: &ToolRule, value: &Value) -> bool {
    let ty = rule.spec.signature().returns().ty();
    is_inert_value(ty, rule.spec.vocabulary(), value)
}
