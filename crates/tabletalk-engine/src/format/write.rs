//! The signs of each format. A text is a head, rows and a tail, one after the other.

use super::Format;
use std::borrow::Cow;

/// What stands before the rows: caption and header.
pub(super) fn head(format: Format, caption: &[String], header: &[String]) -> String {
    match format {
        Format::Plain => lines("", caption) + &joined(header, " | ", plain),
        Format::Markdown => markdown_head(caption, header),
        Format::Html => html_head(caption, header),
        Format::Json => json_head(caption, header),
        Format::Csv => lines("# ", caption) + &joined(header, ",", csv),
    }
}

/// One row, with what parts it from what stands before it.
pub(super) fn row(format: Format, is_first: bool, cells: &[String]) -> String {
    match format {
        Format::Plain => format!("\n{}", joined(cells, " | ", plain)),
        Format::Markdown => format!("\n| {} |", joined(cells, " | ", markdown)),
        Format::Html => format!("\n<tr><td>{}</td></tr>", joined(cells, "</td><td>", html)),
        Format::Json => format!("{}\n[{}]", if is_first { "" } else { "," }, joined(cells, ",", json)),
        Format::Csv => format!("\n{}", joined(cells, ",", csv)),
    }
}

/// What stands after the rows: the end of the table, and a remark where there is one.
pub(super) fn tail(format: Format, remark: Option<&str>) -> String {
    match (format, remark) {
        (Format::Html, None) => "\n</table>".into(),
        (Format::Html, Some(remark)) => format!("\n</table>\n<p>{}</p>", html(remark)),
        (Format::Json, None) => "\n]}".into(),
        (Format::Json, Some(remark)) => format!("\n],\"remark\":{}}}", json(remark)),
        (Format::Csv, Some(remark)) => format!("\n# {remark}"),
        // A line right after the last row would be a row of a Markdown table.
        (Format::Markdown, Some(remark)) => format!("\n\n({remark})"),
        (Format::Plain, Some(remark)) => format!("\n({remark})"),
        (_, None) => String::new(),
    }
}

fn lines(mark: &str, lines: &[String]) -> String {
    lines.iter().map(|line| format!("{mark}{line}\n")).collect()
}

fn markdown_head(caption: &[String], header: &[String]) -> String {
    let mut text = lines("", caption);
    if !caption.is_empty() {
        text.push('\n');
    }
    let rule = vec!["---"; header.len()].join(" | ");
    text + &format!("| {} |\n| {rule} |", joined(header, " | ", markdown))
}

fn html_head(caption: &[String], header: &[String]) -> String {
    let mut text = String::from("<table>");
    if !caption.is_empty() {
        text.push_str(&format!("\n<caption>{}</caption>", joined(caption, "<br>", html)));
    }
    text + &format!("\n<tr><th>{}</th></tr>", joined(header, "</th><th>", html))
}

fn json_head(caption: &[String], header: &[String]) -> String {
    let caption = match caption.is_empty() {
        true => String::new(),
        false => format!("\"caption\":{},\n", json(&caption.join("\n"))),
    };
    format!("{{{caption}\"columns\":[{}],\n\"rows\":[", joined(header, ",", json))
}

fn joined<'a>(cells: &'a [String], sign: &str, escape: fn(&'a str) -> Cow<'a, str>) -> String {
    let mut text = String::new();
    for (i, cell) in cells.iter().enumerate() {
        if i > 0 {
            text.push_str(sign);
        }
        text.push_str(&escape(cell));
    }
    text
}

fn plain(cell: &str) -> Cow<'_, str> {
    match cell.contains(['\n', '|']) {
        true => cell.replace('\n', " ").replace('|', "\\|").into(),
        false => cell.into(),
    }
}

/// A bar and a backslash are escaped, and a line break is the one tag that a cell may hold.
fn markdown(cell: &str) -> Cow<'_, str> {
    match cell.contains(['\n', '|', '\\']) {
        true => cell.replace('\\', "\\\\").replace('|', "\\|").replace('\n', "<br>").into(),
        false => cell.into(),
    }
}

fn html(cell: &str) -> Cow<'_, str> {
    if !cell.contains(['&', '<', '>', '\n']) {
        return cell.into();
    }
    let cell = cell.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    cell.replace('\n', "<br>").into()
}

fn json(cell: &str) -> Cow<'_, str> {
    serde_json::Value::from(cell).to_string().into()
}

fn csv(cell: &str) -> Cow<'_, str> {
    match cell.contains(['"', ',', '\n', '\r']) || cell.starts_with('#') {
        true => format!("\"{}\"", cell.replace('"', "\"\"")).into(),
        false => cell.into(),
    }
}
