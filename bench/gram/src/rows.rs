//! What is measured: one row for each reader, and for what we do with what was read.

use crate::input::{Form, Input};
use crate::measure::{Sample, sample};
use std::hint::black_box;

/// Something to measure.
pub(crate) struct Row {
    /// How it is called on the command line.
    pub key: &'static str,
    /// How it is called in the table.
    pub title: &'static str,
    /// What it reads. The speed is that of this text; for patterns that are printed, of the document.
    pub form: Form,
    /// Does it once, on the clock.
    pub run: fn(&Input) -> Sample,
}

/// The rows, in the order of the table. A further one is a further entry here.
pub(crate) const ROWS: &[Row] = &[
    Row {
        key: "tree",
        title: "agent-gram, to syntax tree",
        form: Form::Gram,
        run: |input| sample(|| agent_gram::parse(black_box(&input.gram))),
    },
    Row {
        key: "patterns",
        title: "agent-gram, to patterns",
        form: Form::Gram,
        run: |input| sample(|| agent_gram::parse_patterns(black_box(&input.gram))),
    },
    Row {
        key: "relateby",
        title: "relateby-gram 0.6, to patterns",
        form: Form::Gram,
        run: |input| sample(|| gram_codec::parse_gram(black_box(&input.gram))),
    },
    Row {
        key: "tree-sitter",
        title: "tree-sitter-gram 0.6, to syntax tree",
        form: Form::Gram,
        run: |input| sample(|| official_tree(black_box(&input.gram))),
    },
    Row {
        key: "json",
        title: "serde_json, agents as JSON, to `Value`",
        form: Form::Json,
        run: |input| sample(|| json_value(black_box(&input.json))),
    },
    Row {
        key: "patterns-json",
        title: "serde_json, patterns as JSON, to `Value`",
        form: Form::PatternsJson,
        run: |input| sample(|| json_value(black_box(&input.patterns_json))),
    },
    Row {
        key: "print",
        title: "agent-gram, patterns to text",
        form: Form::Patterns,
        run: |input| sample(|| agent_gram::print(black_box(&input.patterns))),
    },
    Row {
        key: "write",
        title: "agent-gram, syntax tree to formatted text",
        form: Form::Gram,
        run: |input| {
            let tree = agent_gram::parse(&input.gram);
            sample(|| agent_gram::format(black_box(&tree.document)))
        },
    },
    Row {
        key: "format",
        title: "agent-gram, text to formatted text",
        form: Form::Gram,
        run: |input| sample(|| agent_gram::format_source(black_box(&input.gram))),
    },
    Row {
        key: "check",
        title: "agent-spec, text to checked agents and tools",
        form: Form::Gram,
        run: |input| {
            sample(|| agent_spec::check::check(black_box(&input.gram), Default::default()))
        },
    },
];

/// The tree of the official parser; `None` when it gave up.
pub(crate) fn official_tree(source: &str) -> Option<tree_sitter::Tree> {
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(&tree_sitter_gram::LANGUAGE.into())
        .ok()?;
    parser.parse(source, None)
}

/// The value of a JSON text.
pub(crate) fn json_value(source: &str) -> serde_json::Result<serde_json::Value> {
    serde_json::from_str(source)
}
