//! Completion at a cursor.

use super::{KNOWN, marked, tools};
use crate::language::completion::{Completion, complete, complete_project};
use agent_spec::ToolSpec;
use agent_spec::check::{Options, check};

fn completion(text: &str) -> Option<(String, Completion)> {
    let (source, offset) = marked(text);
    let completion = complete(&source, offset, &tools(KNOWN))?;
    Some((source, completion))
}

/// Returns all labels, or `-` without a completion.
fn all_labels(completion: Option<Completion>) -> String {
    let Some(completion) = completion else {
        return "-".to_owned();
    };
    let labels = completion.items.iter().map(|it| it.label.as_str());
    labels.collect::<Vec<_>>().join(" ")
}

fn completed(text: &str) -> (String, Completion) {
    completion(text).unwrap_or_else(|| panic!("no completion: {text}"))
}

/// Returns the word that is replaced and the first four labels, or `-` without a completion.
fn labels_at(text: &str) -> String {
    let Some((source, completion)) = completion(text) else {
        return "-".to_owned();
    };
    let labels = completion.items.iter().map(|it| it.label.as_str());
    let first: Vec<&str> = labels.take(4).collect();
    format!("<{}> {}", completion.span.text(&source), first.join(" "))
}

/// Returns the text after the item of a label was accepted.
fn accept(text: &str, label: &str) -> String {
    let (source, completion) = completed(text);
    let mut items = completion.items.iter();
    let item = items
        .find(|it| it.label == label)
        .expect("there is such an item");
    let (start, end) = (completion.span.start, completion.span.end);
    format!("{}{}{}", &source[..start], item.insert_text, &source[end..])
}

