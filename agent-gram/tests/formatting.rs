//! The layout of formatted texts, case by case.

use agent_gram::{format_source, parse_patterns, print};

/// Checks the formatted text, that formatting it again changes nothing, and that the meaning is
/// kept.
#[track_caller]
fn check(text: &str, expected: &str) {
    let formatted = format_source(text).unwrap_or_else(|errors| panic!("{text}: {errors:#?}"));
    assert_eq!(formatted, expected, "\n{formatted}");
    assert_eq!(format_source(&formatted).as_deref(), Ok(expected));
    assert_eq!(parse_patterns(&formatted), parse_patterns(text));
}

/// Checks texts that formatting does not change.
#[track_caller]
fn fixed(texts: &[&str]) {
    for text in texts {
        let text = format!("{text}\n");
        check(&text, &text);
    }
}

#[test]
fn formats_documents() {
    check("", "");
    check(" \r\n\t", "");
    check("\u{feff}", "");
    check("\u{feff}(a)", "(a)\n");
    check("(a)(b)\r\n[c]", "(a)\n(b)\n[c]\n");
    check("{k:1}(a)", "{k: 1}\n(a)\n");
    check("{ }", "{}\n");
    check("\n\n(a)\n\n\n\n(b)\n(c)\n\n", "(a)\n\n(b)\n(c)\n");
}

#[test]
fn does_not_format_text_with_errors() {
    let errors = format_source("(a) -> (b)").expect_err("a bad arrow");
    assert_eq!(errors.len(), 1);
}

#[test]
fn keeps_quotes_numbers_arrows_and_order() {
    fixed(&[
        "()",
        "[]",
        "({})",
        "[{} | a]",
        "[a]",
        "[a:L {k: 1}]",
        "[r | a, b]",
        "[ | a, (b), [c], 12, `d e`]",
        "(a:L:L::M {k: 1, \"k\": 2, `k`:: 3})",
        "(`a`:`L`)",
        "({a: 'x', b: `y`, c: \"\\/\\b\", d: date`2026-11-21`})",
        "({a: 0x1F, b: 0755, c: 5.0, d: -1.50kg, e: 1s..2s, f: 0..., g: ...-1})",
        "({a: [], b: {}, c: [[], {x: {}}], d: true, e: null})",
        "(a)-->(b)<--(c)--(d)<-->(e)",
        "(a)==>(b)<==(c)==(d)<==>(e)",
        "(a)~~>(b)<~~(c)~~(d)<~~>(e)",
        "(a)-[]->(b)<=[r]=(c)~[:R {k: 1}]~(d)<-[{k: 1}]->(e)",
        "@k(1) (a)",
        "@@a @k(1) @j([1]) (a)-->(b)",
        "@@a:L::M [b | c]",
        "@@:L [b]",
    ]);
}

#[test]
fn sets_blanks_between_tokens() {
    check(
        "( a : L :: M { k : 1 , \"j\" :: [ 1 , 2 ] } ) - -> ( ) <- [ r ] - ( b )",
        "(a:L::M {k: 1, \"j\":: [1, 2]})-->()<-[r]-(b)\n",
    );
    check(
        "@@ a :L @ k ( 1 .. 2 )[ b|c ,d ]",
        "@@a:L @k(1..2) [b | c, d]\n",
    );
    check("(a)\n  =\n  =>\n(b)", "(a)==>(b)\n");
    check(
        "({a: md `x`, b: 1 ..., c: ... 2, d: {\n\n}})",
        "({a: md`x`, b: 1..., c: ...2, d: {}})\n",
    );
}

#[test]
fn formats_brackets() {
    check(
        "[a:A{k:1}|b,[c|(d)-->(e)]]",
        "[a:A {k: 1} |\n  b,\n  [c | (d)-->(e)]\n]\n",
    );
    check("[a | [b | c]]", "[a |\n  [b | c]\n]\n");
    check("[a\n|\n\nb,\n\n\nc\n]", "[a | b, c]\n");
    check(
        "[a {k: 1} |\n\n  b,\n\n\n  c,\n  d\n\n]",
        "[a {k: 1} |\n  b,\n\n  c,\n  d\n]\n",
    );
    let names = ["name"; 30].join(", ");
    check(
        &format!("[many | {names}]"),
        &format!("[many |\n  {}\n]\n", names.replace(", ", ",\n  ")),
    );
}

#[test]
fn keeps_one_blank_line_in_records() {
    let long = "x".repeat(90);
    check(
        &format!("({{\n\n\na: [\n\n\"{long}\",\n\n\n1, 2\n\n],\n\nb: 1, c: {{\n\nd: 1\n}}\n\n}})"),
        &format!(
            "({{\n  a: [\n    \"{long}\",\n\n    1,\n    2\n  ],\n\n  b: 1,\n  c: {{d: 1}}\n}})\n"
        ),
    );
}

