//! The state of reading one schema: the current path, the references that are followed, the problems that
//! were found.

use crate::json_value::{Ordered, Path};
use crate::schema::extract::Extract;
use crate::schema::read::anything::settled;
use crate::schema::read::argument_names::ArgumentNames;
use crate::schema::read::source::{Json, Members};
use crate::schema::read::{Loss, Rest, SchemaProblem, SchemaReader};
use crate::terminal;
use crate::types::{Kind, Param, Shape, Type};
use crate::validate::Patterns;
use agent_gram::Value;
use agent_gram::value::Nest;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

/// The state of reading one schema.
pub(super) struct Converter<'s> {
    pub(super) reader: &'s SchemaReader,
    pub(super) root: Json<'s>,
    root_name: &'static str,
    /// The path of the schema that is being read.
    pub(super) steps: Vec<PathStep<'s>>,
    /// The objects that references led to and that are being read, the whole document first.
    pub(super) following: Vec<Following<'s>>,
    problems: Vec<SchemaProblem>,
    /// The losses that the reader allows.
    losses: Vec<SchemaProblem>,
    /// The keywords at the root that arguments as a whole must satisfy and that no signature has a place for;
    /// an empty keyword stands for the whole schema.
    conditions: BTreeSet<Cow<'s, str>>,
    /// The description of the arguments as a whole.
    pub(super) description: Option<String>,
    /// The lines for a description that the type has no place for: the formats and descriptions of its parts.
    pub(super) notes: Vec<String>,
    pub(super) names: ArgumentNames,
    pub(super) unfolding: Unfolding,
    /// The number of parts that were read, with parts that were read again.
    spent: usize,
    /// The paths of referenced objects with problems that were reported.
    pub(super) failed: HashSet<usize>,
    /// The number of schemas that are being read inside each other.
    open: usize,
    /// The depth in gram of the type that is being read.
    pub(super) nesting: usize,
    /// The type that is declared around the schema that is read next, for the same value.
    pub(super) assumed: Option<&'static str>,
    /// Whether the document is the schema of arguments, and not of a type.
    pub(super) reads_arguments: bool,
    pub(super) kept: KeptParts,
    pub(super) patterns: Patterns,
}

/// A step from a JSON value to a part of it.
#[derive(Clone, Debug)]
pub(super) enum PathStep<'s> {
    Key(Cow<'s, str>),
    Index(usize),
}

/// A reference on the way to the schema that is being read.
pub(super) struct Following<'s> {
    pub(super) target: Members<'s>,
    pub(super) text: &'s str,
    /// The path of the reference.
    pub(super) from: Vec<PathStep<'s>>,
}

/// The owner of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A property or a result, which has a description and may only be `null`.
    Described,
    /// An element of a list or a value of a map.
    Nested,
}

/// The findings before a part was read.
#[derive(Clone, Copy)]
pub(super) struct Before {
    pub(super) problems: usize,
    pub(super) losses: usize,
    pub(super) notes: usize,
    pub(super) unfolded: usize,
}

/// The way to the part that is being read.
#[derive(Default)]
pub(super) struct KeptParts {
    /// The number of parts around the place that is being read.
    pub(super) depth: usize,
    /// The number of references that led to the outermost part.
    pub(super) outside: usize,
    /// The first reference of a circle, if one was found in the part. The part that the reference is in is kept:
    /// an inner part would be kept one level deeper each time that the schema is written and read.
    pub(super) circle: Option<usize>,
    /// The document, once a part of it was kept.
    pub(super) whole: Option<Rc<Ordered>>,
}

/// The maximum number of parts read: schemas, their members, values, and pieces of long texts. References can turn a
/// small schema of an MCP server into a type that fills the memory.
const MOST_PARTS: usize = 200_000;

/// The number of parts that every schema may have behind references, besides twice its own size.
const UNFOLDED: usize = 500;

