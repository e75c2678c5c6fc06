// Where descriptions come from.
use agent_runtime::tool::StaticTool;
use agent_runtime::tool;

#[doc = include_str!("described_from_elsewhere.md")]
#[tool]
fn included() {}

/// Is put together:
#[doc = concat!("one", " and ", "two")]
///
/// Another paragraph.
#[tool]
fn put_together() {}

/** Is a block
 *  that is boxed.
 *
 *  # Panics
 *  Never. */
#[tool]
fn boxed() {}

/// Has parameters
///
/// # Arguments
///
/// * `city` - Where to look,
///   in English
/// - days_ahead: How far
/// * `unit` – Is said at the parameter
/// * `nobody` - Is no parameter
///
/// # Errors
/// * `text` - Is no parameter either
#[tool(require_descriptions, rename_all = "snake_case")]
fn listed(
    city: &str,
    days_ahead: u8,
    /// Celsius or
    /// Fahrenheit
    unit: String,
    #[doc = include_str!("described_from_elsewhere.md")] text: Option<String>,
    #[tool(description = "Given")]
    /// Not this
    given: bool,
    _: &agent_runtime::ToolContext,
) {
    let _ = (city, days_ahead, unit, text, given);
}

#[doc(hidden)]
#[tool(description = "Is said in the attribute")]
fn said() {}

pub(crate) fn main() {
    let description = |tool: &'static agent_runtime::tool::ToolDescriptor| tool.description();
    assert_eq!(description(included::DESCRIPTOR), "Reads what a file says.\n\nIt is included.");
    assert_eq!(
        description(put_together::DESCRIPTOR),
        "Is put together: one and two\n\nAnother paragraph."
    );
    assert_eq!(description(boxed::DESCRIPTOR), "Is a block that is boxed.");
    assert_eq!(description(said::DESCRIPTOR), "Is said in the attribute");
    assert!(included::GRAM.starts_with("[included:Tool {"), "{}", included::GRAM);
    let signature = listed::DESCRIPTOR.signature().expect("functions have signatures");
    let described: Vec<_> = signature
        .params()
        .iter()
        .map(|param| (param.name(), param.description()))
        .collect();
    assert_eq!(
        described,
        [
            ("city", Some("Where to look, in English")),
            ("days_ahead", Some("How far")),
            ("unit", Some("Celsius or Fahrenheit")),
            ("text", Some("Reads what a file says.\n\nIt is included.")),
            ("given", Some("Given")),
        ]
    );
}
