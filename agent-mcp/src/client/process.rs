//! The process of a server: its environment, its pipes and its end.

use crate::lines::Lines;
use agent_runtime::__private::shortened;
use agent_runtime::redact::Redactor;
use agent_spec::terminal;
use process_wrap::tokio::{ChildWrapper, CommandWrap};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::watch;
use tokio::time::timeout;

/// The variables of the host's environment that every server gets, as the SDKs of the protocol define them. They are
/// needed to start most programs, and hold no keys.
#[cfg(not(windows))]
const INHERITED: &[&str] = &["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];
#[cfg(windows)]
const INHERITED: &[&str] = &[
    "APPDATA",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "USERNAME",
    "USERPROFILE",
];

/// The time that a server has to end after its input was closed, and again after it was asked to end.
const GRACE: Duration = Duration::from_millis(500);

/// The maximum number of bytes of a line of standard error in the trace.
const ERROR_LINE: usize = 4 << 10;

/// The number of last lines of standard error that an error quotes.
const QUOTED_LINES: usize = 3;

/// The maximum number of bytes of a line of standard error that an error quotes.
const QUOTED_LINE: usize = 300;

/// The command that starts a server.
#[derive(Clone)]
pub(crate) struct Command {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) variables: Vec<(OsString, OsString)>,
    pub(crate) folder: Option<PathBuf>,
}

/// A server's process. Dropping it kills the process and the processes that it started.
pub(crate) struct Process {
    child: Box<dyn ChildWrapper>,
    end: End,
    redactor: Redactor,
    is_stopped: bool,
}

/// The pipes to a process.
pub(crate) struct Pipes {
    pub(crate) input: ChildStdin,
    pub(crate) output: ChildStdout,
}

impl Process {
    /// Starts a server, whose lines and end are recorded in `end`.
    pub(crate) fn start(
        server: &Arc<str>,
        command: &Command,
        redactor: &Redactor,
        mut end: End,
    ) -> io::Result<(Self, Pipes, End)> {
        let mut child = with_group(built(command)).spawn()?;
        let missing = || io::Error::other("a pipe to the process is missing");
        let input = child.stdin().take().ok_or_else(missing)?;
        let output = child.stdout().take().ok_or_else(missing)?;
        let errors = child.stderr().take().ok_or_else(missing)?;
        let (logging, logged) = watch::channel(());
        *end.lock() = Ending::default();
        end.logged = Some(logged);
        let log = Log {
            server: Arc::clone(server),
            redactor: redactor.clone(),
            ending: Arc::clone(&end.ending),
            _logging: logging,
        };
        tokio::spawn(log.lines_of(errors));
        let process = Self {
            child,
            end: end.clone(),
            redactor: redactor.clone(),
            is_stopped: false,
        };
        Ok((process, Pipes { input, output }, end))
    }

    /// Records a line of standard output that is no message. The first one is kept for errors.
    pub(crate) fn record_other_line(&self, line: &[u8]) {
        let mut ending = self.end.lock();
        if ending.other_line.is_none() {
            let text = String::from_utf8_lossy(line);
            let text = terminal::line(&self.redactor.log_text(&text), ERROR_LINE);
            ending.other_line = (!text.trim().is_empty()).then(|| shortened(&text, QUOTED_LINE));
        }
    }

    /// Waits for the process, whose input is closed. If it takes too long, the process and the processes that it started are
    /// ended.
    pub(crate) async fn stop(&mut self) {
        let mut status = self.wait().await;
        #[cfg(unix)]
        if status.is_none() {
            const SIGTERM: i32 = 15;
            // The process may have ended in the meantime.
            let _ = self.child.signal(SIGTERM);
            status = self.wait().await;
        }
        // Processes that the server started may still run.
        let _ = self.child.start_kill();
        if status.is_none() {
            status = self.wait().await;
        }
        self.is_stopped = true;
        if let Some(status) = status {
            self.end.lock().status = Some(status.to_string());
        }
    }

