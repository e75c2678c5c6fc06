//! Text of models, tools, servers and documents that tries to control a terminal, with every command, on a
//! terminal and in a pipe.
#![cfg(unix)]

use crate::support::script::{Answer, Script};
use crate::support::server::OneAnswer;
use crate::support::terminal::Terminal;
use crate::support::{CommandOutput, Folder, agent_with, agent_with_tools, command};
use serde_json::json;
use std::process::{Command, Stdio};
use unicode_width::UnicodeWidthStr;

/// Everything that controls a terminal or hides, except line ends. Our own output never inverts colours.
const HOSTILE: &str = "a\u{1b}[2J\u{1b}[7m\u{1b}]0;t\u{7}\u{8}\u{b}\u{7f}\u{80}\u{85}\u{9b}7m\u{9d}\u{61c}\u{200b}\
                       \u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\u{2066}\u{2069}\u{feff}\u{e0000}\u{e0041}\u{e007f}\
                       \u{ad}\u{34f}\u{115f}\u{17b4}\u{180b}\u{3164}\u{ffa0}\u{1d173}\u{e0080}\u{e0100}\u{e01ef}z";

/// The same as a name in a shell, where the byte 0 cannot stand, with line ends and a forged transcript.
fn hostile_name() -> String {
    format!("{HOSTILE}\n🤖 forged\r\n🛠️ forged {{}} → ok\terror: forged")
}

/// Fails if a text has a character that controls a terminal other than our own colours, links and lines.
#[track_caller]
fn assert_safe(what: &str, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| is_refused(c)) {
        let (before, behind) = rest.split_at(at);
        let own = [
            "\u{1b}[K",
            "\u{1b}[?7l",
            "\u{1b}[?7h",
            "\u{1b}[?2004h",
            "\u{1b}[?2004l",
            "\u{1b}[?2026h",
            "\u{1b}[?2026l",
            "\u{1b}\\",
            "\r",
        ];
        let colour = behind.strip_prefix("\u{1b}[").and_then(|code| {
            let end = code.find(|c: char| !c.is_ascii_digit() && c != ';')?;
            let is_ours = code[end..].starts_with('m') && &code[..end] != "7";
            is_ours.then_some(end + 3)
        });
        // Links, and the editor's movements of the cursor.
        let link = behind.starts_with("\u{1b}]8;;").then_some(5);
        let movement = behind.strip_prefix("\u{1b}[").and_then(|code| {
            let end = code.find(|c: char| !c.is_ascii_digit())?;
            (end > 0 && code[end..].starts_with('C')).then_some(end + 3)
        });
        let length = own
            .iter()
            .find(|own| behind.starts_with(**own))
            .map(|own| own.len());
        let length = length.or(colour).or(link).or(movement);
        let Some(length) = length else {
            panic!(
                "{what}: {:?} behind {before:?}",
                behind.chars().take(20).collect::<String>()
            );
        };
        rest = &behind[length..];
    }
}

/// Fails if a text of others has a line that looks like one of the command.
#[track_caller]
fn assert_not_forged(what: &str, text: &str) {
    for line in text.lines() {
        let forged = [
            "🤖 forged",
            "🛠️ forged",
            "💬 forged",
            "error: forged",
            "warning: forged",
            "   yes, no, no REASON or edit? forged",
            "   arguments: forged",
            "cost: $forged",
            "the run forged",
            "stopped forged",
            "decide with forged",
            "saved forged",
        ];
        assert!(
            !forged.iter().any(|forged| line.starts_with(forged)),
            "{what}: {line:?}"
        );
    }
}

fn is_refused(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200b}'
        | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
        | '\u{e0000}'..='\u{e0fff}' | '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{3164}' | '\u{ffa0}' | '\u{1d173}'..='\u{1d17a}')
}

/// Runs a command in a pipe and on a terminal, and looks at the output. Returns the output in the pipe.
#[track_caller]
fn run_safely(what: &str, make: impl Fn() -> Command) -> CommandOutput {
    let piped = piped(make());
    assert_safe(&format!("{what}, piped, stdout"), &piped.stdout);
    assert_safe(&format!("{what}, piped, stderr"), &piped.stderr);
    assert_not_forged(what, &piped.stdout);
    assert_not_forged(what, &piped.stderr);
    assert_not_forged(what, &on_terminal(what, make()));
    piped
}

