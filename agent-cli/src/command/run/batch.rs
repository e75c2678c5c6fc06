//! `agent run --batch`: runs an agent on each line of a file.

mod progress;
mod record;

use super::execution::cancelled_by_ctrl_c;
use crate::batch_input::{self, BatchInput, Given};
use crate::outcome::{CommandError, Outcome, with_causes};
use crate::output::{error_to_stderr, to_stderr, warning_to_stderr};
use crate::provider::models_of;
use crate::saved_media::MediaFolder;
use crate::session::{ABOUT_DENIED, Session, UsageReport, denied_tool, host_variables, positive};
use agent_project::source::{self, is_stdin};
use agent_runtime::conversation::Part;
use agent_runtime::cost::Prices;
use agent_runtime::model::{FinishReason, ProviderLimits};
use agent_runtime::redact::Redactor;
use agent_runtime::runtime::{Input, RuntimeBuilder};
use agent_runtime::{Agent, AgentResponse, Error, Event, Runtime, ToolLibrary};
use progress::Progress;
use record::{Line, Record, State};
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The number of inputs at a time, unless `--concurrency` sets it.
const CONCURRENCY: usize = 8;

/// The maximum number of failed inputs that are shown. The output file has all of them.
const MAX_SHOWN: usize = 10;

/// The options of a batch.
#[derive(Debug, clap::Args)]
pub(super) struct BatchArgs {
    /// Run the agent on each line of this file; needs --output, and no messages. `-` is standard input
    #[arg(
        id = "batch",
        long,
        value_name = "FILE",
        requires = "output",
        conflicts_with_all = [
            "messages", "history", "conversation", "turns", "tokens", "stream", "format"
        ]
    )]
    pub(super) file: Option<PathBuf>,
    /// Add the result of each line of --batch to this file. Inputs with an answer there are not sent again
    #[arg(long, value_name = "FILE", requires = "batch")]
    output: Option<PathBuf>,
    /// Run at most N inputs of --batch at the same time; 8 by default
    #[arg(long, value_name = "N", value_parser = positive, requires = "batch")]
    concurrency: Option<u64>,
    /// Send at most N requests in any minute to each provider, retries included
    #[arg(long, value_name = "N", value_parser = positive, requires = "batch")]
    requests_per_minute: Option<u64>,
    /// Send at most N tokens in any minute to each provider, those of the answers included, by an estimate before
    /// the answer
    #[arg(long, value_name = "N", value_parser = positive, requires = "batch")]
    tokens_per_minute: Option<u64>,
}

impl BatchArgs {
    /// Sets the limits of the providers of an agent. Without numbers, the limits follow the answers of the
    /// providers. A provider that is not known gets no limits, because the error of its first run explains
    /// the problem.
    pub(super) fn limit(
        &self,
        agent: &Agent,
        mut runtime: RuntimeBuilder,
        is_known: impl Fn(&str) -> bool,
    ) -> RuntimeBuilder {
        let mut limits = ProviderLimits::new();
        if let Some(most) = self.requests_per_minute {
            limits = limits.requests_per_minute(most);
        }
        if let Some(most) = self.tokens_per_minute {
            limits = limits.tokens_per_minute(most);
        }
        for model in models_of(agent) {
            if is_known(model.provider()) {
                runtime = runtime.provider_limits(model.provider(), limits);
            }
        }
        runtime
    }

    /// Reads the inputs and opens the output file. If an input is wrong, prints an error and returns `None`.
    /// `given` are the names of the variables with values for all inputs, and `attached` the parts of all inputs.
    ///
    /// # Errors
    /// Returns an error if a file cannot be used.
    pub(super) fn prepare(
        &self,
        session: &Session,
        given: &[&str],
        attached: &[Part],
    ) -> Result<Option<Batch>, CommandError> {
        let (Some(file), Some(output)) = (&self.file, &self.output) else {
            return Ok(None);
        };
        let agent = &session.agent;
        let given = Given {
            agent,
            arguments: &session.arguments,
            variables: given,
            attached,
        };
        let Some(inputs) = batch_input::read(&source::read(file)?, &given) else {
            return Ok(None);
        };
        warn_about_unused(agent, &inputs);
        if is_stdin(output) {
            return Err(CommandError::new(
                "`--output -` is no file; the results need one, which records them. A file named `-` is `./-`",
            ));
        }
        let record = Record::open(output, &inputs)?;
        let concurrency = self.concurrency.map(usize::try_from);
        Ok(Some(Batch {
            inputs,
            record,
            output: output.clone(),
            concurrency: concurrency.map_or(CONCURRENCY, |most| most.unwrap_or(usize::MAX)),
        }))
    }
}

