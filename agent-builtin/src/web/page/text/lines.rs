//! Laying text out in lines.

use super::kind::Kind;

/// Text in lines. Blanks are written before the next word only, so that none is left over.
#[derive(Default)]
pub(super) struct Lines {
    text: String,
    between: Between,
    /// How many elements are open whose blanks stay.
    preserved: usize,
}

/// What stands before the next word. What is later in this list wins.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Between {
    #[default]
    Nothing,
    Blank,
    Tab,
    LineEnd,
    EmptyLine,
}

impl Lines {
    pub(super) fn open(&mut self, kind: Kind) {
        match kind {
            Kind::Inline => {}
            Kind::Block => self.at_least(Between::LineEnd),
            Kind::Cell => self.at_least(Between::Tab),
            Kind::Preserved => {
                self.at_least(Between::LineEnd);
                self.preserved += 1;
            }
            Kind::Break => {
                self.at_least(match self.between {
                    Between::LineEnd => Between::EmptyLine,
                    _ => Between::LineEnd,
                });
            }
        }
    }

    pub(super) fn close(&mut self, kind: Kind) {
        match kind {
            Kind::Inline | Kind::Break => {}
            Kind::Block => self.at_least(Between::LineEnd),
            Kind::Cell => self.at_least(Between::Tab),
            Kind::Preserved => {
                self.at_least(Between::LineEnd);
                self.preserved = self.preserved.saturating_sub(1);
            }
        }
    }

    fn at_least(&mut self, between: Between) {
        self.between = self.between.max(between);
    }

    pub(super) fn write(&mut self, text: &str) {
        if self.preserved > 0 {
            return self.write_preserved(text);
        }
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if first.is_whitespace() {
                self.at_least(Between::Blank);
                rest = rest.trim_start();
                continue;
            }
            let (word, after) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
            self.word(word);
            rest = after;
        }
    }

    fn write_preserved(&mut self, text: &str) {
        let is_end = |c| matches!(c, '\n' | '\r');
        let inner = text.trim_start_matches(is_end);
        self.line_ends(&text[..text.len() - inner.len()]);
        let words = inner.trim_end_matches(is_end);
        if !words.is_empty() {
            self.word(words);
            self.line_ends(&inner[words.len()..]);
        }
    }

    /// Line ends at the edge of a preserved text, which may stand beside another break.
    fn line_ends(&mut self, ends: &str) {
        match ends.matches('\n').count() {
            0 => {}
            1 => self.at_least(Between::LineEnd),
            _ => self.at_least(Between::EmptyLine),
        }
    }

    fn word(&mut self, word: &str) {
        if !self.text.is_empty() {
            self.text.push_str(match self.between {
                Between::Nothing => "",
                Between::Blank => " ",
                Between::Tab => "\t",
                Between::LineEnd => "\n",
                Between::EmptyLine => "\n\n",
            });
        }
        self.between = Between::Nothing;
        self.text.push_str(word);
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}
