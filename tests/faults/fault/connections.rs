//! Faults before an answer begins.

use super::Outcome::{Answer, Unavailable};
use super::{Fault, LATE, SHORT, row};
use crate::faults::server::{Act, FOREVER};
use std::time::Duration;

pub(super) const ROWS: &[Fault] = &[
    row(
        "slow headers",
        |at| {
            let mut play = vec![Act::Wait(Duration::from_millis(300))];
            play.extend(at.good());
            vec![play]
        },
        |_| Answer,
        |_| 1,
    ),
    Fault {
        deadline: SHORT,
        ..row(
            "no headers",
            |_| vec![vec![Act::Wait(FOREVER)]],
            |_| Unavailable(LATE),
            |_| 1,
        )
    },
    row(
        "a content length that is none",
        |_| {
            vec![vec![
                Act::Send(b"HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n".to_vec()),
                Act::Close,
            ]]
        },
        |_| Unavailable(&["gave no answer"]),
        |_| 1,
    ),
    row(
        "huge headers",
        |_| {
            vec![vec![
                Act::Send(b"HTTP/1.1 200 OK\r\nx: ".to_vec()),
                Act::Repeat(vec![b'x'; 65_536], 64),
            ]]
        },
        |_| Unavailable(&["gave no answer"]),
        |_| 1,
    ),
    row(
        "keep-alive closed under a waiting request",
        |at| vec![vec![Act::Close], at.good()],
        |_| Answer,
        |_| 2,
    ),
    row(
        "a connection that is always closed",
        |_| vec![vec![Act::Close]; 3],
        |_| Unavailable(&["gave no answer"]),
        |_| 3,
    ),
    row(
        "nonsense",
        |_| {
            vec![vec![
                Act::Send(b"220 mail.example ESMTP\r\n".to_vec()),
                Act::Close,
            ]]
        },
        |_| Unavailable(&["gave no answer"]),
        |_| 1,
    ),
];