/// The parts that were read behind references.
#[derive(Default)]
pub(super) struct Unfolding {
    parts: usize,
    /// The maximum number of parts, once it was computed.
    most: Option<usize>,
    /// Whether the outermost part that is being read unfolds too far.
    pub(super) is_too_far: bool,
    /// The addresses of the referenced objects that unfold too far.
    pub(super) known: HashSet<usize>,
}

/// The maximum number of schemas inside each other, so that no schema of somebody else exhausts the stack.
const MOST_OPEN: usize = 160;

/// The maximum depth of types: the limit of gram without the levels of an agent, a tool, a parameter and
/// its record.
pub(super) const MOST_NESTING: usize = agent_gram::MAX_DEPTH - 5;

impl<'s> Converter<'s> {
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
            losses: Vec::new(),
            conditions: BTreeSet::new(),
            description: None,
            notes: Vec::new(),
            names: ArgumentNames::default(),
            unfolding: Unfolding::default(),
            spent: 0,
            failed: HashSet::new(),
            open: 0,
            nesting: 0,
            assumed: None,
            reads_arguments: false,
            kept: KeptParts::default(),
            patterns: Patterns::default(),
        }
    }

    /// Returns the problems, and the losses that are allowed.
    pub(super) fn into_findings(self) -> (Vec<SchemaProblem>, Vec<SchemaProblem>) {
        (self.problems, self.losses)
    }

    pub(super) fn allows(&self, loss: Loss) -> bool {
        self.reader.allows(loss)
    }

    /// Reads the whole document as a type.
    pub(super) fn root(&mut self, place: Place) -> Option<ReadSchema> {
        if !self.keeps() {
            return self.schema(self.root).map(ReadSchema::settled);
        }
        let before = self.enter();
        let found = self.schema(self.root);
        let found = self.leave(self.root, found, before, place);
        found.map(ReadSchema::settled)
    }

    /// Reads the whole document as arguments.
    pub(super) fn arguments(&mut self) -> Option<Vec<Param>> {
        self.reads_arguments = true;
        self.assumed = Some("object");
        let found = self.schema(self.root);
        let found = match found {
            // If the schema unfolds too far outside of all parts, the check of the arguments is left to the
            // tool.
            None if self.unfolding.is_too_far && self.is_loss_of_arguments() => {
                self.unfolding.is_too_far = false;
                self.lose(Loss::Conditions, "the schema unfolds too far", "");
                ReadSchema::of(Type::new(Kind::Object(Shape::Open)))
            }
            found => found?,
        };
        if self.reader.is_foreign {
            self.description = found.full_description();
        }
        self.parameters(found.settled())
    }

    pub(super) fn findings(&self) -> Before {
        Before {
            problems: self.problems.len(),
            losses: self.losses.len(),
            notes: self.notes.len(),
            unfolded: self.unfolding.parts,
        }
    }

    /// Returns the JSON Schema of the conditions on the arguments as a whole that their signature does not have.
    pub(super) fn conditions(&self) -> Option<String> {
        const NOTED: [&str; 5] = ["$schema", "$id", "title", "description", "type"];
        if self.conditions.is_empty() {
            return None;
        }
        let root = self.root.to_ordered(0)?;
        let Ordered::Object(mut members) = root.clone() else {
            return None;
        };
        let is_whole = self.conditions.contains("");
        members.retain(|(key, _)| match is_whole {
            true => !NOTED.contains(&key.as_str()),
            false => self.conditions.contains(key.as_str()),
        });
        let part = Ordered::Object(members);
        // A reference into another document is shown as it is.
        let text = Extract::new(&root).text_of(&part);
        Some(text.unwrap_or_else(|_| terminal::json(&part.to_string())))
    }

    /// Discards the findings in a part that is kept whole.
    pub(super) fn forget_since(&mut self, before: Before) {
        self.problems.truncate(before.problems);
        self.losses.truncate(before.losses);
        self.notes.truncate(before.notes);
        self.unfolding.parts = before.unfolded;
    }

    /// Reads a schema, unless the document exceeds a limit.
    ///
    /// Every level of a schema has one frame of this function on the stack. So [`ReadSchema`] boxes its
    /// type, and later steps are functions of their own.
    pub(super) fn schema(&mut self, schema: Json<'s>) -> Option<ReadSchema> {
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
        let assumed = self.assumed.take();
        let found = self.node(schema, assumed);
        self.open -= 1;
        found
    }

    /// Counts `parts` more parts that are read. Returns whether the limits allow them.
    pub(super) fn spend(&mut self, parts: usize) -> bool {
        self.copy(parts) && self.unfold(parts)
    }

    /// Counts `parts` more parts that are copied. Returns whether the limit allows them.
    pub(super) fn copy(&mut self, parts: usize) -> bool {
        let before = self.spent;
        self.spent = before.saturating_add(parts);
        if self.spent <= MOST_PARTS {
            return true;
        }
        // The problem is reported once, because each further part would repeat it.
        if before <= MOST_PARTS {
            self.report(
                format!("the schema unfolds into more than {MOST_PARTS} parts"),
                "references to references multiply, and so do the parts of `allOf`; take some of them as any value: \
                 `{}`",
            );
        }
        false
    }

    /// Counts `parts` more parts that are read behind references. Returns whether the limit allows them. A
    /// schema may unfold into a few times its size only, because each request to a model contains the whole
    /// schema. A schema that is not foreign and whose rest is refused has no limit here, because it is our
    /// own.
    fn unfold(&mut self, parts: usize) -> bool {
        let is_bounded = self.reader.is_foreign || self.reader.rest != Rest::Refused;
        if !is_bounded || self.unfolding.is_too_far || self.following.len() < 2 {
            return !self.unfolding.is_too_far;
        }
        let root = self.root;
        let most = self.unfolding.most;
        let most = most.unwrap_or_else(|| UNFOLDED + 2 * root.weight());
        self.unfolding.most = Some(most);
        self.unfolding.parts += parts;
        if self.unfolding.parts <= most {
            return true;
        }
        self.unfolds_too_far();
        false
    }

    /// Ends the reading of the outermost part.
    pub(super) fn unfolds_too_far(&mut self) {
        self.unfolding.is_too_far = true;
        if let Some(first) = self.following.get(self.kept.outside.max(1)) {
            self.unfolding.known.insert(first.target.address());
        }
        let is_left_out = self.kept.depth > 0 || self.is_loss_of_arguments();
        if !is_left_out || self.reader.rest == Rest::Refused {
            self.report(
                "its references unfold into many times its size",
                "take some of them as any value: `{}`",
            );
        }
    }

    /// Whether too many parts were read, which was reported or is known.
    pub(super) fn is_spent(&self) -> bool {
        self.spent > MOST_PARTS || self.unfolding.is_too_far
    }

    /// Adds a line to the description of the property about something that the type of this place does not
    /// express.
    pub(super) fn note(&mut self, text: String) {
        if !self.notes.contains(&text) && self.copy(self.notes.len() / 64) {
            self.notes.push(text);
        }
    }

    /// Reports a problem at this place.
    pub(super) fn report(&mut self, message: impl Into<String>, help: impl Into<String>) {
        let problem = self.problem(None, message.into(), help.into());
        keep(&mut self.problems, problem);
    }

    /// Reports a loss at this place, which is a problem unless the reader allows it. Returns whether the loss
    /// is allowed.
    pub(super) fn lose(&mut self, loss: Loss, message: impl Into<String>, help: &str) -> bool {
        // An unknown keyword is more often a misspelt one than a condition.
        let is_condition =
            !self.allows(loss) && loss != Loss::UnknownKeywords && self.is_loss_of_arguments();
        if is_condition {
            // For a condition inside of a reference, the whole schema is shown.
            let key = match (self.following.len(), self.steps.first()) {
                (0 | 1, Some(PathStep::Key(key))) => key.clone(),
                _ => "".into(),
            };
            self.conditions.insert(key);
        }
        if is_condition || self.allows(loss) {
            let problem = self.problem(Some(loss), message.into(), String::new());
            keep(&mut self.losses, problem);
            return true;
        }
        let or = match help.chars().last() {
            None => "",
            Some('?') => " If not, ",
            Some(_) => ", or ",
        };
        let help = format!("{help}{or}allow `Loss::{loss:?}`");
        let problem = self.problem(Some(loss), message.into(), help);
        keep(&mut self.problems, problem);
        false
    }

    /// Adds the part at this place to the losses.
    pub(super) fn lose_part(&mut self, message: String) {
        let problem = self.problem(None, message, String::new());
        keep(&mut self.losses, problem);
    }

    /// Reports a loss at a member of the object at this place, as [`Converter::lose`] does.
    pub(super) fn lose_at(
        &mut self,
        loss: Loss,
        key: impl Into<Cow<'s, str>>,
        message: impl Into<String>,
        help: &str,
    ) -> bool {
        self.steps.push(PathStep::Key(key.into()));
        let allowed = self.lose(loss, message, help);
        self.steps.pop();
        allowed
    }

    fn problem(&self, loss: Option<Loss>, message: String, help: String) -> SchemaProblem {
        SchemaProblem {
            loss,
            path: self.path(&self.steps),
            // The author of the document looks at the outermost reference first.
            referrer: self.following.get(1).map(|first| self.path(&first.from)),
            message,
            help: (!help.is_empty()).then_some(help),
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
        self.steps.push(PathStep::Key(key.into()));
        self.report(message, help);
        self.steps.pop();
    }

    /// Reports that a member of the object at this place is not of the form it must have.
    pub(super) fn wrong(&mut self, key: &'s str, expected: &str, found: Json<'_>) {
        let message = format!("expected {expected}, found {}", found.describe());
        self.report_at(key, message, "");
    }

    fn path(&self, steps: &[PathStep<'_>]) -> String {
        let path = shown(Path::Root, steps);
        format!(
            "{}{}",
            self.root_name,
            path.strip_prefix('$').unwrap_or(&path)
        )
    }
}

/// The maximum number of problems that are kept, because a schema of an MCP server can be wrong in every place.
const MOST_PROBLEMS: usize = 1_000;

/// Adds a problem to a list of limited length. A place can be reached in several ways, by references and from
/// its parent, but its problem is listed once.
fn keep(list: &mut Vec<SchemaProblem>, problem: SchemaProblem) {
    if list.len() < MOST_PROBLEMS && !list.contains(&problem) {
        list.push(problem);
    }
}

/// Steps in the form in which violations name their place.
fn shown(path: Path<'_>, steps: &[PathStep<'_>]) -> String {
    match steps {
        [] => path.to_string(),
        [PathStep::Key(key), rest @ ..] => shown(path.key(key), rest),
        [PathStep::Index(at), rest @ ..] => shown(path.index(*at), rest),
    }
}

