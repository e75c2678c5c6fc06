//! Tools that come with the crate. The `agent` command offers them to every agent file.

#[cfg(feature = "builtin-calculator")]
mod calculation;
mod clock;
mod hello;
#[cfg(feature = "builtin-web")]
mod web;

#[cfg(feature = "builtin-calculator")]
pub use calculation::{Calculation, CalculationError, calculator};
pub use clock::current_time;
pub use hello::{say_goodbye, say_hello};

use crate::library::ToolLibrary;

/// All built-in tools.
#[must_use]
pub fn library() -> ToolLibrary {
    #[allow(unused_mut, reason = "what is added depends on the features")]
    let mut library = crate::tools![say_hello, say_goodbye, current_time];
    #[cfg(feature = "builtin-calculator")]
    add(&mut library, crate::tools![calculator]);
    library
}

#[cfg(feature = "builtin-calculator")]
fn add(library: &mut ToolLibrary, more: ToolLibrary) {
    library
        .merge(&more)
        .expect("built-in tools have different names");
}
