//! `agent eval`, with the offline model.

use crate::support::{Folder, agent, agent_with};
use serde_json::Value;

const CALCULATES: &str =
    "[sums:Agent {instruction: \"Compute.\", model: \"OpenAI/gpt-6-luna\"} | calculator]\n";
const CANNOT: &str = "[sums:Agent {instruction: \"Compute.\", model: \"OpenAI/gpt-6-luna\"}]\n";

#[test]
fn versions_are_compared_on_each_input() {
    let folder = Folder::new();
    let (old, new) = (
        folder.file("old.gram", CANNOT),
        folder.file("new.gram", CALCULATES),
    );
    let batch = folder.file(
        "batch.jsonl",
        "{\"input\": \"Calculate 3 * 25\", \"expected\": \"75\"}\n\n\"Calculate 2 + 2\"\n",
    );
    let (html, json) = (
        format!("{}/r.html", folder.path()),
        format!("{}/r.json", folder.path()),
    );
    let args = [
        "eval",
        &old,
        &new,
        "--batch",
        &batch,
        "--offline",
        "--trials",
        "2",
        "--html",
        &html,
        "--json",
        &json,
    ];
    let ended = agent(&args).expect(0);
    for text in [
        "8 of 8 runs done",
        "{\"result\":75}",
        "✗",
        "(without \"75\")",
        "✓",
    ] {
        assert!(ended.stdout.contains(text), "{text}: {}", ended.stdout);
    }
    assert!(ended.stderr.contains("offline model"), "{}", ended.stderr);
    let report: Value =
        serde_json::from_str(&std::fs::read_to_string(json).expect("JSON")).expect("JSON");
    let rates: Vec<f64> = report["arms"]
        .as_array()
        .expect("arms")
        .iter()
        .map(|arm| {
            arm["figures"]["successRate"]["value"]
                .as_f64()
                .expect("a rate")
        })
        .collect();
    assert_eq!(rates, [0.5, 1.0]);
    let html = std::fs::read_to_string(html).expect("a page");
    assert!(
        html.contains("<h2>The answers</h2>") && html.contains("{&quot;result&quot;:75}"),
        "{html}"
    );
}

#[test]
fn models_are_compared() {
    let folder = Folder::new();
    let file = folder.file("a.gram", CALCULATES);
    let batch = folder.file("batch.jsonl", "\"Calculate 2 + 2\"\n");
    let args = [
        "eval",
        &file,
        "--model",
        "OpenAI/gpt-6-luna",
        "--model",
        "Anthropic/claude-haiku-5-5",
        "--offline",
        "--batch",
    ];
    agent(&[&args[..], &[&batch]].concat()).expect(0);
    // Two versions read standard input once.
    let other = folder.file("b.gram", CANNOT);
    let both = ["eval", &file, &other, "--offline", "--batch", "-"];
    agent_with(&both, "\"Calculate 2 + 2\"\n").expect(0);
    let ended = agent_with(&[&args[..], &["-"]].concat(), "\"Calculate 2 + 2\"\n").expect(0);
    for name in ["OpenAI/gpt-6-luna ", "Anthropic/claude-haiku-5-5 "] {
        assert!(ended.stdout.contains(name), "{}", ended.stdout);
    }
}

#[test]
fn mistakes_are_found_before_anything_is_sent() {
    let folder = Folder::new();
    let file = folder.file("a.gram", CALCULATES);
    let good = folder.file("good.jsonl", "\"Hello\"\n");
    let ended = agent(&["eval", &file, "--batch", &good, "--offline"]).expect(2);
    assert!(
        ended.stderr.contains("nothing to compare"),
        "{}",
        ended.stderr
    );
    let ended = agent(&["eval", &file, &file, "--batch", &good, "--offline"]).expect(2);
    assert!(ended.stderr.contains("is given twice"), "{}", ended.stderr);
    for (line, text) in [
        ("{\"inptu\": \"x\"}", "did you mean `input`?"),
        ("\"a\"\n{\"arguments\": {\"x\": 1}}", "wrong.jsonl:2: "),
        ("7", "wrong.jsonl:1: a line is an object"),
        ("{", "wrong.jsonl:1:1: this is not JSON"),
        (
            "{\"input\": \"a\", \"variables\": {\"city\": \"Ulm\"}}",
            "wrong.jsonl:1: `agent eval` has the same variables for all lines",
        ),
        ("", "has no inputs"),
        (
            "{\"input\": \"a\", \"expected\": \"b\"}\n{\"input\": \"a\", \"expected\": \"c\"}",
            "wrong.jsonl:2: line 1 has the same input",
        ),
    ] {
        let batch = folder.file("wrong.jsonl", format!("{line}\n"));
        let other = folder.file("b.gram", CANNOT);
        let ended = agent(&["eval", &file, &other, "--batch", &batch, "--offline"]).expect(1);
        assert!(ended.stderr.contains(text), "{line}: {}", ended.stderr);
    }
    let models = ["--model", "Offline/a", "--model", "Offline/b"];
    let html = format!("{}/new.html", folder.path());
    let inner = folder.path();
    for (outputs, text) in [
        (["--html", &file, "--json", "x.json"], "would replace"),
        (["--html", &html, "--json", &good], "would replace"),
        (["--html", &html, "--json", &html], "would replace"),
        (
            ["--html", "-", "--json", "x.json"],
            "is no file that can be written",
        ),
        (
            ["--html", &html, "--json", &inner],
            "is no file that can be written",
        ),
        (
            ["--html", "/no/such/x.html", "--json", &html],
            "is no file that can be written",
        ),
    ] {
        let args = [&["eval", &file, "--batch", &good][..], &models, &outputs].concat();
        let ended = agent(&args).expect(2);
        assert!(ended.stderr.contains(text), "{outputs:?}: {}", ended.stderr);
    }
    let ended = agent(&[
        "eval",
        &file,
        "--model",
        "OpenAI/gpt-6-luna",
        "--model",
        "OpenAI/gpt-6-sol",
        "--batch",
        &good,
    ])
    .expect(2);
    assert!(ended.stderr.contains("OPENAI_API_KEY"), "{}", ended.stderr);
}
