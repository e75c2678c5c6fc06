//! Arrows: two halves of one family, with or without brackets between them.

use super::Parser;
use crate::error::SyntaxErrorKind;
use crate::lexer;
use crate::span::Span;
use crate::syntax::{Arrow, Direction, Family, Subject};

impl<'a> Parser<'a> {
    /// `arrow = left half [ "[" [subject] "]" ] right half`, where the left half begins.
    pub(super) fn arrow(&mut self) -> Arrow<'a> {
        let start = self.at;
        let run_end = lexer::arrow_end(self.bytes, start);
        let run = self.slice(start, run_end);
        if let Some((family, direction)) = whole_arrow(run)
            && (self.bytes.get(run_end) != Some(&b'[') || run.ends_with('>'))
        {
            self.at = run_end;
            self.lost = false;
            return Arrow {
                span: Span::new(start, run_end),
                family,
                direction,
                bracketed: false,
                subject: None,
            };
        }
        match left_half(run) {
            Some((family, left)) => self.halves(start, run_end, family, left),
            None => self.bad_arrow(start, run_end),
        }
    }

    /// An arrow of two halves that do not touch.
    fn halves(&mut self, start: usize, run_end: usize, family: Family, left: bool) -> Arrow<'a> {
        self.at = run_end;
        self.trivia();
        if self.peek() != Some(b'[') {
            let right = self.peek() == Some(shaft(family)) && {
                let end = lexer::arrow_end(self.bytes, self.at);
                right_half(self.slice(self.at, end)).is_some()
            };
            if !right {
                // A half alone, such as `->`, `<-` or `-`.
                self.at = start;
                return self.bad_arrow(start, run_end);
            }
        }
        let (bracketed, subject) = self.opt_arrow_subject();
        let right = self.opt_right_half(family, left);
        Arrow {
            span: Span::new(start, self.at),
            family,
            direction: direction(left, right),
            bracketed,
            subject,
        }
    }

    /// `[ "[" [subject] "]" ]`, and whether there are brackets.
    fn opt_arrow_subject(&mut self) -> (bool, Option<Subject<'a>>) {
        if self.peek() != Some(b'[') {
            return (false, None);
        }
        let mut subject = None;
        if let Some(opened) = self.open() {
            subject = self.opt_subject();
            self.trivia();
            if self.peek() != Some(b']') {
                self.no_bracket_end(subject.is_some());
            }
            if self.peek() == Some(b']') {
                self.at += 1;
                self.lost = false;
            }
            self.leave(opened);
        }
        (true, subject)
    }

    /// Reports what stands where the brackets of an arrow should end.
    fn no_bracket_end(&mut self, has_subject: bool) {
        let expected = if has_subject {
            "`]`"
        } else {
            "a name, `:`, `{` or `]`"
        };
        match self.peek() {
            None => self.unclosed(expected, None),
            Some(b'-' | b'=' | b'~' | b'>') => self.unclosed(expected, None),
            Some(b'(' | b'[' | b'@') if self.dedented() => self.unclosed(expected, None),
            Some(b')' | b'}') => {
                self.stray_closer(b']', expected, b"");
            }
            Some(byte) => {
                let help = match byte {
                    b'|' => Some("the brackets of an arrow hold no elements"),
                    _ => self.subject_help(byte),
                };
                self.unexpected(expected, help);
                self.skip_to(b"");
            }
        }
    }

    /// The right half, and whether it has a head.
    fn opt_right_half(&mut self, family: Family, left: bool) -> bool {
        self.trivia();
        let start = self.at;
        let end = lexer::arrow_end(self.bytes, start);
        let run = self.slice(start, end);
        let (plain, headed) = right_halves(family);
        if run == plain || run == headed {
            self.at = end;
            self.lost = false;
            return run == headed;
        }
        let expected = format!("`{plain}` or `{headed}` after the brackets of the arrow");
        let help = if right_half(run).is_some() {
            "both halves of an arrow are drawn alike"
        } else {
            "the arrows are `-[…]->`, `<-[…]-`, `-[…]-` and `<-[…]->`, with `=` or `~` for the dash too"
        };
        if run.is_empty() {
            self.unexpected(&expected, help);
        } else {
            self.fail(SyntaxErrorKind::BadArrow, &expected, help);
            self.at = end;
            self.lost = false;
        }
        !left
    }

    /// Reports an arrow of a form that does not exist and passes it, its brackets included.
    #[cold]
    fn bad_arrow(&mut self, start: usize, run_end: usize) -> Arrow<'a> {
        let run = self.slice(start, run_end);
        let family = run.bytes().find_map(family_of).unwrap_or(Family::Dash);
        let left = run.starts_with('<');
        let mut right = run.ends_with('>');
        let (plain, headed) = right_halves(family);
        let bracketed = self.bytes.get(run_end) == Some(&b'[') && right_half(run).is_none();
        let head = if left { "<" } else { "" };
        let help = if bracketed {
            format!("write `{head}{plain}[` before and `{plain}` or `{headed}` after the brackets")
        } else {
            let tail = if right { headed } else { plain };
            format!("write `{head}{plain}{tail}`")
        };
        self.report(
            SyntaxErrorKind::BadArrow,
            Span::new(start, run_end),
            || format!("found `{}`, expected an arrow", shown(run)),
            Some(help.as_str()),
        );
        self.at = run_end;
        self.lost = true;
        let mut subject = None;
        if bracketed {
            subject = self.opt_arrow_subject().1;
            self.lost = true;
            right = self.opt_right_half(family, left);
        }
        // Without a node to point to, what follows is most likely part of the mistake.
        self.trivia();
        self.lost = self.peek() != Some(b'(');
        Arrow {
            span: Span::new(start, self.at),
            family,
            direction: direction(left, right),
            bracketed,
            subject,
        }
    }
}