#[test]
fn completes_what_fits_the_context() {
    for (text, expected) in [
        // Labels of agents and tools.
        ("[a:▮", "<> Agent Tool ToolSpecification Catalog"),
        ("[a::▮", "<> Agent Tool ToolSpecification Catalog"),
        (
            "[a:Ag▮ {model: \"x\"}]",
            "<Ag> Agent Tool ToolSpecification Catalog",
        ),
        ("[a:A▮gent]", "<Agent> Agent Tool ToolSpecification Catalog"),
        ("@@a:▮", "<> Agent Tool ToolSpecification"),
        ("[a:Agent | [t:▮", "<> Tool Agent ToolSpecification"),
        ("[a:Agent | [t:▮]]", "<> Tool Agent ToolSpecification"),
        ("[x | [a:▮ | y]]", "<> Agent Tool ToolSpecification"),
        // Types of parameters and results.
        ("[t:Tool | (a:▮", "<> Text Int Double Bool"),
        ("[t:Tool | (a::▮)==>(::String)]", "<> Text Int Double Bool"),
        (
            "[t:Tool | (a::I▮)==>(::String)]",
            "<I> Text Int Double Bool",
        ),
        ("[t:Tool | (a::Text)==>(::▮", "<> String Int Double Bool"),
        (
            "[t:Tool | (a::Text)==>(b::Int)==>(::▮)]",
            "<> String Int Double Bool",
        ),
        ("[t:Tool | (::▮)<==(a::Text)]", "<> String Int Double Bool"),
        (
            "@@t:Tool @description(\"d\") (a::▮)==>(::String)",
            "<> Text Int Double Bool",
        ),
        ("[a:Agent | [t:Tool | (a::▮", "<> Text Int Double Bool"),
        ("(a::▮)==>(b)", "<> Text Int Double Bool"),
        // The signature of an agent.
        ("[a:Agent | (n::▮)==>(::String)]", "<> Text Int Double Bool"),
        ("[a:Agent | (n::Text)==>(::▮)]", "<> String Int Double Bool"),
        (
            "[a:Agent | (n::Text {▮})==>(::String), t]",
            "<> default optional description enum",
        ),
        (
            "[a:Agent | ▮]\n[b:Agent | a]\n[t:Tool | ()]",
            "<> t b getTime readFile",
        ),
        ("(a)==>(::▮)", "<> String Int Double Bool"),
        // Keys.
        ("(a:Agent {▮})", "<> name description instruction prompt"),
        ("[a:Agent {▮", "<> name description instruction prompt"),
        ("[a:Agent {▮}]", "<> name description instruction prompt"),
        (
            "[a:Agent {name: \"a\", ▮}]",
            "<> description instruction prompt variables",
        ),
        (
            "[a:Agent {ins▮}]",
            "<ins> name description instruction prompt",
        ),
        (
            "[a:Agent {\n  ▮\n  model: \"OpenAI/m\",\n  description: \"d\"\n}]",
            "<> name instruction prompt variables",
        ),
        (
            "[a:Agent {model: \"x\",\n  te▮\n} | t]",
            "<te> name description instruction prompt",
        ),
        (
            "[a:Agent {grants: {▮}}]",
            "<> read write network environment",
        ),
        (
            "[a:Agent {grants: {read: [], ▮}}]",
            "<> write network environment",
        ),
        (
            "[t:Tool {▮} | ()==>(::Null)]",
            "<> description timeout requiresApproval reads",
        ),
        (
            "[t:ToolSpecification {▮} | ()==>(::Null)]",
            "<> description timeout requiresApproval reads",
        ),
        (
            "@@t:Tool @▮",
            "<> description timeout requiresApproval reads",
        ),
        (
            "@@t:Tool @de▮ ()==>(::Null)",
            "<de> description timeout requiresApproval reads",
        ),
        (
            "[t:Tool | (a::Text {▮})==>(::String)]",
            "<> default optional description enum",
        ),
        (
            "[t:Tool | (::Text {▮})==>(::String)]",
            "<> paramName default optional description",
        ),
        // Keys that fit the type.
        (
            "[t:Tool | (a::Int {default: 1, optional: true, description: \"d\", ▮})==>(::String)]",
            "<> enum minimum maximum exclusiveMinimum",
        ),
        (
            "[t:Tool | (a::Array {description: \"d\", optional: true, ▮})==>(::String)]",
            "<> default elementType items enum",
        ),
        (
            "[t:Tool | (a::Txt {default: 1, optional: true, description: \"d\", ▮})==>(::String)]",
            "<> elementType items fields valueType",
        ),
        (
            "[t:Tool | (a::Object {fields: {}, ▮})==>(::String)]",
            "<> default optional description valueType",
        ),
        (
            "[t:Tool | (a::Object {fields: [{name: \"x\", type: \"[Int]\", ▮}]})==>(::String)]",
            "<> default optional description enum",
        ),
        (
            "[t:Tool | (a::Object {fields: {x: {type: Int, default: 1, ▮}}})==>(::String)]",
            "<> optional description enum minimum",
        ),
        (
            "[t:Tool | (a::Text)==>(::Null {▮})]",
            "<> optional description",
        ),
        (
            "[t:Tool | (a::Text)==>(::Object {▮})]",
            "<> optional description fields valueType",
        ),
        (
            "[t:Tool | (a::Object {fields: [{▮}]})]",
            "<> name type default optional",
        ),
        (
            "[t:Tool | (a::Object {fields: {b: {▮}}})]",
            "<> type default optional description",
        ),
        (
            "[t:Tool | (a::Array {elementType: {▮}})]",
            "<> type optional elementType items",
        ),
        // Values.
        (
            "[a:Agent {model: ▮}]",
            "<> OpenAI/ OpenAIResponses/ OpenAIChat/ Anthropic/",
        ),
        (
            "[a:Agent {model: \"▮\"}]",
            "<> OpenAI/ OpenAIResponses/ OpenAIChat/ Anthropic/",
        ),
        (
            "[a:Agent {model: \"Op▮enAI/m\"}]",
            "<OpenAI/> OpenAI/ OpenAIResponses/ OpenAIChat/ Anthropic/",
        ),
        ("[a:Agent {model: \"OpenAI/▮m\"}]", "-"),
        (
            "[a:Agent {fallback: [\"OpenAI/m\", \"▮\"]}]",
            "<> OpenAI/ OpenAIResponses/ OpenAIChat/ Anthropic/",
        ),
        (
            "[a:Agent {reasoningEffort: \"▮\"}]",
            "<> none minimal low medium",
        ),
        ("[a:Agent {cache: \"▮\"}]", "<> off 5m 1h"),
        ("[a:Agent {toolSearch: t▮}]", "<t> true false"),
        (
            "[a:Agent {toolChoice: \"▮\"} | t, u]",
            "<> auto required none t",
        ),
        (
            "[t:Tool {requiresApproval: ▮} | ()==>(::Null)]",
            "<> true false",
        ),
        (
            "[t:Tool {requiresApproval: t▮} | ()==>(::Null)]",
            "<t> true false",
        ),
        ("[t:Tool | (a::Text {optional: ▮})]", "<> true false"),
        (
            "[t:Tool | (a::Text {format: \"da▮\"})]",
            "<da> date-time date time email",
        ),
        // Defaults.
        ("[t:Tool | (a::Bool {default: ▮})]", "<> true false"),
        (
            "[t:Tool | (a::Boolean {default: t▮})==>(::Int)]",
            "<t> true false",
        ),
        (
            "[t:Tool | (a::Text {default: ▮, enum: [\"c\", \"f g\"]})]",
            "<> c f g",
        ),
        (
            "[t:Tool | (a::Text {enum: ['c', \"f\"], default: \"▮\"})]",
            "<> c f",
        ),
        (
            "[t:Tool | (a::Object {fields: [{name: \"x\", type: Int, enum: [1, 20], default: ▮}]})]",
            "<> 1 20",
        ),
        (
            "[t:Tool | (a::Object {fields: {x: {type: \"Bool\", default: ▮}}})]",
            "<> true false",
        ),
        ("[t:Tool | (a::Text {default: ▮})]", "-"),
        // Types in values.
        (
            "[t:Tool | (a::Array {elementType: ▮})]",
            "<> Text Int Double Bool",
        ),
        (
            "[t:Tool | (a::Array {elementType: \"▮\"})]",
            "<> Text Int Double Bool",
        ),
        (
            "[t:Tool | (a::Array {elementType: \"[Maybe ▮",
            "<> Text Int Double Bool",
        ),
        (
            "[t:Tool | (a::Array {elementType: \"{a: T▮, b: Int}\"})]",
            "<T> Text Int Double Bool",
        ),
        ("[t:Tool | (a::Array {elementType: \"{a▮\"})]", "-"),
        ("[t:Tool | (a::Array {elementType: \"{a: Int, b▮\"})]", "-"),
        ("[t:Tool | (a::Array {elementType: \"Text ▮\"})]", "-"),
        (
            "[t:Tool | (a::Array {elementType: \"Text | ▮\"})]",
            "<> Text Int Double Bool",
        ),
        (
            "[t:Tool | (a::Array {elementType: \"([Int], T▮)\"})]",
            "<T> Text Int Double Bool",
        ),
        (
            "[t:Tool | (a::Array {elementType: \"({a: Int, ▮})\"})]",
            "-",
        ),
        (
            "[t:Tool | (a::Any {anyOf: [\"Text\", \"▮\"]})]",
            "<> Text Int Double Bool",
        ),
        (
            "[t:Tool | (a::Array {items: [I▮]})]",
            "<I> Text Int Double Bool",
        ),
        (
            "[t:Tool | (a::Any {anyOf: [\"Text\", {type: Object, ▮}]})]",
            "<> optional fields valueType enum",
        ),
        (
            "[t:Tool | (a::Any {default: 1, optional: true, description: \"d\", ▮})]",
            "<> anyOf enum schema",
        ),
        (
            "[t:Tool | (a::Array {items: [\"Int\"], default: [1], optional: true, ▮})]",
            "<> description enum",
        ),
        (
            "[t:Tool | (a::Object {fields: {b: \"▮\"}})]",
            "<> Text Int Double Bool",
        ),
        (
            "[t:Tool | (a::Object {fields: [{name: \"b\", type: \"▮\"}]})]",
            "<> Text Int Double Bool",
        ),
        // Tools.
        ("[a:Agent | ▮", "<> getTime readFile"),
        ("[a:Agent | ▮]", "<> getTime readFile"),
        ("[a:Agent | get▮]", "<get> getTime readFile"),
        ("[a:Agent | getTime, ▮]", "<> readFile"),
        (
            "[a:Agent | ▮, getTime]\n[t:Tool | ()==>(::Null)]",
            "<> t readFile",
        ),
        (
            "[a:Agent | [u:Tool | ()==>(::Null)], ▮]",
            "<> getTime readFile",
        ),
        ("[a:Agent | (▮)]", "<> getTime readFile"),
        ("@@a:Agent @model(\"m\") [▮", "-"),
        // The replaced span is on the line of the cursor.
        (
            "[a:Agent {model: \"\nOp▮enAI/gpt\", toolChoice: \"t\"} | t]",
            "-",
        ),
        ("[a:Agent {model: \"\r\n▮OpenAI/gpt\"}]", "-"),
        ("[a:Agent {model: \"\rOp▮en\"}]", "-"),
        (
            "[a:Agent {reasoningEffort: \"lo▮w\rx\"}]",
            "<low> none minimal low medium",
        ),
        (
            "[a:Agent {reasoningEffort: \"l▮\r\nx\"}]",
            "<l> none minimal low medium",
        ),
        // No completion.
        ("▮", "-"),
        ("[▮", "-"),
        ("[a▮", "-"),
        ("(a)-▮->(b)", "-"),
        ("(n:▮)", "-"),
        ("(n:Text {▮})", "-"),
        ("[x | (n:▮)]", "-"),
        ("[x | (a:▮)-->(b)]", "-"),
        ("[a:Agent | (n:▮)==>(b)]", "<> Text Int Double Bool"),
        ("[t:Tool | (a::Object {fields: {▮}})]", "-"),
        ("[t:Tool | (a::Object {fields: [{name: ▮}]})]", "-"),
        ("[a:Agent {instruction: \"▮\"}]", "-"),
        ("[a:Agent {instruction: \"a: ▮", "-"),
        ("[a:Agent {instruction: ```\n▮\n```}]", "-"),
        ("[a:Agent {extra: {▮}}]", "-"),
        ("[a:Agent {description: ▮}]", "-"),
        ("[a:Agent // ▮\n]", "-"),
        ("[a:Agent /** {▮ */ {}]", "-"),
        ("[t:Tool | (a::Int {minimum: ▮})]", "-"),
        ("[x | ▮]", "-"),
        ("[x {▮}]", "-"),
    ] {
        assert_eq!(labels_at(text), expected, "{text}");
    }
}

