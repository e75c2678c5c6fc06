use super::{CssSelector, PageText, text_of_fragment};
use agent_tool::ToolError;

fn read(html: &str, selector: Option<&str>) -> Result<PageText, ToolError> {
    PageText::extract(html.as_bytes(), Some("text/html"), selector)
}

fn text(html: &str) -> String {
    read(html, None).expect("a page").text
}

#[test]
fn lays_text_out_in_lines() {
    for (html, expected) in [
        ("", ""),
        ("a  b\n\tc", "a b c"),
        ("<p>a</p><p>b</p>", "a\nb"),
        (
            "<div><div>a</div></div><div>b<div>c</div>d</div>",
            "a\nb\nc\nd",
        ),
        ("a<br>b<br><br>c<br/>", "a\nb\n\nc"),
        ("<b>a</b>b <i> c</i> d", "ab c d"),
        ("<ul><li>a<li>b</ul>c", "a\nb\nc"),
        ("<table><tr><th>a<th>b<tr><td>c<td>d</table>", "a\tb\nc\td"),
        ("<pre>\n  a\n\n  b\n</pre>c", "  a\n\n  b\nc"),
        ("<pre>a\n<b>b</b>\n</pre>", "a\nb"),
        ("<h1>a</h1>b<hr>c", "a\nb\nc"),
        ("<select><option>a<option>b</select>", "a\nb"),
        ("a&nbsp;&lt;b&gt; &eacute;", "a <b> é"),
        ("<div>a</div><div>b</div></body></html>c", "a\nb\nc"),
        ("a\u{200b}b", "a\u{200b}b"),
    ] {
        assert_eq!(text(html), expected, "{html}");
    }
}

#[test]
fn leaves_out_hidden_elements() {
    for html in [
        "a<script>x</script>b",
        "a<style>x</style>b",
        "a<template>x</template>b",
        "a<noscript></noscript>b<!-- x -->",
        "a<div hidden>x<p>x</div>b",
        "a<span hidden=until-found>x</span>b",
        "a<span style='color: red; DISPLAY : none !important'>x<b>x</b></span>b",
        "a<span style=visibility:hidden>x</span>b",
        "a<svg><text>x</text></svg>b",
        "a<title>x</title>b",
        "a<iframe>x</iframe>b",
        "a<dialog>x</dialog>b",
        "<head><title>x</title><meta name=x content=x></head>ab",
    ] {
        assert_eq!(text(html).replace('\n', ""), "ab", "{html}");
    }
    assert_eq!(text("a<noscript>b</noscript>"), "ab", "no scripts are run");
    assert_eq!(text("<dialog open>a</dialog>"), "a");
    assert_eq!(text("<p style='display:block'>a"), "a");
}

#[test]
fn reads_the_title_of_the_page() {
    for (html, title) in [
        ("<title> a\n b </title>", "a b"),
        ("<p>a", ""),
        ("<svg><title>a</title></svg>", ""),
        ("<svg><title>a</title></svg><title>b</title>", "b"),
        ("<title>a &amp; <b></title>", "a & <b>"),
        ("<title>a</title><title>b</title>", "a"),
    ] {
        assert_eq!(read(html, None).expect("a page").title, title, "{html}");
    }
}

#[test]
fn selects_all_matching_elements_in_order() {
    let html = "<title>t</title><div id=a>1<p class=x>2</p></div><div hidden><p>3</p></div><p>4";
    for (selector, expected) in [
        ("p", "2\n4"),
        ("#a", "1\n2"),
        ("div, p", "1\n2\n4"),
        (".x", "2"),
        ("div > p", "2"),
        ("*", "t\n1\n2\n4"),
        ("title", "t"),
        ("p:not(.x)", "4"),
        ("div:has(p)", "1\n2"),
        ("p:nth-of-type(1)", "2\n4"),
    ] {
        let page = read(html, Some(selector)).expect(selector);
        assert_eq!((&*page.text, &*page.title), (expected, "t"), "{selector}");
    }
    let error = read(html, Some("div[hidden] p")).expect_err("hidden");
    assert_eq!(
        error.to_string(),
        "no visible element of the page matches `div[hidden] p`; leave `selector` out to \
         read the whole page"
    );
}

