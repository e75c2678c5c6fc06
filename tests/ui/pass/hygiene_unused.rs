// A tool that nobody registers gets the warnings that an unused item gets, and none when it is used or public.
#![deny(warnings)]

use agent_runtime::tool;

/// Is for others
#[tool]
pub fn of_a_library(#[tool(minimum = 1, default = 2)] number: u8) -> u8 {
    number
}

/// Is only called as a function
#[tool]
fn called() {}

pub(crate) fn main() {
    called();
}
