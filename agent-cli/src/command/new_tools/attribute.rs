//! Attributes, laid out as rustfmt does it.

use super::literal::Literal;
use super::width::{LINE, width_of};

/// The widest list of several settings that stands on one line.
const WIDEST: usize = 70;

/// `word` or `word = value`.
pub(super) struct Setting {
    word: &'static str,
    value: Literal,
}

/// Settings of one attribute.
#[derive(Default)]
pub(super) struct Settings(Vec<Setting>);

impl Settings {
    /// Adds a setting.
    pub(super) fn add(&mut self, word: &'static str, value: Literal) {
        self.0.push(Setting { word, value });
    }

    /// Adds a setting, if there is one.
    pub(super) fn add_if(&mut self, word: &'static str, value: Option<Literal>) {
        if let Some(value) = value {
            self.add(word, value);
        }
    }

    /// Adds these settings at the end.
    pub(super) fn extend(&mut self, more: Settings) {
        self.0.extend(more.0);
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The lines of `#[name(…)]`, without the indentation that they will have; none when there are
    /// no settings.
    pub(super) fn lines(&self, name: &str, indent: usize) -> Vec<String> {
        let texts: Vec<String> = self.0.iter().map(Setting::text).collect();
        let list = texts.join(", ");
        let line = format!("#[{name}({list})]");
        let fits = match self.0.as_slice() {
            [] => return Vec::new(),
            // Inside an item, rustfmt keeps a place for the comma.
            [only] if only.value.is_plain => {
                indent + width_of(&line) + usize::from(indent > 0) <= LINE
            }
            _ => width_of(&list) <= WIDEST,
        };
        if fits {
            vec![line]
        } else {
            self.many_lines(name)
        }
    }

    /// The same on two lines at least, as it must be before a parameter that has no place beside
    /// it: rustfmt would break the parameter's type. Nothing when rustfmt allows no such layout.
    pub(super) fn several_lines(&self, name: &str, indent: usize) -> Option<Vec<String>> {
        let lines = self.lines(name, indent);
        if lines.len() != 1 {
            return Some(lines);
        }
        if self.0.iter().any(|setting| !setting.value.is_plain) {
            return Some(self.many_lines(name));
        }
        let (first, rest) = self.0.split_first().filter(|(_, rest)| !rest.is_empty())?;
        let rest: Vec<String> = rest.iter().map(Setting::text).collect();
        Some(vec![
            format!("#[{name}({})]", first.text()),
            format!("#[{name}({})]", rest.join(", ")),
        ])
    }

    /// A line for each setting.
    fn many_lines(&self, name: &str) -> Vec<String> {
        let mut lines = vec![format!("#[{name}(")];
        for (at, setting) in self.0.iter().enumerate() {
            let comma = if at + 1 == self.0.len() { "" } else { "," };
            let text = setting.text();
            match &setting.value.items {
                Some(items) if width_of(&text) > WIDEST => {
                    lines.push(format!("    {} = [", setting.word));
                    lines.extend(items.iter().map(|item| format!("        {item},")));
                    lines.push(format!("    ]{comma}"));
                }
                _ => lines.push(format!("    {text}{comma}")),
            }
        }
        lines.push(")]".to_owned());
        lines
    }
}

impl Setting {
    fn text(&self) -> String {
        format!("{} = {}", self.word, self.value.text)
    }
}
