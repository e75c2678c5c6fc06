//! Tests that parse generated code and compare it with the tools of the document.

mod generate;
mod read_back;

use crate::module::generate_module;
use agent_spec::ToolSpec;
use agent_spec::check::{Options, check};
use generate::tools;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use read_back::Module;
use std::io::Write as _;
use std::process::{Command, Stdio};

fn written(tools: &[ToolSpec]) -> String {
    generate_module(&tools.iter().collect::<Vec<_>>(), &[]).text
}

fn written_for(gram: &str) -> String {
    let checked = check(gram, Options::default());
    assert!(!checked.has_errors(), "{:?}", checked.diagnostics);
    let tools: Vec<ToolSpec> = checked.tools.iter().map(|node| node.spec.clone()).collect();
    written(&tools)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn generated_code_matches_the_document(tools in tools()) {
        let text = written(&tools);
        let module = Module::read(&text);
        module.assert_names_differ();
        for (at, tool) in tools.iter().enumerate() {
            module.assert_matches(at, tool);
        }
    }
}

/// Tests the same tools every time, also at night, because rustfmt has exceptions that the generator does not imitate, and the
/// test must not fail by chance.
#[test]
fn generated_code_is_formatted() {
    let config = ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1_735_182_701),
        ..ProptestConfig::with_cases(60)
    };
    // The macro `proptest!` would take the seed of the environment.
    let ended = TestRunner::new(config).run(&tools(), |tools| {
        let text = written(&tools);
        if let Some(formatted) = rustfmt(&text) {
            let diff = similar::TextDiff::from_lines(&text, &formatted);
            let diff = diff
                .unified_diff()
                .header("written", "formatted")
                .to_string();
            prop_assert!(diff.is_empty(), "{}", diff);
        }
        Ok(())
    });
    ended.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn results_of_media_are_the_types_of_the_runtime() {
    let text = written_for(
        "[photo:Tool {description: \"a\"} | (of::Text)==>(::Image)]
         [find:Tool {description: \"b\"} | ()==>(::Document {optional: true})]
         [page:Tool {description: \"c\"} | ()==>(::Parts)]
         [size:Tool {description: \"d\"} | (image::Object {fields: {width: Int}})==>(::Int)]",
    );
    assert!(
        text.contains("use agent_runtime::media::{Document, Image, Part};\n"),
        "{text}"
    );
    for result in [
        "-> Result<Image, ToolError>",
        "-> Result<Option<Document>, ToolError>",
        "-> Result<Vec<Part>, ToolError>",
    ] {
        assert!(text.contains(result), "{result}\n{text}");
    }
    // A record is not named as a type of media.
    assert!(!text.contains("struct Image {"), "{text}");
    if let Some(formatted) = rustfmt(&text) {
        assert_eq!(text, formatted);
    }
}

#[test]
fn functions_state_the_effects_of_their_tools() {
    let text = written_for(
        "[a:Tool {description: \"d\", reads: [\"private\"], untrusted: true} | ()==>(::String)]
         [b:Tool {description: \"d\", reads: [], untrusted: false, destructive: true, readOnly: false} | ()==>(::Null)]",
    );
    for attribute in [
        "#[tool(reads = \"private\", untrusted = true)]",
        "#[tool(untrusted = false, destructive = true)]",
    ] {
        assert!(text.contains(attribute), "{text}");
    }
}

/// Uses names and texts of each length, because rustfmt changes the layout at several widths.
#[test]
fn formats_lines_of_every_width() {
    let mut document = String::new();
    for width in 1..76 {
        // A parameter's name has at most 64.
        let (text, name) = ("x".repeat(width), "n".repeat(width.min(64)));
        for (at, node) in [
            format!(":Text {{pattern: \"{text}\"}}"),
            format!(":Text {{pattern: \"{text}\", optional: true}}"),
            format!(":Text {{minLength: 1, pattern: \"{text}\", optional: true}}"),
            format!(":Text {{default: \"{text}\", maxLength: 1000}}"),
            format!(":Text {{enum: [\"+\", \"{text}\"], optional: true}}"),
            format!(":Array {{minItems: 1, default: [\"{text}\"]}}"),
            ":Double {minimum: -1.5, optional: true}".to_owned(),
            ":Object {valueType: {type: \"Bool\"}}".to_owned(),
        ]
        .iter()
        .enumerate()
        {
            document.push_str(&format!(
                "[a{width}x{at}:Tool {{description: \"d\"}} | (parameter:{node})==>({name}:{node})==>(::Null)]
                 [b{width}x{at}:Tool {{description: \"d\"}} | ({name}:{node})==>(::Text)]\n"
            ));
        }
        document.push_str(&format!(
            "[c{width}:Tool {{description: \"d\"}} | ({name}::Bool)==>(::Text {{pattern: \"{text}\"}})]
             [d{width}:Tool {{description: \"d\"}} | ({name}::Any)==>(some::Any)==>(longer_one::Any)==>
               (::Text {{minLength: 1, pattern: \"{text}\"}})]\n"
        ));
    }
    let text = written_for(&document);
    if let Some(formatted) = rustfmt(&text) {
        let diff = similar::TextDiff::from_lines(&text, &formatted);
        let diff = diff.unified_diff().to_string();
        assert!(diff.is_empty(), "{diff}");
    }
}

/// Formats a text with rustfmt, or returns `None` if rustfmt is not installed.
fn rustfmt(text: &str) -> Option<String> {
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path", "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take().expect("its input is a pipe");
    let whole = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(whole.as_bytes()));
    let ended = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("it reads all");
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{errors}\n{text}");
    Some(String::from_utf8(ended.stdout).expect("UTF-8"))
}

#[test]
fn writes_a_simple_function_for_a_simple_tool() {
    let text = written_for(
        "[sayHello:Tool {description: \"Greets\"} | (personName::Text {default: \"world\"})==>(::String)]",
    );
    assert_eq!(
        text,
        r#"use agent_runtime::{ToolError, tool};

/// Greets
#[tool]
pub fn say_hello(#[tool(default = "world")] person_name: String) -> Result<String, ToolError> {
    let _ = person_name;
    not_written("sayHello")
}

/// Returns the error of a tool that is not written yet.
fn not_written<T>(tool: &str) -> Result<T, ToolError> {
    Err(ToolError::Execution(format!("`{tool}` is not written yet")))
}
"#
    );
}

/// Fails unless the code for a tool of this signature has each of the parts.
fn writes(signature: &str, parts: &[&str]) {
    let text = written_for(&format!("[t:Tool {{description: \"d\"}} | {signature}]"));
    for part in parts {
        assert!(text.contains(part), "`{part}` for {signature} in\n{text}");
    }
}

#[test]
fn every_gram_type_has_a_rust_type() {
    for (label, rust) in [
        ("Text", "String"),
        ("Int", "i64"),
        ("Double", "f64"),
        ("Bool", "bool"),
        ("Any", "Value"),
        ("Object", "Map<String, Value>"),
        ("Array", "Vec<Value>"),
    ] {
        writes(
            &format!("(a::{label})==>(::Null)"),
            &[&format!("(a: {rust}) -> Result<()")],
        );
    }
    for (expression, rust) in [
        ("[Maybe Int]", "Vec<Option<i64>>"),
        ("[Map [Text]]", "Vec<BTreeMap<String, Vec<String>>>"),
    ] {
        let element = &expression[1..expression.len() - 1];
        writes(
            &format!("(a::Array {{elementType: \"{element}\"}})==>(::Null)"),
            &[&format!("(a: {rust})")],
        );
    }
}

#[test]
fn writes_one_struct_for_equal_records() {
    let text = written_for(
        "[t:Tool {description: \"d\"} | (home::Object {fields: {street: \"Text\"}})
           ==>(work::Object {fields: {street: \"Text\"}, optional: true})==>(::Null)]
         [u:Tool {description: \"d\"} | (home::Object {fields: {street: \"Int\"}})==>(::Null)]",
    );
    assert!(text.contains("home: Home, work: Option<Home>"), "{text}");
    assert!(text.contains("pub struct UHome {"), "{text}");
    assert_eq!(text.matches("pub struct").count(), 2, "{text}");
}

#[test]
fn writes_a_struct_for_a_constrained_type_without_attribute() {
    writes(
        "(a::Text)==>(::Int {minimum: 0})",
        &["#[gram(minimum = 0)]\npub struct TResult(pub i64);"],
    );
    writes(
        "(sizes::Array {elementType: {type: \"Int\", maximum: 9}})==>(::Null)",
        &[
            "(sizes: Vec<Size>)",
            "#[gram(maximum = 9)]\npub struct Size(pub i64);",
        ],
    );
}

#[test]
fn leaves_out_values_without_literal() {
    writes(
        "(a::Object {valueType: \"Int\", default: {b: 1}})==>(::Null)",
        &["(a: Option<BTreeMap<String, i64>>)"],
    );
    let tool = "[t:Tool {description: \"d\"} | ()==>(::Object {enum: [{a: 1}]})]";
    let checked = check(tool, Options::default());
    let tools: Vec<&ToolSpec> = checked.tools.iter().map(|node| &node.spec).collect();
    let warnings = generate_module(&tools, &[]).warnings;
    assert!(
        matches!(warnings.as_slice(), [one] if one.contains("the result of `t`")),
        "{warnings:?}"
    );
}

#[test]
fn takes_linear_time() {
    let tool = |at: usize| {
        format!(
            "[t{at}:Tool {{description: \"d\"}} | (a::Object {{fields: {{f{at}: \"Int\"}}}})==>(::Null)]\n"
        )
    };
    let document: String = (0..20_000).map(tool).collect();
    let text = written_for(&document);
    assert_eq!(text.matches("#[tool]").count(), 20_000);
}

#[test]
fn long_lists_of_numbers_take_linear_time() {
    let values: Vec<String> = (0..50_000)
        .map(|at| format!("{at}, {at}.0, {at}.5"))
        .collect();
    let values = values.join(", ");
    let document =
        format!("[t:Tool {{description: \"d\"}} | (a::Double {{enum: [{values}]}})==>(::Null)]");
    let text = written_for(&document);
    // Each value once.
    assert_eq!(
        text.matches(" 7,\n").count() + text.matches(" 7.0,\n").count(),
        1
    );
    assert_eq!(text.matches(" 7.5,\n").count(), 1);
}
