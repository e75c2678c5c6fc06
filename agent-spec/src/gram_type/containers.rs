//! What holds values of other types.

use super::GramType;
use crate::Nest;
use crate::types::{Constraints, Kind, Shape, Type};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

/// What is written as the value in it. With serde, `Arc` and `Rc` need its feature `rc`.
macro_rules! same {
    ($($ty:ty),+) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: GramType + ?Sized> GramType for $ty {
            const TYPE: &'static Type = T::TYPE;
        }
    )+};
}

same!(&T, Box<T>, Arc<T>, Rc<T>);

#[diagnostic::do_not_recommend]
impl<T: GramType + ToOwned + ?Sized> GramType for Cow<'_, T> {
    const TYPE: &'static Type = T::TYPE;
}

#[diagnostic::do_not_recommend]
impl<T: GramType> GramType for Option<T> {
    const TYPE: &'static Type = &Type::optional_of(T::TYPE);
}

macro_rules! lists {
    ($($ty:ty),+) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: GramType> GramType for $ty {
            const TYPE: &'static Type = &list_of(T::TYPE);
        }
    )+};
}

lists!(
    Vec<T>,
    [T],
    BTreeSet<T>,
    BinaryHeap<T>,
    LinkedList<T>,
    VecDeque<T>
);

#[diagnostic::do_not_recommend]
impl<T: GramType, S> GramType for HashSet<T, S> {
    const TYPE: &'static Type = &list_of(T::TYPE);
}

#[diagnostic::do_not_recommend]
impl<T: GramType, const N: usize> GramType for [T; N] {
    const TYPE: &'static Type = &Type::kept(
        Kind::Array(Nest::from_static(T::TYPE)),
        const { &Constraints::of_items(N as u64) },
    );
}

const fn list_of(element: &'static Type) -> Type {
    Type::new(Kind::Array(Nest::from_static(element)))
}

const fn map_of(value: &'static Type) -> Type {
    Type::new(Kind::Object(Shape::Map(Nest::from_static(value))))
}

#[diagnostic::do_not_recommend]
impl<T: GramType, S> GramType for HashMap<String, T, S> {
    const TYPE: &'static Type = &map_of(T::TYPE);
}

#[diagnostic::do_not_recommend]
impl<T: GramType> GramType for BTreeMap<String, T> {
    const TYPE: &'static Type = &map_of(T::TYPE);
}
