//! Signing in at servers that are reached by HTTP.

mod authority;
mod flows;
mod hostile;
