//! Keys that stand in variables.

use super::secret::Secret;
use crate::env::Environment;
use crate::error::Error;
use reqwest::header::HeaderValue;

/// The secret that a variable holds, if it is set.
///
/// # Errors
/// Configuration, naming the variable, when no header can hold the value.
pub(crate) fn secret_variable(
    environment: &Environment,
    name: &str,
) -> Result<Option<Secret>, Error> {
    let Some(value) = environment.read(name)? else {
        return Ok(None);
    };
    if HeaderValue::from_str(&value).is_err() {
        return Err(Error::configuration(format!(
            "the variable `{name}` holds characters that a header cannot, such as a line end in its \
             middle; set it anew"
        )));
    }
    Ok(Some(Secret::new(value)))
}
