//! The numbers that a text says: digits with what scales them, and numbers in words.

use tabletalk_core::value;

/// Numbers in words, by the digits they stand for. `one` and its like are mostly no numbers, and left out.
const WORDS: &[(&str, &str)] = &[
    ("zero", "0"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("fifteen", "15"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("seventy", "70"),
    ("eighty", "80"),
    ("ninety", "90"),
    ("zwei", "2"),
    ("drei", "3"),
    ("vier", "4"),
    ("fünf", "5"),
    ("sechs", "6"),
    ("sieben", "7"),
    ("acht", "8"),
    ("neun", "9"),
    ("zehn", "10"),
    ("elf", "11"),
    ("zwölf", "12"),
    ("zwanzig", "20"),
    ("deux", "2"),
    ("trois", "3"),
    ("quatre", "4"),
    ("cinq", "5"),
    ("sept", "7"),
    ("huit", "8"),
    ("neuf", "9"),
    ("dix", "10"),
    ("onze", "11"),
    ("douze", "12"),
    ("vingt", "20"),
];
/// Words of amount that no digits are the same as: they must stand in the text themselves.
const AMOUNTS: &[&str] = &[
    "thirteen",
    "fourteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "dozen",
    "dozens",
    "hundred",
    "hundreds",
    "thousand",
    "thousands",
    "million",
    "millions",
    "billion",
    "billions",
    "trillion",
    "half",
    "halved",
    "halves",
    "quarter",
    "quarters",
    "third",
    "thirds",
    "twice",
    "double",
    "doubled",
    "triple",
    "tripled",
    "second",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "hundert",
    "tausend",
    "dreizehn",
    "dutzend",
    "hälfte",
    "doppelt",
    "viertel",
    "drittel",
    "cent",
    "mille",
    "moitié",
    "tiers",
    "quart",
];
/// What a number is scaled by where this stands behind it.
const SCALES: &[(&str, &str)] = &[
    ("%", "%"),
    ("percent", "%"),
    ("per cent", "%"),
    ("prozent", "%"),
    ("trillion", "t"),
    ("billion", "b"),
    ("bn", "b"),
    ("million", "m"),
    ("mio", "m"),
    ("thousand", "k"),
    ("万亿", "wy"),
    ("亿", "y"),
    ("億", "y"),
    ("万", "w"),
    ("萬", "w"),
];

/// The numbers of a text in a plain form, in which the same number is the same text.
pub(super) fn figures(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let mut found = digits(&text);
    for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()) {
        let as_digits = WORDS.iter().find(|(name, _)| *name == word).map(|(_, digits)| *digits);
        found.extend(as_digits.or(AMOUNTS.contains(&word).then_some(word)).map(str::to_owned));
    }
    found
}

/// The numbers that are written in digits, each with what scales it.
fn digits(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(char::is_numeric)) {
        let (head, tail) = text.split_at(from + at);
        let (number, after) = tail.split_at(length(tail));
        found.push(format!("{}{}{}", sign(head), plain(number), scale(after)));
        from += at + number.len();
    }
    found
}

/// How long a number is that a text begins with: signs between digits are part of it.
fn length(text: &str) -> usize {
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let is_sign = matches!(c, '.' | ',' | '\'' | '’');
        let next = text.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
        let joins = is_sign && next.is_some_and(|n| n.is_ascii_digit());
        if !(c.is_numeric() || joins) {
            break;
        }
        end = at + c.len_utf8();
    }
    end
}

/// A minus counts where no word or number stands before it: `2019-20` and `A-3` have none.
fn sign(head: &str) -> &'static str {
    let mut before = head.chars().rev();
    let is_minus = before.next().is_some_and(|c| matches!(c, '-' | '−'));
    if is_minus && before.next().is_none_or(|c| c.is_whitespace() || c == '(') { "-" } else { "" }
}

fn plain(number: &str) -> String {
    value::number(number).map_or_else(|| number.to_owned(), |n| value::plain_decimal(n.value))
}

fn scale(after: &str) -> &'static str {
    let after = after.trim_start_matches([' ', '\u{a0}']);
    SCALES.iter().find(|(word, _)| after.starts_with(word)).map_or("", |(_, sign)| sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_number_is_the_same_text() {
        assert_eq!(figures("1,200 of them"), figures("1200"));
        assert_eq!(figures("Twelve orders"), figures("12 orders"));
        assert_eq!(figures("5 %"), figures("5 percent"));
        assert_eq!(figures("共3.5亿元"), figures("3.5 亿"));
        assert_eq!(figures("nothing here"), Vec::<String>::new());
    }

    #[test]
    fn other_numbers_are_other_texts() {
        for (one, other) in [
            ("5 %", "5"),
            ("5 million", "5 billion"),
            ("-3 degrees", "3"),
            ("12", "120"),
            ("third", "fourth"),
        ] {
            assert_ne!(figures(one), figures(other), "{one} {other}");
        }
        assert_eq!(figures("2019-20"), ["2019", "20"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "[0-9a-z.,%\\-—两三②½ 万亿']{0,30}") {
            let _ = figures(&text);
        }
    }
}
