//! `agent models`, and the models of `agent check`.

use crate::support::CommandOutput;
use crate::support::{Folder, agent, agent_with_tools, command};

/// Runs the command with variables of the environment.
fn agent_in(args: &[&str], variables: &[(&str, &str)]) -> CommandOutput {
    let mut command = command(args);
    command.envs(variables.iter().copied());
    CommandOutput::of(command.output().expect("the command starts"))
}

fn writer(model: &str, settings: &str) -> String {
    format!("[writer:Agent {{instruction: \"Write.\", model: \"{model}\"{settings}}}]\n")
}

#[test]
fn lists_models_by_a_part_of_their_name() {
    let listed = agent(&["models", "GPT-6-L"]).expect(0);
    let lines: Vec<&str> = listed.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{}", listed.stdout);
    assert!(lines[0].starts_with("MODEL "), "{}", lines[0]);
    for word in [
        "OpenAI/gpt-6-luna",
        "1,050,000",
        "$0.1",
        "$0.5",
        "none to max",
    ] {
        assert!(lines[1].contains(word), "{}", lines[1]);
    }
    let json = agent(&["models", "gpt-6-luna", "--format", "json"])
        .expect(0)
        .json();
    assert_eq!(json[0]["model"], "OpenAI/gpt-6-luna");
    assert_eq!(json[0]["contextWindow"], 1_050_000);
    assert_eq!(json[0]["retires"], serde_json::Value::Null);
    assert!(agent(&["models"]).expect(0).stdout.lines().count() > 60);
    let none = agent(&["models", "gpt-77"]).expect(2);
    assert!(
        none.stderr
            .contains("no name of a model has the text \"gpt-77\""),
        "{}",
        none.stderr
    );
}

#[test]
fn shows_what_is_known_of_a_model() {
    let shown = agent(&["models", "show", "OpenAI/gpt-6-luna-2026-09-22"]).expect(0);
    for line in [
        "  as `OpenAI/gpt-6-luna`",
        "  maxOutputTokens          128,000",
        "  made                     2026-11-28",
    ] {
        assert!(shown.stdout.contains(line), "{}", shown.stdout);
    }
    let assumed = agent(&["models", "show", "OpenAI/gpt-6.9-sol"]).expect(0);
    assert!(
        assumed.stdout.contains("of the same family"),
        "{}",
        assumed.stdout
    );
    let json = agent(&["models", "show", "OpenAI/gpt-6.9-sol", "--format", "json"])
        .expect(0)
        .json();
    assert_eq!(json["isAssumed"], true);
    for (model, expected) in [
        ("OpenAI/gpt_6-luna", "did you mean `OpenAI/gpt-6-luna`?"),
        ("Acme/any", "the list of models has no `Acme/any`"),
        ("gpt-6-luna", "gpt-6-luna"),
    ] {
        let wrong = agent(&["models", "show", model]).expect(2);
        assert!(wrong.stderr.contains(expected), "{}", wrong.stderr);
    }
}

#[test]
fn compares_two_models_for_the_agents_of_a_document() {
    let folder = Folder::new();
    let file = folder.file("a.gram", writer("OpenAI/gpt-4o-mini", ", temperature: 0.7"));
    let compared = agent(&[
        "models",
        "compare",
        "OpenAI/gpt-4o-mini",
        "OpenAI/gpt-6-luna",
        &file,
    ])
    .expect(1);
    assert!(
        compared.stdout.contains("price.output"),
        "{}",
        compared.stdout
    );
    assert!(compared.stdout.contains("$0.6"), "{}", compared.stdout);
    assert!(
        compared.stderr.contains("agent::refused-setting"),
        "{}",
        compared.stderr
    );
    let back = agent(&[
        "models",
        "compare",
        "OpenAI/gpt-6-luna",
        "OpenAI/gpt-4.1",
        &file,
    ])
    .expect(0);
    assert!(
        back.stdout.contains("nothing changes with OpenAI/gpt-4.1"),
        "{}",
        back.stdout
    );
    let args = [
        "models",
        "compare",
        "OpenAI/gpt-4o-mini",
        "OpenAI/gpt-6-luna",
        &file,
        "--format",
        "json",
    ];
    let json = agent(&args).expect(1).json();
    assert_eq!(json["diagnostics"][0]["code"], "agent::refused-setting");
    assert_eq!(json["differences"][0]["property"], "released");
    let same = agent(&[
        "models",
        "compare",
        "OpenAI/gpt-6-luna",
        "OpenAI/gpt-6-luna",
    ])
    .expect(0);
    assert_eq!(same.stdout, "nothing differs between the two\n");
}

