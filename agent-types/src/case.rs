//! Converts names between Rust and gram: `#[tool]` converts the names of functions, and
//! `agent new-tools` reverses it.

/// Converts a name in snake case to camel case, such as `say_hello` to `sayHello`, because models
/// get the names of tools and parameters in this form. The prefix of a raw identifier is removed,
/// and leading underscores are kept.
#[must_use]
pub fn camel_case(name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let rest = name.trim_start_matches('_');
    let mut out = name[..name.len() - rest.len()].to_owned();
    let mut upper = false;
    for (at, c) in rest.chars().enumerate() {
        match c {
            '_' => upper = true,
            c if upper => {
                out.extend(c.to_uppercase());
                upper = false;
            }
            c if at == 0 => out.extend(c.to_lowercase()),
            c => out.push(c),
        }
    }
    out
}

/// A rule of `rename_all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// `camelCase`
    Camel,
    /// `snake_case`
    Snake,
    /// `kebab-case`
    Kebab,
    /// `PascalCase`
    Pascal,
    /// `lowercase`
    Lower,
    /// `UPPERCASE`
    Upper,
    /// `SCREAMING_SNAKE_CASE`
    ScreamingSnake,
    /// `SCREAMING-KEBAB-CASE`
    ScreamingKebab,
}

impl Case {
    /// All rules, the most used first.
    pub const ALL: [Self; 8] = [
        Self::Camel,
        Self::Snake,
        Self::Kebab,
        Self::Pascal,
        Self::Lower,
        Self::Upper,
        Self::ScreamingSnake,
        Self::ScreamingKebab,
    ];

    /// The name of the rule.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Camel => "camelCase",
            Self::Snake => "snake_case",
            Self::Kebab => "kebab-case",
            Self::Pascal => "PascalCase",
            Self::Lower => "lowercase",
            Self::Upper => "UPPERCASE",
            Self::ScreamingSnake => "SCREAMING_SNAKE_CASE",
            Self::ScreamingKebab => "SCREAMING-KEBAB-CASE",
        }
    }

    /// Returns the rule with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|case| case.name() == name)
    }

    /// Converts the name of a function or parameter, which Rust writes in snake case. Leading
    /// underscores are kept, and the prefix of a raw identifier is removed.
    #[must_use]
    pub fn of_rust(self, name: &str) -> String {
        let name = name.strip_prefix("r#").unwrap_or(name);
        if self == Self::Camel {
            return camel_case(name);
        }
        let rest = name.trim_start_matches('_');
        let (underscores, _) = name.split_at(name.len() - rest.len());
        underscores.to_owned() + &self.field(rest)
    }

    /// Converts the name of a field, which Rust writes in snake case.
    #[must_use]
    pub fn field(self, name: &str) -> String {
        match self {
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => {
                let mut out = String::new();
                let mut upper = true;
                for c in name.chars() {
                    if c == '_' {
                        upper = true;
                    } else if upper {
                        out.push(c.to_ascii_uppercase());
                        upper = false;
                    } else {
                        out.push(c);
                    }
                }
                out
            }
            Self::Camel => lower_first(&Self::Pascal.field(name)),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => Self::ScreamingSnake.field(name).replace('_', "-"),
        }
    }

    /// Converts the name of a variant, which Rust writes in Pascal case.
    #[must_use]
    pub fn variant(self, name: &str) -> String {
        match self {
            Self::Pascal => name.to_owned(),
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => lower_first(name),
            Self::Snake => {
                let mut out = String::new();
                for (at, c) in name.char_indices() {
                    if at > 0 && c.is_uppercase() {
                        out.push('_');
                    }
                    out.push(c.to_ascii_lowercase());
                }
                out
            }
            Self::ScreamingSnake => Self::Snake.variant(name).to_ascii_uppercase(),
            Self::Kebab => Self::Snake.variant(name).replace('_', "-"),
            Self::ScreamingKebab => Self::ScreamingSnake.variant(name).replace('_', "-"),
        }
    }
}

fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    match chars.next() {
        Some(first) => first.to_ascii_lowercase().to_string() + chars.as_str(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_names_to_camel_case() {
        for (rust, gram) in [
            ("say_hello", "sayHello"),
            ("a", "a"),
            ("SHOUT", "sHOUT"),
            ("get2_things", "get2Things"),
            ("_hidden_one", "_hiddenOne"),
            ("r#match", "match"),
            ("trailing_", "trailing"),
        ] {
            assert_eq!(camel_case(rust), gram, "{rust}");
        }
    }

    #[test]
    fn names_follow_the_rules() {
        for (rule, field, variant) in [
            ("lowercase", "max_age", "dryrun"),
            ("UPPERCASE", "MAX_AGE", "DRYRUN"),
            ("PascalCase", "MaxAge", "DryRun"),
            ("camelCase", "maxAge", "dryRun"),
            ("snake_case", "max_age", "dry_run"),
            ("SCREAMING_SNAKE_CASE", "MAX_AGE", "DRY_RUN"),
            ("kebab-case", "max-age", "dry-run"),
            ("SCREAMING-KEBAB-CASE", "MAX-AGE", "DRY-RUN"),
        ] {
            let case = Case::from_name(rule).expect("the rule is known");
            assert_eq!(case.field("max_age"), field);
            assert_eq!(case.of_rust("max_age"), field);
            assert_eq!(case.variant("DryRun"), variant);
        }
        assert!(Case::from_name("Camel").is_none());
        assert_eq!(Case::Kebab.of_rust("_hidden_one"), "_hidden-one");
        assert_eq!(Case::Pascal.of_rust("r#match"), "Match");
    }
}