#[test]
fn proposes_types_in_unions_tuples_and_records_with_further_keys() {
    for value in [
        // Lists of types.
        "Any {anyOf: [▮]}",
        "Any {anyOf: [\"Text\", ▮]}",
        "Any {anyOf: [\"Text\", \"▮\"]}",
        "Any {anyOf: [Text, I▮]}",
        "Any {anyOf: [Text, {type: ▮}]}",
        "Array {items: [▮]}",
        "Array {items: [Double, \"▮\"]}",
        "Array {items: [Double, {type: \"▮\"}]}",
        "Any {anyOf: [Text, {type: Array, items: [\"▮\"]}]}",
        // Fields and further keys in a union.
        "Any {anyOf: [Text, {type: Object, fields: [{name: \"n\", type: ▮}]}]}",
        "Any {anyOf: [Text, {type: Object, fields: {n: \"▮\"}}]}",
        "Any {anyOf: [Text, {type: Object, fields: {n: Int}, valueType: ▮}]}",
        "Object {fields: {u: {type: Any, anyOf: [▮]}}, valueType: \"Int\"}",
        // Type expressions.
        "Array {elementType: \"Text |▮\"}",
        "Array {elementType: \"Text | ▮\"}",
        "Array {elementType: \"Text | T▮ | Int\"}",
        "Array {elementType: \"Text | {name: ▮}\"}",
        "Array {elementType: \"Text | {name: Text | ▮}\"}",
        "Array {elementType: \"{name: Text, *: ▮}\"}",
        "Array {elementType: \"(▮\"}",
        "Array {elementType: \"(Double, ▮)\"}",
        "Array {elementType: \"(Double | ▮)\"}",
        "Object {fields: {u: \"Text | [▮\"}}",
        "Object {fields: [{name: \"u\", type: \"Text | ▮\"}]}",
        "Object {fields: {n: Int}, valueType: \"Text | ▮\"}",
        "Any {anyOf: [\"Text\", \"(Int, ▮)\"]}",
    ] {
        let text = format!("[t:Tool | (a::{value})]");
        let labels = labels_at(&text);
        assert!(
            labels.ends_with("> Text Int Double Bool"),
            "{text}: {labels}"
        );
    }
    // Texts that are being typed, and the other places of types.
    for text in [
        "[t:Tool | (a::Any {anyOf: [▮",
        "[t:Tool | (a::Any {anyOf: [\"Text\", ▮",
        "[t:Tool | (a::Any {anyOf: [\"Text\", \"▮",
        "[t:Tool | (a::Any {anyOf: [\"Text\", {type: ▮",
        "[t:Tool | (a::Any {anyOf: [\"Text\", {type: \"▮",
        "[t:Tool | (a::Any {anyOf: [Text, {type: Object, valueType: ▮",
        "[t:Tool | (a::Array {items: [Double, ▮",
        "[t:Tool | (a::Array {elementType: \"Text | ▮",
        "[t:Tool | (a::Array {elementType: \"(Text, {n: ▮",
        "[t:Tool | (a::Text)==>(::Any {anyOf: [Text, ▮]})]",
        "[t:Tool | (a::Any {anyOf: [Text, ▮]})==>(::Null)]\n[a:Agent {} | t]",
        "@@t:Tool @description(\"d\") (a::Any {anyOf: [Text, \"I▮\"]})==>(::Null)",
    ] {
        let labels = labels_at(text);
        assert!(
            labels.ends_with("> Text Int Double Bool"),
            "{text}: {labels}"
        );
    }
    for value in [
        // The names of fields are new, and something ends here.
        "Array {elementType: \"Text | {▮}\"}",
        "Array {elementType: \"Text | {name: Text, ▮}\"}",
        "Array {elementType: \"(Text, {a: Int, ▮})\"}",
        "Array {elementType: \"(Text) ▮\"}",
        "Any {anyOf: [Text, {type: Object, fields: {▮}}]}",
    ] {
        let text = format!("[t:Tool | (a::{value})]");
        assert_eq!(labels_at(&text), "-", "{text}");
    }
}

