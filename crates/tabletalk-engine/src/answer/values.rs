//! Whether two values, or two lists of them, are the same, however each is written.

use tabletalk_core::value;
use tabletalk_question::denote::normal;

/// How near two numbers must be, as a share of the larger.
const NEAR: f64 = 1e-6;

/// Whether two values are the same: ignoring case, punctuation and spaces, numbers by value, dates by day.
pub(crate) fn same(a: &str, b: &str) -> bool {
    let (a, b) = (plain(a), plain(b));
    if a == b {
        return true;
    }
    match (number(&a), number(&b)) {
        (Some(x), Some(y)) => (x - y).abs() <= NEAR * x.abs().max(y.abs()),
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
    match value::boolean(text) {
        Some(truth) => Some(f64::from(u8::from(truth))),
        None => value::number(text).map(|n| n.value),
    }
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
    fn lists_are_the_same_in_whatever_order() {
        let list = |all: &[&str]| all.iter().map(|v| (*v).to_owned()).collect::<Vec<_>>();
        assert!(same_all(&list(&["a", "2"]), &list(&["2.0", "A"])));
        assert!(!same_all(&list(&["a"]), &list(&["a", "b"])) && !same_all(&list(&[]), &list(&["a"])));
    }
}
