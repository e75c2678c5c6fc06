//! The exact output of findings in the formats `human` and `short`.

use crate::support::{Folder, agent, agent_with, command};
use expect_test::{Expect, expect};
use std::io::Write as _;
use std::process::Stdio;

/// Compares the human output for a bare signature or a document.
fn shows(options: &[&str], source: &str, expected: Expect) {
    let args: Vec<&str> = ["check", "-"].iter().chain(options).copied().collect();
    let ended = agent_with(&args, source).expect(1);
    expected.assert_eq(&ended.stderr);
}

#[test]
fn shows_marks_on_neighbouring_lines_together() {
    shows(
        &[],
        "[t:Tool {description: \"d\",\n  description: \"e\"} |\n  (x::Text)==>(::String)]\n",
        expect![[r#"
            error[agent::duplicate-key]: the key `description` is given twice
             --> <stdin>:2:3
              |
            1 | [t:Tool {description: "d",
              |          ----------- first given here
            2 |   description: "e"} |
              |   ^^^^^^^^^^^
              |
              = help: keep one of them

            <stdin>: 1 error
            For more about it, run `agent explain duplicate-key`
        "#]],
    );
}

#[test]
fn shows_a_distant_mark_in_its_own_excerpt() {
    let tool = |description: &str| {
        format!("[t:Tool {{description: \"{description}\"}} | (x::Text)==>(::String)]\n")
    };
    shows(
        &[],
        &format!("{}{}{}", tool("d"), "\n".repeat(13), tool("e")),
        expect![[r#"
            error[agent::conflicting-tools]: the tool `t` is defined in two different ways
              --> <stdin>:15:2
               |
            15 | [t:Tool {description: "e"} | (x::Text)==>(::String)]
               |  ^
               |
              ::: <stdin>:1:2
               |
             1 | [t:Tool {description: "d"} | (x::Text)==>(::String)]
               |  - the other definition
               |
               = help: make them equal, rename one, or define it once and refer to it by name

            <stdin>: 1 error
            For more about it, run `agent explain conflicting-tools`
        "#]],
    );
}

#[test]
fn separates_adjacent_marks() {
    shows(
        &["--as=signature"],
        "(\n  ::Text::Int)==>(::String)",
        expect![[r#"
            error[agent::several-types]: a parameter has more than one type
             --> <stdin>:2:9
              |
            2 |   ::Text::Int)==>(::String)
              |   ------^^^^^
              |   |
              |   the first one
              |
              = help: keep one

            <stdin>: 1 error
            For more about it, run `agent explain several-types`
        "#]],
    );
}

#[test]
fn aligns_carets_after_tabs_wide_characters_and_crlf() {
    shows(
        &["--as=signature"],
        "(a::Text {description: \"é→ 日本語 🛠\"})==>\t(x::Txt)==>(::String)\r\n",
        expect![[r#"
            error[agent::unknown-type]: `Txt` is not a type
             --> <stdin>:1:44
              |
            1 | (a::Text {description: "é→ 日本語 🛠"})==>    (x::Txt)==>(::String)
              |                                                  ^^^
              |
              = help: did you mean `Text`?

            <stdin>: 1 error
            For more about it, run `agent explain unknown-type`
        "#]],
    );
    shows(
        &["--as=signature"],
        "(x::Text)==>\r\n\t\t(y::Txt)\r\n==>(::String)\r\n",
        expect![[r#"
            error[agent::unknown-type]: `Txt` is not a type
             --> <stdin>:2:7
              |
            2 |         (y::Txt)
              |             ^^^
              |
              = help: did you mean `Text`?

            <stdin>: 1 error
            For more about it, run `agent explain unknown-type`
        "#]],
    );
}

#[test]
fn draws_short_marks_in_full_and_the_first_line_of_tall_ones() {
    let map = |entries: &str| format!("(x::Int {{enum: [{{{entries}}}]}})==>(::String)");
    shows(
        &["--as=signature"],
        &map("a: 1,\n b: 2,\n c: 3"),
        expect![[r#"
            error[agent::bad-default]: an allowed value does not fit the type: expected Int, found the object {"a":1,"b":2,"c":3}
             --> <stdin>:1:17
              |
            1 |   (x::Int {enum: [{a: 1,
              |  _________________^
            2 | |  b: 2,
            3 | |  c: 3}]})==>(::String)
              | |______^

            <stdin>: 1 error
            For more about it, run `agent explain bad-default`
        "#]],
    );
    let entries: Vec<String> = (0..20).map(|at| format!("k{at}: {at}")).collect();
    let ended = agent_with(&["check", "-", "--as=signature"], map(&entries.join(",\n"))).expect(1);
    let lines: Vec<&str> = ended.stderr.lines().skip(1).take(5).collect();
    assert_eq!(
        lines,
        [
            " --> <stdin>:1:17",
            "  |",
            "1 | (x::Int {enum: [{k0: 0,",
            "  |                 ^^^^^^^",
            "",
        ]
    );
}

#[test]
fn cuts_a_very_long_line_around_its_mark() {
    let long = "日本".repeat(10_000);
    shows(
        &[],
        &format!("[t:Tool {{description: \"{long}\", x: 1, x: 2}} | (a::Text)==>(::String)]"),
        expect![[r#"
            error[agent::duplicate-key]: the key `x` is given twice
             --> <stdin>:1:20033
              |
              |
            1 | …本日本日本日本日本日本日本日本日本", x: 1, x: 2} | (a::Text)==>(::String)]
              |                                             ^
             ::: <stdin>:1:20027
              |
            1 | …本日本日本日本日本日本日本日本日本日本", x: 1, x: 2} | (a::Text)==>(::String)]
              |                                           - first given here
              = help: keep one of them

            <stdin>: 1 error
            For more about it, run `agent explain duplicate-key`
        "#]],
    );
}

#[test]
fn shows_both_marks_around_a_very_long_line() {
    let long = "b".repeat(200_000);
    let source = format!(
        "[t:Tool {{description: \"d\", x: 1,\n y: \"{long}\",\n x: 2}} | (a::Text)==>(::String)]"
    );
    let ended = agent_with(&["check", "-"], source).expect(1);
    for part in [
        "--> <stdin>:3:2\n",
        "::: <stdin>:1:28\n",
        "- first given here",
    ] {
        assert!(ended.stderr.contains(part), "{part}:\n{}", ended.stderr);
    }
    assert!(ended.stderr.len() < 1_000, "{}", ended.stderr);
}

#[test]
fn mentions_agent_explain_once() {
    let wrong = "[t:Tool {description: \"d\"} | (x::Txt)==>(y::Txt)==>(::String)]";
    let other = "[t:Tool | (x::Text)==>(::String)]";
    let folder = Folder::new();
    let (wrong, other) = (folder.file("a.gram", wrong), folder.file("b.gram", other));
    let ended = agent(&["check", &wrong, &wrong]).expect(1);
    let hint = "For more about it, run `agent explain unknown-type`\n";
    assert!(ended.stderr.ends_with(hint), "{}", ended.stderr);
    assert_eq!(ended.stderr.matches("agent explain").count(), 1);
    let ended = agent(&["check", &wrong, &other]).expect(1);
    let hint = "For more about a finding, run `agent explain CODE`, such as `agent explain unknown-type`\n";
    assert!(ended.stderr.ends_with(hint), "{}", ended.stderr);
    // A name that means another code is not suggested without its prefix.
    let ended = agent_with(&["check", "--as=gram", "-"], "(a {k: 1, k: 2})").expect(0);
    assert!(
        ended
            .stderr
            .ends_with("run `agent explain gram::duplicate-key`\n"),
        "{}",
        ended.stderr
    );
    for args in [
        ["parse", wrong.as_str()],
        ["schema", wrong.as_str()],
        ["check", "agents/hello.gram"],
    ] {
        let ended = agent(&args);
        let count = usize::from(args[0] == "schema");
        assert_eq!(
            ended.stderr.matches("agent explain").count(),
            count,
            "{args:?}"
        );
    }
}

/// Returns the output of `agent check` for a finding, with options and an environment.
fn coloured(options: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command = command(&["check", "--as=signature", "-"]);
    command.args(options).envs(variables.iter().copied());
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let mut input = child.stdin.take().expect("its input is a pipe");
    input.write_all(b"(x::Txt)==>(::String)").expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("the command ends");
    String::from_utf8(output.stderr).expect("the output is UTF-8")
}

#[test]
fn color_controls_escape_sequences() {
    for (options, variables, expected) in [
        (&[][..], &[][..], false),
        (&["--color=auto"], &[], false),
        (&["--color=never"], &[], false),
        (&["--color=always"], &[], true),
        // The command line takes precedence over the environment.
        (
            &["--color=always"],
            &[("NO_COLOR", "1"), ("TERM", "dumb")],
            true,
        ),
        (&["--color", "never"], &[("CLICOLOR_FORCE", "1")], false),
    ] {
        let shown = coloured(options, variables);
        assert_eq!(
            shown.contains("\u{1b}["),
            expected,
            "{options:?} {variables:?}\n{shown}"
        );
    }
}

#[test]
fn links_codes_with_colours_and_a_docs_address() {
    let page = ("AGENT_DOCS_URL", "https://example.org/diagnostics.html");
    let link = "\u{1b}]8;;https://example.org/diagnostics.html#agent-unknown-type\u{1b}\\\
                agent::unknown-type\u{1b}]8;;\u{1b}\\";
    let shown = coloured(&["--color=always"], &[page]);
    assert!(shown.contains(link), "{shown:?}");
    for (options, variables) in [
        (&["--color=always"][..], &[][..]),
        (&["--color=never"], &[page]),
        (&[], &[page]),
        (&["--color=always"], &[("AGENT_DOCS_URL", "not an address")]),
    ] {
        let shown = coloured(options, variables);
        assert!(!shown.contains("\u{1b}]8"), "{options:?}: {shown:?}");
    }
}

#[test]
fn rejects_an_unknown_value_of_color() {
    let ended = agent(&["check", "agents/hello.gram", "--color=red"]).expect(2);
    assert!(ended.stderr.contains("always"), "{}", ended.stderr);
}

#[test]
fn short_format_is_one_line_for_each_finding() {
    let folder = Folder::new();
    let first = folder.file(
        "a.gram",
        "[t:Tool {description: \"é\"} | (x::Txt)==>(::String)]\n[u:Tool | (y::Int)==>(::String)]\n",
    );
    let second = folder.file(
        "b.gram",
        "[v:Tool {description: \"d\"} | (y::Int)==>(::String)]\n[w:Tool {description: \"d\"} | (y::Text)==>(::String)]\n",
    );
    let args = ["check", "--format=short", "--color=always", &first, &second];
    let ended = agent(&args).expect(1);
    assert_eq!(ended.stderr, "");
    let expected = [
        format!("{first}:1:34: agent::unknown-type: `Txt` is not a type"),
        format!(
            "{first}:2:2: agent::missing-description: the tool `u` needs a description: it is how \
             a model knows when to call it"
        ),
        format!(
            "{second}:2:34: agent::differing-parameter: the parameter `y` is `Text` in `w`, but \
             `Int` in `v`"
        ),
    ];
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(lines, expected);
    // Warnings are shown and are not errors, unless they are denied.
    agent(&["check", "--format=short", &second]).expect(0);
    agent(&["check", "--format=short", "--deny-warnings", &second]).expect(1);
}

#[test]
fn short_format_is_empty_without_findings() {
    let ended = agent(&["check", "--format", "short", "agents/hello.gram"]).expect(0);
    assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("", ""));
}

#[test]
fn short_format_keeps_a_message_on_one_line() {
    let source = "[`a\\nb.c\u{2028}`:Tool {description: \"d\"} | (x::Text)==>(::String)]";
    let ended = agent_with(&["check", "--format=short", "-"], source).expect(1);
    assert_eq!(
        ended.stdout,
        "-:1:2: agent::bad-name: `a\\nb.c\\u{2028}` is not a name that every provider takes for a tool\n"
    );
}

#[test]
fn short_format_has_many_findings_of_a_long_line() {
    let params = "(x::Txt)==>".repeat(20_000);
    let source = format!("{params}(::String)");
    let args = ["check", "--as=signature", "--format=short", "-"];
    let ended = agent_with(&args, source).expect(1);
    let columns: Vec<usize> = ended
        .stdout
        .lines()
        .map(|line| line.split(':').nth(2).unwrap().parse().unwrap())
        .collect();
    let expected: Vec<usize> = (0..10_000).map(|at| at * 11 + 5).collect();
    assert_eq!(columns, expected);
    assert_eq!(ended.stderr, "… and 10000 more in <stdin>\n");
}
