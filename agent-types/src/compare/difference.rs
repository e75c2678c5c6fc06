//! Finds the part in which two types differ. There is one walk for all rules: a new kind of type is one
//! arm of `of_types`.

use super::fingerprint::{fingerprint, fingerprints, has_other_tag};
use super::literal::{first_beyond, surely_fits};
use super::narrowing::{keyword_beyond, wider_keyword};
use super::rule::Rule;
use super::{defaults_agree, find_field, find_field_near, same_opt_text};
use crate::host::{Host, IntRange};
use crate::keyword::{FIELD, Keyword};
use crate::names::nearly_spells;
use crate::text::same_text;
use crate::types::{Field, Kind, MOST_ALTERNATIVES, Shape, Type, fields_of, types_of};
use agent_gram::print::writer::Trail;

/// A difference of two types, and its position in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The kind.
    pub how: DifferenceKind,
    /// The position in the inner type, whose values the outer type must accept.
    pub inner: Trail,
    /// The position in the outer type.
    pub outer: Trail,
}

/// The kind of difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// The labels differ.
    Label,
    /// The shapes differ: a map, any object, or an object with fields.
    Shape,
    /// The inner type, or one type of the inner union, fits no type of the outer one.
    Alternative,
    /// The inner type has a field that the outer one has not.
    Unknown,
    /// The inner type has a field that a validator of the outer type reads as a misspelling of a field
    /// that may be missing.
    Misspelled,
    /// The outer type requires a field that the inner one has not.
    Missing,
    /// One of the two types is optional and the other is not.
    Optional,
    /// The inner type is narrowed less by a keyword.
    Wider,
    /// The values of a keyword differ where they should be equal.
    Unequal,
    /// A number of the inner type, in a keyword or a default, is outside of this range of the outer
    /// type's Rust integer.
    Range(&'static IntRange),
}

impl Difference {
    /// Returns the keyword that the difference is in.
    #[must_use]
    pub const fn keyword(&self) -> Keyword {
        let mut steps = self.inner.steps();
        while let [before @ .., last] = steps {
            if let Some(keyword) = Keyword::of_step(*last) {
                return keyword;
            }
            steps = before;
        }
        Keyword::Type
    }
}

/// The trails to a part of the inner and of the outer type.
pub type Trails = (Trail, Trail);

/// The trails to the types themselves.
pub(crate) const START: Trails = (Trail::EMPTY, Trail::EMPTY);

const fn found(how: DifferenceKind, at: Trails) -> Option<Difference> {
    Some(Difference {
        how,
        inner: at.0,
        outer: at.1,
    })
}

const fn then(at: Trails, keyword: Keyword) -> Trails {
    (at.0.then(keyword.step()), at.1.then(keyword.step()))
}

/// Returns the first difference of two types, apart from being optional at the top. `None` when the rule
/// holds. `at` leads to the types.
pub(crate) const fn of_types(
    inner: &Type,
    outer: &Type,
    rule: Rule,
    at: Trails,
) -> Option<Difference> {
    if inner.is_refused() || outer.is_refused() {
        return None;
    }
    if rule.is_result() && lists_only(inner, outer) {
        return None;
    }
    let nested = match (inner.kind(), outer.kind()) {
        (Kind::Media(a), Kind::Media(b)) if a.is_same(*b) => None,
        (Kind::Media(_), _) | (_, Kind::Media(_)) => {
            return found(DifferenceKind::Label, then(at, Keyword::Type));
        }
        (_, Kind::Any) if rule.is_result() => None,
        (Kind::Union(_), _) | (_, Kind::Union(_)) => return of_unions(inner, outer, rule, at),
        (Kind::Any, Kind::Any)
        | (Kind::Null, Kind::Null)
        | (Kind::Text, Kind::Text)
        | (Kind::Int, Kind::Int)
        | (Kind::Double, Kind::Double)
        | (Kind::Bool, Kind::Bool) => None,
        (Kind::Int, Kind::Double) if rule.is_result() => None,
        (Kind::Array(_) | Kind::Tuple(_), Kind::Array(_) | Kind::Tuple(_)) => {
            of_lists(inner, outer, rule, at)
        }
        (Kind::Object(a), Kind::Object(b)) => {
            let open = matches!(rule, Rule::Answered) && !outer.is_closed();
            of_shapes((a, open), b, rule, at)
        }
        _ => return found(DifferenceKind::Label, then(at, Keyword::Type)),
    };
    if nested.is_some() {
        return nested;
    }
    of_constraints(inner, outer, rule, at)
}

