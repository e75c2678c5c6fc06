//! The echo of the terminal, which is off while an answer is under way.
//!
//! A terminal shows typed characters at the cursor, and begins a new row at Enter. If this happens within a
//! text of a model, the rest of the text begins in the first column, where only the lines of the command
//! begin. So typed characters are not shown until the command reads them; a shell or the line editor then
//! shows them.

#[cfg(not(unix))]
pub(crate) use other::{EchoOff, restore_echo, was_stopped};
#[cfg(unix)]
pub(crate) use unix::{EchoOff, restore_echo, was_stopped};

#[cfg(unix)]
mod unix {
    use rustix::process::getpgrp;
    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};
    use signal_hook::consts::{SIGCONT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;
    use std::io::{self, IsTerminal};
    use std::process::exit;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Once, PoisonError};

    /// The state of the terminal, if the command has changed it.
    static CHANGED: Mutex<Option<Changed>> = Mutex::new(None);

    /// Whether the command was continued after it was stopped, as by Ctrl-Z.
    static CONTINUED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

    /// Whether the command was stopped since the last call, so that a shell wrote to the terminal since.
    pub(crate) fn was_stopped() -> bool {
        CONTINUED.swap(false, Ordering::Relaxed)
    }

    struct Changed {
        /// The modes before the change.
        before: Termios,
        /// Whether the echo is off now.
        is_off: bool,
    }

    fn changed() -> MutexGuard<'static, Option<Changed>> {
        CHANGED.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn echo_modes() -> LocalModes {
        LocalModes::ECHO | LocalModes::ECHONL
    }

    /// Keeps the echo of the terminal off until it is dropped.
    pub(crate) struct EchoOff(());

    impl EchoOff {
        /// Turns the echo off, if standard output is a terminal and the command is in its foreground.
        ///
        /// Ctrl-C must not end the program while the echo is off.
        pub(crate) fn new() -> Self {
            turn_off();
            Self(())
        }

        /// Turns the echo on until the returned value is dropped.
        pub(crate) fn pause(&self) -> EchoOn {
            turn_on(&mut changed());
            EchoOn(())
        }
    }

    impl Drop for EchoOff {
        fn drop(&mut self) {
            restore_echo();
        }
    }

    /// Keeps the echo of the terminal on until it is dropped.
    pub(crate) struct EchoOn(());

    impl Drop for EchoOn {
        fn drop(&mut self) {
            turn_off();
        }
    }

    /// Restores the echo. A program that exits without dropping its values calls this function first.
    pub(crate) fn restore_echo() {
        let mut changed = changed();
        turn_on(&mut changed);
        *changed = None;
    }

    fn turn_on(changed: &mut Option<Changed>) {
        if let Some(changed) = changed
            && std::mem::take(&mut changed.is_off)
        {
            let echo = changed.before.local_modes & echo_modes();
            change(|modes| modes.local_modes |= echo);
        }
    }

    fn turn_off() {
        static WATCH: Once = Once::new();
        if is_ours() {
            WATCH.call_once(watch_signals);
        }
        let mut changed = changed();
        if let Some(now) = change(|modes| modes.local_modes -= echo_modes()) {
            let before = changed.take().map_or(now, |changed| changed.before);
            let is_off = true;
            *changed = Some(Changed { before, is_off });
        }
    }

    /// Whether standard output is a terminal that has this program in its foreground. A terminal stops a
    /// program in its background that changes the modes.
    fn is_ours() -> bool {
        let terminal = io::stdout();
        terminal.is_terminal() && tcgetpgrp(&terminal) == Ok(getpgrp())
    }

    /// Changes the modes of the terminal, and returns the modes before the change. `None` if the terminal
    /// cannot be changed.
    fn change(change: impl FnOnce(&mut Termios)) -> Option<Termios> {
        if !is_ours() {
            return None;
        }
        let terminal = io::stdout();
        let saved = tcgetattr(&terminal).ok()?;
        let mut modes = saved.clone();
        change(&mut modes);
        // The change does not wait for the output, because the user may have stopped the output with Ctrl-S.
        tcsetattr(&terminal, OptionalActions::Now, &modes).ok()?;
        Some(saved)
    }

    /// Starts the thread that restores the terminal before a signal ends the program. The thread is separate,
    /// because the main thread may wait for a write.
    fn watch_signals() {
        // The handler itself sets the flag, because the output continues before a thread could set the flag.
        // If this fails, a text continues where the shell left the cursor.
        let _ = signal_hook::flag::register(SIGCONT, Arc::clone(&CONTINUED));
        // If this fails, the signals end the program as usual.
        let Ok(mut signals) = Signals::new([SIGTERM, SIGQUIT, SIGCONT]) else {
            return;
        };
        std::thread::spawn(move || {
            for signal in signals.forever() {
                match signal {
                    // After Ctrl-Z, the shell has set its own modes. The line editor sets its modes itself.
                    SIGCONT => {
                        let is_off = changed().as_ref().is_some_and(|changed| changed.is_off);
                        if is_off {
                            turn_off();
                        }
                    }
                    ends => {
                        // The lock is kept, so that the main thread changes nothing before the end.
                        let mut changed = changed();
                        if let Some(changed) = changed.take() {
                            // All modes are restored, because the line editor has changed others, too.
                            change(|modes| *modes = changed.before);
                        }
                        // The exit code that shells use for programs that a signal ends.
                        exit(128 + ends);
                    }
                }
            }
        });
    }
}

#[cfg(not(unix))]
mod other {
    /// A placeholder for the echo of the terminal, which stays on.
    pub(crate) struct EchoOff(());

    impl EchoOff {
        /// Leaves the echo on.
        pub(crate) fn new() -> Self {
            Self(())
        }

        /// Leaves the echo on.
        pub(crate) fn pause(&self) -> Self {
            Self(())
        }
    }

    /// Does nothing. Its uses are those of the echo that is off until it is dropped.
    impl Drop for EchoOff {
        fn drop(&mut self) {}
    }

    /// Leaves the echo on.
    pub(crate) fn restore_echo() {}

    /// Returns `false`: no shell has stopped the command.
    pub(crate) fn was_stopped() -> bool {
        false
    }
}
