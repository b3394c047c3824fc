//! Names of metrics: their order, which of them matter most, and how their values are written.

use crate::metric::Mean;

/// Metrics of the whole, in the order in which they are shown; those not named here stand between.
const FIRST: [&str; 12] = [
    "accuracy",
    "coverage",
    "precision",
    "exact_match",
    "f1",
    "macro_f1",
    "citation",
    "recall@",
    "precision@",
    "f1@",
    "ndcg@",
    "mrr",
];
const LAST: [&str; 4] = ["prompt_tokens", "reply_tokens", "calls", "ms"];

/// The order in which they are chosen where there is not room for all.
const CHOSEN: [&str; 14] = [
    "accuracy",
    "recall@",
    "prompt_tokens",
    "coverage",
    "mrr",
    "ms",
    "ndcg@",
    "precision",
    "macro_f1",
    "exact_match",
    "f1",
    "citation",
    "calls",
    "reply_tokens",
];

const LEVELS: [&str; 4] = ["", "row", "column", "cell"];

/// The `K` that stands for its curve.
const USUAL: f64 = 10.0;

/// `row.recall@10` as `("row", "recall@10")`.
pub fn level(name: &str) -> (&str, &str) {
    name.split_once('.').unwrap_or(("", name))
}

/// `recall@10` as `("recall@", 10)`.
fn stem(base: &str) -> (&str, usize) {
    let Some(at) = base.find('@') else { return (base, 0) };
    let (stem, k) = base.split_at(at + 1);
    (stem, k.parse().unwrap_or_default())
}

/// Whether it is a share from 0 to 1; the others are plain numbers, and less of them is better.
pub fn is_share(name: &str) -> bool {
    let (_, base) = level(name);
    !(base.ends_with("tokens") || base == "calls" || base == "ms" || base.starts_with("ms_"))
}

/// Each name once, in the order in which they are shown.
pub fn ordered<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_by_key(|name| place(name));
    names.dedup();
    names
}

fn place(name: &str) -> (usize, usize, usize, &str) {
    let (level, base) = level(name);
    let (stem, k) = stem(base);
    let found = FIRST.iter().position(|n| *n == stem);
    let last = LAST.iter().position(|n| *n == stem).map(|i| FIRST.len() + 1 + i);
    (rank(level), found.or(last).unwrap_or(FIRST.len()), k, name)
}

fn rank(level: &str) -> usize {
    LEVELS.iter().position(|l| *l == level).unwrap_or(LEVELS.len())
}

/// The same names, those first that matter most.
pub fn by_weight<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let mut sorted = names.to_vec();
    sorted.sort_by_key(|name| weight(names, name));
    sorted
}

/// Of a curve its usual point comes first: that of the whole, then those of the levels. Its other points come next,
/// and what else there is last.
fn weight(names: &[&str], name: &str) -> (usize, usize, usize, usize) {
    let (level, base) = level(name);
    let (stem, k) = stem(base);
    let is_usual = k == 0 || nearest(names, stem, level) == Some(k);
    let chosen = CHOSEN.iter().position(|n| *n == stem).unwrap_or(CHOSEN.len());
    let group = match (is_usual, stem == "recall@") {
        (true, true) => 0,
        (true, false) if level.is_empty() && chosen < CHOSEN.len() => 0,
        (false, true) => 1,
        (true, false) => 2,
        (false, false) => 3,
    };
    (group, chosen, rank(level), k)
}

/// The `K` nearest to the usual one.
fn nearest(names: &[&str], wanted: &str, of: &str) -> Option<usize> {
    let ks = names.iter().filter_map(|name| {
        let (level, base) = level(name);
        let (stem, k) = stem(base);
        (stem == wanted && level == of && k > 0).then_some(k)
    });
    ks.min_by(|a, b| distance(*a).total_cmp(&distance(*b)))
}

fn distance(k: usize) -> f64 {
    ((k as f64).ln() - USUAL.ln()).abs()
}

/// The metric that a set is judged by.
pub fn lead<'a>(names: &[&'a str]) -> Option<&'a str> {
    let known = ["accuracy", "macro_f1", "exact_match", "f1"];
    let known = known.iter().find_map(|wanted| names.iter().find(|name| name == &wanted));
    let weighed = by_weight(names);
    known.or_else(|| weighed.iter().find(|name| is_share(name))).or(weighed.first()).copied()
}

