//! Files that are attached to messages, and media in what is shown and stored.

use crate::support::script::{Answer, Script};
use crate::support::server::OneAnswer;
use crate::support::{CommandOutput, Folder, agent, agent_with, command};
use serde_json::{Value, json};
use std::fs::{self, File};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
const PNG_BASE64: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB";
const PNG_SHA256: &str = "a930c2bb4e61c0682068f71c4ef427eefbb07098ecea9390e445e7af4b66a384";
const LOOK: &str = "[viewer:Agent {instruction: \"Look.\", model: \"OpenAI/m\"}]";

/// Runs the viewer, which answers once, with these arguments. Returns the messages of its requests, too.
fn look(folder: &Folder, args: &[&str], answers: usize) -> (CommandOutput, Vec<Value>) {
    let script = Script::start((0..answers).map(|_| Answer::Text(&["A cat."])));
    let viewer = folder.file("viewer.gram", LOOK);
    let base_url = script.base_url();
    let all = [&["run", &viewer], args, &["--base-url", &base_url]].concat();
    let ended = agent(&all);
    (ended, script.messages())
}

#[test]
fn attaches_images_documents_and_audio_to_the_first_message() {
    let folder = Folder::new();
    let png = folder.file("photo.png", PNG);
    let pdf = folder.file("report", b"%PDF-1.7\n");
    let notes = folder.file("notes.md", "# Notes");
    let sound = folder.file("sound.wav", b"RIFF\0\0\0\0WAVEfmt ");
    let args = [
        "What is this?",
        "And now?",
        "--attach",
        &png,
        "--attach",
        &pdf,
        "--attach",
        &notes,
        "--attach",
        &sound,
        "--attach",
        "https://example.com/cat.jpg",
    ];
    let (ended, requests) = look(&folder, &args, 2);
    let ended = ended.expect(0);
    assert_eq!(
        ended.stdout,
        "💬 What is this?\n\
         📎 image `photo.png` (image/png, 24 bytes)\n\
         📎 document `report` (application/pdf, 9 bytes)\n\
         📎 document `notes.md` (text/markdown, 7 bytes)\n\
         📎 audio `sound.wav` (audio/wav, 16 bytes)\n\
         📎 image `https://example.com/cat.jpg` (image/jpeg)\n\
         🤖 A cat.\n💬 And now?\n🤖 A cat.\n"
    );
    let parts = &requests[0][1]["content"];
    assert_eq!(parts[0], json!({"type": "text", "text": "What is this?"}));
    let url = format!("data:image/png;base64,{PNG_BASE64}");
    assert_eq!(
        parts[1],
        json!({"type": "image_url", "image_url": {"url": url}})
    );
    assert_eq!(parts[2]["file"]["filename"], "report");
    assert_eq!(
        parts[3],
        json!({"type": "text", "text": "notes.md\n# Notes"})
    );
    assert_eq!(parts[4]["input_audio"]["format"], "wav");
    assert_eq!(parts[5]["image_url"]["url"], "https://example.com/cat.jpg");
    // The second message has none.
    assert_eq!(
        requests[1][3],
        json!({"role": "user", "content": "And now?"})
    );
}

#[test]
fn standard_input_can_be_attached() {
    let folder = Folder::new();
    let viewer = folder.file("viewer.gram", LOOK);
    let script = Script::start([Answer::Text(&["A cat."])]);
    let args = [
        "run",
        &viewer,
        "What?",
        "--attach",
        "-",
        "--base-url",
        &script.base_url(),
    ];
    let ended = agent_with(&args, PNG).expect(0);
    assert!(
        ended.stdout.contains("📎 image (image/png, 24 bytes)\n"),
        "{}",
        ended.stdout
    );
    let twice = agent_with(&["run", "-", "What?", "--attach", "-"], PNG).expect(2);
    assert!(twice.stderr.contains("only once"), "{}", twice.stderr);
}

