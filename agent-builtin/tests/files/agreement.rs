//! The gram, the descriptor, the JSON Schemas and the result of each tool agree with each other, with
//! `agent!` and with the design.

use crate::files::scene::Scene;
use agent_builtin::{list_directory, read_file, write_file};
use agent_runtime::library::{BindPolicy, bind_agent_tools};
use agent_runtime::tool::{StaticTool as _, ToolDescriptor, validate_tool_args};
use agent_runtime::{Tool, ToolSpec, agent, gram};
use serde_json::{Value, json};
use std::path::Path;

/// A tool with its descriptions.
struct DescribedTool {
    file: &'static str,
    gram: &'static str,
    tool: &'static dyn Tool,
    descriptor: &'static ToolDescriptor,
    /// The schemas of the design, with what this crate adds.
    input: Value,
    output: Value,
}

fn all() -> [DescribedTool; 3] {
    [
        DescribedTool {
            file: "read_file.gram",
            gram: read_file::GRAM,
            tool: &read_file {},
            descriptor: read_file::DESCRIPTOR,
            input: json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "File path to read"},
                    "offset": {
                        "type": "integer",
                        "minimum": 1,
                        "description":
                            "Number of the first line to read, counted from 1; all lines when left out",
                    },
                    "limit": {
                        "type": "integer",
                        "minimum": 1,
                        "description": "Number of lines to read at most",
                    },
                },
                "required": ["path"],
            }),
            output: json!({
                "type": "object",
                "properties": {"content": {"type": "string"}, "size": {"type": "integer"}},
            }),
        },
        DescribedTool {
            file: "write_file.gram",
            gram: write_file::GRAM,
            tool: &write_file {},
            descriptor: write_file::DESCRIPTOR,
            input: json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "content": {"type": "string"},
                    "append": {
                        "type": "boolean",
                        "default": false,
                        "description":
                            "Whether to add the content at the end of the file, and not to replace it",
                    },
                    "createParents": {
                        "type": "boolean",
                        "default": false,
                        "description": "Whether to make the folders of the path that are not there",
                    },
                },
                "required": ["path", "content"],
            }),
            output: json!({
                "type": "object",
                "properties": {"bytesWritten": {"type": "integer"}},
            }),
        },
        DescribedTool {
            file: "list_directory.gram",
            gram: list_directory::GRAM,
            tool: &list_directory {},
            descriptor: list_directory::DESCRIPTOR,
            input: json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "recursive": {"type": "boolean", "default": false},
                    "gitignore": {
                        "type": "boolean",
                        "default": false,
                        "description": "Whether to leave out what git ignores",
                    },
                },
                "required": ["path"],
            }),
            output: json!({
                "type": "object",
                "properties": {
                    "entries": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "name": {"type": "string"},
                                // The schema has the `type` beside `enum`.
                                "type": {"type": "string", "enum": ["file", "directory"]},
                                "size": {"type": "integer"},
                                // The schema has no `link`.
                                "link": {
                                    "type": "boolean",
                                    "description":
                                        "Whether the entry is a link, whose type is not listed",
                                },
                            },
                        },
                    },
                    "truncated": {
                        "type": "boolean",
                        "description": "Whether there are entries that are not listed",
                    },
                },
            }),
        },
    ]
}

/// Returns a schema without empty lists of required members.
fn normal(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(members) => {
            if members.get("required") == Some(&json!([])) {
                members.remove("required");
            }
            for member in members.values_mut() {
                *member = normal(member.take());
            }
        }
        Value::Array(values) => {
            for value in values {
                *value = normal(value.take());
            }
        }
        _ => {}
    }
    schema
}

#[test]
fn schemas_are_those_of_the_design() {
    for described in all() {
        let signature = described.descriptor.signature().expect("a signature");
        assert_eq!(
            normal(signature.schema().to_value()),
            described.input,
            "{}",
            described.file
        );
        assert_eq!(
            normal(signature.return_schema().to_value()),
            described.output,
            "{}",
            described.file
        );
    }
}

#[test]
fn descriptions_are_those_of_the_design() {
    let found = all().map(|described| {
        (
            described.descriptor.name(),
            described.descriptor.description(),
        )
    });
    assert_eq!(
        found,
        [
            ("readFile", "Reads file content as text."),
            ("writeFile", "Writes text content to file."),
            (
                "listDirectory",
                "Lists files and directories in a directory."
            ),
        ]
    );
}

