//! Words of other languages for types and for their properties, each with the right form in gram: for
//! messages only, since no document may contain them.

/// The meaning of a foreign word for a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// A label of gram has the same meaning.
    Label(&'static str),
    /// A list, `[T]`.
    List,
    /// An object with values of one type, `Map T`.
    Map,
    /// A type whose value may be missing, `Maybe T`.
    Optional,
    /// A type that needs properties: the node's label and record, and the type expression.
    Form(&'static str, &'static str),
}

const TEXT_DATE: Foreign = Foreign::Form("Text {format: \"date\"}", "Text");
const TEXT_TIME: Foreign = Foreign::Form("Text {format: \"date-time\"}", "Text");

/// The words in lower case. A word that gram has is listed in its foreign spellings only.
const TYPES: &[(&str, Foreign)] = &[
    ("float", Foreign::Label("Double")),
    ("decimal", Foreign::Label("Double")),
    ("real", Foreign::Label("Double")),
    ("long", Foreign::Label("Int")),
    ("short", Foreign::Label("Int")),
    ("byte", Foreign::Label("Int")),
    ("str", Foreign::Label("Text")),
    ("char", Foreign::Label("Text")),
    ("varchar", Foreign::Label("Text")),
    ("json", Foreign::Label("Any")),
    ("unknown", Foreign::Label("Any")),
    ("void", Foreign::Label("Null")),
    ("none", Foreign::Label("Null")),
    ("nil", Foreign::Label("Null")),
    ("unit", Foreign::Label("Null")),
    ("picture", Foreign::Label("Image")),
    ("photo", Foreign::Label("Image")),
    ("sound", Foreign::Label("Audio")),
    ("pdf", Foreign::Label("Document")),
    ("list", Foreign::List),
    ("set", Foreign::List),
    ("vec", Foreign::List),
    ("vector", Foreign::List),
    ("sequence", Foreign::List),
    ("map", Foreign::Map),
    ("hashmap", Foreign::Map),
    ("dict", Foreign::Map),
    ("dictionary", Foreign::Map),
    ("maybe", Foreign::Optional),
    ("optional", Foreign::Optional),
    ("option", Foreign::Optional),
    ("nullable", Foreign::Optional),
    (
        "union",
        Foreign::Form("Any {anyOf: [\"Text\", \"Int\"]}", "Text | Int"),
    ),
    (
        "either",
        Foreign::Form("Any {anyOf: [\"Text\", \"Int\"]}", "Text | Int"),
    ),
    (
        "tuple",
        Foreign::Form("Array {items: [\"Text\", \"Int\"]}", "(Text, Int)"),
    ),
    ("enum", Foreign::Form("Text {enum: [\"a\", \"b\"]}", "Text")),
    (
        "record",
        Foreign::Form("Object {fields: {name: \"Text\"}}", "{name: Text}"),
    ),
    (
        "struct",
        Foreign::Form("Object {fields: {name: \"Text\"}}", "{name: Text}"),
    ),
    ("date", TEXT_DATE),
    ("datetime", TEXT_TIME),
    ("timestamp", TEXT_TIME),
    ("time", Foreign::Form("Text {format: \"time\"}", "Text")),
    ("uuid", Foreign::Form("Text {format: \"uuid\"}", "Text")),
    ("uri", Foreign::Form("Text {format: \"uri\"}", "Text")),
    ("url", Foreign::Form("Text {format: \"uri\"}", "Text")),
    ("email", Foreign::Form("Text {format: \"email\"}", "Text")),
];

impl Foreign {
    /// The meaning of a word, in any case.
    pub fn of_type(word: &str) -> Option<Self> {
        let mut types = TYPES.iter();
        let found = types.find(|(foreign, _)| foreign.eq_ignore_ascii_case(word));
        found.map(|(_, meaning)| *meaning)
    }

    /// Returns the advice in place of a label.
    pub fn label_help(self) -> String {
        match self {
            Foreign::Label(label) => label_help(label),
            Foreign::List => {
                "write `Array {elementType: \"Text\"}`, with the type of its elements".to_owned()
            }
            Foreign::Map => {
                "write `Object {valueType: \"Text\"}`, with the type of its values".to_owned()
            }
            Foreign::Optional => {
                "write the type itself as the label, and `optional: true`: `Text {optional: true}`"
                    .to_owned()
            }
            Foreign::Form(form, _) => format!("write `{form}`"),
        }
    }

