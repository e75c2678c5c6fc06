//! The built-in tools for files, on real files in temporary folders: their results, their errors, and that
//! nothing outside of the granted folders is read or written.

mod agreement;
mod gitignore;
mod grants;
mod hostile;
mod huge;
mod list;
mod permissions;
mod races;
mod read;
mod refused_calls;
mod scene;
mod special_files;
mod virtual_files;
mod write;
