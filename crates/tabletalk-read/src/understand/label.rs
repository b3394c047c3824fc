//! What the label of a row says about how its numbers come about: `Total`, `Zwischensumme`, `平均`, `Saldo`.
//!
//! A label is only a hint; the numbers decide (see [`total`](super::total)).

/// Longer labels are sentences.
const MAX_LABEL: usize = 80;

/// How the numbers of a row come from those of other rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// The sum of all: `Grand total`, `总计`.
    Grand,
    /// A sum, of all or of a part: `Total`, `合计`.
    Sum,
    /// The sum of a part: `Subtotal`, `小计`.
    Part,
    /// Perhaps a sum: `Total assets`, `Umsatz gesamt`, `现金流入合计`.
    Perhaps,
    Mean,
    Least,
    Most,
    Count,
}

impl Way {
    pub(super) fn is_sum(self) -> bool {
        matches!(self, Way::Grand | Way::Sum | Way::Part | Way::Perhaps)
    }
    /// Whether it is the least, the most or the number of others, which chance gives easily.
    pub(super) fn is_limit(self) -> bool {
        matches!(self, Way::Least | Way::Most | Way::Count)
    }
    /// Whether the label is nothing but a word for it.
    pub(super) fn is_plain(self) -> bool {
        self != Way::Perhaps
    }
}

/// Words that are a label of their own, lower case and without blanks and hyphens.
const WHOLE: &[(&str, Way)] = &[
    ("total", Way::Sum),
    ("totals", Way::Grand),
    ("sum", Way::Sum),
    ("tot", Way::Sum),
    ("grandtotal", Way::Grand),
    ("overalltotal", Way::Grand),
    ("totaloverall", Way::Grand),
    ("subtotal", Way::Part),
    ("subtotals", Way::Part),
    ("summe", Way::Sum),
    ("gesamt", Way::Sum),
    ("gesamtsumme", Way::Grand),
    ("endsumme", Way::Grand),
    ("insgesamt", Way::Grand),
    ("zwischensumme", Way::Part),
    ("teilsumme", Way::Part),
    ("somme", Way::Sum),
    ("totalgénéral", Way::Grand),
    ("totalgeneral", Way::Grand),
    ("ensemble", Way::Sum),
    ("soustotal", Way::Part),
    ("suma", Way::Sum),
    ("sumatotal", Way::Grand),
    ("grantotal", Way::Grand),
    ("totale", Way::Sum),
    ("totalegenerale", Way::Grand),
    ("totalecomplessivo", Way::Grand),
    ("subtotale", Way::Part),
    ("somma", Way::Sum),
    ("totaal", Way::Sum),
    ("totalt", Way::Sum),
    ("summa", Way::Sum),
    ("razem", Way::Sum),
    ("итого", Way::Sum),
    ("всего", Way::Sum),
    ("总计", Way::Grand),
    ("總計", Way::Grand),
    ("总合计", Way::Grand),
    ("全部合计", Way::Grand),
    ("合计", Way::Sum),
    ("合計", Way::Sum),
    ("共计", Way::Sum),
    ("总和", Way::Sum),
    ("累计", Way::Sum),
    ("合计数", Way::Sum),
    ("总数", Way::Sum),
    ("总额", Way::Sum),
    ("全年合计", Way::Sum),
    ("本页合计", Way::Sum),
    ("小计", Way::Part),
    ("小計", Way::Part),
    ("分计", Way::Part),
    ("本月合计", Way::Part),
    ("本期合计", Way::Part),
    ("합계", Way::Sum),
    ("average", Way::Mean),
    ("averages", Way::Mean),
    ("avg", Way::Mean),
    ("mean", Way::Mean),
    ("ø", Way::Mean),
    ("durchschnitt", Way::Mean),
    ("mittelwert", Way::Mean),
    ("mittel", Way::Mean),
    ("schnitt", Way::Mean),
    ("moyenne", Way::Mean),
    ("promedio", Way::Mean),
    ("media", Way::Mean),
    ("gemiddelde", Way::Mean),
    ("平均", Way::Mean),
    ("平均值", Way::Mean),
    ("平均数", Way::Mean),
    ("均值", Way::Mean),
    ("minimum", Way::Least),
    ("min", Way::Least),
    ("lowest", Way::Least),
    ("最小值", Way::Least),
    ("最低", Way::Least),
    ("maximum", Way::Most),
    ("max", Way::Most),
    ("highest", Way::Most),
    ("最大值", Way::Most),
    ("最高", Way::Most),
    ("count", Way::Count),
    ("anzahl", Way::Count),
    ("计数", Way::Count),
];