    /// Waits for the end of the process, for a bounded time.
    pub(crate) async fn wait(&mut self) -> Option<ExitStatus> {
        timeout(GRACE, self.child.wait()).await.ok()?.ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.is_stopped {
            return;
        }
        if let Ok(Some(status)) = self.child.try_wait() {
            self.end.lock().status = Some(status.to_string());
        }
        // The server may have ended already, but not the processes that it started.
        let _ = self.child.start_kill();
    }
}

fn built(command: &Command) -> tokio::process::Command {
    let mut built = tokio::process::Command::new(&command.program);
    built.args(&command.arguments).env_clear();
    for name in INHERITED {
        if let Some(value) = std::env::var_os(name) {
            // Shells export functions as variables, which would be code for the server.
            if !value.as_encoded_bytes().starts_with(b"()") {
                built.env(name, value);
            }
        }
    }
    built.envs(command.variables.iter().map(|(name, value)| (name, value)));
    if let Some(folder) = &command.folder {
        built.current_dir(folder);
    }
    built
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Reaps the process after it was killed.
        .kill_on_drop(true);
    built
}

/// Puts a process into a group with the processes that it starts, so that all of them can be ended.
fn with_group(command: tokio::process::Command) -> CommandWrap {
    let mut command = CommandWrap::from(command);
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessGroup::leader());
    #[cfg(windows)]
    command.wrap(process_wrap::tokio::JobObject);
    command
}

/// The end of a process. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct End {
    ending: Arc<Mutex<Ending>>,
    /// Closed when the standard error was read to its end.
    logged: Option<watch::Receiver<()>>,
}

#[derive(Default)]
struct Ending {
    status: Option<String>,
    /// The first line of standard output that is no message.
    other_line: Option<String>,
    /// The last lines of standard error.
    last_lines: VecDeque<String>,
}

impl End {
    fn lock(&self) -> MutexGuard<'_, Ending> {
        lock(&self.ending)
    }

    /// Waits until the last lines of a process that has ended were read. The wait is bounded, because a
    /// process that left the group may keep the pipe open.
    pub(crate) async fn settle(&self) {
        if let Some(mut logged) = self.logged.clone() {
            // Nothing is sent; the channel only closes.
            let _ = timeout(GRACE, logged.changed()).await;
        }
    }

    /// Returns the exit status, a line that is no message and the last lines of standard error in words for an error, or an
    /// empty text.
    pub(crate) fn words(&self) -> String {
        let ending = self.lock();
        let mut words = String::new();
        if let Some(status) = &ending.status {
            words.push_str(&format!(" ({status})"));
        }
        if let Some(line) = &ending.other_line {
            words.push_str(&format!(
                "; it wrote to its standard output, which is for messages of MCP only: {line}"
            ));
        }
        if !ending.last_lines.is_empty() {
            let lines: Vec<&str> = ending.last_lines.iter().map(String::as_str).collect();
            let lines = lines.join(" / ");
            words.push_str(&format!("; its standard error ends with: {lines}"));
        }
        words
    }
}

fn lock(ending: &Mutex<Ending>) -> MutexGuard<'_, Ending> {
    ending.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a server's standard error into the trace.
struct Log {
    server: Arc<str>,
    redactor: Redactor,
    ending: Arc<Mutex<Ending>>,
    _logging: watch::Sender<()>,
}

impl Log {
    async fn lines_of(self, errors: ChildStderr) {
        let mut lines = Lines::new(errors, ERROR_LINE);
        while let Ok(Some(line)) = lines.next().await {
            let text = String::from_utf8_lossy(line.bytes);
            let text = terminal::line(&self.redactor.log_text(&text), ERROR_LINE);
            if text.trim().is_empty() {
                continue;
            }
            tracing::debug!(target: "agent_mcp", server = &*self.server, "{text}");
            let mut ending = lock(&self.ending);
            ending.last_lines.push_back(shortened(&text, QUOTED_LINE));
            if ending.last_lines.len() > QUOTED_LINES {
                ending.last_lines.pop_front();
            }
        }
    }
}