/// At most the first forty characters.
fn shown(run: &str) -> &str {
    run.get(..40).unwrap_or(run)
}

fn whole_arrow(run: &str) -> Option<(Family, Direction)> {
    Some(match run {
        "-->" => (Family::Dash, Direction::Right),
        "<--" => (Family::Dash, Direction::Left),
        "--" => (Family::Dash, Direction::Undirected),
        "<-->" => (Family::Dash, Direction::Both),
        "==>" => (Family::Double, Direction::Right),
        "<==" => (Family::Double, Direction::Left),
        "==" => (Family::Double, Direction::Undirected),
        "<==>" => (Family::Double, Direction::Both),
        "~~>" => (Family::Wave, Direction::Right),
        "<~~" => (Family::Wave, Direction::Left),
        "~~" => (Family::Wave, Direction::Undirected),
        "<~~>" => (Family::Wave, Direction::Both),
        _ => return None,
    })
}

/// The family of a left half, and whether it has a head.
fn left_half(run: &str) -> Option<(Family, bool)> {
    match *run.as_bytes() {
        [shaft] => Some((family_of(shaft)?, false)),
        [b'<', shaft] => Some((family_of(shaft)?, true)),
        _ => None,
    }
}

/// The family of a right half, and whether it has a head.
fn right_half(run: &str) -> Option<(Family, bool)> {
    match *run.as_bytes() {
        [shaft] => Some((family_of(shaft)?, false)),
        [shaft, b'>'] => Some((family_of(shaft)?, true)),
        _ => None,
    }
}

fn right_halves(family: Family) -> (&'static str, &'static str) {
    match family {
        Family::Dash => ("-", "->"),
        Family::Double => ("=", "=>"),
        Family::Wave => ("~", "~>"),
    }
}

fn shaft(family: Family) -> u8 {
    match family {
        Family::Dash => b'-',
        Family::Double => b'=',
        Family::Wave => b'~',
    }
}

fn family_of(byte: u8) -> Option<Family> {
    match byte {
        b'-' => Some(Family::Dash),
        b'=' => Some(Family::Double),
        b'~' => Some(Family::Wave),
        _ => None,
    }
}

fn direction(left: bool, right: bool) -> Direction {
    match (left, right) {
        (false, true) => Direction::Right,
        (true, false) => Direction::Left,
        (false, false) => Direction::Undirected,
        (true, true) => Direction::Both,
    }
}
