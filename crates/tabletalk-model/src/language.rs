//! Which of the bundled encoders a text is for.

/// The language of a text, as far as the choice of a model needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// Chinese.
    Chinese,
    /// Any other.
    Other,
}

/// How many letters of a text decide.
const LOOKED_AT: usize = 1000;

/// Says whether `text` is Chinese: at least three in ten of its letters are Han, and it has hardly any kana or hangul.
///
/// A Han character says as much as a few Latin letters, so names in Latin letters do not outweigh a Chinese sentence.
pub fn language(text: &str) -> Language {
    let (mut han, mut kana, mut letters) = (0usize, 0usize, 0usize);
    for c in text.chars().filter(|c| c.is_alphabetic()).take(LOOKED_AT) {
        letters += 1;
        match c {
            '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}' => han += 1,
            '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9d}' => kana += 1,
            '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}' => kana += 1,
            _ => {}
        }
    }
    if han > 0 && han * 10 >= letters * 3 && kana * 20 <= han { Language::Chinese } else { Language::Other }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn han_is_chinese_and_kana_or_hangul_is_not() {
        assert_eq!(language("二零二三年的营业收入是多少？"), Language::Chinese);
        assert_eq!(language("腾讯 Tencent 的净利润"), Language::Chinese);
        assert_eq!(language("東京都の人口はどのくらいですか"), Language::Other);
        assert_eq!(language("서울의 인구는 얼마입니까 漢字"), Language::Other);
    }

    #[test]
    fn a_few_han_in_english_stay_english() {
        assert_eq!(language("the company 华为 reported higher revenue than last year"), Language::Other);
    }

    #[test]
    fn text_without_letters_is_other() {
        assert_eq!(language(""), Language::Other);
        assert_eq!(language("42 % 🚀 —"), Language::Other);
    }
}
