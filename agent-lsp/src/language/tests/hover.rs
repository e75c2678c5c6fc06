//! Hover at a cursor.

use super::{KNOWN, analysis, marked, tools};
use crate::language::analysis::Analysis;
use crate::language::hover::{Hover, hover, hover_project};

fn hover_document(source: &str, analysis: &Analysis, offset: usize) -> Option<Hover> {
    hover(source, analysis, offset, &[], &|_| String::new())
}

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

/// A union, a tuple, a record with further keys and numbers with bounds, with records for types.
const RECORD_FORM: &str = "[t:Tool {description: \"d\"} | (a::Any {anyOf: [\"Text\", \
    {type: \"Object\", fields: [{name: \"n\", type: Int, exclusiveMinimum: 0}], valueType: Bool}]})\
    ==>(b::Array {items: [Double, {type: \"Int\", multipleOf: 5}]})\
    ==>(c::Object {fields: {e: {type: Any, anyOf: [Text, \"[Int]\"]}}, valueType: {type: Double, exclusiveMaximum: 1}})\
    ==>(d::Text {const: \"x\"})==>(::Null)]";

/// The same in type expressions, as far as they have words for it.
const EXPRESSION_FORM: &str = "[t:Tool {description: \"d\"} | \
    (a::Array {elementType: \"Text | {n: Int, *: Bool} | (Double, Maybe Map Object)\"})==>(::Null)]";

#[test]
fn shows_the_parts_of_unions_tuples_and_records_with_further_keys() {
    for (source, at, span_text, parts) in [
        // Keys.
        (
            RECORD_FORM,
            "any|Of: [\"",
            "anyOf",
            &["list of types", "of which a value has one"][..],
        ),
        (
            RECORD_FORM,
            "fie|lds: [",
            "fields",
            &["With `valueType`, it may have further keys"],
        ),
        (
            RECORD_FORM,
            "exclusiveMini|mum",
            "exclusiveMinimum",
            &["is greater than this one"],
        ),
        (
            RECORD_FORM,
            "value|Type: B",
            "valueType",
            &["Beside `fields`, that of the values of further keys"],
        ),
        (RECORD_FORM, "it|ems", "items", &["one for each"]),
        (
            RECORD_FORM,
            "multiple|Of",
            "multipleOf",
            &["a multiple of this one"],
        ),
        (
            RECORD_FORM,
            "any|Of: [T",
            "anyOf",
            &["of which a value has one"],
        ),
        (
            RECORD_FORM,
            "exclusiveMaxi|mum",
            "exclusiveMaximum",
            &["is smaller than this one"],
        ),
        (
            RECORD_FORM,
            "con|st",
            "const",
            &["value of the type", "an `enum` of this value"],
        ),
        // Types.
        (
            RECORD_FORM,
            "::An|y",
            "Any",
            &["`anyOf` says of which types it may be"],
        ),
        (RECORD_FORM, "[\"Te|xt\"", "Text", &["A text."]),
        (
            RECORD_FORM,
            "\"Obj|ect",
            "Object",
            &["or under further keys"],
        ),
        (RECORD_FORM, "type: I|nt, e", "Int", &["A whole number"]),
        (
            RECORD_FORM,
            "valueType: Bo|ol",
            "Bool",
            &["`true` or `false`"],
        ),
        (RECORD_FORM, "[Dou|ble, {", "Double", &["A number."]),
        (RECORD_FORM, "type: \"I|nt\", m", "Int", &["A whole number"]),
        (RECORD_FORM, "type: An|y", "Any", &["Any value"]),
        (RECORD_FORM, "[Te|xt, ", "Text", &["A text."]),
        (
            RECORD_FORM,
            "\"[I|nt]",
            "Int",
            &["A whole number", "`[Int]` as JSON Schema"],
        ),
        (RECORD_FORM, "type: Dou|ble", "Double", &["A number."]),
        // Whole types and fields, between their parts.
        (
            RECORD_FORM,
            "|{type: \"Object",
            "{type: \"Object\", fields: [{name: \"n\", type: Int, exclusiveMinimum: 0}], valueType: Bool}",
            &[
                "\"exclusiveMinimum\": 0",
                "\"additionalProperties\": {\n    \"type\": \"boolean\"",
            ],
        ),
        (
            RECORD_FORM,
            "multipleOf: 5}|",
            "{type: \"Int\", multipleOf: 5}",
            &["\"multipleOf\": 5"],
        ),
        (
            RECORD_FORM,
            "|{type: Any",
            "{type: Any, anyOf: [Text, \"[Int]\"]}",
            &["\"anyOf\": [\n"],
        ),
        (
            RECORD_FORM,
            "name: \"|n\"",
            "\"n\"",
            &["**`n`**: `Int`", "\"exclusiveMinimum\": 0"],
        ),
        (
            RECORD_FORM,
            "|{name: \"n",
            "{name: \"n\", type: Int, exclusiveMinimum: 0}",
            &["**`n`**: `Int`"],
        ),
        (
            RECORD_FORM,
            "{|e: {",
            "e",
            &["**`e`**: `Any`", "\"anyOf\": [\n"],
        ),
        (
            RECORD_FORM,
            "(|b::",
            "b",
            &["**`b`**: `Array`", "\"prefixItems\": [\n"],
        ),
        // Words of expressions.
        (
            EXPRESSION_FORM,
            "Te|xt |",
            "Text",
            &[
                "A text.",
                "`Text | {n: Int, *: Bool} |",
                "{\"anyOf\":[{\"type\":\"string\"}",
            ],
        ),
        (
            EXPRESSION_FORM,
            "I|nt",
            "Int",
            &[
                "A whole number",
                "\"additionalProperties\":{\"type\":\"boolean\"}",
            ],
        ),
        (EXPRESSION_FORM, "*: Bo|ol", "Bool", &["`true` or `false`"]),
        (
            EXPRESSION_FORM,
            "(Doub|le",
            "Double",
            &["A number.", "\"prefixItems\":["],
        ),
        (EXPRESSION_FORM, "May|be", "Maybe", &["may be missing"]),
        (EXPRESSION_FORM, "Ma|p", "Map", &["an object with any keys"]),
        (EXPRESSION_FORM, "Map Obj|ect", "Object", &["A record."]),
        (
            EXPRESSION_FORM,
            "{n|:",
            "\"Text | {n: Int, *: Bool} | (Double, Maybe Map Object)\"",
            &["as JSON Schema"],
        ),
    ] {
        // In expressions `|` stands for itself; the cursor is the first one of `at`.
        let (before, after) = at.split_once('|').expect("there is a cursor");
        let place = format!("{before}{after}");
        assert_eq!(source.matches(&place).count(), 1, "{place}");
        let text = source.replace(&place, &format!("{before}▮{after}"));
        check_hover(&text, span_text, parts);
    }
}

