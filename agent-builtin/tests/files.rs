//! The built-in tools for files, on real files in temporary folders: their results, their errors, and that
//! nothing outside of the granted folders is read or written.

mod agreement;
mod attempt;
mod gitignore;
mod grants;
mod hostile;
mod huge;
mod list;
mod made_up;
mod permissions;
mod races;
mod read;
mod scene;
mod special;
mod write;
