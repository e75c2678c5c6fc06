//! The tool `writeFile`.

use super::folder_path::{FolderPath, IS_FOLDER, NAMES_FOLDER, open_options_nofollow};
use super::limits::FileLimits;
use super::replace::replace;
use agent_tool::permissions::FileAccess;
use agent_tool::{GramType, ToolContext, ToolError, tool};
use cap_std::fs::{Dir, Metadata};
use serde::Serialize;
use std::ffi::OsStr;
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

/// The result of `writeFile`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, GramType)]
#[serde(rename_all = "camelCase")]
pub struct Written {
    #[serde(default)]
    bytes_written: u64,
}

impl Written {
    /// Returns the number of bytes written.
    #[must_use]
    pub fn bytes_written(self) -> u64 {
        self.bytes_written
    }
}

/// Writes a file. The content replaces the file as a whole, and an existing file keeps its permissions. A
/// link is not followed. With `append` the content is added at the end instead, and a part of it may be
/// left when the disk is full.
///
/// # Errors
/// Execution with `Permission denied: <path>`, when the folder of the file does not exist and
/// `create_parents` is false, when the path is not that of a regular file, or when writing fails.
/// Validation when the content is longer than [`MAX_FILE_SIZE`](super::MAX_FILE_SIZE). Authorization
/// outside of the folders that are granted for writing.
#[tool(destructive, writes, description = "Writes text content to file.")]
pub fn write_file(
    path: &str,
    content: &str,
    #[tool(
        default = false,
        description = "Whether to add the content at the end of the file, and not to replace it"
    )]
    append: bool,
    #[tool(
        default = false,
        description = "Whether to make the folders of the path that are not there"
    )]
    create_parents: bool,
    context: &ToolContext,
) -> Result<Written, ToolError> {
    let max_size = FileLimits::of(context).file_size;
    if content.len() > max_size {
        let length = content.len();
        return Err(ToolError::Validation(format!(
            "`content` has {length} bytes, and the maximum is {max_size}; write the rest with `append`"
        )));
    }
    let path = FolderPath::open(path, FileAccess::Write, context)?;
    let target = Target::open(&path, create_parents)?;
    if append {
        target.append(content)?;
    } else {
        target.replace(content, context)?;
    }
    Ok(Written {
        bytes_written: content.len() as u64,
    })
}

/// The file to write, which may not exist yet.
struct Target<'a> {
    path: &'a FolderPath<'a>,
    /// The folder of the file.
    folder: Dir,
    name: &'a OsStr,
}

impl<'a> Target<'a> {
    /// Opens the folder of a file, and creates it if asked to.
    fn open(path: &'a FolderPath<'a>, create_parents: bool) -> Result<Self, ToolError> {
        if path.names_folder() {
            return Err(path.failure(NAMES_FOLDER));
        }
        let Some(name) = path.path().file_name() else {
            return Err(path.failure(IS_FOLDER));
        };
        let parent = path.path().parent().unwrap_or(Path::new(""));
        let folder = match open_parent(path, parent) {
            Err(error) if error.kind() == ErrorKind::NotFound && create_parents => {
                create_parent(path, parent)?
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(
                    path.failure("its folder does not exist; set `createParents` to create it")
                );
            }
            found => found.map_err(|error| path.io_error(&error))?,
        };
        path.check_not_virtual(&folder)?;
        Ok(Self { path, folder, name })
    }

    fn replace(&self, content: &str, context: &ToolContext) -> Result<(), ToolError> {
        let old = match self.existing()? {
            None => None,
            Some(_) => {
                // Opened for writing, because a process that may not write the file could still replace it.
                let file = self
                    .folder
                    .open_with(self.name, open_options_nofollow().write(true))
                    .map_err(|error| self.path.io_error(&error))?;
                let metadata = file
                    .metadata()
                    .map_err(|error| self.path.io_error(&error))?;
                self.path.check_regular(&metadata)?;
                Some(metadata)
            }
        };
        let is_cancelled = || context.is_cancelled();
        match replace(&self.folder, self.name, content, old.as_ref(), is_cancelled) {
            Ok(true) => Ok(()),
            Ok(false) => Err(ToolError::Timeout),
            Err(error) => Err(self.path.io_error(&error)),
        }
    }

    fn append(&self, content: &str) -> Result<(), ToolError> {
        self.existing()?;
        let mut file = self
            .folder
            .open_with(self.name, open_options_nofollow().append(true).create(true))
            .map_err(|error| self.path.io_error(&error))?;
        // Another file may have replaced the checked file before it was opened.
        let metadata = file
            .metadata()
            .map_err(|error| self.path.io_error(&error))?;
        self.path.check_regular(&metadata)?;
        file.write_all(content.as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(|error| self.path.io_error(&error))
    }

    /// Returns the metadata of the file if it exists, and checks that it is a regular file.
    fn existing(&self) -> Result<Option<Metadata>, ToolError> {
        let metadata = match self.folder.symlink_metadata(self.name) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            found => found.map_err(|error| self.path.io_error(&error))?,
        };
        if metadata.is_symlink() {
            // A link that leads out of the folder is an Authorization error.
            let target = self.path.folder().metadata(self.path.path());
            if let Some(error) = target.err().filter(|error| error.raw_os_error().is_none()) {
                return Err(self.path.io_error(&error));
            }
        }
        self.path.check_regular(&metadata)?;
        Ok(Some(metadata))
    }
}

fn open_parent(path: &FolderPath<'_>, parent: &Path) -> io::Result<Dir> {
    if parent.as_os_str().is_empty() {
        path.folder().try_clone()
    } else {
        path.folder().open_dir(parent)
    }
}

fn create_parent(path: &FolderPath<'_>, parent: &Path) -> Result<Dir, ToolError> {
    // On a virtual file system, even creating a folder can have effects.
    let existing = parent
        .ancestors()
        .find_map(|ancestor| open_parent(path, ancestor).ok());
    if let Some(existing) = existing {
        path.check_not_virtual(&existing)?;
    }
    let created = path.folder().create_dir_all(parent);
    created
        .and_then(|()| open_parent(path, parent))
        .map_err(|error| path.io_error(&error))
}