#[test]
fn shows_the_settings_of_a_project_file() {
    for (text, span_text, parts) in [
        (
            "{to▮ols: [\"gram/*.gram\"]}",
            "tools",
            &["path with `*` and `**`", "Files whose tools"][..],
        ),
        (
            "// c\n{style▮: \"portable\"}",
            "style",
            &["`\"list\"` or `\"portable\"`"],
        ),
        (
            "{tools: [], style: \"port▮able\"}",
            "\"portable\"",
            &["official tools", "fields: {age: \"Int\"}"],
        ),
        ("{style: \"list▮\"}", "\"list\"", &["a list of records"]),
        ("{provi▮ders: []}", "providers", &["before the `/`"]),
        ("{mod▮els: []}", "models", &["Catalogues of models"]),
        (
            "{providers: [\"Ollama\", \"▮Acme\"]}",
            "\"Acme\"",
            &["**`Acme`**", "--provider"],
        ),
    ] {
        let (source, offset) = marked(text);
        let hover = hover_project(&source, offset).unwrap_or_else(|| panic!("no hover: {text}"));
        assert_eq!(hover.span.text(&source), span_text, "{text}");
        for part in parts {
            assert!(hover.markdown.contains(part), "{text}: {}", hover.markdown);
        }
        // In other files the record has no meaning.
        let analysis = analysis(&source, &[]);
        let elsewhere = hover_document(&source, &analysis, offset);
        assert_eq!(elsewhere, None, "{text}");
    }
    for text in [
        "{▮}",
        "{sty▮les: \"list\"}",
        "{style: \"lists▮\"}",
        "{tools: \"gr▮am\"}",
        "{} [a:Agent {mo▮del: \"\"}]",
    ] {
        let (source, offset) = marked(text);
        assert_eq!(hover_project(&source, offset), None, "{text}");
    }
}

