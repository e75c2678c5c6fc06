//! The names under which one model or one provider is known.

/// Returns the names that a model may have in its vendor's rows, the most exact first: the id itself, the
/// name of the model that was fine-tuned (`ft:gpt-4o-mini:acme::1`), and both without the date of a snapshot
/// (`-2026-09-22`, `-20251001`) or `-latest`.
pub(crate) fn base_names(id: &str) -> Vec<&str> {
    let mut names = vec![id];
    let tuned = id.strip_prefix("ft:");
    names.extend(tuned.and_then(|rest| rest.split(':').next()));
    let exact = names.clone();
    names.extend(exact.into_iter().filter_map(without_snapshot));
    names
}

/// Returns a name without the date or the word that names a snapshot.
fn without_snapshot(name: &str) -> Option<&str> {
    if let Some(rest) = name.strip_suffix("-latest") {
        return Some(rest);
    }
    let is_digits = |text: &str, lengths: &[usize]| {
        let mut parts = text.split('-');
        let fits = lengths.iter().all(|length| {
            let part = parts.next();
            part.is_some_and(|part| {
                part.len() == *length && part.bytes().all(|b| b.is_ascii_digit())
            })
        });
        fits && parts.next().is_none()
    };
    let dates: [&[usize]; 2] = [&[4, 2, 2], &[8]];
    dates.into_iter().find_map(|lengths| {
        // One hyphen before each part.
        let length = lengths.iter().sum::<usize>() + lengths.len();
        let (rest, date) = name.split_at_checked(name.len().checked_sub(length)?)?;
        let date = date.strip_prefix('-')?;
        (!rest.is_empty() && is_digits(date, lengths)).then_some(rest)
    })
}

/// Returns the vendor and the vendor's names of a model that a gateway serves as `vendor/name`, such as
/// `anthropic/claude-opus-5.5:free`. The vendor is one of `providers`.
pub(crate) fn at_gateway<'p>(
    id: &str,
    providers: impl Iterator<Item = &'p str>,
) -> Option<(&'p str, Vec<String>)> {
    let (vendor, name) = id.split_once('/')?;
    let mut providers = providers;
    let provider = providers.find(|provider| provider.eq_ignore_ascii_case(vendor))?;
    // A gateway adds variants such as `:free`.
    let name = name.split(':').next().unwrap_or(name);
    let mut names = vec![name.to_owned()];
    // Anthropic writes versions with hyphens.
    if name.contains('.') {
        names.push(name.replace('.', "-"));
    }
    Some((provider, names))
}

/// Whether a name, with or without its version, begins with the name of a family: `gemini-3.9-flash` is a
/// `gemini-flash`.
pub(crate) fn is_of_family(name: &str, family: &str) -> bool {
    let begins = |name: &str| {
        let rest = name.strip_prefix(family);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']))
    };
    let is_version = |part: &&str| part.starts_with(|c: char| c.is_ascii_digit());
    let words: Vec<&str> = name.split('-').filter(|part| !is_version(part)).collect();
    begins(name) || begins(&words.join("-"))
}

/// Returns the provider whose rows, key and address a provider uses. `OpenAIChat` and `OpenAIResponses`
/// select an interface of `OpenAI`; every other provider uses its own.
#[must_use]
pub fn vendor(provider: &str) -> &str {
    match provider {
        "OpenAIResponses" | "OpenAIChat" => "OpenAI",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::{at_gateway, base_names, is_of_family};

    #[test]
    fn snapshots_and_fine_tunes_are_their_models() {
        for (id, names) in [
            ("gpt-6-luna", &["gpt-6-luna"][..]),
            (
                "gpt-6-luna-2026-09-22",
                &["gpt-6-luna-2026-09-22", "gpt-6-luna"],
            ),
            (
                "claude-haiku-4-5-20251001",
                &["claude-haiku-4-5-20251001", "claude-haiku-4-5"],
            ),
            ("gpt-5-chat-latest", &["gpt-5-chat-latest", "gpt-5-chat"]),
            (
                "ft:gpt-4o-mini-2024-07-18:acme::abc",
                &[
                    "ft:gpt-4o-mini-2024-07-18:acme::abc",
                    "gpt-4o-mini-2024-07-18",
                    "gpt-4o-mini",
                ],
            ),
            ("-20251001", &["-20251001"]),
            ("gpt-4-0613", &["gpt-4-0613"]),
            ("é-2026-09-2", &["é-2026-09-2"]),
            ("ft:", &["ft:", ""]),
            ("", &[""]),
        ] {
            assert_eq!(base_names(id), names, "{id}");
        }
    }

    #[test]
    fn gateways_name_the_vendor_first() {
        let find = |id| at_gateway(id, ["OpenAI", "Anthropic"].into_iter());
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(
            find("openai/gpt-6-luna"),
            Some(("OpenAI", names(&["gpt-6-luna"])))
        );
        assert_eq!(
            find("anthropic/claude-opus-5.5:free"),
            Some(("Anthropic", names(&["claude-opus-5.5", "claude-opus-5-5"])))
        );
        assert_eq!(find("acme/gpt-6-luna"), None);
        assert_eq!(find("gpt-6-luna"), None);
    }

    #[test]
    fn a_family_is_the_beginning_of_a_name() {
        for (name, family, is) in [
            ("gpt-6.3-luna", "gpt-6", true),
            ("gpt-60", "gpt-6", false),
            ("gpt-6", "gpt-6", true),
            ("claude-opus-6", "claude-opus", true),
            ("gemini-3.9-flash", "gemini-flash", true),
            ("gemini-3.9-flash-lite", "gemini-flash-lite", true),
            ("gemini-flashy", "gemini-flash", false),
            ("o3", "o3", true),
        ] {
            assert_eq!(is_of_family(name, family), is, "{name} {family}");
        }
    }
}
