//! The routes, asked as a client asks them.

mod bad_input;
mod faults;
mod native;
mod support;
mod ui;
