//! Texts of the official grammar, in all its variety: one strategy for each production.
//!
//! A document is made as tokens; [`crate::official_grammar::spacing`] sets them apart.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::SBoxedStrategy;
use std::sync::LazyLock;

/// The tokens of a production, in order.
pub(crate) type Tokens = Vec<String>;

fn one(token: impl Into<String>) -> Tokens {
    vec![token.into()]
}

/// One production after another.
fn concat(parts: impl IntoIterator<Item = Tokens>) -> Tokens {
    parts.into_iter().flatten().collect()
}

/// With a comma between each two.
fn commas(parts: Vec<Tokens>) -> Tokens {
    let mut tokens = Vec::new();
    for part in parts {
        if !tokens.is_empty() {
            tokens.push(",".to_owned());
        }
        tokens.extend(part);
    }
    tokens
}

fn enclosed(open: &str, inner: Tokens, close: &str) -> Tokens {
    concat([one(open), inner, one(close)])
}

/// `document = [record] { top }`
pub(crate) fn document() -> impl Strategy<Value = Tokens> {
    (option::weighted(0.2, record()), vec(top(), 0..3)).prop_map(|(header, tops)| {
        let mut tokens = header.unwrap_or_default();
        tokens.extend(concat(tops));
        tokens
    })
}

/// `top = annotated | bracket | path`
fn top() -> impl Strategy<Value = Tokens> {
    let body = prop_oneof![bracket(), path()];
    (option::weighted(0.3, annotations()), body).prop_map(|(annotations, body)| {
        let mut tokens = annotations.unwrap_or_default();
        tokens.extend(body);
        tokens
    })
}

/// `annotations = idann {propann} | propann {propann}`
fn annotations() -> impl Strategy<Value = Tokens> {
    let name = prop_oneof![
        identifier(),
        labels(),
        (identifier(), labels()).prop_map(|(name, labels)| concat([name, labels])),
    ];
    let identified = name.prop_map(|name| concat([one("@@"), name]));
    let property = (symbol(), value())
        .prop_map(|(key, value)| concat([one("@"), one(key), enclosed("(", value, ")")]));
    prop_oneof![
        (identified, vec(property.clone(), 0..3))
            .prop_map(|(first, rest)| { concat([first, concat(rest)]) }),
        vec(property, 1..4).prop_map(concat),
    ]
}

/// `bracket = "[" [subject] [ "|" element {"," element} ] "]"`
fn bracket() -> impl Strategy<Value = Tokens> {
    // Made once: what stands in the closure is made anew for each text.
    let (subject, path, identifier) = (subject(), path(), identifier().boxed());
    let flat = prop_oneof![path.clone(), identifier.clone()];
    bracket_of(subject.clone(), vec(flat, 0..3)).prop_recursive(2, 4, 2, move |inner| {
        let element = prop_oneof![2 => inner, 2 => path.clone(), 1 => identifier.clone()];
        bracket_of(subject.clone(), vec(element, 0..3))
    })
}

fn bracket_of(
    subject: BoxedStrategy<Tokens>,
    elements: impl Strategy<Value = Vec<Tokens>>,
) -> impl Strategy<Value = Tokens> {
    (option::weighted(0.7, subject), elements).prop_map(|(subject, elements)| {
        let mut inner = subject.unwrap_or_default();
        if !elements.is_empty() {
            inner.push("|".to_owned());
            inner.extend(commas(elements));
        }
        enclosed("[", inner, "]")
    })
}

/// `path = node { arrow node }`
fn path() -> BoxedStrategy<Tokens> {
    let arrows = prop_oneof![
        3 => Just(Vec::new()),
        2 => vec((arrow(), node()), 1),
        1 => vec((arrow(), node()), 2..4),
    ];
    (node(), arrows)
        .prop_map(|(first, rest)| {
            let rest = rest.into_iter().flat_map(|(arrow, node)| [arrow, node]);
            concat([first, concat(rest)])
        })
        .boxed()
}

