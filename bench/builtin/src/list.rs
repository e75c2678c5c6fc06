//! Listing a folder and all below it.

use crate::scratch::Scratch;
use crate::{Amount, table, tool};
use agent_builtin::{FileLimits, list_directory};
use bench_shared::Failure;
use serde_json::json;
use std::path::Path;
use std::process::{Command, Stdio};

/// Lists once, and prints how many entries there are.
pub(crate) fn drive(folder: &Path) -> Result<(), Failure> {
    let limits = FileLimits::new().max_entries(usize::MAX);
    let context = tool::context(folder)?.with_extension(limits);
    let arguments = json!({"path": folder.display().to_string(), "recursive": true});
    let result = tool::call(&tool::runtime()?, &list_directory {}, &arguments, &context)?;
    println!("{}", result["entries"].as_array().map_or(0, Vec::len));
    Ok(())
}

pub(crate) fn measure(amount: &Amount) -> Result<(), Failure> {
    let scratch = Scratch::new()?;
    let count = plant(scratch.path(), amount.folders)?;
    let ours = std::env::current_exe()?;
    let title = format!("listing {count} entries");
    table::measure(
        &title,
        amount.rounds,
        vec![
            (
                "`find -printf '%p %y %s\\n'`",
                Box::new(|| {
                    let mut find = Command::new("find");
                    find.arg(scratch.path())
                        .args(["-mindepth", "1", "-printf", "%p %y %s\n"]);
                    let status = find.stdout(Stdio::null()).status()?;
                    if !status.success() {
                        return Err("find failed".into());
                    }
                    Ok(())
                }),
            ),
            (
                "`listDirectory`, called in a process of its own",
                Box::new(|| {
                    let output = Command::new(&ours)
                        .arg("list")
                        .arg(scratch.path())
                        .output()?;
                    let found = String::from_utf8(output.stdout)?;
                    if found.trim() != count.to_string() {
                        return Err(format!("{found} entries, and not {count}").into());
                    }
                    Ok(())
                }),
            ),
        ],
    )
}

/// Makes so many folders with 99 files each, ten in a folder, and says how many entries that are.
fn plant(root: &Path, folders: usize) -> std::io::Result<usize> {
    const FILES: usize = 99;
    const TOGETHER: usize = 10;
    let mut outer = 0;
    for number in 0..folders {
        let above = root.join(format!("group-{:03}", number / TOGETHER));
        let folder = above.join(format!("folder-{:02}", number % TOGETHER));
        outer += usize::from(number % TOGETHER == 0);
        std::fs::create_dir_all(&folder)?;
        for file in 0..FILES {
            std::fs::write(folder.join(format!("file-{file:02}.txt")), "text")?;
        }
    }
    Ok(outer + folders * (1 + FILES))
}