#[test]
fn proposes_the_keys_that_fit_unions_tuples_and_numbers() {
    const NUMBER: &str = "enum minimum maximum exclusiveMinimum exclusiveMaximum multipleOf";
    for (value, expected) in [
        (
            "Any {▮}",
            "default optional description anyOf enum schema".to_owned(),
        ),
        (
            "Any {schema: \"{}\", ▮}",
            "default optional description".to_owned(),
        ),
        (
            "Any {enum: [1], ▮}",
            "default optional description anyOf".to_owned(),
        ),
        (
            "Any {anyOf: [Text, Int], ▮}",
            "default optional description enum".to_owned(),
        ),
        (
            "Any {▮, anyOf: [Text, Int]}",
            "default optional description enum".to_owned(),
        ),
        (
            "Object {fields: {u: {type: Any, anyOf: [Text, Int], ▮}}}",
            "default optional description enum".to_owned(),
        ),
        (
            "Object {fields: {u: {type: \"Text | Int\", ▮}}}",
            "default optional description enum".to_owned(),
        ),
        (
            "Array {items: [Text, Int], ▮}",
            "default optional description enum".to_owned(),
        ),
        (
            "Array {elementType: {type: \"(Text, Int)\", ▮}}",
            "optional enum".to_owned(),
        ),
        (
            "Array {minItems: 1, ▮}",
            "default optional description elementType enum maxItems".to_owned(),
        ),
        // In a union, a type has neither a default nor a description.
        (
            "Any {anyOf: [Text, {type: Object, ▮}]}",
            "optional fields valueType enum".to_owned(),
        ),
        (
            "Any {anyOf: [Text, {type: Object, fields: {}, ▮}]}",
            "optional valueType enum".to_owned(),
        ),
        (
            "Any {anyOf: [Text, {type: Array, ▮}]}",
            "optional elementType items enum minItems maxItems".to_owned(),
        ),
        (
            "Any {anyOf: [Text, {type: Object, fields: [{name: \"n\", type: Int, ▮}]}]}",
            format!("default optional description {NUMBER}"),
        ),
        (
            "Any {anyOf: [Text, {type: Int, ▮}]}",
            format!("optional {NUMBER}"),
        ),
        // Bounds are for numbers only.
        ("Int {▮}", format!("default optional description {NUMBER}")),
        (
            "Double {▮}",
            format!("default optional description {NUMBER}"),
        ),
        (
            "Array {items: [{type: Double, minimum: 1, ▮}]}",
            "optional enum maximum exclusiveMinimum exclusiveMaximum multipleOf".to_owned(),
        ),
        (
            "Text {▮}",
            "default optional description enum format minLength maxLength pattern".to_owned(),
        ),
        ("Bool {▮}", "default optional description enum".to_owned()),
        (
            "Any {anyOf: [Text, {type: \"Object\", valueType: Int, ▮",
            "optional fields enum".to_owned(),
        ),
        // `const` means an `enum`.
        (
            "Bool {const: true, ▮}",
            "default optional description".to_owned(),
        ),
    ] {
        let text = format!("[t:Tool | (a::{value})]");
        let (source, offset) = marked(&text);
        assert_eq!(
            all_labels(complete(&source, offset, &[])),
            expected,
            "{text}"
        );
    }
}