#[test]
fn wrong_attachments_are_errors_that_name_the_file_before_anything_is_sent() {
    let folder = Folder::new();
    let huge = folder.file("huge.png", PNG);
    let file = File::options().write(true).open(&huge).expect("the file");
    file.set_len(100 << 20).expect("a file of 100 MB");
    let cases = [
        (
            folder.file("none.png", "Not an image."),
            "none.png`: its name has the extension of `image/png`, and its content is `text/plain`",
        ),
        (
            folder.file("zeros.png", [0; 20]),
            "zeros.png`: its content is of no known kind; a message can have images",
        ),
        (folder.file("empty.png", ""), "empty.png`: it is empty"),
        (huge, "huge.png`: it has more than 32 MiB"),
        (
            folder.file("scan.png", "%PDF-1.7\n"),
            "scan.png`: its name has the extension of `image/png`, and its content is `application/pdf`",
        ),
        (
            folder.file("all.zip", b"PK\x03\x04\0\0"),
            "all.zip`: its content is `application/zip`; a message can have",
        ),
        (
            folder.file("latin.txt", b"gr\xfc\xdf\n"),
            "latin.txt`: its content is of no known kind",
        ),
        (folder.path(), "`: it is a directory"),
        (
            format!("{}/gone.png", folder.path()),
            "gone.png`: No such file",
        ),
        (
            "https://example.com/cat".to_owned(),
            "`https://example.com/cat`: it has no extension",
        ),
        #[cfg(unix)]
        ("/dev/zero".to_owned(), "`/dev/zero`: it is a device"),
    ];
    for (path, words) in &cases {
        let (ended, requests) = look(&folder, &["What?", "--attach", path], 1);
        let ended = ended.expect(2);
        assert!(
            ended.stderr.contains("error: cannot attach `"),
            "{}",
            ended.stderr
        );
        assert!(ended.stderr.contains(words), "{words}: {}", ended.stderr);
        assert_eq!(requests.len(), 0, "{words}");
    }
    // All of them in one call, and each has its line.
    let paths = cases.iter().flat_map(|(path, _)| ["--attach", path]);
    let args: Vec<&str> = std::iter::once("What?").chain(paths).collect();
    let (ended, _) = look(&folder, &args, 1);
    assert_eq!(
        ended.expect(2).stderr.matches("cannot attach").count(),
        cases.len()
    );
}

#[test]
fn json_has_digests_and_with_media_data_it_is_a_history() {
    let folder = Folder::new();
    let png = folder.file("photo.png", PNG);
    let args = ["What?", "--attach", &png, "--format", "json"];
    let (ended, _) = look(&folder, &args, 1);
    let image = &ended.expect(0).json()["conversation"][0]["content"][1];
    let expected = json!({"type": "image", "mediaType": "image/png", "name": "photo.png", "sha256": PNG_SHA256});
    assert_eq!(image, &expected);

    let (ended, _) = look(&folder, &[&args[..], &["--media-data"]].concat(), 1);
    let with_data = ended.expect(0);
    assert_eq!(
        with_data.json()["conversation"][0]["content"][1]["data"],
        PNG_BASE64
    );
    let history = folder.file("history.json", &with_data.stdout);
    let (ended, requests) = look(&folder, &["And now?", "--history", &history], 1);
    ended.expect(0);
    assert!(
        requests[0].to_string().contains(PNG_BASE64),
        "{}",
        requests[0]
    );

    let (ended, _) = look(&folder, &["What?", "--media-data"], 1);
    assert!(
        ended
            .expect(2)
            .stderr
            .contains("--media-data needs --format json")
    );
}

#[test]
fn stored_conversations_show_media_on_one_line_and_keep_their_bytes() {
    let folder = Folder::new();
    let png = folder.file("photo.png", PNG);
    let store = format!("{}/talks.db", folder.path());
    let stored = ["--conversation", "ada", "--store", &store];
    let (ended, _) = look(
        &folder,
        &[&["What?", "--attach", &png], &stored[..]].concat(),
        1,
    );
    ended.expect(0);
    let show = ["conversations", "--store", &store, "show", "ada"];
    let shown = agent(&show).expect(0).stdout;
    assert_eq!(
        shown,
        "💬 What?\n📎 image `photo.png` (image/png, 24 bytes)\n🤖 A cat.\n"
    );
    let json = agent(&[&show[..], &["--format", "json"]].concat())
        .expect(0)
        .json();
    assert_eq!(json[0]["content"][1]["sha256"], PNG_SHA256);
    let data = agent(&[&show[..], &["--format", "json", "--media-data"]].concat());
    assert_eq!(data.expect(0).json()[0]["content"][1]["data"], PNG_BASE64);
    agent(&[&show[..], &["--media-data"]].concat()).expect(2);
    // The next turn sends the image again.
    let (ended, requests) = look(&folder, &[&["And now?"], &stored[..]].concat(), 1);
    ended.expect(0);
    assert!(
        requests[0].to_string().contains(PNG_BASE64),
        "{}",
        requests[0]
    );
}

