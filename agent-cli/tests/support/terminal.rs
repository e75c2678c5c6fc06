//! A terminal in which the command runs.

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use std::io::{Read as _, Write as _};
use std::process::Child;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// The time limit for a text to appear. It is long, because only a failing test waits for it, and the
/// machine may be busy with other tests.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal in which the command runs.
pub struct Terminal {
    pty: Arc<Pty>,
    child: Child,
    screen: Arc<Screen>,
    /// The length of the output that has been matched.
    seen: usize,
}

#[derive(Default)]
struct Screen {
    /// The output so far, and whether it has ended.
    written: Mutex<(Vec<u8>, bool)>,
    changed: Condvar,
}

impl Terminal {
    /// Runs a command in a terminal of 80 columns.
    pub fn start(command: std::process::Command) -> Self {
        let (pty, pts) = open().expect("a terminal");
        pty.resize(Size::new(24, 80)).expect("a size");
        // The program may turn the echo off before anybody looks again.
        assert!(has_echo(&pty), "a new terminal shows what is typed");
        let child = Command::from(command)
            .spawn(pts)
            .expect("the command starts");
        let pty = Arc::new(pty);
        let screen = Arc::new(Screen::default());
        let (from, to) = (Arc::clone(&pty), Arc::clone(&screen));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            loop {
                // Linux reports an error after the last program has closed the terminal.
                let read = (&*from).read(&mut bytes).unwrap_or(0);
                let mut written = to.written.lock().expect("the screen");
                written.0.extend_from_slice(&bytes[..read]);
                written.1 = read == 0;
                to.changed.notify_all();
                if read == 0 {
                    return;
                }
            }
        });
        Self {
            pty,
            child,
            screen,
            seen: 0,
        }
    }

    /// Waits until a text appears after the last match, and returns the output before it.
    pub fn wait_for(&mut self, text: &str) -> String {
        let until = Instant::now() + PATIENCE;
        let mut written = self.screen.written.lock().expect("the screen");
        loop {
            let new = &written.0[self.seen..];
            let at = new.windows(text.len()).position(|w| w == text.as_bytes());
            if let Some(at) = at {
                let before = String::from_utf8_lossy(&new[..at]).into_owned();
                self.seen += at + text.len();
                return before;
            }
            let left = until.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero() && !written.1,
                "{text:?} does not appear in {:?}",
                String::from_utf8_lossy(new)
            );
            written = self
                .screen
                .changed
                .wait_timeout(written, left)
                .expect("the screen")
                .0;
        }
    }

    /// Waits for the prompt, and until the editor accepts input.
    pub fn wait_for_prompt(&mut self) -> String {
        self.wait_for("💬 ")
    }

    /// Types a text.
    pub fn send(&mut self, text: &str) {
        (&*self.pty).write_all(text.as_bytes()).expect("a terminal");
    }

    /// Types a line.
    pub fn line(&mut self, text: &str) {
        self.send(text);
        self.send("\r");
    }

    /// Resizes the terminal.
    pub fn resize(&mut self, rows: u16, columns: u16) {
        let size = Size::new(rows, columns);
        self.pty.resize(size).expect("another size");
    }

    /// Whether the terminal shows what is typed.
    pub fn has_echo(&self) -> bool {
        has_echo(&self.pty)
    }

    /// Waits until the terminal shows what is typed, or no longer does.
    pub fn wait_for_echo(&self, is_on: bool) {
        let until = Instant::now() + PATIENCE;
        while self.has_echo() != is_on {
            assert!(Instant::now() < until, "the echo is not {is_on}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Lets the terminal show what is typed, as a shell does.
    pub fn turn_echo_on(&self) {
        let mut modes = tcgetattr(&*self.pty).expect("the modes");
        modes.local_modes |= LocalModes::ECHO;
        tcsetattr(&*self.pty, OptionalActions::Now, &modes).expect("other modes");
    }

    /// Sends a signal to the command.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("a running command");
    }

    /// Waits until the command ends, and returns its exit code, all its output, and whether the terminal shows what is
    /// typed then.
    pub fn end_with_echo(mut self) -> (Option<i32>, String, bool) {
        let code = self.wait();
        let has_echo = self.has_echo();
        let (_, shown) = self.end();
        (code, shown, has_echo)
    }

    /// Waits until the command ends, and returns its exit code and all its output.
    pub fn end(mut self) -> (Option<i32>, String) {
        let code = self.wait();
        let until = Instant::now() + PATIENCE;
        let mut written = self.screen.written.lock().expect("the screen");
        while !written.1 && Instant::now() < until {
            let waited = self.screen.changed.wait_timeout(written, PATIENCE);
            written = waited.expect("the screen").0;
        }
        drop(written);
        (code, self.written())
    }

    /// Waits until the command ends, and returns its exit code.
    fn wait(&mut self) -> Option<i32> {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status.code();
            }
            assert!(Instant::now() < until, "it goes on: {:?}", self.written());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn written(&self) -> String {
        let written = self.screen.written.lock().expect("the screen");
        String::from_utf8_lossy(&written.0).into_owned()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // After a failed test the command may still run.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn has_echo(pty: &Pty) -> bool {
    let modes = tcgetattr(pty).expect("the modes");
    modes.local_modes.contains(LocalModes::ECHO)
}
