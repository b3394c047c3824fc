//! Words that hint at an operation, in English, Chinese, German and French. They open a kind of program for reading; how
//! much each word speaks for it is learned.

use crate::mask::{Mask, span};
use crate::word::Word;

/// What a word hints at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cue {
    Count,
    Sum,
    Average,
    Most,
    Least,
    First,
    Last,
    Next,
    Previous,
    Differ,
    Not,
    Share,
    Truth,
    Among,
    More,
    Less,
    AtLeast,
    AtMost,
    Between,
    Either,
    By,
    Grow,
    Times,
    Rank,
}

impl Cue {
    /// How many cues there are.
    pub(crate) const COUNT: usize = 24;
}

/// Phrases of each cue, their words (in Chinese, characters) separated by spaces.
const PHRASES: [(Cue, &str); Cue::COUNT] = [
    (
        Cue::Count,
        "how many|number of|count|how often|times|total|amount|多 少|几|数 量|个 数|总 数|多 少 个|哪 些|条|wie viele|wieviele|anzahl|wie oft|zahl|combien|nombre|fois",
    ),
    (
        Cue::Sum,
        "total|sum|combined|altogether|overall|together|how many|how much|in all|entire|总|合 计|一 共|总 共|之 和|共|加 起 来|insgesamt|gesamt|summe|zusammen|wie viel|wieviel|somme|en tout|au total|combien|spend|spent|cost|paid|花|支 出",
    ),
    (
        Cue::Average,
        "average|mean|avg|typical|平 均|均 值|durchschnitt|durchschnittlich|durchschnittliche|durchschnittlichen|durchschnittlicher|durchschnittliches|durchschnittlichem|schnitt|mittel|mittlere|mittleren|moyenne|moyen|moyens|人 均",
    ),
    (
        Cue::Most,
        "most|highest|largest|biggest|longest|greatest|best|top|latest|last|newest|tallest|heaviest|max|maximum|more|\
         higher|larger|bigger|longer|greater|better|fastest|strongest|youngest|oldest|winner|won|first|later|richest|\
         leading|highly|peak|taller|heavier|widest|deepest|farthest|furthest|older|最 高|最 大|最 多|最 长|最 好|最|更|较|前|第|meisten|meiste|letzte|letzten|maximal|teurer|hoher|grosser|langer|mehr|plus|meilleur|meilleure|meilleurs|dernier|derniere|recent|maximum|champion|sieger|record|winning|win|wins|won|medallist|medallists|favourite|favourites|gold|runner|silver|rekord|gewonnen|gewann|gagne",
    ),
    (
        Cue::Least,
        "least|lowest|smallest|fewest|shortest|worst|bottom|earliest|first|min|minimum|less|fewer|lower|smaller|\
         shorter|earlier|slowest|youngest|oldest|lightest|fastest|quickest|narrowest|younger|older|lighter|last|top|\
         closest|nearest|best|最 低|最 小|最 少|最 短|最 差|最|更|较|倒 数|末|wenigsten|wenigste|minimal|moins|premier|premiere|pire|weniger|billiger|kleiner|kurzer|erste|ersten|petit|petite|petits|faible|basse|creuse|winning|won|win|back",
    ),
    (
        Cue::First,
        "first|top|earliest|start|started|begin|beginning|initial|began|oldest|original|second|third|fourth|fifth|1st|\
         2nd|3rd|4th|5th|listed|第|首|最 早|最 先|开 始|前|erste|ersten|erster|zuerst|zweite|zweiten|zweiter|dritte|dritten|premier|premiere|deuxieme|troisieme",
    ),
    (
        Cue::Last,
        "last|bottom|latest|final|end|ended|recent|recently|newest|current|ending|ultimate|最 后|末|最 近|最 晚|最 新|倒 数|最 终|letzte|letzten|letzter|zuletzt|dernier|derniere|derniers",
    ),
    (
        Cue::Next,
        "next|after|following|follows|followed|below|under|directly after|immediately|succeeded|subsequent|behind|later|\
         preceded|above|下 一|之 后|后 面|其 次|后 一|nachste|danach|suivant|suivante",
    ),
    (
        Cue::Previous,
        "previous|before|prior|preceding|precedes|preceded|above|ahead|directly before|immediately|earlier|preceeded|\
         previously|followed|followed by|over|上 一|之 前|前 面|前 一|vorherige|davor|precedent|precedente",
    ),
    (
        Cue::Differ,
        "difference|more|less|fewer|differ|between|than|longer|gap|apart|how much|how long|separated|from|higher|taller|\
         差|多|少|相 差|差 额|差 距|差 异|比|unterschied|differenz|mehr|weniger|als|wie viel|wieviel|ecart|plus|moins|combien|ahead|behind|left|remaining|ubrig|reste|剩|余|超",
    ),
    (
        Cue::Not,
        "not|never|no|except|besides|other than|excluding|without|other|n't|didn|doesn|wasn|isn|neither|nor|else|不|非|除|没 有|未|以 外|nicht|kein|keine|keinen|keiner|ohne|ausser|pas|sans|sauf|aucun|aucune|hors|nie|jamais|无",
    ),
    (
        Cue::Share,
        "percent|percentage|per cent|rate|rates|slice|attainment|taux|proportion|completion|margin|marge|cent|pct|proportion|share|fraction|ratio|占 比|比 例|百 分 之|占|prozent|anteil|prozentsatz|pourcentage|part|pourcent|quote|几 成|率",
    ),
    (Cue::Truth, "is|are|was|were|did|do|does|has|have|had|can|could|是 否|吗|有 没 有|是 不 是|对 不 对"),
    (
        Cue::Among,
        "those|these|them|they|that|it|this|one|ones|he|she|his|her|their|its|same|remaining|also|其 中|这 些|那 些|它|他|她|该|这",
    ),
    (
        Cue::More,
        "more than|over|above|greater than|higher than|larger than|bigger than|exceed|exceeds|exceeded|exceeding|after|\
         longer than|later than|better than|better|than|grew|grown|increased|rose|gained|improved|overspent|overran|too|beat|older than|older|taller than|beyond|greater|higher|larger|more|since|\
         大 于|高 于|超 过|多 于|超|之 后|以 后|晚 于|长 于|mehr als|uber|hoher als|grosser als|nach|seit|ab|plus de|superieur|superieure|superieurs|au dessus|apres|depuis|langer als|teurer als|alter als|ueber|高|多|gestiegen|zugenommen|gewonnen|ubertroffen|augmente|depasse|progresse|涨|升|增",
    ),
    (
        Cue::Less,
        "less than|under|below|lower than|smaller than|fewer than|shorter than|before|earlier than|younger than|prior to|\
         worse than|worse|less|fell|fallen|dropped|declined|decreased|slipped|lost|missed|lower|smaller|fewer|until|小 于|低 于|少 于|不 足|不 到|之 前|以 前|早 于|短 于|weniger als|unter|niedriger als|kleiner als|vor|moins de|inferieur|inferieure|inferieurs|en dessous|avant|sous|junger als|bis|低|少|gesunken|verloren|abgenommen|baisse|diminue|recule|perdu|降|跌|减|亏",
    ),
    (
        Cue::AtLeast,
        "at least|or more|or higher|or greater|no less than|not less than|minimum of|since|from|or above|or over|and up|\
         starting|or later|or better|or up|以 上|至 少|不 低 于|不 少 于|不 小 于|大 于 等 于|及 以 上|起|mindestens|ab|wenigstens|au moins|a partir de|depuis|seit",
    ),
    (
        Cue::AtMost,
        "at most|or less|or fewer|or lower|no more than|not more than|maximum of|up to|through|until|by|or below|or under|\
         or earlier|以 下|至 多|最 多|不 超 过|不 高 于|不 大 于|不 多 于|小 于 等 于|及 以 下|以 内|hochstens|maximal|bis|au plus|au maximum|jusqu",
    ),
    (Cue::Between, "between|from|to|and|through|之 间|至|到|介 于|zwischen|und|von|bis|entre|et|de|a|au"),
    (
        Cue::Either,
        "or|and|both|either|versus|vs|compared|than|还 是|和|与|或|以 及|、|oder|und|ou|et|beziehungsweise",
    ),
    (
        Cue::By,
        "by|per|each|every|breakdown|split|grouped|monthly|yearly|weekly|daily|quarterly|pro|je|nach|jede|jeder|jedes|jeden|\
         jeweils|monatlich|par|chaque|selon|各|每|按|分 别|分 布",
    ),
    (
        Cue::Grow,
        "grow|grew|grown|growth|increase|increased|rise|rose|risen|up|down|change|changed|drop|dropped|fell|fall|decrease|\
         decreased|decline|declined|gain|gained|jump|jumped|gestiegen|gewachsen|wachstum|zuwachs|zunahme|abnahme|gesunken|\
         veranderung|verandert|gefallen|hausse|baisse|augmente|augmentation|diminue|diminution|evolution|evolue|progression|\
         progresse|croissance|增|涨|升|降|跌|减|变 化|同 比|环 比",
    ),
    (Cue::Times, "times|twice|double|ratio|mal|doppelt|fois|double|倍"),
    (
        Cue::Rank,
        "rank|ranked|place|placed|position|stand|come|finish|finished|rang|platz|stelle|place|classement|名|第 几|排",
    ),
];