fn node() -> impl Strategy<Value = Tokens> {
    option::weighted(0.7, subject())
        .prop_map(|subject| enclosed("(", subject.unwrap_or_default(), ")"))
}

/// All twelve kinds, with brackets and without.
fn arrow() -> impl Strategy<Value = Tokens> {
    let inner = option::weighted(0.3, option::weighted(0.7, subject()));
    (
        select(&["-", "=", "~"]),
        any::<bool>(),
        any::<bool>(),
        inner,
    )
        .prop_map(|(shaft, left, right, inner)| {
            let start = if left {
                format!("<{shaft}")
            } else {
                shaft.to_owned()
            };
            let end = if right {
                format!("{shaft}>")
            } else {
                shaft.to_owned()
            };
            let inner = inner.map(|subject| enclosed("[", subject.unwrap_or_default(), "]"));
            concat([one(start), inner.unwrap_or_default(), one(end)])
        })
}

/// `subject = identifier [labels] [record] | labels [record] | record`
fn subject() -> BoxedStrategy<Tokens> {
    prop_oneof![
        (
            identifier(),
            option::of(labels()),
            option::weighted(0.3, record())
        )
            .prop_map(|(name, labels, record)| {
                concat([name, labels.unwrap_or_default(), record.unwrap_or_default()])
            }),
        (labels(), option::weighted(0.3, record()))
            .prop_map(|(labels, record)| concat([labels, record.unwrap_or_default()])),
        record(),
    ]
    .boxed()
}

fn labels() -> impl Strategy<Value = Tokens> {
    let name = prop_oneof![3 => symbol(), 1 => quoted('`')];
    vec((separator(), name), 1..3).prop_map(|labels| {
        let labels = labels.into_iter();
        labels
            .flat_map(|(separator, name)| [separator.to_owned(), name])
            .collect()
    })
}

fn separator() -> impl Strategy<Value = &'static str> {
    select(&[":", "::"])
}

/// `record = "{" [ prop {"," prop} ] "}"`
fn record() -> BoxedStrategy<Tokens> {
    let property = (key(), separator(), value())
        .prop_map(|(key, separator, value)| concat([one(key), one(separator), value]));
    vec(property, 0..3)
        .prop_map(|properties| enclosed("{", commas(properties), "}"))
        .boxed()
}

/// `value = scalar | array | map`
fn value() -> BoxedStrategy<Tokens> {
    prop_oneof![6 => scalar(), 1 => array(), 1 => map()].boxed()
}

/// `array = "[" scalar {"," scalar} "]"`
fn array() -> impl Strategy<Value = Tokens> {
    vec(scalar(), 1..4).prop_map(|items| enclosed("[", commas(items), "]"))
}

/// `map = "{" [ entry {"," entry} ] "}"`
fn map() -> impl Strategy<Value = Tokens> {
    let value = prop_oneof![3 => scalar(), 1 => array()];
    let entry = (key(), value).prop_map(|(key, value)| concat([one(key), one(":"), value]));
    vec(entry, 0..3).prop_map(|entries| enclosed("{", commas(entries), "}"))
}

/// `scalar = range | number | boolean | tagged | symbol | string`
fn scalar() -> BoxedStrategy<Tokens> {
    let tagged = (symbol(), quoted('`'))
        // `true` and `false` are no tags: a widening.
        .prop_filter("a tag", |(tag, _)| tag != "true" && tag != "false")
        .prop_map(|(tag, text)| vec![tag, text]);
    prop_oneof![
        2 => number().prop_map(one),
        1 => range(),
        1 => select(&["true", "false", "trueish", "null"]).prop_map(one),
        1 => tagged,
        1 => symbol().prop_map(one),
        1 => quoted('"').prop_map(one),
        1 => quoted('\'').prop_map(one),
        1 => quoted('`').prop_map(one),
        1 => fence().prop_map(one),
    ]
    .boxed()
}

fn range() -> impl Strategy<Value = Tokens> {
    prop_oneof![
        (number(), number()).prop_map(|(lower, upper)| vec![lower, "..".to_owned(), upper]),
        number().prop_map(|lower| vec![lower, "...".to_owned()]),
        number().prop_map(|upper| vec!["...".to_owned(), upper]),
    ]
}

