//! Whether two values, or two lists of them, are the same, however each is written.

use tabletalk_core::value;
use tabletalk_question::denote::normal;

/// How near two numbers must be that are not both whole: results are written with six decimals.
const NEAR: f64 = 1e-6;
/// What adding up leaves behind in the last digits of a large number, as a share of it.
const DUST: f64 = 1e-14;

/// Whether two values are the same: ignoring case, punctuation and spaces, numbers by value, dates by day.
pub(crate) fn same(a: &str, b: &str) -> bool {
    let (a, b) = (plain(a), plain(b));
    if a == b {
        return true;
    }
    if let (Some(x), Some(y)) = (value::boolean(&a), value::boolean(&b)) {
        return x == y;
    }
    match (number(&a), number(&b)) {
        (Some(x), Some(y)) => is_same_number(x, y),
        (None, None) => is_same_key(&a, &b) || (normal(&a) == normal(&b) && !normal(&a).is_empty()),
        _ => false,
    }
}

/// Whether two lists hold the same values, in whatever order.
pub fn same_all(a: &[String], b: &[String]) -> bool {
    let holds = |all: &[String], one: &String| all.iter().any(|other| same(one, other));
    a.is_empty() == b.is_empty() && a.iter().all(|one| holds(b, one)) && b.iter().all(|one| holds(a, one))
}

fn plain(text: &str) -> String {
    let text = text.trim().trim_matches(['"', '\'', '“', '”', '‘', '’', '.']).to_lowercase();
    let dashes = |c: char| if matches!(c, '–' | '—' | '−' | '‑') { '-' } else { c };
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().map(dashes).collect()
}

fn number(text: &str) -> Option<f64> {
    value::number(text).map(|n| n.value)
}

/// Whole numbers are counts, years and ids: one more is another one.
fn is_same_number(x: f64, y: f64) -> bool {
    let larger = x.abs().max(y.abs());
    let is_whole = x.fract() == 0.0 && y.fract() == 0.0;
    x == y || !is_whole && (x - y).abs() <= NEAR * larger.min(1.0) + DUST * larger
}

fn is_same_key(a: &str, b: &str) -> bool {
    let keys = value::keys(b);
    value::keys(a).iter().any(|key| keys.contains(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_same_however_they_are_written() {
        assert!(same("1,200", "1200.0") && same(" Oslo", "oslo") && same("2023-09-01", "1 Sep 2023"));
        assert!(same("yes", "true") && same("1990–91", "1990-91") && same("“Oslo”", "Oslo"));
        assert!(same("St. Louis", "st louis"));
        assert!(!same("12", "120") && !same("Oslo", "Bergen") && !same("12", "Oslo"));
    }

    #[test]
    fn whole_numbers_are_the_same_only_when_they_are_equal() {
        assert!(!same("10000", "10001") && !same("20000000", "20000001") && !same("20000000.5", "20000000"));
        assert!(same("398267.83", "398267.8300000003") && same("0.333333", "0.3333333333"));
        assert!(!same("no", "0") && !same("yes", "1") && !same("no", "false positive"));
    }

    #[test]
    fn lists_are_the_same_in_whatever_order() {
        let list = |all: &[&str]| all.iter().map(|v| (*v).to_owned()).collect::<Vec<_>>();
        assert!(same_all(&list(&["a", "2"]), &list(&["2.0", "A"])));
        assert!(!same_all(&list(&["a"]), &list(&["a", "b"])) && !same_all(&list(&[]), &list(&["a"])));
    }
}
