//! A limit of no time is refused where it is set.

use crate::support::{config, greeter};
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::spec::Settings;
use agent_runtime::tool::{Contract, ToolDescriptor, ToolFuture, ToolSettings};
use agent_runtime::{Error, Runtime, Tool, ToolContext, ToolLibrary};
use std::time::Duration;

const REST: &str = " is 0, which lets nothing be done; it is a length of time above 0, such as `Duration::from_secs(10)`";

/// Builds a runtime with a setting.
fn built(set: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder) -> Result<Runtime, Error> {
    set(Runtime::builder().offline()).build()
}

#[test]
fn a_runtime_rejects_time_limits_of_zero() {
    type Setter = fn(RuntimeBuilder, Duration) -> RuntimeBuilder;
    let setters: [(&str, Setter); 4] = [
        ("tool_timeout", RuntimeBuilder::tool_timeout),
        ("model_timeout", RuntimeBuilder::model_timeout),
        ("idle_timeout", RuntimeBuilder::idle_timeout),
        ("run_timeout", RuntimeBuilder::run_timeout),
    ];
    for (name, set) in setters {
        let error = built(|builder| set(builder, Duration::ZERO)).expect_err(name);
        assert!(error.is_configuration(), "{error:?}");
        assert_eq!(error.to_string(), format!("`{name}`{REST}"));
        for some in [Duration::from_nanos(1), Duration::MAX] {
            built(|builder| set(builder, some)).expect(name);
        }
    }
    let error = built(|builder| builder.max_attempts(0)).expect_err("no attempt");
    assert!(error.is_configuration(), "{error:?}");
    assert!(error.to_string().starts_with("`max_attempts` is 0"));
    // A pause is no limit.
    built(|builder| builder.retry_pause(Duration::ZERO)).expect("no pause");
}

#[test]
fn a_tool_rejects_a_timeout_of_zero() {
    let zero = config("look").timeout(Duration::ZERO);
    let error = zero.build(|_| async { Ok(1.into()) }).expect_err("no time");
    let expected = format!("the timeout of the tool `look`{REST}");
    assert_eq!(error.to_string(), expected);

    /// A tool that is written by hand says of itself what it likes.
    struct Hasty(ToolDescriptor);
    impl Tool for Hasty {
        fn descriptor(&self) -> &ToolDescriptor {
            &self.0
        }
        fn call<'a>(&'a self, _: &'a str, _: &'a ToolContext) -> ToolFuture<'a> {
            Box::pin(async { Ok(1.into()) })
        }
    }
    let signature = crate::support::spec("look").signature().clone();
    let settings = ToolSettings::DEFAULT.with_timeout(Duration::ZERO);
    let contract = Contract::Signature(signature);
    let descriptor =
        ToolDescriptor::new("look".into(), "Does something.".into(), contract, settings);
    let added = ToolLibrary::new().add(Hasty(descriptor)).map(drop);
    let error = added.expect_err("no time");
    assert_eq!(error.to_string(), expected);
}

#[test]
fn an_agent_gives_its_tools_some_time() {
    let mut settings = Settings::NONE;
    settings.tool_timeout = Some(Duration::ZERO);
    let error = greeter().with_settings(settings).expect_err("no time");
    let text = error.to_string();
    assert!(text.contains("a length of time above 0"), "{text}");
}