/// Parts of German compounds that hint at an operation.
const COMPOUND: [(&str, Cue); 8] = [
    ("schnitt", Cue::Average),
    ("rekord", Cue::Most),
    ("hochst", Cue::Most),
    ("spitzen", Cue::Most),
    ("tiefst", Cue::Least),
    ("mindest", Cue::Least),
    ("gesamt", Cue::Sum),
    ("anteil", Cue::Share),
];

/// The words of each cue in a question.
pub(crate) fn find(words: &[Word]) -> [Mask; Cue::COUNT] {
    let mut found = [0; Cue::COUNT];
    for (slot, (cue, phrases)) in found.iter_mut().zip(PHRASES) {
        debug_assert!((cue as usize) < Cue::COUNT);
        *slot = phrases.split('|').fold(0, |mask, phrase| mask | places(words, phrase));
    }
    let hints = |i: usize, word: &Word, found: &mut [Mask; Cue::COUNT]| {
        let parts =
            COMPOUND.iter().filter(|(part, _)| word.text.len() > part.len() && word.text.contains(part));
        parts.for_each(|(_, cue)| found[*cue as usize] |= span(i, i + 1));
    };
    words.iter().enumerate().for_each(|(i, w)| hints(i, w, &mut found));
    const ENDINGS: [&str; 5] = ["est", "ste", "sten", "ster", "stes"];
    let ends = |w: &Word| w.text.len() > 4 && ENDINGS.iter().any(|e| w.text.ends_with(e));
    if words.iter().any(ends) {
        let mask = words.iter().enumerate().filter(|(_, w)| ends(w)).fold(0, |m, (i, _)| m | span(i, i + 1));
        for cue in [Cue::Most, Cue::Least] {
            found[cue as usize] |= mask;
        }
    }
    found
}

/// Every word that is part of a place where the phrase stands.
fn places(words: &[Word], phrase: &str) -> Mask {
    let len = phrase.split(' ').count();
    let stands = |at: &usize| {
        let here = words.iter().skip(*at).map(|w| w.text.as_str());
        here.take(len).eq(phrase.split(' '))
    };
    (0..words.len()).filter(stands).fold(0, |mask, at| mask | span(at, at + len))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::words;

    #[test]
    fn cues_stand_in_the_order_of_their_numbers() {
        for (i, (cue, _)) in PHRASES.iter().enumerate() {
            assert_eq!(*cue as usize, i);
        }
    }

    #[test]
    fn finds_cues_in_both_languages() {
        let found = |text: &str, cue: Cue| find(&words(text))[cue as usize];
        assert_eq!(found("how many cats", Cue::Count), 0b11);
        assert_eq!(found("the tidiest cat", Cue::Most), 0b10);
        assert_eq!(found("哪个最高", Cue::Most), 0b1100);
        assert_eq!(found("which cat", Cue::Average), 0);
    }
}
