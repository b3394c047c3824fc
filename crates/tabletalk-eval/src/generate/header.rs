//! What the name of a column says about its values.

use super::text::words;

/// Words for when something was.
const YEARS: &str = "year founded established opened built released born died completed season since formed \
    created joined";
/// Words for numbers that stand for things.
const CODES: &str = "id no nr # code rank ranking pos position place index serial phone tel fax zip postcode isbn \
    ref key seed pick route channel bib uid year selection round grid lane week game stage \
    chapter episode lap district";
/// The same in Chinese.
const CODES_HAN: &str = "编号 序号 代码 编码 排名 名次 电话 邮编 号码 证号 顺序 学号 工号 排行";
/// Words for values whose sum means nothing.
const LEVELS: &str = "average avg mean median rate ratio percent percentage pct % per share age height weight \
    temperature temp elevation altitude latitude longitude lat lon score rating price margin \
    density speed max min maximum minimum high low total change growth depth frequency level \
    grade version month day overall tier class division kilometers miles mile";
/// The same in Chinese.
const LEVELS_HAN: &str = "均 率 比 价 占 指数 年龄 温度 密度 合计 总计 累计 高度 月份 评分 经度 纬度 版本";
/// Words for what is said about a row and does not name it.
const REMARKS: &str = "score result record time notes note comment comments remarks description date dates url \
    address details w/l attendance summary reference references email era";
/// The same in Chinese.
const REMARKS_HAN: &str = "备注 说明 地址 日期 时间 描述 内容 链接 结果";

fn has_word(name: &str, list: &str) -> bool {
    words(name).iter().any(|word| list.split(' ').any(|other| other == word))
}

fn has_part(name: &str, list: &str) -> bool {
    list.split(' ').any(|part| name.contains(part))
}

/// Whether a column with this name can hold years.
pub(super) fn is_year(name: &str) -> bool {
    name.contains('年') || has_word(name, YEARS)
}

/// Whether numbers stand for things, not for how many or how much.
pub(super) fn is_code(name: &str) -> bool {
    let counts = name.to_lowercase().contains(" of ");
    let is_number = words(name).last().is_some_and(|last| last == "number");
    ((is_number || has_word(name, CODES)) && !counts) || name.ends_with('号') || has_part(name, CODES_HAN)
}

/// Whether a sum of such values means something: not of averages, shares, prices or ages.
pub(super) fn can_be_added(name: &str, unit: Option<&str>) -> bool {
    !has_word(name, LEVELS) && !has_part(name, LEVELS_HAN) && !matches!(unit, Some("%" | "％"))
}

/// Whether a column with this name can name the rows.
pub(super) fn can_be_key(name: &str) -> bool {
    !has_word(name, REMARKS) && !has_part(name, REMARKS_HAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_values_are() {
        assert!(
            is_code("ID")
                && is_code("Squad number")
                && is_code("序号")
                && is_code("合同号")
                && is_code("No.")
        );
        assert!(!is_code("Number of goals") && !is_code("Points") && !is_code("成交套数"));
        assert!(can_be_added("Goals", None) && can_be_added("成交套数", None));
        assert!(
            !can_be_added("Average age", None)
                && !can_be_added("成交均价", None)
                && !can_be_added("Part", Some("%"))
        );
        assert!(is_year("Year founded") && is_year("年份") && !is_year("Years of service"));
        assert!(can_be_key("Player") && !can_be_key("Notes") && !can_be_key("备注"));
    }
}
