//! The gram files of the built-in tools in `examples/tools/` agree with the tools. `UPDATE_EXPECT=1` writes
//! them.

use agent_runtime::{Environment, ToolLibrary, ToolSpec};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/tools")
}

/// Returns the name of a tool's file: `current_time.gram` for `currentTime`.
fn file_name(tool: &str) -> String {
    let words = tool.chars().flat_map(|letter| {
        let blank = letter.is_ascii_uppercase().then_some('_');
        blank.into_iter().chain([letter.to_ascii_lowercase()])
    });
    words.chain(".gram".chars()).collect()
}

/// Returns all built-in tools, with a key for `webSearch`.
fn library() -> ToolLibrary {
    agent_builtin::library_with(&Environment::from_pairs([("BRAVE_API_KEY", "none")]))
}

#[test]
fn every_built_in_tool_has_a_gram_file() {
    let mut different = Vec::new();
    for tool in library().iter() {
        let descriptor = tool.descriptor();
        let gram = descriptor.to_gram().expect("it has a signature") + "\n";
        let path = folder().join(file_name(descriptor.name()));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, &gram).expect("it can be written");
        }
        let file = std::fs::read_to_string(&path).unwrap_or_default();
        if file.replace("\r\n", "\n") != gram {
            different.push(path);
        }
    }
    assert!(
        different.is_empty(),
        "not what the tools say, see UPDATE_EXPECT: {different:?}"
    );
}

/// With the strictest rule, `BindPolicy::Exact`.
#[test]
fn binds_the_specs_of_the_gram_files() {
    let library = library();
    for tool in library.iter() {
        let path = folder().join(file_name(tool.descriptor().name()));
        let source = std::fs::read_to_string(&path).expect("it is there");
        let checked = agent_runtime::spec::check::check(&source, Default::default());
        assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
        let specs: Vec<ToolSpec> = checked.tools.iter().map(|node| node.spec.clone()).collect();
        let [spec] = specs.as_slice() else {
            panic!("{} tools in {}", specs.len(), path.display());
        };
        let policy = agent_runtime::library::BindPolicy::Exact;
        library.bind_with(spec, policy).expect("it binds");
    }
}
