//! The runs of the agents that a run calls: the beginning and the end of each.

use super::hooks::after_call;
use super::scope::Scope;
use super::tool_calls::CallOutcome;
use super::{Driver, Task, TaskOutcome, Tasks, spans};
use crate::event::Event;
use crate::hook::RunContext;
use crate::run::record::RunRecord;
use crate::run::{AgentRun, Place, Run, caller_and_id, leads_to};
use agent_tool::__private::KeptMedia;
use agent_tool::tool::ToolError;
use serde_json::Value;
use std::sync::Arc;

impl<'a> Driver<'a, '_> {
    /// Opens a scope for each agent that has none. With `is_first`, this includes the agents that have ended
    /// and whose callers have not taken the results: they are closed at once.
    pub(super) fn open_agents(&mut self, run: &Run, is_first: bool) {
        if !run.has_agents() {
            return;
        }
        for (place, agent) in run.runs().skip(1) {
            let is_due = is_first || !agent.is_over();
            if is_due && !self.scopes.contains_key(&*place.run) {
                self.open_agent(run, place, agent);
            }
        }
    }

    fn open_agent(&mut self, run: &Run, place: &Place, agent: &AgentRun) {
        let (above, id) = caller_and_id(&place.run);
        let (Some(caller), Some(above)) = (run.run_at(above), self.scopes.get(above)) else {
            return;
        };
        let Some((_, mut call)) = caller.call_made(id) else {
            return;
        };
        above.shared.place.locate(&mut call);
        // With hooks, the call was reported when the hooks were called.
        if !self.results.contains_key(&*place.run) {
            let event = Event::ToolStarted { call: call.clone() };
            self.observers.notify_with(|| above.shared.event(event));
        }
        let outer = &above.shared.context;
        let context = RunContext {
            path: place.path.to_string(),
            run_id: agent.id().to_owned(),
            agent: agent.shared_agent(),
            conversation_id: outer.conversation_id.clone(),
            extensions: outer.extensions.clone(),
            permissions: match &agent.agent().settings().grants {
                Some(grants) => outer.permissions.clone().narrowed(grants),
                None => outer.permissions.clone(),
            },
            usage_limits: outer.usage_limits,
        };
        let tool = above.shared.tools.get(&call.tool);
        let description = tool.map_or("", |tool| tool.spec().description());
        let redactor = self.config.trace_redactor.as_ref();
        let attempt = caller.attempt(&call.tool);
        let call_operation =
            above.within(|| spans::execute_tool(&call, description, attempt, redactor));
        let provider = agent.agent().model().provider();
        let operation = call_operation.span().in_scope(|| {
            let conversation = context.conversation_id.as_deref();
            spans::invoke_agent(agent, place, provider, conversation)
        });
        spans::record_output_type(&operation, agent.is_typed());
        let limits = tool.map(|tool| {
            let own = tool.tool().descriptor().settings().timeout;
            own.into_iter().chain(tool.spec().timeout())
        });
        let limit = limits.and_then(Iterator::min);
        let operations = (operation, call_operation);
        let host = |shared| self.host(shared);
        let scope = Scope::new(agent, place, context, Some(operations), limit, host);
        self.scopes.insert(Arc::clone(&place.run), Box::new(scope));
    }

    /// Begins the runs of the agents whose calls the hooks allowed.
    pub(super) fn begin_passed_agents(&mut self, run: &mut Run) {
        let calls = self.results.iter();
        let passed = calls.filter_map(|(id, (call, _))| Some((id.clone(), call.take_passed()?)));
        for (call_id, arguments) in passed.collect::<Vec<_>>() {
            let (place, id) = caller_and_id(&call_id);
            self.end.record(|| RunRecord::AgentBegun {
                run: place.to_owned(),
                call: id.to_owned(),
                arguments: arguments.clone(),
            });
            if let Some(own) = run.run_at_mut(place) {
                own.change_arguments(id, arguments);
            }
            if let Err(error) = run.begin_agent(place, id)
                && let Some((call, _)) = self.results.get(&call_id)
            {
                call.end(Err(error));
            }
        }
    }

    /// Ends the runs of agents that have exceeded their time limits.
    pub(super) fn stop_late_agents(&mut self, run: &mut Run) {
        for (place, scope) in &self.scopes {
            if let Some(error) = scope.late()
                && run.run_at(place).is_some_and(|agent| !agent.is_over())
            {
                if let Some(recorder) = &mut self.end.recorder {
                    recorder.put(RunRecord::stopped(place, &error));
                }
                run.stop(place, error);
            }
        }
    }

    /// Passes the results of the agents that have ended to the runs that called them, the deepest first, and
    /// ends the requests and calls of these agents.
    pub(super) fn close_agents(&mut self, run: &mut Run, tasks: &mut Tasks<'a>) {
        let mut has_ended = false;
        // The results may end the runs that called the agents. Each search walks over all runs once, because
        // thousands of agents may be in progress.
        let going = loop {
            let (mut ended, going) = run.ended_agents();
            ended.retain(|place| self.scopes.contains_key(&**place));
            if ended.is_empty() {
                break going;
            }
            has_ended = true;
            for place in ended.iter().rev() {
                self.close_agent(run, place, tasks);
            }
        };
        // The run itself took the results of other agents.
        if self.scopes.len() > going + 1 {
            has_ended = true;
            let gone = self
                .scopes
                .keys()
                .filter(|place| run.run_at(place).is_none());
            for place in gone.cloned().collect::<Vec<_>>() {
                self.stop_within(&place, tasks);
                self.scopes.remove(&place);
            }
        }
        if has_ended || self.scopes.len() > 1 {
            run.enforce_limits();
        }
    }

    /// Ends the requests and calls of an agent that has ended, and of the agents that it called.
    fn stop_within(&mut self, place: &str, tasks: &mut Tasks<'a>) {
        tasks.retain(|task| !leads_to(place, &task.place.run));
        self.results
            .retain(|id, _| id == place || !leads_to(place, id));
        let below = self.scopes.range(Arc::from(format!("{place}/"))..);
        let below = below.map(|(run, _)| run);
        let below = below.take_while(|run| leads_to(place, run));
        for run in below.cloned().collect::<Vec<_>>() {
            self.scopes.remove(&run);
        }
    }

    /// Passes the result of an agent to the run that called it, unless that run has ended, too.
    fn close_agent(&mut self, run: &mut Run, place: &str, tasks: &mut Tasks<'a>) {
        self.stop_within(place, tasks);
        let Some(mut scope) = self.scopes.remove(place) else {
            return;
        };
        let Some(agent) = run.run_at(place) else {
            return;
        };
        let (caller, id) = caller_and_id(place);
        self.observers.report_invocations(agent, &scope);
        let waiting = self.results.get(place);
        let kept = waiting.map_or_else(KeptMedia::default, |(_, kept)| kept.clone());
        let result = agent.result(&kept);
        scope.close(agent, result.as_ref(), self.config.trace_redactor.as_ref());
        let Some(result) = result.filter(|_| run.run_at(caller).is_some()) else {
            return;
        };
        match waiting {
            Some((call, _)) => call.end(result),
            None if self.config.hooks.is_empty() => {
                if let Some(recorder) = &mut self.end.recorder {
                    recorder.put(RunRecord::AgentEnded {
                        run: place.to_owned(),
                        taint: run.taint_of_agent(place),
                    });
                }
                run.take_agent_result(place);
            }
            None => self.call_hooks_after(run, caller, id, (result, kept), tasks),
        }
    }

    /// Calls the hooks after an agent that began in an earlier drive of the run. That drive called the hooks
    /// before the agent.
    fn call_hooks_after(
        &self,
        run: &Run,
        caller: &str,
        id: &str,
        (result, kept): (Result<Value, ToolError>, KeptMedia),
        tasks: &mut Tasks<'a>,
    ) {
        let call = run.run_at(caller).and_then(|caller| caller.call_made(id));
        let (Some(scope), Some((_, mut call))) = (self.scopes.get(caller), call) else {
            return;
        };
        scope.shared.place.locate(&mut call);
        let Some(tool) = scope.shared.tools.get(&call.tool).cloned() else {
            return;
        };
        let (id, shared) = (id.to_owned(), Arc::clone(&scope.shared));
        let hooks = &*self.config.hooks;
        let work = async move {
            let hooked = after_call(hooks, &shared.context, &tool, &call, result).await;
            let outcome = CallOutcome { hooked, kept };
            TaskOutcome::Call { id, outcome }
        };
        tasks.push(Task::new(scope.shared.place.clone(), scope, work));
    }
}
