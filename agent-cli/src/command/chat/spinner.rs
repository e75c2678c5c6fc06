//! A line that shows the running request and calls.

use agent_spec::terminal;
use std::time::Instant;
use unicode_width::UnicodeWidthChar;

const FRAMES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// The maximum number of columns of the text, because a wrapped line cannot be cleared.
const MAX_COLUMNS: usize = 60;

/// The maximum number of characters of the text. Some characters have no width, such as accents and joiners, and a
/// model can write a name of megabytes of them.
const MAX_CHARACTERS: usize = 4 * MAX_COLUMNS;

/// Moves to the beginning of the line, and turns off wrapping.
const BEGIN: &str = "\r\u{1b}[?7l";

/// Clears the rest of the line, and turns on wrapping.
const END: &str = "\u{1b}[K\u{1b}[?7h";

/// A running request or call.
struct Task {
    /// The id of the call; `None` for a request to the model.
    id: Option<String>,
    label: String,
    /// The progress that the tool has reported.
    note: Option<String>,
    since: Instant,
}

/// The line about running tasks, which is redrawn.
#[derive(Default)]
pub(super) struct Spinner {
    tasks: Vec<Task>,
    frame: usize,
    is_shown: bool,
}

impl Spinner {
    /// Adds a call or, without an id, a request to the model.
    pub(super) fn begin(&mut self, id: Option<&str>, label: &str, now: Instant) {
        self.end(id);
        self.tasks.push(Task {
            id: id.map(str::to_owned),
            label: cut(label),
            note: None,
            since: now,
        });
    }

    /// Sets the progress of a call.
    pub(super) fn note(&mut self, id: &str, text: &str) {
        let task = |task: &&mut Task| task.id.as_deref() == Some(id);
        if let Some(task) = self.tasks.iter_mut().find(task) {
            task.note = Some(cut(text));
        }
    }

    /// Removes a task.
    pub(super) fn end(&mut self, id: Option<&str>) {
        self.tasks.retain(|task| task.id.as_deref() != id);
    }

    /// Removes all tasks.
    pub(super) fn end_all(&mut self) {
        self.tasks.clear();
    }

    /// Returns the next frame of the line with its escape sequences. `None` if there are no tasks.
    pub(super) fn draw(&mut self, now: Instant) -> Option<String> {
        let oldest = self.tasks.first()?;
        let seconds = now.saturating_duration_since(oldest.since).as_secs_f64();
        let labels: Vec<String> = self.tasks.iter().map(Task::text).collect();
        let label = cut(&labels.join(", "));
        let frame = FRAMES[self.frame % FRAMES.len()];
        self.frame = self.frame.wrapping_add(1);
        self.is_shown = true;
        Some(format!("{BEGIN}{frame} {label} · {seconds:.1} s{END}"))
    }

    /// Marks the line as cleared, and returns whether it was drawn. The tasks stay.
    pub(super) fn clear(&mut self) -> bool {
        std::mem::take(&mut self.is_shown)
    }
}

impl Task {
    fn text(&self) -> String {
        match &self.note {
            Some(note) => format!("{}: {note}", self.label),
            None => self.label.clone(),
        }
    }
}

/// Cuts a text to one line of limited width.
fn cut(text: &str) -> String {
    let mut cut = String::new();
    let mut columns = 0;
    for (at, c) in text.chars().enumerate() {
        let c = match c {
            c if c.is_whitespace() => ' ',
            c if terminal::controls_terminal(c) => '\u{fffd}',
            c => c,
        };
        columns += c.width().unwrap_or(0);
        if at == MAX_CHARACTERS || columns > MAX_COLUMNS {
            cut.push('…');
            break;
        }
        cut.push(c);
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn draws_running_tasks() {
        let mut spinner = Spinner::default();
        let begun = Instant::now();
        assert_eq!(spinner.draw(begun), None);
        assert!(!spinner.clear());
        spinner.begin(Some("1"), "search", begun);
        spinner.begin(Some("2"), "fetch", begun);
        spinner.note("2", "45 %\n\u{1b}[2J");
        let line = spinner.draw(begun + Duration::from_millis(1250));
        let expected = "⠋ search, fetch: 45 % \u{fffd}[2J · 1.2 s";
        assert_eq!(line, Some(format!("{BEGIN}{expected}{END}")));
        assert_eq!((spinner.clear(), spinner.clear()), (true, false));
        spinner.end(Some("1"));
        let line = spinner.draw(begun).expect("a line");
        assert!(line.contains("⠙ fetch"), "{line}");
        spinner.end_all();
        assert_eq!(spinner.draw(begun), None);
    }

    #[test]
    fn cuts_wide_texts() {
        let shown = cut(&"数".repeat(MAX_COLUMNS));
        assert_eq!(shown, format!("{}…", "数".repeat(MAX_COLUMNS / 2)));
    }

    #[test]
    fn cuts_texts_without_width() {
        let mut spinner = Spinner::default();
        let begun = Instant::now();
        let name = format!("x{}", "\u{301}".repeat(300_000));
        spinner.begin(Some("1"), &name, begun);
        spinner.note("1", &name);
        let line = spinner.draw(begun).expect("a line");
        assert!(line.len() < 1000, "{}", line.len());
        assert!(line.contains("x\u{301}") && line.contains('…'));
    }
}
