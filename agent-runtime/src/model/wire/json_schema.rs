//! Parts that the conversions of a typed answer's schema into the forms of vendors share.

use agent_gram::value::Text;
use agent_spec::json::Ordered;

/// The formats of texts that vendors support in the schema of an answer.
const FORMATS: [&str; 9] = [
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
];

/// Whether vendors support a `format`.
pub(in crate::model) fn is_known_format(format: &Ordered) -> bool {
    FORMATS.iter().any(|known| *format == Ordered::text(*known))
}

/// Returns the members of a schema; `None` if the schema is no object.
pub(in crate::model) fn members_of(schema: &Ordered) -> Option<&[(Text, Ordered)]> {
    match schema {
        Ordered::Object(members) => Some(members),
        _ => None,
    }
}

/// Whether a schema's `type` has this word.
pub(in crate::model) fn is_of_type(ty: &Ordered, word: &str) -> bool {
    let word = Ordered::text(word.to_owned());
    match ty {
        Ordered::Array(types) => types.contains(&word),
        ty => *ty == word,
    }
}
