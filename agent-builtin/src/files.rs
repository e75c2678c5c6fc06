//! The tools for files, which access only granted folders.
//!
//! [`FolderPath`](folder_path::FolderPath) opens the granted folder, and every file through it, so that no
//! link leads out of it, whenever the link is created.

mod folder_path;
mod gitignore;
mod limits;
mod lines;
mod list;
mod read;
mod replace;
mod under_way;
mod write;

pub use limits::{FileLimits, MAX_ENTRIES, MAX_FILE_SIZE};
pub use list::{Entry, EntryType, Listing, list_directory};
pub use read::{FileContent, read_file};
pub use write::{Written, write_file};
