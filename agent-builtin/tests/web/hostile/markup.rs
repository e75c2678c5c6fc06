//! Pages and selectors that would take too long without limits.

use super::Expect::{Execution, Text, Timeout, Validation};
use super::{Expect, Row, try_all};
use crate::web::server::page;
use std::io::Write;

const TOO_DEEP: Expect = Execution("more than 512 levels deep");
const TOO_RICH: Expect = Execution("more than 250000 elements and texts");
const NO_SELECTOR: Expect = Validation("is not a supported CSS selector");

fn row(name: &'static str, html: String, selector: Option<&str>, expect: Expect) -> Row {
    let bytes = page("text/html", html);
    let selector = selector.map(str::to_owned);
    (
        name,
        Box::new(move |stream| stream.write_all(&bytes)),
        selector,
        expect,
    )
}

#[tokio::test]
async fn limits_the_size_of_pages() {
    let attributes: String = (0..400_000).map(|at| format!(" a{at}")).collect();
    let formatting: String = (0..400).map(|at| format!("<b id=x{at}>")).collect();
    let rows = vec![
        row("deep", "<div>".repeat(800_000), None, TOO_DEEP),
        row(
            "deep and closed",
            "<div>".repeat(300_000) + &"</div>".repeat(300_000),
            None,
            TOO_DEEP,
        ),
        row("deep lists", "<ul><li>".repeat(300_000), None, TOO_DEEP),
        row(
            "deep tables",
            "<table><tr><td>".repeat(200_000),
            None,
            TOO_DEEP,
        ),
        row("deep drawings", "<svg><g>".repeat(300_000), None, TOO_DEEP),
        row(
            "deep templates",
            "<template>".repeat(300_000),
            None,
            TOO_DEEP,
        ),
        row("deep formatting", "<b><i>".repeat(300_000), None, TOO_DEEP),
        row("rich", "<br>".repeat(300_000), None, TOO_RICH),
        row(
            "made anew in each paragraph",
            format!("<p>{formatting}{}", "<p>a".repeat(100_000)),
            None,
            TOO_RICH,
        ),
        row(
            "many attributes",
            format!("<p{attributes}>text"),
            None,
            Execution("a tag of the page has more than 1000 attributes"),
        ),
        row(
            "attributes behind a tag that is none",
            format!("x<<p a='>b=\"'{attributes}>text"),
            None,
            Execution("a tag of the page has more than 1000 attributes"),
        ),
        row(
            "attributes behind an entity",
            format!("&am<p a='>b=\"'{attributes}>text"),
            None,
            Execution("a tag of the page has more than 1000 attributes"),
        ),
        row(
            "a huge attribute",
            format!("<p title='{}'>text", "a".repeat(1_000_000)),
            None,
            Text("text"),
        ),
        row(
            "a huge name",
            format!("<{}>text", "a".repeat(1_000_000)),
            None,
            Text("text"),
        ),
        row(
            "a huge comment",
            format!("<!--{}-->text", "<".repeat(1_000_000)),
            None,
            Text("text"),
        ),
        row(
            "a huge script",
            format!("<script>{}</script>text", "<".repeat(1_000_000)),
            None,
            Text("text"),
        ),
        row(
            "entities",
            "&amp".repeat(10) + "&#0;&#xd800;&#99999999999;",
            None,
            Text("&&&&&&&&&&\u{fffd}\u{fffd}\u{fffd}"),
        ),
        row(
            "an unclosed tag",
            "text<p title='".into(),
            None,
            Text("text"),
        ),
        row(
            "an unclosed title",
            "<title>".to_owned() + &"a".repeat(10),
            None,
            Text(""),
        ),
        row(
            "a frameset",
            "<frameset><frame src=a></frameset>".into(),
            None,
            Text(""),
        ),
        row("nothing", String::new(), None, Text("")),
        row(
            "misnested",
            "<a><b><p></a>te</b>xt<table><p>a".into(),
            None,
            Text("text\na"),
        ),
    ];
    assert_eq!(try_all(rows).await, 22);
}