fn piped(mut command: Command) -> CommandOutput {
    CommandOutput::of(
        command
            .stdin(Stdio::null())
            .output()
            .expect("the command starts"),
    )
}

#[track_caller]
fn on_terminal(what: &str, mut command: Command) -> String {
    command.env("TERM", "xterm-256color");
    let (_, shown) = Terminal::start(command).end();
    assert_safe(&format!("{what}, on a terminal"), &shown);
    shown
}

/// A valid document in which every text is hostile.
fn hostile_document() -> String {
    let text = HOSTILE;
    format!(
        "// {text}\n[`{text}`:Agent {{description: \"{text}\", instruction: \"{text} {{{{v}}}}\", model: \
         \"OpenAI/{text}\", other: \"{text}\"}} |\n  [sayHello:Tool {{description: \"{text}\"}} | (n::Text \
         {{default: \"{text}\", description: \"{text}\"}})==>(::String)]]\n"
    )
}

/// A document with many kinds of findings, each about a hostile text.
fn wrong_document() -> String {
    let text = HOSTILE;
    let name = format!("{text}\\n🤖 forged");
    format!(
        "{text}\n[`{name}`:Agent {{instruction: 1, modell: \"x\"}} | [`{name}`:Tool {{`{name}`: \"{text}\", \
         description: \"\"}} | (n::`{name}` {{`{name}`: 1}})==>(::Txt)] | `{name}`]\n[a:Agent {{model: \
         \"{text}/{text}\", instruction: \"x\"}} | `{text}`]\n(\"{text}\n"
    )
}

#[test]
fn commands_show_hostile_documents_safely() {
    let folder = Folder::new();
    let name = hostile_name();
    let good = folder.file(&format!("{name}.gram"), hostile_document());
    let wrong = folder.file(&format!("wrong{name}.gram"), wrong_document());
    let missing = format!("{}/missing{name}", folder.path());
    let (good, wrong, missing) = (good.as_str(), wrong.as_str(), missing.as_str());
    let signature = format!("(`{HOSTILE}`::`{HOSTILE}`)==>(::String)");
    let name = name.as_str();
    let cases: &[&[&str]] = &[
        &["check", wrong],
        &["check", wrong, "--color", "always"],
        &["check", wrong, "--format", "short"],
        &["check", wrong, "--format", "json"],
        &["check", good],
        &["check", good, "--format", "json"],
        &["check", good, "--format", "short"],
        &["check", good, "--var", "x"],
        &["check", good, "--tools", wrong],
        &["check", good, "--tools", missing],
        &["check", good, "--provider", name],
        &["check", "--as", "gram", wrong],
        &["check", "--as", "signature", wrong],
        &["check", missing],
        &["fmt", "--check", good],
        &["fmt", "--check", wrong],
        &["fmt", "--check", wrong, "--format", "short"],
        &["fmt", "--diff", good, "--format", "json"],
        &["fmt", "--style", "portable", "--check", good],
        &["fmt", missing],
        &["fmt", wrong],
        &["diff", good, wrong],
        &["diff", good, "agents/hello.gram"],
        &["diff", "agents/hello.gram", good],
        &["diff", good, "agents/hello.gram", "--format", "json"],
        &["diff", good, missing],
        &["parse", good],
        &["parse", wrong],
        &["schema", good],
        &["schema", good, "--tool", name],
        &["schema", wrong],
        &["schema", "--signature", &signature],
        &["explain", name],
        &["tools", name],
        &["new-tools", good, "--tool", name],
        &["new-tools", good, "--agent", name],
        &["new-tools", wrong],
        &["conversations", "list", "--store", missing],
        &["conversations", "list", "--store", good],
        &["conversations", "show", name, "--store", missing],
        &["run", good, "Hi", "--offline"],
        &["run", good, name, "--offline", "--var", "v=x"],
        &[
            "run",
            good,
            name,
            "--offline",
            "--var",
            &format!("v={name}"),
            "--format",
            "json",
        ],
        &[
            "run",
            good,
            "Hi",
            "--offline",
            "--var",
            "v=1",
            "--var",
            &format!("{}=1", name.replace('=', "")),
        ],
        &["run", good, "Hi", "--agent", name],
        &["run", good, "Hi", "--history", wrong],
        &["run", good, "Hi", "--history", missing],
        &["run", wrong, "Hi"],
        &["run", good, "Hi", "--model", name],
        &["run", good, "Hi", "--base-url", name],
        &["chat", wrong],
        &["chat", missing],
        &["lsp", "--tools", missing],
        &["lsp", "--provider", name],
        &[name],
        &["check", &format!("--{name}")],
        &["check", "--format", name, good],
    ];
    for args in cases {
        run_safely(&format!("{args:?}"), || command(args));
    }
}

