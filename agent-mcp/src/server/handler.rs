//! The requests of clients.

#[cfg(feature = "server-http")]
use super::answering::Answering;
use super::call::{Caller, Ended, OfferedCall, Step, refused};
use super::content::{failed, json_length};
use super::offered::Offered;
use super::paused::{self, Binding, Start};
use super::seal::Seals;
use super::user::{Answer, Question, Round, can_elicit};
use super::waiting::{Waiting, WaitingCalls};
use super::{Approvals, Server, Settings};
use crate::rmcp_workarounds::wrong_params;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams,
    ClientCapabilities, ClientResult, CreateTaskResult, CustomRequest, CustomResult,
    DiscoverResult, ElicitResult, ErrorCode, ErrorData, GetTaskParams, GetTaskResult,
    Implementation, InputRequest, InputResponses, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProgressToken, ProtocolVersion, ServerCapabilities, ServerConfig,
    ServerRequest, Tool as Listed, UpdateTaskParams,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use rmcp::{RoleServer, ServerHandler};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time for which a task runs at most, and for which its result is kept.
const TASK_TIME: Duration = Duration::from_secs(3600);

/// The maximum number of tasks that run at the same time. Further calls are made as calls.
const TASKS: usize = 1000;

/// The handler of requests. Several connections can share it.
pub(super) struct Handler {
    config: ServerConfig,
    /// The tools, in the order of their names.
    offered: BTreeMap<String, Arc<Offered>>,
    settings: Settings,
    seals: Arc<Seals>,
    waiting: WaitingCalls,
    tasks: TaskManager,
    /// The callers of the tasks, and the times at which they began.
    task_owners: Mutex<HashMap<String, (Option<String>, Instant)>>,
}

impl Handler {
    pub(super) fn new(
        server: &Server,
        offered: BTreeMap<String, Arc<Offered>>,
        seals: Seals,
    ) -> Self {
        let mut capabilities = ServerCapabilities::builder().enable_tools().build();
        if offered.values().any(|tool| tool.as_agent().is_some()) {
            let tasks = ServerCapabilities::builder().enable_tasks().build();
            capabilities.extensions = tasks.extensions;
        }
        let mut config = ServerConfig::new(capabilities);
        config.server_info = Implementation::new(&server.name, &server.version);
        config.instructions.clone_from(&server.instructions);
        Self {
            config,
            offered,
            settings: server.settings.clone(),
            seals: Arc::new(seals),
            waiting: WaitingCalls::new(server.settings.time_to_live),
            tasks: TaskManager::new(),
            task_owners: Mutex::default(),
        }
    }

    /// Cancels the tasks, and the calls that wait for their users.
    pub(super) fn end(&self) {
        self.tasks.shutdown();
        self.waiting.clear();
    }

    /// Continues a call until it ends or its user must be asked. `given` are answers that the client sent
    /// without a handle, such as those of a call that it begins anew. They answer the first questions, if
    /// they fit. An approval is never among them, because the keys of questions about approvals are new in
    /// each call.
    async fn drive(
        &self,
        mut call: OfferedCall,
        is_current: bool,
        mut given: Option<InputResponses>,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut progress = context.meta.get_progress_token().map(|token| Progress {
            peer: context.peer.clone(),
            token,
            steps: 0,
        });
        loop {
            let step = tokio::select! {
                biased;
                () = context.ct.cancelled() => {
                    return Err(ErrorData::internal_error("the call was cancelled", None));
                }
                step = call.next() => step,
            };
            match step {
                Step::Ends(Ended::Output(output)) => {
                    let reserved = reserve(|| output.length(), context).await;
                    let result = reserved.map(|()| output.result(is_current));
                    return Ok(result.unwrap_or_else(|refused| refused).into());
                }
                Step::Ends(Ended::Failed(result)) => {
                    let reserved = reserve(|| json_length(&result), context).await;
                    return Ok(reserved.map_or_else(|refused| refused, |()| result).into());
                }
                Step::Ends(Ended::Pauses(required)) => return Ok(required.into()),
                Step::Ends(Ended::Refused(error)) => return Err(error),
                Step::Reports(text) => {
                    if let Some(progress) = &mut progress {
                        progress.send(text).await;
                    }
                }
                Step::Asks(round) if is_current => {
                    let Some(answers) = read_answers(&round.questions, given.take()) else {
                        return Ok(self.wait(call, round));
                    };
                    let _ = round.answers.send(answers);
                }
                Step::Asks(round) => {
                    let mut answers = Vec::new();
                    for question in &round.questions {
                        answers.push(self.elicit(&context.peer, question).await);
                    }
                    let _ = round.answers.send(answers);
                }
            }
        }
    }

    /// Keeps a call in memory until its client calls again with the answers.
    fn wait(&self, call: OfferedCall, round: Round) -> CallToolResponse {
        let questions = round.questions.clone();
        match self.waiting.keep(Waiting { call, round }) {
            Some(handle) => paused::required(&questions, handle).into(),
            None => failed(
                "the call was denied: too many calls wait for the answers of their users"
                    .to_owned(),
            )
            .into(),
        }
    }