/// Warns about the first variable of an input that the instruction does not use.
fn warn_about_unused(agent: &Agent, inputs: &[BatchInput]) {
    let called = agent.agents();
    let all = std::iter::once(agent).chain(called.iter().copied());
    let used: HashSet<&str> = all.flat_map(host_variables).collect();
    let unused = inputs.iter().find_map(|input| {
        let mut names = input.variables.keys();
        let name = names.find(|name| !used.contains(name.as_str()))?;
        Some((input.line, name))
    });
    if let Some((line, name)) = unused {
        warning_to_stderr(&format!(
            "line {line} gives `{name}` a value, but the instruction of `{}` has no `{{{{{name}}}}}`",
            agent.name()
        ));
    }
}

/// The places for the images, documents and audio of answers.
pub(super) struct BatchMedia {
    /// The folder to which the media are written.
    pub(super) folder: Option<PathBuf>,
    /// Whether the lines have the bytes of the media.
    pub(super) in_lines: bool,
}

impl BatchMedia {
    /// Writes the media of an answer to the folder. Returns whether they could be written.
    fn save(&self, response: &AgentResponse) -> bool {
        let mut folder = MediaFolder::new(self.folder.clone());
        folder.save(&response.parts);
        !folder.has_failed()
    }

    /// Whether the bytes of answers are written nowhere.
    fn are_lost(&self) -> bool {
        self.folder.is_none() && !self.in_lines
    }
}

fn has_media(response: &AgentResponse) -> bool {
    let mut parts = response.parts.iter();
    parts.any(|part| part.media().is_some())
}

/// A batch that can be run.
pub(super) struct Batch {
    inputs: Vec<BatchInput>,
    record: Record,
    output: PathBuf,
    concurrency: usize,
}

impl Batch {
    /// Runs the inputs that have no answer, and records each result when its run ends.
    ///
    /// # Errors
    /// Returns an error if the configuration is wrong, or if the output file cannot be written to.
    pub(super) async fn run(
        mut self,
        runtime: &Runtime,
        agent: &Agent,
        library: &ToolLibrary,
        prices: Prices,
        media: BatchMedia,
    ) -> Result<Outcome, CommandError> {
        runtime.check(agent, library)?;
        let total = self.inputs.len();
        let mut open = self.open_inputs();
        let mut progress = Progress::new(total, total - open.len());
        let mut usage = BatchUsage::new(prices);
        let cancellation = cancelled_by_ctrl_c().await;
        let inputs = open
            .iter_mut()
            .map(|input| std::mem::take(&mut input.input));
        let inputs: Vec<Input> = inputs.collect();
        // The tools whose calls were denied, by the index of the input.
        let denied: Mutex<HashMap<usize, String>> = Mutex::default();
        let mut observer = |index: usize, event: &Event| {
            if let Some(tool) = denied_tool(event) {
                let mut denied = denied.lock().unwrap_or_else(PoisonError::into_inner);
                denied.insert(index, tool.to_owned());
            }
            usage.event(index, event);
        };
        let mut results = runtime
            .batch(agent, inputs)
            .tools(library)
            .concurrency(self.concurrency)
            .cancellation(cancellation.clone())
            .each_run(|index, mut run| {
                for (name, value) in &open[index].variables {
                    run = run.variable(name, value);
                }
                run.deny_without_approver()
            })
            .observer(&mut observer)
            .stream();
        let redactor = runtime.redactor();
        let mut ended = Ok(());
        let (mut is_saved, mut is_warned, mut has_denied_call) = (true, false, false);
        while let Some((index, result)) = results.next().await {
            let input = &open[index];
            match &result {
                // The input stays open, so that the next start sends it.
                Err(error) if error.is_cancelled() && cancellation.is_cancelled() => continue,
                Err(error) if error.is_configuration() => {
                    // Every other input would fail in the same way.
                    cancellation.cancel();
                    ended = Err(CommandError::new(with_causes(error)));
                    continue;
                }
                _ => {}
            }
            let mut with_data = media.in_lines;
            if let Ok(response) = &result
                && has_media(response)
            {
                if media.are_lost() && !std::mem::replace(&mut is_warned, true) {
                    warning_to_stderr(
                        "answers have images or other media, and the output has only their SHA-256; \
                         --save-media FOLDER writes them to files, and --media-data writes them to the output",
                    );
                }
                // The answer was paid for, and is not requested again. So its line keeps the bytes that no
                // file has.
                if !media.save(response) {
                    (is_saved, with_data) = (false, true);
                }
            }
            let mut line = line(input, &result, &redactor, with_data);
            let mut denied = denied.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(tool) = denied.remove(&index) {
                has_denied_call = true;
                // The error is added beside the answer, which was paid for. Because of the error, the next
                // start sends the input again.
                line.error.get_or_insert_with(|| {
                    redactor.text(&format!(
                        "a call of `{tool}` was denied, because it requires approval and nobody was asked"
                    ))
                });
            }
            drop(denied);
            if let Err(error) = self.record.write(&line) {
                // Further results could not be recorded.
                ended = Err(self.cannot_write(&error));
                break;
            }
            if let Some(error) = &line.error {
                report_failure(&progress, input, error);
            }
            progress.count(line.error.is_none());
        }
        drop(results);
        if ended.is_ok()
            && let Err(error) = self.record.sync()
        {
            ended = Err(self.cannot_write(&error));
        }
        progress.finish();
        if has_denied_call {
            to_stderr(ABOUT_DENIED);
        }
        usage.print();
        ended?;
        if cancellation.is_cancelled() {
            to_stderr("stopped; start it again to continue\n");
            return Ok(Outcome::Stopped);
        }
        Ok(Outcome::of_errors(progress.failed() > 0 || !is_saved))
    }

