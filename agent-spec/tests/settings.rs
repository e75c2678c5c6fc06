//! Tests of all settings of agents: the values of each are read, written and read again, and a wrong value is an error on its
//! token. A new setting with a kind of value that others have needs no line here.

use agent_spec::Agent;
use agent_spec::check::{Options, check};
use agent_spec::vocabulary::{Setting, SettingKind};

/// A value of a kind, and values that are wrong.
fn values(kind: SettingKind) -> (&'static str, &'static [&'static str]) {
    match kind {
        SettingKind::Number(_) => ("0.5", &["\"x\"", "-1.0", "1000.0"]),
        SettingKind::Integer => ("-7", &["\"x\"", "0.5"]),
        SettingKind::Count(most) if most < u32::MAX => ("3", &["\"x\"", "0", "0.5", "4294967295"]),
        SettingKind::Count(_) => ("3", &["\"x\"", "0", "0.5", "4294967296"]),
        SettingKind::Texts => ("[\"message\"]", &["7", "[7]"]),
        SettingKind::Effort => ("\"high\"", &["7", "\"much\""]),
        SettingKind::Cache => ("\"1h\"", &["7", "\"2h\""]),
        SettingKind::CompactAbove => ("60000", &["0", "\"never\""]),
        SettingKind::Choice => ("\"required\"", &["7"]),
        SettingKind::Flag => ("true", &["7", "\"yes\""]),
        SettingKind::Duration => ("10s", &["10", "0s", "\"10s\""]),
        SettingKind::Url => ("\"http://localhost:8080/v1\"", &["7", "\"localhost\""]),
        SettingKind::Models => ("[\"Ollama/a/b\"]", &["7"]),
        SettingKind::WhenTainted => ("\"approve\"", &["7", "\"ask\""]),
        SettingKind::Grants => ("{read: [\"docs\"]}", &["7"]),
        SettingKind::Record => ("{z: {b: 1}}", &["7"]),
    }
}

fn document(settings: &str) -> String {
    format!(
        "[a:Agent {{instruction: \"i\", prompt: \"{{{{message}}}}\", model: \"Offline/any\"{settings}}} | \
         [t:Tool {{description: \"d\"}} | (n::Int)==>(::String)]]"
    )
}

#[test]
fn all_settings_together_are_read_written_and_read_again() {
    let settings: String = Setting::ALL
        .iter()
        .map(|setting| format!(", {}: {}", setting.key(), values(setting.kind()).0))
        .collect();
    let source = document(&settings);
    let agent = Agent::parse(&source, None, Options::default()).expect("an agent");
    let json = agent.to_json();
    assert_eq!(Agent::from_json(&json).as_ref(), Ok(&agent));
    let pattern = agent.to_pattern();
    assert_eq!(
        Agent::from_pattern(pattern.as_pattern()).as_ref(),
        Ok(&agent)
    );
    // In the order in which they are written.
    let properties = &pattern.as_pattern().subject().properties;
    let keys = properties.iter().map(|(key, _)| key.to_string());
    let keys: Vec<String> = keys
        .filter(|key| Setting::from_key(key).is_some())
        .collect();
    let known: Vec<&str> = Setting::ALL.iter().map(|setting| setting.key()).collect();
    assert_eq!(keys, known);
}

#[test]
fn a_wrong_value_is_an_error_on_its_token() {
    for setting in Setting::ALL {
        let (_, wrong) = values(setting.kind());
        for value in wrong {
            let source = document(&format!(", {}: {value}", setting.key()));
            let found = check(&source, Options::default()).diagnostics;
            let [diagnostic] = found.as_slice() else {
                panic!("{}: {value}: {found:?}", setting.key());
            };
            assert_eq!(diagnostic.code().as_str(), "agent::bad-value", "{source}");
            let marked = &source[diagnostic.span().start..diagnostic.span().end];
            assert!(
                value.contains(marked) && !marked.is_empty(),
                "{source}: {marked}"
            );
        }
    }
}