#[test]
fn completes_project_files() {
    for (text, expected) in [
        ("{▮}", "tools style providers models"),
        ("{sty▮}", "tools style providers models"),
        ("// c\n{tools: [], ▮}", "style providers models"),
        ("{tools: [],\n ▮\n style: \"list\"}", "providers models"),
        ("{style: ▮}", "list portable"),
        ("{style: \"▮\"}", "list portable"),
        ("{style: \"po▮", "list portable"),
        ("{providers: [\"▮\"]}", "-"),
        ("{tools: \"▮\"}", "-"),
        ("{models: [\"▮\"]}", "-"),
        ("{tools: []} ▮", "-"),
        ("▮", "-"),
    ] {
        let (source, offset) = marked(text);
        assert_eq!(
            all_labels(complete_project(&source, offset)),
            expected,
            "{text}"
        );
        // In other files the record has no meaning.
        assert_eq!(complete(&source, offset, &[]), None, "{text}");
    }
    let (source, offset) = marked("{style: ▮}");
    let completion = complete_project(&source, offset).expect("there are styles");
    assert_eq!(completion.items[1].insert_text, "\"portable\"");
    let documentation = completion.items[1].documentation.as_deref();
    assert!(documentation.is_some_and(|text| text.contains("official tools")));
}

#[test]
fn completes_catalogues_of_models() {
    for (text, expected) in [
        // Labels.
        ("[OpenAI:▮]", "<> Agent Tool ToolSpecification Catalog"),
        (
            "[OpenAI:Cat▮]",
            "<Cat> Agent Tool ToolSpecification Catalog",
        ),
        ("[OpenAI:Catalog]\n[Google:▮]", "<> Catalog"),
        ("[OpenAI:Cata▮log] [Google:Catalog]", "<Catalog> Catalog"),
        ("[OpenAI:Catalog | [m:▮]]", "<> Model"),
        ("[OpenAI:Catalog | [m:Mo▮ {like: \"n\"}]]", "<Mo> Model"),
        // A document with an agent is no catalogue.
        ("[a:Agent {}] [b:▮]", "<> Agent Tool ToolSpecification"),
        ("[OpenAI:Catalog {▮}] [a:Agent {}]", "-"),
        (
            "[OpenAI:Catalog] [a:Agent {nam▮}]",
            "<nam> name description instruction prompt",
        ),
        ("[a | [b:▮]]", "<> Agent Tool ToolSpecification"),
        // Keys.
        ("[OpenAI:Catalog {▮}]", "<> made source baseUrl key"),
        ("[OpenAI:Catalog {▮", "<> made source baseUrl key"),
        (
            "[OpenAI:Catalog {made: \"\", ba▮}]",
            "<ba> source baseUrl key format",
        ),
        (
            "[OpenAI:Catalog | [m:Model {▮}]]",
            "<> like family released retires",
        ),
        (
            "[OpenAI:Catalog | [m {li▮}]]",
            "<li> like family released retires",
        ),
        (
            "[a:Catalog] [b:Catalog | [m:Model {like: \"x\", ▮",
            "<> family released retires successor",
        ),
        (
            "[a:Catalog | [m:Model {price: {▮}}]]",
            "<> input cachedInput cacheWrite longCacheWrite",
        ),
        (
            "[a:Catalog | [m:Model {price: {input: 1, longContext: {▮}}}]]",
            "<> above input cachedInput cacheWrite",
        ),
        ("[a:Catalog | [m:Model {extra: {▮}}]]", "-"),
        // Values.
        (
            "[a:Catalog {format: ▮}]",
            "<> OpenAI Anthropic Google Ollama",
        ),
        (
            "[a:Catalog {format: \"Op▮\"}]",
            "<Op> OpenAI Anthropic Google Ollama",
        ),
        ("[a:Catalog {apis: [\"chat\", \"▮\"]}]", "<> responses chat"),
        ("[a:Catalog {reasoningContent: t▮}]", "<t> true false"),
        ("[a:Catalog {models: \"▮\"}]", "-"),
        ("[a:Catalog {made: \"▮\"}]", "-"),
        ("[a:Catalog | [m:Model {api: ▮}]]", "<> responses chat"),
        (
            "[a:Catalog | [m:Model {efforts: [▮]}]]",
            "<> none minimal low medium",
        ),
        (
            "[a:Catalog | [m:Model {efforts: [\"none\", \"▮",
            "<> none minimal low medium",
        ),
        (
            "[a:Catalog | [m:Model {chatEfforts: \"l▮\"}]]",
            "<l> none minimal low medium",
        ),
        (
            "[a:Catalog | [m:Model {defaultEffort: ▮}]]",
            "<> none minimal low medium",
        ),
        (
            "[a:Catalog | [m:Model {chatTools: ▮}]]",
            "<> always effort none never",
        ),
        (
            "[a:Catalog | [m:Model {temperature: \"effort ▮none\"}]]",
            "<effort none> always effort none ignored never",
        ),
        (
            "[a:Catalog | [m:Model {forcedCalls: ▮}]]",
            "<> always without thinking never",
        ),
        (
            "[a:Catalog | [m:Model {thinking: ▮}]]",
            "<> always optional never",
        ),
        (
            "[a:Catalog | [m:Model {thinkingTypes: [▮]}]]",
            "<> adaptive enabled disabled between_tools",
        ),
        (
            "[a:Catalog | [m:Model {media: [\"▮\"]}]]",
            "<> image document audio video",
        ),
        (
            "[a:Catalog | [m:Model {structuredOutput: ▮}]]",
            "<> always without tools never",
        ),
        ("[a:Catalog | [m:Model {stop: ▮}]]", "<> true false"),
        ("[a:Catalog | [m:Model {like: \"▮\"}]]", "-"),
        ("[a:Catalog | [m:Model {successor: \"▮\"}]]", "-"),
        ("[a:Catalog | [m:Model {contextWindow: ▮}]]", "-"),
        ("[a:Catalog | [m:Model {price: {input: ▮}}]]", "-"),
    ] {
        assert_eq!(labels_at(text), expected, "{text}");
    }
    let text = "[a:Catalog | [m:Model {temperature: ▮}]]";
    let (_, completion) = completed(text);
    let documentation = completion.items[1].documentation.as_deref();
    assert!(documentation.is_some_and(|text| text.contains("does not think")));
    assert_eq!(
        accept(text, "effort none"),
        "[a:Catalog | [m:Model {temperature: \"effort none\"}]]"
    );
}

