//! Tools for files, within the folders that were granted.
//!
//! A path of the model's becomes a [`place`]: a granted folder, and a path beneath it. From there on
//! everything is opened through the folder, so that no link leads out of it, whenever it was made.

mod folder_path;
mod gitignore;
mod kind;
mod limits;
mod lines;
mod list;
mod open;
mod read;
mod replace;
mod trouble;
mod walk;
mod write;

pub use limits::{FileLimits, MAX_ENTRIES, MAX_FILE_SIZE};
pub use list::{Entry, EntryType, Listing, list_directory};
pub use read::{FileContent, read_file};
pub use write::{Written, write_file};
