//! Unpacking gzip, which may have several members one after the other.

use super::{ACCEPTED, Bounded};
use flate2::write::GzDecoder;
use std::io::{self, Write};
use std::mem::replace;

/// One for all members, by hand: so it is known whether something broken is a member at all.
pub(super) struct Gzip {
    member: GzDecoder<Bounded>,
    /// Whether another member stands before this one.
    follows: bool,
}

impl Gzip {
    pub(super) fn new(bounded: Bounded) -> Self {
        Self {
            member: GzDecoder::new(bounded),
            follows: false,
        }
    }

    /// # Errors
    /// `FileTooLarge` beyond the bound; otherwise what is wrong, in words.
    pub(super) fn take(&mut self, mut chunk: &[u8]) -> io::Result<()> {
        while !chunk.is_empty() {
            match self.member.write(chunk) {
                Ok(0) => {
                    let ended = replace(&mut self.member, GzDecoder::new(Bounded::new(0)));
                    self.member = GzDecoder::new(ended.finish()?);
                    self.follows = true;
                }
                Ok(taken) => chunk = &chunk[taken..],
                Err(error) if error.kind() == io::ErrorKind::FileTooLarge => return Err(error),
                Err(error) => {
                    return Err(io::Error::other(match self.is_something_else() {
                        true => FOLLOWED.to_owned(),
                        false => format!("the answer is no {ACCEPTED}: {error}"),
                    }));
                }
            }
        }
        Ok(())
    }

    /// # Errors
    /// What is wrong, in words.
    pub(super) fn finish(self) -> io::Result<Bounded> {
        let is_something_else = self.is_something_else();
        self.member.finish().map_err(|_| {
            io::Error::other(match is_something_else {
                true => FOLLOWED.to_owned(),
                false => format!("the answer is no {ACCEPTED}: it is not complete"),
            })
        })
    }

    /// Whether what follows a whole member does not even begin like one.
    fn is_something_else(&self) -> bool {
        self.follows && self.member.header().is_none()
    }
}

const FOLLOWED: &str = "the answer is no gzip: after its end follows something else";
