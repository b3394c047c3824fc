//! The words that give rows and lines away: totals, notes, units, captions.

/// Whether a text is nothing but a unit.
pub(super) fn is_unit(text: &str) -> bool {
    const UNITS: &[&str] = &[
        "%",
        "％",
        "‰",
        "元",
        "千元",
        "万元",
        "百万元",
        "亿元",
        "亿",
        "万",
        "人",
        "个",
        "件",
        "台",
        "次",
        "天",
        "年",
        "月",
        "日",
        "时",
        "分",
        "秒",
        "吨",
        "千克",
        "公斤",
        "克",
        "米",
        "千米",
        "公里",
        "厘米",
        "毫米",
        "平方米",
        "㎡",
        "m²",
        "万人",
        "股",
        "万股",
        "倍",
        "元/股",
        "美元",
        "万美元",
        "港元",
        "人民币",
        "usd",
        "eur",
        "gbp",
        "cny",
        "rmb",
        "jpy",
        "hkd",
        "$",
        "€",
        "£",
        "¥",
        "us$",
        "m",
        "k",
        "bn",
        "mn",
        "kg",
        "g",
        "t",
        "km",
        "m",
        "cm",
        "mm",
        "mi",
        "ft",
        "in",
        "lb",
        "lbs",
        "oz",
        "l",
        "ml",
        "h",
        "hr",
        "hrs",
        "min",
        "s",
        "ms",
        "days",
        "years",
        "kwh",
        "mwh",
        "gwh",
        "mw",
        "kw",
        "w",
        "v",
        "a",
        "hz",
        "°c",
        "℃",
        "°f",
        "pct",
        "percent",
        "million",
        "billion",
        "thousand",
        "thousands",
        "millions",
        "billions",
        "units",
        "pcs",
        "people",
        "persons",
        "points",
        "km2",
        "km²",
        "sq km",
        "sq mi",
        "acres",
        "ha",
        "bps",
        "bp",
        "gb",
        "mb",
        "tb",
    ];
    let lower = text.trim().to_lowercase();
    if lower.is_empty() || lower.chars().count() > 24 {
        return false;
    }
    let known = |w: &str| UNITS.contains(&w);
    known(&lower)
        || lower.split([' ', '/']).all(|w| known(w) || matches!(w, "in" | "per"))
        || lower.strip_prefix("in ").is_some_and(known)
        || lower.strip_prefix("单位").is_some()
}

/// Whether a label says that units stand beside it.
pub(super) fn is_unit_word(text: &str) -> bool {
    let lower = text.trim().trim_end_matches([':', '：']).to_lowercase();
    matches!(
        lower.as_str(),
        "unit" | "units" | "einheit" | "einheiten" | "unité" | "unités" | "unidad" | "单位" | "计量单位"
    )
}

/// Whether something is measured in a unit, and not counted off as the days and months of a calendar are.
pub(super) fn is_measure(unit: &str) -> bool {
    is_unit(unit) && !matches!(unit, "年" | "月" | "日" | "时")
}

/// The unit at the end of a column name: `Revenue (USD m)`, `收入（万元）`, `占比%`.
pub(crate) fn unit_of_name(name: &str) -> Option<&str> {
    let name = name.rsplit(" / ").next().unwrap_or(name).trim();
    if let Some(inner) = name.strip_suffix([')', '）', ']', '】']) {
        let from = inner.rfind(['(', '（', '[', '【'])?;
        let open = inner.get(from..)?.chars().next()?;
        let unit = inner.get(from + open.len_utf8()..)?.trim();
        let unit = unit.strip_prefix("单位").map_or(unit, |u| u.trim_start_matches([':', '：', ' ']));
        return is_unit(unit).then_some(unit);
    }
    if let Some(at) = name.char_indices().rev().find(|(_, c)| *c == '/' || *c == ',').map(|(i, _)| i) {
        let unit = name.get(at + 1..)?.trim();
        return is_unit(unit).then_some(unit);
    }
    (name.len() > 1 && name.ends_with(['%', '％'])).then_some("%")
}

/// The unit in a column name of numbers that are written without one. A percent sign there is none: numbers whose unit is the
/// percent sign are shares of one, and `65.5` under `Score %` is 65.5.
pub(crate) fn amount_unit_of_name(name: &str) -> Option<&str> {
    unit_of_name(name).filter(|unit| !matches!(*unit, "%" | "％"))
}

/// Whether a line says in what unit or currency a table is: `单位：千元`, `(in thousands)`.
pub(super) fn is_unit_line(text: &str) -> bool {
    let text = text.trim().trim_start_matches(['(', '（', '[', '【']).to_lowercase();
    if text.chars().count() > 60 {
        return false;
    }
    [
        "单位",
        "金额单位",
        "货币单位",
        "计量单位",
        "币种",
        "in thousand",
        "in million",
        "in billion",
        "in usd",
        "in us$",
        "in eur",
        "in percent",
        "unit:",
        "units:",
        "unit：",
        "amounts in",
        "currency:",
        "usd in ",
        "all amounts",
        "figures in",
        "$ in ",
    ]
    .iter()
    .any(|w| text.starts_with(w))
}