/// The part of Google's answer with an image.
fn painted() -> Value {
    json!({"inlineData": {"mimeType": "image/png", "data": PNG_BASE64}})
}

/// Starts a server that answers once, as Google does, with these parts and this reason.
fn google_answer(parts: Value, reason: &str) -> OneAnswer {
    let content = json!({"role": "model", "parts": parts});
    let body = json!({"candidates": [{"content": content, "finishReason": reason}]});
    OneAnswer::answering("200 OK", "application/json", body.to_string())
}

/// Runs an agent of Google's with these arguments.
fn paint(folder: &Folder, args: &[&str], server: OneAnswer) -> CommandOutput {
    let painter = "[painter:Agent {instruction: \"Paint.\", model: \"Google/m\"}]";
    let painter = folder.file("painter.gram", painter);
    let base_url = format!("http://{}", server.host());
    let args = [&["run", &painter], args, &["--base-url", &base_url]].concat();
    let mut command = command(&args);
    command.env("GOOGLE_API_KEY", "a-long-enough-key");
    CommandOutput::of(command.output().expect("the command starts"))
}

#[test]
fn images_of_an_answer_are_shown_and_saved() {
    let text = json!({"text": "Here it is."});
    let answer = || google_answer(json!([text, painted()]), "STOP");
    let folder = Folder::new();
    let run =
        |more: &[&str], server: OneAnswer| paint(&folder, &[&["A cat"], more].concat(), server);
    let ended = run(&[], answer()).expect(0);
    let line = "📎 image (image/png, 24 bytes)";
    assert_eq!(
        ended.stdout,
        format!("💬 A cat\n🤖 Here it is.\n{line}; --save-media FOLDER writes it to a file\n")
    );
    let out = format!("{}/new/out", folder.path());
    // A second time the file is there already.
    for _ in 0..2 {
        let ended = run(&["--save-media", &out], answer()).expect(0);
        let saved = format!("{out}/{}.png", &PNG_SHA256[..16]);
        assert!(
            ended
                .stdout
                .contains(&format!("{line}, saved as `{saved}`\n")),
            "{}",
            ended.stdout
        );
        assert_eq!(fs::read(&saved).expect("the image"), PNG);
    }
    // A process that is killed can leave the beginning of the bytes.
    let saved = format!("{out}/{}.png", &PNG_SHA256[..16]);
    for start in [&b""[..], &PNG[..5]] {
        fs::write(&saved, start).expect("a file");
        run(&["--save-media", &out], answer()).expect(0);
        assert_eq!(fs::read(&saved).expect("the image"), PNG);
    }
    // Other bytes are kept. The second time, the other file is there already.
    let other = [PNG, b"and more"].concat();
    fs::write(&saved, &other).expect("a file");
    for _ in 0..2 {
        let ended = run(&["--save-media", &out], answer()).expect(0);
        let whole = format!("{out}/{PNG_SHA256}.png");
        assert!(ended.stdout.contains(&whole), "{}", ended.stdout);
        assert_eq!(fs::read(&saved).expect("the image"), other);
        assert_eq!(fs::read(&whole).expect("the image"), PNG);
        fs::write(&whole, &PNG[..5]).expect("a file");
    }
    assert_eq!(fs::read_dir(&out).expect("a folder").count(), 2);
    // The answer is not lost when the folder cannot be written to.
    let blocked = folder.file("blocked", "");
    let ended = run(&["--save-media", &blocked, "--format", "json"], answer()).expect(1);
    assert!(
        ended.stderr.contains("error: cannot write to `"),
        "{}",
        ended.stderr
    );
    assert_eq!(
        ended.json()["responses"][0]["parts"][1]["sha256"],
        PNG_SHA256
    );
}

