//! Turns that are answered, stopped, or fail.

use crate::chat_prompt::{CTRL_C, CTRL_D, HELLO, chat, offline, scripted};
use crate::support::Folder;
use crate::support::script::{Answer, Script};
use crate::support::terminal::Terminal;

#[test]
fn answers_and_shows_calls_with_durations() {
    let folder = Folder::new();
    let mut terminal = offline(&folder);
    terminal.wait_for("hello_world_agent (offline); `/help` shows the commands");
    terminal.wait_for_prompt();
    terminal.line("Hello, I'm Ada");
    // The spinner shows a running call.
    terminal.wait_for("⠋ ");
    terminal.wait_for("🛠️ sayHello {\"personName\":\"Ada\"} → Hello, Ada! Nice to meet you.");
    terminal.wait_for(" (");
    terminal.wait_for("s)");
    terminal.wait_for("🤖 Hello, Ada! Nice to meet you.\r\n");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn ctrl_c_stops_the_turn_and_not_the_chat() {
    let folder = Folder::new();
    let answers = [
        Answer::Text(&["Hello."]),
        Answer::Call("sayHello", "{\"personName\":\"Ada\"}"),
        Answer::Hang("I will now think for ev"),
        Answer::Text(&["Here I am."]),
    ];
    let script = Script::start(answers);
    let price = ["--price", "OpenAI/gpt-6-luna=10,100"];
    let mut terminal = scripted(&folder, &script, &price);
    terminal.wait_for_prompt();
    terminal.line("Hi");
    terminal.wait_for("🤖 Hello.");
    terminal.wait_for_prompt();
    terminal.line("Greet Ada, then think");
    // Each part is printed when it arrives, before the end of the answer.
    terminal.wait_for("🤖 I will now think for ev");
    terminal.send(CTRL_C);
    terminal.wait_for(
        "stopped; the partial answer stays in the conversation, marked [interrupted]\r\n",
    );
    terminal.wait_for_prompt();
    terminal.line("Are you there?");
    terminal.wait_for("🤖 Here I am.");
    terminal.wait_for_prompt();
    // The request of the stopped answer counts, but its tokens are unknown.
    terminal.line("/usage");
    terminal.wait_for("requests: 4\r\n");
    terminal.wait_for("300 sent, 30 written; unknown for 1 request without a complete answer");
    terminal.wait_for("at least $0.0060");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
    // The agent gets the messages before the stop, and each call has a result.
    let messages = &script.messages()[3];
    let roles: Vec<&str> = messages
        .as_array()
        .expect("messages")
        .iter()
        .filter_map(|message| message["role"].as_str())
        .collect();
    let expected = [
        "user",
        "assistant",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ];
    assert_eq!(roles[1..], expected, "{messages}");
    assert_eq!(
        messages[6]["content"],
        "I will now think for ev [interrupted]"
    );
    let text = messages.to_string();
    assert!(text.contains("Nice to meet you"), "{text}");
}

#[test]
fn ctrl_c_twice_leaves_an_empty_prompt() {
    let folder = Folder::new();
    let mut terminal = offline(&folder);
    terminal.wait_for_prompt();
    terminal.send(CTRL_C);
    terminal.wait_for("To leave, press Ctrl-C again");
    terminal.wait_for_prompt();
    // Ctrl-C in a line that is not empty clears the line, and does not count as the second one.
    terminal.send("no, wai");
    terminal.wait_for("no, wai");
    terminal.send(CTRL_C);
    terminal.wait_for_prompt();
    terminal.line("/usage");
    terminal.wait_for("requests: 0");
    terminal.wait_for_prompt();
    terminal.send(CTRL_C);
    terminal.wait_for("To leave, press Ctrl-C again");
    terminal.wait_for_prompt();
    terminal.send(CTRL_C);
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn continues_after_a_failed_turn() {
    let folder = Folder::new();
    let script = Script::start([Answer::Refuse(400), Answer::Text(&["Now."])]);
    let mut terminal = scripted(&folder, &script, &[]);
    terminal.wait_for_prompt();
    terminal.line("Hello");
    terminal.wait_for("error: ");
    // Control characters of a server's message are replaced, too.
    terminal.wait_for("not\u{fffd} now");
    terminal.wait_for_prompt();
    terminal.line("Hello again");
    terminal.wait_for("🤖 Now.");
    terminal.wait_for_prompt();
    terminal.line("/quit");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn keeps_a_partial_answer() {
    let folder = Folder::new();
    let script = Script::start([Answer::Break("One, tw"), Answer::Text(&["Now."])]);
    let mut terminal = scripted(&folder, &script, &[]);
    terminal.wait_for_prompt();
    terminal.line("Count");
    terminal.wait_for("🤖 One, tw\r\n");
    terminal.wait_for("error: ");
    terminal.wait_for("marked [interrupted]\r\n");
    terminal.wait_for_prompt();
    terminal.line("Go on");
    terminal.wait_for("🤖 Now.");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    assert_eq!(terminal.end().0, Some(0));
    let messages = &script.messages()[1];
    assert_eq!(messages[2]["content"], "One, tw [interrupted]");
}

#[test]
fn usage_before_the_first_message_claims_no_cost() {
    let folder = Folder::new();
    let price = ["--price", "OpenAI/gpt-6-luna=10,100"];
    let mut terminal =
        Terminal::start(chat(&folder, &[&[HELLO, "--offline"][..], &price].concat()));
    terminal.wait_for_prompt();
    terminal.line("/usage");
    terminal.wait_for("requests: 0, because no message was sent yet\r\n");
    terminal.wait_for_prompt();
    terminal.line("Hello");
    terminal.wait_for("🤖 ");
    terminal.wait_for_prompt();
    terminal.line("/usage");
    terminal.wait_for("tokens:   0 sent, 0 written\r\n");
    terminal.wait_for("cost:     $0.0000\r\n");
    terminal.wait_for_prompt();
    terminal.send(CTRL_D);
    let (code, written) = terminal.end();
    assert_eq!(code, Some(0));
    let (before, _) = written.split_once("Hello").expect("what was typed");
    assert!(!before.contains('$'), "{written}");
}
