//! Comparing the types that attributes state for parameters with the JSON Schemas of their Rust types by
//! schemars.

use agent_spec::__private::Host;
use agent_spec::names::nearest;
use agent_spec::schema::SchemaReader;
use agent_spec::types::{Field, Shape, fields_of};
use agent_spec::{Kind, Signature, Type};

/// Returns the problems of the types that are stated for the parameters of a tool.
///
/// The Rust type must accept each value of the stated type: the kinds must be equal, and the fields must exist
/// and include the required ones. Further limits of the Rust type, such as the range of an integer, are not
/// compared; serde reports a value outside of them.
pub(super) fn stated_reasons(tool: &str, signature: &Signature) -> Vec<String> {
    let mut reasons = Vec::new();
    for param in signature.params() {
        let Some(Host::Schema(schema)) = param.ty().host() else {
            continue;
        };
        // A schema that gram cannot express at all cannot be compared. Losses only widen the type.
        let Ok(theirs) = SchemaReader::lossy().read_type(&schema()) else {
            continue;
        };
        if let Err(gap) = within(param.ty(), &theirs, param.name()) {
            reasons.push(format!(
                "tool `{tool}`: the type that is stated for parameter `{}` is not that of its Rust \
                 type: {gap}",
                param.name()
            ));
        }
    }
    reasons
}

/// Checks that the Rust type accepts each value of the stated type. The error names the path where it does not.
fn within(stated: &Type, theirs: &Type, path: &str) -> Result<(), String> {
    // `Any` states nothing.
    if matches!(stated.kind(), Kind::Any) || matches!(theirs.kind(), Kind::Any) {
        return Ok(());
    }
    if stated.is_optional() && !theirs.is_optional() {
        return Err(format!(
            "`{path}` may be missing, and the Rust type requires it"
        ));
    }
    match (stated.kind(), theirs.kind()) {
        (Kind::Text, Kind::Text)
        | (Kind::Bool, Kind::Bool)
        | (Kind::Int, Kind::Int | Kind::Double)
        | (Kind::Double, Kind::Double)
        | (Kind::Null, Kind::Null)
        | (Kind::Object(Shape::Open), Kind::Object(_))
        | (Kind::Object(_), Kind::Object(Shape::Open)) => Ok(()),
        (Kind::Media(stated), Kind::Media(theirs)) if stated == theirs => Ok(()),
        (Kind::Union(stated), _) => stated.iter().try_for_each(|ty| within(ty, theirs, path)),
        (_, Kind::Union(types)) => {
            let fits = |ty: &Type| within(stated, ty, path).is_ok();
            match types.iter().any(fits) {
                true => Ok(()),
                false => Err(format!(
                    "`{path}` is stated as `{}`, and the Rust type has no such variant",
                    stated.label()
                )),
            }
        }
        (Kind::Tuple(stated), Kind::Tuple(theirs)) => {
            if stated.len() != theirs.len() {
                return Err(format!(
                    "`{path}` is stated with {} elements, and the Rust type has {}",
                    stated.len(),
                    theirs.len()
                ));
            }
            let mut pairs = stated.iter().zip(theirs.iter()).enumerate();
            pairs.try_for_each(|(at, (stated, theirs))| {
                within(stated, theirs, &format!("{path}[{at}]"))
            })
        }
        (Kind::Array(stated), Kind::Array(theirs)) => within(stated, theirs, &format!("{path}[]")),
        (Kind::Object(Shape::Map(stated)), Kind::Object(Shape::Map(theirs))) => {
            within(stated, theirs, &format!("{path}.*"))
        }
        (Kind::Object(Shape::Fields(stated)), Kind::Object(Shape::Map(theirs))) => {
            fields_of(stated)
                .iter()
                .try_for_each(|field| within(field.ty(), theirs, &inner(path, field)))
        }
        (Kind::Object(Shape::Fields(stated)), Kind::Object(Shape::Fields(theirs))) => {
            fields_within(fields_of(stated), fields_of(theirs), path)
        }
        _ => Err(format!(
            "`{path}` is stated as `{}`, and the Rust type is `{}`",
            stated.label(),
            theirs.label()
        )),
    }
}

fn fields_within(stated: &[Field], theirs: &[Field], path: &str) -> Result<(), String> {
    for field in stated {
        let Some(other) = theirs.iter().find(|other| other.name() == field.name()) else {
            let gap = format!("the Rust type has no field `{}`", inner(path, field));
            return Err(
                match nearest(field.name(), theirs.iter().map(Field::name)) {
                    Some(meant) => format!("{gap}; did you mean `{meant}`?"),
                    None => gap,
                },
            );
        };
        if field.is_optional() && !other.is_optional() {
            let path = inner(path, field);
            return Err(format!(
                "`{path}` may be missing, and the Rust type requires it"
            ));
        }
        let ty = other.ty().clone().with_optional(true);
        within(field.ty(), &ty, &inner(path, field))?;
    }
    for other in theirs.iter().filter(|other| !other.is_optional()) {
        if stated.iter().all(|field| field.name() != other.name()) {
            return Err(format!(
                "the field `{}` is missing, and the Rust type requires it",
                inner(path, other)
            ));
        }
    }
    Ok(())
}

fn inner(path: &str, field: &Field) -> String {
    format!("{path}.{}", field.name())
}
