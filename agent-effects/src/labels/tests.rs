//! The conclusions from the labels of a tool.

use super::{Effect, Effects};
use Effect::{Destructive, ReadOnly, ReadsPrivate, Sends, Untrusted, Writes};

fn stating(stated: &[(Effect, bool)]) -> Effects {
    let stated = stated.iter();
    stated.fold(Effects::NONE, |effects, (effect, is)| {
        effects.with(*effect, *is)
    })
}

/// The effects that a tool has.
fn found(effects: Effects) -> Vec<Effect> {
    let all = Effect::ALL.into_iter();
    all.filter(|effect| effects.has(*effect)).collect()
}

#[test]
fn a_tool_has_what_it_states_or_all_if_it_states_nothing() {
    let unknown = [ReadsPrivate, Untrusted, Sends, Writes, Destructive];
    for (stated, expected) in [
        (&[][..], &unknown[..]),
        // These two say nothing of whom the tool reads from or writes to.
        (&[(Destructive, true)], &unknown),
        (&[(Destructive, false)], &unknown[..4]),
        (
            &[(ReadOnly, true)],
            &[ReadsPrivate, Untrusted, Sends, ReadOnly],
        ),
        (&[(ReadOnly, false)], &unknown),
        (&[(Untrusted, false)], &[]),
        (&[(Sends, true)], &[Sends]),
        (
            &[(Writes, true), (Destructive, true)],
            &[Writes, Destructive],
        ),
        (
            &[(ReadsPrivate, true), (ReadOnly, true)],
            &[ReadsPrivate, ReadOnly],
        ),
    ] {
        assert_eq!(found(stating(stated)), expected, "{stated:?}");
    }
}

#[test]
fn documents_add_and_take_nothing_back() {
    for (document, function, taken_back) in [
        (&[][..], &[(Sends, true)][..], None),
        (&[(Sends, true)], &[(Sends, true)], None),
        (&[(Sends, true)], &[(Sends, false)], None),
        (&[(Sends, false)], &[], None),
        (&[(Sends, false)], &[(Sends, true)], Some(Sends)),
        (
            &[(ReadsPrivate, false)],
            &[(ReadsPrivate, true)],
            Some(ReadsPrivate),
        ),
        (
            &[(Destructive, false)],
            &[(Destructive, true)],
            Some(Destructive),
        ),
        (&[(ReadOnly, true)], &[(Writes, true)], Some(ReadOnly)),
        (&[(ReadOnly, true)], &[(Untrusted, true)], None),
        (&[(ReadOnly, false)], &[(ReadOnly, true)], None),
    ] {
        let (document, function) = (stating(document), stating(function));
        assert_eq!(
            document.taken_back(function),
            taken_back,
            "{document} / {function}"
        );
        if taken_back.is_none() {
            let both = document.or(function);
            for (effect, is) in document.iter() {
                assert_eq!(both.stated(effect), Some(is));
            }
        }
    }
}

#[test]
fn the_stricter_of_two_statements_counts() {
    for effect in Effect::ALL {
        let [yes, no] = [true, false].map(|is| stating(&[(effect, is)]));
        let strict = stating(&[(effect, effect != ReadOnly)]);
        assert_eq!(yes.tightened_by(no), strict);
        assert_eq!(no.tightened_by(yes), strict);
        assert_eq!(Effects::NONE.tightened_by(yes), yes);
        assert_eq!(no.tightened_by(Effects::NONE), no);
    }
}

#[test]
fn labels_are_written_and_read() {
    let all = stating(&Effect::ALL.map(|effect| (effect, effect != ReadOnly)));
    assert_eq!(
        all.to_string(),
        "reads: [\"private\"], untrusted: true, sends: true, writes: true, destructive: true, readOnly: false"
    );
    let json = serde_json::to_string(&all).expect("JSON");
    assert_eq!(serde_json::from_str::<Effects>(&json).expect("labels"), all);
    for effect in Effect::ALL {
        assert_eq!(Effect::from_key(effect.key()), Some(effect));
    }
}
