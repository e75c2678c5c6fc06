//! Who is told what a session traces.

use super::debug;
use crate::outcome::Trouble;
use crate::style::Style;
use agent_runtime::Environment;

/// What goes on exporting the trace of a session until it is dropped.
#[cfg(feature = "otel")]
pub(crate) type Exports = Option<agent_otel::Otel>;
/// What goes on exporting the trace of a session until it is dropped.
#[cfg(not(feature = "otel"))]
pub(crate) type Exports = Option<std::convert::Infallible>;

/// Has what follows traced as the command line (`debug`) and the environment ask for.
///
/// # Errors
/// When the environment asks for what cannot be done.
pub(crate) fn trace(
    debug: bool,
    environment: &Environment,
    style: &Style,
) -> Result<Exports, Trouble> {
    let mut takers = Vec::new();
    if debug {
        takers.extend(debug::to_stderr(style));
    }
    #[cfg(not(feature = "otel"))]
    let (exports, _) = (None, environment);
    #[cfg(feature = "otel")]
    let exports = super::export::start(environment).map_err(super::trouble_of)?;
    #[cfg(feature = "otel")]
    if let Some(exports) = &exports {
        takers.push(Box::new(exports.layer()));
    }
    debug::trace_to(takers);
    Ok(exports)
}
