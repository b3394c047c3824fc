//! The rows and columns whose meaning is nearest to the question.

use crate::embed::{Embedders, Slot};
use crate::excerpt::{Excerpt, Row};
use crate::format::cut;
use crate::prompt::one_line;
use serde::{Deserialize, Serialize};
use tabletalk_core::seam::{Embedding, Role, Want};
use tabletalk_core::{Column, Error, Result};
use tabletalk_vector::late::maxsim_mean;

/// Characters of a cell that count.
const CELL: usize = 120;
/// Values of a column that stand beside its name.
const VALUES: usize = 5;

/// How much is kept, and how rows and columns are compared with the question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Nearest {
    /// Rows that are kept.
    pub rows: usize,
    /// Columns that are kept, besides those that name the row.
    pub columns: usize,
    /// Whether tokens are compared one by one (late interaction) and not texts as a whole.
    pub late: bool,
    /// Cells that may be given to the model: half of it is for rows, however many those are.
    pub max_encode_cell: usize,
}

impl Default for Nearest {
    fn default() -> Self {
        Nearest { rows: 20, columns: 8, late: false, max_encode_cell: 10_000 }
    }
}

/// The model for a question: that of an embed key, or the first for the question's language.
pub fn slot<'a>(embedders: &'a Embedders, key: Option<&str>, question: &str) -> Result<&'a Slot> {
    match key {
        Some(key) => embedders.get(key),
        None => embedders.dense_for(question).ok_or_else(|| {
            Error::missing("there is no embedding model for this question")
                .hint("configure one under [[embed]]")
        }),
    }
}

/// The part of an excerpt that is nearest to the question, in the order it has there. The columns that name the
/// row are kept always. Of a table with very many cells only the first rows are looked at.
pub fn meaning(table: &Excerpt, question: &str, slot: &Slot, nearest: &Nearest) -> Result<Excerpt> {
    let want = if nearest.late { Want::Tokens } else { Want::Pooled };
    let asked = Asked { slot, want, query: slot.query(question, want)? };
    let naming = table.naming();
    let mut columns: Vec<usize> = (0..table.columns.len()).filter(|c| !naming.contains(c)).collect();
    if columns.len() > nearest.columns {
        let best = asked.best(columns.iter().map(|&c| column_text(table, c)).collect(), nearest.columns)?;
        columns = best.iter().filter_map(|&i| columns.get(i)).copied().collect();
    }
    columns.extend(naming);
    let encoded = (nearest.max_encode_cell / 2 / table.columns.len().max(1)).max(1);
    let rows = match table.rows.len() <= nearest.rows {
        true => (0..table.rows.len()).collect(),
        false => {
            let texts = table.rows.iter().take(encoded).map(|row| row_text(&table.columns, row)).collect();
            asked.best(texts, nearest.rows)?
        }
    };
    Ok(table.keep(&columns, &rows))
}

fn column_text(table: &Excerpt, c: usize) -> String {
    let Some(column) = table.columns.get(c) else { return String::new() };
    let cells = table.rows.iter().filter_map(|row| row.cells.get(c));
    let values = cells.filter(|v| !v.trim().is_empty()).take(VALUES).map(|v| short(v));
    std::iter::once(short(&column.name)).chain(values).collect::<Vec<_>>().join(", ")
}

/// A row as a text: every cell behind the name of its column, which says what it is.
fn row_text(columns: &[Column], row: &Row) -> String {
    let cells = columns.iter().zip(&row.cells).filter(|(_, cell)| !cell.trim().is_empty());
    let texts: Vec<String> = cells.map(|(c, cell)| format!("{} {}", short(&c.name), short(cell))).collect();
    texts.join(", ")
}

fn short(text: &str) -> String {
    cut(&one_line(text), CELL)
}

/// A question as vectors.
struct Asked<'a> {
    slot: &'a Slot,
    want: Want,
    query: std::sync::Arc<Embedding>,
}

