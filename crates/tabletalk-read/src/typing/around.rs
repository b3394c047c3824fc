//! What a table says of each of its columns: how numbers and dates are written in it.

use super::guess::Around;
use super::{Guess, Shape};
use tabletalk_core::value::{Decimal, Order};

impl Around {
    /// Of columns with these names; `semicolons` says that their cells were separated by semicolons, as
    /// programs do where the comma is for decimals.
    pub(super) fn of<S: AsRef<str>>(guesses: &[Guess], names: &[S], semicolons: bool) -> Around {
        if !guesses.iter().any(Guess::is_open) {
            return Around::default();
        }
        let decimal = only(guesses.iter().filter_map(Guess::decimal));
        let speaks = || names.iter().any(|name| is_continental(name.as_ref()));
        // Neither euros nor semicolons tell: `6,400 €` under an English name is six thousand.
        let english = || names.iter().any(|name| is_english(name.as_ref()));
        let is_usual = semicolons || guesses.iter().any(Guess::has_euros);
        let is_expected = speaks() || is_usual && !english();
        let expected = is_expected.then_some(Decimal::Comma);
        let european = decimal.or(expected) == Some(Decimal::Comma);
        let order = only(guesses.iter().filter_map(Guess::order)).or(european.then_some(Order::DayFirst));
        Around { told: None, decimal, expected, order }
    }
}

/// Whether a name has an everyday word of English that German and French do not have.
fn is_english(name: &str) -> bool {
    const WORDS: &str = "price amount year value mileage weight cost costs sales revenue quantity city country department \
                         customer employee salary rent expenses month item category balance income driver week day staff \
                         paid hours owner due town street height length actual member booked spent sold number reading \
                         usage first last expires opened closed supplier project height width hired started";
    name.split(|c: char| !c.is_alphanumeric())
        .any(|word| WORDS.split_whitespace().any(|known| known == word.to_lowercase()))
}

/// What all say.
fn only<T: PartialEq>(mut votes: impl Iterator<Item = T>) -> Option<T> {
    let first = votes.next()?;
    votes.all(|vote| vote == first).then_some(first)
}

/// The shape of each column of a table.
pub(crate) fn shapes<S: AsRef<str>>(guesses: &[Guess], names: &[S], semicolons: bool) -> Vec<Shape> {
    let around = Around::of(guesses, names, semicolons);
    guesses.iter().map(|guess| guess.shape_in(&around)).collect()
}

/// Whether a column is named in a language whose speakers write the comma before decimals: German, French,
/// Spanish, Italian, Portuguese, Dutch. Words that English has too are left out.
fn is_continental(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "anzahl",
        "betrag",
        "bezeichnung",
        "datum",
        "einheit",
        "einwohner",
        "ergebnis",
        "gesamt",
        "gewicht",
        "jahr",
        "kosten",
        "kunde",
        "menge",
        "monat",
        "preis",
        "produkt",
        "stadt",
        "stückpreis",
        "summe",
        "umsatz",
        "wert",
        "année",
        "chiffre",
        "coût",
        "libellé",
        "mois",
        "montant",
        "nombre",
        "pays",
        "poids",
        "population totale",
        "prix",
        "produit",
        "quantité",
        "recettes",
        "somme",
        "taux",
        "valeur",
        "ventes",
        "ville",
        "año",
        "cantidad",
        "ciudad",
        "importe",
        "precio",
        "ventas",
        "città",
        "importo",
        "prezzo",
        "quantità",
        "preço",
        "quantidade",
        "valor",
        "aantal",
        "bedrag",
        "prijs",
    ];
    let lower = name.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| WORDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_english_from_languages_that_write_a_comma_before_decimals() {
        assert!(is_english("Mileage") && is_english("Cost item") && is_english("MOT expires"));
        assert!(!is_english("Name") && !is_english("Betrag") && !is_english("Prix unitaire"));
        let guess = |cells: &[&str]| {
            let mut guess = Guess::default();
            cells.iter().for_each(|cell| guess.see((*cell).into()));
            guess
        };
        let guesses = [guess(&["Crewe", "Telford"]), guess(&["143,620", "88,680"])];
        // Semicolons alone make it a comma before decimals, but not under English names.
        let decimal = |names: [&str; 2]| Around::of(&guesses, &names, true).expected;
        assert_eq!(decimal(["Depot", "Mileage"]), None);
        assert_eq!(decimal(["Ort", "Kilometer"]), Some(Decimal::Comma));
    }
}