    /// Removes the inputs that have no answer from the batch, and returns them.
    fn open_inputs(&mut self) -> Vec<BatchInput> {
        let mut changed = 0;
        let record = &self.record;
        let inputs = std::mem::take(&mut self.inputs).into_iter();
        let open = inputs.filter(|input| {
            let state = record.state(&input.id, &input.hash);
            changed += usize::from(state == State::Changed);
            state != State::Answered
        });
        let open = open.collect();
        if changed > 0 {
            let output = shown(&self.output);
            warning_to_stderr(&format!(
                "inputs changed since `{output}` got their answers, {changed} in all; they are sent again"
            ));
        }
        open
    }

    fn cannot_write(&self, error: &io::Error) -> CommandError {
        let output = shown(&self.output);
        CommandError::new(format!(
            "cannot write to `{output}`: {error}; the results until then are there, and the next start sends \
             the other inputs"
        ))
    }
}

fn shown(path: &Path) -> String {
    agent_spec::terminal::line(&path.display().to_string(), 1000)
}

/// Returns the line for the output file. `with_data` is whether its parts have the bytes of media.
fn line(
    input: &BatchInput,
    result: &Result<AgentResponse, Error>,
    redactor: &Redactor,
    with_data: bool,
) -> Line {
    let (id, input_hash) = (input.id.clone(), Some(input.hash.clone()));
    match result {
        Ok(response) => Line {
            id,
            content: Some(redactor.text(&response.content)),
            parts: has_media(response).then(|| {
                let response = response.redacted(redactor);
                let mut json = match with_data {
                    true => response.to_json_with_data(),
                    false => response.to_json(),
                };
                json["parts"].take()
            }),
            finish_reason: match &response.finish_reason {
                FinishReason::Stop => None,
                reason => Some(redactor.text(reason.as_str())),
            },
            usage: Some(response.usage.to_json()),
            cost: response.cost,
            error: None,
            input_hash,
        },
        Err(error) => Line {
            id,
            error: Some(redactor.text(&with_causes(error))),
            input_hash,
            ..Line::default()
        },
    }
}

/// Prints the error of an input, unless many others have failed.
fn report_failure(progress: &Progress, input: &BatchInput, error: &str) {
    let text = match progress.failed() {
        MAX_SHOWN => "further errors are in the output file only".to_owned(),
        failed if failed > MAX_SHOWN => return,
        _ => {
            let (line, id) = (input.line, &input.id);
            let id = match *id == line.to_string() {
                true => String::new(),
                false => format!(" (`{id}`)"),
            };
            format!("line {line}{id}: {error}")
        }
    };
    error_to_stderr(&text);
}

/// The usage of all runs of a batch, including those that failed.
struct BatchUsage {
    all: UsageReport,
    prices: Prices,
    /// The usage of the runs in progress, by the index of the input.
    running: HashMap<usize, UsageReport>,
}

impl BatchUsage {
    fn new(prices: Prices) -> Self {
        Self {
            all: UsageReport::new(prices.clone()),
            prices,
            running: HashMap::new(),
        }
    }

    fn event(&mut self, index: usize, event: &Event) {
        let prices = &self.prices;
        let report = self.running.entry(index);
        let report = report.or_insert_with(|| UsageReport::new(prices.clone()));
        report.event(event);
        if let Event::Finished { .. } = event
            && let Some(report) = self.running.remove(&index)
        {
            self.all.add(&report);
        }
    }

    /// Prints the cost, if there are prices.
    fn print(mut self) {
        for report in self.running.values() {
            self.all.add(report);
        }
        if self.all.is_priced() {
            to_stderr(&format!("{}\n", self.all.line()));
        }
    }
}
