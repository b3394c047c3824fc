//! Facets as flat keys and values, and filters as rules over these, for engines that compare numbers and match texts but
//! have no order of texts.
//!
//! A field that is a number has the keys `n:field` (the number) and `u:field` (its text); any other has `t:field` (its
//! text). So that texts can be compared as well, the first bytes of each also stand there as whole numbers that are
//! ordered as the texts are: `t0:field`, `t1:field` and so on. Where these are not enough, since a bound is longer,
//! the engine is asked which texts begin like it.

use serde::ser::SerializeMap;
use serde_json::Value;
use tabletalk_core::Result;
use tabletalk_core::seam::store::{Facet, Facets, Filter, Test};

/// How a number compares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Sign {
    Less,
    AtMost,
    Equal,
    AtLeast,
    Greater,
}

/// A condition on keys. A point without the key does not meet it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Rule {
    /// All of these hold.
    All(Vec<Rule>),
    /// One of these holds.
    Any(Vec<Rule>),
    /// The value is one of these, which are all texts, all whole numbers, or all other numbers.
    Is(String, Vec<Value>),
    /// The value compares so.
    Compare(String, Sign, Value),
}

impl Rule {
    /// Adds the keys that it looks at.
    pub(crate) fn keys<'a>(&'a self, into: &mut Vec<&'a str>) {
        match self {
            Rule::All(rules) | Rule::Any(rules) => rules.iter().for_each(|rule| rule.keys(into)),
            Rule::Is(key, _) | Rule::Compare(key, _, _) => into.push(key),
        }
    }
}

/// Says which texts stand under a key at points that meet a rule.
pub(crate) type Texts<'a> = &'a dyn Fn(&str, &Rule) -> Result<Vec<String>>;

/// How texts become numbers: so many bytes in one number, so many numbers at most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packing {
    pub(crate) bytes: usize,
    pub(crate) pieces: usize,
}

/// The key of a part of a field. Quotation marks and backslashes have no place in the paths of some engines.
fn key(part: &str, field: &str) -> String {
    match field.contains(['%', '"', '\\']) {
        true => format!("{part}:{}", field.replace('%', "%25").replace('"', "%22").replace('\\', "%5c")),
        false => format!("{part}:{field}"),
    }
}

fn piece(family: &str, at: usize) -> String {
    format!("{family}{at}")
}

fn finite(facet: &Facet) -> Option<f64> {
    facet.number.filter(|n| n.is_finite())
}

impl Packing {
    /// The first bytes of a text as numbers, ordered as the texts are. The number in which a text ends tells so, since a
    /// byte that is there is not zero: where two texts have the same number and one goes on, both do.
    fn pieces(self, text: &str) -> Vec<i64> {
        let bytes = text.as_bytes();
        let number = |from: usize| {
            (from..from + self.bytes)
                .fold(0, |n, at| n * 257 + bytes.get(at).map_or(0, |b| i64::from(*b) + 1))
        };
        let all = bytes.len() / self.bytes + 1;
        (0..all.min(self.pieces)).map(|at| number(at * self.bytes)).collect()
    }

    /// Whether the pieces of a text may be those of another one as well.
    fn is_cut(self, text: &str) -> bool {
        text.len() >= self.bytes * self.pieces
    }

    /// Writes facets as entries of a map.
    pub(crate) fn write<M: SerializeMap>(self, facets: &Facets, map: &mut M) -> Result<(), M::Error> {
        for (field, facet) in facets {
            let family = match finite(facet) {
                Some(number) => {
                    map.serialize_entry(&key("n", field), &number)?;
                    "u"
                }
                None => "t",
            };
            map.serialize_entry(&key(family, field), &facet.text)?;
            for (at, number) in self.pieces(&facet.text).iter().enumerate() {
                map.serialize_entry(&key(&piece(family, at), field), number)?;
            }
        }
        Ok(())
    }

    /// The rules that a point must meet to pass all filters; `None` when none can.
    pub(crate) fn rules(self, filters: &[Filter], texts: Texts<'_>) -> Result<Option<Vec<Rule>>> {
        let mut rules = Vec::with_capacity(filters.len());
        for filter in filters {
            let any = match &filter.test {
                Test::Is(values) => is(&filter.field, values),
                Test::From(least) => self.beyond(&filter.field, least, Sign::AtLeast, texts)?,
                Test::To(most) => self.beyond(&filter.field, most, Sign::AtMost, texts)?,
            };
            if any.is_empty() {
                return Ok(None);
            }
            rules.push(Rule::Any(any));
        }
        Ok(Some(rules))
    }

    /// Number against number, else text against text.
    fn beyond(self, field: &str, bound: &str, sign: Sign, texts: Texts<'_>) -> Result<Vec<Rule>> {
        let bound = Facet::of(bound);
        let words = self.texts_beyond(field, "t", &bound.text, sign, texts)?;
        Ok(match finite(&bound) {
            Some(number) => vec![Rule::Compare(key("n", field), sign, number.into()), words],
            None => vec![words, self.texts_beyond(field, "u", &bound.text, sign, texts)?],
        })
    }

