//! What anybody would write who has no library: a map of boxed functions.

use super::{Failure, NAME, TEXT};
use bench_shared::time::per_call;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::hint::black_box;
use std::pin::Pin;

#[derive(Deserialize)]
struct Add {
    a: i64,
    b: i64,
}

type Function = Box<dyn Fn(&str) -> Result<Value, Failure> + Send + Sync>;

type Outcome<'a> = Pin<Box<dyn Future<Output = Result<Value, Failure>> + Send + 'a>>;

type AsyncFunction = Box<dyn for<'a> Fn(&'a str) -> Outcome<'a> + Send + Sync>;

fn add(text: &str) -> Result<Value, Failure> {
    let Add { a, b } = serde_json::from_str(text)?;
    Ok(Value::from(a + b))
}

pub(super) async fn plain(calls: u32) -> Result<f64, Failure> {
    let mut functions: HashMap<String, Function> = HashMap::new();
    functions.insert(NAME.to_owned(), Box::new(add));
    per_call(calls, async || {
        let function = functions.get(black_box(NAME)).ok_or("no such function")?;
        black_box(function(black_box(TEXT))?);
        Ok(())
    })
    .await
}

pub(super) async fn boxed(calls: u32) -> Result<f64, Failure> {
    let mut functions: HashMap<String, AsyncFunction> = HashMap::new();
    let function: AsyncFunction = Box::new(|text| Box::pin(async move { add(text) }));
    functions.insert(NAME.to_owned(), function);
    per_call(calls, async || {
        let function = functions.get(black_box(NAME)).ok_or("no such function")?;
        black_box(function(black_box(TEXT)).await?);
        Ok(())
    })
    .await
}
