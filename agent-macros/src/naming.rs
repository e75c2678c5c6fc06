//! Names of Rust that generated code tells apart.

/// The 64-bit FNV-1a hash of a method's name, by which `Method<HASH>` tells the tools of a toolbox
/// apart. Raw identifiers lose their mark.
pub(crate) fn method_hash(name: &str) -> u64 {
    agent_spec::tool_set::name_hash(name.strip_prefix("r#").unwrap_or(name))
}