    /// Returns the advice in a type expression.
    pub(crate) fn expression_help(self) -> String {
        match self {
            Foreign::Label(label) => label_help(label),
            Foreign::List => "a list is `[Text]`, with the type of its elements".to_owned(),
            Foreign::Map => "write `Map Text`, with the type of its values".to_owned(),
            Foreign::Optional => "write `Maybe Text`, with the type of the value".to_owned(),
            Foreign::Form(_, expression) => format!("write `{expression}`"),
        }
    }
}

/// Returns the advice to write a label that gram has.
pub fn label_help(label: &str) -> String {
    match label {
        "Null" => "a result that is nothing is `Null`; elsewhere, write the type of the value and \
                   `optional: true`, in a type expression `Maybe Text`"
            .to_owned(),
        "Image" | "Audio" | "Document" | "Parts" => {
            format!("did you mean `{label}`, which stands only as a whole result?")
        }
        _ => format!("did you mean `{label}`?"),
    }
}

/// Returns the advice for a foreign property of a type with this label, if the word is known.
pub fn property_help(word: &str, label: Option<&str>) -> Option<String> {
    let sized = |of_text: &'static str, of_list: &'static str, of_number: &'static str| match label
    {
        Some("Text" | "String") => of_text,
        Some("Array") => of_list,
        _ => of_number,
    };
    let folded: String = word
        .chars()
        .filter(|c| !matches!(c, '_' | '-' | '$'))
        .collect();
    Some(match folded.to_ascii_lowercase().as_str() {
        "oneof" | "union" => {
            "write `anyOf`, with the type `Any`: `Any {anyOf: [\"Text\", \"Int\"]}`".to_owned()
        }
        "allof" => "write the fields of all of them in one `fields`".to_owned(),
        "nullable" | "isoptional" | "notrequired" => "write `optional: true`".to_owned(),
        "required" | "mandatory" => {
            "everything is required that has no `optional: true` and no `default`".to_owned()
        }
        "properties" | "props" | "members" => {
            "write `fields`: `Object {fields: {name: \"Text\"}}`".to_owned()
        }
        "additionalproperties" | "values" if label == Some("Object") => {
            "write `valueType`, the type of the values: `Object {valueType: \"Text\"}`".to_owned()
        }
        "additionalproperties" => "write `valueType`, with the type `Object`".to_owned(),
        "of" | "element" | "elements" | "itemtype" => {
            "write `elementType`: `Array {elementType: \"Text\"}`".to_owned()
        }
        "prefixitems" => "write `items`".to_owned(),
        "min" => format!("write `{}`", sized("minLength", "minItems", "minimum")),
        "max" => format!("write `{}`", sized("maxLength", "maxItems", "maximum")),
        "ge" | "gte" | "atleast" => "write `minimum`".to_owned(),
        "le" | "lte" | "atmost" => "write `maximum`".to_owned(),
        "gt" => "write `exclusiveMinimum`".to_owned(),
        "lt" => "write `exclusiveMaximum`".to_owned(),
        "step" => "write `multipleOf`".to_owned(),
        "length" | "len" => match label {
            Some("Array") => "write `minItems` and `maxItems`".to_owned(),
            _ => "write `minLength` and `maxLength`".to_owned(),
        },
        "regex" | "regexp" | "match" => "write `pattern`".to_owned(),
        "choices" | "options" | "oneofvalues" | "values" => {
            "write `enum`: `enum: [\"a\", \"b\"]`".to_owned()
        }
        "title" | "doc" | "comment" | "summary" | "help" | "example" | "examples" => {
            "write it into the `description`".to_owned()
        }
        "defaultvalue" | "initial" => "write `default`".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::type_expression::parse_type;
    use crate::types::Kind;

    #[test]
    fn foreign_words_are_no_labels_and_lead_to_labels() {
        for (word, meaning) in TYPES {
            assert!(Kind::from_label(word).is_none(), "{word}");
            if let Foreign::Label(label) = meaning {
                assert!(Kind::from_label(label).is_some(), "{word}: {label}");
            }
            if let Foreign::Form(_, expression) = meaning {
                parse_type(expression).expect(word);
            }
        }
    }
}
