//! The thread that makes findings, so that answers need not wait for those of a long document.

use super::Settings;
use super::client::Client;
use super::diagnostics::publication;
use super::documents::Snapshot;
use super::known::Known;
use super::transport::{End, Inbox};
use gen_lsp_types::PublishDiagnosticsParams;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// What is to be checked.
pub(super) struct Job {
    pub(super) document: Snapshot,
    pub(super) known: Known,
    pub(super) client: Client,
}

/// What came of a job.
pub(super) struct Findings {
    /// What was checked.
    pub(super) document: Snapshot,
    /// What to send, if it is still open.
    pub(super) publication: PublishDiagnosticsParams,
}

impl Job {
    /// Makes the findings.
    pub(super) fn run(self, settings: &Settings) -> Findings {
        Findings {
            publication: publication(&self.document, &self.known, settings, &self.client),
            document: self.document,
        }
    }
}

/// Ends the server when the thread panics: one that finds nothing any more looks as if all were well.
struct Alarm<'a>(&'a Inbox);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end(End::Lost("the check panicked".to_owned()));
        }
    }
}

/// The thread. It does one job at a time, and puts what comes of it into the inbox.
pub(super) struct Checker {
    jobs: SyncSender<Job>,
    is_busy: bool,
}

impl Checker {
    /// Starts the thread.
    ///
    /// # Errors
    /// When there is none to be had.
    pub(super) fn start(settings: Arc<Settings>, inbox: Arc<Inbox>) -> io::Result<Self> {
        let (jobs, taken) = sync_channel::<Job>(1);
        thread::Builder::new()
            .name("lsp-checker".to_owned())
            .spawn(move || {
                let _alarm = Alarm(&inbox);
                for job in taken {
                    inbox.put_findings(job.run(&settings));
                }
            })?;
        Ok(Self {
            jobs,
            is_busy: false,
        })
    }

    /// Whether its findings have not been taken from the inbox.
    pub(super) fn is_busy(&self) -> bool {
        self.is_busy
    }

    /// Gives it a job, when it has none.
    pub(super) fn begin(&mut self, job: Job) {
        self.is_busy = self.jobs.send(job).is_ok();
    }

    /// Takes note that its findings were taken.
    pub(super) fn done(&mut self) {
        self.is_busy = false;
    }
}
