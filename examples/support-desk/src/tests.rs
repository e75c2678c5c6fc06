//! Tests of the desk that need no key and no network.

use crate::options::{Options, read_options};
use crate::run;
use agent_runtime::Error;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

/// Runs the desk, and returns its lines.
async fn lines(options: &Options) -> Result<Vec<String>, Error> {
    let mut lines = Vec::new();
    run(options, &mut |line| lines.push(line)).await?;
    Ok(lines)
}

fn deciding(is_approved: bool) -> Options {
    Options {
        decision: Some(is_approved),
        ..Options::default()
    }
}

const QUESTION: &str = "❓ support/billing/refund {\"order\": 1042, \"euros\": 39.9} (call_2/";

#[tokio::test]
async fn an_approved_refund_is_paid() -> Result<(), Error> {
    let lines = lines(&deciding(true)).await?;
    let calls = lines.iter().filter(|line| line.starts_with("🛠️ support/"));
    assert_eq!(calls.count(), 4, "{lines:#?}");
    let reason = "   ⚠ what it does cannot be undone, and its argument `order` is a value of a message, which a stranger may have \
                  chosen";
    assert!(lines.contains(&reason.to_owned()), "{lines:#?}");
    assert!(
        lines.iter().any(|line| line.starts_with(QUESTION)),
        "{lines:#?}"
    );
    let answer = "🤖 We charged you twice; 39.90 euros for order 1042 are on their way. Your parcel is in Ulm, and \
                  arrives tomorrow.";
    assert!(lines.contains(&answer.to_owned()), "{lines:#?}");
    // Three of support, two of triage, three of billing and two of shipping.
    assert_eq!(lines.last().map(String::as_str), Some("   10 requests"));
    Ok(())
}

#[tokio::test]
async fn a_denied_refund_is_not_paid() -> Result<(), Error> {
    let lines = lines(&deciding(false)).await?;
    let paid = lines
        .iter()
        .filter(|line| line.starts_with("🛠️ support/billing/refund") && line.contains('→'));
    assert_eq!(paid.count(), 0, "{lines:#?}");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("→ Nothing was paid back.")),
        "{lines:#?}"
    );
    Ok(())
}

#[tokio::test]
async fn a_saved_run_goes_on_where_it_waited() -> Result<(), Error> {
    let name = format!("support-desk-{}.json", std::process::id());
    let file = std::env::temp_dir().join(name).display().to_string();
    let first = Options {
        save: file.clone(),
        ..Options::default()
    };
    let before = lines(&first).await?;
    assert!(
        before
            .last()
            .is_some_and(|line| line.contains("the run is saved")),
        "{before:#?}"
    );
    let then = Options {
        resume: Some(file.clone()),
        ..deciding(true)
    };
    let after = lines(&then).await;
    std::fs::remove_file(&file).expect("removed");
    let after = after?;
    assert!(after[0].starts_with(QUESTION), "{after:#?}");
    assert_eq!(after.last().map(String::as_str), Some("   10 requests"));
    Ok(())
}

/// Answers as Ollama's API does: the agent shows in the instruction, its turn in the messages.
fn served(request: &Value) -> Value {
    let messages = request["messages"].as_array().expect("messages");
    let instruction = messages[0]["content"].as_str().unwrap_or_default();
    let own = messages
        .iter()
        .filter(|message| message["role"] == "assistant");
    let call =
        |tool: &str, arguments: Value| json!({"function": {"name": tool, "arguments": arguments}});
    let calls = |calls: &[Value]| json!({"role": "assistant", "content": "", "tool_calls": calls});
    let text = |text: &str| json!({"role": "assistant", "content": text});
    let order = json!({"order": 1042});
    let question = json!({"order": 1042, "question": "Twice?"});
    let refund = json!({"order": 1042, "euros": 39.9});
    let message = match (
        instruction.split(' ').next().unwrap_or_default(),
        own.count(),
    ) {
        ("You", 0) => calls(&[call("billing", question), call("shipping", order)]),
        ("You", _) => text("All is well."),
        ("Look", 0) => calls(&[call("findCharges", order)]),
        ("Look", 1) => calls(&[call("refund", refund)]),
        ("Look", _) => text("It is paid back."),
        ("Find", 0) => calls(&[call("trackParcel", order)]),
        _ => calls(&[call(
            "finalAnswer",
            json!({"place": "Ulm", "arrives": "tomorrow"}),
        )]),
    };
    json!({
        "model": "any",
        "message": message,
        "done": true,
        "done_reason": "stop",
        "prompt_eval_count": 10,
        "eval_count": 1,
    })
}

/// Serves the requests of one connection.
fn serve(stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut line, mut length) = (String::new(), 0);
        while reader.read_line(&mut line)? > 2 {
            if let Some((_, value)) = line.to_ascii_lowercase().split_once("content-length: ") {
                length = value.trim().parse().expect("a length");
            }
            line.clear();
        }
        if line.is_empty() {
            return Ok(());
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let answer = served(&serde_json::from_slice(&body).expect("JSON")).to_string();
        let length = answer.len();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ";
        write!(reader.get_mut(), "{head}{length}\r\n\r\n{answer}")?;
    }
}

#[tokio::test]
async fn the_desk_answers_over_http() -> Result<(), Error> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || serve(stream));
        }
    });
    let options = Options {
        model: Some("Ollama/any".to_owned()),
        base_url: Some(format!("http://{address}")),
        ..deciding(true)
    };
    let lines = lines(&options).await?;
    assert!(lines.contains(&"🤖 All is well.".to_owned()), "{lines:#?}");
    let question = lines
        .iter()
        .find(|line| line.starts_with("❓ support/billing/refund "));
    assert!(question.is_some(), "{lines:#?}");
    assert_eq!(lines.last().map(String::as_str), Some("   7 requests"));
    Ok(())
}

#[test]
fn wrong_options_come_with_the_usage() {
    for (arguments, words) in [
        (&["--aprove"][..], "there is no option `--aprove`"),
        (&["--save"], "`--save` needs a value"),
        (&["--approve", "--deny"], "one of `--approve` and `--deny`"),
        (&["--base-url", "http://127.0.0.1"], "goes with `--model`"),
        (&["Where is it?"], "a MESSAGE needs `--model`"),
        (
            &["--resume", "a.json", "Where is it?"],
            "has its MESSAGE already",
        ),
        (&["--model", "Ollama/m", "a", "b"], "give one MESSAGE"),
        (&["--help"], "usage: support-desk"),
    ] {
        let arguments = arguments.iter().map(ToString::to_string);
        let error = read_options(arguments).expect_err(words);
        assert!(
            error.contains(words) && error.contains("usage: "),
            "{error}"
        );
    }
}