#[test]
fn settings_describe_the_effects_of_calls() {
    let found = all().map(|described| {
        let settings = described.descriptor.settings();
        (
            settings.read_only,
            settings.destructive,
            settings.idempotent,
            settings.requires_approval,
        )
    });
    let reads = (true, false, true, false);
    assert_eq!(found, [reads, (false, true, false, false), reads]);
}

/// The files are examples for people. `AGENT_GRAM=write` writes them.
#[test]
fn gram_files_agree_with_the_tools() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/tools");
    for described in all() {
        let expected = format!("{}\n", described.gram.trim_end());
        let path = folder.join(described.file);
        if std::env::var_os("AGENT_GRAM").is_some_and(|mode| mode == "write") {
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(&path, &expected).expect("a file");
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == expected,
            "examples/tools/{} is out of date; with AGENT_GRAM=write this test writes it",
            described.file
        );
        let pattern = gram::parse_patterns(&found).expect("gram").remove(0);
        let spec = ToolSpec::from_pattern(&pattern).expect("a tool");
        assert_eq!(spec.name(), described.descriptor.name());
        assert_eq!(spec.description(), described.descriptor.description());
        assert_eq!(Some(spec.signature()), described.descriptor.signature());
        agent_builtin::library()
            .bind_with(&spec, BindPolicy::Exact)
            .expect("it binds");
    }
}

#[test]
fn agent_macro_accepts_the_tools() {
    let agent = agent! {
        tools: [read_file, write_file, list_directory],
        [librarian:Agent {instruction: "Keep the files.", model: "Offline/rules"} |
            [readFile:Tool {description: "Reads file content as text."} |
                (path::Text {description: "File path to read"})
                ==>(offset::Int {
                    optional: true,
                    description: "Number of the first line to read, counted from 1; all lines when left out",
                    minimum: 1
                })
                ==>(limit::Int {optional: true, description: "Number of lines to read at most", minimum: 1})
                ==>(::Object {fields: [
                    {name: "content", type: "Text", optional: true},
                    {name: "size", type: "Int", optional: true}
                ]})],
            [writeFile:Tool {description: "Writes text content to file."} |
                (path::Text)==>(content::Text)
                ==>(append::Bool {default: false})==>(createParents::Bool {default: false})
                ==>(::Object {fields: [{name: "bytesWritten", type: "Int", optional: true}]})],
            [listDirectory:Tool {description: "Lists files and directories in a directory."} |
                (path::Text)==>(recursive::Bool {default: false})==>(gitignore::Bool {default: false})
                ==>(::Object {fields: [
                    {name: "entries", type: "Array", optional: true, elementType: {type: "Object", fields: [
                        {name: "name", type: "Text", optional: true},
                        {name: "type", type: "Text", optional: true, enum: ["file", "directory"]},
                        {name: "size", type: "Int", optional: true}
                    ]}},
                    {
                        name: "truncated",
                        type: "Bool",
                        optional: true,
                        description: "Whether there are entries that are not listed"
                    }
                ]})]
        ]
    };
    let bound = bind_agent_tools(&agent, &agent_builtin::library()).expect("they bind");
    assert_eq!(bound.iter().count(), 3);
}

#[test]
fn results_fit_the_schemas() {
    let scene = Scene::new();
    scene.file("a/b.txt", "text").link("link", "a");
    crate::files::special_files::pipe(&scene.inside("pipe"));
    let calls = [
        vec![
            json!({"path": "{HERE}/a/b.txt"}),
            json!({"path": "{HERE}/a/b.txt", "offset": 1, "limit": 1}),
        ],
        vec![
            json!({"path": "{HERE}/new", "content": "x"}),
            json!({"path": "{HERE}/new", "content": "x", "append": true, "createParents": true}),
        ],
        vec![
            json!({"path": "{HERE}"}),
            json!({"path": "{HERE}", "recursive": true, "gitignore": true}),
        ],
    ];
    for (described, calls) in all().iter().zip(calls) {
        let signature = described.descriptor.signature().expect("a signature");
        for arguments in calls {
            validate_tool_args(&described.input, &arguments).expect("the arguments are right");
            let result = scene.call(described.tool, &arguments).expect("a result");
            signature
                .returns()
                .ty()
                .validate(&result)
                .expect("the type holds it");
            validate_tool_args(&described.output, &result).expect("the schema holds it");
            // Optional members are always present.
            let members = described.output["properties"]
                .as_object()
                .expect("properties");
            let found = result.as_object().expect("an object");
            assert!(
                members.keys().all(|key| found.contains_key(key)),
                "{result}"
            );
            assert_eq!(members.len(), found.len());
        }
    }
}
