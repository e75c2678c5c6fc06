//! The formats that are asserted.

use agent_spec::types::Constraints;

/// What texts of a format look like.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// What they all match, and maybe others with them.
    pub(super) pattern: &'static str,
    /// Some of them, unlike each other.
    pub(super) samples: &'static [&'static str],
}

/// The format of a type, if it is asserted.
pub(super) fn form_of(of: &Constraints) -> Option<Form> {
    let name = of.format.as_deref()?;
    FORMS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, form)| *form)
}

/// A text of a format that has so many characters, where one is known. A longest or shortest length may
/// be all that two types differ in.
pub(super) fn of_length(format: &str, length: u64) -> Option<String> {
    const FULL_ADDRESS: [&str; 8] = [
        "2001", "0db8", "0000", "0000", "0000", "ff00", "0042", "8329",
    ];
    let length = usize::try_from(length).ok()?;
    let between = |begin: &str, filler: &str, end: &str| {
        let missing = length.checked_sub(begin.len() + end.len())?;
        Some(format!("{begin}{}{end}", filler.repeat(missing)))
    };
    match format {
        "date-time" => between("2026-11-21T09:30:00.", "1", "Z"),
        "time" => between("09:30:00.", "1", "Z"),
        "uri" => between("https://example.org/", "a", ""),
        "email" => {
            // Labels of a domain have 63 characters at most.
            let domain = length.checked_sub("ada@.org".len())?;
            let label = |at| if at % 60 == 59 { '.' } else { 'a' };
            let domain: String = (0..domain).map(label).collect();
            Some(format!("ada@{domain}.org"))
        }
        "ipv6" => {
            // Eight groups, the first of which have all four digits.
            let mut digits = length.checked_sub(15)?;
            let group = |full: &'static str| {
                let more = digits.min(3);
                digits -= more;
                &full[3 - more..]
            };
            let groups: Vec<&str> = FULL_ADDRESS.into_iter().map(group).collect();
            (digits == 0).then(|| groups.join(":"))
        }
        _ => None,
    }
}

const FORMS: &[(&str, Form)] = &[
    (
        "date-time",
        Form {
            pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}[-+.:0-9Zz]+$",
            samples: &[
                "2026-11-21T09:30:00Z",
                "1999-12-31t23:59:59.5+01:00",
                "2000-02-29T00:00:00-11:30",
            ],
        },
    ),
    (
        "date",
        Form {
            pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
            samples: &["2026-11-21", "2000-02-29", "0001-01-01"],
        },
    ),
    (
        "time",
        Form {
            pattern: "^[0-9]{2}:[0-9]{2}:[0-9]{2}[-+.:0-9Zz]+$",
            samples: &["09:30:00Z", "23:59:59.25+01:00", "00:00:00z"],
        },
    ),
    (
        "email",
        Form {
            pattern: ".@.",
            samples: &["ada@example.org", "a.b+c@x.example", "\"a b\"@example.org"],
        },
    ),
    (
        "uri",
        Form {
            pattern: "^[A-Za-z][-+.0-9A-Za-z]*:",
            samples: &[
                "https://example.org/",
                "urn:isbn:0451450523",
                "mailto:ada@example.org",
            ],
        },
    ),
    (
        "uuid",
        Form {
            pattern: "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$",
            samples: &[
                "123e4567-e89b-12d3-a456-426614174000",
                "123E4567-E89B-12D3-A456-426614174000",
            ],
        },
    ),
    (
        "ipv4",
        Form {
            pattern: "^[0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3}$",
            samples: &["192.0.2.1", "0.0.0.0", "255.255.255.255"],
        },
    ),
    (
        "ipv6",
        Form {
            pattern: "^[0-9A-Fa-f:.]{2,45}$",
            samples: &["2001:db8::1", "::", "::ffff:192.0.2.1"],
        },
    ),
];

#[cfg(test)]
mod tests {
    use super::{FORMS, of_length};
    use agent_spec::types::Constraints;
    use agent_spec::{Kind, Type};
    use serde_json::Value;

    #[test]
    fn texts_of_a_length_have_it_and_their_format() {
        for (name, lengths) in [
            ("date-time", &[22, 30, 31, 40][..]),
            ("time", &[11, 20]),
            ("uri", &[20, 21, 300]),
            ("email", &[9, 100, 254]),
            ("ipv6", &[15, 16, 24, 38, 39]),
        ] {
            let mut constraints = Constraints::NONE;
            constraints.format = Some(name.into());
            let ty = Type::new(Kind::Text).with_constraints(constraints);
            for length in lengths {
                let text = of_length(name, *length).expect("there is one of the length");
                assert_eq!(text.len() as u64, *length, "{text}");
                assert_eq!(ty.validate(&Value::from(text)), Ok(()), "{name} {length}");
            }
        }
        assert_eq!(of_length("ipv6", 40), None);
        assert_eq!(of_length("email", 3), None);
    }

    #[test]
    fn samples_have_their_format_and_its_pattern() {
        for (name, form) in FORMS {
            let mut constraints = Constraints::NONE;
            constraints.format = Some((*name).into());
            constraints.pattern = Some(form.pattern.into());
            let ty = Type::new(Kind::Text).with_constraints(constraints);
            for sample in form.samples {
                assert_eq!(ty.validate(&Value::from(*sample)), Ok(()), "{name}");
            }
            // A format that is not asserted would take anything.
            assert!(ty.validate(&Value::from("")).is_err(), "{name}");
        }
    }
}