/// `number = integer | decimal | hexadecimal | octal | measurement`
fn number() -> SBoxedStrategy<String> {
    static NUMBER: LazyLock<SBoxedStrategy<String>> = LazyLock::new(|| {
        prop_oneof![
            integer(),
            regex("-?(0|[1-9][0-9]{0,3})\\.[0-9]{1,3}"),
            regex("0x[0-9a-fA-F]{1,4}"),
            regex("0[0-7]{1,3}"),
            regex("-?(0|[1-9][0-9]{0,3})[A-Za-z]{1,3}"),
        ]
        .sboxed()
    });
    NUMBER.clone()
}

fn integer() -> SBoxedStrategy<String> {
    static INTEGER: LazyLock<SBoxedStrategy<String>> =
        LazyLock::new(|| regex("-?(0|[1-9][0-9]{0,3})"));
    INTEGER.clone()
}

/// `identifier = symbol | quoted name | integer`
fn identifier() -> impl Strategy<Value = Tokens> {
    prop_oneof![
        4 => symbol(),
        1 => quoted('`'),
        1 => integer(),
    ]
    .prop_map(one)
}

/// `key = symbol | quoted name | double-quoted name`
fn key() -> impl Strategy<Value = String> {
    prop_oneof![4 => symbol(), 1 => quoted('`'), 1 => quoted('"')]
}

fn symbol() -> SBoxedStrategy<String> {
    static SYMBOL: LazyLock<SBoxedStrategy<String>> = LazyLock::new(|| {
        prop_oneof![
            4 => regex("[A-Za-z_][0-9A-Za-z_.@-]{0,4}"),
            1 => select(&["true", "false", "a-", "x0", "e"]).prop_map(str::to_owned),
        ]
        .sboxed()
    });
    SYMBOL.clone()
}

fn regex(expression: &str) -> SBoxedStrategy<String> {
    proptest::string::string_regex(expression)
        .expect("a regular expression")
        .sboxed()
}

/// Text between quotes.
fn quoted(quote: char) -> BoxedStrategy<String> {
    let piece = prop_oneof![
        6 => select(&["a", "Z", "0", " ", "é", "😀", "\t", "\r", "/", "*", "//", "/**", "*/", "{", "]", "(", "|", ",", ":", "@", "-", "\u{a0}", "\u{2028}"])
            .prop_map(str::to_owned),
        1 => select(&["\"", "'", "`"]).prop_map(move |other| {
            if other.starts_with(quote) { format!("\\{other}") } else { other.to_owned() }
        }),
        1 => select(&["\\b", "\\f", "\\n", "\\r", "\\t", "\\/", "\\\\"]).prop_map(str::to_owned),
    ];
    vec(piece, 0..5)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("no comment", |text| !begins_as_comment(text))
        .prop_map(move |text| format!("{quote}{text}{quote}"))
        .boxed()
}

/// At the beginning of a text, blanks or not, the official parser takes these for comments.
fn begins_as_comment(text: &str) -> bool {
    let text = text.trim_start_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
    text.starts_with("//") || text.starts_with("/**")
}

/// A fence, tagged or not, on lines that end with LF or CRLF.
fn fence() -> impl Strategy<Value = String> {
    let piece = select(&[
        "a", " ", "\n", "\r\n", "\t", "\\", "\"", "'", "`a", "``a", "// c", "/**", "é", "{", "\n\n",
    ]);
    let text = vec(piece, 0..6)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("no comment", |text| !begins_as_comment(text));
    let tag = option::of(symbol());
    let blanks = || select(&["", "", " ", "\t", " \t"]);
    (tag, blanks(), blanks(), select(&["\n", "\r\n"]), text).prop_map(
        |(tag, before, after, line_end, text)| {
            let tag = tag.unwrap_or_default();
            format!("```{before}{tag}{after}{line_end}{text}```")
        },
    )
}