const fn of_constraints(inner: &Type, outer: &Type, rule: Rule, at: Trails) -> Option<Difference> {
    if let Some(keyword) = wider_keyword(inner, outer.constraints(), rule) {
        let how = if rule.is_equal() {
            DifferenceKind::Unequal
        } else {
            DifferenceKind::Wider
        };
        return found(how, then(at, keyword));
    }
    if rule.is_equal()
        && let Some(keyword) = wider_keyword(outer, inner.constraints(), rule)
    {
        return found(DifferenceKind::Unequal, then(at, keyword));
    }
    of_numbers(inner, outer, rule, at)
}

/// Compares the numbers that a type names with the Rust type that reads its values.
const fn of_numbers(inner: &Type, outer: &Type, rule: Rule, at: Trails) -> Option<Difference> {
    match rule {
        Rule::Argument | Rule::Answered => match keyword_beyond(inner.constraints(), outer) {
            Some((keyword, range)) => beyond(keyword, range, at),
            None => None,
        },
        Rule::Equal | Rule::Result | Rule::Passed => None,
    }
}

/// Compares two types of which at least one is a union: each type of the inner one fits one of the outer.
const fn of_unions(inner: &Type, outer: &Type, rule: Rule, at: Trails) -> Option<Difference> {
    if matches!(inner.kind(), Kind::Any) || matches!(outer.kind(), Kind::Any) {
        let takes_any = is_any_value(outer) && !has_own_schema(outer);
        return if !rule.is_result() && !rule.is_equal() && takes_any {
            None
        } else {
            found(DifferenceKind::Shape, at)
        };
    }
    if rule.is_equal() {
        return of_equal_unions(inner, outer, at);
    }
    let constraints = of_constraints(inner, outer, rule, at);
    let likely = match outer.kind() {
        Kind::Union(types) => fingerprints(types_of(types)),
        _ => [0; MOST_ALTERNATIVES],
    };
    let Kind::Union(types) = inner.kind() else {
        return match of_alternative(inner, (outer, &likely), rule, at, 0) {
            Ok(_) => constraints,
            // Each listed value may fit another type of the union.
            Err(_) if have_label(outer, inner.label()) && lists_only(inner, outer) => constraints,
            Err(difference) => Some(difference),
        };
    };
    let types = types_of(types);
    let is_union = matches!(outer.kind(), Kind::Union(_));
    let mut next = 0;
    let mut index = 0;
    while index < types.len() {
        let places = (
            at.0.then(Keyword::AnyOf.step()).then(FIELD + index as u16),
            at.1,
        );
        match of_alternative(&types[index], (outer, &likely), rule, places, next) {
            // Two unions mostly have the same order, so the search continues behind the last place.
            Ok(place) => next = place + 1,
            Err(difference) => return Some(difference),
        }
        // A keyword that narrows the outer union must narrow the inner union, or each of its types.
        if is_union
            && constraints.is_some()
            && wider_keyword(&types[index], outer.constraints(), rule).is_some()
        {
            return constraints;
        }
        index += 1;
    }
    of_numbers(inner, outer, rule, at)
}

/// Compares two unions that should be equal. The order counts, because the first type that a value fits has
/// the defaults.
const fn of_equal_unions(inner: &Type, outer: &Type, at: Trails) -> Option<Difference> {
    let (Kind::Union(ours), Kind::Union(theirs)) = (inner.kind(), outer.kind()) else {
        return if same_text(inner.label(), outer.label()) {
            found(DifferenceKind::Shape, at)
        } else {
            found(DifferenceKind::Label, then(at, Keyword::Type))
        };
    };
    let (ours, theirs) = (types_of(ours), types_of(theirs));
    let list = then(at, Keyword::AnyOf);
    if ours.len() != theirs.len() {
        return found(DifferenceKind::Unequal, list);
    }
    let mut index = 0;
    while index < ours.len() {
        let step = FIELD + index as u16;
        let places = (list.0.then(step), list.1.then(step));
        if type_difference(&ours[index], &theirs[index], Rule::Equal, places).is_some() {
            return found(DifferenceKind::Unequal, places);
        }
        index += 1;
    }
    of_constraints(inner, outer, Rule::Equal, at)
}

