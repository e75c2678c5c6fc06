//! Looking over the tags of a page before it is parsed.

use agent_runtime::ToolError;

/// How many attributes a tag may have. The parser looks through all of a tag with each further one, so a
/// tag of a megabyte takes it minutes.
const MOST_ATTRIBUTES: usize = 1000;

/// Elements in which `<` begins no tag but that of their own end.
const RAW: [&[u8]; 7] = [
    b"script",
    b"style",
    b"textarea",
    b"title",
    b"iframe",
    b"noframes",
    b"xmp",
];

/// Looks at all tags, in time that grows as the page does.
///
/// # Errors
/// Execution when one has too many attributes.
pub(super) fn check(text: &str) -> Result<(), ToolError> {
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|byte| *byte == b'<') {
        rest = &rest[at + 1..];
        if rest.starts_with(b"!--") {
            // From its own dashes on: `<!-->` is whole.
            rest = after(&rest[1..], b"-->");
            continue;
        }
        let is_end = rest.starts_with(b"/");
        let tag = rest.strip_prefix(b"/").unwrap_or(rest);
        if !tag.first().is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let ends_name = |byte: &u8| matches!(byte, b'/' | b'>') || byte.is_ascii_whitespace();
        let length = tag.iter().position(ends_name).unwrap_or(tag.len());
        let (name, attributes) = tag.split_at(length);
        rest = after_attributes(attributes)?;
        let raw = RAW.iter().find(|raw| name.eq_ignore_ascii_case(raw));
        if let Some(raw) = raw.filter(|_| !is_end) {
            rest = from_end_of(rest, raw);
        }
    }
    Ok(())
}

/// What follows the tag whose attributes these are.
fn after_attributes(mut rest: &[u8]) -> Result<&[u8], ToolError> {
    let mut count = 0;
    loop {
        rest = skip(rest, |byte| byte == b'/' || byte.is_ascii_whitespace());
        match rest {
            [] => return Ok(rest),
            [b'>', after @ ..] => return Ok(after),
            // A name may begin with `=`.
            [_, after @ ..] => rest = after,
        }
        count += 1;
        if count > MOST_ATTRIBUTES {
            return Err(ToolError::Execution(format!(
                "a tag of the page has more than {MOST_ATTRIBUTES} attributes, and the page is not read"
            )));
        }
        rest = skip(rest, |byte| {
            !matches!(byte, b'/' | b'>' | b'=') && !byte.is_ascii_whitespace()
        });
        let Some(value) = skip(rest, |byte| byte.is_ascii_whitespace()).strip_prefix(b"=") else {
            continue;
        };
        let value = skip(value, |byte| byte.is_ascii_whitespace());
        rest = match value {
            [quote @ (b'"' | b'\''), value @ ..] => after(value, &[*quote]),
            value => skip(value, |byte| byte != b'>' && !byte.is_ascii_whitespace()),
        };
    }
}

fn skip(text: &[u8], is_skipped: impl Fn(u8) -> bool) -> &[u8] {
    let end = text.iter().position(|byte| !is_skipped(*byte));
    &text[end.unwrap_or(text.len())..]
}

/// What follows a mark; nothing when it is not there.
fn after<'a>(text: &'a [u8], mark: &[u8]) -> &'a [u8] {
    let at = text.windows(mark.len()).position(|window| window == mark);
    at.map_or(&[], |at| &text[at + mark.len()..])
}

/// What begins with the end tag of an element; nothing when it has none.
fn from_end_of<'a>(text: &'a [u8], name: &[u8]) -> &'a [u8] {
    let is_end =
        |window: &[u8]| window.starts_with(b"</") && window[2..].eq_ignore_ascii_case(name);
    let at = text.windows(name.len() + 2).position(is_end);
    at.map_or(&[], |at| &text[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_counted_where_they_are_some() {
        let many = |text: &str| text.repeat(MOST_ATTRIBUTES + 1);
        for (html, is_refused) in [
            (format!("<p {}>", many("a ")), true),
            (format!("<p {}", many("a ")), true),
            (format!("</p {}>", many("a ")), true),
            (format!("<p{}>", many("/a='>'")), true),
            (format!("<p {}>", many("a=\"1\"")), true),
            (format!("<script></SCRIPT><p {}>", many("a = b\n")), true),
            (format!("<!--><p {}>", many("=")), false),
            (format!("<!--><p {}>", many("=/")), true),
            (format!("<p {}>", "a ".repeat(MOST_ATTRIBUTES)), false),
            (format!("<p a='{}'>", many("a ")), false),
            (format!("<p>{}", many("a ")), false),
            (many("<p a>"), false),
            (format!("1 < {}", many("a ")), false),
            (format!("<!-- <p {} -->", many("a ")), false),
            (format!("<!-- <p {}", many("a ")), false),
            (format!("<script>i<b {}</script>", many("a ")), false),
            (format!("<script>i<b {}", many("a ")), false),
            (format!("<title a>i<b {}</title>", many("a ")), false),
            ("<".into(), false),
            ("</".into(), false),
            ("<a".into(), false),
            ("<a b='".into(), false),
            ("<a b=".into(), false),
            (String::new(), false),
        ] {
            assert_eq!(check(&html).is_err(), is_refused, "{html:.40}");
        }
    }
}
