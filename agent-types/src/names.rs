//! The rules for names, and suggestions for misspelt names.

/// Whether every provider accepts this as the name of a tool: a letter or `_`, then letters, digits, `_`
/// or `-`, 63 characters at most.
///
/// The rule is what the published name rules of OpenAI, Anthropic, Google and Amazon Bedrock's
/// newer APIs have in common.
#[must_use]
pub const fn is_tool_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    if bytes.is_empty() || bytes.len() > 63 {
        return false;
    }
    if !(bytes[0].is_ascii_alphabetic() || bytes[0] == b'_') {
        return false;
    }
    let mut at = 1;
    while at < bytes.len() {
        let byte = bytes[at];
        if !(byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-') {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether every provider accepts this as the name of a parameter: letters, digits, `_`, `.` or `-`, 64
/// characters at most.
///
/// This is the rule of Anthropic's API for the keys of `properties` in `input_schema`. The API answers a
/// request with another key with status 400 and "Property keys should match pattern
/// `'^[a-zA-Z0-9_.-]{1,64}$'`", as reported at <https://github.com/anthropics/claude-code/issues/79418>. The
/// other providers document no rule.
#[must_use]
pub const fn is_parameter_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    if bytes.is_empty() || bytes.len() > 64 {
        return false;
    }
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')) {
            return false;
        }
        at += 1;
    }
    true
}

/// The name of the last parameter of a signature whose calls may have arguments that no other parameter names:
/// ``(id::Int)==>(`*`::Text)==>(::String)``. Its type is that of each of these arguments.
pub const FURTHER: &str = "*";

/// The rule of [`is_tool_name`], in words.
pub const TOOL_NAMES: &str =
    "a tool's name is a letter or `_`, then letters, digits, `_` or `-`, at most 63 in all";

/// The rule of [`is_parameter_name`], in words.
pub const PARAMETER_NAMES: &str =
    "letters, digits, `_`, `-` or `.`, at most 64 in all, and none outside ASCII";

/// Returns the message about a name that [`is_parameter_name`] does not accept.
#[must_use]
pub fn not_a_parameter_name(name: &str) -> String {
    let name = match name {
        "" => "an empty name".to_owned(),
        name => format!("`{name}`"),
    };
    format!("{name} is not a name that every provider takes for a parameter")
}

/// Whether one name is a misspelling of another: equal when case, `_` and `-` are ignored, or one
/// edit apart when the known one has six letters or more.
#[must_use]
pub const fn nearly_spells(found: &str, known: &str) -> bool {
    if crate::text::same_text(found, known) {
        return false;
    }
    (known.len() >= 6 && are_one_edit_apart(found.as_bytes(), known.as_bytes()))
        || are_equal_but_for_case(found.as_bytes(), known.as_bytes())
}

/// Whether two different names are one edit apart: a byte that is inserted, deleted or replaced, or two neighbours that
/// are swapped.
const fn are_one_edit_apart(mut left: &[u8], mut right: &[u8]) -> bool {
    if left.len().abs_diff(right.len()) > 1 {
        return false;
    }
    while let ([l, left_rest @ ..], [r, right_rest @ ..]) = (left, right)
        && *l == *r
    {
        (left, right) = (left_rest, right_rest);
    }
    while let ([left_rest @ .., l], [right_rest @ .., r]) = (left, right)
        && *l == *r
    {
        (left, right) = (left_rest, right_rest);
    }
    match (left, right) {
        ([_], []) | ([], [_]) | ([_], [_]) => true,
        ([a, b], [c, d]) => *a == *d && *b == *c,
        _ => false,
    }
}

/// Whether two names are equal when case, `_` and `-` are ignored.
const fn are_equal_but_for_case(left: &[u8], right: &[u8]) -> bool {
    let (mut i, mut j) = (0, 0);
    loop {
        while i < left.len() && matches!(left[i], b'_' | b'-') {
            i += 1;
        }
        while j < right.len() && matches!(right[j], b'_' | b'-') {
            j += 1;
        }
        if i == left.len() || j == right.len() {
            return i == left.len() && j == right.len();
        }
        if !left[i].eq_ignore_ascii_case(&right[j]) {
            return false;
        }
        (i, j) = (i + 1, j + 1);
    }
}

/// Returns the candidate that is nearest to a misspelt name, if one is near enough for a suggestion.
#[must_use]
pub fn nearest<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut nearest = None;
    for candidate in known {
        if let Some(distance) = nearness(found, candidate)
            && nearest.is_none_or(|(least, _)| distance < least)
        {
            nearest = Some((distance, candidate));
        }
    }
    nearest.map(|(_, candidate)| candidate)
}

