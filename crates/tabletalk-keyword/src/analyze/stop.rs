//! Words that say nothing about what is looked for.

use super::fold;
use rustc_hash::FxHashSet;

const ENGLISH: &str = "a about after all also am an and any are as at be because been before being between both but \
by can could did do does doing during each every few for from further had has have having he her here hers him his how \
i if in into is it its itself just many me more most much my of off on once only or other our out over own s same she \
should so some such t than that the their them then there these they this those through to too under until up very was \
we were what when where which while who whom whose why will with would you your \
find give list please show tell";

const CHINESE: &str = "的 地 得 了 着 过 是 在 和 与 及 或 而 但 并 且 也 都 就 还 又 很 吗 呢 吧 啊 呀 嘛 哪 哪些 哪个 哪里 哪家 \
什么 多少 几 几个 谁 怎么 怎样 怎么样 如何 为什么 是否 请 请问 帮 帮我 我 我们 你 你们 他 她 它 他们 它们 以及 其 其中 该 此 这 那 \
这个 那个 这些 那些 这里 那里 有 没有 为 对 对于 关于 从 到 被 把 将 由 向 往 于 以 之 所 等 等等 一下 告诉 查询 查一查 查找 想 要 想要 \
知道 需要 能 能否 可以 分别";

/// The words dropped from queries.
pub(super) struct StopWords {
    words: FxHashSet<String>,
}

impl StopWords {
    /// The words of `text`, one or several a line, `#` before a remark; the built-in ones without it.
    pub(super) fn new(text: Option<&str>) -> Self {
        let lines = match text {
            Some(text) => text.trim_start_matches('\u{FEFF}').lines().collect(),
            None => vec![ENGLISH, CHINESE],
        };
        let lines = lines.into_iter().map(|line| line.split('#').next().unwrap_or_default());
        StopWords { words: lines.flat_map(str::split_whitespace).map(spelled).collect() }
    }

    /// Whether the word, as it stands in the text, is one of them.
    pub(super) fn contains(&self, word: &str) -> bool {
        self.words.contains(&spelled(word))
    }
}

/// The word as it is compared: folded but not stemmed, so that a stem is not taken for another word.
fn spelled(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        if fold::is_han(c) { out.push(fold::simplify(c)) } else { fold::fold_into(c, &mut out) }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_english_and_chinese_ones_however_written() {
        let words = StopWords::new(None);
        assert!(words.contains("The") && words.contains("多少") && words.contains("請問"));
        assert!(!words.contains("table") && !words.contains("收入"));
    }

    #[test]
    fn takes_the_words_of_the_user_instead() {
        let words = StopWords::new(Some("company inc # legal forms\n公司\n"));
        assert!(words.contains("Inc") && words.contains("公司"));
        assert!(!words.contains("the") && !words.contains("legal"));
    }
}
