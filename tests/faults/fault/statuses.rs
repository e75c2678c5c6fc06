//! Statuses that are no success: some pass, some do not.

use super::Outcome::{Answer, Error, Unavailable};
use super::{Fault, row};
use crate::faults::http_date::http_date;
use crate::faults::server::{Act, head, whole};
use std::time::{Duration, SystemTime};

pub(super) const ROWS: &[Fault] = &[
    Fault {
        at_least: Duration::from_secs(1),
        ..row(
            "429 with seconds",
            |at| vec![whole(429, "retry-after: 1\r\n", "slow down"), at.good()],
            |_| Answer,
            |_| 2,
        )
    },
    Fault {
        at_least: Duration::from_secs(1),
        ..row(
            "429 with a date",
            |at| {
                let date = http_date(SystemTime::now() + Duration::from_secs(2));
                vec![
                    whole(429, &format!("retry-after: {date}\r\n"), "slow down"),
                    at.good(),
                ]
            },
            |_| Answer,
            |_| 2,
        )
    },
    row(
        "429 for a day",
        |_| vec![whole(429, "retry-after: 86400\r\n", "tomorrow")],
        |_| Unavailable(&["status 429: tomorrow; it asks to wait 86400 s, longer than the "]),
        |_| 1,
    ),
    row(
        "429 with nonsense",
        |at| vec![whole(429, "retry-after: soon\r\n", "slow down"), at.good()],
        |_| Answer,
        |_| 2,
    ),
    row(
        "408 then 200",
        |at| vec![whole(408, "", "slow"), at.good()],
        |_| Answer,
        |_| 2,
    ),
    row(
        "500 then 200",
        |at| vec![whole(500, "", "oops"), at.good()],
        |_| Answer,
        |_| 2,
    ),
    row(
        "500 for good",
        |_| {
            let body = r#"{"error": {"message": "still broken"}}"#;
            vec![whole(500, "", body); 3]
        },
        |_| Unavailable(&["status 500: still broken"]),
        |_| 3,
    ),
    row(
        "529 then 200",
        |at| {
            vec![
                whole(529, "", "overloaded"),
                whole(529, "", "overloaded"),
                at.good(),
            ]
        },
        |_| Answer,
        |_| 3,
    ),
    row(
        "529 for good",
        |_| vec![whole(529, "", "overloaded"); 3],
        |_| Unavailable(&["529"]),
        |_| 3,
    ),
    row(
        "400 is final",
        |_| vec![whole(400, "", "bad")],
        |_| Error(&["status 400: bad"]),
        |_| 1,
    ),
    row(
        "HTML from a gateway",
        |at| {
            let page = "<html>Bad gateway</html>";
            vec![whole(502, "content-type: text/html\r\n", page), at.good()]
        },
        |_| Answer,
        |_| 2,
    ),
    row(
        "a huge error",
        |_| {
            vec![vec![
                head(400, "", 640 * 65_536),
                Act::Repeat(vec![b'x'; 65_536], 640),
            ]]
        },
        |_| Error(&["status 400"]),
        |_| 1,
    ),
    row(
        "a redirect to another host",
        |at| {
            let thief = format!(
                "location: http://localhost:{}{}\r\n",
                at.thief,
                at.dialect.path(false)
            );
            vec![whole(307, &thief, "")]
        },
        |_| Error(&["redirects to http://localhost:"]),
        |_| 1,
    ),
];
