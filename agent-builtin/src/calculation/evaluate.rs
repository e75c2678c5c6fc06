//! Parses and evaluates an expression in one pass, by the binding power of its operators.

use super::error::Fault;
use super::function::{Word, find_word, unknown_word};

use super::number::{Number, Reason, parse_literal};
use super::token::{Token, Tokens};
use std::ops::Range;

/// The maximum nesting depth of parentheses, calls and powers of powers. Evaluation recurses for each level, so that a
/// model's expression of thousands of brackets would exhaust the stack.
pub(super) const MAX_DEPTH: usize = 64;

// The binding powers of the operators. A sign binds tighter than `*` and looser than `^`: `-2^2` is -4.
const SUM: u8 = 1;
const PRODUCT: u8 = 2;
const SIGN: u8 = 3;
const POWER: u8 = 4;

/// Evaluates an expression.
pub(super) fn evaluate(text: &str) -> Result<Number, Fault> {
    let mut tokens = Tokens::new(text);
    let (token, range) = tokens.next()?;
    let mut evaluator = Evaluator {
        tokens,
        token,
        range,
        depth: 0,
    };
    if evaluator.token == Token::End {
        return Err(Fault::new(
            0,
            "the expression is empty; write one such as `2 + 2`",
        ));
    }
    let value = evaluator.expression(SUM)?;
    match evaluator.token {
        Token::End => Ok(value),
        _ => Err(evaluator.unexpected()),
    }
}

struct Evaluator<'a> {
    tokens: Tokens<'a>,
    /// The next token, and its byte range.
    token: Token<'a>,
    range: Range<usize>,
    depth: usize,
}

type Operation = fn(&Number, &Number) -> Result<Number, Reason>;

impl<'a> Evaluator<'a> {
    fn advance(&mut self) -> Result<Range<usize>, Fault> {
        let (token, range) = self.tokens.next()?;
        self.token = token;
        Ok(std::mem::replace(&mut self.range, range))
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth == MAX_DEPTH {
            let reason = format!("the expression nests deeper than {MAX_DEPTH} levels");
            return Err(Fault::new(self.range.start, reason));
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// Evaluates operands joined by operators whose binding power is at least `min_power`.
    fn expression(&mut self, min_power: u8) -> Result<Number, Fault> {
        let mut left = self.operand()?;
        loop {
            let (power, operation): (u8, Operation) = match self.token {
                Token::Plus => (SUM, Number::plus),
                Token::Minus => (SUM, Number::minus),
                Token::Times => (PRODUCT, Number::times),
                Token::Over => (PRODUCT, Number::over),
                Token::Remainder => (PRODUCT, Number::remainder),
                Token::Power => (POWER, Number::power),
                _ => return Ok(left),
            };
            if power < min_power {
                return Ok(left);
            }
            let operator = self.advance()?;
            if power == PRODUCT && self.is_percentage(&operator) {
                let reason = "`%` is the remainder of a division and needs a number after it; \
                              15 % of 80 is `15 / 100 * 80`";
                return Err(Fault::new(operator.start, reason));
            }
            let right = match power {
                // Right-associative: 2^3^2 is 2^(3^2).
                POWER => self.deeper(|this| this.expression(POWER))?,
                power => self.expression(power + 1)?,
            };
            left = operation(&left, &right).map_err(|reason| Fault::new(operator.start, reason))?;
        }
    }

    /// Whether `%` is meant as a percentage: no divisor follows, or it is written as in `15% + 3`.
    fn is_percentage(&self, operator: &Range<usize>) -> bool {
        if self.tokens.text(operator) != "%" {
            return false;
        }
        match self.token {
            Token::Number(_) | Token::Open => false,
            Token::Name(name) => name == "of",
            Token::Plus | Token::Minus => {
                let touches_before = !self.tokens.text(&(0..operator.start)).ends_with(' ');
                touches_before && operator.end < self.range.start
            }
            _ => true,
        }
    }

    /// Evaluates a primary expression with its signs.
    fn operand(&mut self) -> Result<Number, Fault> {
        let mut signs = 0;
        let mut is_negative = false;
        while let Token::Plus | Token::Minus = self.token {
            is_negative ^= self.token == Token::Minus;
            signs += 1;
            self.advance()?;
        }
        if signs == 0 {
            return self.primary();
        }
        let value = self.deeper(|this| this.expression(SIGN))?;
        Ok(if is_negative { value.negated() } else { value })
    }

    fn primary(&mut self) -> Result<Number, Fault> {
        match self.token {
            Token::Number(text) => {
                let range = self.advance()?;
                parse_literal(text).map_err(|reason| Fault::new(range.start, reason))
            }
            Token::Open => {
                let open = self.advance()?;
                let value = self.deeper(|this| this.expression(SUM))?;
                self.close(&open)?;
                Ok(value)
            }
            Token::Name(name) => self.word(name),
            Token::End => Err(self.expected("and the expression ends")),
            _ => {
                let found = self.tokens.text(&self.range);
                Err(self.expected(&format!("and `{found}` stands here")))
            }
        }
    }

    /// Evaluates a constant or a function call.
    fn word(&mut self, name: &'a str) -> Result<Number, Fault> {
        let range = self.advance()?;
        let at = |reason| Fault::new(range.start, reason);
        match find_word(name) {
            None => Err(at(unknown_word(name))),
            Some(Word::Constant(value)) => Ok(Number::Double(value)),
            Some(Word::Function(_)) if self.token != Token::Open => Err(at(format!(
                "`{name}` is a function: write `{name}(…)`"
            )
            .into())),
            Some(Word::Function(function)) => {
                let arguments = self.arguments()?;
                function.call(&arguments).map_err(at)
            }
        }
    }

    fn arguments(&mut self) -> Result<Vec<Number>, Fault> {
        let open = self.advance()?;
        let mut arguments = Vec::new();
        if self.token != Token::Close {
            loop {
                arguments.push(self.deeper(|this| this.expression(SUM))?);
                if self.token != Token::Comma {
                    break;
                }
                self.advance()?;
            }
        }
        self.close(&open)?;
        Ok(arguments)
    }

    fn close(&mut self, open: &Range<usize>) -> Result<(), Fault> {
        match self.token {
            Token::Close => self.advance().map(drop),
            Token::End => Err(Fault::new(open.start, "this `(` is never closed")),
            _ => Err(self.unexpected()),
        }
    }

    fn expected(&self, but: &str) -> Fault {
        let reason = format!("a number, a name or `(` is expected, {but}");
        Fault::new(self.range.start, reason)
    }

    /// The error for a token where an operator is expected.
    fn unexpected(&self) -> Fault {
        let reason = match self.token {
            Token::Close => "no `(` is open that this `)` closes",
            Token::Comma => {
                "`,` separates the arguments of a function; digits are not grouped: \
                 write `1000`, not `1,000`"
            }
            _ => "an operator such as `*` is missing before this",
        };
        Fault::new(self.range.start, reason)
    }
}