/// Returns the index of the type of the union `outer` that `inner` fits. The search begins at `start` and
/// skips types with another tag. If `inner` fits no type, returns the difference from the nearest type: the
/// only type of the same fingerprint, otherwise the only type of the same label. If `outer` is not a union,
/// `outer` is the only type.
const fn of_alternative(
    inner: &Type,
    (outer, fingerprints): (&Type, &[u64; MOST_ALTERNATIVES]),
    rule: Rule,
    at: Trails,
    start: usize,
) -> Result<usize, Difference> {
    let Kind::Union(types) = outer.kind() else {
        return match of_types(inner, outer, rule, at) {
            None => Ok(0),
            Some(difference) => Err(difference),
        };
    };
    let types = types_of(types);
    let list = (at.0, at.1.then(Keyword::AnyOf.step()));
    let own = fingerprint(inner);
    // `alike` and `of_same_label` are `Some(None)` when several types of the union could be meant.
    let mut alike = None;
    let mut of_same_label = None;
    let mut likely = true;
    loop {
        let mut tried = 0;
        while tried < types.len() {
            let place = (start + tried) % types.len();
            tried += 1;
            let is_alike = place < MOST_ALTERNATIVES && fingerprints[place] == own;
            if is_alike != likely || has_other_tag(inner, &types[place]) {
                continue;
            }
            let places = (list.0, list.1.then(FIELD + place as u16));
            let Some(difference) = of_types(inner, &types[place], rule, places) else {
                return Ok(place);
            };
            if is_alike {
                alike = Some(only(alike, difference));
            }
            if same_text(inner.label(), types[place].label()) {
                of_same_label = Some(only(of_same_label, difference));
            }
        }
        // The types that probably fit were tried first.
        if !likely {
            break;
        }
        likely = false;
    }
    Err(match (alike, of_same_label) {
        (Some(Some(difference)), _) | (_, Some(Some(difference))) => difference,
        _ => Difference {
            how: DifferenceKind::Alternative,
            inner: list.0,
            outer: list.1,
        },
    })
}

/// Returns `next` if no difference was found before, otherwise `None`.
const fn only(found: Option<Option<Difference>>, next: Difference) -> Option<Difference> {
    match found {
        None => Some(next),
        Some(_) => None,
    }
}

/// Compares two lists, each with one type for all elements or a type for each.
const fn of_lists(inner: &Type, outer: &Type, rule: Rule, at: Trails) -> Option<Difference> {
    let count = match (inner.kind(), outer.kind()) {
        (Kind::Tuple(a), Kind::Tuple(b)) if types_of(a).len() != types_of(b).len() => {
            return found(DifferenceKind::Unequal, then(at, Keyword::Items));
        }
        (Kind::Tuple(a), Kind::Tuple(_)) => types_of(a).len(),
        (Kind::Tuple(a), _) if !rule.is_equal() => types_of(a).len(),
        (_, Kind::Tuple(b)) if !rule.is_equal() && has_length(inner, types_of(b).len()) => {
            types_of(b).len()
        }
        (Kind::Tuple(_), _) | (_, Kind::Tuple(_)) => return found(DifferenceKind::Shape, at),
        _ => 1,
    };
    let mut index = 0;
    while index < count {
        let (ours, own) = element(inner, index, at.0);
        let (theirs, other) = element(outer, index, at.1);
        let difference = type_difference(ours, theirs, rule, (own, other));
        if difference.is_some() {
            return difference;
        }
        index += 1;
    }
    None
}