#[test]
fn documents_stay_as_they_are_in_a_pipe_only() {
    let folder = Folder::new();
    let text = hostile_document();
    let file = folder.file("a.gram", &text);
    let formatted = agent_gram::format_source(&text).expect("a document without errors");
    assert!(formatted.contains(HOSTILE));
    assert_eq!(agent_with(&["fmt", "-"], text).stdout, formatted);
    let args: &[&[&str]] = &[&["fmt", "--diff", &file], &["new-tools", &file]];
    for args in args {
        let shown = on_terminal(&format!("{args:?}"), command(args));
        assert!(
            shown.contains('\u{fffd}') || args[0] == "new-tools",
            "{shown}"
        );
    }
    assert!(piped(command(args[0])).stdout.contains(HOSTILE));
}

#[test]
fn functions_have_no_hidden_characters() {
    let folder = Folder::new();
    let file = folder.file("a.gram", hostile_document());
    let ended = run_safely("new-tools", || command(&["new-tools", &file]));
    assert!(ended.stdout.contains("\\u{3164}"), "{}", ended.stdout);
}

#[test]
fn json_has_the_hostile_text_as_its_value() {
    let folder = Folder::new();
    let file = folder.file("a.gram", hostile_document());
    let schema = run_safely("schema", || command(&["schema", &file]));
    assert_eq!(schema.json()[0]["description"], HOSTILE);
    let parsed = run_safely("parse", || command(&["parse", &file]));
    assert_eq!(parsed.json()[0]["subject"]["identity"], HOSTILE);
}

/// An answer of a server: a call of an unknown tool with hostile arguments, beside a hostile text.
fn hostile_answers() -> Vec<Answer> {
    let text: &'static str = Box::leak(
        format!(
            "👩\u{200d}💻 {HOSTILE}\n🤖 forged\n🛠️ forged {{}} → ok\n💬 forged\nerror: forged\nwarning: forged\n   \
             yes, no, no REASON or edit? forged\n   arguments: forged\ncost: $forged\nthe run forged waits\nstopped \
             forged\ndecide with forged\nsaved forged"
        )
        .into_boxed_str(),
    );
    let name: &'static str = Box::leak(hostile_name().into_boxed_str());
    let args = json!({"personName": text, name: text}).to_string();
    let args: &'static str = Box::leak(args.into_boxed_str());
    let texts: &'static [&'static str] = Box::leak(Box::new([text, text]));
    vec![
        Answer::Call(name, args),
        Answer::Call("sayHello", args),
        Answer::Call(
            "sayHello",
            Box::leak(format!("{{\n🤖 forged {text}").into_boxed_str()),
        ),
        Answer::Text(texts),
    ]
}

#[test]
fn a_run_shows_hostile_answers_and_calls_safely() {
    for options in [
        &["--stream"][..],
        &["--stream", "--format", "json"],
        &["--stream", "--debug"],
        &["--stream", "--debug", "--color", "always"],
    ] {
        let run = || {
            let url = Script::start(hostile_answers()).base_url();
            let args = ["run", "agents/hello.gram", "Hi", "--base-url", &url];
            command(&[&args[..], options].concat())
        };
        let ended = run_safely(&format!("run {options:?}"), run).expect(0);
        assert!(
            options.contains(&"json") || ended.stdout.contains("👩\u{200d}💻"),
            "{}",
            ended.stdout
        );
    }
    let run = || {
        let url = Script::start(hostile_answers()).base_url();
        command(&[
            "run",
            "agents/hello.gram",
            "Hi",
            "--base-url",
            &url,
            "--stream",
            "--format",
            "gram",
        ])
    };
    on_terminal("run --format gram", run());
    assert!(
        piped(run()).expect(0).stdout.contains(HOSTILE),
        "a pipe gets the document unchanged"
    );
}

