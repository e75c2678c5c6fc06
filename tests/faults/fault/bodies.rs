//! Answers whose body is late, cut, endless or not what it says.

use super::Outcome::{self, Answer, Error, Unavailable};
use super::{BROKEN, Fault, LATE, SHORT, Setting, row};
use crate::faults::server::{Act, FOREVER, chunk, head, whole};
use std::time::Duration;

/// The outcome of an answer of which the half arrives: it is asked for again, unless somebody has read a part of it.
fn broken(at: &Setting) -> Outcome {
    match at.tells_half() {
        true => Unavailable(BROKEN),
        false => Answer,
    }
}

fn attempts(at: &Setting) -> usize {
    match at.tells_half() {
        true => 1,
        false => 2,
    }
}

pub(super) const ROWS: &[Fault] = &[
    row(
        "a slow body",
        |at| {
            let body = at.body().into_bytes();
            let (first, second) = body.split_at(body.len() / 2);
            let mut play = at.announced(first, body.len());
            play.extend([
                Act::Wait(Duration::from_millis(300)),
                Act::Send(second.to_vec()),
            ]);
            vec![play]
        },
        |_| Answer,
        |_| 1,
    ),
    Fault {
        deadline: SHORT,
        ..row(
            "a body that stops",
            |at| {
                let mut play = at.announced(&at.half(), 100_000);
                play.push(Act::Wait(FOREVER));
                vec![play]
            },
            |at| {
                Unavailable(if at.streamed {
                    &["sent nothing for", "said nothing for"]
                } else {
                    LATE
                })
            },
            |_| 1,
        )
    },
    row(
        "a cut body",
        |at| {
            let mut play = at.announced(&at.half(), at.body().len());
            play.push(Act::Close);
            at.and_answer(play)
        },
        broken,
        attempts,
    ),
    row(
        "a cut body in chunks",
        |at| {
            at.and_answer(vec![
                Act::Send(chunk(at.dialect.kind(at.streamed), &at.half())),
                Act::Close,
            ])
        },
        broken,
        attempts,
    ),
    row(
        "a chunk that is none",
        |at| {
            let mut bytes = chunk(at.dialect.kind(at.streamed), &at.half());
            bytes.extend_from_slice(b"nonsense\r\n");
            at.and_answer(vec![Act::Send(bytes), Act::Close])
        },
        broken,
        attempts,
    ),
    row(
        "too small a content length",
        |at| {
            let body = at.body().into_bytes();
            at.and_answer(at.announced(&body, body.len() / 2))
        },
        broken,
        attempts,
    ),
    Fault {
        deadline: SHORT,
        // A stream says itself when it is complete.
        ..row(
            "too large a content length",
            |at| {
                let body = at.body().into_bytes();
                let mut play = at.announced(&body, body.len() + 10);
                play.push(Act::Wait(FOREVER));
                vec![play]
            },
            |at| {
                if at.streamed {
                    Answer
                } else {
                    Unavailable(LATE)
                }
            },
            |_| 1,
        )
    },
    row(
        "HTML instead of JSON",
        |_| {
            vec![whole(
                200,
                "content-type: text/html\r\n",
                "<html>\n<p>Hotel\n</html>",
            )]
        },
        |_| Error(&["is not JSON: <html>", "is no stream of events: <html>"]),
        |_| 1,
    ),
    row(
        "an empty body",
        |at| at.and_answer(at.ok(b"")),
        |_| Answer,
        |_| 2,
    ),
    row(
        "three empty bodies",
        |at| vec![at.ok(b""), at.ok(b""), at.ok(b"")],
        |_| Unavailable(&["gave an empty answer"]),
        |_| 3,
    ),
    row(
        "a status that has no body",
        |at| at.and_answer(vec![Act::Send(b"HTTP/1.1 204 Told\r\n\r\n".to_vec())]),
        |_| Answer,
        |_| 2,
    ),
    row(
        "a body that is no gzip",
        |at| {
            at.and_answer(whole(
                200,
                "content-encoding: gzip\r\n",
                [at.half(), vec![0x1f, 0x8b, 8]].concat(),
            ))
        },
        |_| Answer,
        |_| 2,
    ),
    row(
        "an encoding that nobody asked for",
        |at| vec![whole(200, "content-encoding: br\r\n", at.half())],
        |_| Error(&["encoding `br`"]),
        |_| 1,
    ),
    row(
        "a huge body",
        |at| {
            let kind = format!("content-type: {}\r\n", at.dialect.kind(at.streamed));
            vec![vec![
                head(200, &kind, 640 * 65_536),
                Act::Repeat(vec![b' '; 65_536], 640),
            ]]
        },
        |_| Error(&["more than 32 MB"]),
        |_| 1,
    ),
    row(
        "a huge body without an end",
        |at| {
            let kind = at.dialect.kind(at.streamed);
            let begin = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\n\r\n");
            vec![vec![
                Act::Send(begin.into_bytes()),
                Act::Repeat(vec![b'\n'; 65_536], 100_000),
            ]]
        },
        |_| Error(&["more than 32 MB"]),
        |_| 1,
    ),
    row(
        "invalid UTF-8",
        |at| {
            let body = at.body().into_bytes();
            let place = body.windows(2).position(|two| two == "ü".as_bytes());
            let place = place.expect("an umlaut");
            vec![at.ok(&[&body[..place], b"\xff", &body[place + 2..]].concat())]
        },
        |_| Error(&["is not UTF-8"]),
        |_| 1,
    ),
    row(
        "duplicate keys",
        |at| {
            let twice = "{\"model\":7,\"message\":null,\"choices\":[],\"done\":false,";
            let body = at.body();
            let mut lines: Vec<String> = Vec::new();
            for (number, line) in body.lines().enumerate() {
                let is_object = if at.streamed {
                    line.contains('{')
                } else {
                    number == 0
                };
                lines.push(if is_object {
                    line.replacen('{', twice, 1)
                } else {
                    line.to_owned()
                });
            }
            vec![at.ok(format!("{}\n", lines.join("\n")).as_bytes())]
        },
        |_| Answer,
        |_| 1,
    ),
];
