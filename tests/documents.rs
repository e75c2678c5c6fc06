//! The examples of the five design documents, as fixtures.
//!
//! Whatever the documents print in gram or JSON stands here with what becomes of it: the files are
//! in the folder of their document, the tables in one module for each sort of example. A text that
//! a document prints twice stands in a table twice, so that [`counts`] can be held against the
//! documents.

mod counts;
mod error_texts;
mod gram_snippets;
mod hello_world;
mod json_objects;
mod location;
mod names;
mod placeholders;
mod rows;
mod schemas;
mod signatures;
mod type_mapping;