/// Returns the distance of a known name from a misspelt one, or `None` when it is too far for a
/// suggestion: more than a third of the letters differ, and neither name contains the other.
///
/// Names that differ in case, `_` and `-` only have the distance 0. In a name of one or two letters
/// each letter counts too much for any other difference: `c` is no misspelling of `a`.
#[must_use]
pub const fn nearness(found: &str, known: &str) -> Option<usize> {
    let mut longest = if found.len() > known.len() {
        found.len()
    } else {
        known.len()
    };
    if longest > LONGEST {
        longest = LONGEST;
    }
    let (found_folded, known_folded) = (Folded::new(found), Folded::new(known));
    let mut distance = found_folded.distance_up_to(&known_folded, longest / 3);
    let (long, short) = if found_folded.len > known_folded.len {
        (&found_folded, &known_folded)
    } else {
        (&known_folded, &found_folded)
    };
    if distance > 1 && short.len >= 4 {
        if long.has_at(0, short) {
            distance = 1;
        } else if distance > 2 && long.has_at(long.len - short.len, short) {
            distance = 2;
        }
    }
    if distance * 3 <= longest {
        Some(distance)
    } else {
        None
    }
}

/// Returns the better suggestion for a misspelt name: the best one so far, or `known` if it is nearer. A
/// suggestion has its distance.
#[must_use]
pub const fn nearer<'n>(
    found: &str,
    known: &'n str,
    best: Option<(usize, &'n str)>,
) -> Option<(usize, &'n str)> {
    match (nearness(found, known), best) {
        (Some(distance), Some((least, _))) if least <= distance => best,
        (Some(distance), _) => Some((distance, known)),
        (None, _) => best,
    }
}

/// The maximum number of bytes that are compared. Longer names are cut, because only small distances
/// matter.
const LONGEST: usize = 64;

/// A name in the form in which names are compared. It works in a `const` too, so it uses neither the heap
/// nor iterators.
struct Folded {
    bytes: [u8; LONGEST],
    len: usize,
}

impl Folded {
    /// Returns the name in lower case, without `_` and `-`.
    const fn new(name: &str) -> Self {
        let name = name.as_bytes();
        let mut folded = Self {
            bytes: [0; LONGEST],
            len: 0,
        };
        let mut at = 0;
        while at < name.len() && folded.len < LONGEST {
            if name[at] != b'_' && name[at] != b'-' {
                folded.bytes[folded.len] = name[at].to_ascii_lowercase();
                folded.len += 1;
            }
            at += 1;
        }
        folded
    }

    /// Whether the name contains `part` at the index `start`.
    const fn has_at(&self, start: usize, part: &Folded) -> bool {
        let mut at = 0;
        while at < part.len {
            if self.bytes[start + at] != part.bytes[at] {
                return false;
            }
            at += 1;
        }
        true
    }

