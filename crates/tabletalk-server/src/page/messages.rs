//! What the engine says, in the other languages of the page: `page/messages` has a line for each message, and its English
//! words are its code. The server says all in English; the page finds the line, and fills in what was filled in.

use super::FILES;

/// The languages, in the order of the parts of a line.
const TONGUES: [&str; 3] = ["en", "zh", "de"];

/// Every message in English and one other language.
pub(super) fn of(tongue: &str) -> Option<String> {
    let column = TONGUES.iter().position(|known| *known == tongue).filter(|column| *column > 0)?;
    let lines = all().filter_map(|line| Some(format!("{} | {}\n", line.first()?, line.get(column)?)));
    Some(lines.collect())
}

/// The lines of the table, in their parts.
fn all() -> impl Iterator<Item = Vec<&'static str>> {
    let files = FILES.get_dir("messages").into_iter().flat_map(|dir| dir.files());
    let lines = files.filter_map(|file| file.contents_utf8()).flat_map(str::lines);
    lines.filter(|line| !line.starts_with('#')).map(|line| line.split(" | ").collect())
}

#[cfg(test)]
mod tests;