/// The points `K` of a curve of recall at a level, with the names of the metrics.
pub fn curve<'a>(names: &[&'a str], of: &str) -> Vec<(usize, &'a str)> {
    let points = names.iter().filter_map(|name| match (level(name), stem(level(name).1)) {
        ((at, _), ("recall@", k)) if at == of && k > 0 => Some((k, *name)),
        _ => None,
    });
    let mut points: Vec<_> = points.collect();
    points.sort_unstable();
    points
}

/// A name as people read it.
pub fn words(name: &str) -> String {
    name.replace(['.', '_'], " ")
}

/// A name at the head of a plot.
pub fn title(name: &str) -> String {
    if name == "ms" {
        return "Milliseconds".to_owned();
    }
    let words = words(name);
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// A value as it is shown.
pub fn value(name: &str, value: f64) -> String {
    match is_share(name) {
        _ if !value.is_finite() => "–".to_owned(),
        true => format!("{value:.3}"),
        false => plain(value),
    }
}

/// A value with its interval.
pub fn with_interval(name: &str, mean: &Mean) -> String {
    let text = value(name, mean.mean);
    match is_share(name) && mean.is_finite() {
        true => format!("{text} ({} to {})", value(name, mean.low), value(name, mean.high)),
        false => text,
    }
}

/// A difference with its sign.
pub fn signed(name: &str, value: f64) -> String {
    match is_share(name) {
        _ if !value.is_finite() => "–".to_owned(),
        true => format!("{value:+.3}"),
        false if value < 0.0 => format!("-{}", plain(-value)),
        false => format!("+{}", plain(value)),
    }
}

/// A plain number with as many digits as are worth reading.
pub fn plain(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 || value.fract() == 0.0 => grouped(value),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A whole number with its thousands apart.
pub fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0.0 && text != "0" { format!("-{text}") } else { text }
}

/// How likely chance is.
pub fn chance(p: f64) -> String {
    match p {
        p if !p.is_finite() => "–".to_owned(),
        p if p < 0.001 => "< 0.001".to_owned(),
        p => format!("{p:.3}"),
    }
}

/// Seconds as people say them.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if !s.is_finite() => "–".to_owned(),
        s if s < 100.0 => format!("{s:.1} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_in_a_fixed_order() {
        let names =
            ["ms", "row.recall@5", "recall@100", "mrr", "recall@5", "new", "recall@10", "accuracy", "ms"];
        let right = ["accuracy", "recall@5", "recall@10", "recall@100", "mrr", "new", "ms", "row.recall@5"];
        assert_eq!(ordered(names.into_iter()), right);
    }

    #[test]
    fn the_usual_k_leads_and_levels_come_before_other_ks() {
        let names = ["recall@1", "recall@10", "recall@100", "mrr", "ms", "row.recall@1", "row.recall@10"];
        assert_eq!(lead(&names), Some("recall@10"));
        assert_eq!(by_weight(&names)[..3], ["recall@10", "row.recall@10", "mrr"]);
        assert_eq!(lead(&["ms", "row.recall@1", "row.recall@4"]), Some("row.recall@4"));
        assert_eq!(lead(&["coverage", "f1", "ms"]), Some("f1"));
        assert_eq!(lead(&["ms"]), Some("ms"));
        assert_eq!(lead(&[]), None);
    }

    #[test]
    fn curves_are_sorted_by_k() {
        let names = ["recall@100", "recall@5", "row.recall@5", "recall@x", "mrr"];
        assert_eq!(curve(&names, ""), [(5, "recall@5"), (100, "recall@100")]);
        assert_eq!(curve(&names, "row"), [(5, "row.recall@5")]);
    }

    #[test]
    fn values_are_written_with_the_digits_they_need() {
        let mean = Mean { mean: 0.5123, low: 0.443, high: 0.581 };
        assert_eq!(with_interval("accuracy", &mean), "0.512 (0.443 to 0.581)");
        assert_eq!(with_interval("accuracy", &Mean { mean: f64::NAN, ..mean }), "–");
        assert_eq!(
            [1234567.8, 12.34, 1.0, 0.256, -1234.0].map(plain),
            ["1,234,568", "12.3", "1", "0.26", "-1,234"]
        );
        assert_eq!(
            [signed("ms", -12.34), signed("f1", 0.01), signed("f1", f64::NAN)],
            ["-12.3", "+0.010", "–"]
        );
        assert_eq!([0.0001, 0.0421].map(chance), ["< 0.001", "0.042"]);
    }
}
