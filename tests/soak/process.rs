//! The limits and the usage of a process.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the number of files that may be open as far as it goes, and gives it.
pub(crate) fn file_limit() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    // Whoever may not raise it has what there is.
    let _ = setrlimit(Resource::Nofile, raised);
    let now = getrlimit(Resource::Nofile).current;
    now.map_or(usize::MAX, |files| {
        usize::try_from(files).unwrap_or(usize::MAX)
    })
}

/// The number of open files; `None` when the system does not report it.
pub(crate) fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

/// The memory of the process, in KB; none where the system does not say.
pub(crate) fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let words = line.and_then(|line| line.split_whitespace().next());
    words.and_then(|word| word.parse().ok()).unwrap_or(0)
}
