//! The owners of runs, each with a token.

use crate::listen::token;
use crate::outcome::CommandError;
use agent_runtime::Environment;
use agent_runtime::media::Sha256;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use std::hint::black_box;

/// The owner of all runs if no token is required.
const LOCAL: &str = "local";

/// The owners; empty if no token is required.
pub(super) struct Owners(Vec<Owner>);

struct Owner {
    /// The name of the variable with the token, in lower case.
    name: String,
    /// The digest of the token.
    digest: String,
}

fn digest(token: &str) -> String {
    Sha256::of(token.as_bytes()).to_string()
}

impl Owners {
    /// Reads the tokens in variables of the environment.
    ///
    /// # Errors
    /// Returns an error if a variable is not set, or if two variables have the same owner or the same token.
    pub(super) fn read(
        variables: &[String],
        environment: &Environment,
    ) -> Result<Self, CommandError> {
        let mut owners: Vec<Owner> = Vec::new();
        for variable in variables {
            let owner = Owner {
                name: variable.to_lowercase(),
                digest: digest(&token(variable, environment)?),
            };
            for other in &owners {
                let (name, other_name) = (&owner.name, &other.name);
                if name == other_name {
                    return Err(CommandError::new(format!(
                        "`--token-env` names the owner `{name}` twice; leave one of them out, or rename its variable"
                    )));
                }
                if owner.digest == other.digest {
                    return Err(CommandError::new(format!(
                        "the owners `{other_name}` and `{name}` have the same token, so that nobody knows whose a \
                         request is; give each owner a token of their own"
                    )));
                }
            }
            owners.push(owner);
        }
        Ok(Self(owners))
    }

    /// Returns the id of the owner with a name, in any case.
    ///
    /// # Errors
    /// Returns an error that names the known owners, if no owner has this name.
    pub(super) fn named(&self, name: &str) -> Result<String, CommandError> {
        let id = name.to_lowercase();
        let known: Vec<&str> = match self.0.as_slice() {
            [] => vec![LOCAL],
            owners => owners.iter().map(|owner| owner.name.as_str()).collect(),
        };
        match known.contains(&id.as_str()) {
            true => Ok(id),
            false => Err(CommandError::new(format!(
                "`--may-decide` names `{name}`, and the owners are {}; each is the name of a variable of --token-env",
                known.join(", ")
            ))),
        }
    }

    /// Finds the owner of a request by its token.
    pub(super) fn find(&self, headers: &HeaderMap) -> Result<String, &'static str> {
        if self.0.is_empty() {
            return Ok(LOCAL.to_owned());
        }
        let mut values = headers.get_all(header::AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return Err("send a token in one header `Authorization: Bearer …`");
        };
        let given = value.to_str().ok().and_then(|text| text.split_once(' '));
        let Some((_, given)) = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        else {
            return Err("the header `Authorization` must be `Bearer` and a token");
        };
        let given = digest(given.trim());
        let mut found = None;
        // All digests are compared, each to its end, so that the time reveals nothing about the tokens.
        for owner in &self.0 {
            let pairs = given.bytes().zip(owner.digest.bytes());
            let differing = pairs.fold(0, |differing, (one, other)| differing | (one ^ other));
            if black_box(differing) == 0 {
                found = Some(owner);
            }
        }
        let found = found.map(|owner| owner.name.clone());
        found.ok_or("the token is not one of this server")
    }
}

/// Adds the header `WWW-Authenticate: Bearer` to an answer with status 401, as HTTP requires.
pub(super) async fn ask_for_token(mut answer: Response) -> Response {
    if answer.status() == StatusCode::UNAUTHORIZED {
        let bearer = HeaderValue::from_static("Bearer");
        answer
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, bearer);
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_found_by_the_bearer_token_alone() {
        let environment = Environment::from_pairs([("ADA", "one"), ("Bob", " two ")]);
        let variables = ["ADA".to_owned(), "Bob".to_owned()];
        let owners = Owners::read(&variables, &environment).expect("owners");
        for (values, expected) in [
            (&["Bearer one"][..], Some("ada")),
            (&["bearer two"], Some("bob")),
            (&["Bearer on"], None),
            (&["Bearer onetwo"], None),
            (&["Bearer "], None),
            (&["Bearer"], None),
            (&["Basic one"], None),
            (&["one"], None),
            (&["Bearer one", "Bearer two"], None),
            (&[], None),
        ] {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::AUTHORIZATION, HeaderValue::from_static(value));
            }
            let found = owners.find(&headers).ok();
            assert_eq!(found.as_deref(), expected, "{values:?}");
        }
        let nobody = Owners::read(&[], &environment).expect("owners");
        assert_eq!(nobody.find(&HeaderMap::new()).as_deref(), Ok(LOCAL));
    }
}
