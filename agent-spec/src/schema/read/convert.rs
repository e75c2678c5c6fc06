//! The state of one reading: where it is, which references it follows, what it found wrong.

use crate::Nest;
use crate::compare::{same_required, same_type};
use crate::constraints::Constraints;
use crate::json_value::{Path, plain};
use crate::names::{PARAMETER_NAMES, is_parameter_name, nearest, not_a_parameter_name};
use crate::schema::read::keyword::{TUPLE, is_own, structure_of};
use crate::schema::read::limits::Allowed;
use crate::schema::read::source::{Json, Members};
use crate::schema::read::{Loss, MOST_PROBLEMS, SchemaProblem, SchemaReader};
use crate::types::{Field, Kind, Param, Shape, Type, fields_of};
use crate::vocabulary::{Keyword, TypeFamily};
use agent_gram::Value;
use std::borrow::Cow;
use std::collections::HashSet;

/// The state of reading one schema.
pub(super) struct Converter<'s> {
    reader: &'s SchemaReader,
    pub(super) root: Json<'s>,
    root_name: &'static str,
    /// The path of the schema that is being read.
    pub(super) steps: Vec<PathStep<'s>>,
    /// The objects that references led to and that are being read, the whole document first.
    pub(super) following: Vec<Following<'s>>,
    problems: Vec<SchemaProblem>,
    /// The losses that the reader allows.
    losses: Vec<SchemaProblem>,
    /// The number of parts that were read, with parts that were read again.
    spent: usize,
    /// The paths of referenced objects with problems that were reported.
    pub(super) failed: HashSet<usize>,
    /// The number of schemas that are being read inside each other.
    open: usize,
    /// The depth in gram of the type that is being read.
    pub(super) nesting: usize,
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

/// The maximum number of parts read: schemas, their members, values, and pieces of long texts.
/// References can turn a small document into a huge type.
const MOST_PARTS: usize = 200_000;

