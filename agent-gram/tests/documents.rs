//! Documents with every construct of gram, as tokens that anything can be put between.

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

/// Tokens in order. White space and comments can be before, between and after them.
pub(crate) type Tokens = Vec<String>;

/// A document, and the white space and comments between its tokens.
pub(crate) fn document() -> impl Strategy<Value = (Tokens, Vec<String>)> {
    let items = (of(record(2)), vec(item(), 0..4));
    let tokens = items.prop_map(|(header, items)| {
        header
            .into_iter()
            .chain(items)
            .flatten()
            .collect::<Tokens>()
    });
    (tokens, vec(trivia(), 1..24))
}

/// Joins the tokens, with an item of `trivia` before, between and after them.
pub(crate) fn spaced(tokens: &[String], trivia: &[String]) -> String {
    let mut trivia = trivia.iter().cycle();
    let mut text = String::new();
    for token in tokens {
        text.extend(trivia.next().map(String::as_str));
        text.push_str(token);
    }
    text.extend(trivia.next().map(String::as_str));
    text
}

/// White space and comments that can be between any two tokens.
fn trivia() -> impl Strategy<Value = String> {
    let piece = select(vec![
        " ",
        "\t ",
        "\n",
        "\r\n",
        "\n \n",
        "\n\n\n\n",
        "\u{b}\u{c}",
        "// one\n",
        "//\n",
        "// two é [x {\" ``` \t \r\n",
        "\n// three  \n",
        "\n\n// four\n\n",
        "/** five */",
        "/***/",
        "\n/** six */\n",
        "/** seven\n      * eight\r\n  */",
        "/** nine\n\n   ten\n */",
        "\n  /** eleven\r\r\n  // ``` \" */\n\n",
    ]);
    prop_oneof![
        3 => Just(String::new()),
        2 => vec(piece, 1..4).prop_map(|pieces| pieces.concat()),
    ]
}

fn token(text: impl Into<String>) -> Tokens {
    vec![text.into()]
}

fn one_of(texts: &'static [&'static str]) -> impl Strategy<Value = Tokens> {
    select(texts).prop_map(token)
}

fn concat(parts: impl IntoIterator<Item = Tokens>) -> Tokens {
    parts.into_iter().flatten().collect()
}

/// A list: parts between two tokens, with commas between the parts.
fn list(open: &str, parts: Vec<Tokens>, close: &str) -> Tokens {
    let mut tokens = token(open);
    for (at, part) in parts.into_iter().enumerate() {
        if at > 0 {
            tokens.push(",".to_owned());
        }
        tokens.extend(part);
    }
    tokens.push(close.to_owned());
    tokens
}

const LONG: &str = "a.rather.long.name@with-all-characters_of_a_symbol";

fn name() -> impl Strategy<Value = Tokens> {
    one_of(&[
        "a", "b-", "p@k", "x.y", "true", LONG, "`a b`", "``", "`é\\``", "`// x`",
    ])
}

fn identifier() -> impl Strategy<Value = Tokens> {
    prop_oneof![4 => name(), 1 => one_of(&["0", "12", "-3"])]
}

fn key() -> impl Strategy<Value = Tokens> {
    prop_oneof![
        4 => name(),
        1 => one_of(&["\"k\"", "\"é // \\\" k\""]),
    ]
}

fn labels(least: usize) -> impl Strategy<Value = Tokens> {
    let label = (select(vec![":", "::"]), name());
    let label = label.prop_map(|(colons, name)| concat([token(colons), name]));
    vec(label, least..3).prop_map(concat)
}

fn subject(depth: u32) -> impl Strategy<Value = Tokens> {
    let parts = (of(identifier()), labels(0), of(record(depth)));
    parts.prop_map(|(identity, labels, record)| {
        concat([
            identity.unwrap_or_default(),
            labels,
            record.unwrap_or_default(),
        ])
    })
}

fn record(depth: u32) -> BoxedStrategy<Tokens> {
    let property = (key(), select(vec![":", "::"]), value(depth));
    let property = property.prop_map(|(key, colons, value)| concat([key, token(colons), value]));
    vec(property, 0..4)
        .prop_map(|properties| list("{", properties, "}"))
        .boxed()
}

fn map(depth: u32) -> impl Strategy<Value = Tokens> {
    let entry = (key(), value(depth));
    let entry = entry.prop_map(|(key, value)| concat([key, token(":"), value]));
    vec(entry, 0..3).prop_map(|entries| list("{", entries, "}"))
}

fn value(depth: u32) -> BoxedStrategy<Tokens> {
    let scalar = prop_oneof![
        3 => number(),
        2 => name().prop_filter("symbols only", |name| !name[0].starts_with('`')),
        4 => text(),
        2 => range(),
        2 => tagged(),
        1 => fence(),
    ];
    if depth == 0 {
        return scalar.boxed();
    }
    let array = vec(value(depth - 1), 0..4).prop_map(|items| list("[", items, "]"));
    prop_oneof![4 => scalar, 1 => array, 1 => map(depth - 1)].boxed()
}

fn number() -> impl Strategy<Value = Tokens> {
    one_of(&[
        "0", "-0", "42", "5.0", "-1.50", "0x1F", "0755", "10s", "1.5kg", "0xZZ", "1e", "-2ms",
    ])
}

