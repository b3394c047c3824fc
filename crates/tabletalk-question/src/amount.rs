//! What quantities and prices come to, where a table has both and no amounts.

use crate::word;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, Float64Array};
use std::sync::Arc;
use tabletalk_core::{Column, Kind};

/// In each language: what quantities, prices and amounts are called, and what they come to.
const WORDS: [(&str, &str, &str, &str); 4] = [
    (
        "quantity|quantities|qty|units|pieces|pcs|copies|servings|bottles|bags|boxes|days|nights|hours",
        "price|rate|fee|fare",
        "amount|total|revenue|sales|turnover|value|cost|subtotal|net|gross|sum|earnings|takings|paid|amt",
        "revenue",
    ),
    (
        "menge|anzahl|stuck|stuckzahl|stunden|tage|nachte",
        "preis|einzelpreis|stuckpreis|stundensatz|tagessatz|stundenlohn|satz|tarif",
        "betrag|summe|umsatz|gesamt|gesamtpreis|erlos|wert|netto|brutto|kosten",
        "Umsatz",
    ),
    (
        "quantite|quantites|qte|nombre|heures|jours|nuits|pieces",
        "prix|tarif|taux",
        "montant|total|somme|ca|recette|recettes|cout|valeur|ht|ttc",
        "chiffre d'affaires",
    ),
    (
        "数 量|件 数|销 量|份 数|天 数",
        "单 价|价 格|售 价|日 租 金",
        "金 额|总 价|总 额|销 售 额|合 计|小 计|收 入|费 用",
        "销售额",
    ),
];

/// The columns of quantities and of prices, and what their products are called; none where there are several, or amounts.
pub(crate) fn of(columns: &[Column]) -> Option<(usize, usize, String)> {
    WORDS.iter().find_map(|words| in_language(columns, words))
}

fn in_language(columns: &[Column], words: &(&str, &str, &str, &str)) -> Option<(usize, usize, String)> {
    let named = |list: &str| {
        let is = |c: &Column| matches!(c.kind, Kind::Integer | Kind::Decimal) && has(&c.name, list);
        (0..columns.len()).filter(|c| columns.get(*c).is_some_and(is)).collect::<Vec<usize>>()
    };
    let (quantities, prices, amounts) = (named(words.0), named(words.1), named(words.2));
    let only = |list: Vec<usize>| <[usize; 1]>::try_from(list).ok().map(|[one]| one);
    let (quantity, price) = (only(quantities)?, only(prices)?);
    let free = amounts.iter().all(|c| *c == price) && quantity != price;
    let name = |c: usize| columns.get(c).map_or("", |c| c.name.as_str());
    free.then(|| (quantity, price, format!("{} ({} × {})", words.3, name(quantity), name(price))))
}

/// Whether a name has one of the words of a list; in Chinese the characters of one, in order.
fn has(name: &str, list: &str) -> bool {
    let words: Vec<String> = word::words(name).into_iter().map(|w| w.text).collect();
    list.split('|').any(|entry| {
        let entry: Vec<&str> = entry.split(' ').collect();
        words.windows(entry.len()).any(|w| w.iter().zip(&entry).all(|(a, b)| a == b))
    })
}

/// The products of two columns of numbers.
pub(crate) fn product(a: &ArrayRef, b: &ArrayRef) -> ArrayRef {
    let number = |array: &ArrayRef, i: usize| match array.is_null(i) {
        true => None,
        false => match array.data_type() {
            arrow_schema::DataType::Int64 => Some(array.as_primitive::<Int64Type>().value(i) as f64),
            arrow_schema::DataType::Float64 => Some(array.as_primitive::<Float64Type>().value(i)),
            _ => None,
        },
    };
    let values = (0..a.len()).map(|i| Some(number(a, i)? * number(b, i)?));
    Arc::new(values.collect::<Float64Array>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(names: &[&str]) -> Option<(usize, usize, String)> {
        let column = |name: &&str| Column::new(*name, Kind::Decimal, 1);
        of(&names.iter().map(column).collect::<Vec<_>>())
    }

    #[test]
    fn quantities_and_prices_come_to_amounts() {
        assert_eq!(found(&["qty", "unit price"]).unwrap(), (0, 1, "revenue (qty × unit price)".into()));
        assert_eq!(found(&["Stückpreis", "Menge"]).unwrap(), (1, 0, "Umsatz (Menge × Stückpreis)".into()));
        assert_eq!(found(&["单价", "数量"]).unwrap().2, "销售额 (数量 × 单价)");
    }

    #[test]
    fn where_amounts_stand_or_there_is_doubt_nothing_is_multiplied() {
        assert_eq!(found(&["qty", "unit price", "total"]), None);
        assert_eq!(found(&["qty", "list price", "sale price"]), None);
        assert_eq!(found(&["qty", "weight"]), None);
    }
}
