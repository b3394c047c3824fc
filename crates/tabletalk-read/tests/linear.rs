//! Every reader takes time in proportion to its input, or says which limit was reached: inputs that are nested deep, long or
//! wide, of some hundred thousand bytes each. Quadratic readers take minutes for these.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a failure is what a test is for")]

use std::time::{Duration, Instant};
use tabletalk_core::seam::{Limits, Source};
use tabletalk_core::{Block, Result, Rows};

/// What reading one of these may take without optimisation on a busy machine.
const MOST: Duration = Duration::from_secs(30);

fn read_all(name: &str, content: &[u8]) -> Result<usize> {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join(name);
    std::fs::write(&path, content)?;
    let mut blocks = 0;
    for document in tabletalk_read::read(&Source::new(&path, name, &Limits::default()))? {
        for block in document?.blocks {
            blocks += 1;
            let Block::Table(table) = block else { continue };
            if let Rows::Stream(mut rows) = table.rows {
                while rows.next_batch()?.is_some() {}
            }
        }
    }
    Ok(blocks)
}

#[track_caller]
fn check(name: &str, content: impl AsRef<[u8]>) {
    let content = content.as_ref();
    let begun = Instant::now();
    let read = read_all(name, content);
    let took = begun.elapsed();
    let first = String::from_utf8_lossy(&content[..content.len().min(30)]).into_owned();
    eprintln!(
        "{took:>10.2?} {} bytes {name} {first:?}: {:?}",
        content.len(),
        read.map_err(|e| e.to_string())
    );
    assert!(took < MOST, "{name} {first:?} took {took:?}");
}

fn nested(open: &str, inside: &str, close: &str, times: usize) -> String {
    [&open.repeat(times), inside, &close.repeat(times)].concat()
}

fn many(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect()
}

#[test]
fn pages() {
    check("a.html", nested("<div>", "x", "</div>", 50_000));
    check("a.html", nested("<table><tr><td>", "x", "</td></tr></table>", 10_000));
    check("a.html", nested("<ul><li>item ", "x", "</li></ul>", 20_000));
    check("a.html", nested("<b>", "x", "</b>", 50_000));
    check("a.html", nested("<span>", "x", "</span>", 50_000));
    check("a.html", format!("{}{}", many(400, |i| format!("<font size={i}>")), "<p>x".repeat(20_000)));
    check("a.html", format!("<div {}>x</div>", many(100_000, |i| format!("a{i}=1 "))));
    check("a.html", many(20_000, |i| format!("<body a{i}=1>")));
    check("a.html", format!("<p>{}</p>", "Sales grew by a lot. ".repeat(200_000)));
    check("a.html", many(20_000, |i| format!("<p>one <b>two</b> number {i} &amp; more</p>")));
    check("a.html", many(20_000, |i| format!("<td>{i}")));
    check("a.html", format!("<table><tr>{}</tr></table>", "<td>x".repeat(10_000)));
    check("a.html", format!("<table>{}</table>", "<tr><td>x<td>1".repeat(20_000)));
    check(
        "a.html",
        format!("<table><tr>{}</tr>{}</table>", "<td colspan=1000>x".repeat(16), "<tr><td>1".repeat(20_000)),
    );
}

#[test]
fn markdown() {
    check("a.md", "Sales grew by a lot. ".repeat(200_000));
    check("a.md", "> ".repeat(20_000) + "x");
    check("a.md", many(1_000, |i| format!("{}- x\n", "  ".repeat(i))));
    check("a.md", "*a _b ".repeat(50_000));
    check("a.md", "[".repeat(50_000));
    check("a.md", "![a](".repeat(50_000));
    check("a.md", "<div>\n\n".repeat(20_000));
    check("a.md", "`a``b```c".repeat(20_000));
    check("a.md", format!("|{}\n|{}\n", "a|".repeat(10_000), "-|".repeat(10_000)));
    check("a.md", many(20_000, |i| format!("[^{i}]: note\n\nTable {i}: x\n\n")));
}

#[test]
fn text() {
    check("a.txt", "Sales grew by a lot. ".repeat(200_000));
    check("a.txt", "a line of a log\n".repeat(250_000));
    check("a.txt", "x".repeat(4 << 20));
    check("a.txt", "\n".repeat(2 << 20) + "x");
}

#[test]
fn json() {
    check("a.json", nested("[", "1", "]", 100_000));
    check("a.json", nested("{\"a\":", "1", "}", 100_000));
    check("a.json", format!("{{{}\"z\":1}}", many(50_000, |i| format!("\"k{i}\":{i},"))));
    check("a.json", format!("[{}{{}}]", many(20_000, |i| format!("{{\"k{i}\":{i}}},"))));
    check("a.jsonl", many(20_000, |i| format!("{{\"k{i}\":{i}}}\n")));
    check("a.jsonl", many(20_000, |i| format!("{{\"a\":{i},\"b\":[{i}]}}\n")));
    check("a.json", format!("[\"{}\"]", "x".repeat(4 << 20)));
}

#[test]
fn delimited() {
    check("a.csv", format!("{}\n", "abc,".repeat(15_000)).repeat(20));
    check("a.csv", format!("a,b\n1,\"{}\"\n2,x\n", "long ".repeat(800_000)));
    check("a.csv", format!("a,b\n1,\"{}\n", "long\n".repeat(800_000)));
    check("a.csv", "\"\n".repeat(500_000));
    check("a.csv", format!("a,b\n{}", "x".repeat(4 << 20)));
    check("a.csv", many(1_000, |i| format!("{}\n", "1,".repeat(i))));
}

#[test]
fn rich_text() {
    check("a.rtf", format!("{{\\rtf1 {}}}", nested("{", "x", "}", 100_000)));
    check("a.rtf", format!("{{\\rtf1 {}}}", "Sales grew by a lot. ".repeat(200_000)));
    check("a.rtf", format!("{{\\rtf1 {}}}", "\\trowd\\cellx100 x\\cell\\row ".repeat(20_000)));
    check("a.rtf", format!("{{\\rtf1 {}}}", "\\b ".repeat(200_000)));
}
