//! The table of words that Tesseract writes.

use tabletalk_core::seam::Seen;

/// Less sure lines are left out.
const SURE: f32 = 0.5;
/// A gap of this many times the height of a line parts it: what follows is in another cell or column.
const GAP: f32 = 1.5;

/// A word: which line it is in, where it stands, and how sure it is from 0 to 100.
struct Word<'a> {
    line: [&'a str; 4],
    bbox: [f32; 4],
    confidence: f32,
    text: &'a str,
}

/// The lines in `tsv`, each parted at wide gaps.
pub(crate) fn lines(tsv: &str) -> Vec<Seen> {
    let words: Vec<Word<'_>> = tsv.lines().skip(1).filter_map(word).collect();
    let lines = words.chunk_by(|a, b| a.line == b.line);
    let parts = lines.flat_map(|line| line.chunk_by(|a, b| near(a, b)));
    parts.map(join).filter(|seen| seen.confidence >= SURE && !seen.text.is_empty()).collect()
}

/// A row that is a word; others are pages, blocks, paragraphs and lines.
fn word(row: &str) -> Option<Word<'_>> {
    let cells: Vec<&str> = row.splitn(12, '\t').collect();
    let ["5", page, block, paragraph, line, _, left, top, width, height, confidence, text] =
        *cells.as_slice()
    else {
        return None;
    };
    let number = |cell: &str| cell.parse::<f32>().ok().filter(|n| n.is_finite());
    let (left, top) = (number(left)?, number(top)?);
    let bbox = [left, top, left + number(width)?, top + number(height)?];
    let text = text.trim();
    let confidence = number(confidence)?;
    (!text.is_empty()).then_some(Word { line: [page, block, paragraph, line], bbox, confidence, text })
}

fn near(a: &Word<'_>, b: &Word<'_>) -> bool {
    let height = (a.bbox[3] - a.bbox[1]).max(b.bbox[3] - b.bbox[1]);
    b.bbox[0] - a.bbox[2] < GAP * height
}

fn join(words: &[Word<'_>]) -> Seen {
    let mut seen = Seen { text: String::new(), bbox: [f32::MAX, f32::MAX, 0.0, 0.0], confidence: 0.0 };
    for word in words {
        let both = seen.text.chars().next_back().zip(word.text.chars().next());
        if both.is_some_and(|(a, b)| !(wide(a) && wide(b))) {
            seen.text.push(' ');
        }
        seen.text.push_str(word.text);
        seen.confidence += word.confidence.clamp(0.0, 100.0) / 100.0 / words.len() as f32;
        let [left, top, right, bottom] = seen.bbox;
        let [l, t, r, b] = word.bbox;
        seen.bbox = [left.min(l), top.min(t), right.max(r), bottom.max(b)];
    }
    seen
}

/// Whether a letter belongs to a script that has no blanks between words.
fn wide(letter: char) -> bool {
    matches!(letter, '\u{2e80}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n";

    fn row(line: u32, left: u32, confidence: f32, text: &str) -> String {
        format!("5\t1\t1\t1\t{line}\t1\t{left}\t{}\t40\t10\t{confidence}\t{text}\n", line * 20)
    }

    fn texts(rows: &[String]) -> Vec<String> {
        lines(&(HEAD.to_owned() + &rows.concat())).into_iter().map(|seen| seen.text).collect()
    }

    #[test]
    fn words_of_a_line_are_joined_with_their_box_and_mean_confidence() {
        let found = lines(&(HEAD.to_owned() + &row(1, 0, 90.0, "Total") + &row(1, 45, 70.0, "sum")));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].text.as_str(), found[0].bbox), ("Total sum", [0.0, 20.0, 85.0, 30.0]));
        assert!((found[0].confidence - 0.8).abs() < 1e-6);
    }

    #[test]
    fn a_wide_gap_parts_cells() {
        assert_eq!(
            texts(&[row(1, 0, 90.0, "2023"), row(1, 100, 90.0, "17"), row(2, 0, 90.0, "2024")]),
            ["2023", "17", "2024"]
        );
    }

    #[test]
    fn no_blank_is_put_between_han() {
        assert_eq!(
            texts(&[row(1, 0, 90.0, "营业"), row(1, 42, 90.0, "收入"), row(1, 84, 90.0, "USD")]),
            ["营业收入 USD"]
        );
    }

    #[test]
    fn rows_that_are_no_words_or_unsure_or_broken_are_left_out() {
        let other = "4\t1\t1\t1\t1\t0\t0\t0\t9\t9\t-1\t\n".to_owned();
        let broken = "5\t1\t1\t1\t1\t1\tx\t0\t9\t9\t90\tword\n5\t1\n".to_owned();
        assert!(texts(&[other, broken, row(1, 0, 20.0, "~;:"), row(2, 0, 95.0, " ")]).is_empty());
        assert!(lines("").is_empty());
    }
}