/// The maximum number of schemas inside each other, so that no document exhausts the stack.
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
            spent: 0,
            failed: HashSet::new(),
            open: 0,
            nesting: 0,
        }
    }

    /// Returns the problems, and the losses that are allowed.
    pub(super) fn into_findings(self) -> (Vec<SchemaProblem>, Vec<SchemaProblem>) {
        (self.problems, self.losses)
    }

    pub(super) fn allows(&self, loss: Loss) -> bool {
        self.reader.allows(loss)
    }

    /// Reads the whole document.
    pub(super) fn root(&mut self) -> Option<ReadSchema> {
        self.schema(self.root)
    }

    /// Reads a schema, unless the document is too much.
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
        let found = self.node(schema);
        self.open -= 1;
        found
    }

    /// Whether the reading may continue with so many more parts.
    pub(super) fn spend(&mut self, parts: usize) -> bool {
        let before = self.spent;
        self.spent = before.saturating_add(parts);
        if self.spent <= MOST_PARTS {
            return true;
        }
        // Reported once, because each further part would repeat it.
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
        let problem = self.problem(None, message.into(), help.into());
        keep(&mut self.problems, problem);
    }

    /// Reports a loss at this place: a problem, unless the reader allows it, which is returned.
    pub(super) fn lose(&mut self, loss: Loss, message: impl Into<String>, help: &str) -> bool {
        if self.allows(loss) {
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

/// Adds a problem to a list of limited length. A place can be reached in several ways, by references and
/// from above, and is wrong once.
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
}

impl ReadSchema {
    /// Creates the result of a type without further properties.
    pub(super) fn of(ty: Type) -> Self {
        Self {
            ty: Box::new(ty),
            description: None,
            cases: Vec::new(),
            default: None,
        }
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

impl<'s> Converter<'s> {
    /// Reads one schema, parts of it by way of [`Converter::schema`].
    pub(super) fn node(&mut self, schema: Json<'s>) -> Option<ReadSchema> {
        match schema {
            Json::Bool(true) => Some(ReadSchema::of(Type::new(Kind::Any))),
            Json::Bool(false) => {
                self.report(
                    "the schema `false` allows no value, and every gram type allows one",
                    "leave out what has this schema",
                );
                None
            }
            Json::Object(members) => {
                let parts = self.parts(members)?;
                self.finish(members, parts)
            }
            other => {
                let found = other.describe();
                self.report(format!("expected a schema, found {found}"), "");
                None
            }
        }
    }

    /// Reads each keyword, or group of keywords. All are read, so that every problem is found.
    fn parts(&mut self, members: Members<'s>) -> Option<Vec<ReadSchema>> {
        if !self.spend(members.len()) {
            return None;
        }
        self.refuse_keywords(members);
        let mut parts = Vec::new();
        if members.iter().any(|(key, _)| is_own(key)) {
            parts.push(self.own(members));
        }
        if let Some(reference) = members.get("$ref") {
            parts.push(self.reference(reference));
        }
        if let Some(all) = members.get("allOf") {
            parts.extend(self.arms("allOf", all));
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(arms) = members.get(key) {
                let arms = self.arms(key, arms);
                parts.push(self.union(key, arms));
            }
        }
        parts.into_iter().collect()
    }

    fn finish(&mut self, members: Members<'s>, parts: Vec<ReadSchema>) -> Option<ReadSchema> {
        let mut found = self.together(parts)?;
        match members.get("description") {
            None => {}
            Some(Json::Text(text)) if self.spend(text.len() / 64) => {
                found.description = Some(text.to_owned());
            }
            Some(Json::Text(_)) => return None,
            Some(other) => self.wrong("description", "a text", other),
        }
        match members.get("default") {
            // Gram has no null: a default of `null` means that the value is missing.
            None | Some(Json::Null) => {}
            Some(default) => found.default = self.default(&found.ty, default),
        }
        Some(found)
    }

    /// Reads the schemas of a list, such as that of `allOf`.
    pub(super) fn arms(&mut self, key: &'static str, arms: Json<'s>) -> Vec<Option<ReadSchema>> {
        let Json::List(arms) = arms else {
            self.wrong(key, "a list of schemas", arms);
            return vec![None];
        };
        self.steps.push(PathStep::Key(key.into()));
        let mut all = Vec::new();
        for (at, arm) in arms.iter().enumerate() {
            self.steps.push(PathStep::Index(at));
            all.push(self.schema(arm));
            self.steps.pop();
        }
        self.steps.pop();
        if all.is_empty() {
            self.report_at(key, "expected at least one schema, found none", "");
            all.push(None);
        }
        all
    }

    /// Reads `allOf`: the values that all parts allow.
    fn together(&mut self, parts: Vec<ReadSchema>) -> Option<ReadSchema> {
        let mut parts = parts.into_iter();
        // No part at all allows everything.
        let mut all = parts
            .next()
            .unwrap_or_else(|| ReadSchema::of(Type::new(Kind::Any)));
        for part in parts {
            let Some(ty) = meet(&all.ty, &part.ty) else {
                let (left, right) = (all.ty.label(), part.ty.label());
                self.report(
                    format!("several keywords each give a type, `{left}` and `{right}`, and gram has one"),
                    "write one schema with the keywords of all parts",
                );
                return None;
            };
            *all.ty = ty;
            all.description = all.description.or(part.description);
            all.default = all.default.or(part.default);
            all.cases.extend(part.cases);
        }
        Some(all)
    }
}

/// Returns the type of the values that two types have in common, where gram can express it.
fn meet(left: &Type, right: &Type) -> Option<Type> {
    // `Any` allows `null` as well.
    if is_anything(left) {
        return Some(right.clone());
    }
    if is_anything(right) || same_type(left, right) {
        return Some(left.clone());
    }
    let kind = match (left.kind(), right.kind()) {
        (Kind::Text, Kind::Text) => Kind::Text,
        (Kind::Int, Kind::Int) => Kind::Int,
        // The values of an enumeration need not be whole.
        (Kind::Int, Kind::Double) | (Kind::Double, Kind::Int)
            if left.constraints().enumeration().is_empty()
                && right.constraints().enumeration().is_empty() =>
        {
            Kind::Int
        }
        (Kind::Double, Kind::Double) => Kind::Double,
        (Kind::Bool, Kind::Bool) => Kind::Bool,
        // An object without known properties does not narrow another.
        (Kind::Object(Shape::Open), kind @ Kind::Object(_))
        | (kind @ Kind::Object(_), Kind::Object(Shape::Open)) => kind.clone(),
        _ => return None,
    };
    let constraints = both(left.constraints(), right.constraints())?;
    let optional = left.is_optional() && right.is_optional();
    Some(
        Type::new(kind)
            .with_constraints(constraints)
            .with_optional(optional),
    )
}

/// Whether a type is `Any` without constraints.
pub(super) fn is_anything(ty: &Type) -> bool {
    matches!(ty.kind(), Kind::Any) && ty.constraints().is_none()
}

/// Returns the constraints of both, unless they have different values for one keyword.
fn both(left: &Constraints, right: &Constraints) -> Option<Constraints> {
    let mut both = left.clone();
    for (keyword, constraint) in right.iter() {
        match left.get(keyword) {
            // Filtering the values of an enumeration by keywords of the other part is not supported.
            Some(_) if keyword == Keyword::Enum => return None,
            Some(held) if held != constraint => return None,
            _ => both.set(keyword, constraint),
        }
    }
    let has_values = !both.enumeration().is_empty();
    let has_others = both.iter().any(|(keyword, _)| keyword != Keyword::Enum);
    (!has_values || !has_others).then_some(both)
}

/// The words of `type`.
const WORDS: [&str; 7] = [
    "null", "boolean", "integer", "number", "string", "array", "object",
];

/// The value of `type`.
#[derive(Clone, Copy)]
struct DeclaredType {
    /// The one type besides `null`; `None` when the schema has no `type`.
    word: Option<&'static str>,
    /// Whether `null` is allowed.
    null: bool,
    /// Whether it lists several types, which may be a loss.
    several: bool,
}

impl<'s> Converter<'s> {
    /// Returns the type that the keywords of this object imply.
    pub(super) fn own(&mut self, members: Members<'s>) -> Option<ReadSchema> {
        let declared = self.type_word(members);
        let allowed = self.allowed(members);
        let (declared, allowed) = (declared?, allowed?);
        if declared.several && allowed.is_none() {
            return Some(ReadSchema::of(Type::new(Kind::Any)));
        }
        // Keywords of other types than this one have no effect.
        let word = match (&allowed, declared.word) {
            (Some(allowed), _) if allowed.values.is_empty() && allowed.null => Some("null"),
            (Some(allowed), None) => allowed.word().or_else(|| {
                // The listed values are of several types.
                self.implied(members);
                None
            }),
            (None, None) => self.implied(members),
            (_, word) => word,
        };
        let kind = self.kind(members, word)?;
        self.narrowed(members, kind, declared, allowed)
    }

    /// A type of this kind, narrowed by the other keywords.
    fn narrowed(
        &mut self,
        members: Members<'s>,
        kind: Kind,
        declared: DeclaredType,
        allowed: Option<Allowed<'s>>,
    ) -> Option<ReadSchema> {
        let constraints = self.constraints(members, &kind);
        let plain = Type::new(kind).with_constraints(constraints);
        let plain_null = matches!(plain.kind(), Kind::Null);
        let Some(allowed) = allowed else {
            // Without a `type`, anything is allowed, `null` as well.
            let optional = declared.null && declared.word.is_some() && !plain_null;
            return Some(ReadSchema::of(plain.with_optional(optional)));
        };
        if allowed.null && !declared.null {
            let message = format!(
                "`null` is listed, but `type` is {:?}",
                declared.word.unwrap_or_default()
            );
            self.lose_at(
                Loss::EnumValues,
                allowed.key,
                message,
                "write `null` in `type` as well, take it out",
            );
        }
        if plain_null {
            return Some(ReadSchema::of(plain));
        }
        let narrowed = self.enumerated(plain, &allowed)?;
        Some(ReadSchema::of(
            narrowed.with_optional(declared.null && allowed.null),
        ))
    }

    fn kind(&mut self, members: Members<'s>, word: Option<&str>) -> Option<Kind> {
        Some(match word {
            None => Kind::Any,
            Some("null") => Kind::Null,
            Some("boolean") => Kind::Bool,
            Some("integer") => Kind::Int,
            Some("number") => Kind::Double,
            Some("string") => Kind::Text,
            Some("array") => Kind::Array(self.element(members)?),
            Some(_) => Kind::Object(self.shape(members)?),
        })
    }

    fn element(&mut self, members: Members<'s>) -> Option<Nest<Type>> {
        match members.get("items") {
            None => Some(Nest::from_static(Type::ANY)),
            Some(Json::List(_)) => {
                let message = "expected one schema for all items, found a list";
                self.lose_at(Loss::Tuples, "items", message, TUPLE)
                    .then(|| Nest::from_static(Type::ANY))
            }
            // The schema is that of the items after those of `prefixItems`.
            Some(_) if members.get("prefixItems").is_some() => Some(Nest::from_static(Type::ANY)),
            Some(items) => self.nested("items", items, 1).map(ReadSchema::into_nest),
        }
    }

    /// Reads `type`.
    fn type_word(&mut self, members: Members<'s>) -> Option<DeclaredType> {
        let anything = DeclaredType {
            word: None,
            null: true,
            several: false,
        };
        let Some(value) = members.get("type") else {
            return Some(anything);
        };
        let listed: Vec<Json<'s>> = match value {
            Json::List(list) => list.iter().collect(),
            one => vec![one],
        };
        let mut words = Vec::new();
        for item in &listed {
            let known = match item {
                Json::Text(text) => WORDS.into_iter().find(|word| word == text),
                _ => None,
            };
            let Some(known) = known else {
                self.not_a_word(*item);
                return None;
            };
            if !words.contains(&known) {
                words.push(known);
            }
        }
        // Whole numbers are numbers.
        if words.contains(&"number") {
            words.retain(|word| *word != "integer");
        }
        let null = words.contains(&"null");
        match words.as_slice() {
            [] => {
                self.wrong("type", "at least one type", value);
                None
            }
            ["null"] => Some(DeclaredType {
                word: Some("null"),
                ..anything
            }),
            [word] | [word, "null"] | ["null", word] => Some(DeclaredType {
                word: Some(word),
                null,
                ..anything
            }),
            several => {
                let several: Vec<_> = several.iter().map(|word| format!("{word:?}")).collect();
                let message = format!(
                    "a value has one type in gram, and these are {}",
                    several.join(", ")
                );
                self.lose_at(Loss::Unions, "type", message, "choose one")
                    .then_some(DeclaredType {
                        several: true,
                        ..anything
                    })
            }
        }
    }

    fn not_a_word(&mut self, found: Json<'_>) {
        let meant = match found {
            Json::Text(text) => nearest(text, WORDS),
            _ => None,
        };
        let help = match meant {
            Some(meant) => format!("did you mean {meant:?}?"),
            None => "the types are \"null\", \"boolean\", \"integer\", \"number\", \"string\", \
                     \"array\" and \"object\""
                .to_owned(),
        };
        let found = found.describe();
        self.report_at("type", format!("expected a type, found {found}"), help);
    }

    /// Returns the type that the keywords of a schema without `type` go with. Such keywords allow all
    /// values of other types, which gram cannot express.
    fn implied(&mut self, members: Members<'s>) -> Option<&'static str> {
        let mut implied = None;
        for (family, word, meant) in [
            (TypeFamily::Text, "string", "\"string\""),
            (TypeFamily::Array, "array", "\"array\""),
            (TypeFamily::Object, "object", "\"object\""),
            (TypeFamily::Number, "number", "\"integer\" or \"number\""),
        ] {
            let constraints = Keyword::CONSTRAINTS.iter();
            let keys = constraints
                .filter(|keyword| keyword.family() == family)
                .map(|keyword| keyword.name())
                .chain(structure_of(family).iter().copied());
            for key in keys.filter(|key| members.get(key).is_some()) {
                let message = format!("`{key}` without `type` allows whatever is not {meant}");
                let help = format!("write `type` as well: {meant}");
                if implied.is_some_and(|implied| implied != word) {
                    self.report_at(key, message, help);
                } else if self.lose_at(Loss::ImpliedTypes, key, message, &help) {
                    implied = Some(word);
                }
            }
        }
        implied
    }
}

impl Allowed<'_> {
    /// Returns the one type of the values, or `None` when they have several types.
    fn word(&self) -> Option<&'static str> {
        let of = |value: &Json<'_>| match value {
            Json::Bool(_) => Some("boolean"),
            Json::Integer(_) => Some("integer"),
            Json::Number(_) => Some("number"),
            Json::Text(_) => Some("string"),
            // The values themselves determine the parts of a list or an object.
            Json::Null | Json::List(_) | Json::Object(_) => None,
        };
        let mut words = self.values.iter().map(of);
        let first = words.next()??;
        words.try_fold(first, |all, word| match (all, word?) {
            (all, word) if all == word => Some(all),
            ("integer" | "number", "integer" | "number") => Some("number"),
            _ => None,
        })
    }
}

