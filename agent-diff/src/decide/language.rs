//! Texts as automata: whether there is one that some patterns allow and others do not.

mod automaton;
mod read;

use agent_spec::types::Constraints;
use automaton::{Automaton, State};
use std::collections::HashSet;
use std::sync::LazyLock;

/// The texts in which a pattern matches.
pub(super) struct Language(Automaton);

impl Language {
    /// The texts that a pattern allows. Nothing when it is not understood here, or its automaton
    /// would be too large.
    pub(super) fn of(pattern: &str) -> Option<Self> {
        Self::within(pattern, automaton::OF_A_PATTERN)
    }

    fn within(pattern: &str, largest: usize) -> Option<Self> {
        Automaton::of(&read::read(pattern)?, largest).map(Self)
    }

    /// Just these texts, of which there is at least one.
    pub(super) fn of_texts<'a>(texts: impl Iterator<Item = &'a str>) -> Option<Self> {
        let texts: Vec<String> = texts.map(regex_syntax::escape).collect();
        if texts.is_empty() {
            return None;
        }
        Self::within(&format!("^(?:{})$", texts.join("|")), automaton::OF_A_LIST)
    }
}

/// All texts there are: what an automaton of bytes reads may be no text.
static TEXTS: LazyLock<Option<Language>> = LazyLock::new(|| Language::of("^(?:.|\n)*$"));

/// How many characters texts may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) least: u64,
    pub(super) most: Option<u64>,
}

impl Bounds {
    /// The bounds of a type.
    pub(super) fn of(constraints: &Constraints) -> Self {
        Self {
            least: constraints.min_length.unwrap_or(0),
            most: constraints.max_length,
        }
    }

    /// Whether no length is within.
    pub(super) fn are_empty(self) -> bool {
        self.most.is_some_and(|most| most < self.least)
    }

    /// Whether all lengths within these bounds are within others.
    pub(super) fn within(self, outer: Self) -> bool {
        self.least >= outer.least
            && outer
                .most
                .is_none_or(|outer| self.most.is_some_and(|most| most <= outer))
    }

    /// The lengths at the bounds and just beyond them.
    pub(super) fn around(self) -> impl Iterator<Item = u64> {
        let least = [Some(self.least), self.least.checked_sub(1)];
        let most = [self.most, self.most.and_then(|most| most.checked_add(1))];
        least.into_iter().chain(most).flatten()
    }

    fn allow(self, length: u64) -> bool {
        length >= self.least && self.most.is_none_or(|most| length <= most)
    }

    /// From this length on, a longer one is like it.
    fn horizon(self) -> u64 {
        self.least
            .max(self.most.map_or(0, |most| most.saturating_add(1)))
    }
}

/// What a search found.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// A text that was looked for, and that the test took.
    Text(String),
    /// There is none.
    Nothing,
    /// There are some, of which the test took none.
    Refused,
    /// There may be one, but the automata have too many states together.
    TooMany,
}

/// How many states are visited.
const MOST_STATES: usize = 20_000;

/// How many steps from state to state the automata take together.
const MOST_STEPS: usize = 2_000_000;

/// Looks for a text in all the inner languages and of an inner length that is not in all the outer ones
/// or is not of an outer length; without outer languages, for any text of the inner ones. Short texts come
/// first. A text that the test refuses is passed over.
pub(super) fn search(
    inner: &[Language],
    lengths: Bounds,
    outside: Option<(&[Language], Bounds)>,
    mut test: impl FnMut(&str) -> bool,
) -> Found {
    let Some(texts) = TEXTS.as_ref() else {
        return Found::TooMany;
    };
    let (outer, outer_lengths) = match outside {
        Some((outer, lengths)) => (outer, Some(lengths)),
        None => (&[][..], None),
    };
    let inside = inner.len() + 1;
    let automata: Vec<&Automaton> = std::iter::once(texts)
        .chain(inner)
        .chain(outer)
        .map(|language| &language.0)
        .collect();
    let horizon = outer_lengths
        .map_or(0, Bounds::horizon)
        .max(lengths.horizon());
    let is_goal = |node: &Node| {
        let ends = |at: usize| automata[at].accepts(node.states[at]);
        let is_inner = (0..inside).all(ends) && lengths.allow(node.length);
        is_inner
            && outer_lengths.is_none_or(|outer| {
                !outer.allow(node.length) || !(inside..automata.len()).all(ends)
            })
    };
    let bytes = automaton::representatives(&automata);
    let mut nodes = vec![Node {
        states: automata.iter().map(|automaton| automaton.start()).collect(),
        length: 0,
        from: (0, 0),
    }];
    let mut seen = HashSet::from([(nodes[0].states.clone(), 0)]);
    let mut refused = false;
    let most_visited = MOST_STEPS / (bytes.len() * automata.len()).max(1);
    let mut at = 0;
    while at < nodes.len() {
        if at >= most_visited {
            return if refused {
                Found::Refused
            } else {
                Found::TooMany
            };
        }
        if is_goal(&nodes[at]) {
            match text_to(&nodes, at) {
                Some(text) if test(&text) => return Found::Text(text),
                _ => refused = true,
            }
        }
        for byte in &bytes {
            let node = &nodes[at];
            let step = |(automaton, state): (&&Automaton, &State)| automaton.next(*state, *byte);
            let states: Vec<State> = automata.iter().zip(&node.states).map(step).collect();
            if (0..inside).any(|at| automata[at].is_dead(states[at])) {
                continue;
            }
            // Bytes of this form go on with a character.
            let begins = u64::from(byte & 0xc0 != 0x80);
            let length = (node.length + begins).min(horizon);
            if lengths.most.is_some_and(|most| length > most) {
                continue;
            }
            if seen.insert((states.clone(), length)) {
                if nodes.len() >= MOST_STATES {
                    return if refused {
                        Found::Refused
                    } else {
                        Found::TooMany
                    };
                }
                nodes.push(Node {
                    states,
                    length,
                    from: (at, *byte),
                });
            }
        }
        at += 1;
    }
    if refused {
        Found::Refused
    } else {
        Found::Nothing
    }
}

/// Where the automata are after a text.
struct Node {
    states: Vec<State>,
    /// The characters of the text; of a long one, as many as matter.
    length: u64,
    /// The place before the last byte, and that byte.
    from: (usize, u8),
}

fn text_to(nodes: &[Node], mut at: usize) -> Option<String> {
    let mut bytes = Vec::new();
    while at > 0 {
        let (before, byte) = nodes[at].from;
        bytes.push(byte);
        at = before;
    }
    bytes.reverse();
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
