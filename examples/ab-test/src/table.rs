//! A table in plain text.

/// The rows with their columns aligned, and a line below the first row.
pub(crate) fn aligned<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; COLUMNS] = std::array::from_fn(|column| width(column).unwrap_or(0));
    let line = |cells: &[String; COLUMNS]| {
        let cells = cells.iter().zip(widths);
        let padded: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        format!("{}\n", padded.join("  ").trim_end())
    };
    let mut table = String::new();
    for (at, row) in rows.iter().enumerate() {
        table.push_str(&line(row));
        if at == 0 {
            table.push_str(&line(&widths.map(|width| "-".repeat(width))));
        }
    }
    table
}