impl Asked<'_> {
    /// The positions of the best `k` texts.
    fn best(&self, texts: Vec<String>, k: usize) -> Result<Vec<usize>> {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let made = self.slot.model()?.embed(&texts, Role::Passage, self.want)?;
        if made.len() != texts.len() {
            let message = format!("the model gave {} vectors for {} texts", made.len(), texts.len());
            return Err(Error::upstream(message).at(format!("embed key `{}`", self.slot.key)));
        }
        let mut scored: Vec<(usize, f32)> = made.iter().map(|e| self.score(e)).enumerate().collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1));
        Ok(scored.into_iter().take(k).map(|s| s.0).collect())
    }

    fn score(&self, text: &Embedding) -> f32 {
        match self.want == Want::Tokens {
            true => maxsim_mean(&self.query.tokens, &text.tokens),
            false => self.query.pooled.iter().zip(&text.pooled).map(|(a, b)| a * b).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::Route;
    use tabletalk_core::matrix::normalize;
    use tabletalk_core::seam::Embed;
    use tabletalk_core::{Kind, Matrix};

    /// Words as vectors: every three letters are a direction.
    struct Words;

    fn vector(text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; 1021];
        for three in text.to_lowercase().as_bytes().windows(3) {
            vector[three.iter().fold(7usize, |h, b| h * 31 + *b as usize) % 1021] += 1.0;
        }
        normalize(&mut vector);
        vector
    }

    impl Embed for Words {
        fn identity(&self) -> &str {
            "words"
        }
        fn dim(&self) -> usize {
            1021
        }
        fn embed(&self, texts: &[&str], _: Role, _: Want) -> Result<Vec<Embedding>> {
            let tokens = |t: &str| Matrix { dim: 1021, data: t.split(' ').flat_map(vector).collect() };
            Ok(texts
                .iter()
                .map(|t| Embedding { pooled: vector(t), tokens: tokens(t), ..Embedding::default() })
                .collect())
        }
    }

    fn table() -> Excerpt {
        let names = ["city", "population", "mayor", "founded"];
        let columns = names.iter().enumerate().map(|(i, n)| Column::new(*n, Kind::Text, i as u32 + 1));
        let cells = |name: &str| vec![name.to_owned(), "1".into(), "someone".into(), "1900".into()];
        let cities = ["Oslo", "Bergen", "Trondheim", "Stavanger"];
        let rows = cities.iter().zip(2..).map(|(c, n)| Row { number: n, cells: cells(c), ..Row::default() });
        Excerpt {
            columns: columns.collect(),
            rows: rows.collect(),
            row_headers: 1,
            total_rows: 4,
            total_columns: 4,
            ..Excerpt::default()
        }
    }

    fn nearest(late: bool, nearest: &Nearest) -> (Vec<String>, Vec<u64>) {
        let slot = Slot::new("w", &[], Route::Any, late, || Ok(Box::new(Words)));
        let kept = meaning(&table(), "who was mayor of Trondheim", &slot, nearest).unwrap();
        assert!(kept.rows.iter().all(|r| r.cells.len() == kept.columns.len()));
        let names = kept.columns.iter().map(|c| c.name.clone()).collect();
        (names, kept.rows.iter().map(|r| r.number).collect())
    }

    #[test]
    fn keeps_the_nearest_and_what_names_the_row() {
        for late in [false, true] {
            let settings = Nearest { rows: 1, columns: 1, late, ..Nearest::default() };
            let (names, rows) = nearest(late, &settings);
            assert_eq!(names, ["city", "mayor"]);
            assert_eq!(rows, [4]);
        }
    }

    #[test]
    fn keeps_all_where_there_is_no_more_than_is_wanted() {
        let (names, rows) = nearest(false, &Nearest::default());
        assert_eq!((names.len(), rows.len()), (4, 4));
    }

    #[test]
    fn looks_at_no_more_cells_than_it_may() {
        let settings = Nearest { rows: 1, max_encode_cell: 16, ..Nearest::default() };
        assert!(nearest(false, &settings).1[0] < 4);
    }
}