#[test]
fn the_runs_of_a_journal_are_shown_safely() {
    let folder = Folder::new();
    let journal = format!("{}/runs.db", folder.path());
    let url = Script::start(hostile_answers()).base_url();
    let args = ["run", "agents/hello.gram", "Hi", "--base-url", &url];
    let said = ["--stream", "--journal", &journal];
    piped(command(&[&args[..], &said].concat())).expect(0);
    let list = ["runs", "list", "--journal", &journal];
    let listed = run_safely("runs list", || command(&list)).expect(0).stdout;
    let id = listed.split(' ').next().expect("an id");
    for format in ["human", "json"] {
        let show = [
            "runs",
            "show",
            id,
            "--format",
            format,
            "--journal",
            &journal,
        ];
        let shown = run_safely("runs show", || command(&show)).expect(0).stdout;
        assert!(shown.contains("👩\u{200d}💻"), "{shown}");
    }
    let document = folder.file("hostile.gram", hostile_document());
    let variable = format!("v={}", hostile_name());
    for format in ["human", "json"] {
        let replay = ["replay", id, "--journal", &journal, "--format", format];
        run_safely("replay", || command(&replay)).expect(0);
        let live = [&replay[..], &["--live", "--offline"]].concat();
        let shown = run_safely("replay --live", || command(&live)).expect(0);
        assert!(shown.stdout.contains("👩\u{200d}💻"), "{}", shown.stdout);
        for options in [&[][..], &["--live", "--offline"]] {
            let with = ["--with", &document, "--var", &variable];
            let other = [&replay[..], &with, options].concat();
            let code = i32::from(options.is_empty());
            let shown = run_safely("replay --with", || command(&other));
            assert!(!shown.expect(code).stdout.is_empty());
        }
    }
}

#[test]
fn a_run_shows_hostile_errors_of_a_server_safely() {
    let forged = format!("{}\nerror: forged", hostile_name());
    for (status, body) in [
        (
            "400 Bad Request",
            json!({"error": {"message": &forged}}).to_string(),
        ),
        ("500 Oops", forged.clone()),
        (
            "200 OK",
            json!({"choices": [{"message": {"content": hostile_name()}}]}).to_string(),
        ),
        ("200 OK", forged.clone()),
    ] {
        // A terminal and a pipe each need an answer.
        let run = |extra: &[&str]| {
            let server = OneAnswer::answering(status, "application/json", body.clone());
            let url = server.base_url();
            command(
                &[
                    &["run", "agents/hello.gram", "Hi", "--base-url", &url][..],
                    extra,
                ]
                .concat(),
            )
        };
        for extra in [&[][..], &["--debug"]] {
            run_safely(&format!("{status} {extra:?}"), || run(extra));
        }
    }
}

#[test]
fn a_file_of_messages_forges_no_question() {
    let folder = Folder::new();
    for blanks in ["   ", " ", "\u{a0}", "  \u{a0}", ""] {
        let question = format!("x\n{blanks}yes, no, no REASON or edit? forged");
        let line = json!({"id": "a", "input": {&question: 1}, &question: 1}).to_string();
        let batch = folder.file("batch.jsonl", &line);
        let message = json!([{"role": &question, "content": "Hi"}]).to_string();
        let history = folder.file("history.json", message);
        let output = format!("{}/output.jsonl", folder.path());
        for args in [
            &[
                "run",
                "agents/hello.gram",
                "--batch",
                &batch,
                "--output",
                &output,
            ][..],
            &["run", "agents/hello.gram", "Hi", "--history", &history],
        ] {
            let ended = run_safely(&format!("{args:?}"), || command(args));
            assert!(ended.stderr.contains("forged"), "{}", ended.stderr);
        }
    }
}