    /// Asks the user of a client of an earlier revision.
    async fn elicit(&self, peer: &Peer<RoleServer>, question: &Question) -> Answer {
        let asked = peer.send_request(ServerRequest::ElicitRequest(question.request()));
        match tokio::time::timeout(self.settings.time_to_live, asked).await {
            Ok(Ok(ClientResult::ElicitResult(answer))) => {
                question.read(answer).unwrap_or(Answer::Cancelled)
            }
            _ => Answer::Cancelled,
        }
    }

    /// Begins a call as a task.
    fn begin_task(&self, call: OfferedCall, is_current: bool) -> CreateTaskResult {
        let time = u64::try_from(TASK_TIME.as_millis()).unwrap_or(u64::MAX);
        let options = TaskOptions::new().with_ttl_ms(time);
        let time_to_live = self.settings.time_to_live;
        let caller = call.binding().caller.clone();
        let spawned = self.tasks.spawn(options, |task| {
            Box::pin(drive_task(call, is_current, task, time_to_live))
        });
        let mut owners = self.task_owners();
        // A task is kept for its time twice: while it runs, and after it has ended.
        owners.retain(|_, (_, begun)| begun.elapsed() < 2 * TASK_TIME + Duration::from_secs(60));
        owners.insert(spawned.task_id.clone(), (caller, Instant::now()));
        CreateTaskResult::new(spawned)
    }

    /// Checks that a task belongs to the caller of a request. A caller that only knows the id gets the same
    /// error as for a task that does not exist.
    fn check_owner(
        &self,
        task: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let owners = self.task_owners();
        match owners
            .get(task)
            .is_none_or(|(owner, _)| *owner == caller(context))
        {
            true => Ok(()),
            false => Err(unknown_task(task)),
        }
    }

    fn task_owners(&self) -> MutexGuard<'_, HashMap<String, (Option<String>, Instant)>> {
        self.task_owners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn unknown_task(task: &str) -> ErrorData {
    ErrorData::invalid_params(format!("unknown task: {task}"), None)
}

/// Waits until there is memory for an answer of this many bytes.
///
/// # Errors
/// The result to return instead, if there is no memory.
async fn reserve(
    bytes: impl FnOnce() -> usize,
    context: &RequestContext<RoleServer>,
) -> Result<(), CallToolResult> {
    #[cfg(feature = "server-http")]
    if let Some(answering) = answering(context) {
        let reserved = tokio::select! {
            biased;
            () = context.ct.cancelled() => return Err(failed("the call was cancelled".to_owned())),
            reserved = answering.reserve(bytes()) => reserved,
        };
        return reserved.map_err(|problem| failed(format!("the call was made, and {problem}")));
    }
    let _ = (bytes, context);
    Ok(())
}

/// Continues a call that is a task.
async fn drive_task(
    mut call: OfferedCall,
    is_current: bool,
    task: TaskContext,
    time_to_live: Duration,
) -> Result<CallToolResult, TaskExit> {
    // A key may not be used twice in a task.
    let mut asked = 0;
    loop {
        let step = tokio::select! {
            biased;
            () = task.cancelled() => return Err(TaskExit::Cancelled),
            step = call.next() => step,
        };
        match step {
            Step::Ends(Ended::Output(output)) => return Ok(output.result(is_current)),
            Step::Ends(Ended::Failed(result)) => return Ok(result),
            // A task waits for its user, and never begins with a state.
            Step::Ends(_) => return Err(ErrorData::internal_error("the task ended", None).into()),
            Step::Reports(text) => task.set_status_message(text),
            Step::Asks(round) => {
                let mut answers = Vec::new();
                for question in &round.questions {
                    asked += 1;
                    let key = format!("{asked}_{}", question.key);
                    let request = InputRequest::Elicitation(question.request());
                    let input = task.request_input(key, request);
                    let answer = match tokio::time::timeout(time_to_live, input).await {
                        Ok(answer) => serde_json::from_value(answer?).ok(),
                        Err(_) => None,
                    };
                    let answer = answer.and_then(|answer| question.read(answer));
                    answers.push(answer.unwrap_or(Answer::Cancelled));
                }
                let _ = round.answers.send(answers);
            }
        }
    }
}

/// The reports of progress that a client asked for.
struct Progress {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    steps: u32,
}

impl Progress {
    async fn send(&mut self, text: String) {
        self.steps += 1;
        let mut report = ProgressNotificationParam::new(self.token.clone(), f64::from(self.steps));
        report.message = Some(text);
        // A client that left gets no result either.
        let _ = self.peer.notify_progress(report).await;
    }
}

/// Returns the answers of a client to questions; `None` if one is missing or does not fit.
fn read_answers(questions: &[Question], given: Option<InputResponses>) -> Option<Vec<Answer>> {
    let mut given = given.unwrap_or_default();
    let answers = questions.iter().map(|question| {
        let answer = given.remove(&question.key)?;
        let answer: ElicitResult = serde_json::from_value(answer).ok()?;
        question.read(answer)
    });
    answers.collect()
}

fn is_current(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.config.clone()
    }

