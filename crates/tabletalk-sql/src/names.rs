//! Finding the name that was meant.

/// What a name came to.
#[derive(Debug, PartialEq)]
pub(crate) enum Found {
    /// The position of the one name that fits.
    One(usize),
    /// Positions of different names that fit equally well.
    Several(Vec<usize>),
    /// None fits.
    None,
}

/// The name without case, and without the difference between space, underscore and punctuation.
pub(crate) fn loose(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Finds `wanted`: exactly, else ignoring case, else ignoring spaces and punctuation too. The same name
/// twice is not two names: the first is taken.
pub(crate) fn find<'a>(wanted: &str, names: impl Iterator<Item = &'a str> + Clone) -> Found {
    let lower = wanted.to_lowercase();
    let bare = loose(wanted);
    let tiers: [&dyn Fn(&str) -> bool; 3] =
        [&|n| n == wanted, &|n| n.to_lowercase() == lower, &|n| !bare.is_empty() && loose(n) == bare];
    for fits in tiers {
        let mut hits: Vec<(usize, &str)> = Vec::new();
        for (i, name) in names.clone().enumerate() {
            if fits(name) && !hits.iter().any(|(_, n)| *n == name) {
                hits.push((i, name));
            }
        }
        match hits.as_slice() {
            [] => {}
            [(one, _)] => return Found::One(*one),
            many => return Found::Several(many.iter().map(|(i, _)| *i).collect()),
        }
    }
    Found::None
}

/// Up to three names that are written much like `wanted`, nearest first.
pub fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted: Vec<char> = loose(wanted).chars().take(64).collect();
    let allowed = (wanted.len() / 3).max(1);
    let mut scored: Vec<(usize, &str)> = Vec::new();
    for name in names {
        let other: Vec<char> = loose(name).chars().take(64).collect();
        let within =
            wanted.len() >= 3 && other.len() >= 3 && (contains(&other, &wanted) || contains(&wanted, &other));
        let distance = edits(&wanted, &other);
        if (distance <= allowed || within) && !scored.iter().any(|(_, n)| *n == name) {
            scored.push((distance, name));
        }
    }
    scored.sort_by_key(|(distance, _)| *distance);
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}

fn contains(long: &[char], short: &[char]) -> bool {
    long.windows(short.len()).any(|w| w == short)
}

/// How many letters must be changed, added, removed or swapped to make one of the other.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut least = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

/// `did you mean a, b or c?`, or nothing.
pub(crate) fn did_you_mean(nearest: &[&str]) -> Option<String> {
    let quoted: Vec<String> = nearest.iter().map(|n| format!("`{n}`")).collect();
    let (last, rest) = quoted.split_last()?;
    Some(match rest {
        [] => format!("did you mean {last}?"),
        _ => format!("did you mean {} or {last}?", rest.join(", ")),
    })
}

/// `did you mean a, b or c?`, of names that are written much like one that is not there; nothing where none is.
pub fn suggestion<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    did_you_mean(&nearest(wanted, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_names(wanted: &str, names: &[&str]) -> Found {
        find(wanted, names.iter().copied())
    }

    #[test]
    fn the_exact_name_wins_then_case_then_punctuation() {
        let names = ["total sales", "Total Sales", "Total_Sales"];
        assert_eq!(in_names("Total_Sales", &names), Found::One(2));
        assert_eq!(in_names("TOTAL_SALES", &names), Found::One(2));
        assert_eq!(in_names("TotalSales", &names), Found::Several(vec![0, 1, 2]));
        assert_eq!(in_names("Profit", &names), Found::None);
        assert_eq!(in_names("销售_额", &["销售额"]), Found::One(0));
    }

    #[test]
    fn a_name_that_comes_twice_is_one_name() {
        assert_eq!(in_names("year", &["Year", "Year"]), Found::One(0));
        assert_eq!(in_names("%", &["", "%%"]), Found::None);
    }

    #[test]
    fn names_what_was_probably_meant() {
        let names = ["revenue", "region", "year"];
        let near = nearest("revnue", names.iter().copied());
        assert_eq!(did_you_mean(&near).unwrap(), "did you mean `revenue`?");
        assert_eq!(nearest("reevnue", names.iter().copied()), ["revenue"]);
        assert!(nearest("weight", names.iter().copied()).is_empty());
    }
}
