//! The steps of two runs, side by side.

use agent_core::conversation::{Part, ToolCall};
use agent_core::event::Event;
use agent_core::response::ToolInvocation;
use agent_core::run::Run;
use agent_tool::tool::ToolError;
use serde_json::Value;
use std::collections::HashMap;

/// A step of a run that is replayed with a live model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReplayStep {
    /// The names of the agents that lead to the step, joined by `/`: `support/billing`.
    pub agent: String,
    /// The action.
    pub action: ReplayAction,
}

/// The action of a [`ReplayStep`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReplayAction {
    /// The model wrote this text.
    Text(String),
    /// The model called a tool, or an agent.
    #[non_exhaustive]
    Call {
        /// The name.
        tool: String,
        /// The arguments, as the model sent them. Text that is not JSON is a string.
        arguments: Value,
        /// The result; `None` if the run ended before.
        result: Option<Result<Value, ToolError>>,
    },
}

/// The side of a step in [`LiveReplay::steps`](super::LiveReplay::steps).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepSide {
    /// Both runs have the step.
    Both,
    /// Only the recorded run has the step.
    Recorded,
    /// Only the new run has the step.
    New,
}

/// Collects the steps of a run: texts and calls as the model sends them, and the results later.
#[derive(Default)]
pub(super) struct Steps {
    steps: Vec<ReplayStep>,
    /// The indexes of the calls without results, by the ids that lead to them.
    calls: HashMap<String, usize>,
    /// The number of results of each run that were collected, by its place.
    collected: HashMap<String, usize>,
}

impl Steps {
    /// Adds the reply of a model to the run at a place.
    pub(super) fn replied(&mut self, agent: &str, place: &str, parts: &[Part], calls: &[ToolCall]) {
        let text: String = parts.iter().filter_map(Part::as_text).collect();
        if !text.trim().is_empty() {
            self.add(agent, ReplayAction::Text(text));
        }
        for call in calls {
            self.calls
                .insert(path_of(place, call.id()), self.steps.len());
            let action = ReplayAction::Call {
                tool: call.tool().to_owned(),
                arguments: call.args(),
                result: None,
            };
            self.add(agent, action);
        }
    }

    fn add(&mut self, agent: &str, action: ReplayAction) {
        self.steps.push(ReplayStep {
            agent: agent.to_owned(),
            action,
        });
    }

    /// Adds the result of a call, whose id begins with the ids that lead to it.
    fn finished(&mut self, id: &str, invocation: &ToolInvocation) {
        let at = self.calls.remove(id);
        let step = at.and_then(|at| self.steps.get_mut(at));
        if let Some(step) = step
            && let ReplayAction::Call { result, .. } = &mut step.action
        {
            *result = Some(invocation.result.clone());
        }
    }

    /// Adds the results that a run and the runs that it called have got since the last call of this method.
    pub(super) fn collect(&mut self, run: &Run) {
        for (place, run) in run.runs() {
            let place = place.run.to_string();
            let invocations = run.invocations();
            let known = self.collected.insert(place.clone(), invocations.len());
            for invocation in invocations.iter().skip(known.unwrap_or_default()) {
                self.finished(&path_of(&place, &invocation.call_id), invocation);
            }
        }
    }

    /// Adds an event of a run, whose own agent has this name.
    pub(super) fn event(&mut self, agent: &str, event: &Event) {
        match event {
            Event::Nested {
                path,
                call_id,
                event,
                ..
            } => self.event_at(path, call_id, event),
            event => self.event_at(agent, "", event),
        }
    }

    fn event_at(&mut self, agent: &str, place: &str, event: &Event) {
        match event {
            Event::ModelReplied { parts, calls, .. } => self.replied(agent, place, parts, calls),
            // The id of a nested call begins with the ids that lead to it.
            Event::ToolFinished { invocation, .. } => {
                self.finished(&invocation.call_id, invocation)
            }
            _ => {}
        }
    }

    pub(super) fn into_steps(self) -> Vec<ReplayStep> {
        self.steps
    }
}

fn path_of(place: &str, id: &str) -> String {
    match place {
        "" => id.to_owned(),
        place => format!("{place}/{id}"),
    }
}

/// Compares two steps. The first agents of the runs may have other names.
fn is_same(one: &ReplayStep, other: &ReplayStep) -> bool {
    fn below(step: &ReplayStep) -> Option<&str> {
        step.agent.split_once('/').map(|(_, below)| below)
    }
    one.action == other.action && below(one) == below(other)
}

/// Puts the steps of two runs into one list. It has as many common steps as possible.
pub(super) fn side_by_side<'s>(
    recorded: &'s [ReplayStep],
    new: &'s [ReplayStep],
) -> Vec<(StepSide, &'s ReplayStep)> {
    let pairs = recorded.iter().zip(new);
    let before = pairs.take_while(|(one, other)| is_same(one, other)).count();
    let (same, recorded) = recorded.split_at(before);
    let new = &new[before..];
    let both = |step| (StepSide::Both, step);
    let mut list: Vec<_> = same.iter().map(both).collect();
    let width = new.len() + 1;
    // The number of common steps from each pair of places on.
    let mut common = vec![0_u32; (recorded.len() + 1) * width];
    for one in (0..recorded.len()).rev() {
        for other in (0..new.len()).rev() {
            common[one * width + other] = match is_same(&recorded[one], &new[other]) {
                true => common[(one + 1) * width + other + 1] + 1,
                false => common[(one + 1) * width + other].max(common[one * width + other + 1]),
            };
        }
    }
    let (mut one, mut other) = (0, 0);
    while let (Some(ours), Some(theirs)) = (recorded.get(one), new.get(other)) {
        if is_same(ours, theirs) {
            list.push(both(ours));
            (one, other) = (one + 1, other + 1);
        } else if common[(one + 1) * width + other] >= common[one * width + other + 1] {
            list.push((StepSide::Recorded, ours));
            one += 1;
        } else {
            list.push((StepSide::New, theirs));
            other += 1;
        }
    }
    list.extend(
        recorded[one..]
            .iter()
            .map(|step| (StepSide::Recorded, step)),
    );
    list.extend(new[other..].iter().map(|step| (StepSide::New, step)));
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(texts: &str) -> Vec<ReplayStep> {
        let step = |text: char| ReplayStep {
            agent: "a".to_owned(),
            action: ReplayAction::Text(text.to_string()),
        };
        texts.chars().map(step).collect()
    }

    #[test]
    fn common_steps_are_found() {
        for (recorded, new, expected) in [
            ("", "", ""),
            ("ab", "ab", "=a=b"),
            ("", "ab", "+a+b"),
            ("abc", "axc", "=a-b+x=c"),
            ("abcd", "bd", "-a=b-c=d"),
            ("ab", "cd", "-a-b+c+d"),
        ] {
            let (recorded, new) = (steps(recorded), steps(new));
            let list = side_by_side(&recorded, &new).into_iter();
            let shown: String = list
                .map(|(side, step)| {
                    let mark = match side {
                        StepSide::Both => '=',
                        StepSide::Recorded => '-',
                        StepSide::New => '+',
                    };
                    match &step.action {
                        ReplayAction::Text(text) => format!("{mark}{text}"),
                        ReplayAction::Call { .. } => String::new(),
                    }
                })
                .collect();
            assert_eq!(shown, expected);
        }
    }
}
