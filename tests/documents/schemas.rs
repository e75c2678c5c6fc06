//! JSON Schemas: each is JSON, and equals the schema of a signature.

use crate::documents::location::Document::{ToolApi, ToolContract};
use crate::documents::location::{Location, at};
use crate::documents::rows::{Row, check_rows, compact_json};
use agent_spec::schema::same_schema;
use serde_json::Value;

pub(crate) struct SchemaRow {
    pub(crate) place: Location,
    text: &'static str,
    /// A signature with this schema.
    signature: &'static str,
    part: Part,
}

/// The schema of the signature: of the arguments or of the result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Input,
    Output,
}

impl Row for SchemaRow {
    fn place(&self) -> Location {
        self.place
    }
}

const NAMED: &str = r#"(::Text {paramName:"name"})==>(::String)"#;

/// The rows of a tool of 002: its folder has the signature, the input and the output schema.
macro_rules! tool_api {
    ($input:literal, $output:literal, $tool:literal) => {
        [
            SchemaRow {
                place: at(ToolApi, $input),
                text: include_str!(concat!("002/", $tool, ".input.json")),
                signature: include_str!(concat!("002/", $tool, ".signature.gram")),
                part: Part::Input,
            },
            SchemaRow {
                place: at(ToolApi, $output),
                text: include_str!(concat!("002/", $tool, ".output.json")),
                signature: include_str!(concat!("002/", $tool, ".signature.gram")),
                part: Part::Output,
            },
        ]
    };
}

pub(crate) const TOOL_CONTRACT: &[SchemaRow] = &[
    SchemaRow {
        place: at(ToolContract, "createTool › Example, in Haskell"),
        text: include_str!("000/name.schema.json"),
        signature: NAMED,
        part: Part::Input,
    },
    SchemaRow {
        place: at(ToolContract, "Schema Definition › Schema Format"),
        text: include_str!("000/schema_format.json"),
        signature: r#"(paramName::Text {description: "Parameter description"})==>(::String)"#,
        part: Part::Input,
    },
    SchemaRow {
        place: at(
            ToolContract,
            "ToolSpecification Serialization › JSON, schema",
        ),
        text: include_str!("000/name.schema.json"),
        signature: NAMED,
        part: Part::Input,
    },
];

/// The tools of 002, two schemas each. That of `createTool` is printed in Haskell.
pub(crate) const TOOL_API: &[[SchemaRow; 2]] = &[
    tool_api!(
        "createTool › Example, toolConfigInputSchema",
        "createTool › Example, toolConfigOutputSchema",
        "get_weather"
    ),
    tool_api!(
        "readFileTool › Input Schema",
        "readFileTool › Output Schema",
        "read_file"
    ),
    tool_api!(
        "writeFileTool › Input Schema",
        "writeFileTool › Output Schema",
        "write_file"
    ),
    tool_api!(
        "listDirectoryTool › Input Schema",
        "listDirectoryTool › Output Schema",
        "list_directory"
    ),
    tool_api!(
        "webSearchTool › Input Schema",
        "webSearchTool › Output Schema",
        "web_search"
    ),
    tool_api!(
        "calculatorTool › Input Schema",
        "calculatorTool › Output Schema",
        "calculator"
    ),
    tool_api!(
        "wikipediaTool › Input Schema",
        "wikipediaTool › Output Schema",
        "wikipedia"
    ),
    tool_api!(
        "webScraperTool › Input Schema",
        "webScraperTool › Output Schema",
        "web_scraper"
    ),
];

fn check_row(row: &SchemaRow) {
    let printed: Value = serde_json::from_str(row.text).expect("the schema is JSON");
    let signature = agent_runtime::spec::parse_signature(row.signature)
        .unwrap_or_else(|found| panic!("{}\n{found}", row.signature));
    let schema = match row.part {
        Part::Input => signature.schema(),
        Part::Output => signature.return_schema(),
    };
    assert!(
        same_schema(&printed, &schema.to_value()),
        "{printed:#}\n{schema}"
    );
    if row.part == Part::Input {
        // The documents write `required` for parameters, so these are canonical as printed. They
        // leave it out for results, where the canonical form has an empty one.
        assert_eq!(schema.to_string(), compact_json(row.text));
    }
    let again = agent_runtime::spec::parse_signature(&signature.to_string());
    assert_eq!(
        again.as_ref(),
        Ok(&signature),
        "the canonical text says the same"
    );
}

#[test]
fn of_the_tool_contract() {
    check_rows(TOOL_CONTRACT, check_row);
}

#[test]
fn of_the_tool_api() {
    check_rows(TOOL_API.as_flattened(), check_row);
}

/// Without this, a comparison that finds all schemas the same would pass.
#[test]
fn different_schemas_differ() {
    let rows = TOOL_API.as_flattened();
    let schema = |row: &SchemaRow| -> Value { serde_json::from_str(row.text).expect("JSON") };
    for (at, left) in rows.iter().enumerate() {
        for right in &rows[at + 1..] {
            assert!(
                !same_schema(&schema(left), &schema(right)),
                "{}, {}",
                left.place,
                right.place
            );
        }
    }
}