/// Words for a sum that may stand among others.
const SUM_WORDS: &[&str] = &[
    "total",
    "totals",
    "subtotal",
    "sum",
    "summe",
    "gesamt",
    "insgesamt",
    "gesamtsumme",
    "zwischensumme",
    "somme",
    "suma",
    "totale",
    "totaal",
    "overall",
    "all",
    "alle",
    "ensemble",
    "итого",
    "всего",
];
/// Words for an average that may stand among others.
const MEAN_WORDS: &[&str] =
    &["average", "avg", "mean", "durchschnitt", "mittelwert", "moyenne", "promedio", "media"];

/// Words for what is left when one row is taken from another.
const DIFFERENCE_WORDS: &[&str] = &[
    "balance",
    "saldo",
    "net",
    "netto",
    "profit",
    "loss",
    "surplus",
    "deficit",
    "difference",
    "diff",
    "margin",
    "remaining",
    "remainder",
    "savings",
    "gewinn",
    "verlust",
    "ergebnis",
    "überschuss",
    "fehlbetrag",
    "differenz",
    "rest",
    "reingewinn",
    "jahresergebnis",
    "solde",
    "résultat",
    "bénéfice",
    "différence",
    "marge",
    "beneficio",
    "resultado",
    "diferencia",
    "risultato",
    "utile",
    "differenza",
    "ebit",
    "ebitda",
    "cashflow",
];
const DIFFERENCE_CHINESE: &[&str] =
    &["结余", "余额", "净额", "利润", "差额", "盈余", "毛利", "净利", "结存", "盈亏", "净收入"];

/// What a label says, if anything.
pub(crate) fn way(label: &str) -> Option<Way> {
    let label = label.trim();
    if !is_short(label) || !may_be_way(label) {
        return None;
    }
    let plain = squeezed(label);
    if let Some((_, way)) = WHOLE.iter().find(|(word, _)| *word == plain) {
        return Some(*way);
    }
    chinese(&plain).or_else(|| among_words(&label.to_lowercase()))
}

/// Whether a label says that its row is the difference of others.
pub(super) fn is_difference(label: &str) -> bool {
    let label = label.trim();
    if !is_short(label) {
        return false;
    }
    let lower = label.to_lowercase();
    DIFFERENCE_CHINESE.iter().any(|w| lower.contains(w))
        || words(&lower).any(|w| DIFFERENCE_WORDS.contains(&w))
}

/// Whether the name of a column says that its values do not add up: a price, a rate, a share, a year.
pub(super) fn is_rate(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "price",
        "rate",
        "percent",
        "percentage",
        "pct",
        "ratio",
        "share",
        "margin",
        "average",
        "avg",
        "mean",
        "year",
        "age",
        "rank",
        "id",
        "no",
        "preis",
        "stückpreis",
        "einzelpreis",
        "quote",
        "satz",
        "anteil",
        "jahr",
        "alter",
        "prix",
        "taux",
        "année",
        "precio",
        "tasa",
        "año",
        "prezzo",
        "tasso",
        "anno",
        "per",
        "pro",
    ];
    const CHINESE: &[&str] =
        &["单价", "价格", "率", "比例", "占比", "平均", "年份", "年龄", "排名", "序号", "编号"];
    let lower = name.to_lowercase();
    lower.contains('%')
        || CHINESE.iter().any(|w| lower.contains(w))
        || words(&lower).any(|w| WORDS.contains(&w) || w.ends_with("preis"))
}

/// Whether the name of a column says that it is a sum of others.
pub(super) fn names_sum(name: &str) -> bool {
    way(name.rsplit(" / ").next().unwrap_or(name)).is_some_and(Way::is_sum)
}

/// Whether the name of a column says that it is an average of others.
pub(super) fn names_mean(name: &str) -> bool {
    let last = name.rsplit(" / ").next().unwrap_or(name).to_lowercase();
    way(&last) == Some(Way::Mean) || words(&last).any(|w| MEAN_WORDS.contains(&w)) || last.contains("平均")
}

fn is_short(label: &str) -> bool {
    !label.is_empty() && label.len() <= MAX_LABEL
}

fn words(lower: &str) -> impl Iterator<Item = &str> {
    lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty())
}

/// Most texts of a table are no labels of sums; says so of nearly all of them without a copy.
fn may_be_way(label: &str) -> bool {
    // Every cell of a table passes here: no iterators, which cost in builds for tests.
    let bytes = label.as_bytes();
    let mut is_start = true;
    for (i, byte) in bytes.iter().enumerate() {
        let is_word = byte.is_ascii_alphanumeric();
        if is_word && is_start && bytes.get(i..i + 3).is_some_and(begins_word) {
            return true;
        }
        is_start = !is_word;
    }
    const OTHERS: &str = "计計总總均额和数值低高Øøг합";
    !bytes.is_ascii() && label.contains(|c| OTHERS.contains(c))
}

