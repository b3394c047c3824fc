//! Equations as a line of plain text: `(a+b)/2`, `x^2`, `√(y)`.

use super::xml::Node;

/// The text of an equation.
pub(super) fn text(node: &Node) -> String {
    let mut out = String::new();
    children(node, &mut out);
    out
}

fn children(node: &Node, out: &mut String) {
    for child in node.nodes() {
        write(child, out);
    }
}

fn write(node: &Node, out: &mut String) {
    match node.name() {
        "t" => out.push_str(&node.text()),
        "f" => fraction(node, out),
        "sSup" => raised(node, &[("^", "sup")], out),
        "sSub" => raised(node, &[("_", "sub")], out),
        "sSubSup" | "sPre" => raised(node, &[("_", "sub"), ("^", "sup")], out),
        "limLow" => raised(node, &[("_", "lim")], out),
        "limUpp" => raised(node, &[("^", "lim")], out),
        "rad" => root(node, out),
        "nary" => sum(node, out),
        "d" => fenced(node, out),
        "m" | "eqArr" => rows(node, out),
        "oMath" => {
            children(node, out);
            out.push(' ');
        }
        name if name.ends_with("Pr") => {}
        _ => children(node, out),
    }
}

/// A part, in parentheses when it is more than one sign.
fn part(node: &Node, name: &str) -> String {
    let inner = node.child(name).map(text).unwrap_or_default();
    let inner = inner.trim();
    if inner.chars().count() > 1 && !inner.chars().all(char::is_alphanumeric) {
        format!("({inner})")
    } else {
        inner.to_owned()
    }
}

fn fraction(node: &Node, out: &mut String) {
    out.push_str(&format!("{}/{}", part(node, "num"), part(node, "den")));
}

fn raised(node: &Node, marks: &[(&str, &str)], out: &mut String) {
    out.push_str(&part(node, "e"));
    for (mark, name) in marks {
        let inner = part(node, name);
        if !inner.is_empty() {
            out.push_str(mark);
            out.push_str(&inner);
        }
    }
}

fn root(node: &Node, out: &mut String) {
    let degree = node.child("deg").map(text).unwrap_or_default();
    let inner = node.child("e").map(text).unwrap_or_default();
    out.push_str(&format!("{}√({})", degree.trim(), inner.trim()));
}

/// A sum, product or integral with its limits.
fn sum(node: &Node, out: &mut String) {
    let sign = node.child("naryPr").and_then(|p| p.value("chr")).unwrap_or("∫");
    out.push_str(sign);
    for (mark, name) in [("_", "sub"), ("^", "sup")] {
        let inner = part(node, name);
        if !inner.is_empty() {
            out.push_str(mark);
            out.push_str(&inner);
        }
    }
    out.push_str(&node.child("e").map(text).unwrap_or_default());
}

fn fenced(node: &Node, out: &mut String) {
    let sign = |name: &str, usual: &str| {
        let found = node.child("dPr").and_then(|p| p.value(name)).map(str::to_owned);
        found.unwrap_or_else(|| usual.to_owned())
    };
    let inner: Vec<String> = node.all("e").map(text).collect();
    out.push_str(&format!(
        "{}{}{}",
        sign("begChr", "("),
        inner.join(&sign("sepChr", "|")),
        sign("endChr", ")")
    ));
}

fn rows(node: &Node, out: &mut String) {
    let rows = node.nodes().filter(|n| n.is("mr") || n.is("e"));
    let rows: Vec<String> = rows
        .map(
            |row| if row.is("mr") { row.all("e").map(text).collect::<Vec<_>>().join(" ") } else { text(row) },
        )
        .collect();
    out.push_str(&rows.join("; "));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::office::xml;

    #[test]
    fn writes_equations_on_one_line() {
        let xml = "<m:oMath><m:r><m:t>x=</m:t></m:r><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den>
            <m:r><m:t>2</m:t></m:r></m:den></m:f><m:rad><m:deg/><m:e><m:sSup><m:e><m:r><m:t>y</m:t></m:r></m:e>
            <m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:e></m:rad></m:oMath>";
        assert_eq!(text(&xml::parse(xml.as_bytes()).unwrap().root), "x=(a+b)/2√(y^2)");
    }
}