#[test]
fn formats_annotations() {
    let long = "x".repeat(60);
    check(
        &format!("@@t:Tool @description(\"{long}\") @n(1)\n\n(a)==>(b {{k: \"{long}\"}})"),
        &format!("@@t:Tool\n@description(\"{long}\")\n@n(1)\n(a)==>(b {{k: \"{long}\"}})\n"),
    );
    check(
        &format!("@list([\"{long}\", \"{long}\"]) [a {{k: 1}} | b]"),
        &format!("@list([\n  \"{long}\",\n  \"{long}\"\n])\n[a {{k: 1}} |\n  b\n]\n"),
    );
    // The parenthesis after a value counts.
    let value = |length| format!("[1, \"{}\"]", "x".repeat(length));
    let fits = format!("@k({})\n[a {{k: 1}} |\n  b\n]\n", value(89));
    assert_eq!(fits.lines().next().map(str::len), Some(100));
    check(&fits, &fits);
    let broken = format_source(&fits.replace(&value(89), &value(90))).expect("gram");
    assert!(broken.starts_with("@k([\n"), "{broken}");
    check("@k(1) [a {k: 1} | b]", "@k(1)\n[a {k: 1} |\n  b\n]\n");
    check("@text(```md\nx\n```)(a)", "@text(```md\nx\n```)\n(a)\n");
}

#[test]
fn counts_columns_like_the_printer() {
    // The lengths give lines of about a hundred columns, in every place where a line can be broken.
    for length in 60..110 {
        for unit in ["x", "é", "😀"] {
            let text = unit.repeat(length);
            let third = unit.repeat(length / 3);
            for document in [
                format!("({{k: \"{text}\"}})"),
                format!("(a)==>(b {{k: \"{text}\"}})==>(c {{j: 1}})"),
                format!("[a {{k: \"{text}\"}} | (b)]"),
                format!("[a {{k: 1}} | (b {{k: \"{text}\"}}), (c {{k: \"{text}\"}}), (d)]"),
                format!("[a | (b), (c), (`{text} 1`)]"),
                format!("[a | (b), (c), (`{text} 1`)==>()]"),
                format!("[a | (b), (`{third} 1`), (`{third} 2`)==>(`{third} 3`)]"),
                format!("({{k: [\"{third}\", \"{third}\", {{j: \"{third}\"}}]}})"),
                format!("({{k: [1, \"{text}\"], j: {{i: \"{text}\"}}}})"),
            ] {
                let patterns = parse_patterns(&document).expect("gram");
                let printed = print(&patterns);
                assert_eq!(format_source(&document), Ok(printed.clone()));
                assert_eq!(format_source(&printed), Ok(printed));
            }
        }
    }
}

#[test]
fn formats_fences() {
    check(
        "({a: ``` \r\n one\r\n\ttwo \r\n  ```, b: ```md\nthree```})",
        "({\n  a: ```\n one\n\ttwo \n```,\n  b: ```md\nthree```\n})\n",
    );
    check("({a: ```\n```})", "({\n  a: ```\n```\n})\n");
    check("({a: ```\n\n\n```})", "({\n  a: ```\n\n\n```\n})\n");
    check("({a: ```\nx\r\r\n```})", "({\n  a: ```\nx\n```\n})\n");
    check(
        "({a: ``` /** b */md/** c */ // d \nx\n```})",
        "({\n  a: ``` /** b */ md /** c */ // d\nx\n```\n})\n",
    );
}

#[test]
fn keeps_comments_at_the_end_of_a_line() {
    fixed(&[
        "(a) // one",
        "(a) /** one */\n(b)",
        "({ // one\n  a: 1, // two\n  b: [ // three\n    1 // four\n  ] // five\n}) // six",
        "[a {k: 1} | // one\n  b, // two\n  c // three\n] // four",
        "@@a // one\n@k(1) // two\n(b) // three",
        "{k: 1} // one\n(a)",
    ]);
    check("(a) /** one */", "(a) /** one */\n");
    check("(a)// one\t \r\n", "(a) // one\n");
    check(
        "(a)   /** one */   // two\n(b)",
        "(a) /** one */ // two\n(b)\n",
    );
}