/// Whether a line is a remark on a table: a unit, a footnote, a source.
pub(super) fn is_note(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "note",
        "notes",
        "source",
        "sources",
        "footnote",
        "footnotes",
        "remark",
        "remarks",
        "as of",
        "as at",
        "data as of",
        "prepared by",
        "updated",
        "last updated",
        "exported",
        "export",
        "generated",
        "created",
        "printed",
        "downloaded",
        "report generated",
        "report created",
        "quelle",
        "quellen",
        "hinweis",
        "hinweise",
        "anmerkung",
        "anmerkungen",
        "stand",
        "erstellt",
        "exportiert",
        "fußnote",
        "remarque",
        "remarques",
        "exporté",
        "généré",
        "fuente",
        "fuentes",
        "nota",
        "notas",
        "fonte",
        "fonti",
    ];
    const STARTS: &[&str] = &[
        "sep=",
        "# ",
        "*",
        "†",
        "‡",
        "注",
        "说明",
        "备注",
        "来源",
        "资料来源",
        "数据来源",
        "附注",
        "制表",
        "填表",
        "审核",
        "经办",
        "截至",
        "截止",
        "导出",
        "生成时间",
        "打印",
    ];
    let lower = text.trim().trim_start_matches(['(', '（', '[', '【', ' ']).to_lowercase();
    // `Notebook` is no note.
    let is_word = |w: &&str| {
        lower.strip_prefix(*w).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    };
    is_unit_line(text) || STARTS.iter().any(|w| lower.starts_with(w)) || WORDS.iter().any(is_word)
}

/// Whether a line names a table: `Table 3: Sales`, `表3 销售`.
pub(crate) fn is_caption(text: &str) -> bool {
    let text = text.trim();
    let lower = text.get(..text.len().min(80)).unwrap_or(text).to_lowercase();
    let numbered = |rest: &str| {
        rest.trim_start().starts_with(|c: char| c.is_ascii_digit() || "一二三四五六七八九十ivx".contains(c))
    };
    text.chars().count() <= 200
        && (lower.strip_prefix("table").is_some_and(numbered)
            || lower.strip_prefix("tab.").is_some_and(numbered)
            || text.strip_prefix('表').or_else(|| text.strip_prefix("附表")).is_some_and(numbered))
}

/// Whether a label is the name of a field as forms have them: `Phone`, `Date of birth:`, `联系电话`.
pub(super) fn is_field(label: &str) -> bool {
    const CHINESE: &[&str] = &[
        "名",
        "名称",
        "姓名",
        "日期",
        "时间",
        "地点",
        "地址",
        "电话",
        "编号",
        "号码",
        "类型",
        "类别",
        "型号",
        "性别",
        "国籍",
        "民族",
        "职业",
        "职务",
        "职称",
        "单位",
        "部门",
        "品牌",
        "方式",
        "意见",
        "事由",
        "备注",
        "性质",
        "负责人",
        "厂家",
        "产地",
        "年龄",
        "籍贯",
        "学历",
        "专业",
        "邮箱",
        "代码",
        "法人",
        "代表人",
        "联系人",
        "领域",
        "区域",
    ];
    const ENGLISH: &[&str] = &[
        "name",
        "born",
        "date",
        "time",
        "address",
        "phone",
        "telephone",
        "email",
        "e-mail",
        "type",
        "number",
        "no.",
        "id",
        "department",
        "company",
        "website",
        "nationality",
        "gender",
        "sex",
        "age",
        "occupation",
        "title",
        "location",
        "place",
        "country",
        "city",
        "brand",
        "model",
        "contact",
        "fax",
        "remarks",
        "status",
        "category",
        "founded",
    ];
    if label.ends_with([':', '：']) {
        return true;
    }
    let plain: String = label.chars().filter(|c| !c.is_whitespace()).collect();
    let last = label.rsplit(' ').next().unwrap_or(label);
    CHINESE.iter().any(|w| plain.ends_with(w)) || ENGLISH.iter().any(|w| last.eq_ignore_ascii_case(w))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_units_from_names() {
        assert_eq!(unit_of_name("Revenue (USD m)"), Some("USD m"));
        assert_eq!(unit_of_name("收入（万元）"), Some("万元"));
        assert_eq!(unit_of_name("占比%"), Some("%"));
        assert_eq!(amount_unit_of_name("占比%"), None);
        assert_eq!(amount_unit_of_name("收入（万元）"), Some("万元"));
        assert_eq!(unit_of_name("Height/cm"), Some("cm"));
        assert_eq!(unit_of_name("2023 / 月"), None);
        assert_eq!(unit_of_name("Name (full)"), None);
        assert_eq!(unit_of_name("Yes/No"), None);
    }

    #[test]
    fn knows_notes_and_captions() {
        assert!(is_note("单位：千元") && is_note("Source: census") && is_note("(in thousands)"));
        assert!(is_note("Exported on 2024-01-31") && is_note("Quelle: Amt") && is_note("Stand: 1.1.2024"));
        assert!(!is_note("Sales by region") && !is_note("Notebook") && !is_note("Standard"));
        assert!(is_caption("Table 3: Sales") && is_caption("表3 销售") && !is_caption("tablespoon"));
    }
}