/// Whether these are the first three letters of a Latin word of the lists above.
fn begins_word(letters: &[u8]) -> bool {
    let [a, b, c] = *letters else { return false };
    #[rustfmt::skip]
    let found = matches!(&[a | 32, b | 32, c | 32], b"tot" | b"sum" | b"sub" | b"ges" | b"ins" | b"zwi" | b"tei" | b"som" | b"sou" | b"ens" | b"end" | b"gra" | b"ove" | b"all" | b"ave" | b"avg" | b"mea" | b"med" | b"dur" | b"mit" | b"min" | b"sch" | b"moy" | b"pro" | b"low" | b"max" | b"hig" | b"cou" | b"anz" | b"raz" | b"gem");
    found
}

/// Lower case, without blanks, hyphens and what stands at the end.
fn squeezed(label: &str) -> String {
    let ends = label.trim_end_matches([':', '：', ')', '）', '.', ' ', '*']).trim_start_matches(['*', ' ']);
    let kept = ends.chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | '_' | '—' | '–' | '　'));
    kept.collect::<String>().to_lowercase()
}

fn chinese(plain: &str) -> Option<Way> {
    let ends = |words: &[&str]| words.iter().any(|w| plain.ends_with(w));
    match plain {
        _ if ends(&["小计", "小計"]) => Some(Way::Part),
        _ if ends(&["总计", "總計"]) => Some(Way::Grand),
        p if ends(&["合计", "合計", "总额", "共计"]) || p.starts_with("合计") || p.starts_with("总计") => {
            Some(Way::Perhaps)
        }
        _ if ends(&["平均", "平均值"]) => Some(Way::Mean),
        _ => None,
    }
}

/// `Total expenses`, `Gesamt 2024`, `North total`, `Sous-total (TTC)`.
fn among_words(lower: &str) -> Option<Way> {
    let is_any = |list: &[&str]| words(lower).any(|w| list.contains(&w));
    let starts = |word: &str| words(lower).next() == Some(word);
    let sub =
        || starts("subtotal") || words(lower).last() == Some("subtotal") || lower.starts_with("sous-total");
    if sub() || lower.starts_with("sub-total") || lower.starts_with("sub total") || starts("zwischensumme") {
        return Some(Way::Part);
    }
    if lower.starts_with("grand total") || starts("gesamtsumme") {
        return Some(Way::Grand);
    }
    // `Average age` and `Class average`, but no sentence with the word in it.
    let count = words(lower).count();
    let ends = [words(lower).next(), words(lower).last()];
    if count <= 3 && ends.iter().flatten().any(|w| MEAN_WORDS.contains(w)) {
        return Some(Way::Mean);
    }
    let gesamt = || words(lower).any(|w| w.starts_with("gesamt"));
    (is_any(SUM_WORDS) || gesamt()).then_some(Way::Perhaps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_sums_in_many_languages() {
        for (label, expected) in [
            ("合 计", Way::Sum),
            ("Sub-total", Way::Part),
            ("Grand Total:", Way::Grand),
            ("Total assets", Way::Perhaps),
            ("Total Q1", Way::Perhaps),
            ("North total", Way::Perhaps),
            ("现金流入小计", Way::Part),
            ("Summe", Way::Sum),
            ("Gesamt 2024", Way::Perhaps),
            ("Insgesamt", Way::Grand),
            ("Zwischensumme", Way::Part),
            ("Zwischensumme Nord", Way::Part),
            ("Total général", Way::Grand),
            ("Sous-total", Way::Part),
            ("Ensemble", Way::Sum),
            ("Totale", Way::Sum),
            ("Suma", Way::Sum),
            ("总计", Way::Grand),
            ("共计", Way::Sum),
            ("Durchschnitt", Way::Mean),
            ("平均", Way::Mean),
            ("Average", Way::Mean),
            ("Max", Way::Most),
            ("Anzahl", Way::Count),
            ("Ø", Way::Mean),
            ("Gesamtkosten", Way::Perhaps),
        ] {
            assert_eq!(way(label), Some(expected), "{label}");
        }
        for label in [
            "Totoro",
            "会计",
            "Oslo",
            "12",
            "",
            "Summer",
            "Meanwhile",
            "Anna",
            "Country",
            "GLAAD Media Awards",
        ] {
            assert_eq!(way(label), None, "{label}");
        }
    }

    #[test]
    fn knows_differences_and_rates() {
        assert!(is_difference("Balance") && is_difference("Saldo 2024") && is_difference("结余"));
        assert!(!is_difference("Rent") && !is_difference("Network"));
        assert!(is_rate("Unit price") && is_rate("增长率") && is_rate("Share (%)") && !is_rate("Amount"));
        assert!(names_sum("Total") && names_sum("2024 / 合计") && !names_sum("Jan") && names_mean("Ø"));
    }
}
