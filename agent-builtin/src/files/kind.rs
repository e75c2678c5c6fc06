//! What is neither a file nor a folder, and what only looks like one.

use super::trouble::IS_FOLDER;
#[cfg(unix)]
use cap_std::fs::FileTypeExt as _;
use cap_std::fs::{FileType, Metadata};

/// Why something is not read or written: nothing, if it is a regular file.
pub(super) fn not_a_file(metadata: &Metadata) -> Option<&'static str> {
    let kind = metadata.file_type();
    if kind.is_file() {
        None
    } else if kind.is_dir() {
        Some(IS_FOLDER)
    } else if kind.is_symlink() {
        Some("it is a link; name the file that it leads to")
    } else {
        Some(special(kind))
    }
}

#[cfg(unix)]
fn special(kind: FileType) -> &'static str {
    if kind.is_fifo() {
        "it is a pipe and no regular file"
    } else if kind.is_socket() {
        "it is a socket and no regular file"
    } else if kind.is_block_device() || kind.is_char_device() {
        "it is a device and no regular file"
    } else {
        "it is no regular file"
    }
}

#[cfg(not(unix))]
fn special(_: FileType) -> &'static str {
    "it is no regular file"
}

/// Why nothing is read or written on the file system of what was opened.
pub(super) const MADE_UP: &str = "the system makes up what stands there, as in /proc";

/// Whether the system makes up the files there: reading one may tell secrets of other processes, or
/// never end, and writing one does anything at all.
#[cfg(target_os = "linux")]
pub(super) fn is_made_up(opened: &impl std::os::fd::AsFd) -> std::io::Result<bool> {
    // The numbers are those of Linux's `include/uapi/linux/magic.h`.
    const MADE_UP: [u32; 20] = [
        0x9fa0,      // proc
        0x6265_6572, // sysfs
        0x6462_6720, // debugfs
        0x7472_6163, // tracefs
        0x7363_6673, // securityfs
        0x6265_6570, // configfs
        0x27_e0eb,   // cgroup
        0x6367_7270, // cgroup2
        0xcafe_4a11, // bpf
        0x1cd1,      // devpts
        0xde5e_81e4, // efivarfs
        0x6165_676c, // pstore
        0xf97c_ff8c, // selinux
        0x4341_5d53, // smack
        0x4249_4e4d, // binfmt_misc
        0x6e73_6673, // namespaces
        0x5049_5045, // pipes
        0x534f_434b, // sockets
        0x1980_0202, // message queues
        0x6573_5543, // control of fuse
    ];
    let found = rustix::fs::fstatfs(opened)?.f_type;
    // Its type is another on some processors, where the upper half says nothing.
    Ok(MADE_UP.contains(&(found as u32)))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn is_made_up<T>(_: &T) -> std::io::Result<bool> {
    Ok(false)
}
