//! Values by type, for tools.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A value that the host gave the runtime, such as a connection pool, as a parameter of a tool
/// function. The model knows nothing of it.
///
/// [`RuntimeBuilder::extension`](crate::runtime::RuntimeBuilder::extension) gives it. A call that finds none
/// of the type fails with [`ToolError::Execution`](crate::ToolError::Execution), which names it.
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
    /// A value as a tool function takes it, for tests that call the function itself.
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

/// At most one value of each type. Clones share the values.
#[derive(Clone, Default)]
pub(crate) struct Extensions(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl Extensions {
    pub(crate) fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        self.0.insert(TypeId::of::<T>(), Arc::new(value));
    }

    /// These values, replaced by others of the same types.
    pub(crate) fn overlaid(&self, others: Self) -> Self {
        let mut all = self.clone();
        all.0.extend(others.0);
        all
    }

    /// The value of a type, shared.
    pub(crate) fn shared<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        Arc::clone(self.0.get(&TypeId::of::<T>())?).downcast().ok()
    }

    pub(crate) fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref()
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Extensions({})", self.0.len())
    }
}