/// The number of levels of gram that a record needs: the list of its fields, and the map of each field.
const RECORD_LEVELS: usize = 2;

impl<'s> Converter<'s> {
    /// Reads a part of a type, so many levels of gram deeper.
    pub(super) fn nested(
        &mut self,
        key: impl Into<Cow<'s, str>>,
        schema: Json<'s>,
        levels: usize,
    ) -> Option<ReadSchema> {
        self.nesting += levels;
        self.steps.push(PathStep::Key(key.into()));
        let found = self.schema(schema);
        let found = found.filter(|found| !self.refuse_null(found));
        self.steps.pop();
        self.nesting -= levels;
        found
    }

    fn refuse_null(&mut self, found: &ReadSchema) -> bool {
        let is_null = matches!(found.ty.kind(), Kind::Null);
        if is_null {
            self.report(
                "only what a tool returns can be `null` and nothing else",
                "write the type of the values beside it, or leave it out",
            );
        }
        is_null
    }

    /// The known properties of an object.
    pub(super) fn shape(&mut self, members: Members<'s>) -> Option<Shape> {
        let required = self.required(members);
        let fields = self.properties(members, required.as_deref());
        let (required, mut fields) = (required?, fields?);
        // A required property without a schema may have any value.
        let mut described: HashSet<&str> = match members.get("properties") {
            Some(Json::Object(properties)) => properties.iter().map(|(name, _)| name).collect(),
            _ => HashSet::new(),
        };
        for name in required {
            if described.insert(name) {
                fields.push(Field::new(name.to_owned(), Type::new(Kind::Any)));
            }
        }
        let is_record = members.get("properties").is_some() || !fields.is_empty();
        match self.further(members) {
            Some((key, Json::Bool(false))) => {
                let allowed = self.lose_at(
                    Loss::ClosedObjects,
                    key,
                    "gram has no objects that refuse further keys; it ignores them",
                    "take it out",
                );
                allowed.then_some(Shape::Fields(Cow::Owned(fields)))
            }
            None if !is_record => Some(Shape::Open),
            None => Some(Shape::Fields(Cow::Owned(fields))),
            Some((_, Json::Bool(true))) if is_record => Some(Shape::Fields(Cow::Owned(fields))),
            Some((key, values)) => {
                let value = self.nested(key, values, 1)?;
                if !is_record {
                    return Some(Shape::Map(value.into_nest()));
                }
                let lost = is_anything(&value.ty)
                    || self.lose_at(
                        Loss::FurtherProperties,
                        key,
                        "an object in gram has either fields or one type for all values",
                        "take it out, or put the other keys into an object of their own",
                    );
                lost.then_some(Shape::Fields(Cow::Owned(fields)))
            }
        }
    }

