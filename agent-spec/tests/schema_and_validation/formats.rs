//! Formats: each text is judged by us and by `jsonschema`, which must agree.

use crate::schema_and_validation::making::{anything, narrowed, text};
use serde_json::json;

#[test]
fn validates_formats() {
    for (format, good, bad) in [
        (
            "date-time",
            &[
                "2026-11-21T09:30:00Z",
                "2026-11-21t09:30:00z",
                "2026-11-21T09:30:00.123456+02:00",
                "1998-12-31T23:59:60Z",
                "1998-12-31T15:59:60.5-08:00",
                "1990-02-28T00:00:00-00:00",
            ][..],
            &[
                "",
                "2026-11-21",
                "2026-11-21 09:30:00Z",
                "2026-11-21T09:30:00",
                "2026-11-21T24:00:00Z",
                "2026-11-21T09:60:00Z",
                "2026-11-21T09:30:60Z",
                "2026-11-21T09:30:00.Z",
                "2026-11-21T09:30:00+24:00",
                "2026-11-21T09:30:00+0200",
                "2026-13-21T09:30:00Z",
                "２026-11-21T09:30:00Z",
            ][..],
        ),
        (
            "date",
            &["2026-11-21", "2024-02-29", "2000-02-29", "0000-01-01"],
            &[
                "",
                "2026-2-1",
                "2026-00-01",
                "2026-01-00",
                "2026-01-32",
                "2026-04-31",
                "2023-02-29",
                "1900-02-29",
                "2026/11/21",
                "20261121",
                "2026-11-21 ",
                "2026-11-2é",
            ],
        ),
        (
            "time",
            &[
                "09:30:00Z",
                "23:59:59.999z",
                "00:00:00+00:00",
                "22:59:60-01:00",
            ],
            &[
                "",
                "09:30Z",
                "09:30:00",
                "9:30:00Z",
                "25:00:00Z",
                "12:00:60Z",
                "09:30:00 Z",
            ],
        ),
        (
            "email",
            &[
                "ada@example.org",
                "a.b+c@sub.example.org",
                "o'hara@example.org",
                "\"a b\"@example.org",
                "\"a\\\"b\"@example.org",
                "a@localhost",
                "a@[192.0.2.1]",
                "a@[IPv6:2001:db8::1]",
            ],
            &[
                "",
                "ada",
                "@example.org",
                "ada@",
                "a@b@c",
                ".a@example.org",
                "a.@example.org",
                "a..b@example.org",
                "a b@example.org",
                "a@-b.org",
                "a@b-.org",
                "a@b..org",
                "a@exa mple.org",
                "a@[999.0.2.1]",
                "ä@example.org",
            ],
        ),
        (
            "uri",
            &[
                "https://example.org/",
                "https://user:pw@example.org:8080/a/b;c?d=e&f#g",
                "http://[2001:db8::1]:80/",
                "mailto:ada@example.org",
                "urn:isbn:0451450523",
                "file:///etc/hosts",
                "a:",
                "https://example.org/%7Eada",
                "https://example.org?q=/?",
            ],
            &[
                "",
                "example.org",
                "/a/b",
                "//example.org/",
                "1a:b",
                ":a",
                "https://exa mple.org/",
                "https://example.org/%7",
                "https://example.org/%zz",
                "https://example.org/a#b#c",
                "http://example.org:80a/",
                "http://[2001:db8::1/",
                "http://a@b@c/",
                "https://example.org/ä",
                "http://example.org/<a>",
                "http://example.org\\a",
            ],
        ),
        (
            "uuid",
            &[
                "123e4567-e89b-12d3-a456-426614174000",
                "123E4567-E89B-12D3-A456-426614174000",
                "00000000-0000-0000-0000-000000000000",
            ],
            &[
                "",
                "123e4567e89b12d3a456426614174000",
                "{123e4567-e89b-12d3-a456-426614174000}",
                "123e4567-e89b-12d3-a456-42661417400g",
                "123e4567-e89b-12d3-a456-4266141740001",
                "123e4567-e89b-12d3-a4564-26614174000",
            ],
        ),
        (
            "ipv4",
            &["192.0.2.1", "0.0.0.0", "255.255.255.255"],
            &[
                "",
                "192.0.2",
                "192.0.2.256",
                "192.0.2.01",
                "192.0.2.1.1",
                " 192.0.2.1",
                "0x7f.1",
            ],
        ),
        (
            "ipv6",
            &[
                "::",
                "::1",
                "2001:db8::1",
                "1:2:3:4:5:6:7:8",
                "::ffff:192.0.2.1",
            ],
            &[
                "",
                ":",
                "1:2:3",
                "1::2::3",
                "12345::",
                "2001:db8::1%eth0",
                "[::1]",
                "::g",
            ],
        ),
        ("colour", &["", "anything at all"], &[]),
    ] {
        let ty = narrowed(text(), json!({"format": format}));
        let theirs = jsonschema::draft202012::options()
            .should_validate_formats(true)
            .build(&ty.schema().to_value())
            .expect("a schema");
        for (texts, expected) in [(good, true), (bad, false)] {
            for text in texts {
                let value = json!(text);
                assert_eq!(
                    ty.validate(&value).is_ok(),
                    expected,
                    "ours, {format}: {text}"
                );
                assert_eq!(
                    theirs.is_valid(&value),
                    expected,
                    "theirs, {format}: {text}"
                );
            }
        }
    }
}

#[test]
fn rejects_a_mailbox_with_a_display_name() {
    // The crate `jsonschema` lets it pass, RFC 5321 does not.
    let ty = narrowed(text(), json!({"format": "email"}));
    assert!(ty.validate(&json!("Ada <ada@example.org>")).is_err());
}

#[test]
fn ignores_formats_of_other_values() {
    let ty = narrowed(anything(), json!({"format": "date"}));
    assert!(ty.validate(&json!(5)).is_ok());
    assert!(ty.validate(&json!("5")).is_err());
}
