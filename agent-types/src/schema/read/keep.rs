//! Parts that gram cannot express, kept whole as the `schema` of an `Any`.

use crate::constraints::Constraints;
use crate::json_value::{Ordered, json_depth};
use crate::schema::extract::{Extract, MAX_COPIED, sort_keys_of};
use crate::schema::read::anything::{is_anything, unread_part};
use crate::schema::read::converter::{Before, Converter, MOST_NESTING, Place, ReadSchema};
use crate::schema::read::source::Json;
use crate::schema::read::{Loss, Rest};
use crate::terminal;
use crate::types::{Field, Kind, Shape, Type};
use crate::validate::patterns::shown_pattern;
use agent_gram::value::Text;
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

impl<'s> Converter<'s> {
    /// Whether the reader keeps parts that gram cannot express.
    pub(super) fn keeps(&self) -> bool {
        self.reader.rest == Rest::Kept
    }

    /// Whether a loss at this place is one of the arguments as a whole, for which a signature has no place.
    pub(super) fn is_loss_of_arguments(&self) -> bool {
        self.reader.rest != Rest::Refused && self.kept.depth == 0 && self.reads_arguments
    }

    /// Enters a part.
    pub(super) fn enter(&mut self) -> Before {
        if self.kept.depth == 0 {
            self.kept.outside = self.following.len();
        }
        self.kept.depth += 1;
        self.findings()
    }

    /// Leaves a part, which is kept if it could not be read.
    pub(super) fn leave(
        &mut self,
        schema: Json<'s>,
        found: Option<ReadSchema>,
        before: Before,
        place: Place,
    ) -> Option<ReadSchema> {
        self.kept.depth -= 1;
        let mut found = found;
        if self.unfolding.is_too_far && self.reader.rest != Rest::Refused {
            // The outermost part is kept, because parts inside of it would be kept once for each time that it
            // unfolds.
            if self.kept.depth > 0 {
                return None;
            }
            self.unfolding.is_too_far = false;
            found = None;
        }
        let is_read = found.is_some() && self.findings().problems == before.problems;
        match self.reader.rest {
            _ if is_read => return found,
            Rest::Refused => return found,
            Rest::Any => {
                self.forget_since(Before {
                    losses: self.findings().losses,
                    ..before
                });
                return Some(ReadSchema::of(unread_part()));
            }
            Rest::Kept => {}
        }
        // An error about too many parts was reported already, and a copy would add more parts.
        if self.is_spent() {
            return None;
        }
        if let Some(first) = self.kept.circle {
            if first >= self.kept.outside && self.following.len() > first {
                return None;
            }
            self.kept.circle = None;
        }
        match self.kept_part(schema, place) {
            Ok((kept, patterns)) => {
                self.forget_since(before);
                self.lose_patterns(&patterns);
                Some(kept)
            }
            // A part that has no description is left to the part around it, if there is one.
            Err(reason)
                if self.reader.is_foreign
                    && (place == Place::Described || self.kept.depth == 0) =>
            {
                self.forget_since(before);
                self.shown_part(schema, &reason)
            }
            Err(reason) => {
                self.report(
                    format!("`schema` cannot keep this part either: {reason}"),
                    "",
                );
                None
            }
        }
    }

    /// Lists the regular expressions of a part that is kept and that cannot be used here. The part still has them, for the
    /// model and for a validator that can use them.
    fn lose_patterns(&mut self, patterns: &[String]) {
        if !self.allows(Loss::Patterns) {
            return;
        }
        for pattern in patterns {
            if let Err(reason) = self.patterns.check(pattern) {
                let pattern = shown_pattern(pattern);
                let message =
                    format!("the pattern {pattern:?} of this part cannot be used: {reason}");
                self.lose(Loss::Patterns, message, "");
            }
        }
    }

    /// Returns a type of any value for a part that cannot be kept, such as one that refers to another
    /// document: the model reads the part as it is.
    fn shown_part(&mut self, schema: Json<'s>, reason: &str) -> Option<ReadSchema> {
        /// The longest text that is shown.
        const LONGEST: usize = 4 << 10;
        let text = schema
            .to_ordered(0)
            .map(|part| terminal::json(&part.to_string()));
        let Some(text) = text.filter(|text| text.len() <= LONGEST) else {
            let message = format!("neither gram nor `schema` can express this part: {reason}");
            self.report(message, "");
            return None;
        };
        self.lose_part(format!("any value is allowed here, because {reason}"));
        let mut found = ReadSchema::of(Type::new(Kind::Any));
        found.cases.push(format!("- JSON Schema: {text}"));
        Some(found)
    }

