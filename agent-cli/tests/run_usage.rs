//! The costs and limits of a run.

use crate::support::script::{Answer, Script};
use crate::support::{CommandOutput, Folder, agent, agent_with};

const HELLO: &str = "agents/hello.gram";
const PRICE: &str = "OpenAI/gpt-6-luna=10,100";

/// Runs the example agent with these options and answers.
fn run(
    messages: &[&str],
    options: &[&str],
    answers: impl IntoIterator<Item = Answer>,
) -> CommandOutput {
    let script = Script::start(answers);
    let base_url = script.base_url();
    let args = ["--stream", "--base-url", &base_url];
    agent(&[&["run", HELLO], messages, options, &args].concat())
}

fn call() -> Answer {
    Answer::Call("sayHello", "{\"personName\":\"Ada\"}")
}

#[test]
fn prints_the_cost_on_the_last_line() {
    let price = ["--price", PRICE];
    let ended = run(&["Hi"], &price, [call(), Answer::Text(&["Hello."])]).expect(0);
    assert_eq!(
        ended.stderr,
        "cost: $0.0040 (2 requests, 200 tokens sent, 20 written)\n"
    );
    // A failed run has a cost, too.
    let ended = run(&["Hi"], &price, [call(), Answer::Refuse(400)]).expect(1);
    let line = "cost: at least $0.0020 (2 requests, 100 tokens sent, 10 written)";
    assert_eq!(ended.stderr.lines().last(), Some(line), "{}", ended.stderr);
    // The offline model uses no tokens.
    let args = ["run", HELLO, "Hello", "--offline", "--price", PRICE];
    let ended = agent(&args).expect(0);
    assert_eq!(
        ended.stderr,
        "cost: $0.0000 (2 requests, 0 tokens sent, 0 written)\n"
    );
    let ended = agent(&["run", HELLO, "Hello", "--price", PRICE]).expect(2);
    assert!(!ended.stderr.contains("cost"), "{}", ended.stderr);
    // The JSON document contains the cost.
    let json = ["--price", PRICE, "--format=json"];
    let ended = run(&["Hi"], &json, [Answer::Text(&["Hello."])]).expect(0);
    assert_eq!(ended.stderr, "");
    assert_eq!(ended.json()["responses"][0]["cost"], 0.002);
    assert_eq!(run(&["Hi"], &[], [Answer::Text(&["Hello."])]).stderr, "");
}

#[test]
fn prints_what_the_cache_saved() {
    let price = ["--price", "OpenAI/gpt-6-luna=10,100,1,20"];
    for (answers, cost) in [
        (
            [Answer::Cached(0, 0), Answer::Cached(80, 0)],
            "$0.0033; the cache saved $0.0007",
        ),
        (
            [Answer::Cached(0, 80), Answer::Cached(80, 10)],
            "$0.0042; storing in the cache cost $0.0002 of it",
        ),
    ] {
        let ended = run(&["Hi", "And now?"], &price, answers).expect(0);
        let rest = "(2 requests, 200 tokens sent, 80 of them from the cache, 20 written)";
        assert_eq!(ended.stderr, format!("cost: {cost} {rest}\n"));
    }
    // A chat shows it, too.
    let script = Script::start([Answer::Cached(70, 20)]);
    let base_url = script.base_url();
    let args = ["chat", HELLO, "--base-url", &base_url];
    let chat = agent_with(&[&args[..], &price].concat(), "Hi\n/usage").expect(0);
    let tokens = "100 sent (70 of them from the cache, 20 of them stored in it), 10 written";
    for text in [tokens, "$0.0016; the cache saved $0.0004"] {
        assert!(chat.stdout.contains(text), "{}", chat.stdout);
    }
}

#[test]
fn rejects_duplicate_prices_and_warns_about_unused_ones() {
    let run = |prices: &[&str]| {
        let mut args = vec!["run", HELLO, "Hello", "--offline"];
        args.extend(prices.iter().flat_map(|price| ["--price", price]));
        agent(&args)
    };
    let ended = run(&[PRICE, "OpenAI/gpt-6-luna=1,2"]).expect(2);
    let text = "`--price` is given twice for `OpenAI/gpt-6-luna`";
    assert!(ended.stderr.contains(text), "{}", ended.stderr);
    let ended = run(&["OpenAI/gpt-6-lunna=1,2"]).expect(0);
    let text = "warning: `--price` is given for `OpenAI/gpt-6-lunna`, which the agent does not use; did \
                you mean `OpenAI/gpt-6-luna`?\n";
    assert!(ended.stderr.starts_with(text), "{}", ended.stderr);
    let ended = run(&["Google/gemini-3.8-flash=1,2"]).expect(0);
    let text = "the agent uses OpenAI/gpt-6-luna\n";
    assert!(ended.stderr.contains(text), "{}", ended.stderr);
}