    fn get_tool(&self, name: &str) -> Option<Listed> {
        self.offered.get(name).map(|tool| tool.listed(true))
    }

    async fn discover(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let result = DiscoverResult::from_server_info(versions, self.get_info());
        Ok(result
            .with_ttl_ms(milliseconds(self.settings.cache))
            .with_cache_scope(CacheScope::Private))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            let text = "there is no such cursor, because the list of tools has one page";
            return Err(ErrorData::invalid_params(text, None));
        }
        let is_current = is_current(&context);
        let tools = self.offered.values().map(|tool| tool.listed(is_current));
        let mut result = ListToolsResult::with_all_items(tools.collect());
        if is_current {
            result.ttl_ms = Some(milliseconds(self.settings.cache));
            result.cache_scope = Some(CacheScope::Private);
        }
        Ok(result)
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(offered) = self.offered.get(&*request.name) else {
            let name: String = request.name.chars().take(100).collect();
            let text =
                format!("there is no tool `{name}`; `tools/list` has the names of the tools");
            return Err(ErrorData::invalid_params(text, None));
        };
        let is_current = is_current(&context);
        let arguments = serde_json::Value::Object(request.arguments.unwrap_or_default());
        let arguments = arguments.to_string();
        let binding = Binding {
            tool: request.name.into_owned(),
            arguments,
            caller: caller(&context),
        };
        let capabilities = context.client_capabilities();
        let can_answer = can_elicit(capabilities.as_ref());
        let asks_client = matches!(self.settings.approvals, Approvals::Client);
        let mut start = Start::New;
        let is_answer = request.request_state.is_some();
        if let Some(state) = request.request_state {
            if let Some(Waiting { call, round }) = self.waiting.take(&state, &binding) {
                let Some(answers) = read_answers(&round.questions, request.input_responses) else {
                    // The questions are asked again.
                    return Ok(self.wait(call, round));
                };
                let _ = round.answers.send(answers);
                return self.drive(call, is_current, None, &context).await;
            }
            let answers = request.input_responses.take();
            let found = Start::read(&state, answers, &binding, &self.seals);
            // If the host approves calls, a client decides nothing, not even with a state that another server
            // sealed.
            start = found.filter(|_| asks_client).ok_or_else(refused)?;
        } else if is_current && !can_answer && asks_client && offered.requires_approval() {
            // This revision requires this error, so that the client learns which capability to declare.
            let needed = ClientCapabilities::builder().enable_elicitation().build();
            return Err(ErrorData::missing_required_client_capability(needed));
        }
        let takes_tasks = capabilities.is_some_and(|capabilities| capabilities.supports_tasks());
        let is_task = takes_tasks
            && !is_answer
            && offered.as_agent().is_some()
            && self.tasks.running_task_count() < TASKS;
        let caller = Caller {
            can_answer,
            can_call_again: is_current && !is_task,
        };
        let call = OfferedCall::new(
            Arc::clone(offered),
            binding,
            start,
            &self.settings,
            &self.seals,
            &caller,
        );
        if is_task {
            return Ok(self.begin_task(call, is_current).into());
        }
        let given = request.input_responses;
        self.drive(call, is_current, given, &context).await
    }

    /// Answers a request that rmcp could not read: its method is unknown, or its parameters have other types.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let wrong = wrong_params::wrong(&request.method, request.params.as_ref());
        Err(wrong
            .unwrap_or_else(|| ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None)))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.check_owner(&request.task_id, &context)?;
        let task = self.tasks.get_task(&request.task_id)?;
        if reserve(|| json_length(&task), &context).await.is_err() {
            let text = "the answers to other requests take too much memory; ask for the task later";
            return Err(ErrorData::internal_error(text, None));
        }
        Ok(GetTaskResult::new(task))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.check_owner(&request.task_id, &context)?;
        self.tasks
            .update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.check_owner(&request.task_id, &context)?;
        self.tasks.cancel_task(&request.task_id)
    }
}

/// The name of a caller, as the check of its token returned it. It is an extension of the request.
#[cfg(feature = "server-http")]
#[derive(Clone, PartialEq)]
pub(super) struct CallerName(pub(super) String);

/// Returns the name of the caller, if the check of its token returned one.
#[cfg(feature = "server-http")]
fn caller(context: &RequestContext<RoleServer>) -> Option<String> {
    let parts = context.extensions.get::<hyper::http::request::Parts>()?;
    let caller = parts.extensions.get::<CallerName>()?;
    Some(caller.0.clone())
}

/// Returns the place and the memory that a request over HTTP has taken.
#[cfg(feature = "server-http")]
fn answering(context: &RequestContext<RoleServer>) -> Option<&Answering> {
    let parts = context.extensions.get::<hyper::http::request::Parts>()?;
    parts.extensions.get::<Answering>()
}

/// Returns `None`, because only requests over HTTP have tokens.
#[cfg(not(feature = "server-http"))]
fn caller(_context: &RequestContext<RoleServer>) -> Option<String> {
    None
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
