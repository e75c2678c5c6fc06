//! One automaton: what `regex-automata` makes of a pattern, asked byte by byte.

use regex_automata::dfa::{Automaton as _, StartKind, dense};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_automata::{Input, MatchKind};
use regex_syntax::hir::Hir;
use std::collections::HashSet;

/// How many bytes the automaton of a pattern may take, and its making twice as many. Nested repetitions
/// make sets of states whose making takes many times longer than their size tells.
pub(super) const OF_A_PATTERN: usize = 1 << 16;

/// The same of a list of texts, which has no repetitions.
pub(super) const OF_A_LIST: usize = 1 << 19;

/// Finds whether a pattern matches somewhere in a text.
pub(super) struct Automaton {
    dfa: dense::DFA<Vec<u32>>,
    start: StateID,
}

/// Where an automaton is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum State {
    /// It matched; whatever follows makes no difference.
    Matched,
    /// It did not match yet.
    At(StateID),
}

impl Automaton {
    /// The automaton of an expression, unless it would take more bytes than this.
    pub(super) fn of(expression: &Hir, largest: usize) -> Option<Self> {
        let config = thompson::Config::new()
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(largest));
        let nfa = thompson::Compiler::new()
            .configure(config)
            .build_from_hir(expression)
            .ok()?;
        let config = dense::Config::new()
            .start_kind(StartKind::Unanchored)
            .match_kind(MatchKind::LeftmostFirst)
            .dfa_size_limit(Some(largest))
            .determinize_size_limit(Some(2 * largest));
        let dfa = dense::Builder::new()
            .configure(config)
            .build_from_nfa(&nfa)
            .ok()?;
        let start = dfa.start_state_forward(&Input::new("")).ok()?;
        Some(Self { dfa, start })
    }

    /// Where it is before a text.
    pub(super) fn start(&self) -> State {
        self.state(self.start)
    }

    /// Where it is after one more byte.
    pub(super) fn next(&self, state: State, byte: u8) -> State {
        match state {
            State::Matched => State::Matched,
            State::At(id) => self.state(self.dfa.next_state(id, byte)),
        }
    }

    /// Whether it matches a text that ends here.
    pub(super) fn accepts(&self, state: State) -> bool {
        match state {
            State::Matched => true,
            State::At(id) => self.dfa.is_match_state(self.dfa.next_eoi_state(id)),
        }
    }

    /// Whether it matches no text that goes on from here.
    pub(super) fn is_dead(&self, state: State) -> bool {
        matches!(state, State::At(id) if self.dfa.is_dead_state(id))
    }

    fn state(&self, id: StateID) -> State {
        if self.dfa.is_match_state(id) {
            State::Matched
        } else {
            State::At(id)
        }
    }
}

/// Bytes of which each stands for those that none of the automata tells from it; those that people like
/// to read come first.
pub(super) fn representatives(automata: &[&Automaton]) -> Vec<u8> {
    let letters = (b'a'..=b'z').chain(b'0'..=b'9').chain(b'A'..=b'Z');
    let all = letters.chain(b' '..=b'~').chain(0..=u8::MAX);
    let mut seen = HashSet::new();
    let classes = |byte: u8| -> Vec<u8> {
        let class = |automaton: &&Automaton| automaton.dfa.byte_classes().get(byte);
        // Bytes that begin a character are counted, the others are not.
        let begins = u8::from(byte & 0xc0 != 0x80);
        automata.iter().map(class).chain([begins]).collect()
    };
    all.filter(|byte| seen.insert(classes(*byte))).collect()
}
