//! The catalogue of findings: every code is explained, and the examples are true.

use agent_gram::ParseOptions;
use agent_spec::check::{Options, check, check_gram, check_signature};
use agent_spec::diagnostic::{Examples, Explanation, SHORT};
use agent_spec::{AgentPattern, Code, Diagnostic, Style, restyle};
use std::collections::HashSet;

/// The codes of the findings about an example.
fn codes_of(example: &str, explanation: &Explanation) -> Vec<Code> {
    match explanation.examples {
        Examples::Documents => codes(&check(example, Options::default()).diagnostics),
        Examples::Gram => codes(&check_gram(example)),
        Examples::ShortGram => {
            let options = ParseOptions::default().max_bytes(SHORT);
            let errors = agent_gram::parse_with(example, options).errors;
            errors
                .iter()
                .map(|error| Code::of_syntax(error.kind()))
                .collect()
        }
        Examples::Signatures => match check_signature(example) {
            Ok(_) => Vec::new(),
            Err(found) => codes(&found),
        },
        Examples::Portable => {
            let [] = codes(&check(example, Options::default()).diagnostics)[..] else {
                panic!("the document itself is right: {example}");
            };
            let restyled = restyle(example, Style::Portable).expect("its signatures are right");
            codes(&restyled.warnings)
        }
        Examples::Patterns => {
            let [pattern] = agent_gram::parse_patterns(example)
                .expect("the notation is right")
                .try_into()
                .expect("it is one pattern");
            let read = AgentPattern::try_from(pattern).and_then(|agent| agent.to_agent());
            let found = read.err();
            found
                .iter()
                .flat_map(|found| found.iter())
                .map(Diagnostic::code)
                .collect()
        }
        other => panic!("nobody knows how to check {other:?}"),
    }
}

fn codes(found: &[Diagnostic]) -> Vec<Code> {
    found.iter().map(Diagnostic::code).collect()
}

#[test]
fn the_wrong_example_has_its_finding_and_no_other() {
    for code in Code::ALL {
        let explanation = code.explanation();
        assert_eq!(
            codes_of(explanation.wrong, &explanation),
            [*code],
            "{code}\n{}",
            explanation.wrong
        );
    }
}

#[test]
fn the_right_example_has_no_finding() {
    for code in Code::ALL {
        let explanation = code.explanation();
        assert_eq!(
            codes_of(explanation.right, &explanation),
            [],
            "{code}\n{}",
            explanation.right
        );
    }
}

/// Findings that no document can have. The reason is what a reader of the list would ask for.
const NOT_OF_DOCUMENTS: [(Code, &str); 1] = [(
    Code::MissingLabel,
    "in a document a pattern without the label is simply something else; only a program that was \
     given a pattern can expect it to be an agent",
)];

#[test]
fn the_checker_alone_has_all_findings_but_those_named() {
    let of_patterns: Vec<Code> = Code::ALL
        .iter()
        .copied()
        .filter(|code| code.explanation().examples == Examples::Patterns)
        .collect();
    assert_eq!(of_patterns, NOT_OF_DOCUMENTS.map(|(code, _)| code));
}

#[test]
fn every_code_has_an_explanation_of_its_own() {
    let texts: HashSet<&str> = Code::ALL
        .iter()
        .map(|code| code.explanation().text)
        .collect();
    assert_eq!(texts.len(), Code::ALL.len());
}

#[test]
fn explanations_fit_a_terminal_and_a_page() {
    const WIDEST: usize = 100;
    for code in Code::ALL {
        let Explanation {
            text, wrong, right, ..
        } = code.explanation();
        let paragraphs = text.split("\n\n").count();
        assert!((1..=3).contains(&paragraphs), "{code}: {paragraphs}");
        assert!(text.ends_with('.'), "{code}");
        for line in [text, wrong, right].iter().flat_map(|part| part.lines()) {
            assert!(line.chars().count() <= WIDEST, "{code}: {line}");
            assert_eq!(line, line.trim_end(), "{code}");
        }
        // An odd number of backticks is one that is not closed. Words about them spell them out.
        assert_eq!(text.matches('`').count() % 2, 0, "{code}");
        assert_ne!(wrong, right, "{code}");
    }
}

/// Codes that are spelt out in a text are codes that exist.
#[test]
fn explanations_refer_to_codes_that_exist() {
    for code in Code::ALL {
        for word in code.explanation().text.split('`').skip(1).step_by(2) {
            if word.starts_with("agent::") || word.starts_with("gram::") {
                assert!(word.parse::<Code>().is_ok(), "{code}: {word}");
            }
        }
    }
}
