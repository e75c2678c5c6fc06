//! Values that the host gives tools and hooks, by type.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A value that the host gave the runtime, such as a connection pool, as a parameter of a tool
/// function. The model does not see it.
///
/// `RuntimeBuilder::extension` sets it. Without a value of the type, the call fails with
/// [`ToolError::Execution`](crate::ToolError::Execution), which names the type.
///
/// ```
/// use agent_runtime::{Extension, tool};
///
/// struct Stock(Vec<String>);
///
/// /// Says whether something is in stock
/// #[tool]
/// fn in_stock(stock: Extension<Stock>, item: &str) -> bool {
///     stock.0.iter().any(|name| name == item)
/// }
///
/// assert_eq!(in_stock::SIGNATURE, "(item::Text)==>(::Bool)");
/// ```
pub struct Extension<T>(Arc<T>);

impl<T> Extension<T> {
    /// Wraps a value, for tests that call a tool function themselves.
    #[must_use]
    pub fn new(value: T) -> Self {
        Self(Arc::new(value))
    }

    pub(crate) fn shared(value: Arc<T>) -> Self {
        Self(value)
    }
}

impl<T> Deref for Extension<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Shares the value.
impl<T> Clone for Extension<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: fmt::Debug> fmt::Debug for Extension<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Extension").field(&self.0).finish()
    }
}

/// A map with at most one value of each type. Clones share the values.
#[derive(Clone, Default)]
pub struct Extensions(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl Extensions {
    /// Adds a value. Replaces an earlier value of the same type.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        self.0.insert(TypeId::of::<T>(), Arc::new(value));
    }

    /// Returns these values and the `others`. A value of `others` replaces a value of the same type.
    #[must_use]
    pub fn overlaid(&self, others: Self) -> Self {
        let mut all = self.clone();
        all.0.extend(others.0);
        all
    }

    /// Returns the shared value of a type.
    pub(crate) fn shared<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        Arc::clone(self.0.get(&TypeId::of::<T>())?).downcast().ok()
    }

    /// The value of a type.
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref()
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Extensions({})", self.0.len())
    }
}
