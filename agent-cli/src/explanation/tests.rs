//! Every diagnostic code has a page, and the examples on it do what the page says.

use super::{Examples, Explanation, PAGES};
use agent_catalog::{Catalog, Date};
use agent_gram::ParseOptions;
use agent_project::known_tools::KnownTools;
use agent_project::source::Source;
use agent_spec::check::{ModelRules, Options, check, check_catalog, check_gram, check_signature};
use agent_spec::project_file::Project;
use agent_spec::{Code, Diagnostic, Style, restyle};
use std::collections::HashSet;
use std::path::Path;

/// The codes of the diagnostics about an example.
fn codes_of(example: &str, explanation: &Explanation) -> Vec<Code> {
    match explanation.examples {
        Examples::Documents => codes(&check(example, Options::default()).diagnostics),
        Examples::Gram => codes(&check_gram(example).diagnostics),
        Examples::ShortGram => {
            let options = ParseOptions::default().max_bytes(40);
            let errors = agent_gram::parse_with(example, options).errors;
            errors
                .iter()
                .map(|error| Code::of_syntax(error.kind()))
                .collect()
        }
        Examples::Signatures => match check_signature(example) {
            Ok(_) => Vec::new(),
            Err(checked) => codes(&checked.diagnostics),
        },
        Examples::Portable => {
            let [] = codes(&check(example, Options::default()).diagnostics)[..] else {
                panic!("the document itself is right: {example}");
            };
            let restyled = restyle(example, Style::Portable).expect("its signatures are right");
            codes(&restyled.warnings)
        }
        Examples::Projects => codes_of_project(example),
        Examples::Variables => {
            let options = Options {
                variables: Some(&["user"]),
                ..Options::default()
            };
            codes(&check(example, options).diagnostics)
        }
        Examples::Servers => {
            let read = |_: &Path| Ok(Source::inline("mcp/files.gram", SERVER));
            let known = KnownTools::read(&[], Vec::new(), &["mcp/files.gram".into()], read);
            let (known, _) = known.expect("the document of a server");
            codes(&known.check(example).diagnostics)
        }
        Examples::Catalogs => {
            let found = check_catalog(example, Catalog::builtin()).err();
            codes(&found.unwrap_or_default())
        }
        Examples::Models => {
            let rules = ModelRules {
                today: Date::new(2026, 11, 28),
                ..ModelRules::new(Catalog::builtin())
            };
            let options = Options {
                model_rules: Some(rules),
                ..Options::default()
            };
            codes(&check(example, options).diagnostics)
        }
    }
}

/// The document of the server of the examples.
const SERVER: &str = r#"[files:Mcp {command: ["files-server"]} |
  [files_write:Tool {remote: "write", description: "Writes a file", requiresApproval: true} |
    (path::Text)==>(text::Text)==>(::Any)
  ]
]"#;

fn codes_of_project(example: &str) -> Vec<Code> {
    let read = Project::parse(example);
    let found = read.err();
    let found = found.iter().flat_map(|found| found.iter());
    found.map(Diagnostic::code).collect()
}

fn codes(found: &[Diagnostic]) -> Vec<Code> {
    found.iter().map(Diagnostic::code).collect()
}

#[test]
fn wrong_example_has_the_code_of_its_page_and_no_other() {
    for code in Code::ALL {
        let explanation = Explanation::of(*code);
        assert_eq!(
            codes_of(explanation.wrong, &explanation),
            [*code],
            "{code}\n{}",
            explanation.wrong
        );
    }
}

#[test]
fn right_example_has_no_diagnostic() {
    for code in Code::ALL {
        let explanation = Explanation::of(*code);
        assert_eq!(
            codes_of(explanation.right, &explanation),
            [],
            "{code}\n{}",
            explanation.right
        );
    }
}

#[test]
fn each_code_has_a_page_and_each_page_a_code() {
    let mut codes: Vec<String> = Code::ALL.iter().map(|code| code.to_string()).collect();
    codes.sort();
    let mut included: Vec<String> = PAGES
        .iter()
        .map(|(name, _)| name.replace('/', "::"))
        .collect();
    included.sort();
    assert_eq!(included, codes);

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/explanation");
    let mut files = Vec::new();
    for space in ["agent", "gram"] {
        for entry in std::fs::read_dir(folder.join(space)).expect("the folder of a space") {
            let name = entry.expect("an entry").file_name();
            let name = name.to_str().and_then(|name| name.strip_suffix(".md"));
            files.push(format!("{space}::{}", name.expect("a Markdown file")));
        }
    }
    files.sort();
    assert_eq!(files, codes);
}

#[test]
fn each_code_has_a_text_of_its_own() {
    let texts: HashSet<&str> = Code::ALL
        .iter()
        .map(|code| Explanation::of(*code).text)
        .collect();
    assert_eq!(texts.len(), Code::ALL.len());
}

#[test]
fn explanations_fit_a_terminal_and_a_page() {
    const WIDEST: usize = 100;
    for code in Code::ALL {
        let Explanation {
            text, wrong, right, ..
        } = Explanation::of(*code);
        let paragraphs = text.split("\n\n").count();
        assert!((1..=3).contains(&paragraphs), "{code}: {paragraphs}");
        assert!(text.ends_with('.'), "{code}");
        for line in [text, wrong, right].iter().flat_map(|part| part.lines()) {
            assert!(line.chars().count() <= WIDEST, "{code}: {line}");
            assert_eq!(line, line.trim_end(), "{code}");
        }
        // An odd number means that a backtick is not closed: texts about backticks spell the word out.
        assert_eq!(text.matches('`').count() % 2, 0, "{code}");
        assert_ne!(wrong, right, "{code}");
    }
}

#[test]
fn explanations_refer_to_codes_that_exist() {
    for code in Code::ALL {
        for word in Explanation::of(*code).text.split('`').skip(1).step_by(2) {
            if word.starts_with("agent::") || word.starts_with("gram::") {
                assert!(word.parse::<Code>().is_ok(), "{code}: {word}");
            }
        }
    }
}