#[test]
fn accepting_an_item_replaces_the_word() {
    for (text, label, expected) in [
        ("[a:Ag▮ {}]", "Agent", "[a:Agent {}]"),
        (
            "[a:Agent {ins▮}]",
            "instruction",
            "[a:Agent {instruction: }]",
        ),
        (
            "[a:Agent {in▮s: \"x\"}]",
            "instruction",
            "[a:Agent {instruction: \"x\"}]",
        ),
        ("@@a:Agent @mo▮ [t]", "model", "@@a:Agent @model(\"\") [t]"),
        (
            "[a:Agent {model: Op▮}]",
            "OpenAI/",
            "[a:Agent {model: \"OpenAI/\"}]",
        ),
        (
            "[a:Agent {model: \"x▮/m\"}]",
            "Google/",
            "[a:Agent {model: \"Google/m\"}]",
        ),
        (
            "[a:Agent {model: \"x▮, b: 1}]",
            "Google/",
            "[a:Agent {model: \"Google/, b: 1}]",
        ),
        ("[a:Agent | ge▮, b]", "getTime", "[a:Agent | getTime, b]"),
        (
            "[t:Tool | (a::Array {elementType: Te▮})]",
            "Text",
            "[t:Tool | (a::Array {elementType: \"Text\"})]",
        ),
        (
            "[t:Tool | (a::Array {elementType: \"{é: [Te▮]}\"})]",
            "Text",
            "[t:Tool | (a::Array {elementType: \"{é: [Text]}\"})]",
        ),
    ] {
        assert_eq!(accept(text, label), expected, "{text}");
    }
}

