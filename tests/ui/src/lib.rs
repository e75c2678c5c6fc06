//! Nothing: the tests of this package stand beside it. It is a library so that trybuild has
//! something to build them against.
