//! Tests of the whole product. They are one program, because most of what a small one costs is linking;
//! only `soak` is a program of its own, because it counts the open files and the memory of its process.

mod documents;
mod faults;
mod new_tools;
mod official_grammar;
mod scenario;
mod vendors;
mod wire;
