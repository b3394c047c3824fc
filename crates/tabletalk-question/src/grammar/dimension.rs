//! What kind of amount a unit or a column is of: five kilos are not held against euros.

use super::lexicon::Concept;
use super::role::Roles;
use crate::grid::Grid;
use crate::word::{self, Word};

/// A kind of amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dimension {
    Money,
    Mass,
    Distance,
    Volume,
    Time,
    Energy,
    Share,
    Count,
}

use Dimension::{Count, Distance, Energy, Mass, Money, Share, Time, Volume};

/// Words and signs for units of each kind, without accents.
const UNITS: [(Dimension, &[&str]); 7] = [
    (
        Money,
        &[
            "€", "$", "£", "¥", "euro", "euros", "eur", "dollar", "dollars", "usd", "chf", "franken", "gbp",
            "yuan", "rmb", "cny", "元", "块", "cent", "cents", "bucks",
        ],
    ),
    (
        Mass,
        &[
            "kg",
            "kilo",
            "kilos",
            "kilogram",
            "kilograms",
            "gram",
            "grams",
            "g",
            "t",
            "tonnes",
            "斤",
            "吨",
            "克",
        ],
    ),
    (
        Distance,
        &[
            "km",
            "kilometer",
            "kilometers",
            "kilometre",
            "kilometres",
            "kilometern",
            "mile",
            "miles",
            "meter",
            "meters",
            "metre",
            "metres",
            "metern",
            "cm",
            "mm",
            "m",
            "米",
        ],
    ),
    (Volume, &["l", "liter", "liters", "litre", "litres", "litern", "ml", "升"]),
    (
        Time,
        &[
            "hour", "hours", "hrs", "h", "minute", "minutes", "min", "mins", "second", "seconds", "day",
            "days", "week", "weeks", "month", "months", "year", "years", "stunde", "stunden", "std",
            "minuten", "sekunden", "tag", "tage", "tagen", "woche", "wochen", "monate", "monaten", "jahre",
            "jahren", "heure", "heures", "jour", "jours", "semaines", "mois", "ans",
        ],
    ),
    (Energy, &["kwh", "mwh", "wh"]),
    (Share, &["%", "percent", "prozent"]),
];

impl Dimension {
    /// What a word or sign for a unit is of.
    pub(super) fn of_unit(unit: &str) -> Option<Dimension> {
        UNITS.iter().find(|(_, units)| units.contains(&unit)).map(|(dimension, _)| *dimension)
    }

    /// What the numbers of a column are of, where that is known: by its unit, by what its name says is counted, by what it is about.
    pub(super) fn of_column(grid: &Grid, roles: &Roles, column: usize) -> Option<Dimension> {
        let field = grid.columns.get(column)?;
        // A single letter of a name is no unit: the `M` of `Group M`.
        let is_word = |w: &&Word| w.text.len() > 1;
        let of_words =
            |text: &str| word::words(text).iter().filter(is_word).find_map(|w| Dimension::of_unit(&w.text));
        let unit = field.unit.as_deref().map(str::to_lowercase);
        let said = unit.as_deref().and_then(|unit| Dimension::of_unit(unit).or_else(|| of_words(unit)));
        let is_about = |concepts: &[Concept]| concepts.iter().any(|c| roles.is_about(column, *c));
        said.or_else(|| of_words(&field.name).filter(|d| *d != Time || !roles.is_money(grid, column)))
            .or_else(|| roles.is_money(grid, column).then_some(Money))
            .or_else(|| is_about(&[Concept::Weight]).then_some(Mass))
            .or_else(|| is_about(&[Concept::Distance]).then_some(Distance))
            .or_else(|| is_about(&[Concept::Duration, Concept::Hours, Concept::Age]).then_some(Time))
            .or_else(|| is_about(&[Concept::Quantity, Concept::Stock, Concept::Score]).then_some(Count))
    }
}
