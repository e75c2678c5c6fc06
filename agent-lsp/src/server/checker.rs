//! The thread that makes findings, so that answers need not wait for those of a long document.

use super::ServerConfig;
use super::client::Client;
use super::diagnostics::publication;
use super::documents::Snapshot;
use super::loaded_tools::{Known, OpenTexts};
use crossbeam_channel::{Receiver, Sender, bounded};
use gen_lsp_types::PublishDiagnosticsParams;
use std::io;
use std::sync::Arc;
use std::thread;

/// What is to be done.
pub(super) enum Job {
    /// A document is to be checked.
    Check {
        document: Snapshot,
        known: Known,
        client: Client,
    },
    /// The files of `--tools` are to be read again.
    Tools {
        known: Known,
        open: OpenTexts,
        change: ToolChange,
    },
}

/// What became of the files of `--tools`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ToolChange {
    /// One is being edited. Until its text has no errors, what was known before counts.
    Typed,
    /// One was written, or is gone. Until what is open has no errors, what is written counts.
    Written,
}

/// What came of a job.
pub(super) enum Made {
    /// What was found in a document.
    Findings(Findings),
    /// What the files of `--tools` say now.
    Tools { known: Known, change: ToolChange },
}

/// What is wrong with a document.
pub(super) struct Findings {
    /// What was checked.
    pub(super) document: Snapshot,
    /// What to send, if it is still open.
    pub(super) publication: PublishDiagnosticsParams,
}

impl Job {
    /// Does it.
    pub(super) fn run(self, config: &ServerConfig) -> Made {
        match self {
            Self::Check {
                document,
                known,
                client,
            } => Made::Findings(Findings {
                publication: publication(&document, &known, config, &client),
                document,
            }),
            Self::Tools {
                known,
                open,
                change,
            } => {
                let typed = known.read_again(config, &open);
                let known = match change {
                    _ if typed.trouble.is_none() => typed,
                    ToolChange::Typed => known,
                    ToolChange::Written => known.read_again(config, &OpenTexts::new()),
                };
                Made::Tools { known, change }
            }
        }
    }
}

/// The thread. It does one job at a time.
pub(super) struct Checker {
    jobs: Sender<Job>,
    /// What comes of the jobs. It is disconnected when the thread has panicked.
    pub(super) results: Receiver<Made>,
    is_busy: bool,
}

impl Checker {
    /// Starts the thread.
    ///
    /// # Errors
    /// When there is none to be had.
    pub(super) fn start(config: Arc<ServerConfig>) -> io::Result<Self> {
        let (jobs, received_jobs) = bounded::<Job>(1);
        let (made, results) = bounded(1);
        thread::Builder::new()
            .name("lsp-checker".to_owned())
            .spawn(move || {
                for job in received_jobs {
                    if made.send(job.run(&config)).is_err() {
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

    /// Whether the result of its job was not received.
    pub(super) fn is_busy(&self) -> bool {
        self.is_busy
    }

    /// Gives it a job, when it has none.
    pub(super) fn begin(&mut self, job: Job) {
        self.is_busy = self.jobs.send(job).is_ok();
    }

    /// Takes note that the result was received.
    pub(super) fn done(&mut self) {
        self.is_busy = false;
    }
}
