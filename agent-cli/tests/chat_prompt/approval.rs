//! Calls that require approval.

use crate::chat_prompt::{CTRL_C, CTRL_D, UP, chat};
use crate::support::script::{Answer, Script};
use crate::support::terminal::Terminal;
use crate::support::{Folder, agent_with_tools};

/// A tool that requires approval.
const CAREFUL: &str = "[sayHello:Tool {description: \"Returns a \
                       friendly greeting message for the given name\", requiresApproval: true} | \
                       (personName::Text {default: \"world\"})==>(::String)]";

#[test]
fn approves_denies_and_edits_calls() {
    let folder = Folder::new();
    let document = folder.file("careful.gram", agent_with_tools(CAREFUL));
    let call = || Answer::Call("sayHello", "{\"personName\":\"Ada\u{202e}\"}");
    let answers = [
        call(),
        Answer::Text(&["One."]),
        call(),
        Answer::Text(&["Two."]),
        call(),
        Answer::Text(&["Three."]),
        call(),
        Answer::Text(&["Four."]),
    ];
    let script = Script::start(answers);
    let base_url = script.base_url();
    let args = [document.as_str(), "--base-url", &base_url];
    let mut terminal = Terminal::start(chat(&folder, &args));
    let question = "🛠️ sayHello {\"personName\":\"Ada\\u202e\"} needs your approval\r\n";
    let prompt = "yes, no, no REASON or edit? ";
    terminal.wait_for_prompt();
    terminal.line("/tools");
    terminal.wait_for("(asks you first)");
    terminal.wait_for_prompt();

    terminal.line("Greet");
    terminal.wait_for(question);
    terminal.wait_for(prompt);
    terminal.line("perhaps");
    terminal.wait_for("answer `yes`, `no`");
    terminal.wait_for(prompt);
    terminal.line("yes");
    terminal.wait_for("→ Hello, Ada\\u{202e}!");
    terminal.wait_for("🤖 One.");
    terminal.wait_for_prompt();

    terminal.line("Greet");
    terminal.wait_for(prompt);
    terminal.line("no, she sleeps");
    terminal.wait_for("→ error: ");
    terminal.wait_for("🤖 Two.");
    terminal.wait_for_prompt();

    terminal.line("Greet");
    terminal.wait_for(prompt);
    terminal.line("edit");
    terminal.wait_for("arguments: {\"personName\":\"Ada\\u202e\"}");
    // Ctrl-U empties the line.
    terminal.line("\u{15}[1]");
    terminal.wait_for("write an object, such as");
    terminal.wait_for("arguments: [1]");
    // If the tool rejects the arguments, the user is asked again; the model gets no error.
    terminal.line("\u{15}{\"personName\":7}");
    terminal.wait_for("of `sayHello` waits still");
    terminal.wait_for(prompt);
    // An empty line goes back to the question, and the next edit begins with the last text.
    for _ in 0..2 {
        terminal.line("edit");
        terminal.wait_for("arguments: {\"personName\":7}");
        terminal.line("\u{15}");
        terminal.wait_for(prompt);
    }
    terminal.line("edit");
    terminal.wait_for("arguments: {\"personName\":7}");
    terminal.line("\u{15}{\"personName\":\"Bob\"}");
    terminal.wait_for("→ Hello, Bob!");
    terminal.wait_for("🤖 Three.");
    terminal.wait_for_prompt();

    // Ctrl-C at a question stops the turn.
    terminal.line("Greet");
    terminal.wait_for(prompt);
    terminal.send(CTRL_C);
    terminal.wait_for("stopped\r\n");
    terminal.wait_for_prompt();
    // Answers to questions are not messages, so they cannot be recalled.
    terminal.send(UP);
    terminal.line(" and quit");
    terminal.wait_for("🤖 Four.");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
    let told = &script.messages();
    assert!(told[3].to_string().contains("she sleeps"), "{}", told[3]);
    // A call without a decision is not reported as denied by the user.
    let stopped = told[7].to_string();
    let text = "the turn was stopped before anybody decided";
    assert!(stopped.contains(text), "{stopped}");
    let last = told[7].to_string();
    assert!(last.contains("Greet and quit"), "{last}");
}

