//! Walking through patterns, searching them, and changing them.

use crate::any::pattern;
use agent_gram::value::{Array, Value};
use agent_gram::{MAX_DEPTH, Pattern, Subject, ValueError, parse_patterns};
use proptest::prelude::*;

fn read(text: &str) -> Pattern {
    parse_patterns(text)
        .unwrap_or_else(|errors| panic!("{text}: {errors:#?}"))
        .remove(0)
}

/// Collects all patterns by plain recursion, for comparison with the walk.
fn below<'p>(pattern: &'p Pattern, depth: usize, found: &mut Vec<(usize, &'p Pattern)>) {
    found.push((depth, pattern));
    for element in pattern.elements() {
        below(element, depth + 1, found);
    }
}

fn same(ours: &[&Pattern], theirs: &[&Pattern]) -> bool {
    ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| std::ptr::eq(*a, *b))
}

fn reads_back(pattern: &Pattern) -> bool {
    parse_patterns(&pattern.to_string()).as_deref() == Ok(std::slice::from_ref(pattern))
}

/// Marks a subject so that it differs from any other.
fn marked(subject: Subject, mark: &str) -> Subject {
    let identity = format!("{}{mark}", subject.identity);
    Subject {
        identity: identity.into(),
        ..subject
    }
}

fn has_text(pattern: &Pattern) -> bool {
    !pattern.subject().identity.is_empty()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn walk_returns_each_pattern_once_before_its_elements(pattern in pattern()) {
        let mut expected = Vec::new();
        below(&pattern, 0, &mut expected);
        let mut walk = pattern.walk();
        let mut walked = Vec::new();
        while let Some(found) = walk.next() {
            walked.push((walk.depth(), found));
        }
        prop_assert!(walk.next().is_none());
        prop_assert_eq!(walked.len(), expected.len());
        for (ours, theirs) in walked.iter().zip(&expected) {
            prop_assert_eq!(ours.0, theirs.0);
            prop_assert!(std::ptr::eq(ours.1, theirs.1));
        }
    }

    #[test]
    fn skip_elements_skips_all_below_a_pattern(pattern in pattern()) {
        let mut walk = pattern.walk();
        let mut walked = 0;
        while let Some(found) = walk.next() {
            walked += 1;
            if has_text(found) {
                walk.skip_elements();
            }
        }
        fn count(pattern: &Pattern) -> usize {
            let skipped = has_text(pattern);
            let elements = pattern.elements().iter().filter(|_| !skipped);
            1 + elements.map(count).sum::<usize>()
        }
        prop_assert_eq!(walked, count(&pattern));
    }

    #[test]
    fn filter_find_and_fold_use_the_order_of_the_walk(pattern in pattern()) {
        let walked: Vec<_> = pattern.walk().filter(|found| has_text(found)).collect();
        let filtered: Vec<_> = pattern.filter(has_text).collect();
        prop_assert!(same(&filtered, &walked));
        prop_assert_eq!(
            pattern.find(has_text).map(std::ptr::from_ref),
            walked.first().copied().map(std::ptr::from_ref)
        );
        let folded = pattern.fold(Vec::new(), |mut subjects, subject| {
            subjects.push(subject.clone());
            subjects
        });
        let subjects: Vec<_> = pattern.walk().map(|found| found.subject().clone()).collect();
        prop_assert_eq!(folded, subjects);
    }

    #[test]
    fn map_with_identity_changes_nothing(pattern in pattern()) {
        prop_assert_eq!(pattern.clone().map(|subject| subject), Ok(pattern));
    }

    #[test]
    fn map_composes(pattern in pattern()) {
        let first = |subject| marked(subject, "1");
        let second = |subject: Subject| marked(subject.with_label("Second"), "2");
        let twice = pattern.clone().map(first).and_then(|pattern| pattern.map(second));
        let at_once = pattern.map(|subject| second(first(subject)));
        prop_assert_eq!(&twice, &at_once);
        prop_assert!(reads_back(&twice.expect("labels add no depth")));
    }

    #[test]
    fn map_keeps_structure_and_order_of_the_walk(pattern in pattern()) {
        let mut seen = Vec::new();
        let mapped = pattern.clone().map(|subject| {
            let number = seen.len().to_string();
            seen.push(subject);
            Subject::new(number)
        });
        let mapped = mapped.expect("names add no depth");
        let walked: Vec<_> = pattern.walk().map(|found| found.subject().clone()).collect();
        prop_assert_eq!(seen, walked);
        let names: Vec<_> = mapped.walk().map(|found| found.subject().identity.to_string()).collect();
        let numbers: Vec<_> = (0..names.len()).map(|number| number.to_string()).collect();
        prop_assert_eq!(names, numbers);
        let lengths = |pattern: &Pattern| -> Vec<usize> {
            pattern.walk().map(|found| found.elements().len()).collect()
        };
        prop_assert_eq!(lengths(&mapped), lengths(&pattern));
    }

    #[test]
    fn replace_with_identity_changes_nothing(pattern in pattern()) {
        prop_assert_eq!(pattern.clone().replace(has_text, |found| found), Ok(pattern.clone()));
        prop_assert_eq!(pattern.clone().replace(|_| false, |_| Pattern::default()), Ok(pattern));
    }

    #[test]
    fn replace_replaces_the_outermost_match(pattern in pattern(), with in pattern()) {
        let mut replaced = 0;
        let result = pattern.clone().replace(has_text, |_| {
            replaced += 1;
            with.clone()
        });
        let result = result.expect("neither is deep");
        let mut walk = pattern.walk();
        let mut outermost = 0;
        while let Some(found) = walk.next() {
            if has_text(found) {
                outermost += 1;
                walk.skip_elements();
            }
        }
        prop_assert_eq!(replaced, outermost);
        prop_assert!(reads_back(&result));
        if outermost == 0 {
            prop_assert_eq!(result, pattern);
        }
    }
}

