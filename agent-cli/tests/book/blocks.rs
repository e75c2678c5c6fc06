//! The blocks of code of a page.

/// A block of code: ```` ```language,word,key:value ````. rustdoc warns of `=`.
pub(super) struct Block {
    /// The line of its fence, from 1.
    pub(super) line: usize,
    pub(super) language: String,
    words: Vec<String>,
    pub(super) text: String,
}

impl Block {
    pub(super) fn has(&self, word: &str) -> bool {
        self.words.iter().any(|known| known == word)
    }

    /// The value of a word `key:value`.
    pub(super) fn value(&self, key: &str) -> Option<&str> {
        let mut words = self.words.iter();
        words.find_map(|word| word.strip_prefix(key)?.strip_prefix(':'))
    }

    /// The commands of a block, each with what it prints.
    pub(super) fn commands(&self) -> Vec<(&str, String)> {
        let mut commands: Vec<(&str, String)> = Vec::new();
        for line in self.text.lines() {
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => commands.push((command, String::new())),
                (None, Some((_, printed))) => *printed += &format!("{line}\n"),
                (None, None) => panic!("line {}: the block begins without a command", self.line),
            }
        }
        commands
    }
}

/// Returns the blocks of code of a page.
pub(super) fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, Block)> = None;
    for (at, line) in page.lines().enumerate() {
        let ticks = line.bytes().take_while(|byte| *byte == b'`').count();
        match &mut open {
            None if ticks >= 3 => {
                let mut words = line[ticks..].trim().split(',').map(str::to_owned);
                let block = Block {
                    line: at + 1,
                    language: words.next().unwrap_or_default(),
                    words: words.collect(),
                    text: String::new(),
                };
                open = Some((ticks, block));
            }
            Some((fence, _)) if ticks >= *fence && line[ticks..].trim().is_empty() => {
                blocks.extend(open.take().map(|(_, block)| block));
            }
            Some((_, block)) => block.text += &format!("{line}\n"),
            None => {}
        }
    }
    assert!(open.is_none(), "a block of code does not end");
    blocks
}
