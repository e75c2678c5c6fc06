//! A line that shows that something is under way, and what.

use agent_lsp::terminal::sanitize;
use std::time::Instant;
use unicode_width::UnicodeWidthChar;

const FRAMES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// How many columns of a text are shown: what does not fit into a line cannot be taken back.
const COLUMNS: usize = 60;

/// Goes to the beginning of the line, and lets nothing that follows go on in the next.
const BEGIN: &str = "\r\u{1b}[?7l";

/// Clears what is left of the line before, and lets lines be as long as they are again.
const END: &str = "\u{1b}[K\u{1b}[?7h";

/// Something that is under way.
struct Task {
    /// The id of the call; the model has none.
    id: Option<String>,
    label: String,
    /// What it says of itself.
    note: Option<String>,
    since: Instant,
}

/// What is under way, as a line that moves.
#[derive(Default)]
pub(super) struct Spinner {
    tasks: Vec<Task>,
    frame: usize,
    is_shown: bool,
}

impl Spinner {
    /// Something begins: a call, or, without an id, what the model does.
    pub(super) fn begin(&mut self, id: Option<&str>, label: &str, now: Instant) {
        self.end(id);
        self.tasks.push(Task {
            id: id.map(str::to_owned),
            label: label.to_owned(),
            note: None,
            since: now,
        });
    }

    /// A call says how far it is.
    pub(super) fn note(&mut self, id: &str, text: &str) {
        let task = |task: &&mut Task| task.id.as_deref() == Some(id);
        if let Some(task) = self.tasks.iter_mut().find(task) {
            task.note = Some(text.to_owned());
        }
    }

    /// Something has ended.
    pub(super) fn end(&mut self, id: Option<&str>) {
        self.tasks.retain(|task| task.id.as_deref() != id);
    }

    /// Everything has ended.
    pub(super) fn end_all(&mut self) {
        self.tasks.clear();
    }

    /// What shows the line, or shows it anew a moment later; nothing when nothing is under way.
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

    /// Notes that the line is removed; says whether it is there. What is under way stays so, and can be
    /// drawn again.
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

/// The text on one line, as far as it fits.
fn cut(text: &str) -> String {
    let mut cut = String::new();
    let mut columns = 0;
    for c in sanitize(text).chars() {
        let c = if c.is_whitespace() { ' ' } else { c };
        columns += c.width().unwrap_or(0);
        if columns > COLUMNS {
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
    fn what_is_under_way_is_drawn_and_removed() {
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
    fn a_line_stays_one() {
        let shown = cut(&"数".repeat(COLUMNS));
        assert_eq!(shown, format!("{}…", "数".repeat(COLUMNS / 2)));
    }
}
