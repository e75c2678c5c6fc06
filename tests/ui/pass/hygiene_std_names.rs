// Types and functions of the user's that are named as those of the standard library.
#![allow(dead_code, non_camel_case_types, non_snake_case)]

use agent_runtime::{Tool, ToolContext, tool};
use std::io::Result;

type Option = ();
struct Some;
struct None;
fn Ok() {}
fn Err() {}
type String = std::string::String;
struct Vec;
struct Box;
struct Cow;
struct Duration;
struct str;
struct u8;
struct usize;
struct Send;
struct Value;
trait Sync {}
trait Fn {}
mod std_names {}
mod core {}
mod alloc {}

/// Uses an alias of a Result from elsewhere
#[tool(timeout = "5s")]
async fn read(#[tool(default = "a")] name: String, maybe: ::std::option::Option<i64>) -> Result<String> {
    let _ = maybe;
    ::std::result::Result::Ok(name)
}

#[tokio::main]
pub(crate) async fn main() {
    let context = ToolContext::detached();
    let read = read {}.call("{}", &context).await;
    assert_eq!(read, ::std::result::Result::Ok("a".into()));
}
