//! The inner parts of the driver that `agent-runtime` uses. Do not use them elsewhere: they change without notice.

pub use crate::conversation::begins_turn;
pub use crate::conversation::json::{
    Exactness, call_from_json, messages_from_json, messages_to_json,
};
pub use crate::drive::end_cancelled;
pub use crate::drive::event_queue::EventQueue;
pub use crate::drive::host::{CallingTool, Host};
pub use crate::drive::live_run::{Followed, LiveRun, LiveRuns};
pub use crate::drive::recorder::{Recorder, held_elsewhere, not_read, not_stored};
pub use crate::drive::{DriveOptions, RuntimeConfig};
pub use crate::id::random;
pub use crate::model::limits::gate::Gate;
pub use crate::model::limits::reported::Report;
pub use crate::model::reply::REFUSED;
pub use crate::model::request::{RequestPermissions, overhead};
pub use crate::model::request_digests::{RequestDigests, request_to_json, sorted_text};
pub use crate::run::place::Place;
pub use crate::run::record::CallPlaces;
pub use crate::run::record::read::CallResult;
pub use crate::run::summary_step::check_compaction;
pub use crate::run::{
    AgentRun, ContextWindow, HostValues, RunSetup, check_agent, check_input, check_message,
    stated_compaction, stated_output,
};

/// The names of providers in traces.
pub mod trace_name {
    pub use crate::model::trace_name::*;
}

/// The records of runs in a journal.
pub mod record {
    pub use crate::drive::recorded_events::RecordedEvents;
    pub use crate::run::record::*;
}