    /// Records that a reference closes a circle, which begins with the reference at index `first`.
    pub(super) fn note_circle(&mut self, first: usize) {
        let first = self.kept.circle.map_or(first, |held| held.min(first));
        self.kept.circle = Some(first);
    }

    /// Keeps a part whole. Returns it with the regular expressions in it.
    fn kept_part(
        &mut self,
        schema: Json<'s>,
        place: Place,
    ) -> Result<(ReadSchema, Vec<String>), String> {
        const TOO_DEEP: &str = "it nests too deep";
        let (mut part, whole) = match (schema, self.whole()) {
            (Json::Bool(false), _) => {
                return Ok((with_schema(r#"{"not":{}}"#, false), Vec::new()));
            }
            (schema, Some(whole)) => (schema.to_ordered(0).ok_or(TOO_DEEP)?, whole),
            (_, None) => return Err(TOO_DEEP.to_owned()),
        };
        sort_keys_of(&mut part);
        let mut description = None;
        if let (Place::Described, Ordered::Object(members)) = (place, &mut part)
            && let Some(at) = members.iter().position(|(key, _)| *key == "description")
            && let Ordered::Text(text) = &members[at].1
        {
            description = Some(text.to_string());
            members.remove(at);
        }
        let mut optional = false;
        if place == Place::Nested
            && let Some(other) = beside_null(&part)
        {
            optional = true;
            part = other;
        }
        let mut extract = Extract::new(&whole);
        let text = extract.text_of(&part);
        if !self.copy(extract.copied_parts()) {
            return Err(format!("it has more than {MAX_COPIED} parts"));
        }
        let text = text?;
        let patterns = extract.patterns.iter().map(|pattern| (*pattern).to_owned());
        let patterns = patterns.collect();
        if self.nesting + json_depth(&text) / 2 > MOST_NESTING {
            return Err(TOO_DEEP.to_owned());
        }
        let mut kept = with_schema(&text, optional);
        *kept.ty = kept.ty.with_null_kept(names_null(schema));
        kept.description = description;
        Ok((kept, patterns))
    }

    /// The document, which the references of a part lead into.
    fn whole(&mut self) -> Option<Rc<Ordered>> {
        if self.kept.whole.is_none() {
            if !self.copy(self.root.weight()) {
                return None;
            }
            let mut whole = self.root.to_ordered(0)?;
            sort_keys_of(&mut whole);
            self.kept.whole = Some(Rc::new(whole));
        }
        self.kept.whole.clone()
    }

    /// Returns the fields of arguments that are one of several records: those of all records, required where each
    /// record requires them, and the type of further arguments, if one of the records has them.
    pub(super) fn fields_of_any(&mut self, types: &[Type]) -> (Vec<Field>, Option<Type>) {
        let mut all: Vec<(Field, usize, usize)> = Vec::new();
        let mut places = HashMap::new();
        let mut further: Option<Type> = None;
        // Arguments are an object, so a type without objects allows no arguments.
        let objects = types.iter().filter_map(|ty| match ty.kind() {
            Kind::Object(shape) => Some(Cow::Borrowed(shape)),
            Kind::Any => Some(Cow::Owned(Shape::Open)),
            _ => None,
        });
        let objects: Vec<Cow<'_, Shape>> = objects.collect();
        for shape in &objects {
            let values = match &**shape {
                Shape::Open => Some(Type::ANY),
                shape => shape.values(),
            };
            further = match (further, values) {
                (Some(held), Some(values)) if held != *values => Some(Type::new(Kind::Any)),
                (held, values) => held.or(values.cloned()),
            };
            for field in shape.fields() {
                let required = usize::from(!field.is_optional());
                match *places.entry(field.name()).or_insert(all.len()) {
                    at if at == all.len() => all.push((field.clone(), required, 1)),
                    at => {
                        let (held, count, records) = &mut all[at];
                        *held = self.field_of_either(held, field);
                        *count += required;
                        *records += 1;
                    }
                }
            }
        }
        let message = "a signature has one list of arguments, so all of these records become one";
        let root = self.root;
        let lists = ["oneOf", "anyOf"].into_iter();
        let lists: Vec<_> = lists.filter(|key| root.member(key).is_some()).collect();
        for key in &lists {
            self.lose_at(Loss::Conditions, *key, message, "");
        }
        if lists.is_empty() {
            self.lose(Loss::Conditions, message, "");
        }
        // If one record names an argument, another record may have that argument among its further arguments.
        if let Some(values) = &further {
            for (field, _, records) in &mut all {
                if *records < objects.len() {
                    let other = Field::new(field.name().to_owned(), values.clone());
                    *field = self.field_of_either(field, &other);
                }
            }
        }
        let fields = all.into_iter().map(|(field, required, records)| {
            // The default of one record must not arrive beside the arguments of another.
            let has_default = field.default().is_some() && records == objects.len();
            if required == objects.len() || has_default {
                return field;
            }
            let ty = field.ty().clone().with_optional(true);
            with_parts_of(&field, ty)
        });
        (fields.collect(), further)
    }

    /// A field with the values of two fields of one name.
    fn field_of_either(&mut self, left: &Field, right: &Field) -> Field {
        let anything = [left, right]
            .into_iter()
            .find(|field| is_anything(field.ty()));
        if let Some(field) = anything {
            return with_parts_of(left, field.ty().clone().with_null_kept(true));
        }
        let keeps_null = left.ty().keeps_null() || right.ty().keeps_null();
        let arms = [left, right].map(|field| {
            let required = field.ty().clone().with_optional(false);
            Some(ReadSchema::of(required))
        });
        let found = self.union("anyOf", arms.into());
        let ty = found.map_or_else(|| Type::new(Kind::Any), |found| *found.ty);
        let ty = ty.with_optional(false).with_null_kept(keeps_null);
        let field = with_parts_of(left, ty);
        match (left.description(), right.description()) {
            (None, Some(text)) => field.with_description(text.to_owned()),
            _ => field,
        }
    }
}

/// Returns a copy of a field with another type and without the default.
pub(super) fn with_parts_of(of: &Field, ty: Type) -> Field {
    let mut field = Field::new(of.name().to_owned(), ty);
    if let Some(text) = of.description() {
        field = field.with_description(text.to_owned());
    }
    match of.remote() {
        Some(name) => field.with_remote(name.to_owned()),
        None => field,
    }
}

/// Whether a schema names `null` among its values.
fn names_null(schema: Json<'_>) -> bool {
    let Json::Object(members) = schema else {
        return false;
    };
    let any_item = |key, is: fn(Json<'_>) -> bool| match members.get(key) {
        Some(Json::List(items)) => items.iter().any(is),
        Some(item) => is(item),
        None => false,
    };
    let is_null = |value: Json<'_>| matches!(value, Json::Null);
    let has_type = members.get("type").is_some();
    has_type && matches!(members.get("nullable"), Some(Json::Bool(true)))
        || any_item("type", |word| matches!(word, Json::Text("null")))
        || any_item("enum", is_null)
        || any_item("const", is_null)
        || any_item("anyOf", names_null)
        || any_item("oneOf", names_null)
}

/// The schema beside `null` in an `anyOf` that has nothing else.
fn beside_null(part: &Ordered) -> Option<Ordered> {
    let Ordered::Object(members) = part else {
        return None;
    };
    let [(key, Ordered::Array(arms))] = members.as_slice() else {
        return None;
    };
    let null = || Ordered::Object(vec![("type".into(), Ordered::text("null"))]);
    match arms.as_slice() {
        [other @ Ordered::Object(_), last] if *key == "anyOf" && *last == null() => {
            Some(other.clone())
        }
        _ => None,
    }
}

/// An `Any` with a schema in canonical form.
fn with_schema(text: &str, optional: bool) -> ReadSchema {
    let mut constraints = Constraints::NONE;
    if text != "{}" {
        constraints.schema = Some(Text::new(text));
    }
    let ty = Type::new(Kind::Any).with_constraints(constraints);
    ReadSchema::of(ty.with_optional(optional))
}
