//! Nothing: the tests of this package stand beside it.