fn text() -> impl Strategy<Value = Tokens> {
    let texts = one_of(&[
        "\"\"",
        "''",
        "\"a \\\"b\\\" \\n // no comment\"",
        "'it\\'s \\/** none \\t'",
        "`x \\` \" '`",
        "\" é→😀 \"",
        "\"\t \r\"",
    ]);
    let long = (20..140_usize, select(vec!["x", "é", "word "]));
    let long =
        long.prop_map(|(count, unit)| token(format!("\"{}\"", unit.repeat(count / unit.len()))));
    prop_oneof![3 => texts, 1 => long]
}

fn range() -> impl Strategy<Value = Tokens> {
    let both = (number(), number()).prop_map(|(n, m)| concat([n, token(".."), m]));
    prop_oneof![
        both,
        number().prop_map(|n| concat([n, token("...")])),
        number().prop_map(|m| concat([token("..."), m])),
    ]
}

fn tagged() -> impl Strategy<Value = Tokens> {
    let text = one_of(&["``", "`2026-11-21`", "`\\` é`"]);
    (one_of(&["date", "true", "md"]), text).prop_map(|(tag, text)| concat([tag, text]))
}

/// A fence is one token, because the blanks on the line that opens it are part of its syntax.
fn fence() -> impl Strategy<Value = Tokens> {
    let on_line = || {
        select(vec![
            "",
            "",
            " ",
            "\t\u{b}\r",
            "/** c */",
            " /** c\n    * d */ ",
            "/** c\n    d\r\n */",
        ])
    };
    let line_end = select(vec!["\n", "\r\n", "// c \n", "  // c\r\n"]);
    let text = select(vec![
        "",
        "\n",
        "x",
        "x\n",
        "x \n \t",
        "a\r\nb\r\n",
        "x\r\r\n",
        "x\r",
        "  x\n\n  y\n\n",
        "\n\n  // no comment\n",
        "`` /** none */ \n    ",
    ]);
    let tag = select(vec!["", "md", "true", "x-y"]);
    let parts = (on_line(), tag, on_line(), line_end, text);
    parts.prop_map(|(before, tag, after, end, text)| {
        // A fence whose text ends with a backtick would end earlier.
        token(format!("```{before}{tag}{after}{end}{text}```"))
    })
}

fn arrow() -> impl Strategy<Value = Tokens> {
    let family = select(vec!['-', '=', '~']);
    let bracket = of(subject(1)).prop_map(|subject| subject.map(|s| list("[", vec![s], "]")));
    let parts = (family, any::<bool>(), any::<bool>(), any::<bool>(), bracket);
    parts.prop_map(|(shaft, left, right, apart, bracket)| {
        let left = format!("{}{shaft}", if left { "<" } else { "" });
        let right = format!("{shaft}{}", if right { ">" } else { "" });
        match bracket {
            Some(bracket) => concat([token(left), bracket, token(right)]),
            None if apart => vec![left, right],
            None => token(left + &right),
        }
    })
}

fn path() -> impl Strategy<Value = Tokens> {
    let node = || subject(2).prop_map(|subject| list("(", vec![subject], ")"));
    let step = (arrow(), node()).prop_map(|(arrow, node)| concat([arrow, node]));
    (node(), vec(step, 0..3)).prop_map(|(node, steps)| concat([node, concat(steps)]))
}

fn bracket(depth: u32) -> BoxedStrategy<Tokens> {
    let element = if depth == 0 {
        prop_oneof![3 => path(), 2 => identifier()].boxed()
    } else {
        prop_oneof![3 => path(), 2 => identifier(), 2 => bracket(depth - 1)].boxed()
    };
    let elements = of(vec(element, 1..4));
    (subject(1), elements)
        .prop_map(|(subject, elements)| {
            let Some(elements) = elements else {
                return list("[", vec![subject], "]");
            };
            let mut elements = list("|", elements, "]");
            elements.splice(0..0, concat([token("["), subject]));
            elements
        })
        .boxed()
}

fn item() -> impl Strategy<Value = Tokens> {
    // A name would contain an `@` that touches it.
    let apart = |mut tokens: Tokens| {
        if let Some(last) = tokens.last_mut() {
            last.push(' ');
        }
        tokens
    };
    let identified = prop_oneof![
        (identifier(), labels(0)).prop_map(|(name, labels)| concat([name, labels])),
        labels(1),
    ];
    let identified = identified.prop_map(move |tokens| concat([token("@@"), apart(tokens)]));
    let key = one_of(&["k", "true", "description", "b-"]);
    let property = (key, value(2))
        .prop_map(|(key, value)| concat([token("@"), key, token("("), value, token(")")]));
    let annotations = (of(identified), vec(property, 0..3));
    let annotations =
        annotations.prop_map(|(first, rest)| concat([first.unwrap_or_default(), concat(rest)]));
    let body = prop_oneof![path(), bracket(2)];
    (
        prop_oneof![2 => Just(Tokens::new()), 1 => annotations],
        body,
    )
        .prop_map(|(annotations, body)| concat([annotations, body]))
}