#[test]
fn rejects_invalid_selectors_with_examples() {
    for selector in [
        "",
        " ",
        "div >",
        "p:hover",
        "p::before",
        "p[",
        "svg|a",
        "((",
        ":has(:has(a))",
        "a,,b",
    ] {
        let error = read("<p>a", Some(selector)).expect_err(selector);
        let ToolError::Validation(text) = &error else {
            panic!("{selector}: {error:?}")
        };
        assert!(text.starts_with(&format!("`{selector}` is not a supported CSS selector: ")));
        assert!(
            text.ends_with("`.article p` or `table tr:first-child`"),
            "{text}"
        );
    }
    let nested = ":not(".repeat(100) + "a" + &")".repeat(100);
    assert!(matches!(
        read("a", Some(&nested)),
        Err(ToolError::Validation(_))
    ));
}

#[test]
fn refuses_pages_beyond_the_limits() {
    let refused = |html: &str, why: &str| {
        let error = read(html, None).expect_err(&html[..20]).to_string();
        assert!(error.contains(why), "{error}");
    };
    for tag in [
        "<div>",
        "<b>",
        "<i>",
        "<span>",
        "<ul><li>",
        "<font size=1>",
        "<svg>",
        "<table><tr><td>",
    ] {
        refused(&tag.repeat(300_000), "levels deep");
    }
    refused(&"<p>a".repeat(200_000), "elements and texts");
    // The parser repeats unclosed elements in each paragraph.
    let unclosed: String = (0..400).map(|at| format!("<b id=x{at}>")).collect();
    refused(
        &("<p>".to_owned() + &unclosed + &"<p>a".repeat(10_000)),
        "elements and texts",
    );
    assert_eq!(text(&("<div>".repeat(400) + "a")), "a");
}

#[test]
fn stops_when_cancelled() {
    let html = "<div><p>a</p></div>".repeat(100);
    let after = |checks: u32| {
        let left = std::cell::Cell::new(checks);
        let selector = CssSelector::parse("p").expect("a selector");
        let is_cancelled = move || {
            left.set(left.get().saturating_sub(1));
            left.get() == 0
        };
        PageText::extract_until(
            html.as_bytes(),
            Some("text/html"),
            Some(&selector),
            &is_cancelled,
        )
    };
    for checks in [1, 10, 300, 500, 600] {
        assert_eq!(after(checks), Err(ToolError::Timeout), "{checks}");
    }
    assert!(after(100_000).is_ok());
}

#[test]
fn puts_fragments_on_one_line() {
    assert_eq!(
        text_of_fragment("a <strong>b</strong>&#x27;s\n<p>c"),
        "a b's c"
    );
    assert_eq!(text_of_fragment(""), "");
}

#[test]
fn fragments_beyond_the_limits_of_pages_are_empty() {
    assert_eq!(text_of_fragment(&"<b>".repeat(100_000)), "");
    let attributes: String = (0..2000).map(|at| format!(" a{at}")).collect();
    assert_eq!(text_of_fragment(&format!("<p{attributes}>text")), "");
}

#[test]
fn refuses_selectors_that_take_too_many_steps() {
    let siblings = "<i>a</i>".repeat(8_000);
    for selector in ["x ~ i", "i:has(~ x)", "i:h\\61 s(~ x)"] {
        let error = read(&siblings, Some(selector))
            .expect_err(selector)
            .to_string();
        assert!(
            error.contains("takes too many steps"),
            "{selector}: {error}"
        );
    }
    assert!(read(&siblings, Some("body > i:first-child")).is_ok());
}
