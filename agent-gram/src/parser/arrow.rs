//! Arrows: two halves of one family, with or without brackets between them.

use super::Parser;
use crate::error::SyntaxErrorKind;
use crate::lexer;
use crate::span::Span;
use crate::syntax::tape::Kind;
use crate::syntax::{Direction, Family, arrow_form};

impl Parser<'_> {
    /// `arrow = left half [ "[" [subject] "]" ] right half`, at the left half. Returns the
    /// direction.
    pub(super) fn arrow(&mut self) -> Direction {
        let start = self.at;
        let arrow = self.tape.open(Kind::Arrow, start);
        let run_end = lexer::arrow_end(self.bytes, start);
        let run = self.slice(start, run_end);
        if let Some((family, direction)) = whole_arrow(run)
            && (self.bytes.get(run_end) != Some(&b'[') || run.ends_with('>'))
        {
            self.at = run_end;
            self.recovering = false;
            return self.end_arrow(arrow, family, direction, false);
        }
        match left_half(run) {
            Some((family, left)) => self.halves(arrow, start, run_end, family, left),
            None => self.bad_arrow(arrow, start, run_end),
        }
    }

    fn end_arrow(
        &mut self,
        arrow: usize,
        family: Family,
        direction: Direction,
        bracketed: bool,
    ) -> Direction {
        let form = arrow_form(family, direction, bracketed);
        self.tape.set_form(arrow, form);
        self.tape.close(arrow, self.at);
        direction
    }

    /// Parses an arrow whose halves do not touch.
    fn halves(
        &mut self,
        arrow: usize,
        start: usize,
        run_end: usize,
        family: Family,
        left: bool,
    ) -> Direction {
        self.at = run_end;
        self.trivia();
        if self.peek() != Some(b'[') {
            let right = self.peek() == Some(shaft(family)) && {
                let end = lexer::arrow_end(self.bytes, self.at);
                right_half(self.slice(self.at, end)).is_some()
            };
            if !right {
                // There is one half only, such as `->`, `<-` or `-`.
                self.at = start;
                return self.bad_arrow(arrow, start, run_end);
            }
        }
        let bracketed = self.opt_arrow_subject();
        let right = self.opt_right_half(family, left);
        self.end_arrow(arrow, family, direction(left, right), bracketed)
    }

    /// `[ "[" [subject] "]" ]`. Returns whether there are brackets.
    fn opt_arrow_subject(&mut self) -> bool {
        if self.peek() != Some(b'[') {
            return false;
        }
        if let Some(opened) = self.open() {
            let has_subject = self.opt_subject().is_some();
            self.trivia();
            if self.peek() != Some(b']') {
                self.missing_bracket_end(has_subject);
            }
            if self.peek() == Some(b']') {
                self.at += 1;
                self.recovering = false;
            }
            self.leave(opened);
        }
        true
    }

    /// Reports the token in the place of the closing bracket of an arrow.
    fn missing_bracket_end(&mut self, has_subject: bool) {
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

    /// Parses the right half. Returns whether it has a head.
    fn opt_right_half(&mut self, family: Family, left: bool) -> bool {
        self.trivia();
        let start = self.at;
        let end = lexer::arrow_end(self.bytes, start);
        let run = self.slice(start, end);
        let (plain, headed) = right_halves(family);
        if run == plain || run == headed {
            self.at = end;
            self.recovering = false;
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
            self.recovering = false;
        }
        !left
    }

    /// Reports an arrow of a form that does not exist and skips it with its brackets.
    #[cold]
    fn bad_arrow(&mut self, arrow: usize, start: usize, run_end: usize) -> Direction {
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
            || format!("found `{}`, expected an arrow", abbreviated(run)),
            Some(help.as_str()),
        );
        self.at = run_end;
        self.recovering = true;
        if bracketed {
            self.opt_arrow_subject();
            self.recovering = true;
            right = self.opt_right_half(family, left);
        }
        let arrow_end = self.at;
        // If no node follows, the next tokens are probably part of the same mistake.
        self.trivia();
        self.recovering = self.peek() != Some(b'(');
        let direction = direction(left, right);
        let form = arrow_form(family, direction, bracketed);
        self.tape.set_form(arrow, form);
        self.tape.close(arrow, arrow_end);
        direction
    }
}

/// Returns the first forty characters.
fn abbreviated(run: &str) -> &str {
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

/// Returns the family of a left half, and whether it has a head.
fn left_half(run: &str) -> Option<(Family, bool)> {
    match *run.as_bytes() {
        [shaft] => Some((family_of(shaft)?, false)),
        [b'<', shaft] => Some((family_of(shaft)?, true)),
        _ => None,
    }
}

/// Returns the family of a right half, and whether it has a head.
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
