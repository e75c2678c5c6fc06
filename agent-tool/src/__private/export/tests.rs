use super::{Claims, Mode, export_gram, stale, stays_inside, unified};
use std::ffi::OsStr;
use std::panic::{Location, catch_unwind};
use std::path::{Path, PathBuf};

/// A folder of this test's own, which goes with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("export-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder can be made");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_variables_choose_what_is_done() {
    let mode =
        |mode: Option<&str>, ci: Option<&str>| Mode::of(mode.map(OsStr::new), ci.map(OsStr::new));
    for ci in [None, Some(""), Some("0"), Some("false"), Some("FALSE")] {
        assert_eq!(mode(None, ci), Ok(Mode::Write), "{ci:?}");
    }
    for ci in ["1", "true", "github"] {
        assert_eq!(mode(None, Some(ci)), Ok(Mode::Check), "{ci}");
        assert_eq!(mode(Some("write"), Some(ci)), Ok(Mode::Write), "{ci}");
    }
    assert_eq!(mode(Some("check"), None), Ok(Mode::Check));
    let error = mode(Some("chekc"), None).expect_err("it is neither");
    assert!(error.contains("`chekc`") && error.contains("`check`") && error.contains("`write`"));
}

#[test]
fn folders_outside_of_the_package_are_refused() {
    for folder in ["gram", "docs/gram", "./gram", "a..b"] {
        assert!(stays_inside(folder), "{folder}");
    }
    for folder in ["../x", "/etc", "gram/../../x"] {
        assert!(!stays_inside(folder), "{folder}");
    }
}

#[test]
fn a_file_is_written_with_its_folder_and_only_when_it_differs() {
    let folder = Folder::new("write");
    let path = folder.0.join("deep/a.gram");
    Mode::Write
        .apply(&path, "deep/a.gram", "one\n")
        .expect("it is written");
    assert_eq!(
        std::fs::read_to_string(&path).expect("it is there"),
        "one\n"
    );
    let written = |path| {
        std::fs::metadata(path)
            .and_then(|data| data.modified())
            .expect("it is there")
    };
    let before = written(&path);
    std::thread::sleep(std::time::Duration::from_millis(20));
    Mode::Write
        .apply(&path, "deep/a.gram", "one\n")
        .expect("nothing to do");
    assert_eq!(written(&path), before);
    Mode::Write
        .apply(&path, "deep/a.gram", "two\n")
        .expect("it is written");
    assert_eq!(
        std::fs::read_to_string(&path).expect("it is there"),
        "two\n"
    );
    let beside = std::fs::read_dir(folder.0.join("deep"))
        .expect("it is there")
        .count();
    assert_eq!(beside, 1, "nothing else is left");
}

#[test]
fn checking_writes_nothing_and_shows_what_differs() {
    let folder = Folder::new("check");
    let path = folder.0.join("a.gram");
    let missing = Mode::Check
        .apply(&path, "gram/a.gram", "one\n")
        .expect_err("it is missing");
    assert!(
        missing.starts_with("`gram/a.gram` is missing; to write it: AGENT_GRAM=write cargo test")
    );
    assert!(!path.exists());
    std::fs::write(&path, "one\ntwo\n").expect("it can be written");
    let error = Mode::Check
        .apply(&path, "gram/a.gram", "one\n2\n")
        .expect_err("it differs");
    assert!(error.contains(" one\n-two\n+2\n"), "{error}");
    assert_eq!(
        std::fs::read_to_string(&path).expect("it is there"),
        "one\ntwo\n"
    );
    std::fs::write(&path, "one\r\n2\r\n").expect("it can be written");
    Mode::Check
        .apply(&path, "gram/a.gram", "one\n2\n")
        .expect("only the line ends differ");
}

#[test]
fn reports_a_file_that_cannot_be_read_or_written() {
    let folder = Folder::new("bad");
    let file = folder.0.join("file");
    std::fs::write(&file, "").expect("it can be written");
    for mode in [Mode::Check, Mode::Write] {
        let error = mode
            .apply(&file.join("a.gram"), "file/a.gram", "x")
            .expect_err("no folder");
        assert!(error.contains("`file/a.gram`"), "{error}");
    }
}

