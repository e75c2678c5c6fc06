//! Checks the page of limits, `book/src/reference/limits.md`, against the constants in the code.

mod tests {
    use crate::workspace::{read, root};

    /// A text of the page, and the constants whose values it states: files and names.
    type Limit = (&'static str, &'static [(&'static str, &'static str)]);

    const LIMITS: &[Limit] = &[
        (
            "| 32 MiB | a document",
            &[("agent-spec/src/file.rs", "MAX_BYTES")],
        ),
        (
            "| 128 levels | nesting",
            &[("agent-gram/src/lib.rs", "MAX_DEPTH")],
        ),
        (
            "| 10,000 errors,",
            &[("agent-spec/src/diagnostic.rs", "MAX_FINDINGS")],
        ),
        (
            "| 32 agents |",
            &[("agent-spec/src/agent.rs", "MAX_AGENT_DEPTH")],
        ),
        (
            "| 16 MiB | the specs",
            &[("agent-spec/src/check/reader.rs", "MAX_REFERRED_BYTES")],
        ),
        (
            "| 100,000 names |",
            &[("agent-project/src/loaded_project.rs", "MAX_NAMES")],
        ),
        (
            "also 128 parts",
            &[("agent-project/src/loaded_project.rs", "MAX_PARTS")],
        ),
        (
            "| 64 rows |",
            &[("agent-catalog/src/catalog.rs", "MAX_LIKES")],
        ),
        (
            "| 64 types |",
            &[("agent-types/src/types.rs", "MOST_ALTERNATIVES")],
        ),
        (
            "| 10,000,000 fields |",
            &[("agent-types/src/validate/walk.rs", "MOST_TRIED")],
        ),
        (
            "| 4 MiB | a compiled",
            &[("agent-types/src/validate/patterns.rs", "MAX_COMPILED")],
        ),
        (
            "| 256 KiB, 200,000 values, 1,000 references |",
            &[
                ("agent-types/src/schema.rs", "MAX_SCHEMA_TEXT"),
                ("agent-types/src/schema/extract.rs", "MAX_COPIED"),
                ("agent-types/src/schema/extract.rs", "MAX_DEFINITIONS"),
            ],
        ),
        (
            "| 200,000 parts |",
            &[("agent-types/src/schema/read/converter.rs", "MOST_PARTS")],
        ),
        (
            "| 100,000 schemas |",
            &[("agent-types/src/schema/work.rs", "MOST_AT_ONCE")],
        ),
        (
            "also 600 inside",
            &[("agent-types/src/schema/work.rs", "MAX_DEPTH")],
        ),
        (
            "| 200,000 values | the arguments",
            &[(
                "agent-types/src/json_value/reader.rs",
                "MAX_ARGUMENT_VALUES",
            )],
        ),
        (
            "| 128 MiB | the answers",
            &[("agent-core/src/run/limits.rs", "MAX_RUN_BYTES")],
        ),
        (
            "| 256 calls |",
            &[("agent-effects/src/bounds.rs", "MAX_CALLS")],
        ),
        (
            "| 32 MiB | an answer",
            &[("agent-runtime/src/model/http/large_answers.rs", "MAX_BODY")],
        ),
        (
            "| 100 MiB, 1,000 parts |",
            &[
                ("agent-tool/src/media/result.rs", "MAX_BYTES"),
                ("agent-tool/src/media/result.rs", "MAX_PARTS"),
            ],
        ),
        (
            "| 300,000 values |",
            &[("agent-web/src/request.rs", "MAX_VALUES")],
        ),
        (
            "| 1,000,000 values |",
            &[("agent-types/src/json_value/reader.rs", "MAX_VALUES")],
        ),
        (
            "| 64 levels | the folders",
            &[("agent-builtin/src/files/list.rs", "MAX_DEPTH")],
        ),
        (
            "| 512 KiB | the `.gitignore` files",
            &[("agent-builtin/src/files/gitignore.rs", "MAX_SIZE")],
        ),
        (
            "| 64 MiB | the contents",
            &[("agent-builtin/src/files/under_way.rs", "MAX_BYTES")],
        ),
        (
            "| 4,096 bytes, 64 levels |",
            &[
                ("agent-builtin/src/calculation.rs", "MAX_BYTES"),
                ("agent-builtin/src/calculation/evaluate.rs", "MAX_DEPTH"),
            ],
        ),
        (
            "| 512 levels, 250,000 elements and texts, 1,000 attributes of a tag, 500,000 in all |",
            &[
                ("agent-builtin/src/web/page/html.rs", "MAX_DEPTH"),
                ("agent-builtin/src/web/page/html.rs", "MAX_NODES"),
                ("agent-builtin/src/web/page/html.rs", "MAX_ATTRIBUTES"),
                ("agent-builtin/src/web/page/html.rs", "MAX_ALL_ATTRIBUTES"),
            ],
        ),
        (
            "| 500 bytes, 16 brackets |",
            &[
                ("agent-builtin/src/web/page/selector.rs", "MAX_LENGTH"),
                ("agent-builtin/src/web/page/selector.rs", "MAX_BRACKETS"),
            ],
        ),
    ];

    /// The value of a constant: a product or a shift of numbers.
    fn value(file: &str, name: &str) -> u64 {
        let source = read(&root().join(file));
        let (_, after) = source
            .split_once(&format!("const {name}: "))
            .unwrap_or_else(|| panic!("{file} has no constant {name}"));
        let (_, after) = after.split_once("= ").expect("a value");
        let (expression, _) = after.split_once(';').expect("the end of the value");
        let number = |text: &str| -> u64 {
            let text = text.trim().replace('_', "");
            text.parse()
                .unwrap_or_else(|_| panic!("{file}: {name}: {text}"))
        };
        match expression.split_once("<<") {
            Some((base, shift)) => number(base) << number(shift),
            None => expression.split('*').map(number).product(),
        }
    }

    /// The numbers of a text, with their units.
    fn numbers(text: &str) -> Vec<u64> {
        let words: Vec<&str> = text
            .split([' ', '|'])
            .filter(|word| !word.is_empty())
            .collect();
        let units = |word: Option<&&str>| match word.map(|word| word.trim_matches(',')) {
            Some("KiB") => 1 << 10,
            Some("MiB") => 1 << 20,
            Some("GiB") => 1 << 30,
            _ => 1,
        };
        let number = |(at, word): (usize, &&str)| {
            let number: u64 = word.trim_matches(',').replace(',', "").parse().ok()?;
            Some(number * units(words.get(at + 1)))
        };
        words.iter().enumerate().filter_map(number).collect()
    }

    #[test]
    fn the_page_states_the_values_of_the_constants() {
        let page = read(&root().join("book/src/reference/limits.md"));
        for (text, constants) in LIMITS {
            assert!(
                page.contains(text),
                "book/src/reference/limits.md does not have {text:?}"
            );
            let stated = numbers(text);
            for (file, name) in *constants {
                let value = value(file, name);
                assert!(
                    stated.contains(&value),
                    "{text:?}: {name} of {file} is {value}"
                );
            }
        }
    }
}
