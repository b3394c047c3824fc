//! The tokens that a table is written with.

use tabletalk_core::{Error, Result};

/// How many numbers a box has: four corners.
pub(crate) const BOX: usize = 8;

/// What a token says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Row,
    /// A cell of one row and one column.
    Cell,
    /// A cell of which the spans follow.
    Open,
    RowSpan(u32),
    ColSpan(u32),
    End,
    /// What does not change the grid.
    Other,
}

/// A cell as it is written: how many rows and columns it spans, and left, top, right and bottom of its box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Drawn {
    pub(crate) rows: u32,
    pub(crate) cols: u32,
    pub(crate) bbox: [f32; 4],
}

/// The tokens a model knows, in its order.
pub(crate) struct Tokens(Vec<Token>);

impl Tokens {
    /// The tokens as models list them: one a line. The model itself begins with one for the start and ends with one for
    /// the end; it always writes a plain cell in one token, so that it leaves out `<td>` and has `<td></td>`.
    pub(crate) fn parse(list: &str) -> Result<Tokens> {
        let mut words: Vec<&str> = list.lines().filter(|word| !word.is_empty() && *word != "<td>").collect();
        if !words.contains(&"<tr>") {
            return Err(Error::input("the list of tokens has no rows"));
        }
        if !words.contains(&"<td></td>") {
            words.push("<td></td>");
        }
        let start = std::iter::once(Token::Other);
        Ok(Tokens(start.chain(words.into_iter().map(token)).chain([Token::End]).collect()))
    }

    /// How many there are, start and end included.
    pub(crate) fn kinds(&self) -> usize {
        self.0.len()
    }

    /// The rows of a table from how likely each token is at each step, and a box for each step; `None` where the end is
    /// not reached.
    pub(crate) fn read(&self, likely: &[f32], boxes: &[f32]) -> Option<Vec<Vec<Drawn>>> {
        let mut rows: Vec<Vec<Drawn>> = Vec::new();
        for (likely, corners) in likely.chunks_exact(self.kinds()).zip(boxes.chunks_exact(BOX)) {
            let last = rows.last_mut();
            match (self.likeliest(likely), last) {
                (Token::End, _) => return Some(rows),
                (Token::Row, _) => rows.push(Vec::new()),
                (Token::Cell | Token::Open, Some(row)) => {
                    row.push(Drawn { rows: 1, cols: 1, bbox: bounds(corners) })
                }
                (Token::RowSpan(span), Some(row)) => {
                    row.last_mut().into_iter().for_each(|cell| cell.rows = span)
                }
                (Token::ColSpan(span), Some(row)) => {
                    row.last_mut().into_iter().for_each(|cell| cell.cols = span)
                }
                _ => {}
            }
        }
        None
    }

    fn likeliest(&self, likely: &[f32]) -> Token {
        let best = likely.iter().enumerate().rev().max_by(|a, b| a.1.total_cmp(b.1));
        best.and_then(|(at, _)| self.0.get(at)).copied().unwrap_or(Token::Other)
    }
}

fn token(word: &str) -> Token {
    let span = |name: &str| {
        let number = word.trim().strip_prefix(name)?.trim_matches('"').parse().ok()?;
        Some(number).filter(|span| (1..=1000).contains(span))
    };
    match word {
        "<tr>" => Token::Row,
        "<td></td>" => Token::Cell,
        "<td" => Token::Open,
        _ => {
            let rows = span("rowspan=").map(Token::RowSpan);
            rows.or_else(|| span("colspan=").map(Token::ColSpan)).unwrap_or(Token::Other)
        }
    }
}

/// Left, top, right and bottom of four corners.
fn bounds(corners: &[f32]) -> [f32; 4] {
    let (points, _) = corners.as_chunks::<2>();
    let ends = points.iter().fold([f32::MAX, f32::MAX, 0.0, 0.0], |[left, top, right, bottom], [x, y]| {
        [left.min(*x), top.min(*y), right.max(*x), bottom.max(*y)]
    });
    [ends[0].min(ends[2]), ends[1].min(ends[3]), ends[2], ends[3]]
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "<thead>\n<tr>\n</tr>\n<td>\n<td\n>\n</td>\n colspan=\"2\"\n rowspan=\"3\"";

    /// The rows for tokens by name; each step's box begins at its own number.
    fn read(words: &[&str]) -> Option<Vec<Vec<Drawn>>> {
        let tokens = Tokens::parse(LIST).unwrap();
        let names = [
            "sos",
            "<thead>",
            "<tr>",
            "</tr>",
            "<td",
            ">",
            "</td>",
            " colspan=\"2\"",
            " rowspan=\"3\"",
            "<td></td>",
            "eos",
        ];
        assert_eq!(names.len(), tokens.kinds());
        let row = |word: &&str| names.map(|name| if name == *word { 0.9 } else { 0.01 });
        let likely: Vec<f32> = words.iter().flat_map(row).collect();
        let corner = |at: usize| [at as f32, 0.0, at as f32 + 1.0, 0.0, at as f32 + 1.0, 2.0, at as f32, 2.0];
        let boxes: Vec<f32> = (0..words.len()).flat_map(corner).collect();
        tokens.read(&likely, &boxes)
    }

    #[test]
    fn cells_stand_in_rows_with_their_spans_and_boxes() {
        let rows = read(&[
            "<thead>",
            "<tr>",
            "<td",
            " colspan=\"2\"",
            ">",
            "</td>",
            "</tr>",
            "<tr>",
            "<td></td>",
            "<td></td>",
            "eos",
        ]);
        let rows = rows.unwrap();
        assert_eq!(rows[0], [Drawn { rows: 1, cols: 2, bbox: [2.0, 0.0, 3.0, 2.0] }]);
        assert_eq!(rows[1].iter().map(|cell| cell.bbox[0]).collect::<Vec<_>>(), [8.0, 9.0]);
    }

    #[test]
    fn a_table_without_an_end_is_none() {
        assert_eq!(read(&["<tr>", "<td></td>"]), None);
        assert_eq!(read(&["eos"]), Some(vec![]));
    }

    #[test]
    fn a_cell_or_a_span_out_of_place_is_passed_over() {
        assert_eq!(
            read(&["<td></td>", " rowspan=\"3\"", "<tr>", " rowspan=\"3\"", "eos"]),
            Some(vec![vec![]])
        );
    }

    #[test]
    fn a_list_without_rows_is_refused() {
        assert!(Tokens::parse("a\nb").is_err());
    }
}