#[test]
fn keeps_comments_on_lines_of_their_own() {
    fixed(&[
        "// one",
        "// one\n\n// two\n(a)\n\n// three\n// four\n\n(b)\n// five",
        "({\n  // one\n\n  // two\n  a: 1,\n\n  // three\n  b: 2\n  // four\n})",
        "[a {k: 1} |\n  // one\n  b,\n  // two\n  c\n\n  // three\n]",
        "@@a\n// one\n@k(1)\n// two\n(b)",
        "({\n  k: [\n    // one\n  ]\n})",
        "(a)\n\n// one\n\n// two",
    ]);
    check(
        "[a {k: 1} |\n\n// one\n\nb\n\n// two\n\n]",
        "[a {k: 1} |\n  // one\n\n  b\n\n  // two\n]\n",
    );
    check(
        "[a | // one\n\n\n        // two\n    b // three\n  ,c]",
        "[a | // one\n\n  // two\n  b // three\n    ,\n  c\n]\n",
    );
}

#[test]
fn formats_doc_comments() {
    // Before a token that begins a line, a doc comment has a line of its own.
    check(
        "/** one */ (a) /** two */ [b {k: 1} | /** three */ c, /** four */ d /** five */]",
        "/** one */\n(a)\n/** two */\n[b {k: 1} |\n  /** three */\n  c,\n  /** four */\n  d\n  /** five */\n]\n",
    );
    // Inside a line, it stays in the line.
    fixed(&[
        "(a /** one */ :L)",
        "({k: /** one */ 1, /** two */ j: 2 /** three */ })",
        "[a | /** one */ b, c]",
        "@ /** one */ k(1) (a)",
        "(a) /** one */ -->(b)",
        "({k: md /** one */ `x`, j: 1 /** two */ .. /** three */ 2})",
    ]);
    // Stars are aligned; other lines keep their indentation.
    check(
        "[a {k: 1} |\n/** one\n* two\n        * three\r\n*/\nb]",
        "[a {k: 1} |\n  /** one\n   * two\n   * three\n   */\n  b\n]\n",
    );
    check(
        "[a {k: 1} |\n/** one\r\n      two\n\n*/\nb]",
        "[a {k: 1} |\n  /** one\n      two\n\n*/\n  b\n]\n",
    );
}

#[test]
fn formats_tokens_after_a_doc_comment_on_its_last_line() {
    let long = "x".repeat(95);
    check(
        &format!("({{k: /** one\n* two */ [\"{long}\"]}})"),
        &format!("({{\n  k: /** one\n   * two */ [\n    \"{long}\"\n  ]\n}})\n"),
    );
    // The columns of a comment count.
    let fits = "x".repeat(80);
    let line = format!("   * two */ [\"{fits}\"]");
    check(
        &format!("({{k: /** one\n* two */ [\"{fits}\"]}})"),
        &format!("({{\n  k: /** one\n{line}\n}})\n"),
    );
    let comment = "two ".repeat(20);
    check(
        &format!("({{k: /** one\n{comment}*/ [\"{fits}\"]}})"),
        &format!("({{\n  k: /** one\n{comment}*/ [\n    \"{fits}\"\n  ]\n}})\n"),
    );
}

#[test]
fn comment_at_line_end_breaks_the_line() {
    check("(a // one\n:L // two\n)", "(a // one\n  :L // two\n  )\n");
    check(
        "(a // one\n\n\n// two\n\n\n:L)",
        "(a // one\n\n  // two\n  :L)\n",
    );
    check(
        "(a)- // one\n[r]->(b {k: 1})",
        "(a)- // one\n  [r]->(b {\n    k: 1\n  })\n",
    );
    check(
        "({k // one\n:\n// two\n[1, 2]})",
        "({\n  k // one\n    :\n    // two\n    [1, 2]\n})\n",
    );
    check("[a // one\n| b]", "[a // one\n  |\n  b\n]\n");
    check(
        "@ // one\nk // two\n( // three\n1) (a)",
        "@ // one\n  k // two\n  ( // three\n  1)\n(a)\n",
    );
    check(
        "(a {k: 1 // one\n} // two\n)-->(b {j: 2} // three\n)",
        "(a {\n  k: 1 // one\n} // two\n  )-->(b {\n    j: 2\n  } // three\n  )\n",
    );
    check(
        "[a {k: 1} | [b {j: 1} | c] // one\n, d]",
        "[a {k: 1} |\n  [b {j: 1} |\n    c\n  ] // one\n    ,\n  d\n]\n",
    );
    check("(a {} // one\n)", "(a {} // one\n  )\n");
    check("({k: {// one\n}})", "({\n  k: { // one\n  }\n})\n");
    check(
        "({k: 1 // one\n.. // two\n2})",
        "({\n  k: 1 // one\n    .. // two\n    2\n})\n",
    );
}