/// The result of reading a schema.
#[derive(Clone, Debug)]
pub(super) struct ReadSchema {
    /// The type; optional when `null` is allowed beside its values.
    pub(super) ty: Box<Type>,
    pub(super) description: Option<String>,
    /// The descriptions of single values of an enumeration, a line each.
    pub(super) cases: Vec<String>,
    pub(super) default: Option<Value>,
    /// Whether the schema is an object that refuses keys besides its fields. The type ignores such keys.
    pub(super) closed: bool,
}

impl ReadSchema {
    /// Creates the result of a type without further properties.
    pub(super) fn of(ty: Type) -> Self {
        Self {
            ty: Box::new(ty),
            description: None,
            cases: Vec::new(),
            default: None,
            closed: false,
        }
    }

    /// Returns the same result with a type that no other part of the schema narrows any more.
    pub(super) fn settled(mut self) -> Self {
        self.ty = Box::new(settled(*self.ty));
        self
    }

    /// Returns the type alone, for use inside another type.
    pub(super) fn into_nest(self) -> Nest<Type> {
        Nest::new(*self.ty)
    }

    /// The description, with that of single values after it.
    pub(super) fn full_description(&self) -> Option<String> {
        let lines: Vec<_> = self.description.iter().chain(&self.cases).collect();
        let lines: Vec<_> = lines.iter().map(|line| line.as_str()).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}