    fn required(&mut self, members: Members<'s>) -> Option<Vec<&'s str>> {
        let Some(value) = members.get("required") else {
            return Some(Vec::new());
        };
        let names = match value {
            Json::List(names) if !self.spend(names.len()) => return None,
            Json::List(names) => names
                .iter()
                .map(|name| match name {
                    Json::Text(name) => Some(name),
                    _ => None,
                })
                .collect(),
            _ => None,
        };
        if names.is_none() {
            self.wrong("required", "a list of names", value);
        }
        names
    }

    /// Reads all properties, so that the problems of each are found. When the list of required
    /// properties is invalid, which was reported, no property is required.
    fn properties(
        &mut self,
        members: Members<'s>,
        required: Option<&[&str]>,
    ) -> Option<Vec<Field>> {
        let properties = match members.get("properties") {
            None => return Some(Vec::new()),
            Some(Json::Object(properties)) => properties,
            Some(other) => {
                self.wrong("properties", "an object of schemas", other);
                return None;
            }
        };
        let required: HashSet<&str> = required.unwrap_or_default().iter().copied().collect();
        self.steps.push(PathStep::Key("properties".into()));
        let mut all = Vec::new();
        for (name, schema) in properties.iter() {
            all.push((name, self.nested(name, schema, RECORD_LEVELS)));
        }
        let fields: Vec<_> = all
            .into_iter()
            .map(|(name, found)| Some(self.field(name, found?, required.contains(name))))
            .collect();
        self.steps.pop();
        fields.into_iter().collect()
    }

    /// A field of what was found, at the place of its object's `properties`.
    fn field(&mut self, name: &'s str, found: ReadSchema, required: bool) -> Field {
        let anything = is_anything(&found.ty);
        if required && found.ty.is_optional() && !anything {
            self.lose_at(
                Loss::RequiredNull,
                name,
                "it must be there and may be `null`, and in gram `null` counts as absent",
                "take it out of `required`",
            );
        }
        let description = found.full_description();
        // The default of what must be there is never used.
        let default = found.default.filter(|_| !required);
        let optional = !required || (found.ty.is_optional() && !anything);
        let ty = found.ty.with_optional(optional && default.is_none());
        let mut field = Field::new(name.to_owned(), ty);
        if let Some(default) = default {
            field = field.with_default(default);
        }
        if let Some(description) = description {
            field = field.with_description(description);
        }
        field
    }

    /// Returns the parameters in the schema of the arguments.
    pub(super) fn parameters(&mut self, arguments: ReadSchema) -> Option<Vec<Param>> {
        let params = match arguments.ty.kind() {
            Kind::Object(Shape::Fields(fields)) => fields_of(fields).to_vec(),
            Kind::Object(Shape::Open) => Vec::new(),
            _ => {
                let label = arguments.ty.label();
                self.report(
                    format!("the arguments of a call are an object of named values, not `{label}`"),
                    "write `\"type\": \"object\"` and a property for each parameter",
                );
                return None;
            }
        };
        if !arguments.ty.constraints().is_none() {
            self.report_at(
                "enum",
                "arguments are declared one by one, not as a whole",
                "",
            );
        }
        let names = params.iter().map(Param::name);
        for name in names.filter(|name| !is_parameter_name(name)) {
            let help = format!("write {PARAMETER_NAMES}");
            self.report_at("properties", not_a_parameter_name(name), help);
        }
        Some(params)
    }
}

impl Converter<'_> {
    /// Makes one type of the arms of a union.
    pub(super) fn union(
        &mut self,
        key: &'static str,
        arms: Vec<Option<ReadSchema>>,
    ) -> Option<ReadSchema> {
        let arms: Option<Vec<ReadSchema>> = arms.into_iter().collect();
        let arms = arms?;
        let allow_null = arms.iter().filter(|arm| allows_null(&arm.ty)).count();
        // In `oneOf`, exactly one arm may allow a value.
        if key == "oneOf" && allow_null > 1 {
            let message = "several arms allow `null`, so `oneOf` refuses it";
            if !self.lose_at(Loss::Overlaps, key, message, "write `anyOf`") {
                return None;
            }
        }
        let values = arms.into_iter();
        let mut values: Vec<ReadSchema> = values
            .filter(|arm| !matches!(arm.ty.kind(), Kind::Null))
            .collect();
        if key == "anyOf" {
            absorb(&mut values);
        }
        let mut found = match values.len() {
            0 => return Some(ReadSchema::of(Type::new(Kind::Null))),
            1 => values.remove(0),
            _ => match constants(&values) {
                Some(constants) => self.enumeration(key, constants)?,
                None if self.lose_union(key, &values) => ReadSchema::of(Type::new(Kind::Any)),
                None => return None,
            },
        };
        found.ty = Box::new((*found.ty).with_optional(allow_null > 0));
        Some(found)
    }

