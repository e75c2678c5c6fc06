//! Signatures: what each is read as, its canonical text and the schema of its parameters.

use crate::documents::location::Document::{DataModel, ToolContract, ToolGram};
use crate::documents::location::{Location, at};
use crate::documents::rows::{Row, check_rows, compact_json, one_pattern};
use agent_spec::Signature;

pub(crate) struct SignatureRow {
    pub(crate) place: Location,
    /// As printed. Of a text in Haskell or JSON, without that language's escapes.
    text: &'static str,
    canonical: &'static str,
    /// The canonical schema of the parameters: order and `required` count.
    schema: &'static str,
}

impl Row for SignatureRow {
    fn place(&self) -> Location {
        self.place
    }
}

const NAMED: &str = r#"(::Text {paramName:"name"})==>(::String)"#;
const NAMED_CANONICAL: &str = "(name::Text)==>(::String)";
const NAMED_SCHEMA: &str = include_str!("000/name.schema.json");
const PERSON: &str = "(personName::Text)==>(::String)";
const PERSON_SCHEMA: &str = include_str!("001/person_name.schema.json");
const GREETED: &str = r#"(personName::Text {default:"world"})==>(::String)"#;
const GREETED_CANONICAL: &str = r#"(personName::Text {default: "world"})==>(::String)"#;
const GREETED_SCHEMA: &str = include_str!("001/person_name_with_default.schema.json");

const fn named(heading: &'static str) -> SignatureRow {
    SignatureRow {
        place: at(ToolContract, heading),
        text: NAMED,
        canonical: NAMED_CANONICAL,
        schema: NAMED_SCHEMA,
    }
}

const fn person(heading: &'static str) -> SignatureRow {
    SignatureRow {
        place: at(DataModel, heading),
        text: PERSON,
        canonical: PERSON,
        schema: PERSON_SCHEMA,
    }
}

pub(crate) const SIGNATURES: &[SignatureRow] = &[
    named("createToolSpecification › Signature"),
    named("createToolSpecification › Example"),
    SignatureRow {
        place: at(ToolContract, "Type Signature Format › Simple"),
        text: "(::Text)==>(::String)",
        // An anonymous parameter is named by its position.
        canonical: "(arg1::Text)==>(::String)",
        schema: include_str!("000/simple.schema.json"),
    },
    named("Type Signature Format › Named parameter"),
    SignatureRow {
        place: at(ToolContract, "Type Signature Format › Multiple parameters"),
        text: r#"(::Text {paramName:"name"})==>(::Int {paramName:"age"})==>(::String)"#,
        canonical: "(name::Text)==>(age::Int)==>(::String)",
        schema: include_str!("000/multiple_parameters.schema.json"),
    },
    SignatureRow {
        place: at(ToolContract, "Type Signature Format › Optional parameter"),
        text: r#"(::Text {paramName:"name"})==>(::Int {paramName:"age", optional:true})==>(::String)"#,
        canonical: "(name::Text)==>(age::Int {optional: true})==>(::String)",
        schema: include_str!("000/optional_parameter.schema.json"),
    },
    SignatureRow {
        place: at(ToolContract, "Type Signature Format › Record parameter"),
        text: r#"(::Object {paramName:"params", fields:[{name:"name", type:"Text"}, {name:"age", type:"Int"}]})==>(::String)"#,
        canonical: r#"(params::Object {fields: [{name: "name", type: "Text"}, {name: "age", type: "Int"}]})==>(::String)"#,
        schema: include_str!("000/record_parameter.schema.json"),
    },
    named("typeSignatureToJSONSchema › Example"),
    named("ToolSpecification Serialization › gram"),
    named("ToolSpecification Serialization › JSON"),
    SignatureRow {
        place: at(DataModel, "Pattern Structure"),
        text: GREETED,
        canonical: GREETED_CANONICAL,
        schema: GREETED_SCHEMA,
    },
    person("sayHello Tool › gram"),
    person("sayHello Tool › Haskell, toolSpecTypeSignature"),
    person("sayHello Tool › Haskell, toolSpecSchema"),
    person("sayHello Tool › Tool Implementation"),
    person("Tool Specification Creation"),
    SignatureRow {
        place: at(ToolGram, "Example: sayHello Tool"),
        text: GREETED,
        canonical: GREETED_CANONICAL,
        schema: GREETED_SCHEMA,
    },
    SignatureRow {
        place: at(
            ToolGram,
            "Type Signature › Simple function with no parameters",
        ),
        text: "()==>(::String)",
        canonical: "()==>(::String)",
        schema: include_str!("004/no_parameters.schema.json"),
    },
    SignatureRow {
        place: at(ToolGram, "Type Signature › Single named parameter"),
        text: PERSON,
        canonical: PERSON,
        schema: PERSON_SCHEMA,
    },
    SignatureRow {
        place: at(ToolGram, "Type Signature › Multiple parameters (curried)"),
        text: "(personName::Text)==>(age::Int)==>(::String)",
        canonical: "(personName::Text)==>(age::Int)==>(::String)",
        schema: include_str!("004/two_parameters.schema.json"),
    },
    SignatureRow {
        place: at(
            ToolGram,
            "Type Signature › Optional parameter with default value",
        ),
        text: "(personName::Text)==>(age::Int {default:18})==>(::String)",
        canonical: "(personName::Text)==>(age::Int {default: 18})==>(::String)",
        schema: include_str!("004/default_age.schema.json"),
    },
    SignatureRow {
        place: at(ToolGram, "Type Signature › Record parameter"),
        text: r#"(userParams::Object {fields:[{name:"name", type:"Text"}, {name:"age", type:"Int"}]})==>(::String)"#,
        canonical: r#"(userParams::Object {fields: [{name: "name", type: "Text"}, {name: "age", type: "Int"}]})==>(::String)"#,
        schema: include_str!("004/record_parameter.schema.json"),
    },
];

fn read(text: &str) -> Signature {
    agent_runtime::spec::parse_signature(text).unwrap_or_else(|found| panic!("{text}\n{found}"))
}

#[test]
fn each_has_its_canonical_text() {
    check_rows(SIGNATURES, |row| {
        let signature = read(row.text);
        assert_eq!(signature.to_string(), row.canonical);
        assert_eq!(read(row.canonical), signature);
    });
}

#[test]
fn each_has_its_schema() {
    check_rows(SIGNATURES, |row| {
        let written = read(row.text).schema();
        assert_eq!(written.to_string(), compact_json(row.schema));
    });
}

#[test]
fn each_returns_text() {
    check_rows(SIGNATURES, |row| {
        assert_eq!(
            read(row.text).return_schema().to_string(),
            r#"{"type":"string"}"#
        );
    });
}

/// A path of several arrows is another pattern than it looks: it must mean the same.
#[test]
fn each_means_the_same_as_a_pattern() {
    check_rows(SIGNATURES, |row| {
        let printed = agent_gram::print_pattern(&one_pattern(row.text));
        assert_eq!(read(&printed), read(row.text), "{printed}");
    });
}

#[test]
fn each_makes_a_tool() {
    check_rows(SIGNATURES, |row| {
        let gram = format!(
            "[tool:ToolSpecification {{description: \"d\"}} | {}]",
            row.text
        );
        let pattern = agent_spec::ToolPattern::try_from(one_pattern(&gram)).expect("it is a tool");
        let made = agent_spec::ToolSpec::new("tool", "d", row.text);
        assert_eq!(pattern.to_tool_spec(), made);
        let computed = pattern.schema().expect("the signature is right");
        assert_eq!(computed.to_string(), compact_json(row.schema));
    });
}