#[test]
fn items_have_details_and_documentation() {
    let (_, keys) = completed("[a:Agent {mod▮}]");
    let mut items = keys.items.into_iter();
    let model = items.find(|it| it.label == "model").expect("it is there");
    assert_eq!(model.detail.as_deref(), Some("Provider/model-id, required"));
    let documentation = model.documentation.expect("keys are documented");
    assert!(
        documentation.contains("The model that the agent runs on"),
        "{documentation}"
    );
    let (_, tools) = completed("[a:Agent | ▮]");
    let time = &tools.items[0];
    assert_eq!(time.detail.as_deref(), Some("()==>(::String)"));
    assert_eq!(time.documentation.as_deref(), Some("Says what time it is"));
}

#[test]
fn the_cursor_moves_to_the_missing_value() {
    for (text, label, expected) in [
        ("@@t:Tool @▮", "description", "@@t:Tool @description(\"▮\")"),
        (
            "@@t:Tool @ti▮ ()==>(::Null)",
            "timeout",
            "@@t:Tool @timeout(▮) ()==>(::Null)",
        ),
        (
            "@@t:Tool @ti▮(1s) ()",
            "timeout",
            "@@t:Tool @timeout▮(1s) ()",
        ),
        (
            "[a:Agent {model: ▮}]",
            "OpenAI/",
            "[a:Agent {model: \"OpenAI/▮\"}]",
        ),
        (
            "[a:Agent {model: \"▮\"}]",
            "OpenAI/",
            "[a:Agent {model: \"OpenAI/▮\"}]",
        ),
        ("[a:Agent {mo▮}]", "model", "[a:Agent {model: ▮}]"),
        (
            "[t:Tool | (a::Text {enum: [\"c\"], default: ▮})]",
            "c",
            "[t:Tool | (a::Text {enum: [\"c\"], default: \"c\"▮})]",
        ),
    ] {
        let (source, completion) = completed(text);
        let mut items = completion.items.iter();
        let item = items
            .find(|it| it.label == label)
            .expect("there is such an item");
        let (before, behind) = item
            .insert_text
            .split_at(item.insert_text.len() - item.behind_cursor);
        let (start, end) = (completion.span.start, completion.span.end);
        let (head, tail) = (&source[..start], &source[end..]);
        assert_eq!(format!("{head}{before}▮{behind}{tail}"), expected, "{text}");
    }
}

