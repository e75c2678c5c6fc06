//! The forms by which the keys of providers are known.

use std::ops::Range;

/// How the keys of a provider look.
struct Form {
    begins: &'static str,
    /// How many characters follow at least.
    shortest: usize,
    /// Whether `-` and `_` may be among them.
    has_dashes: bool,
}

const fn form(begins: &'static str, shortest: usize, has_dashes: bool) -> Form {
    Form {
        begins,
        shortest,
        has_dashes,
    }
}

/// Of what begins alike, the longer beginning is not needed: `sk-ant-` begins with `sk-`.
const FORMS: [Form; 16] = [
    // OpenAI, Anthropic, OpenRouter, DeepSeek and many that speak as OpenAI does.
    form("sk-", 12, true),
    // Google.
    form("AIza", 30, true),
    // Groq.
    form("gsk_", 20, false),
    // xAI, whose models may be named in the same way.
    form("xai-", 40, false),
    // Hugging Face.
    form("hf_", 24, false),
    // Perplexity.
    form("pplx-", 24, false),
    // Cerebras.
    form("csk-", 24, false),
    // Replicate.
    form("r8_", 24, false),
    // NVIDIA.
    form("nvapi-", 32, true),
    // Tavily.
    form("tvly-", 20, true),
    // AWS, for Bedrock.
    form("AKIA", 16, false),
    // GitHub, whose tokens are keys of its models.
    form("ghp_", 30, false),
    form("gho_", 30, false),
    form("ghs_", 30, false),
    form("ghu_", 30, false),
    form("github_pat_", 30, true),
];

/// The length of the shortest key. Most words of a text are shorter.
const SHORTEST: usize = {
    let (mut shortest, mut at) = (usize::MAX, 0);
    while at < FORMS.len() {
        let length = FORMS[at].begins.len() + FORMS[at].shortest;
        if length < shortest {
            shortest = length;
        }
        at += 1;
    }
    shortest
};

/// Which bytes can stand in a key.
const OF_KEY: [bool; 256] = {
    let (mut of_key, mut byte) = ([false; 256], 0);
    while byte < 256 {
        of_key[byte] =
            (byte as u8).is_ascii_alphanumeric() || byte == b'-' as usize || byte == b'_' as usize;
        byte += 1;
    }
    of_key
};

/// A part without dashes in it that is as long, with a digit, is no word that somebody made up.
const SHORTEST_PART: usize = 8;

/// Where keys stand. Every character is looked at once or twice.
pub(super) fn known_keys(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !is_of_key(bytes[at]) {
            at += 1;
            continue;
        }
        let end = bytes[at..].iter().position(|byte| !is_of_key(*byte));
        let end = end.map_or(bytes.len(), |length| at + length);
        if end - at < SHORTEST {
            at = end;
            continue;
        }
        // The letter of an escape, as in `\nsk-…`, is none of the key's.
        let is_escape = at > 0 && bytes[at - 1] == b'\\';
        let start = at + usize::from(is_escape);
        let word = text[start..end].trim_start_matches(['-', '_']);
        if is_key(word) {
            found.push(end - word.len()..end);
        }
        at = end;
    }
    found
}

fn is_of_key(byte: u8) -> bool {
    OF_KEY[usize::from(byte)]
}

fn is_key(word: &str) -> bool {
    FORMS.iter().any(|form| {
        let Some(rest) = word.strip_prefix(form.begins) else {
            return false;
        };
        let mut parts = rest.split(['-', '_']);
        let looks_made = |part: &str| {
            part.len() >= SHORTEST_PART && part.bytes().any(|byte| byte.is_ascii_digit())
        };
        rest.len() >= form.shortest
            && (form.has_dashes || !rest.contains(['-', '_']))
            && parts.any(looks_made)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let places = known_keys(text).into_iter();
        places.map(|place| &text[place]).collect()
    }

    #[test]
    fn keys_are_known_by_their_form() {
        let long = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
        for begins in FORMS.iter().map(|form| form.begins) {
            let key = format!("{begins}{long}");
            for text in [
                key.clone(),
                format!("Use {key}."),
                format!("?key={key}&x"),
                format!("\"\\n{key}\\\""),
                format!("--{key}"),
            ] {
                assert_eq!(found(&text), [&key], "{text}");
            }
        }
        for key in ["sk-ant-api03-Zk3_9-abcd1234-XY", "sk-1234567890abcdef"] {
            assert_eq!(found(key), [key]);
        }
    }

    #[test]
    fn words_are_no_keys() {
        for text in [
            "",
            "sk-",
            "sk-1234",
            "sk-learn-estimators-of-2024",
            "a task-0123456789abcdef",
            "risk-0123456789abcdef",
            "xai-grok-4-fast-reasoning-20250709-latest-preview",
            "hf_hub_download_of_many_files_1234",
            "AKIAbara",
            "größe sk-é",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
