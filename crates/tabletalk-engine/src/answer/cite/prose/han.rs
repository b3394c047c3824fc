//! Chinese has no capitals, so any two characters may be a name: what a sentence says must stand in the text, but for
//! the words by which sentences are put together.

/// Words that sentences are put together with, and that are no names and no numbers.
const JOINING: &str = "以及 因此 因为 由于 所以 但是 然而 不过 同时 此外 另外 并且 而且 其中 包括 主要 表示 指出 认为 提到 说明 显示 根据 \
报告 文中 文件 资料 表明 可以 需要 已经 没有 这些 那些 这个 那个 它们 他们 她们 我们 如果 虽然 尽管 通过 对于 关于 方面 情况 例如 比如 之间 之后 之前 \
目前 一些 一种 进行 成为 作为 属于 位于 具有 存在 导致 造成 使得 从而 其他 其它 称为 就是 还有 也是 都是 不是 而是 因為 由於 但是 然後 這些 那個 這個 沒有 \
已經 報告 顯示 認為 為了 为了 對於 關於 並且 之間 之後 雖然 儘管 情況 進行 成為 作為 屬於 位於 導致 從而 稱為 還有";
/// Characters of the same kind.
const PARTICLES: &str = "的地得了着著过過是在和与與及或而但并並且也都就还還又很吗嗎呢吧为為对對于於关關从從到被把将將由向往以之所等其该該此这這那有个個\
们們他她它我你您会會能可要让讓使即则則如若因故者时時后後前中上下内內外里裡间間更最较較只仅僅已曾正再才";

/// Whether all Chinese of a sentence stands in a text, two characters together at least, but for joining words.
pub(super) fn is_covered(sentence: &str, text: &str) -> bool {
    let sentence: Vec<char> = sentence.chars().collect();
    let text = plain(text);
    let joining: Vec<Vec<char>> = JOINING.split_whitespace().map(|word| word.chars().collect()).collect();
    let mut at = 0;
    while let Some(c) = sentence.get(at) {
        let rest = sentence.get(at..).unwrap_or_default();
        let taken = match is_han(*c) {
            false => 1,
            true => covered(rest, &text, &joining)
                .or_else(|| is_beside(&sentence, at, &text).then_some(1))
                .unwrap_or_default(),
        };
        if taken == 0 {
            return false;
        }
        at += taken;
    }
    true
}

/// Whether a character stands in the text with the one before or after it, which may be a digit.
fn is_beside(sentence: &[char], at: usize, text: &str) -> bool {
    let mut pairs =
        [at.checked_sub(1), Some(at)].into_iter().flatten().filter_map(|from| sentence.get(from..from + 2));
    pairs.any(|pair| text.contains(pair.iter().collect::<String>().as_str()))
}

/// How many characters at the beginning stand in the text or join.
fn covered(rest: &[char], text: &str, joining: &[Vec<char>]) -> Option<usize> {
    let han = rest.iter().take_while(|c| is_han(**c)).count();
    let longest = (2..=han)
        .rev()
        .find(|n| rest.get(..*n).is_some_and(|part| text.contains(part.iter().collect::<String>().as_str())));
    let joins = joining.iter().filter(|word| rest.starts_with(word)).map(Vec::len).max();
    let particle = rest.first().is_some_and(|c| PARTICLES.contains(*c)).then_some(1);
    longest.or(joins).or(particle)
}

fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

pub(super) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "供应商宏达在三月延迟交货，原因是台风。";

    #[test]
    fn what_the_text_says_is_covered() {
        assert!(is_covered("宏达因为台风延迟交货。", TEXT));
        assert!(is_covered("报告指出，供应商宏达延迟交货。", TEXT));
    }

    #[test]
    fn a_name_or_number_that_is_made_up_is_not() {
        for said in
            ["宏远因为台风延迟交货。", "宏达在四月延迟交货。", "宏达因为地震延迟交货", "两家供应商延迟交货"]
        {
            assert!(!is_covered(said, TEXT), "{said}");
        }
    }
}
