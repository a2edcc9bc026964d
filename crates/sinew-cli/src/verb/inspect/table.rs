//! Text tables with aligned columns.

/// How the cells of a column are aligned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ColumnAlign {
    Left,
    Right,
}

/// The maximum number of characters in a cell.
const MAX_CELL: usize = 120;

/// Rows under a header; every column is as wide as its widest cell.
#[derive(Debug)]
pub(super) struct TextTable {
    columns: Vec<(&'static str, ColumnAlign)>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    pub(super) fn new(columns: &[(&'static str, ColumnAlign)]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row. Long cells are cut, since all rows are padded to the longest.
    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells.into_iter().map(cut).collect());
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|r| r[column].chars().count());
            cells.chain([self.columns[column].0.chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let line = |cells: Vec<&str>| {
            let padded =
                cells.iter().zip(&self.columns).zip(&widths).map(
                    |((cell, (_, align)), &width)| match align {
                        ColumnAlign::Left => format!("{cell:<width$}"),
                        ColumnAlign::Right => format!("{cell:>width$}"),
                    },
                );
            format!("  {}", padded.collect::<Vec<_>>().join("  ")).trim_end().to_owned()
        };
        let header = line(self.columns.iter().map(|c| c.0).collect());
        let rows = self.rows.iter().map(|r| line(r.iter().map(String::as_str).collect()));
        [header].into_iter().chain(rows).collect()
    }
}

/// The start of a cell that is too long for a table.
fn cut(cell: String) -> String {
    match cell.char_indices().nth(MAX_CELL) {
        Some((end, _)) => format!("{}…", &cell[..end]),
        None => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_long_cell_does_not_widen_every_row_without_limit() {
        let mut table = TextTable::new(&[("name", ColumnAlign::Left)]);
        table.row(vec!["é".repeat(100_000)]);
        assert_eq!(table.lines()[1].chars().count(), 2 + MAX_CELL + 1);
    }

    #[test]
    fn columns_are_aligned() {
        let mut table = TextTable::new(&[("name", ColumnAlign::Left), ("n", ColumnAlign::Right)]);
        table.row(vec!["a".into(), "100".into()]);
        table.row(vec!["longer".into(), "7".into()]);
        assert_eq!(table.lines(), ["  name      n", "  a       100", "  longer    7"]);
    }
}
