//! Messages to the language server on standard input: each message that it writes is one of the protocol, each request has
//! one answer, and the check of documents does not panic.
//!
//! The input is the JSON of a message on each line, or, if it begins with `Content-Length`, the bytes as they are.

#![no_main]

use agent_lsp::{Exit, ServerConfig, serve};
use libfuzzer_sys::fuzz_target;
use rustix::fs::{MemfdFlags, SeekFrom, ftruncate, memfd_create, seek};
use rustix::io::{pread, pwrite};
use rustix::stdio::{dup2_stdin, dup2_stdout};
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Standard input and standard output of the process, which are files in memory.
static FILES: LazyLock<(OwnedFd, OwnedFd)> = LazyLock::new(|| {
    let file = |name: &str| memfd_create(name, MemfdFlags::empty()).expect("a file");
    let (input, output) = (file("input"), file("output"));
    dup2_stdin(&input).expect("an input");
    dup2_stdout(&output).expect("an output");
    (input, output)
});

fuzz_target!(|input: &str| {
    // The server reads the folders that a client names, and those of this machine are not part of the input.
    if input.contains("file:") && input.replace("file:///nowhere/", "").contains("file:") {
        return;
    }
    let (input_file, output_file) = &*FILES;
    let bytes = framed(input);
    for (file, bytes) in [(input_file, &*bytes), (output_file, &b""[..])] {
        ftruncate(file, 0).expect("a file");
        pwrite(file, bytes, 0).expect("a file");
        seek(file, SeekFrom::Start(0)).expect("a file");
    }
    let before = threads();
    let exit = serve(ServerConfig::default()).expect("no tool files");
    // The server ends before the end of its input if the client says so.
    let mut rest = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut rest)
        .expect("an input");
    wait_for_threads(before);
    if let Exit::Failed(problem) = exit {
        assert!(!problem.ends_with(" panicked"), "{problem}");
        assert!(!problem.is_empty());
    }
    let mut output = vec![0; 1 << 22];
    let length = pread(output_file, &mut output[..], 0).expect("an output");
    check(input, &output[..length]);
});

/// Returns the number of threads of this process.
fn threads() -> usize {
    let threads = fs::read_dir("/proc/self/task").expect("the threads of this process");
    threads.count()
}

/// Waits until there are as few threads as before, because the server does not wait for its writer after a malformed
/// message. The thread that watches the process of a client may stay.
fn wait_for_threads(before: usize) {
    let started = Instant::now();
    while threads() > before && started.elapsed() < Duration::from_secs(1) {
        std::thread::sleep(Duration::from_micros(100));
    }
}

fn framed(input: &str) -> Vec<u8> {
    if input.starts_with("Content-Length") {
        return input.as_bytes().to_vec();
    }
    let lines = input.lines();
    let framed = lines.map(|line| format!("Content-Length: {}\r\n\r\n{line}", line.len()));
    framed.collect::<String>().into_bytes()
}

fn check(input: &str, mut output: &[u8]) {
    let mut answered: HashMap<String, usize> = HashMap::new();
    while !output.is_empty() {
        let end = output.windows(4).position(|window| window == b"\r\n\r\n");
        let end = end.expect("the end of a head");
        let head = std::str::from_utf8(&output[..end]).expect("a head");
        let length = head.strip_prefix("Content-Length: ").expect("a length");
        let length: usize = length.parse().expect("a number");
        let message = &output[end + 4..][..length];
        let message: Value = serde_json::from_slice(message).expect("JSON");
        if message["method"].is_null() {
            *answered.entry(message["id"].to_string()).or_default() += 1;
        }
        output = &output[end + 4 + length..];
    }
    let mut asked: HashMap<String, usize> = HashMap::new();
    for line in input.lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        if !message["id"].is_null() && message["method"].is_string() {
            *asked.entry(message["id"].to_string()).or_default() += 1;
        }
    }
    if !input.starts_with("Content-Length") {
        for (id, count) in answered {
            let asked = asked.get(&id).copied().unwrap_or(0);
            assert!(count <= asked, "{id}: {count} answers to {asked} requests");
        }
    }
}