#[test]
fn shows_keys_labels_and_words_of_catalogues() {
    for (text, span_text, parts) in [
        (
            "[a:Cata▮log {}]",
            "Catalog",
            &["A provider with its models"][..],
        ),
        ("[a:Catalog | [m:▮Model]]", "Model", &["its properties"]),
        (
            "[a:Catalog {ma▮de: \"2026-11-28\"}]",
            "made",
            &["`\"2026-11-28\"`", "The day"],
        ),
        (
            "[a:Catalog {format: \"Op▮enAI\"}]",
            "\"OpenAI\"",
            &["**`OpenAI`**", "compatible servers"],
        ),
        (
            "[a:Catalog | [m:Model {tempera▮ture: \"always\"}]]",
            "temperature",
            &["`\"effort none\"`", "`topP`", "`ignored`: "],
        ),
        (
            "[a:Catalog | [m:Model {temperature: \"ig▮nored\"}]]",
            "\"ignored\"",
            &["they have no effect"],
        ),
        (
            "[a:Catalog | [m:Model {thinking: \"al▮ways\"}]]",
            "\"always\"",
            &["cannot be switched off"],
        ),
        (
            "[a:Catalog | [m:Model {chatEfforts: [\"low\", \"xh▮igh\"]}]]",
            "\"xhigh\"",
            &["more than thoroughly"],
        ),
        (
            "[a:Catalog | [m:Model {price: {out▮put: 1}}]]",
            "output",
            &["dollars for a million tokens, required"],
        ),
        (
            "[a:Catalog | [m:Model {price: {longContext: {ab▮ove: 1}}}]]",
            "above",
            &["number of tokens, required"],
        ),
    ] {
        check_hover(text, span_text, parts);
    }
    for text in [
        "[a:Catalog {▮}]",
        "[a:Catalog {format: \"chat▮\"}]",
        "[a:Catalog {temper▮ature: \"always\"}]",
        "[a:Catalog | [m:Model {like: \"al▮ways\"}]]",
        "[a:Catalog | [m:Model {stop: tr▮ue}]]",
        "[a:Catalog {ma▮de: \"\"}] [b:Agent {}]",
    ] {
        let (source, offset) = marked(text);
        let analysis = analysis(&source, &[]);
        assert_eq!(hover_document(&source, &analysis, offset), None, "{text}");
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
fn shows_the_signature_of_an_agent_and_its_parameters() {
    let source = "[a:Agent {instruction: \"i {{n}}\", model: \"Offline/m\", maxDepth: 3} | b, (n::Int {default: 2, description: \"How many\"})==>(::String)]
[b:Agent {description: \"Helps\", instruction: \"i\", model: \"Offline/m\", timeout: 9s, requiresApproval: true} | (p::Image)==>(::String)]";
    for (from, to, span_text, parts) in [
        (
            "[a:",
            "[a▮:",
            "a",
            &["(n::Int {default: 2", "- `b`: Helps"][..],
        ),
        (
            "| b,",
            "| ▮b,",
            "b",
            &[
                "(p::Image)==>(::String)",
                "A call may take 9s",
                "A person must approve",
            ],
        ),
        ("(n::", "(▮n::", "n", &["Int", "How many"]),
        (
            "maxDepth",
            "max▮Depth",
            "maxDepth",
            &["whole number from 1 to 16", "below the first agent"],
        ),
        ("Image", "Im▮age", "Image", &["Image"]),
    ] {
        check_hover(&source.replacen(from, to, 1), span_text, parts);
    }
}

#[test]
fn shows_the_leak_of_an_agent() {
    let tools = "[read:Tool {description: \"d\", reads: [\"private\"], untrusted: true} | (a::Text)==>(::String)],
        [send:Tool {description: \"d\", sends: true, destructive: true} | (a::Text)==>(::Null)]";
    for (setting, leak) in [
        (
            "",
            "**Leak**: private data by `read` → `mail` and words of strangers by `read` → `mail` meet `send`, which sends.",
        ),
        (
            ", whenTainted: \"deny\"",
            "Leak that `whenTainted: \"deny\"` closes: private data by `read` → `mail` and",
        ),
    ] {
        let text = format!(
            "[▮mail:Agent {{instruction: \"i\", model: \"Offline/m\", maxIterations: 1{setting}}} | {tools}]"
        );
        let bound = "A message causes at most 4 requests and 256 calls.";
        check_hover(
            &text,
            "mail",
            &[
                bound,
                leak,
                "`send`: can be destructive, and nobody must approve that.",
            ],
        );
    }
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
                "A message is not bounded without `maxIterations` of this agent or of one that it calls; with the default, it \
                 causes at most 22 requests and 2,560 calls.",
                "`getTime`: without labels, so that all effects count.",
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
                "model: \"OpenAI/gpt-6-luna\"",
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
        assert_eq!(hover_document(&source, &analysis, offset), None, "{text}");
    }
}