    /// Returns an enumeration of the constants of all arms, with the description of each.
    fn enumeration(&mut self, key: &'static str, arms: Vec<Constants<'_>>) -> Option<ReadSchema> {
        let mut found = ReadSchema::of(Type::new(Kind::Any));
        let mut all: Vec<Value> = Vec::new();
        let mut texts = HashSet::new();
        for arm in &arms {
            let mut own = HashSet::new();
            for value in arm.values {
                let text = constant_text(value);
                if !own.insert(text.clone()) {
                    continue;
                }
                if texts.insert(text.clone()) {
                    all.push(value.clone());
                } else if key == "oneOf" {
                    let message = format!("two arms allow {text}, so `oneOf` refuses it");
                    if !self.lose_at(Loss::Overlaps, key, message, "keep one of them") {
                        return None;
                    }
                }
            }
            if let (Some(text), [value]) = (arm.description, arm.values) {
                found
                    .cases
                    .push(format!("- {}: {text}", constant_text(value)));
            }
        }
        let kind =
            arms.iter()
                .skip(1)
                .fold(arms[0].kind.clone(), |all, arm| match (&all, arm.kind) {
                    (Kind::Int, Kind::Double) | (Kind::Double, Kind::Int) => Kind::Double,
                    (all_kind, kind) if same_kind(all_kind, kind) => all,
                    _ => Kind::Any,
                });
        let mut constraints = Constraints::NONE;
        constraints.enumeration = Cow::Owned(all);
        *found.ty = Type::new(kind).with_constraints(constraints);
        Some(found)
    }