#[test]
fn lines_of_a_batch_have_parts_and_files() {
    let folder = Folder::new();
    let png = folder.file("photo.png", PNG);
    let all = folder.file("all.md", "# For all");
    let lines = [
        json!({"id": "file", "input": "What?", "attach": [png]}),
        json!({"id": "one", "input": "What?", "attach": png}),
        json!({"id": "parts", "input": [{"type": "text", "text": "Which?"}, {"type": "image", "data": PNG_BASE64}]}),
        json!("Hello"),
    ];
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    let batch = folder.file("in.jsonl", lines.join("\n"));
    let output = format!("{}/out.jsonl", folder.path());
    let args = [
        "--batch",
        &batch,
        "--output",
        &output,
        "--concurrency=1",
        "--attach",
        &all,
    ];
    let (ended, requests) = look(&folder, &args, 4);
    ended.expect(0);
    let url = format!("data:image/png;base64,{PNG_BASE64}");
    for (request, images) in requests.iter().zip([1, 1, 1, 0]) {
        let request = request.to_string();
        assert_eq!(request.matches(&url).count(), images, "{request}");
        assert_eq!(request.matches("# For all").count(), 1, "{request}");
    }
    // Nothing is sent again, until a file changes.
    let (ended, requests) = look(&folder, &args, 1);
    assert_eq!((ended.expect(0).code, requests.len()), (0, 0));
    folder.file("photo.png", [PNG, b"changed"].concat());
    let (ended, requests) = look(&folder, &args, 2);
    assert!(ended.expect(0).stderr.contains("2 in all"));
    assert_eq!(requests.len(), 2);
}

#[test]
fn wrong_parts_and_files_of_a_batch_are_errors_with_their_lines() {
    let folder = Folder::new();
    let empty = folder.file("empty.png", "");
    let cases = [
        (
            json!({"input": "What?", "attach": [empty]}),
            "empty.png`: it is empty",
        ),
        (
            json!({"input": "What?", "attach": [1]}),
            "`attach` is no file",
        ),
        (
            json!({"input": "What?", "attach": "-"}),
            "a line attaches files, and `-` is none",
        ),
        (json!({"input": []}), "`input` is empty"),
        (
            json!({"input": [{"type": "film"}]}),
            "`film` is no type of a part",
        ),
        (
            json!({"input": [{"type": "image", "data": "?"}]}),
            "`data` is not base64",
        ),
        (
            json!({"input": [{"type": "image", "sha256": PNG_SHA256}]}),
            "only a `sha256`",
        ),
        (
            json!({"input": [{"type": "thinking", "text": "a", "provider": "OpenAI"}]}),
            "`input`: ",
        ),
    ];
    let lines: Vec<String> = cases.iter().map(|(line, _)| line.to_string()).collect();
    let batch = folder.file("in.jsonl", lines.join("\n"));
    let output = format!("{}/out.jsonl", folder.path());
    let (ended, requests) = look(&folder, &["--batch", &batch, "--output", &output], 1);
    let ended = ended.expect(1);
    for (at, (_, words)) in cases.iter().enumerate() {
        let line = format!("in.jsonl:{}: ", at + 1);
        let error = ended.stderr.lines().find(|error| error.contains(&line));
        let error = error.unwrap_or_else(|| panic!("no error with {line}: {}", ended.stderr));
        assert!(error.contains(words), "{words}: {error}");
    }
    assert_eq!(requests.len(), 0);
}

#[test]
fn attachments_of_a_chat_go_with_the_next_message_and_survive_a_failure() {
    let folder = Folder::new();
    let viewer = folder.file("viewer.gram", LOOK);
    let png = folder.file("my photo.png", PNG);
    let notes = folder.file("notes.md", "# Notes");
    let saved = format!("{}/talk.json", folder.path());
    let gram = format!("{}/talk.gram", folder.path());
    let script = Script::start([
        Answer::Refuse(400),
        Answer::Text(&["A cat."]),
        Answer::Text(&["Bye."]),
    ]);
    let typed = format!(
        "/attach\n/attach {notes}\n/attach --drop\n/attach {png}\n/attach {notes}\n/attach -\n/attach gone.png\n\
         What?\nWhat?\nAnd now?\n/save {saved}\n/save {gram}\n"
    );
    let args = ["chat", &viewer, "--base-url", &script.base_url()];
    let ended = agent_with(&args, typed).expect(1);
    let (image, text) = (
        "📎 image `my photo.png` (image/png, 24 bytes)\n",
        "📎 document `notes.md` (text/markdown, 7 bytes)\n",
    );
    let nothing = "nothing is attached to the next message\n";
    let before = format!("{nothing}{text}{nothing}{image}{image}{text}the attachments stay");
    assert!(ended.stdout.starts_with(&before), "{}", ended.stdout);
    assert!(
        ended.stderr.contains("cannot be attached"),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains("`gone.png`"), "{}", ended.stderr);
    assert!(
        ended.stdout.contains("a `.json` file has them"),
        "{}",
        ended.stdout
    );
    let requests = script.messages();
    for request in &requests[..2] {
        assert_eq!(
            request[1]["content"].as_array().map(Vec::len),
            Some(3),
            "{request}"
        );
    }
    assert_eq!(
        requests[2][3],
        json!({"role": "user", "content": "And now?"})
    );
    // What was saved can go on.
    let (ended, requests) = look(&folder, &["Again?", "--history", &saved], 1);
    ended.expect(0);
    assert!(
        requests[0].to_string().contains(PNG_BASE64),
        "{}",
        requests[0]
    );
}