/// A document with a known word in every context.
const ALL: &str = r#"
[a:Agent {
  description: "d", instruction: "i", model: "OpenAI/m", temperature: 1, reasoningEffort: "low",
  cache: "1h", toolChoice: "t", toolSearch: true, grants: {read: ["a"], network: ["b.example"]}, fallback: ["Ollama/m"]
} | t, getTime, [u:ToolSpecification {description: "d", requiresApproval: true} | ()==>(::Null)]]
@@t:Tool @description("d") @timeout(2s)
(a::Text {format: "date", optional: true})==>(b::Array {elementType: "Maybe {c: Text, d: [Int]}"})
  ==>(c::Object {fields: [{name: "e", type: "Bool"}, {name: "f", type: {type: "Map Double"}}]})
  ==>(d::Object {fields: {g: "Any", h: {type: "Number", minimum: 1}}, description: "d"})
  ==>(i::Any {anyOf: ["Int | (Bool, {j: Maybe Text, *: Double})", {type: "Object", fields: {k: "Int"}, valueType: Text}]})
  ==>(l::Array {items: [{type: "Int", exclusiveMinimum: 0, multipleOf: 5}, "Double"]})==>(::String)
"#;

/// Checks that completion at every letter of a word includes the word. Returns the number of words.
fn count_completed_words(source: &str, known: &[ToolSpec]) -> usize {
    let options = Options {
        known_tools: known,
        ..Options::default()
    };
    let checked = check(source, options);
    assert!(!checked.has_errors(), "{:?}", checked.diagnostics);
    let mut words = std::collections::HashSet::new();
    for offset in 0..=source.len() {
        let Some(completion) = complete(source, offset, known) else {
            continue;
        };
        let word = completion.span.text(source).trim_matches('"');
        // An empty word is where another word can begin.
        if !word.is_empty() {
            let labels: Vec<_> = completion.items.iter().map(|it| &it.label).collect();
            assert!(
                labels.iter().any(|label| *label == word),
                "{word} is not one of {labels:?}"
            );
            words.insert(completion.span);
        }
    }
    words.len()
}

#[test]
fn completes_every_known_word() {
    let known = tools(KNOWN);
    // 19 in the agent, 7 in its elements, 3 before the signature, 28 in the first three parameters and the
    // result, 13 in the union, 7 in the tuple.
    assert_eq!(count_completed_words(ALL, &known), 77);
    let hello = include_str!("../../../../examples/agents/hello_and_goodbye.gram");
    let known = tools(concat!(
        include_str!("../../../../examples/tools/say_hello.gram"),
        include_str!("../../../../examples/tools/say_goodbye.gram"),
    ));
    assert!(count_completed_words(hello, &known) > 5);
}
