//! Outlines: the declarations and their positions, in documents with and without errors.

use agent_catalog::Catalog;
use agent_spec::check::outline::{ElementOutline, Mention, NodeOutline};
use agent_spec::check::{Options, Outline, check, check_catalog, is_catalog, outline};
use agent_spec::project_file::Project;
use agent_spec::vocabulary::RecordKind;
use std::fmt::Write;

fn outline_of(source: &str) -> Outline {
    outline(&agent_gram::parse(source).document)
}

/// An outline in short: `agent(elements; choice)` and `tool(params)->result`.
fn shown(source: &str) -> String {
    let outline = outline_of(source);
    let mut out = String::new();
    let named = |mention: &Option<Mention>| match mention {
        Some(mention) => {
            let there = mention.span.text(source);
            assert!(there.contains(&mention.name), "{there} is {}", mention.name);
            mention.name.clone()
        }
        None => "?".to_owned(),
    };
    for agent in &outline.agents {
        let elements: Vec<String> = agent
            .elements
            .iter()
            .map(|element| match element {
                ElementOutline::Tool(at) => format!("[{}]", named(&outline.tools[*at].name)),
                ElementOutline::Reference(mention) => named(&Some(mention.clone())),
                other => format!("{other:?}"),
            })
            .collect();
        let _ = write!(out, "{}({}", named(&agent.name), elements.join(" "));
        if agent.choice.is_some() {
            let _ = write!(out, "; {}", named(&agent.choice));
        }
        out.push_str(") ");
    }
    let node = |node: &NodeOutline| format!("{}:{}", named(&node.name), named(&node.label));
    for tool in &outline.tools {
        let params: Vec<String> = tool.params.iter().map(node).collect();
        let result = tool.result.as_ref().map_or("?".to_owned(), node);
        let _ = write!(
            out,
            "{}({})->{result} ",
            named(&tool.name),
            params.join(" ")
        );
    }
    out.trim_end().to_owned()
}

#[test]
fn outline_has_agents_tools_and_references() {
    for (source, expected) in [
        ("", ""),
        ("(a)-->(b)", ""),
        (
            "[t:Tool | (a::Text)==>(:Int {paramName: \"b\"})==>(::String)]",
            "t(a:Text b:Int)->?:String",
        ),
        (
            "[t:ToolSpecification | (::R)<==(b::B)<==(a::A)]",
            "t(a:A b:B)->?:R",
        ),
        (
            "@@t:Tool @description(\"d\") (a::Text)==>(::String)",
            "t(a:Text)->?:String",
        ),
        (
            "[a:Agent {toolChoice: \"t\"} | t, `u`, (v), [w:Tool | ()==>(::Null)]]",
            "a(t u v [w]; t) w()->?:Null",
        ),
        ("[a:Agent {toolChoice: \"auto\"}]", "a()"),
        ("(u)=[a:Agent {model: \"m\"}]=>(t:Tool)", "a(u [t]) t()->?"),
        (
            "[x | [y | [a:Agent | t]], [t:Tool | (a::A)]]",
            "a(t) t(a:A)->?",
        ),
        // While it is written:
        ("[a:Agent {instruction: \"", "a()"),
        ("[a:Agent | ", "a()"),
        ("[a:Agent | t, ", "a(t)"),
        (
            "[a:Agent | t, [u:Tool {description: \"d\"} | (x::",
            "a(t [u]) u(x:?)->?",
        ),
        ("[:Tool | (:Text)==>(", "?(?:Text)->?"),
        (
            "[a:Agent | t\n\n[u:Tool | (x::Text)==>(::String)]",
            "a(t) u(x:Text)->?:String",
        ),
    ] {
        assert_eq!(shown(source), expected, "{source}");
    }
}

#[test]
fn outline_finds_definitions_and_references() {
    let source = "[a:Agent {toolChoice: 't'} | t, u]\n[t:Tool {name: \"t\"} | ()==>(::Null)]";
    let outline = outline_of(source);
    let definitions: Vec<_> = outline.definitions("t").collect();
    assert_eq!(definitions.len(), 1);
    assert_eq!(definitions[0].head.text(source), "t:Tool");
    let property = definitions[0].name_property.as_ref().expect("it is there");
    assert_eq!(property.span.text(source), "\"t\"");
    let used: Vec<_> = outline
        .references()
        .map(|mention| mention.span.text(source))
        .collect();
    assert_eq!(used, ["t", "u"]);
    let choice = outline.agents[0].choice.as_ref().expect("it is there");
    assert_eq!(choice.span.text(source), "'t'");
}

#[test]
fn accepts_the_keys_of_each_kind_of_record_and_no_others() {
    let document = |kind: RecordKind, key: &str| {
        let entry = format!("{key}: 1");
        let tool = |record: &str, param: &str, result: &str| {
            format!("[t:Tool {record} | (a::Object {param})==>(::Object {result})]")
        };
        match kind {
            RecordKind::Agent => format!("[a:Agent {{{entry}}}]"),
            RecordKind::Grants => format!("[a:Agent {{grants: {{{entry}}}}}]"),
            RecordKind::Tool => tool(&format!("{{{entry}}}"), "", ""),
            RecordKind::Parameter => tool("", &format!("{{{entry}}}"), ""),
            RecordKind::Result => tool("", "", &format!("{{{entry}}}")),
            RecordKind::Field => tool("", &format!("{{fields: [{{{entry}}}]}}"), ""),
            RecordKind::Entry => tool("", &format!("{{fields: {{f: {{{entry}}}}}}}"), ""),
            RecordKind::Type => tool("", &format!("{{valueType: {{{entry}}}}}"), ""),
            RecordKind::Project => format!("{{{entry}}}"),
            RecordKind::Catalog => format!("[OpenAI:Catalog {{{entry}}}]"),
            RecordKind::Model => format!("[OpenAI:Catalog | [m:Model {{{entry}}}]]"),
            RecordKind::Price => format!("[OpenAI:Catalog | [m:Model {{price: {{{entry}}}}}]]"),
            RecordKind::LongContext => {
                format!("[OpenAI:Catalog | [m:Model {{price: {{longContext: {{{entry}}}}}}}]]")
            }
            other => panic!("no document for {other:?}"),
        }
    };
    let mut keys: Vec<&str> = RecordKind::ALL
        .iter()
        .flat_map(|kind| kind.keys())
        .collect();
    keys.sort_unstable();
    keys.dedup();
    for kind in RecordKind::ALL {
        let known: Vec<&str> = kind.keys().collect();
        for key in keys.iter().copied().chain(["maxLenth"]) {
            // Agents and tools keep what they do not know.
            if matches!(kind, RecordKind::Agent | RecordKind::Tool) && !known.contains(&key) {
                continue;
            }
            let source = document(kind, key);
            let found = match kind {
                RecordKind::Project => Project::parse(&source)
                    .map_or_else(|found| found.iter().cloned().collect(), |_| Vec::new()),
                _ if is_catalog(&source) => check_catalog(&source, Catalog::builtin())
                    .map_or_else(|found| found, |_| Vec::new()),
                _ => check(&source, Options::default()).diagnostics,
            };
            let refused = found.iter().any(|found| {
                let code = found.code().as_str();
                let is_key = found.span().text(&source) == key;
                // A record that is the value of a property has a bad value if it has another key.
                is_key
                    && matches!(
                        code,
                        "agent::unknown-property" | "agent::misplaced-keyword" | "agent::bad-value"
                    )
            });
            assert_eq!(!refused, known.contains(&key), "{kind:?} {key}");
        }
    }
}
