//! Agents, tools and type signatures: what a gram document declares, checked.
pub mod agent;
pub mod binding;
pub mod gram_type;
pub mod model;
pub mod names;
pub mod nest;
pub mod signature;
pub mod tool;
pub mod types;
pub mod write;

pub use agent::{Agent, Settings};
pub use gram_type::GramType;
pub use model::Model;
pub use signature::{Returns, Signature};
pub use tool::{Contract, ToolDescriptor, ToolSettings, ToolSpec};
pub use types::{Constraints, Field, Kind, Param, Shape, Type};