#[test]
fn a_diff_has_the_lines_around_a_change() {
    let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let new = "1\n2\n3\n4\nfive\nand more\n6\n7\n8\n9\n";
    assert_eq!(
        unified("a", old, new),
        "--- a\n+++ a (as the code says it)\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+and more\n 6\n 7\n 8\n"
    );
    assert_eq!(
        unified("a", "", "x\n"),
        "--- a\n+++ a (as the code says it)\n@@ -0,0 +1,1 @@\n+x\n"
    );
    assert!(unified("a", "x", "x\n").ends_with("\n-x\n\\ No newline at end of file\n+x\n"));
    assert!(stale("a", None, "x\n").ends_with("+x\n"));
}

#[test]
fn a_file_that_two_exports_write_is_said_to_be() {
    let mut claims = Claims::new();
    let mut claim =
        |path: &str, text: &str, place| claims.claim(Path::new(path), path, text, place);
    let (first, second) = (Location::caller(), Location::caller());
    assert_eq!(claim("gram/a.gram", "one", second), Ok(()));
    assert_eq!(claim("gram/b.gram", "two", first), Ok(()), "another file");
    assert_eq!(
        claim("./gram/a.gram", "one", first),
        Ok(()),
        "the same text"
    );
    let error = claim("gram/./a.gram", "two", first).expect_err("another text");
    assert_eq!(
        error,
        format!(
            "two exports write `gram/./a.gram` and would overwrite each other: the one at {first} \
             and the one at {second}; set another name or another folder for one of them"
        )
    );
}

#[test]
fn an_export_does_not_overwrite_that_of_another() {
    let folder = Folder::new("twice");
    let package = folder.0.to_str().expect("the path is text").to_owned();
    let package = package.as_str();
    // Where `CI` is set, the first fails, since there is no file, and the second for its own reason.
    let _ = catch_unwind(|| export_gram(package, "gram", "a", "one"));
    let second = catch_unwind(|| export_gram(package, "gram", "a", "two"));
    let message = second.expect_err("it would overwrite the first");
    let message = message.downcast_ref::<String>().expect("it is a text");
    assert!(
        message.starts_with("two exports write `gram/a.gram`"),
        "{message}"
    );
    assert_eq!(message.matches("export/tests.rs").count(), 2, "{message}");
    let file = std::fs::read_to_string(folder.0.join("gram/a.gram")).unwrap_or_default();
    assert_ne!(file, "two\n");
}

mod projects {
    use super::Folder;
    use crate::__private::export::{Mode, in_project_style};

    const LIST: &str = r#"[find:Tool { description: "Finds." } |
  (user::Object { fields: [{ name: "name", type: "Text" }] })==>(::String)
]
"#;

    #[test]
    fn a_file_has_the_style_of_the_project() {
        let folder = Folder::new("style");
        let styled = |settings: &str| {
            std::fs::write(folder.0.join("agent.gram"), settings).expect("it is written");
            in_project_style(&folder.0, "gram", LIST)
        };
        let portable = styled("{style: \"portable\"}").expect("a text");
        assert!(portable.contains("fields: {name: \"Text\"}"), "{portable}");
        // `agent fmt` does not change the file, in this style.
        let again = agent_spec::restyle(&portable, agent_spec::Style::Portable);
        let again = agent_gram::format_source(&again.expect("gram").text);
        assert_eq!(again.as_ref(), Ok(&portable));
        // The check finds the file that was written.
        let path = folder.0.join("gram/find.gram");
        Mode::Write
            .apply(&path, "gram/find.gram", &portable)
            .expect("it is written");
        let expected = styled("{style: \"portable\"}").expect("a text");
        assert_eq!(
            Mode::Check.apply(&path, "gram/find.gram", &expected),
            Ok(())
        );
        // Without a style, the text stays as it is.
        assert_eq!(styled("{providers: [\"Acme\"]}").as_deref(), Ok(LIST));
    }

    #[test]
    fn mistakes_of_the_project_file_are_reported() {
        let folder = Folder::new("mistakes");
        let path = folder.0.join("agent.gram");
        std::fs::write(&path, "{styl: \"portable\"}").expect("it is written");
        let error = in_project_style(&folder.0, "gram", LIST).expect_err("a misspelt key");
        assert!(
            error.contains("agent.gram") && error.contains("`style`"),
            "{error}"
        );
        std::fs::remove_file(&path).expect("it is there");
        std::fs::create_dir(&path).expect("a directory can be made");
        let error = in_project_style(&folder.0, "gram", LIST).expect_err("a directory");
        assert!(error.contains("it is a directory"), "{error}");
    }
}
