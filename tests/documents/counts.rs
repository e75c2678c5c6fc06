//! Counts the examples in the tables for each document.
//!
//! The documents are not part of the repository, so no test can look for an example that is
//! missing here. The numbers were counted in the documents; a row that gets lost is noticed.

use crate::documents::location::Document::{
    self, DataModel, Execution, ToolApi, ToolContract, ToolGram,
};
use crate::documents::location::Location;
use crate::documents::rows::Row;
use crate::documents::type_mapping;
use crate::documents::{
    error_texts, gram_snippets, json_objects, placeholders, schemas, signatures,
};

#[derive(Debug, PartialEq, Eq)]
struct Counts {
    document: Document,
    /// Signatures, wherever they are printed.
    signatures: usize,
    /// Lines of the list that maps types to JSON Schema.
    types: usize,
    /// Blocks of gram.
    snippets: usize,
    /// Agents and tools that are made in Haskell with all their parts.
    made_in_code: usize,
    /// JSON Schemas, wherever they are printed.
    schemas: usize,
    /// JSON objects that are no schemas.
    objects: usize,
    /// Texts that look like one of these and are not.
    placeholders: usize,
    /// Error texts of the checker.
    errors: usize,
    /// Error texts for which another one is said.
    superseded: usize,
    /// Error texts of running tools.
    runtime_errors: usize,
}

const COUNTED: [Counts; 5] = [
    Counts {
        document: ToolContract,
        signatures: 10,
        types: 7,
        snippets: 1,
        made_in_code: 1,
        schemas: 3,
        objects: 1,
        placeholders: 4,
        errors: 0,
        superseded: 0,
        runtime_errors: 0,
    },
    Counts {
        document: DataModel,
        signatures: 6,
        types: 0,
        snippets: 4,
        made_in_code: 2,
        schemas: 0,
        objects: 0,
        placeholders: 7,
        errors: 5,
        superseded: 3,
        runtime_errors: 0,
    },
    Counts {
        document: ToolApi,
        signatures: 0,
        types: 0,
        snippets: 0,
        made_in_code: 1,
        schemas: 16,
        objects: 0,
        placeholders: 0,
        errors: 0,
        superseded: 0,
        runtime_errors: 6,
    },
    Counts {
        document: Execution,
        signatures: 0,
        types: 0,
        snippets: 0,
        made_in_code: 1,
        schemas: 0,
        objects: 0,
        placeholders: 1,
        errors: 0,
        superseded: 0,
        runtime_errors: 0,
    },
    Counts {
        document: ToolGram,
        signatures: 6,
        types: 0,
        snippets: 2,
        made_in_code: 0,
        schemas: 0,
        objects: 0,
        placeholders: 7,
        errors: 0,
        superseded: 0,
        runtime_errors: 0,
    },
];

fn rows<R: Row>(document: Document, rows: &[R]) -> usize {
    rows.iter()
        .filter(|row| row.place().document == document)
        .count()
}

fn texts(document: Document, texts: &[(Location, &str, &str)]) -> usize {
    texts
        .iter()
        .filter(|(place, ..)| place.document == document)
        .count()
}

fn count(document: Document) -> Counts {
    Counts {
        document,
        signatures: rows(document, signatures::SIGNATURES),
        types: rows(document, type_mapping::LABELS) + rows(document, type_mapping::EXPRESSIONS),
        snippets: rows(document, gram_snippets::PRINTED),
        made_in_code: rows(document, gram_snippets::MADE_IN_CODE),
        schemas: rows(document, schemas::TOOL_CONTRACT)
            + rows(document, schemas::TOOL_API.as_flattened()),
        objects: rows(document, json_objects::TOOLS),
        placeholders: rows(document, placeholders::PLACEHOLDERS),
        errors: rows(document, error_texts::OF_SPECS),
        superseded: texts(document, error_texts::SUPERSEDED),
        runtime_errors: texts(document, error_texts::OF_RUNNING_TOOLS),
    }
}

#[test]
fn finds_every_example() {
    for expected in COUNTED {
        assert_eq!(count(expected.document), expected);
    }
}