#[test]
fn each_limit_ends_the_run() {
    for (limit, words) in [
        (["--max-requests", "1"], "1 of at most 1 requests"),
        (["--max-tool-calls", "0"], "1 of at most 0 calls of tools"),
        (["--max-input-tokens", "100"], "100 of at most 100 sent"),
        (["--max-output-tokens", "5"], "10 of at most 5 written"),
        (["--max-total-tokens", "110"], "110 of at most 110 tokens"),
        (["--max-cost", "0.001"], "$0.0020 of at most $0.0010"),
    ] {
        let options = [&["--price", PRICE][..], &limit].concat();
        let ended = run(&["Greet Ada"], &options, [call()]).expect(1);
        assert!(ended.stderr.contains(words), "{limit:?}: {}", ended.stderr);
        // The results before the limit are printed.
        let shown = "🛠️ sayHello {\"personName\":\"Ada\"} → error: not made";
        assert!(ended.stdout.contains(shown), "{}", ended.stdout);
    }
}

#[test]
fn keeps_the_results_before_a_limit() {
    let folder = Folder::new();
    let store = format!("{}/conversations.db", folder.path());
    let kept = ["--conversation", "ada", "--store", &store];
    let json = ["--max-requests", "1", "--format=json"];
    let answers = [Answer::Text(&["Hello."]), call()];
    let messages = ["Hi", "Greet Ada"];
    let ended = run(&messages, &[&json[..], &kept].concat(), answers).expect(1);
    let document = ended.json();
    assert_eq!(document["responses"].as_array().expect("a list").len(), 1);
    assert_eq!(document["responses"][0]["content"], "Hello.");
    let said = document["conversation"].as_array().expect("a list");
    assert_eq!(said.len(), 5);
    let listed = agent(&["conversations", "list", "--store", &store]).expect(0);
    assert_eq!(listed.stdout, "ada: 5 messages\n");
    let gram = ["--max-requests", "1", "--format=gram"];
    let answers = [Answer::Text(&["Hello."]), call()];
    let ended = run(&messages, &gram, answers).expect(1);
    assert!(ended.stdout.contains("Hello."), "{}", ended.stdout);
}

#[test]
fn rejects_a_cost_limit_without_prices_before_sending() {
    let cost = ["run", HELLO, "Hello", "--max-cost", "0.01"];
    // The server is not reached.
    let elsewhere = ["--base-url", "http://127.0.0.1:1/v1"];
    let ended = agent(&[&cost[..], &elsewhere].concat()).expect(2);
    let text = "add `--price OpenAI/gpt-6-luna=SENT,WRITTEN`";
    assert!(ended.stderr.contains(text), "{}", ended.stderr);
    // The offline model costs nothing.
    agent(&[&cost[..], &["--offline"]].concat()).expect(0);
    for wrong in [
        ["--max-cost", "0"],
        ["--max-cost", "much"],
        ["--max-requests", "0"],
        ["--max-total-tokens", "-1"],
        ["--max-tool-calls", "-1"],
        ["--keep-tokens", "x"],
        ["--keep-turns", "1.5"],
    ] {
        let ended = agent(&[&["run", HELLO, "Hello", "--offline"][..], &wrong].concat()).expect(2);
        assert!(ended.stderr.contains(wrong[0]), "{}", ended.stderr);
        assert!(ended.stderr.contains("write a"), "{}", ended.stderr);
    }
}

#[test]
fn a_chat_continues_after_a_limit() {
    let script = Script::start([call(), Answer::Text(&["Here."])]);
    let base_url = script.base_url();
    let args = ["chat", HELLO, "--base-url", &base_url];
    let args = [&args[..], &["--max-requests", "1"]].concat();
    let ended = agent_with(&args, "Greet Ada\nAre you there?").expect(1);
    let text = "used 1 of at most 1 requests";
    assert!(ended.stderr.contains(text), "{}", ended.stderr);
    assert!(ended.stdout.ends_with("🤖 Here.\n"), "{}", ended.stdout);
}
