//! Journals: runs that are recorded, and recovered after a crash.

mod configuration;
mod crashes;
mod dropped;
mod followed;
mod in_doubt;
mod kinds_of_runs;
mod pause_keys;
mod recorded;
mod scenarios;
mod secrets;
mod stored;

use scenarios::Crashing;