    /// Returns the number of edits of one byte (insert, delete, replace, swap neighbours) between two names, or more
    /// than `most` if there are more than that.
    ///
    /// The columns of the table of distances are integers, with a bit for each byte of this name: the algorithm of
    /// Hyyrö, “A bit-vector algorithm for computing Levenshtein and Damerau edit distances”, 2003. A document can
    /// have millions of pairs of names, and the table byte by byte takes twenty times as long.
    const fn distance_up_to(&self, other: &Folded, most: usize) -> usize {
        if self.len.abs_diff(other.len) > most {
            return most + 1;
        }
        if self.len == 0 {
            return other.len;
        }
        // The places of each byte in this name.
        let mut places = [0_u64; 256];
        let mut at = 0;
        while at < self.len {
            places[self.bytes[at] as usize] |= 1 << at;
            at += 1;
        }
        let last = 1_u64 << (self.len - 1);
        let (mut more, mut less) = (u64::MAX, 0_u64);
        let (mut diagonal, mut before) = (0_u64, 0_u64);
        let mut distance = self.len;
        let mut at = 0;
        while at < other.len {
            let here = places[other.bytes[at] as usize];
            let swapped = ((!diagonal & here) << 1) & before;
            diagonal = ((here & more).wrapping_add(more) ^ more) | here | less | swapped;
            let mut right_more = less | !(diagonal | more);
            let right_less = diagonal & more;
            if right_more & last != 0 {
                distance += 1;
            } else if right_less & last != 0 {
                distance -= 1;
            }
            right_more = (right_more << 1) | 1;
            more = (right_less << 1) | !(diagonal | right_more);
            less = right_more & diagonal;
            before = here;
            at += 1;
        }
        distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_the_nearest_word() {
        for (found, expected) in [
            ("Txt", Some("Text")),
            ("text", Some("Text")),
            ("Strng", Some("String")),
            ("Integr", Some("Integer")),
            ("Banana", None),
        ] {
            assert_eq!(
                nearest(found, crate::types::TYPE_LABELS),
                expected,
                "{found}"
            );
        }
        assert_eq!(nearest("openai", ["Anthropic", "OpenAI"]), Some("OpenAI"));
        // The first of several that are equally near.
        assert_eq!(nearest("cost", ["most", "post"]), Some("most"));
        assert_eq!(
            nearest("sayhelo", ["sayHello", "sayGoodbye"]),
            Some("sayHello")
        );
    }

    #[test]
    fn a_long_name_is_no_misspelling_of_a_short_one() {
        let long = "A".repeat(1_000);
        assert_eq!(nearest("Zz", [long.as_str()]), None);
        assert_eq!(nearest(&long, ["Zz"]), None);
    }

    #[test]
    fn suggests_misspelt_names_and_no_others() {
        const MADE: &[(&str, &str)] = &[
            ("Txt", "Text"),
            ("A", "a"),
            ("ID", "id"),
            ("ids", "id"),
            ("ag", "age"),
            ("agee", "age"),
            ("gae", "age"),
            ("uri", "url"),
            ("citi", "city"),
            ("ctiy", "city"),
            ("max_tokens", "maxTokens"),
            ("temprature", "temperature"),
            ("name", "nameOfTheCity"),
            ("name", "personName"),
            ("userName", "name"),
        ];
        const NOT_MADE: &[(&str, &str)] = &[
            ("extra", "age"),
            ("c", "a"),
            ("c", "ab"),
            ("to", "do"),
            ("id", "ip"),
            ("", "a"),
            ("", "ab"),
            ("age", "name"),
            ("min", "max"),
            ("city", "unit"),
            ("on", "person"),
            ("loud", "personName"),
            ("getWeather", "sayHello"),
        ];
        // The same function in a `const`, as in `agent!`.
        const { assert!(nearness("ag", "age").is_some() && nearness("c", "a").is_none()) }
        for (found, known) in MADE {
            assert_eq!(nearest(found, [*known]), Some(*known), "{found}");
        }
        for (found, known) in NOT_MADE {
            assert_eq!(nearest(found, [*known]), None, "{found}");
        }
    }

    #[test]
    fn counts_edits_as_the_table_of_distances_does() {
        /// The table, byte by byte.
        fn distance(left: &[u8], right: &[u8]) -> usize {
            let mut rows = vec![(0..=right.len()).collect::<Vec<_>>()];
            for i in 1..=left.len() {
                let mut row = vec![i];
                for j in 1..=right.len() {
                    let replaced = rows[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
                    let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
                    let is_swap = i > 1 && j > 1;
                    if is_swap && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                        least = least.min(rows[i - 2][j - 2] + 1);
                    }
                    row.push(least);
                }
                rows.push(row);
            }
            rows[left.len()][right.len()]
        }
        // All texts of up to five letters of three, and long ones.
        let mut names = vec![String::new()];
        let mut at = 0;
        while names[at].len() < 5 {
            let name = names[at].clone();
            names.extend(["a", "b", "c"].map(|letter| format!("{name}{letter}")));
            at += 1;
        }
        names.truncate(200);
        for length in [63, 64] {
            for step in 1..12 {
                let letter = |at: usize| char::from(b'a' + (at * at * step % 7) as u8);
                names.push((0..length).map(letter).collect());
            }
        }
        for left in &names {
            for right in &names {
                let found = Folded::new(left).distance_up_to(&Folded::new(right), LONGEST);
                let expected = distance(left.as_bytes(), right.as_bytes());
                assert_eq!(found, expected, "{left:?} {right:?}");
                let is_one = are_one_edit_apart(left.as_bytes(), right.as_bytes());
                assert_eq!(is_one, expected == 1, "{left:?} {right:?}");
            }
        }
    }

    #[test]
    fn detects_near_spellings() {
        assert!(nearly_spells("max_tokens", "maxTokens"));
        assert!(nearly_spells("instructions", "instruction"));
        assert!(!nearly_spells("modle", "model"));
        assert!(nearly_spells("Model", "model"));
        assert!(!nearly_spells("seen", "seed"));
        assert!(nearly_spells("-max--tokens_", "maxTokens"));
        assert!(!nearly_spells("maxTokens1", "max_tokens2"));
        assert!(!nearly_spells("", "a") && nearly_spells("", "_"));
    }

    #[test]
    fn accepts_parameter_names_that_every_provider_accepts() {
        for good in ["a", "1", "personName", "a.b-c_d"] {
            assert!(is_parameter_name(good), "{good}");
        }
        let long = "a".repeat(65);
        for bad in ["", "a b", "gr\u{f6}\u{df}e", "$a", long.as_str()] {
            assert!(!is_parameter_name(bad), "{bad}");
        }
    }

    #[test]
    fn accepts_tool_names_that_every_provider_accepts() {
        for good in ["a", "_", "sayHello", "get_weather", "a-b-1"] {
            assert!(is_tool_name(good), "{good}");
        }
        let long = "a".repeat(64);
        for bad in ["", "1a", "-a", "a.b", "a b", "é", long.as_str()] {
            assert!(!is_tool_name(bad), "{bad}");
        }
    }
}