#[test]
fn a_batch_keeps_the_images_of_answers() {
    let folder = Folder::new();
    let batch = folder.file("in.jsonl", "\"A cat\"\n");
    let blocked = folder.file("blocked", "");
    let images = format!("{}/images", folder.path());
    let run = |output: &str, more: &[&str]| {
        let output = format!("{}/{output}", folder.path());
        let args = [&["--batch", &batch, "--output", &output], more].concat();
        let ended = paint(&folder, &args, google_answer(json!([painted()]), "STOP"));
        let line = fs::read_to_string(&output).expect("the output");
        let line: Value = serde_json::from_str(&line).expect("one line of JSON");
        assert_eq!(line["content"], "");
        (ended, line["parts"].clone())
    };
    let digest = json!([{"type": "image", "mediaType": "image/png", "sha256": PNG_SHA256}]);
    let data = json!([{"type": "image", "mediaType": "image/png", "data": PNG_BASE64}]);
    let (ended, parts) = run("plain.jsonl", &[]);
    let stderr = ended.expect(0).stderr;
    assert!(stderr.contains("warning: answers have images"), "{stderr}");
    assert_eq!(parts, digest);
    let (ended, parts) = run("data.jsonl", &["--media-data"]);
    assert_eq!(ended.expect(0).stderr, "1 of 1 answered\n");
    assert_eq!(parts, data);
    // A file of that name with something else in it stays.
    fs::create_dir(&images).expect("a folder");
    let saved = format!("{images}/{}.png", &PNG_SHA256[..16]);
    fs::write(&saved, "torn").expect("a file");
    for (output, path) in [
        ("saved.jsonl", format!("{images}/{PNG_SHA256}.png")),
        ("again.jsonl", saved.clone()),
    ] {
        let (ended, parts) = run(output, &["--save-media", &images]);
        assert_eq!(ended.expect(0).stderr, "1 of 1 answered\n");
        assert_eq!(parts, digest);
        assert_eq!(fs::read(&path).expect("the image"), PNG);
        fs::remove_file(&saved).expect("it is there");
    }
    // The line keeps what no file has.
    let (ended, parts) = run("blocked.jsonl", &["--save-media", &blocked]);
    let stderr = ended.expect(1).stderr;
    assert!(stderr.contains("error: cannot write to `"), "{stderr}");
    assert_eq!(parts, data);
    // The answer is recorded, and not asked for again.
    let (ended, _) = run("data.jsonl", &["--media-data"]);
    assert_eq!(ended.expect(0).stderr, "1 of 1 answered (1 before)\n");
}

