//! The links of the pages.

use super::{pages, pages_folder};
use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

/// The lines of a page outside of blocks of code, with their numbers.
fn prose(page: &str) -> impl Iterator<Item = (usize, &str)> {
    // The number of backticks of the open block; 0 outside of blocks.
    let mut fence = 0;
    page.lines().enumerate().filter_map(move |(at, line)| {
        let ticks = line.bytes().take_while(|byte| *byte == b'`').count();
        match (fence, ticks) {
            (0, 3..) => fence = ticks,
            (0, _) => return Some((at + 1, line)),
            (_, _) if ticks >= fence => fence = 0,
            _ => {}
        }
        None
    })
}

/// The targets of the links and pictures in a line.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
}

/// The anchors of the headings of a page, as mdBook makes them.
fn anchors(page: &str) -> HashSet<String> {
    let anchors = prose(page).filter_map(|(_, line)| {
        let id = line.strip_prefix("<a id=\"");
        let id = id
            .and_then(|rest| rest.split('"').next())
            .map(str::to_owned);
        let heading = line
            .strip_prefix('#')
            .map(|rest| anchor(rest.trim_start_matches('#').trim()));
        id.or(heading)
    });
    anchors.collect()
}

/// Letters in lower case, digits, `_` and `-`, with `-` in place of each blank.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter_map(|c| match c {
        c if c.is_alphanumeric() || matches!(c, '_' | '-') => Some(c.to_ascii_lowercase()),
        c if c.is_whitespace() => Some('-'),
        _ => None,
    });
    kept.collect()
}

/// A path without `..` and `.`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}

#[test]
fn links_lead_to_pages_and_headings() {
    let pages = pages();
    let mut problems = Vec::new();
    for (name, text) in &pages {
        for (line, target) in
            prose(text).flat_map(|(at, line)| targets(line).map(move |target| (at, target)))
        {
            if target.starts_with("https://") {
                continue;
            }
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let folder = Path::new(name).parent().expect("a folder");
            let path = match path {
                "" => PathBuf::from(name),
                path => normal(&folder.join(path)),
            };
            let key = path.to_string_lossy().replace('\\', "/");
            let is_there = match pages.get(&key) {
                Some(page) => heading.is_empty() || anchors(page).contains(heading),
                None => heading.is_empty() && pages_folder().join(&path).is_file(),
            };
            if !is_there {
                problems.push(format!("book/src/{name}:{line}: {target}"));
            }
        }
    }
    assert!(
        problems.is_empty(),
        "links that lead nowhere:\n{}",
        problems.join("\n")
    );
}

#[test]
fn the_summary_lists_each_page_once() {
    let pages = pages();
    let summary = &pages["SUMMARY.md"];
    let mut listed: Vec<&str> = summary.lines().flat_map(targets).collect();
    listed.sort_unstable();
    let mut written: Vec<&str> = pages.keys().map(String::as_str).collect();
    written.retain(|name| *name != "SUMMARY.md");
    assert_eq!(listed, written);
}

/// A reader who clicks on a name in the summary expects the page of that name.
#[test]
fn the_summary_names_each_page_by_its_title() {
    let pages = pages();
    let mut listed = 0;
    for line in pages["SUMMARY.md"].lines() {
        let Some((name, link)) = line.split_once("](") else {
            continue;
        };
        let name = name.trim_start_matches(['-', ' ', '[']);
        let page = &pages[link.trim_end_matches(')')];
        assert_eq!(page.lines().next(), Some(format!("# {name}").as_str()));
        listed += 1;
    }
    assert_eq!(listed, pages.len() - 1);
}
