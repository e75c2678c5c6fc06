//! `writeFile`.

use super::folder_path::Place;
use super::kind::is_made_up;
use super::limits::FileLimits;
use super::open::options_without_links;
use super::replace::replace;
use super::trouble::{IS_FOLDER, SAYS_FOLDER};
use agent_runtime::ToolContext;
use agent_runtime::ToolError;
use agent_runtime::permissions::FileAccess;
use agent_runtime::{GramType, tool};
use cap_std::fs::{Dir, Metadata};
use serde::Serialize;
use std::ffi::OsStr;
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

/// What `writeFile` gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, GramType)]
#[serde(rename_all = "camelCase")]
pub struct Written {
    #[serde(default)]
    bytes_written: u64,
}

impl Written {
    /// How many bytes were written.
    #[must_use]
    pub fn bytes_written(self) -> u64 {
        self.bytes_written
    }
}

/// Writes a file: the new content comes to its place as a whole, and a file that was there keeps its
/// permissions. Links are not written through. With `append` the content is added at the end, and not
/// as a whole, should the disk be full.
///
/// # Errors
/// Execution with `Permission denied: <path>`, or when its folder is not there and `create_parents`
/// does not say to make it, when something other than a file is there, or the system says no.
/// Validation when the content is larger than [`MAX_FILE_SIZE`](super::MAX_FILE_SIZE). Authorization
/// outside of the folders that are granted for writing.
#[tool(destructive, description = "Writes text content to file.")]
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
    let bound = FileLimits::of(context).file_size;
    if content.len() > bound {
        let length = content.len();
        return Err(ToolError::Validation(format!(
            "`content` is {length} bytes long, and at most {bound} are written at once; write the rest \
             with `append`"
        )));
    }
    let place = Place::find(path, FileAccess::Write, context)?;
    let (folder, name) = place.parent(create_parents)?;
    let target = Target {
        place: &place,
        folder,
        name,
    };
    if append {
        target.append(content)?;
    } else {
        target.replace(content, context)?;
    }
    Ok(Written {
        bytes_written: content.len() as u64,
    })
}

impl Place<'_> {
    /// The folder of a file that is to be written, and its name there.
    fn parent(&self, create: bool) -> Result<(Dir, &OsStr), ToolError> {
        if self.says_folder() {
            return Err(self.impossible(SAYS_FOLDER));
        }
        let Some(name) = self.inner().file_name() else {
            return Err(self.impossible(IS_FOLDER));
        };
        let parent = self.inner().parent().unwrap_or(Path::new(""));
        let folder = match self.open_parent(parent) {
            Err(error) if error.kind() == ErrorKind::NotFound && create => {
                self.create_parents(parent)?
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(self
                    .impossible("its folder is not there; with `createParents` it would be made"));
            }
            found => found.map_err(|error| self.failed(&error))?,
        };
        self.refuse_made_up(is_made_up(&folder))?;
        Ok((folder, name))
    }

    fn open_parent(&self, parent: &Path) -> io::Result<Dir> {
        if parent.as_os_str().is_empty() {
            self.folder.try_clone()
        } else {
            self.folder.open_dir(parent)
        }
    }

    fn create_parents(&self, parent: &Path) -> Result<Dir, ToolError> {
        let failed = |error: io::Error| self.failed(&error);
        // Where the system makes up files, making a folder can already do something.
        let around = parent
            .ancestors()
            .find_map(|path| self.open_parent(path).ok());
        if let Some(around) = around {
            self.refuse_made_up(is_made_up(&around))?;
        }
        self.folder.create_dir_all(parent).map_err(failed)?;
        self.open_parent(parent).map_err(failed)
    }
}

/// A file to be written, whether or not it is there.
struct Target<'a> {
    place: &'a Place<'a>,
    folder: Dir,
    name: &'a OsStr,
}

impl Target<'_> {
    fn replace(&self, content: &str, context: &ToolContext) -> Result<(), ToolError> {
        let permissions = match self.look()? {
            None => None,
            Some(_) => {
                // Who may not write the file may still replace it, so it is opened as if to write.
                let file = self
                    .folder
                    .open_with(self.name, options_without_links().write(true))
                    .map_err(|error| self.failed(&error))?;
                let metadata = file.metadata().map_err(|error| self.failed(&error))?;
                self.place.refuse_special(&metadata)?;
                Some(metadata.permissions())
            }
        };
        let is_stopped = || context.is_cancelled();
        let replaced = replace(&self.folder, self.name, content, permissions, is_stopped);
        match replaced {
            Ok(true) => Ok(()),
            Ok(false) => Err(ToolError::Timeout),
            Err(error) => Err(self.failed(&error)),
        }
    }

    fn append(&self, content: &str) -> Result<(), ToolError> {
        self.look()?;
        let mut file = self
            .folder
            .open_with(self.name, options_without_links().append(true).create(true))
            .map_err(|error| self.failed(&error))?;
        // Something else may have come to its place since it was looked at.
        let metadata = file.metadata().map_err(|error| self.failed(&error))?;
        self.place.refuse_special(&metadata)?;
        file.write_all(content.as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(|error| self.failed(&error))
    }

    /// What is there now: nothing, or a regular file.
    fn look(&self) -> Result<Option<Metadata>, ToolError> {
        let metadata = match self.folder.symlink_metadata(self.name) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            found => found.map_err(|error| self.failed(&error))?,
        };
        if metadata.is_symlink() {
            // One that leads out is refused for that.
            let led = self.place.folder.metadata(self.place.inner());
            if let Some(error) = led.err().filter(|error| error.raw_os_error().is_none()) {
                return Err(self.failed(&error));
            }
        }
        self.place.refuse_special(&metadata)?;
        Ok(Some(metadata))
    }

    fn failed(&self, error: &io::Error) -> ToolError {
        self.place.failed(error)
    }
}
