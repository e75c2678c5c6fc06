//! The state of one reading: where it is, which references it follows, what it found wrong.

use super::error::{MOST_PROBLEMS, SchemaProblem};
use super::node::Found;
use super::source::{Json, Members};
use super::{Loss, SchemaReader};
use crate::validate::Path;
use std::borrow::Cow;
use std::collections::HashSet;

/// One reading of a schema.
pub(super) struct Walk<'s> {
    reader: &'s SchemaReader,
    pub(super) root: Json<'s>,
    root_name: &'static str,
    /// Where in the document the schema stands that is being read.
    pub(super) steps: Vec<Step<'s>>,
    /// The objects that references led to and that are being read, the whole document first.
    pub(super) following: Vec<Following<'s>>,
    problems: Vec<SchemaProblem>,
    /// How many parts of the document were read, those read again included.
    spent: usize,
    /// Where the objects are that references led to and that have problems, which were reported.
    pub(super) failed: HashSet<usize>,
    /// How many schemas are being read inside each other.
    open: usize,
    /// How deep in gram the type that is being read stands.
    pub(super) nesting: usize,
}

/// A step from a JSON value to a part of it.
#[derive(Clone, Debug)]
pub(super) enum Step<'s> {
    Key(Cow<'s, str>),
    Index(usize),
}

/// A reference on the way to the schema that is being read.
pub(super) struct Following<'s> {
    pub(super) target: Members<'s>,
    pub(super) text: &'s str,
    /// Where the reference stands.
    pub(super) from: Vec<Step<'s>>,
}

/// How many parts one reading reads: schemas, their members, values, and pieces of long texts.
/// References can make a small document a huge type.
const MOST_PARTS: usize = 200_000;

/// How many schemas may be open inside each other, so that no document exhausts the stack.
const MOST_OPEN: usize = 160;

/// How deep types may stand in each other: what gram itself allows, less the levels that an agent,
/// a tool, a parameter and its record take.
pub(super) const MOST_NESTING: usize = agent_gram::MAX_DEPTH - 5;

impl<'s> Walk<'s> {
    pub(super) fn new(reader: &'s SchemaReader, root: Json<'s>, root_name: &'static str) -> Self {
        let following = match root {
            Json::Object(target) => vec![Following {
                target,
                text: "#",
                from: Vec::new(),
            }],
            _ => Vec::new(),
        };
        Self {
            reader,
            root,
            root_name,
            steps: Vec::new(),
            following,
            problems: Vec::new(),
            spent: 0,
            failed: HashSet::new(),
            open: 0,
            nesting: 0,
        }
    }

    pub(super) fn into_problems(self) -> Vec<SchemaProblem> {
        self.problems
    }

    pub(super) fn allows(&self, loss: Loss) -> bool {
        self.reader.allows(loss)
    }

    /// Reads the whole document.
    pub(super) fn root(&mut self) -> Option<Found> {
        self.schema(self.root)
    }

    /// Reads a schema, unless the document is too much.
    ///
    /// What calls this is on the stack once a level. So [`Found`] has its type in a box, and what is
    /// done with types afterwards is done in functions of its own.
    pub(super) fn schema(&mut self, schema: Json<'s>) -> Option<Found> {
        if !self.spend(1) {
            return None;
        }
        if self.open >= MOST_OPEN || self.nesting > MOST_NESTING {
            self.report(
                format!("schemas nest more than {MOST_NESTING} levels of gram deep here"),
                "take a part as any value: `{}`",
            );
            return None;
        }
        self.open += 1;
        let found = self.node(schema);
        self.open -= 1;
        found
    }

    /// Whether there is room for so much more.
    pub(super) fn spend(&mut self, parts: usize) -> bool {
        let before = self.spent;
        self.spent = before.saturating_add(parts);
        if self.spent <= MOST_PARTS {
            return true;
        }
        // Said once: each further part would say it again.
        if before <= MOST_PARTS {
            self.report(
                format!("the schema unfolds into more than {MOST_PARTS} parts"),
                "references to references multiply; take some of them as any value: `{}`",
            );
        }
        false
    }

    /// Reports a problem at this place.
    pub(super) fn report(&mut self, message: impl Into<String>, help: impl Into<String>) {
        if self.problems.len() >= MOST_PROBLEMS {
            return;
        }
        let help = help.into();
        let problem = SchemaProblem {
            path: self.path(&self.steps),
            // The outermost reference stands where the author of the document will look first.
            referrer: self.following.get(1).map(|first| self.path(&first.from)),
            message: message.into(),
            help: (!help.is_empty()).then_some(help),
        };
        // A place can be reached both ways, by a reference and from above, and is wrong once.
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    pub(super) fn problems(&self) -> usize {
        self.problems.len()
    }

    /// Reports a problem at a member of the object at this place.
    pub(super) fn report_at(
        &mut self,
        key: impl Into<Cow<'s, str>>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.steps.push(Step::Key(key.into()));
        self.report(message, help);
        self.steps.pop();
    }

    /// Reports that a member of the object at this place is not of the form it must have.
    pub(super) fn wrong(&mut self, key: &'s str, expected: &str, found: Json<'_>) {
        let message = format!("expected {expected}, found {}", found.describe());
        self.report_at(key, message, "");
    }

    fn path(&self, steps: &[Step<'_>]) -> String {
        let path = shown(Path::Root, steps);
        format!(
            "{}{}",
            self.root_name,
            path.strip_prefix('$').unwrap_or(&path)
        )
    }
}

/// Steps in the form in which violations name their place.
fn shown(path: Path<'_>, steps: &[Step<'_>]) -> String {
    match steps {
        [] => path.to_string(),
        [Step::Key(key), rest @ ..] => shown(path.key(key), rest),
        [Step::Index(at), rest @ ..] => shown(path.index(*at), rest),
    }
}
