//! Project files: their settings, their mistakes, and where they are found.

use agent_spec::project_file::{Project, find, is_project};
use agent_spec::{Code, Style};
use std::path::PathBuf;

/// A folder of a test, which is removed when the value is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("agent-spec-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(path.join("a/b")).expect("folders can be made");
        Self(path.canonicalize().expect("it is there"))
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), content).expect("a file can be written");
    }

    /// The name and the text of the project file of the innermost folder.
    fn found(&self) -> Option<(String, String)> {
        let found = find(&self.0.join("a/b")).expect("nothing is unreadable");
        let (path, text) = found?;
        let name = path.strip_prefix(&self.0).ok()?.display().to_string();
        Some((name.replace('\\', "/"), text))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn reads_all_settings() {
    let source = "// names for checks\n{tools: [\"gram/*.gram\", \"more.gram\"], style: \"portable\", \
                  providers: [\"Acme\", \"Zenith\"], models: [\"models.gram\"]}\n";
    let project = Project::parse(source).expect("no mistake");
    let tools: Vec<&str> = project
        .tools
        .iter()
        .map(|tool| tool.text.as_str())
        .collect();
    assert_eq!(tools, ["gram/*.gram", "more.gram"]);
    assert_eq!(project.tools[0].span.text(source), "\"gram/*.gram\"");
    assert_eq!(project.style, Some(Style::Portable));
    assert_eq!(project.providers, ["Acme", "Zenith"]);
    assert_eq!(project.models[0].text, "models.gram");
    // A text counts as a list of one, and no setting is required.
    let project = Project::parse("{tools: \"a.gram\", providers: \"Acme\"}").expect("no mistake");
    assert_eq!((project.tools.len(), project.providers.len()), (1, 1));
    assert_eq!(Project::parse("{}"), Ok(Project::default()));
}

#[test]
fn reports_the_mistakes_of_a_project_file() {
    for (source, code, message, help) in [
        (
            "{tool: []}",
            Code::UnknownProperty,
            "`tool` is not a property of a project file",
            "did you mean `tools`?",
        ),
        (
            "{baseUrl: \"https://a.example\"}",
            Code::UnknownProperty,
            "`baseUrl`",
            "known here: tools, style, providers, models",
        ),
        (
            "{style: \"portabel\"}",
            Code::BadValue,
            "\"portabel\" is not a style",
            "did you mean \"portable\"?",
        ),
        (
            "{style: portable}",
            Code::BadValue,
            "bare symbol",
            "quote it",
        ),
        ("{tools: [1]}", Code::BadValue, "`tools` must be text", ""),
        (
            "{tools: [\"../x.gram\"]}",
            Code::BadValue,
            "leads out of the folder",
            "`--tools`",
        ),
        (
            "{models: [\"../x.gram\"]}",
            Code::BadValue,
            "the path \"../x.gram\" in `models` leads out of the folder",
            "`--models`",
        ),
        (
            "{tools: [\"/etc/x.gram\"]}",
            Code::BadValue,
            "is an absolute path",
            "below the folder",
        ),
        (
            "{tools: [\"C:/x.gram\"]}",
            Code::BadValue,
            "is an absolute path",
            "",
        ),
        (
            "{tools: [\"a\\\\b.gram\"]}",
            Code::BadValue,
            "write `/`",
            "",
        ),
        ("{tools: [\"\"]}", Code::BadValue, "is empty", ""),
        (
            "{tools: [\"a//b.gram\"]}",
            Code::BadValue,
            "a folder without a name",
            "",
        ),
        (
            "{providers: [\"Acme=https://a.example\"]}",
            Code::BadValue,
            "no address",
            "--provider NAME=URL",
        ),
        (
            "{providers: [\"openai\"]}",
            Code::BadValue,
            "too similar",
            "`OpenAI`",
        ),
        (
            "{providers: [\"a/b\"]}",
            Code::BadValue,
            "is not the name of a provider",
            "\"Acme\"",
        ),
        (
            "{style: \"list\", style: \"list\"}",
            Code::DuplicateKey,
            "`style` is given twice",
            "",
        ),
        (
            "",
            Code::BadProjectFile,
            "has no settings",
            "write a record",
        ),
        (
            "{style: \"list\"} (a)",
            Code::BadProjectFile,
            "belongs into a document",
            "`tools`",
        ),
        ("{style: \"list\"", Code::GramUnclosed, "", ""),
    ] {
        let found = Project::parse(source).expect_err(source);
        let found: Vec<_> = found.iter().collect();
        assert_eq!(found.len(), 1, "{source}: {found:?}");
        assert_eq!(found[0].code(), code, "{source}");
        assert!(found[0].message().contains(message), "{source}: {found:?}");
        assert!(
            found[0].help().unwrap_or_default().contains(help),
            "{source}: {found:?}"
        );
    }
}

#[test]
fn tells_a_project_file_from_a_document_of_its_name() {
    for (source, expected) in [
        ("{tools: []}", true),
        ("{tool: []}", true),
        ("", true),
        ("{tools: [", true),
        ("{style: \"list\"} [a:Agent]", true),
        ("[a:Agent]", false),
        ("{title: \"mine\"} [a:Agent]", false),
    ] {
        assert_eq!(is_project(source), expected, "{source}");
    }
}

#[test]
fn the_nearest_project_file_counts() {
    let folder = Folder::new("nearest");
    folder.write("agent.gram", "{style: \"list\"}");
    let outer = ("agent.gram".to_owned(), "{style: \"list\"}".to_owned());
    assert_eq!(folder.found(), Some(outer.clone()));
    // A document of this name is none.
    folder.write(
        "a/agent.gram",
        "[a:Agent {instruction: \"i\", model: \"Offline/any\"}]",
    );
    assert_eq!(folder.found(), Some(outer));
    folder.write("a/b/agent.gram", "\u{feff}{}");
    let inner = ("a/b/agent.gram".to_owned(), "{}".to_owned());
    assert_eq!(folder.found(), Some(inner));
}

#[test]
fn a_project_file_that_cannot_be_read_is_an_error() {
    let folder = Folder::new("unreadable");
    std::fs::create_dir(folder.0.join("agent.gram")).expect("a directory can be made");
    let (path, error) = find(&folder.0.join("a/b")).expect_err("it is a directory");
    assert_eq!(path, folder.0.join("agent.gram"));
    assert!(error.to_string().contains("it is a directory"), "{error}");
    folder.write("a/agent.gram", b"{style: \"\xff\"}");
    let (_, error) = find(&folder.0.join("a/b")).expect_err("it is no text");
    assert!(
        error
            .to_string()
            .contains("not UTF-8 text: the byte at offset 9"),
        "{error}"
    );
}