    /// The first piece that differs decides.
    fn texts_beyond(
        self,
        field: &str,
        family: &str,
        bound: &str,
        sign: Sign,
        texts: Texts<'_>,
    ) -> Result<Rule> {
        let strictly = if sign == Sign::AtLeast { Sign::Greater } else { Sign::Less };
        let pieces = self.pieces(bound);
        let compare =
            |at: usize, sign: Sign| Rule::Compare(key(&piece(family, at), field), sign, pieces[at].into());
        let last = pieces.len() - 1;
        let mut rule = match self.is_cut(bound) {
            false => compare(last, sign),
            true => {
                let alike = Rule::All((0..=last).map(|at| compare(at, Sign::Equal)).collect());
                let text_key = key(family, field);
                let passes = |text: &String| match sign {
                    Sign::AtLeast => text.as_str() >= bound,
                    _ => text.as_str() <= bound,
                };
                let found: Vec<Value> =
                    texts(&text_key, &alike)?.into_iter().filter(passes).map(Value::from).collect();
                let mut any = vec![compare(last, strictly)];
                any.extend((!found.is_empty()).then_some(Rule::Is(text_key, found)));
                Rule::Any(any)
            }
        };
        for at in (0..last).rev() {
            rule = Rule::Any(vec![compare(at, strictly), Rule::All(vec![compare(at, Sign::Equal), rule])]);
        }
        Ok(rule)
    }
}

fn is(field: &str, values: &[String]) -> Vec<Rule> {
    let facets: Vec<Facet> = values.iter().map(|v| Facet::of(v)).collect();
    let text = |facet: &Facet| Value::from(facet.text.clone());
    let sides: [(&str, Vec<Value>); 3] = [
        ("n", facets.iter().filter_map(finite).map(Value::from).collect()),
        ("t", facets.iter().map(text).collect()),
        ("u", facets.iter().filter(|f| finite(f).is_none()).map(text).collect()),
    ];
    let sides = sides.into_iter().filter(|(_, values)| !values.is_empty());
    sides.map(|(part, values)| Rule::Is(key(part, field), values)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;
    use std::cmp::Ordering;

    const PACKING: Packing = Packing { bytes: 3, pieces: 2 };

    struct Flat<'a>(&'a Facets);

    impl serde::Serialize for Flat<'_> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            PACKING.write(self.0, &mut map)?;
            map.end()
        }
    }

    fn meets(point: &Map<String, Value>, rule: &Rule) -> bool {
        match rule {
            Rule::All(rules) => rules.iter().all(|r| meets(point, r)),
            Rule::Any(rules) => rules.iter().any(|r| meets(point, r)),
            Rule::Is(key, values) => point.get(key).is_some_and(|v| values.contains(v)),
            Rule::Compare(key, sign, value) => {
                let (Some(a), Some(b)) = (point.get(key).and_then(Value::as_f64), value.as_f64()) else {
                    return false;
                };
                match sign {
                    Sign::Less => a < b,
                    Sign::AtMost => a <= b,
                    Sign::Equal => a == b,
                    Sign::AtLeast => a >= b,
                    Sign::Greater => a > b,
                }
            }
        }
    }

    #[test]
    fn rules_pass_what_filters_pass() {
        let values = [
            "",
            "a",
            "ab",
            "abc",
            "abcd",
            "abcdef",
            "abcdefg",
            "abcdefh",
            "abd",
            "B",
            "表格",
            "9",
            "10",
            "1,000",
            "1000",
            "-2.5",
            "EUR 5",
            "eur 5",
            "2024-01-05",
            "2024-01-06",
            "a\0",
            "\u{10ffff}",
            "abc\0",
        ];
        let points: Vec<Map<String, Value>> = values
            .iter()
            .map(|v| serde_json::to_value(Flat(&vec![("f\"%\\".into(), Facet::of(v))])).unwrap())
            .map(|v| v.as_object().unwrap().clone())
            .collect();
        let texts = |key: &str, rule: &Rule| {
            let alike = points.iter().filter(|p| meets(p, rule)).filter_map(|p| p.get(key));
            Ok(alike.map(|v| v.as_str().unwrap().to_owned()).collect())
        };
        for bound in values {
            for test in [
                Test::Is(vec![bound.into()]),
                Test::Is(vec![bound.into(), "abc".into(), "9.0".into()]),
                Test::From(bound.into()),
                Test::To(bound.into()),
            ] {
                let filter = Filter { field: "f\"%\\".into(), test };
                let rules = PACKING.rules(std::slice::from_ref(&filter), &texts).unwrap().unwrap();
                for (value, point) in values.iter().zip(&points) {
                    let passes = rules.iter().all(|r| meets(point, r));
                    assert_eq!(passes, filter.passes(value), "{filter:?} {value:?} {rules:?}");
                }
            }
        }
        let nothing = Filter { field: "f".into(), test: Test::Is(Vec::new()) };
        assert_eq!(PACKING.rules(&[nothing], &texts).unwrap(), None);
    }

    #[test]
    fn pieces_are_ordered_as_texts_are() {
        let packing = Packing { bytes: 2, pieces: 100 };
        let texts = ["", "\0", "\0\0", "a", "a\0", "aa", "aaa", "aaaa", "aab", "ab", "b", "é", "表"];
        for a in texts {
            for b in texts {
                assert_eq!(packing.pieces(a).cmp(&packing.pieces(b)), a.cmp(b), "{a:?} {b:?}");
            }
        }
        assert_eq!(
            Ordering::Less,
            Packing { bytes: 7, pieces: 1 }.pieces("\u{10ffff}\u{10ffff}").cmp(&vec![i64::MAX])
        );
    }
}
