//! The thread that checks documents, so that requests are answered during a long check.

use super::client::ClientCapabilities;
use super::config::ServerConfig;
use super::diagnostics::diagnostics_params;
use super::documents::Snapshot;
use super::loaded_tools::{LoadedTools, OpenTexts, ToolFileChange};
use crossbeam_channel::{Receiver, Sender, bounded};
use gen_lsp_types::PublishDiagnosticsParams;
use std::io;
use std::sync::Arc;
use std::thread;

/// A job for the thread.
pub(super) enum Job {
    /// Check a document.
    Check {
        document: Snapshot,
        tools: LoadedTools,
        client: ClientCapabilities,
    },
    /// Read the tool files again.
    ReloadTools {
        tools: LoadedTools,
        open: OpenTexts,
        change: ToolFileChange,
    },
}

/// The result of a [`Job`].
pub(super) enum JobResult {
    /// The diagnostics of a document, to be sent if the document is still open.
    Diagnostics {
        document: Snapshot,
        params: PublishDiagnosticsParams,
    },
    /// The tools after a change of the tool files.
    Tools {
        tools: LoadedTools,
        change: ToolFileChange,
    },
}

impl Job {
    fn run(self, config: &ServerConfig) -> JobResult {
        match self {
            Self::Check {
                document,
                tools,
                client,
            } => JobResult::Diagnostics {
                params: diagnostics_params(&document, &tools, config, &client),
                document,
            },
            Self::ReloadTools {
                tools,
                open,
                change,
            } => JobResult::Tools {
                tools: tools.reload(config, &open, change),
                change,
            },
        }
    }
}

/// The thread, which runs one job at a time.
pub(super) struct Checker {
    jobs: Sender<Job>,
    results: Receiver<JobResult>,
    is_busy: bool,
}

impl Checker {
    /// Starts the thread.
    ///
    /// # Errors
    /// Returns an error if the system cannot start a thread.
    pub(super) fn start(config: Arc<ServerConfig>) -> io::Result<Self> {
        let (jobs, job_receiver) = bounded::<Job>(1);
        let (result_sender, results) = bounded(1);
        thread::Builder::new()
            .name("lsp-checker".to_owned())
            .spawn(move || {
                for job in job_receiver {
                    if result_sender.send(job.run(&config)).is_err() {
                        return;
                    }
                }
            })?;
        Ok(Self {
            jobs,
            results,
            is_busy: false,
        })
    }

    /// Returns the channel of the results, which is disconnected if the thread panics.
    pub(super) fn results(&self) -> &Receiver<JobResult> {
        &self.results
    }

    /// Returns whether there is a job whose result was not received.
    pub(super) fn is_busy(&self) -> bool {
        self.is_busy
    }

    /// Starts a job. The checker must not be busy.
    pub(super) fn start_job(&mut self, job: Job) {
        self.is_busy = self.jobs.send(job).is_ok();
    }

    /// Marks the result of the job as received.
    pub(super) fn finish_job(&mut self) {
        self.is_busy = false;
    }
}
