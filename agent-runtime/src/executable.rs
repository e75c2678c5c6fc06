//! Values that can be executed: agents and their patterns.

use agent_spec::{Agent, AgentPattern};
use agent_tool::Error;
use std::borrow::Cow;
use std::sync::Arc;

/// A value that [`Runtime::run`](crate::Runtime::run) accepts: an [`Agent`], which was checked when it was
/// created, or an [`AgentPattern`], which is checked when it is executed.
pub trait Executable: private::Sealed + Sync {
    /// The agent.
    ///
    /// # Errors
    /// Validation when the pattern is not that of an agent.
    fn to_agent(&self) -> Result<Cow<'_, Agent>, Error>;
}

impl Executable for Agent {
    fn to_agent(&self) -> Result<Cow<'_, Agent>, Error> {
        Ok(Cow::Borrowed(self))
    }
}

impl Executable for AgentPattern {
    fn to_agent(&self) -> Result<Cow<'_, Agent>, Error> {
        Ok(Cow::Owned(AgentPattern::to_agent(self)?))
    }
}

impl<A: Executable + ?Sized> Executable for &A {
    fn to_agent(&self) -> Result<Cow<'_, Agent>, Error> {
        (**self).to_agent()
    }
}

/// An agent that tasks share.
impl<A: Executable + Send + ?Sized> Executable for Arc<A> {
    fn to_agent(&self) -> Result<Cow<'_, Agent>, Error> {
        (**self).to_agent()
    }
}

mod private {
    pub trait Sealed {}
    impl<A: Sealed + ?Sized> Sealed for &A {}
    impl<A: Sealed + ?Sized> Sealed for std::sync::Arc<A> {}
    impl Sealed for super::Agent {}
    impl Sealed for super::AgentPattern {}
}