#[test]
fn an_answer_that_is_not_complete_has_a_warning_and_its_reason() {
    let folder = Folder::new();
    for (reason, word, warning) in [
        ("STOP", "stop", ""),
        ("MAX_TOKENS", "length", "the answer is cut off"),
        ("SAFETY", "content_filter", "the answer is not complete"),
        ("NEW\u{1b}", "NEW\u{1b}", "with the reason `NEW\\u{1b}`"),
    ] {
        let answer = google_answer(json!([{"text": "It is"}]), reason);
        let ended = paint(&folder, &["What?", "--format", "json"], answer).expect(0);
        assert_eq!(ended.json()["responses"][0]["finishReason"], word);
        assert!(ended.stderr.contains(warning), "{reason}: {}", ended.stderr);
        assert_eq!(
            ended.stderr.is_empty(),
            warning.is_empty(),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn a_refusal_as_a_whole_is_no_part_of_an_answer() {
    let folder = Folder::new();
    let viewer = folder.file("viewer.gram", LOOK);
    for (content, warning) in [
        (json!(null), "the model refused to answer"),
        (json!("It is "), "the answer is not complete"),
    ] {
        let message = json!({"content": content, "refusal": "I'd rather not."});
        let body = json!({"choices": [{"message": message, "finish_reason": "stop"}]});
        let server = OneAnswer::answering("200 OK", "application/json", body.to_string());
        let args = ["run", &viewer, "What?", "--base-url", &server.base_url()];
        let ended = agent(&args).expect(0);
        assert!(ended.stdout.contains("I'd rather not."), "{}", ended.stdout);
        let warnings: Vec<_> = ended.stderr.matches("warning: ").collect();
        assert_eq!(warnings.len(), 1, "{}", ended.stderr);
        assert!(ended.stderr.contains(warning), "{}", ended.stderr);
    }
}

#[test]
fn a_text_in_utf_16_is_sent_as_utf_8() {
    let folder = Folder::new();
    let text = folder.file("a.txt", b"\xff\xfeG\0r\0\xfc\0n\0");
    let (ended, requests) = look(&folder, &["What?", "--attach", &text], 1);
    let stdout = ended.expect(0).stdout;
    assert!(
        stdout.contains("📎 document `a.txt` (text/plain, 5 bytes)"),
        "{stdout}"
    );
    assert!(
        requests[0].to_string().contains("Gr\u{fc}n"),
        "{}",
        requests[0]
    );
}

#[test]
fn urls_are_known_by_their_scheme_in_any_case() {
    let folder = Folder::new();
    let (ended, requests) = look(
        &folder,
        &["What?", "--attach", "HTTPS://example.com/a.PNG"],
        1,
    );
    ended.expect(0);
    assert!(
        requests[0]
            .to_string()
            .contains("HTTPS://example.com/a.PNG")
    );
    for (url, words) in [
        ("file:///etc/a.png", "a URL of media begins with `https://`"),
        ("https:///a.png", "it has no host"),
    ] {
        let (ended, requests) = look(&folder, &["What?", "--attach", url], 1);
        let stderr = ended.expect(2).stderr;
        assert!(
            stderr.contains(&format!("cannot attach `{url}`: {words}")),
            "{stderr}"
        );
        assert_eq!(requests.len(), 0);
    }
}

#[test]
fn gram_of_a_conversation_warns_that_it_has_no_bytes() {
    let folder = Folder::new();
    let png = folder.file("photo.png", PNG);
    let store = format!("{}/talks.db", folder.path());
    let stored = ["--conversation", "ada", "--store", &store];
    let (ended, _) = look(
        &folder,
        &[&["What?", "--attach", &png], &stored[..]].concat(),
        1,
    );
    ended.expect(0);
    let show = [
        "conversations",
        "--store",
        &store,
        "show",
        "ada",
        "--format",
        "gram",
    ];
    let shown = agent(&show).expect(0);
    assert!(
        shown
            .stderr
            .starts_with("warning: the document has only the SHA-256"),
        "{}",
        shown.stderr
    );
    assert!(
        shown.stderr.contains("`--format json --media-data`"),
        "{}",
        shown.stderr
    );
    // The text that the model gets in the place of the image names the option, too.
    let history = folder.file("history.gram", &shown.stdout);
    let (ended, requests) = look(&folder, &["And now?", "--history", &history], 1);
    ended.expect(0);
    let sent = requests[0].to_string();
    assert!(sent.contains("`--media-data`"), "{sent}");
    assert!(!sent.contains(PNG_BASE64), "{sent}");
}

#[test]
fn a_part_that_the_provider_does_not_take_is_no_request_and_costs_nothing() {
    let folder = Folder::new();
    let sound = folder.file("sound.wav", b"RIFF\0\0\0\0WAVEfmt ");
    let model = ["--model", "OpenAIResponses/m"];
    let price = ["--price", "OpenAIResponses/m=1,5"];
    let args = [&["What is this?", "--attach", &sound], &model[..], &price].concat();
    let (ended, requests) = look(&folder, &args, 0);
    let shown = &ended.stderr;
    assert!(
        shown.contains("cannot be sent to OpenAIResponses"),
        "{shown}"
    );
    assert!(!shown.contains("cost:"), "{shown}");
    assert!(requests.is_empty());
}