/// Returns the type of an element of a list, and the trail to it.
const fn element(list: &Type, index: usize, at: Trail) -> (&Type, Trail) {
    match list.kind() {
        Kind::Array(element) => (element.get(), at.then(Keyword::ElementType.step())),
        Kind::Tuple(types) => (
            &types_of(types)[index],
            at.then(Keyword::Items.step()).then(FIELD + index as u16),
        ),
        _ => (list, at),
    }
}

/// Whether every list of a type has exactly `count` elements.
const fn has_length(ty: &Type, count: usize) -> bool {
    match (ty.constraints().min_items, ty.constraints().max_items) {
        (Some(least), Some(most)) => least == most && least == count as u64,
        _ => false,
    }
}

/// Returns the difference that a number of a keyword does not fit the Rust type.
const fn beyond(keyword: Keyword, range: &'static IntRange, at: Trails) -> Option<Difference> {
    let places = (at.0.then(keyword.step()), at.1.then(Keyword::Type.step()));
    found(DifferenceKind::Range(range), places)
}

/// Whether `inner` lists its values, and `outer` has each of them.
const fn lists_only(inner: &Type, outer: &Type) -> bool {
    let values = inner.constraints().enumeration();
    let (mut at, mut near) = (0, 0);
    while at < values.len() {
        if !surely_fits(&values[at], outer, &mut near) {
            return false;
        }
        at += 1;
    }
    !values.is_empty()
}

/// Returns the first difference of two types of elements, of values or of whole results. Being optional at
/// the top counts, too. `at` leads to the types.
pub const fn type_difference(
    inner: &Type,
    outer: &Type,
    rule: Rule,
    at: Trails,
) -> Option<Difference> {
    let is_optional = match rule {
        Rule::Equal => inner.is_optional() != outer.is_optional(),
        Rule::Argument | Rule::Passed | Rule::Answered => {
            inner.is_optional() && !outer.is_optional()
        }
        Rule::Result => {
            if matches!(inner.kind(), Kind::Null) && allows_null(outer) {
                return None;
            }
            let difference = of_types(inner, outer, rule, at);
            if difference.is_some() {
                return difference;
            }
            inner.is_optional() && !allows_null(outer)
        }
    };
    if is_optional {
        return found(DifferenceKind::Optional, then(at, Keyword::Optional));
    }
    if rule.is_result() {
        return None;
    }
    of_types(inner, outer, rule, at)
}

/// Whether `null` is a value of a type.
const fn allows_null(ty: &Type) -> bool {
    ty.is_optional() || matches!(ty.kind(), Kind::Null) || is_any_value(ty)
}

/// Whether every JSON value is of a type.
const fn is_any_value(ty: &Type) -> bool {
    matches!(ty.kind(), Kind::Any) && ty.constraints().is_none()
}

/// Whether a type has a JSON Schema of its own, which refuses values that the type allows.
const fn has_own_schema(ty: &Type) -> bool {
    matches!(ty.host(), Some(Host::Schema(_)))
}

