//! Holds only tests.
