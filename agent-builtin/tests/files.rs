//! The built-in tools for files, on real files in temporary folders: what they do, what they say when
//! they cannot, and that nothing outside of what is granted is read or written.

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