#[test]
fn ignores_input_typed_before_a_question() {
    let folder = Folder::new();
    let document = folder.file("careful.gram", agent_with_tools(CAREFUL));
    let script = Script::start([
        Answer::Call("sayHello", "{\"personName\":\"Ada\"}"),
        Answer::Text(&["One."]),
        Answer::Text(&["Two."]),
    ]);
    let base_url = script.base_url();
    let args = [document.as_str(), "--base-url", &base_url];
    let mut terminal = Terminal::start(chat(&folder, &args));
    terminal.wait_for_prompt();
    terminal.send("Greet\ryes\r");
    terminal.wait_for("yes, no, no REASON or edit? ");
    terminal.line("no");
    terminal.wait_for("🤖 One.");
    // The line is the next message, like other lines typed during a turn.
    terminal.wait_for("🤖 Two.");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
    let messages = script.messages();
    let result = messages[1][3]["content"].as_str().expect("a result");
    assert!(result.contains("denied"), "{result}");
    assert_eq!(messages[2][5]["content"], "yes");
}

#[test]
fn shows_a_denied_call_with_the_arguments_of_the_question() {
    let folder = Folder::new();
    let document = folder.file("careful.gram", agent_with_tools(CAREFUL));
    // The model leaves out an argument that has a default.
    let script = Script::start([
        Answer::Call("sayHello", "{}"),
        Answer::Text(&["One."]),
        Answer::Call("sayHello", "{}"),
    ]);
    let base_url = script.base_url();
    let args = [document.as_str(), "--base-url", &base_url];
    let mut terminal = Terminal::start(chat(&folder, &args));
    let call = "🛠️ sayHello {\"personName\":\"world\"}";
    terminal.wait_for_prompt();
    terminal.line("Greet");
    terminal.wait_for(&format!("{call} needs your approval"));
    terminal.wait_for("or edit? ");
    terminal.line("no");
    terminal.wait_for(&format!("{call} → error: "));
    terminal.wait_for_prompt();
    terminal.line("Greet");
    terminal.wait_for(&format!("{call} needs your approval"));
    terminal.wait_for("or edit? ");
    terminal.send(CTRL_C);
    terminal.wait_for(&format!("{call} → error: "));
    terminal.wait_for("stopped\r\n");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn accepts_no_instead_of_edited_arguments() {
    let folder = Folder::new();
    let document = folder.file("careful.gram", agent_with_tools(CAREFUL));
    let call = || Answer::Call("sayHello", "{\"personName\":\"Ada\"}");
    let script = Script::start([
        call(),
        Answer::Text(&["One."]),
        call(),
        Answer::Text(&["Two."]),
    ]);
    let base_url = script.base_url();
    let args = [document.as_str(), "--base-url", &base_url];
    let mut terminal = Terminal::start(chat(&folder, &args));
    for (typed, answer) in [("no", "🤖 One."), ("\u{15}no, she sleeps", "🤖 Two.")] {
        terminal.wait_for_prompt();
        terminal.line("Greet");
        terminal.wait_for("or edit? ");
        terminal.line("edit");
        terminal.wait_for("arguments: {\"personName\":\"Ada\"}");
        terminal.line(typed);
        terminal.wait_for("→ error: ");
        terminal.wait_for(answer);
    }
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
    let told = script.messages();
    assert_eq!(
        told[1][3]["content"]
            .as_str()
            .map(|text| text.contains("denied")),
        Some(true)
    );
    assert!(told[3].to_string().contains("she sleeps"), "{}", told[3]);
}

#[test]
fn edits_arguments_with_a_hidden_key() {
    let key = "sk-very-secret-0123456789";
    let folder = Folder::new();
    let document = folder.file("careful.gram", agent_with_tools(CAREFUL));
    let arguments = "{\"personName\":\"Ada sk-very-secret-0123456789\"}";
    let call = || Answer::Call("sayHello", arguments);
    let script = Script::start([
        call(),
        Answer::Text(&["One."]),
        call(),
        Answer::Text(&["Two."]),
    ]);
    let base_url = script.base_url();
    let args = [document.as_str(), "--base-url", &base_url, "--no-journal"];
    let mut command = chat(&folder, &args);
    command.env("OPENAI_API_KEY", key);
    let mut terminal = Terminal::start(command);
    terminal.wait_for_prompt();
    terminal.line("Greet");
    terminal.wait_for("or edit? ");
    terminal.line("edit");
    terminal.wait_for("arguments: {\"personName\":\"Ada [key]\"}");
    // In a new place, `[key]` could mean any key.
    terminal.line("\u{15}{\"personName\":\"[key] [key]\"}");
    terminal.wait_for("can only stay where it was");
    terminal.wait_for("arguments: ");
    terminal.line("\u{15}{\"personName\":\"Ada [key]\"}");
    terminal.wait_for("🤖 One.");
    terminal.wait_for_prompt();
    terminal.line("Greet");
    terminal.wait_for("or edit? ");
    terminal.line("edit");
    terminal.wait_for("arguments: ");
    terminal.line("\u{15}{\"personName\":\"Bob [key]\"}");
    terminal.wait_for("🤖 Two.");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    let (code, written) = terminal.end();
    assert_eq!(code, Some(0));
    assert!(!written.contains(key), "{written}");
    let told = script.messages();
    for (at, greeted) in [(1, "Hello, Ada "), (3, "Hello, Bob ")] {
        let result = format!("{greeted}{key}!");
        assert!(told[at].to_string().contains(&result), "{}", told[at]);
    }
}

#[test]
fn a_question_names_the_path_and_the_id_of_a_call() {
    let folder = Folder::new();
    let greeter = agent_with_tools(CAREFUL).replacen(
        "a:Agent {",
        "greeter:Agent {description: \"Greets\", ",
        1,
    );
    let file = folder.file("support.gram", agent_with_tools(greeter.trim_end()));
    let script = Script::start([
        Answer::Call("greeter", "{\"message\":\"Greet Ada\"}"),
        Answer::Call("sayHello", "{\"personName\":\"Ada\"}"),
        Answer::Text(&["I greeted her."]),
        Answer::Text(&["Ada is greeted."]),
    ]);
    let base_url = script.base_url();
    let mut terminal = Terminal::start(chat(&folder, &[&file, "--base-url", &base_url]));
    terminal.wait_for_prompt();
    terminal.line("Greet Ada");
    terminal.wait_for("🛠️ a/greeter/sayHello {\"personName\":\"Ada\"} needs your approval (c1/c1)");
    terminal.wait_for("yes, no, no REASON or edit? ");
    terminal.line("yes");
    terminal.wait_for("🛠️ a/greeter/sayHello {\"personName\":\"Ada\"} → Hello, Ada!");
    terminal.wait_for("🛠️ greeter {\"message\":\"Greet Ada\"} → I greeted her.");
    terminal.wait_for("🤖 Ada is greeted.");
    terminal.wait_for_prompt();
}

/// The journal keeps no key, and what is called is what it has.
#[test]
fn a_call_that_is_kept_in_the_journal_gets_no_key() {
    let key = "sk-very-secret-0123456789";
    let folder = Folder::new();
    let document = folder.file("careful.gram", agent_with_tools(CAREFUL));
    let arguments = "{\"personName\":\"Ada sk-very-secret-0123456789\"}";
    let script = Script::start([Answer::Call("sayHello", arguments), Answer::Text(&["One."])]);
    let base_url = script.base_url();
    let mut command = chat(&folder, &[&document, "--base-url", &base_url]);
    command.env("OPENAI_API_KEY", key);
    let mut terminal = Terminal::start(command);
    terminal.wait_for_prompt();
    terminal.line("Greet");
    terminal.wait_for("or edit? ");
    terminal.line("yes");
    terminal.wait_for("🤖 One.");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    let (code, written) = terminal.end();
    assert_eq!(code, Some(0));
    assert!(!written.contains(key), "{written}");
    let told = script.messages()[1].to_string();
    assert!(told.contains("Hello, Ada [key]!"), "{told}");
}
