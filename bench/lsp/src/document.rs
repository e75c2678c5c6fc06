//! A long document with mistakes, and edits of it.

use serde_json::{Value, json};

/// How many tools an agent has.
const TOOLS: usize = 10;

/// One tool in so many is wrong.
const WRONG: usize = 100;

/// A document of about so many lines.
pub(crate) fn document(lines: usize) -> Vec<String> {
    let mut document = Vec::new();
    let mut tool = 0;
    for agent in 0.. {
        if document.len() >= lines {
            break;
        }
        document.push(format!("[agent{agent}:Agent {{"));
        document.push(format!("  description: \"The agent of number {agent}\","));
        document
            .push("  instruction: \"You are a friendly assistant. Use your tools.\",".to_owned());
        document.push("  model: \"OpenAI/gpt-6-luna\"".to_owned());
        document.push("} |".to_owned());
        for place in 0..TOOLS {
            tool += 1;
            let ty = if tool % WRONG == 0 { "Txt" } else { "Text" };
            document.push(format!(
                "  [tool{tool}:Tool {{description: \"Does what the tool of number {tool} does\"}} |"
            ));
            document.push(format!(
                "    (first{tool}::{ty} {{description: \"A text\"}})==>(count{tool}::Int {{default: 3}})==>(::String)"
            ));
            document.push(if place + 1 < TOOLS { "  ]," } else { "  ]" }.to_owned());
        }
        document.push("]".to_owned());
    }
    document
}

/// An edit of one place.
pub(crate) struct Edit {
    pub(crate) line: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) text: &'static str,
}

impl Edit {
    /// The edit, as the protocol has it.
    pub(crate) fn change(&self) -> Value {
        json!({"range": {"start": self.at(self.from), "end": self.at(self.to)}, "text": self.text})
    }

    /// Where it begins.
    pub(crate) fn position(&self) -> Value {
        self.at(self.from)
    }

    fn at(&self, column: usize) -> Value {
        json!({"line": self.line, "character": column})
    }
}

/// Edits without end, of which each second one takes the one before back.
pub(crate) struct Edits<'a> {
    document: &'a [String],
    state: u64,
    count: usize,
    last: Option<(usize, usize)>,
}

impl<'a> Edits<'a> {
    pub(crate) fn new(document: &'a [String]) -> Self {
        Self {
            document,
            state: 0x9e37_79b9_7f4a_7c15,
            count: 0,
            last: None,
        }
    }

    fn line(&mut self) -> usize {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % self.document.len()
    }

    /// The place of something to edit: in the text of a line that has a description, before a
    /// bracket, in the name of a type.
    fn place(&mut self, wanted: &str) -> (usize, usize) {
        loop {
            let line = self.line();
            if let Some(column) = self.document[line].find(wanted) {
                return (line, column + wanted.len());
            }
        }
    }
}

impl Iterator for Edits<'_> {
    type Item = Edit;

    fn next(&mut self) -> Option<Edit> {
        if let Some((line, column)) = self.last.take() {
            return Some(Edit {
                line,
                from: column,
                to: column + 1,
                text: "",
            });
        }
        self.count += 1;
        let (wanted, text) = match self.count % 8 {
            0 => ("Tool {", "{"),
            1 => ("::Int", "x"),
            2 => ("]", "]"),
            _ => ("description: \"", "x"),
        };
        let (line, column) = self.place(wanted);
        self.last = Some((line, column));
        Some(Edit {
            line,
            from: column,
            to: column,
            text,
        })
    }
}