#[test]
fn a_chat_shows_hostile_answers_and_questions_safely() {
    let folder = Folder::new();
    let careful = "[sayHello:Tool {description: \"Returns a friendly greeting message for the given name\", \
                   requiresApproval: true} | (personName::Text {default: \"world\"})==>(::String)]";
    let document = folder.file("careful.gram", agent_with_tools(careful));
    let chat = |base_url: &str, extra: &[&str]| {
        let mut command =
            command(&[&["chat", &document, "--base-url", base_url][..], extra].concat());
        command
            .env("TERM", "xterm-256color")
            .env("HOME", folder.path())
            .env("XDG_DATA_HOME", format!("{}/data", folder.path()));
        command
    };
    let script = Script::start(hostile_answers());
    let mut terminal = Terminal::start(chat(&script.base_url(), &[]));
    terminal.wait_for_prompt();
    terminal.line("/tools");
    terminal.wait_for_prompt();
    terminal.line("Hi");
    // The arguments have the same text.
    terminal.wait_for("\u{1b}[K   yes, no, no REASON or edit? ");
    terminal.line("yes");
    terminal.wait_for("🤖 👩");
    // The answer has a mark of its own.
    terminal.wait_for("\u{1b}[K💬 ");
    terminal.send("\u{4}");
    let (_, shown) = terminal.end();
    assert_safe("chat", &without_editing(&shown));
    assert_not_forged("chat", &shown);
    let script = Script::start(hostile_answers());
    let store = format!("{}/a.db", folder.path());
    let mut piped = chat(
        &script.base_url(),
        &["--conversation", "a", "--store", &store],
    );
    let input = folder.file("input", "Hi\n/tools\n/nothing\u{1b}[2J\n/save \u{1b}[2J\n");
    piped.stdin(std::fs::File::open(input).expect("a file"));
    let ended = CommandOutput::of(piped.output().expect("the command starts"));
    assert_safe("chat, piped", &ended.stdout);
    assert_not_forged("chat, piped", &ended.stdout);
    assert_safe("chat, piped, stderr", &ended.stderr);
    for format in ["human", "json"] {
        let args = [
            "conversations",
            "show",
            "a",
            "--store",
            &store,
            "--format",
            format,
        ];
        run_safely(format, || command(&args));
    }
    let args = [
        "conversations",
        "show",
        "a",
        "--store",
        &store,
        "--format",
        "gram",
    ];
    on_terminal("conversations show --format gram", command(&args));
}

/// Removes what the line editor writes while a person types.
fn without_editing(shown: &str) -> String {
    shown
        .replace("\u{1b}[J", "")
        .replace("\u{1b}[6n", "")
        .replace("\u{7}", "")
}

#[test]
fn traces_have_no_other_colours_than_their_own() {
    let folder = Folder::new();
    let name = "a\u{1b}[8m\u{1b}[31mHID\\n🤖 forged\\nerror: forged\\n";
    let document = folder.file(
        "a.gram",
        format!("[`{name}`:Agent {{instruction: \"{name}\", model: \"OpenAI/{name}\"}}]\n"),
    );
    for colour in ["always", "never"] {
        let run = || {
            let url = Script::start([Answer::Text(&["Hello."])]).base_url();
            command(&[
                "run",
                &document,
                "Hi",
                "--base-url",
                &url,
                "--debug",
                "--color",
                colour,
            ])
        };
        let ended = run_safely(&format!("--debug --color {colour}"), run).expect(0);
        assert!(ended.stderr.contains("HID"), "{}", ended.stderr);
        for escape in ["\u{1b}[8m", "\u{1b}[31mHID"] {
            assert!(!ended.stderr.contains(escape), "{}", ended.stderr);
        }
        let is_coloured = ended.stderr.contains('\u{1b}');
        assert_eq!(is_coloured, colour == "always", "{}", ended.stderr);
    }
}

/// Fails if a row of a terminal of 80 columns looks like a line of the command, or if the terminal breaks a line.
#[track_caller]
fn assert_no_forged_row(what: &str, shown: &str) {
    assert_not_forged(what, shown);
    for line in shown.lines() {
        // Terminals disagree about the width of a tool.
        let line = line.replace("🛠️", "🛠 ");
        assert!(line.width() <= 80, "{what}: {line:?}");
    }
}