    fn lose_union(&mut self, key: &'static str, arms: &[ReadSchema]) -> bool {
        let labels: Vec<_> = arms
            .iter()
            .map(|arm| format!("`{}`", arm.ty.label()))
            .collect();
        let message = format!(
            "a value has one type in gram, and these are {}",
            labels.join(", ")
        );
        let help = "choose one, make one object with optional properties of them";
        self.lose_at(Loss::Unions, key, message, help)
    }
}

/// Removes the arms of `anyOf` whose values another arm allows as well.
fn absorb(arms: &mut Vec<ReadSchema>) {
    let mut at = 0;
    while at < arms.len() {
        let narrow = &arms[at].ty;
        let mut others = arms[..at].iter().chain(&arms[at + 1..]);
        if others.any(|wide| is_within(narrow, &wide.ty)) {
            arms.remove(at);
        } else {
            at += 1;
        }
    }
}

/// Whether a type allows each value of another, as far as the kinds and a lack of constraints show.
fn is_within(narrow: &Type, wide: &Type) -> bool {
    if same_required(narrow, wide) {
        return true;
    }
    wide.constraints().is_none()
        && match (narrow.kind(), wide.kind()) {
            (_, Kind::Any)
            | (Kind::Text, Kind::Text)
            | (Kind::Int, Kind::Int | Kind::Double)
            | (Kind::Double, Kind::Double)
            | (Kind::Bool, Kind::Bool)
            | (Kind::Object(_), Kind::Object(Shape::Open)) => true,
            (Kind::Array(narrow), Kind::Array(wide)) => {
                (wide.get().is_optional() || !narrow.get().is_optional())
                    && is_within(narrow.get(), wide.get())
            }
            _ => false,
        }
}

