//! Hover at a cursor.

use super::{KNOWN, analysis, marked, tools};
use crate::language::hover::hover;

/// Checks the text of the hover's span, and that its Markdown contains these parts.
#[track_caller]
fn check_hover(text: &str, span_text: &str, parts: &[&str]) {
    let (source, offset) = marked(text);
    let known = tools(KNOWN);
    let analysis = analysis(&source, &known);
    let hover = hover(&source, &analysis, offset, &known, &|_| {
        "built in".to_owned()
    });
    let hover = hover.unwrap_or_else(|| panic!("no hover: {text}"));
    assert_eq!(hover.span.text(&source), span_text, "{text}");
    for part in parts {
        let markdown = &hover.markdown;
        assert!(
            markdown.contains(part),
            "{text}: no {part:?} in\n{markdown}"
        );
    }
    assert_eq!(
        hover.markdown.matches("```").count() % 2,
        0,
        "{}",
        hover.markdown
    );
}

#[test]
fn shows_a_tool_at_its_name() {
    const TOOL: &str = "[greet:Tool {description: \"Says *hello*\", requiresApproval: true} | \
                        (personName::Text {default: \"world\"})==>(::Int {minimum: 0})]";
    let agent = |elements: &str| {
        format!("[a:Agent {{instruction: \"i\", model: \"Offline/m\"}} | {elements}]")
    };
    let parts = [
        "**`greet`**\n\nSays \\*hello\\*\n",
        "```gram\n(personName::Text {default: \"world\"})==>(::Int {minimum: 0})\n```",
        "A person must approve each call.",
        "\"personName\": {\n      \"type\": \"string\",\n      \"default\": \"world\"",
        "Result:\n\n```json\n{\n  \"type\": \"integer\",\n  \"minimum\": 0\n}",
    ];
    check_hover(&format!("{}\n{TOOL}", agent("gr▮eet")), "greet", &parts);
    check_hover(&format!("{}\n{TOOL}", agent("`greet`▮")), "`greet`", &parts);
    check_hover(&TOOL.replacen("greet", "greet▮", 1), "greet", &parts);
    check_hover(
        &format!("{}\n{TOOL}\n[oops", agent("(▮greet)")),
        "greet",
        &parts,
    );
    check_hover(
        &agent("get▮Time"),
        "getTime",
        &[
            "**`getTime`** (built in)",
            "()==>(::String)",
            "A call may take 2s.",
        ],
    );
    check_hover(
        "[a:Agent | t▮] [t:Tool | ()==>(::Nothing)]",
        "t",
        &["Its definition has errors"],
    );
    let choice = agent("getTime").replace("model", "toolChoice: \"▮getTime\", model");
    check_hover(&choice, "\"getTime\"", &["Says what time it is"]);
}

#[test]
fn shows_a_field_at_its_name() {
    for (text, span_text, parts) in [
        (
            "[t:Tool | (a::Object {fields: {▮x: \"Int\"}})==>(::Oops)]",
            "x",
            &["**`x`**: `Int`\n", "\"type\": \"integer\""][..],
        ),
        (
            "[t:Tool | (a::Object {fields: {b: \"Text\", x▮: \"Maybe Int\"}})==>(::Null)]",
            "x",
            &["**`x`**: `Int`, may be left out"],
        ),
        (
            "[t:Tool | (a::Object {fields: [{name: \"▮x\", type: \"[Int]\", description: \"How *many*\"}]})]",
            "\"x\"",
            &["**`x`**: `Array`", "How \\*many\\*", "\"items\": {"],
        ),
        (
            "[t:Tool | (a::Int)==>(::Object {fields: {b: {type: Object, fields: {`y z`▮: Text}}}})]",
            "`y z`",
            &["**`y z`**: `Text`"],
        ),
    ] {
        check_hover(text, span_text, parts);
    }
}

#[test]
fn text_of_documents_is_escaped() {
    check_hover(
        "[▮t:Tool {description: \"T\\n===\\n~~x~~ &lt;b&gt;\"} | (a::Text {default: \"b\\n```\\nc\"})==>(::String)]",
        "t",
        &["T\n\\===\n\\~\\~x\\~\\~ \\&lt;b\\&gt;\n", "````json"],
    );
    check_hover(
        "[`a\\`b`▮:Agent {instruction: \"i\"}]",
        "`a\\`b`",
        &["**``a`b``**"],
    );
}

