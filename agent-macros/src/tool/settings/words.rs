//! The words of `#[tool(…)]`, and where each belongs.

use crate::constraints;
use crate::settings::Reader;
use syn::Ident;

pub(super) const NAME: &str = "name";
pub(super) const DESCRIPTION: &str = "description";
// On a function.
pub(super) const RENAME_ALL: &str = "rename_all";
pub(super) const TYPE_NAME: &str = "type_name";
pub(super) const CRATE: &str = "crate";
pub(super) const TIMEOUT: &str = "timeout";
pub(super) const RETRYABLE: &str = "retryable";
pub(super) const IDEMPOTENT: &str = "idempotent";
pub(super) const READ_ONLY: &str = "read_only";
pub(super) const DESTRUCTIVE: &str = "destructive";
pub(super) const REQUIRES_APPROVAL: &str = "requires_approval";
pub(super) const SEQUENTIAL: &str = "sequential";
pub(super) const INLINE: &str = "inline";
pub(super) const REQUIRE_DESCRIPTIONS: &str = "require_descriptions";
pub(super) const EXPORT: &str = "export";
// On a parameter, besides the words that narrow its type.
pub(super) const DEFAULT: &str = "default";
pub(super) const TYPE: &str = "type";

const FUNCTION_WORDS: [&str; 15] = [
    NAME,
    RENAME_ALL,
    DESCRIPTION,
    TYPE_NAME,
    CRATE,
    TIMEOUT,
    RETRYABLE,
    IDEMPOTENT,
    READ_ONLY,
    DESTRUCTIVE,
    REQUIRES_APPROVAL,
    SEQUENTIAL,
    INLINE,
    REQUIRE_DESCRIPTIONS,
    EXPORT,
];

fn parameter_words() -> Vec<&'static str> {
    let own = [NAME, DESCRIPTION, DEFAULT, TYPE];
    own.into_iter().chain(constraints::WORDS).collect()
}

/// Reports a word that a function does not take.
pub(super) fn refuse_function_word(reader: &Reader<'_>, word: &Ident) {
    let name = word.to_string();
    if parameter_words().contains(&name.as_str()) {
        reader.report().error(
            word.span(),
            format!("`{name}` belongs to a parameter: write `#[tool({name} = …)]` before it"),
        );
        return;
    }
    reader.unknown(word, &FUNCTION_WORDS, "a tool");
}

/// Reports a word that a parameter does not take.
pub(super) fn refuse_parameter_word(reader: &Reader<'_>, word: &Ident) {
    let name = word.to_string();
    let hint = match name.as_str() {
        known if FUNCTION_WORDS.contains(&known) => {
            format!(
                "`{name}` belongs to the whole tool: write it in the `#[tool(…)]` above the function"
            )
        }
        "optional" | "required" => format!(
            "`{name}` is decided by the type: `Option<T>` may be missing, and so may what has a \
             `default`"
        ),
        "skip" | "context" => format!(
            "`{name}` is decided by the type: take the context as `&ToolContext`, and what the \
             host gives as `Extension<T>`"
        ),
        _ => return reader.unknown(word, &parameter_words(), "a parameter"),
    };
    reader.report().error(word.span(), hint);
}