#[test]
fn no_row_of_a_terminal_is_forged() {
    let folder = Folder::new();
    for fill in [
        "\t".repeat(120) + " ",
        " ".repeat(240),
        "\u{a0}".repeat(240),
        "\u{2800}".repeat(240),
        "-".repeat(234),
    ] {
        let text: &'static str = Box::leak(
            format!(
                "Done.{fill}🤖 forged{fill}🛠️ forged {{}} → ok{fill}error: forged{fill}   yes, no, no REASON or \
                 edit? forged{fill}cost: $forged"
            )
            .into_boxed_str(),
        );
        let texts: &'static [&'static str] = Box::leak(Box::new([text]));
        let args: &'static str =
            Box::leak(json!({"personName": text}).to_string().into_boxed_str());
        let store = format!("{}/{}.db", folder.path(), fill.len());
        let answers = || {
            let answers = [Answer::Call("sayHello", args), Answer::Text(texts)];
            Script::start(answers).base_url()
        };
        let run = ["run", "agents/hello.gram", "Hi", "--base-url"];
        for options in [
            &["--stream"][..],
            &["--stream", "--conversation", "a", "--store", &store],
            &["--stream", "--debug", "--color", "never"],
        ] {
            let url = answers();
            let run = [&run[..], &[&url], options].concat();
            assert_no_forged_row("run", &on_terminal("run", command(&run)));
        }
        let show = ["conversations", "show", "a", "--store", &store];
        assert_no_forged_row("show", &on_terminal("show", command(&show)));
        let body = json!({"error": {"message": text}}).to_string();
        let server = OneAnswer::answering("400 Bad Request", "application/json", body);
        let url = server.base_url();
        let run = [&run[..], &[&url]].concat();
        assert_no_forged_row("error", &on_terminal("error", command(&run)));
        let document = format!("[a:Agent  {{instruction: \"{text}\", model: \"OpenAI/m\"}}]\n");
        let document = folder.file("a.gram", document);
        let diff = ["fmt", "--diff", &document];
        assert_no_forged_row("fmt --diff", &on_terminal("fmt --diff", command(&diff)));
    }
}

#[test]
fn the_indentation_of_code_stays() {
    let code = "Here:\n```\nfn main() {\n    if a {\n        b();\n    }\n}\n```\n| a    | b    |\n| ---- | ---- |";
    let texts: &'static [&'static str] = Box::leak(Box::new([code]));
    for stream in [&["--stream"][..], &[]] {
        let url = Script::start([Answer::Text(texts)]).base_url();
        let run = ["run", "agents/hello.gram", "Hi", "--base-url", &url];
        let shown = piped(command(&[&run[..], stream].concat()))
            .expect(0)
            .stdout;
        let expected = format!("🤖 {}\n", code.replace('\n', "\n    "));
        assert!(shown.ends_with(&expected), "{shown}");
    }
}

#[test]
fn the_fields_of_a_trace_are_cut() {
    let name: &'static str = Box::leak("x".repeat(100_000).into_boxed_str());
    let url = Script::start([Answer::Call(name, "{}"), Answer::Text(&["Hello."])]).base_url();
    let run = [
        "run",
        "agents/hello.gram",
        "Hi",
        "--stream",
        "--debug",
        "--base-url",
        &url,
    ];
    let ended = piped(command(&run));
    let spans = ended
        .stderr
        .lines()
        .filter(|line| line.contains("time.busy"));
    let longest = spans.map(str::len).max().expect("a span");
    assert!(longest < 10_000, "{longest} bytes");
}

#[test]
fn a_very_long_name_is_cut() {
    let name: &'static str = Box::leak("x".repeat(1_000_000).into_boxed_str());
    let url = Script::start([Answer::Call(name, "{}"), Answer::Text(&["Hello."])]).base_url();
    let args = [
        "run",
        "agents/hello.gram",
        "Hi",
        "--base-url",
        &url,
        "--stream",
    ];
    let ended = piped(command(&args));
    let bytes = ended.stdout.len() + ended.stderr.len();
    assert!(bytes < 4_000, "{bytes} bytes");
    let long = "x".repeat(100_000);
    for args in [
        &["explain", &long][..],
        &["tools", &long],
        &["schema", "agents/hello.gram", "--tool", &long],
    ] {
        let ended = piped(command(args)).expect(2);
        assert!(ended.stderr.len() < 10_000, "{} bytes", ended.stderr.len());
    }
}