/// Whether all types of a union have one label, so that a listed value is sent in the same form to each.
const fn have_label(union: &Type, label: &str) -> bool {
    let Kind::Union(types) = union.kind() else {
        return false;
    };
    let types = types_of(types);
    let mut at = 0;
    while at < types.len() {
        if !same_text(types[at].label(), label) {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether every object is of a shape: any object, or a map whose values are of any type.
const fn is_any_object(shape: &Shape) -> bool {
    match shape {
        Shape::Open => true,
        Shape::Map(values) => is_any_value(values.get()) && !has_own_schema(values.get()),
        Shape::Fields(_) | Shape::Extended(..) => false,
    }
}

/// Compares two shapes. If `open` is set, the inner record may have fields that the outer one does not declare.
const fn of_shapes(
    (inner, open): (&Shape, bool),
    outer: &Shape,
    rule: Rule,
    at: Trails,
) -> Option<Difference> {
    if is_any_object(inner) && is_any_object(outer) {
        return None;
    }
    let values = then(at, Keyword::ValueType);
    match (inner, outer) {
        (Shape::Map(a), Shape::Map(b)) => type_difference(a.get(), b.get(), rule, values),
        (Shape::Fields(a), Shape::Fields(b)) => {
            let further = if open { Further::Any } else { Further::None };
            of_fields(fields_of(a), fields_of(b), further, rule, at)
        }
        (Shape::Extended(a, ours), Shape::Extended(b, theirs)) => {
            let (a, b) = (fields_of(a), fields_of(b));
            match of_fields(a, b, Further::None, rule, at) {
                // A field that only one of the two declares has the type of further keys in the other.
                None if !have_same_names(a, b) => found(DifferenceKind::Shape, at),
                None => type_difference(ours.get(), theirs.get(), rule, values),
                difference => difference,
            }
        }
        // The spec's record drops further keys before the tool sees them.
        (Shape::Fields(a), Shape::Extended(b, _)) if !rule.is_result() && !rule.is_equal() => {
            of_fields(fields_of(a), fields_of(b), Further::None, rule, at)
        }
        (Shape::Extended(a, _), Shape::Fields(b))
            if rule.is_result() && requires_all(fields_of(a), fields_of(b)) =>
        {
            of_fields(fields_of(a), fields_of(b), Further::None, rule, at)
        }
        (Shape::Fields(a), Shape::Extended(b, theirs)) if rule.is_result() => {
            let further = Further::Of(theirs.get());
            of_fields(fields_of(a), fields_of(b), further, rule, at)
        }
        (Shape::Fields(a), Shape::Map(b)) if rule.is_result() => {
            of_fields(fields_of(a), &[], Further::Of(b.get()), rule, at)
        }
        (Shape::Extended(a, ours), Shape::Map(b)) if rule.is_result() => {
            match type_difference(ours.get(), b.get(), rule, values) {
                None => of_fields(fields_of(a), &[], Further::Of(b.get()), rule, at),
                difference => difference,
            }
        }
        (_, Shape::Open) if rule.is_result() => None,
        // A map may lack any key, and may have a key that nearly spells a field.
        (_, Shape::Fields(b)) if rule.is_result() && fields_of(b).is_empty() => None,
        _ => found(DifferenceKind::Shape, at),
    }
}

/// The rule for fields of an inner record that the outer one does not declare.
#[derive(Clone, Copy)]
enum Further<'a> {
    /// No such field is allowed, except in a result, where it must not look like a misspelling.
    None,
    /// Every such field is allowed.
    Any,
    /// Fields of this type are allowed.
    Of(&'a Type),
}

/// Whether two records have fields of the same names.
const fn have_same_names(left: &[Field], right: &[Field]) -> bool {
    let mut at = 0;
    while at < left.len() {
        if find_field_near(right, left[at].name(), at).is_none() {
            return false;
        }
        at += 1;
    }
    left.len() == right.len()
}

/// Whether the inner record requires each field of the outer one. Otherwise, a further key of the inner
/// record could be such a field, or a misspelling of it.
const fn requires_all(inner: &[Field], outer: &[Field]) -> bool {
    let mut at = 0;
    while at < outer.len() {
        match find_field_near(inner, outer[at].name(), at) {
            Some(own) if !inner[own].is_optional() => {}
            _ => return false,
        }
        at += 1;
    }
    true
}

/// Compares a field with the type of further keys.
const fn of_further_field(field: &Field, values: &Type, places: Trails) -> Option<Difference> {
    // The field may be `null` wherever it may be missing.
    if !field.is_optional() || allows_null(values) {
        return type_difference(field.ty(), values, Rule::Result, places);
    }
    match of_types(field.ty(), values, Rule::Result, places) {
        None => found(DifferenceKind::Optional, then(places, Keyword::Optional)),
        difference => difference,
    }
}

/// Compares the fields of two records. `at` leads to the records.
const fn of_fields(
    inner: &[Field],
    outer: &[Field],
    further: Further<'_>,
    rule: Rule,
    at: Trails,
) -> Option<Difference> {
    let (ours, theirs) = then(at, Keyword::Fields);
    let mut index = 0;
    while index < inner.len() {
        let field = &inner[index];
        let place = ours.then(FIELD + index as u16);
        let difference = match (find_field_near(outer, field.name(), index), further) {
            (Some(other), _) => {
                let places = (place, theirs.then(FIELD + other as u16));
                field_difference(field, &outer[other], rule, places)
            }
            (None, Further::Of(values)) => {
                let places = (place, at.1.then(Keyword::ValueType.step()));
                of_further_field(field, values, places)
            }
            (None, _) if rule.is_result() => match misspelled_field(inner, index, outer) {
                Some(other) => {
                    let places = (place, theirs.then(FIELD + other as u16));
                    found(DifferenceKind::Misspelled, places)
                }
                None => None,
            },
            (None, Further::Any) => None,
            (None, Further::None) => found(DifferenceKind::Unknown, (place, theirs)),
        };
        if difference.is_some() {
            return difference;
        }
        index += 1;
    }
    index = 0;
    while index < outer.len() {
        let is_required = rule.is_equal() || !outer[index].is_optional();
        if is_required && find_field_near(inner, outer[index].name(), index).is_none() {
            let place = theirs.then(FIELD + index as u16);
            return found(DifferenceKind::Missing, (ours, place));
        }
        index += 1;
    }
    None
}

/// Returns the optional field of `outer` that a validator suggests for a field that only `inner` has. The
/// validator does so when the optional field has no value.
const fn misspelled_field(inner: &[Field], at: usize, outer: &[Field]) -> Option<usize> {
    let name = inner[at].name();
    let mut index = 0;
    while index < outer.len() {
        let other = &outer[index];
        if other.is_optional() && nearly_spells(name, other.name()) {
            let may_be_missing = match find_field(inner, other.name()) {
                Some(own) => inner[own].is_optional(),
                None => true,
            };
            if may_be_missing {
                return Some(index);
            }
        }
        index += 1;
    }
    None
}

/// Returns the first difference of two fields, apart from their names. `at` leads to the fields.
pub const fn field_difference(
    inner: &Field,
    outer: &Field,
    rule: Rule,
    at: Trails,
) -> Option<Difference> {
    if rule.is_result() {
        return of_result_field(inner, outer, at);
    }
    let difference = of_types(inner.ty(), outer.ty(), rule, at);
    // With a wrong label, a right default would look wrong.
    if let Some(found) = &difference
        && matches!(found.how, DifferenceKind::Label)
        && found.inner.steps().len() == at.0.steps().len() + 1
    {
        return difference;
    }
    let is_optional = if rule.is_equal() {
        inner.is_optional() != outer.is_optional()
    } else {
        inner.is_optional() && !outer.is_optional()
    };
    if is_optional {
        return found(DifferenceKind::Optional, then(at, Keyword::Optional));
    }
    let same_presence = inner.default().is_some() == outer.default().is_some();
    if rule.is_call() {
        return difference;
    }
    if !defaults_agree(inner, outer) || (rule.is_equal() && !same_presence) {
        return found(DifferenceKind::Unequal, then(at, Keyword::Default));
    }
    if let Some(default) = inner.default()
        && !rule.is_equal()
        && let Some(range) = first_beyond(default, outer.ty())
    {
        return beyond(Keyword::Default, range, at);
    }
    let same_remote = match (inner.remote(), outer.remote()) {
        (Some(a), Some(b)) => same_text(a, b),
        // A function in the place of a server's tool has no remote names.
        (ours, theirs) => !rule.is_equal() || ours.is_none() && theirs.is_none(),
    };
    if difference.is_none() && !same_remote {
        return found(DifferenceKind::Unequal, then(at, Keyword::Remote));
    }
    if difference.is_none()
        && rule.is_equal()
        && !same_opt_text(inner.description(), outer.description())
    {
        return found(DifferenceKind::Unequal, then(at, Keyword::Description));
    }
    difference
}

/// Compares fields of results. Defaults do not matter, because they fill in what a model leaves out of a
/// call.
const fn of_result_field(inner: &Field, outer: &Field, at: Trails) -> Option<Difference> {
    if matches!(inner.ty().kind(), Kind::Null) && outer.is_optional() {
        return None;
    }
    let difference = of_types(inner.ty(), outer.ty(), Rule::Result, at);
    if difference.is_none() && inner.is_optional() && !outer.is_optional() {
        return found(DifferenceKind::Optional, then(at, Keyword::Optional));
    }
    difference
}