#[test]
fn replace_ends_if_the_replacement_matches() {
    let replaced = read("[a | a]").replace(
        |found| found.subject().identity == "a",
        |found| Pattern::new(Subject::new("a"), vec![found.clone(), found]).expect("not deep"),
    );
    assert_eq!(replaced, Ok(read("[a | [a | a], [a | a]]")));
    let below = read("[x | [a | a], b]").replace(
        |found| found.subject().identity == "a",
        |_| read("[new | a]"),
    );
    assert_eq!(below, Ok(read("[x | [new | a], b]")));
}

/// The deepest pattern, with anonymous subjects.
fn deepest() -> Pattern {
    let mut pattern = Pattern::default();
    while let Ok(deeper) = Pattern::new(Subject::default(), vec![pattern.clone()]) {
        pattern = deeper;
    }
    pattern
}

#[test]
fn map_and_replace_keep_to_the_depth_limit() {
    let pattern = deepest();
    assert_eq!(pattern.walk().count(), MAX_DEPTH);
    assert_eq!(pattern.clone().map(|subject| subject), Ok(pattern.clone()));

    let innermost = |found: &Pattern| found.elements().is_empty();
    let deeper = pattern.clone().replace(innermost, |_| deepest());
    assert_eq!(deeper, Err(ValueError::TooDeep));
    let equal = pattern.clone().replace(innermost, |found| found);
    assert_eq!(equal, Ok(pattern.clone()));

    let with_array = |mut subject: Subject| {
        let array = Array::new(Vec::new()).expect("flat");
        let set = subject.properties.insert("k", Value::Array(array));
        set.expect("not deep");
        subject
    };
    assert_eq!(pattern.clone().map(with_array), Err(ValueError::TooDeep));
    let elements = pattern.elements()[0].elements().to_vec();
    let shallower = Pattern::new(Subject::default(), elements).expect("less deep");
    // The innermost subject gets a record and an array, which are two levels.
    assert_eq!(shallower.clone().map(with_array), Err(ValueError::TooDeep));
    let elements = shallower.elements()[0].elements().to_vec();
    let shallower = Pattern::new(Subject::default(), elements).expect("less deep");
    assert!(reads_back(
        &shallower.map(with_array).expect("as deep as can be")
    ));
}