/// Each row has the arguments after the file, the variables, and what is said of `temperature` or the model.
#[test]
fn checks_the_settings_of_agents_against_their_models() {
    let folder = Folder::new();
    let file = folder.file("a.gram", writer("OpenAI/gpt-6-luna", ", temperature: 0.7"));
    let own = folder.file(
        "models.gram",
        "[OpenAI:Catalog | [gpt-6-luna:Model {temperature: \"always\"}]]",
    );
    let refused = "agent::refused-setting";
    for (more, variables, code, expected) in [
        (&[][..], &[][..], 1, refused),
        (
            &[],
            &[("OPENAI_BASE_URL", "https://api.openai.com/v1/")],
            1,
            refused,
        ),
        (&[], &[("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")], 0, ""),
        (&["--models", &own], &[], 0, ""),
        (&["--model", "OpenAI/gpt-4o-mini"], &[], 0, ""),
        (
            &["--model", "OpenAI/gpt-4o-mini"],
            &[("AGENT_TODAY", "2026-11-28")],
            0,
            "warning[agent::retiring-model]",
        ),
        (
            &["--model", "OpenAI/gpt-4o-mini", "--deny-warnings"],
            &[("AGENT_TODAY", "2026-11-28")],
            0,
            "warning[agent::retiring-model]",
        ),
        (
            &["--model", "OpenAI/o3-mini"],
            &[],
            1,
            "agent::retired-model",
        ),
        (
            &["--model", "OpenAI/gpt-6-lnua"],
            &[],
            0,
            "agent::unknown-model",
        ),
        (
            &["--model", "OpenAI/gpt-6-lnua", "--deny-warnings"],
            &[],
            1,
            "agent::unknown-model",
        ),
        (&["--model", "gpt-6-luna"], &[], 2, "gpt-6-luna"),
        (
            &[],
            &[("AGENT_TODAY", "tomorrow")],
            2,
            "write a day such as 2026-11-28",
        ),
        (&["--models", "nowhere.gram"], &[], 2, "nowhere.gram"),
        (&["--models", &file], &[], 1, "a.gram"),
    ] {
        let mut args = vec!["check", &file];
        args.extend(more);
        let checked = agent_in(&args, variables).expect(code);
        assert!(
            checked.stderr.contains(expected),
            "{args:?}: {}",
            checked.stderr
        );
        assert_eq!(
            checked.stderr.is_empty(),
            expected.is_empty(),
            "{args:?}: {}",
            checked.stderr
        );
    }
}

#[test]
fn an_agent_with_tools_needs_an_interface_that_its_model_has() {
    let folder = Folder::new();
    let tool = "[greet:Tool {description: \"Greets\"} | ()==>(::String)]";
    let chat = agent_with_tools(tool).replace("gpt-4o-mini", "gpt-6-luna");
    let file = folder.file("a.gram", chat.replace("OpenAI/", "OpenAIChat/"));
    let checked = agent(&["check", &file]).expect(1);
    assert!(
        checked.stderr.contains("refuses tools in chat completions"),
        "{}",
        checked.stderr
    );
    for provider in ["OpenAI/", "OpenAIResponses/"] {
        let file = folder.file("b.gram", chat.replace("OpenAI/", provider));
        agent(&["check", &file]).expect(0);
    }
}

/// Each row has a list of models, and what is wrong with it.
#[test]
fn checks_lists_of_models() {
    let folder = Folder::new();
    for (list, expected) in [
        ("[OpenAI:Catalog | [a:Model {like: \"gpt-6-luna\"}]]", ""),
        (
            "[OpenAI:Catalog | [a:Model {contextWindw: 1}]]",
            "did you mean `contextWindow`?",
        ),
        (
            "[OpenAI:Catalog | [a:Model {like: \"b\"}], [b:Model {like: \"a\"}]]",
            "in a circle",
        ),
        (
            "[OpenAI:Catalog | [a:Model {like: \"nothing\"}]]",
            "there is no such row",
        ),
        (
            "[OpenAI:Catalog | [a:Model {price: {input: -1, output: 1}}]]",
            "agent::bad-value",
        ),
        (
            "[OpenAI:Catalog | [a:Model {retires: \"2027-02-30\"}]]",
            "agent::bad-value",
        ),
        ("[Ollama:Catalog | [qwen3:latest:Model]]", "`qwen3:latest`"),
        (
            "[OpenAI:Catalog | [a:Model], [a:Model]]",
            "agent::bad-catalog",
        ),
        ("[OpenAI:Catalog | [a:Model", "gram::"),
    ] {
        let file = folder.file("models.gram", list);
        let code = i32::from(!expected.is_empty());
        let checked = agent(&["check", &file]).expect(code);
        assert!(
            checked.stderr.contains(expected),
            "{list}: {}",
            checked.stderr
        );
        // The same file is refused where it is used.
        let used = agent(&["models", "--models", &file]).expect(2 * code);
        assert_eq!(
            used.stderr.is_empty(),
            expected.is_empty(),
            "{list}: {}",
            used.stderr
        );
    }
}