#[tokio::test]
async fn limits_the_size_of_selectors() {
    let html = || "<p>a</p>".to_owned();
    let nested = |times: usize| ":not(".repeat(times) + "b" + &")".repeat(times);
    let deep = || "<div>".repeat(400) + &"<i>a</i>".repeat(1000);
    let chain = "* ".repeat(240) + "u";
    let siblings = |times: usize| "* ~ ".repeat(times) + "u";
    let has = "div:has(".to_owned() + &"* ".repeat(200) + "u)";
    let classes: String = (0..4_000).map(|at| format!("c{at} ")).collect();
    let nothing = Execution("no visible element of the page matches");
    let rows = vec![
        row("empty", html(), Some(""), NO_SELECTOR),
        row("a comma", html(), Some(","), NO_SELECTOR),
        row("open", html(), Some("p["), NO_SELECTOR),
        row("NUL", html(), Some("p\0:"), NO_SELECTOR),
        row("a pseudo-element", html(), Some("p::after"), NO_SELECTOR),
        row(
            "an unheard-of pseudo-class",
            html(),
            Some("p:visited"),
            NO_SELECTOR,
        ),
        row("a namespace", html(), Some("svg|p"), NO_SELECTOR),
        row("XPath", html(), Some("//p[1]"), NO_SELECTOR),
        row("too long", html(), Some(&"p,".repeat(100_000)), NO_SELECTOR),
        row("too deep", html(), Some(&nested(100_000)), NO_SELECTOR),
        row("deep", html(), Some(&nested(17)), NO_SELECTOR),
        row("brackets", html(), Some(&"(".repeat(100)), NO_SELECTOR),
        row(
            "a relation in a relation",
            html(),
            Some(":has(:has(p))"),
            NO_SELECTOR,
        ),
        row(
            "not too deep",
            html(),
            Some(&format!("p{}", nested(16))),
            Execution("no visible element"),
        ),
        row("a chain", deep(), Some(&chain), nothing),
        row("siblings", deep(), Some(&siblings(100)), nothing),
        row(
            "many siblings",
            "<i>a</i>".repeat(8_000),
            Some("x ~ i"),
            Execution("takes too many steps"),
        ),
        row(
            "nested alternatives",
            "<div>".repeat(450) + "x",
            Some(":is(:is(:is(x div) div) div)"),
            Execution("takes too many steps"),
        ),
        row(
            "many classes",
            format!("<div class='{classes}'>{}", "<br>".repeat(4_000)),
            Some(".zz br"),
            Execution("takes too many steps"),
        ),
        row(
            "a chain in a relation",
            deep() + &"<div>a</div>".repeat(60_000),
            Some(&has),
            Timeout,
        ),
        row(
            "every one",
            "<p>a</p>".repeat(1000),
            Some("p:nth-child(1n+999)"),
            Text("a\na"),
        ),
        row(
            "itself in itself",
            "<div>".repeat(400) + "a",
            Some("div"),
            Text("a"),
        ),
    ];
    assert_eq!(try_all(rows).await, 22);
}

#[tokio::test]
async fn selector_errors_name_the_mistake() {
    let drawn = "is a pseudo-element and not an element";
    let unasked = "is not supported";
    let mut rows = Vec::new();
    for (selector, reason) in [
        ("", "selector: it is empty;"),
        (" ", "selector: it is empty;"),
        ("#", "no name follows one `#`;"),
        ("p .", "no name follows one `.`;"),
        ("p:", "no name follows one `:`;"),
        ("a,,b", "one of its commas;"),
        ("a,", "one of its commas;"),
        ("p::before", drawn),
        ("p::after, a", drawn),
        (":hover", "`:hover` is not supported"),
        ("a[href='x:y'] b:visited", unasked),
        ("div > > p", "before or after one `>`;"),
        ("> p", "before or after one `>`;"),
        ("p +", "before or after one `+`;"),
        ("p[", "selector: it is incomplete;"),
        ("//p[1]", "as XPath does;"),
        ("svg|p", "it has a namespace"),
        ("p:contains('a')", "`:contains` is not supported"),
    ] {
        rows.push(row(
            selector,
            "<p>a</p>".into(),
            Some(selector),
            Validation(reason),
        ));
    }
    assert_eq!(try_all(rows).await, 18);
}