/// An arm that allows a few values only.
struct Constants<'f> {
    kind: &'f Kind,
    values: &'f [Value],
    description: Option<&'f str>,
}

/// The constants of the arms, if that is all they allow.
fn constants(arms: &[ReadSchema]) -> Option<Vec<Constants<'_>>> {
    let of = |arm: &'_ ReadSchema| -> Option<()> {
        let constraints = arm.ty.constraints();
        let kind = matches!(
            arm.ty.kind(),
            Kind::Any | Kind::Text | Kind::Int | Kind::Double | Kind::Bool
        );
        (kind && !constraints.enumeration().is_empty()).then_some(())
    };
    arms.iter()
        .map(|arm| {
            of(arm)?;
            Some(Constants {
                kind: arm.ty.kind(),
                values: arm.ty.constraints().enumeration(),
                description: arm.description.as_deref(),
            })
        })
        .collect()
}

/// A constant as JSON text, equal for numbers that are equal.
fn constant_text(value: &Value) -> String {
    match value {
        Value::Decimal(decimal) if decimal.value().fract() == 0.0 => {
            // Adding zero turns -0 into 0.
            format!("{:.0}", decimal.value() + 0.0)
        }
        value => plain(value).map_or_else(String::new, |json| json.to_string()),
    }
}

fn allows_null(ty: &Type) -> bool {
    matches!(ty.kind(), Kind::Null) || ty.is_optional() || is_anything(ty)
}

fn same_kind(left: &Kind, right: &Kind) -> bool {
    matches!(
        (left, right),
        (Kind::Text, Kind::Text)
            | (Kind::Int, Kind::Int)
            | (Kind::Double, Kind::Double)
            | (Kind::Bool, Kind::Bool)
    )
}
