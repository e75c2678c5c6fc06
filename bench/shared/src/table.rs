//! Tables in Markdown.

use std::fmt;

/// A table in Markdown.
///
/// ```
/// # use bench_shared::Table;
/// let mut table = Table::new(["reader", "ms"]);
/// table.row(["ours".to_owned(), format!("{:.1}", 2.0)]);
/// assert_eq!(table.to_string(), "| reader | ms |\n| --- | ---: |\n| ours | 2.0 |\n");
/// ```
pub struct Table {
    text: String,
}

impl Table {
    /// Creates a table whose first column is aligned to the left, and the others to the right.
    pub fn new<C: fmt::Display>(heads: impl IntoIterator<Item = C>) -> Self {
        Self::with_labels(1, heads)
    }

    /// Creates a table with so many columns aligned to the left.
    pub fn with_labels<C: fmt::Display>(labels: usize, heads: impl IntoIterator<Item = C>) -> Self {
        let mut table = Self {
            text: String::new(),
        };
        let heads: Vec<C> = heads.into_iter().collect();
        let rule = |column| if column < labels { "---" } else { "---:" };
        let rules: Vec<&str> = (0..heads.len()).map(rule).collect();
        table.row(heads);
        table.row(rules);
        table
    }

    /// Adds a row.
    pub fn row<C: fmt::Display>(&mut self, cells: impl IntoIterator<Item = C>) {
        let cells: Vec<String> = cells.into_iter().map(|cell| cell.to_string()).collect();
        self.text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
}

impl fmt::Display for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}
