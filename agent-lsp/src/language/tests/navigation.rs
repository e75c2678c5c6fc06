//! Definitions and references, across documents.

use super::{KNOWN, analysis, tools};
use crate::language::occurrences::{Role, occurrence_at};
use crate::language::resolve::{Document, Location, definitions, references};

const HERE: &str = "[a:Agent {toolChoice: \"t\"} | t, getTime, `t`]\n[t:Tool | ()==>(::Null)]\n";
const THERE: &str = "[b:Agent | t, [t:Tool | (x::Int)==>(::Null)], readFile]";

type Locations = Vec<Location<&'static str>>;

/// Returns the locations in `here`, `there` and the shared `tools`, as `document:offset text`.
fn locations(find: impl Fn(&[Document<'_, &'static str>]) -> Locations) -> Vec<String> {
    let sources = [("here", HERE), ("there", THERE), ("tools", KNOWN)];
    let known = tools(KNOWN);
    let read = sources.map(|(_, text)| analysis(text, &known));
    let documents: Vec<_> = (sources.iter().zip(&read))
        .map(|((id, text), analysis)| Document {
            id: *id,
            display_name: id,
            text,
            analysis,
            is_shared: *id == "tools",
        })
        .collect();
    let text_of = |id: &str| {
        sources
            .iter()
            .find(|source| source.0 == id)
            .map_or("", |it| it.1)
    };
    find(&documents)
        .into_iter()
        .map(|(id, span)| format!("{id}:{} {}", span.start, span.text(text_of(id))))
        .collect()
}

#[test]
fn a_name_resolves_to_its_own_document_or_else_to_the_tool_files() {
    for (here, name, expected) in [
        ("here", "t", &["here:47 t"][..]),
        ("there", "t", &["there:15 t"]),
        ("here", "getTime", &["tools:1 getTime"]),
        ("tools", "getTime", &["tools:1 getTime"]),
        ("here", "sayHello", &[]),
        ("tools", "t", &[]),
    ] {
        let found = locations(|documents| definitions(documents, &here, name));
        assert_eq!(found, expected, "{here} {name}");
    }
}

#[test]
fn the_name_of_an_agent_leads_to_its_definition() {
    let source = "[a:Agent | b, [c:Agent | b, a]]\n[b:Agent | (x::Text)==>(::String)]\n";
    let read = analysis(source, &[]);
    let document = Document {
        id: "here",
        display_name: "here",
        text: source,
        analysis: &read,
        is_shared: false,
    };
    let found = |name: &str| -> Vec<usize> {
        let found = definitions(std::slice::from_ref(&document), &"here", name);
        found.into_iter().map(|(_, span)| span.start).collect()
    };
    assert_eq!(
        (found("a"), found("b"), found("c")),
        (vec![1], vec![33], vec![15])
    );
    let used = references(std::slice::from_ref(&document), "b", false);
    let used: Vec<usize> = used.into_iter().map(|(_, span)| span.start).collect();
    assert_eq!(used, [11, 25]);
}

#[test]
fn finds_references_in_all_documents() {
    let all = locations(|documents| references(documents, "t", true));
    assert_eq!(
        all,
        [
            "here:22 \"t\"",
            "here:29 t",
            "here:41 `t`",
            "here:47 t",
            "there:11 t",
            "there:15 t"
        ]
    );
    let used = locations(|documents| references(documents, "t", false));
    assert_eq!(
        used,
        ["here:22 \"t\"", "here:29 t", "here:41 `t`", "there:11 t"]
    );
    let used = locations(|documents| references(documents, "readFile", false));
    assert_eq!(used, ["there:46 readFile"]);
}

#[test]
fn an_occurrence_includes_both_its_ends() {
    let analysis = analysis(HERE, &[]);
    for (offset, role) in [
        (22, Some(Role::ToolChoice)),
        (29, Some(Role::Reference)),
        (30, Some(Role::Reference)),
        (31, None),
        (47, Some(Role::Definition)),
        (9_999, None),
    ] {
        let found = occurrence_at(analysis.outline(), offset).map(|occurrence| occurrence.role);
        assert_eq!(found, role, "{offset}");
    }
}
