//! Diagnostics of the server after edits are those of the checker and of `agent check`.

use crate::session::{Session, TODAY};
use agent_catalog::Catalog;
use agent_spec::check::{ModelRules, Options, check};
use agent_spec::{Severity, ToolSpec, terminal};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::io::Write;
use std::process::{Command, Stdio};

const URI: &str = "untitled:Untitled-1";

/// The unit of columns.
#[derive(Clone, Copy, Debug)]
enum Encoding {
    Utf8,
    Utf16,
    Utf32,
}

impl Encoding {
    const ALL: [Self; 3] = [Self::Utf8, Self::Utf16, Self::Utf32];

    /// Returns the name in the protocol.
    fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    fn units(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// Returns the position of an offset, counted character by character. Between CR and LF it is the end of
/// the line.
fn position(text: &str, offset: usize, encoding: Encoding) -> Value {
    let (mut line, mut column) = (0, 0);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if at >= offset {
            break;
        }
        match c {
            '\r' if chars.peek().is_some_and(|(_, next)| *next == '\n') => {}
            '\r' | '\n' => (line, column) = (line + 1, 0),
            c => column += encoding.units(c),
        }
    }
    json!({"line": line, "character": column})
}

/// Returns texts with and without errors, and the empty text.
fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..6).prop_map(|pieces| pieces.concat())
}

/// Returns a text that is typed or pasted.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "[greet:Tool {description: \"Says hello 👋🏽\"} | (name::Text)==>(::String)]\n",
        "[greet:Agent {instruction: \"Greet é e\u{301} 漢.\", model: \"OpenAI/gpt-6-luna\"} | greet]\r\n",
        "[x:Tool {description: \"👩\u{200d}👩\u{200d}👧 x\"} | (a::Txt)==>(b::Int {defalt: 3})==>(::String)]\r",
        "[y:Agent {instruction: \"x\", model: \"Acme/1\", temprature: 1} | readFil, nobody]\n",
        "// a comment 😀\r\n",
        "`a-b.c`",
        "\"",
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        "|",
        "::Int",
        "==>",
        "👩\u{200d}👩\u{200d}👧",
        "e\u{301}",
        "\u{feff}",
        "\u{feff}\u{feff}(a)-->(b)",
        "\n",
        "\r",
        "\r\n",
        " ",
        "a",
    ])
}

/// An offset as a share of the length of the text, which is not known yet.
type Share = u16;

fn offset(text: &str, share: Share) -> usize {
    let at = text.len() * usize::from(share) / usize::from(Share::MAX);
    text.floor_char_boundary(at)
}

/// The replacement of a part of the text, or of the whole text.
#[derive(Clone, Debug)]
struct Edit {
    start: Share,
    end: Share,
    new: &'static str,
    is_whole: bool,
}

fn edit() -> impl Strategy<Value = Edit> {
    let length = prop_oneof![3 => Just(0), 3 => 0..2000_u16, 1 => any::<u16>()];
    (any::<u16>(), length, piece(), 0..20).prop_map(|(start, length, new, kind)| Edit {
        start,
        end: start.saturating_add(length),
        new,
        is_whole: kind == 0,
    })
}

impl Edit {
    /// Edits the text and returns the change in the form of the protocol.
    fn apply(&self, text: &mut String, encoding: Encoding) -> Value {
        if self.is_whole {
            *text = self.new.to_owned();
            return json!({"text": self.new});
        }
        let (start, end) = (offset(text, self.start), offset(text, self.end));
        let (start, end) = (before_line_end(text, start), before_line_end(text, end));
        let range = json!({
            "start": position(text, start, encoding),
            "end": position(text, end, encoding),
        });
        text.replace_range(start..end, self.new);
        json!({"range": range, "text": self.new})
    }
}

/// Returns the offset, or the one before it between CR and LF, which has no position.
fn before_line_end(text: &str, offset: usize) -> usize {
    let between = text[..offset].ends_with('\r') && text[offset..].starts_with('\n');
    offset - usize::from(between)
}

fn builtin_tools() -> Vec<ToolSpec> {
    let library = agent_builtin::library();
    let specs = library.iter().filter_map(|tool| {
        let descriptor = tool.descriptor();
        ToolSpec::with_signature(
            descriptor.name().to_owned(),
            descriptor.description().to_owned(),
            descriptor.signature()?.clone(),
        )
        .ok()
    });
    specs.collect()
}