#[test]
fn shows_agents_keys_labels_types_and_models() {
    let agent =
        "[a:Agent {instruction: \"i\", description: \"Helps\", model: \"Offline/m\"} | getTime]";
    for (text, span_text, parts) in [
        (
            agent.replacen("a:", "a▮:", 1),
            "a",
            &[
                "**`a`** on `Offline/m`",
                "Helps",
                "- `getTime`: Says what time it is",
            ][..],
        ),
        (
            agent
                .replacen("instruction", "▮instruct", 1)
                .replacen("a:", "bee:", 1),
            "bee",
            &["The agent has errors", "Tools: `getTime`"],
        ),
        (
            agent.replacen("model", "mod▮el", 1),
            "model",
            &[
                "**`model`**: `Provider/model-id`, required",
                "model: \"OpenAI/gpt-4o-mini\"",
            ],
        ),
        (
            agent.replacen("Off", "▮Off", 1),
            "\"Offline/m\"",
            &["**`m`** of `Offline`", "no key"],
        ),
        (
            agent.replacen("Agent", "Age▮nt", 1),
            "Agent",
            &["An agent: which model"],
        ),
        (
            agent.replacen("Offline", "▮Acme", 1),
            "\"Acme/m\"",
            &["--provider"],
        ),
        (
            "[a:Agent {grants: {re▮ad: []}}]".to_owned(),
            "read",
            &["may be read and listed"],
        ),
        (
            "[t:Tool {time▮out: 2s}]".to_owned(),
            "timeout",
            &["timeout: 5s"],
        ),
        (
            "@@t:Tool @time▮out(2s) ()".to_owned(),
            "timeout",
            &["timeout: 5s"],
        ),
        ("[t:To▮ol | ()]".to_owned(), "Tool", &["its signature"]),
        (
            "[t:Tool | (a::Te▮xt)==>(::String)]".to_owned(),
            "Text",
            &["A text.", "{\"type\":\"string\"}"],
        ),
        (
            "[t:Tool | (a::Text)==>(::Nu▮ll)]".to_owned(),
            "Null",
            &["{\"type\":\"null\"}"],
        ),
        (
            "[t:Tool | (a::Text {en▮um: []})]".to_owned(),
            "enum",
            &["only values allowed"],
        ),
        (
            "[t:Tool | (a::Array {elementType: \"Maybe In▮t\"})]".to_owned(),
            "Int",
            &[
                "A whole number",
                "`Maybe Int` as JSON Schema",
                "{\"type\":[\"integer\",\"null\"]}",
            ],
        ),
        (
            "[t:Tool | (a::Array {elementType: \"May▮be Int\"})]".to_owned(),
            "Maybe",
            &["may be missing"],
        ),
        (
            "[t:Tool | (a::Array {elementType: In▮t})]".to_owned(),
            "Int",
            &["A whole number"],
        ),
        (
            "[t:Tool | (a::Object {fields: {b: \"{c▮: Int}\"}})]".to_owned(),
            "\"{c: Int}\"",
            &["\"properties\":{\"c\""],
        ),
        (
            "[t:Tool {description: \"d\"} | (pa▮ge::Int {description: \"Which\"})==>(::Null)]"
                .to_owned(),
            "page",
            &["**`page`**: `Int`", "Which", "\"type\": \"integer\""],
        ),
    ] {
        let text = match span_text {
            // The first cursor marks the key to change; the hover is at the name.
            "bee" => text.replace('▮', "").replacen("bee", "bee▮", 1),
            _ => text,
        };
        check_hover(&text, span_text, parts);
    }
}

#[test]
fn shows_nothing_for_unknown_words_and_comments() {
    for text in [
        "▮",
        "[a:Agent {instruct▮ion2: \"i\"}]",
        "[a:Agent {instruction: \"mo▮del\"}]",
        "[a:Agent {} | unknown▮Tool]",
        "[x:Oth▮er {model: 1}]",
        "[x {mod▮el: 1}]",
        "// mod▮el\n(a)",
    ] {
        let (source, offset) = marked(text);
        let analysis = analysis(&source, &[]);
        let hover = hover(&source, &analysis, offset, &[], &|_| String::new());
        assert_eq!(hover, None, "{text}");
    }
}
