//! The models of a runtime, by the names of their providers.

use super::ChatModel;
use super::limits::Gate;
use agent_tool::Error;
use std::fmt::Debug;
use std::sync::Arc;

/// The use of a provider by an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderUse {
    /// The provider of the agent's model, which gets the configured address, key and headers.
    Own,
    /// The provider of a fallback model.
    Fallback,
}

/// Finds the model of a provider by the provider's name. The driver of runs uses this trait, so that it
/// depends on no vendor.
pub trait ModelSource: Debug + Send + Sync + 'static {
    /// Resolves the name of a provider to its model.
    ///
    /// # Errors
    /// Configuration when there is no such provider, or it cannot be used.
    fn resolve(&self, provider: &str, used_as: ProviderUse) -> Result<Arc<dyn ChatModel>, Error>;

    /// Returns the gate of a provider with limits.
    #[doc(hidden)]
    fn gate(&self, provider: &str) -> Option<&Arc<Gate>>;
}