/// Returns the diagnostics that the client should get for a text.
fn expected(text: &str, known: &[ToolSpec], encoding: Encoding) -> Vec<Value> {
    // The server checks models by the catalogue, too. An edit may make a name that the catalogue does not have.
    let models = ModelRules {
        today: TODAY.parse().ok(),
        ..ModelRules::new(Catalog::builtin())
    };
    let options = Options {
        known_tools: known,
        model_rules: Some(models),
        ..Options::default()
    };
    let range = |span: agent_gram::Span| {
        json!({
            "start": position(text, span.start, encoding),
            "end": position(text, span.end, encoding),
        })
    };
    let found = check(text, options).diagnostics;
    let findings = found.iter().map(|finding| {
        let message = match finding.help() {
            Some(help) => format!("{}\nhelp: {help}", finding.message()),
            None => finding.message().to_owned(),
        };
        let severity = match finding.severity() {
            Severity::Error => 1,
            Severity::Warning => 2,
        };
        let mut expected = json!({
            "range": range(finding.span()),
            "severity": severity,
            "code": finding.code().as_str(),
            "source": "agent",
            "message": terminal::text(&message),
        });
        let related: Vec<Value> = finding
            .labels()
            .map(|(span, label)| {
                json!({"location": {"uri": URI, "range": range(span)}, "message": terminal::text(label)})
            })
            .collect();
        if !related.is_empty() {
            expected["relatedInformation"] = json!(related);
        }
        expected
    });
    findings.collect()
}

/// Starts a session with an encoding.
fn session(encoding: Encoding) -> Session {
    let capabilities = json!({
        "general": {"positionEncodings": [encoding.name()]},
        "textDocument": {"publishDiagnostics": {"relatedInformation": true}},
    });
    let mut session = Session::start(&[]);
    let result = session.initialize(capabilities);
    assert_eq!(result["capabilities"]["positionEncoding"], encoding.name());
    session
}

/// Edits texts and calls `check` with the diagnostics after each batch of edits.
fn edit_texts(
    encoding: Encoding,
    cases: u32,
    check: impl Fn(&str, Vec<Value>) -> Result<(), TestCaseError>,
) {
    let session = RefCell::new(session(encoding));
    let batches = prop::collection::vec(prop::collection::vec(edit(), 1..4), 0..6);
    let mut runner = TestRunner::new(Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(&(text(), batches), |(mut text, batches)| {
        let mut session = session.borrow_mut();
        session.did_open(URI, 0, &text);
        check(&text, session.diagnostics(URI, 0))?;
        for (edits, version) in batches.iter().zip(1..) {
            let changes: Vec<Value> = edits
                .iter()
                .map(|edit| edit.apply(&mut text, encoding))
                .collect();
            session.did_change(URI, version, json!(changes));
            check(&text, session.diagnostics(URI, version))?;
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{encoding:?}: {error}"));
    session.into_inner().finish();
}

#[test]
fn diagnostics_after_edits_are_those_of_the_checker() {
    let known = builtin_tools();
    for encoding in Encoding::ALL {
        edit_texts(encoding, 128, |text, found| {
            prop_assert_eq!(found, expected(text, &known, encoding), "{:?}", text);
            Ok(())
        });
    }
}

/// Returns the diagnostics of `agent check`, which counts only LF as a line end.
fn checked(text: &str) -> Vec<Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_agent"))
        .args(["check", "--format", "json", "-"])
        .env_clear()
        .env("AGENT_TODAY", TODAY)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("its input is a pipe");
    stdin.write_all(text.as_bytes()).expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("the command ends");
    let document: Value = serde_json::from_slice(&output.stdout).expect("one JSON document");
    let found = document["diagnostics"].as_array().expect("a list").iter();
    found
        .map(|finding| {
            let message = finding["message"].as_str().expect("a message");
            let message = match finding["help"].as_str() {
                Some(help) => format!("{message}\nhelp: {help}"),
                None => message.to_owned(),
            };
            // An editor is sent no characters that hide text.
            let message = terminal::text(&message);
            json!({
                "line": finding["line"], "column": finding["column"],
                "endLine": finding["endLine"], "endColumn": finding["endColumn"],
                "code": finding["code"], "message": message,
                "severity": if finding["severity"] == "error" { 1 } else { 2 },
            })
        })
        .collect()
}

#[test]
fn diagnostics_after_edits_are_those_of_the_command() {
    edit_texts(Encoding::Utf32, 12, |text, found| {
        // The command reads a file and removes its byte-order mark.
        if text.contains('\r') || text.starts_with('\u{feff}') {
            return Ok(());
        }
        let from_one = |place: &Value| place.as_u64().expect("a number") + 1;
        let found: Vec<Value> = found
            .iter()
            .map(|finding| {
                let (start, end) = (&finding["range"]["start"], &finding["range"]["end"]);
                json!({
                    "line": from_one(&start["line"]), "column": from_one(&start["character"]),
                    "endLine": from_one(&end["line"]), "endColumn": from_one(&end["character"]),
                    "code": finding["code"], "message": finding["message"],
                    "severity": finding["severity"],
                })
            })
            .collect();
        prop_assert_eq!(found, checked(text), "{:?}", text);
        Ok(())
    });
}
