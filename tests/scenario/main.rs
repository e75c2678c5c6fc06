//! The whole product at work.

mod hello_world;
