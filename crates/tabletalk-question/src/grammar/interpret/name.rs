//! Names: who or what a row is.

use super::Interpreter;
use crate::grammar::annotate::Fit;
use crate::grammar::frame::Wh;
use crate::grammar::lexicon::Concept;
use crate::grammar::role::is_text;
use crate::grid::Field;
use crate::program::Ask;
use crate::word::Word;
use tabletalk_core::Kind;

impl Interpreter<'_> {
    /// Both columns of a name that stands in two, where neither was asked for.
    pub(super) fn whole_name(&self, ask: Ask) -> Ask {
        let Ask::Cells(column) = ask else { return ask };
        let is_named = self.frame.columns.iter().any(|c| c.column == column);
        if is_named || !self.is_part_of_name(column) {
            return ask;
        }
        let is_other = |c: &usize| *c != column && is_text(self.grid, *c) && self.is_part_of_name(*c);
        let mut others = (0..self.grid.columns.len()).filter(is_other);
        match (others.next(), others.next()) {
            (Some(other), None) => Ask::Table(vec![column.min(other), column.max(other)]),
            _ => ask,
        }
    }

    /// Whether an answer is of numbers such as `room_id`, which stand for rows of another table, though nobody asked for
    /// numbers.
    pub(super) fn gives_ids(&self, ask: &Ask) -> bool {
        let is_id = |column: usize| {
            let says = |w: &Word| matches!(w.text.as_str(), "id" | "fk");
            let named = self.roles.names.get(column).and_then(|n| n.first());
            column > 0
                && self.field(column).is_some_and(|f| f.kind == Kind::Integer && !f.is_key())
                && named.is_some_and(|n| n.len() > 1 && n.iter().any(says))
        };
        let given: Vec<usize> = match ask {
            Ask::Cells(column) | Ask::Group { column, .. } => vec![*column],
            Ask::By(by) => by.keys.iter().map(|k| k.column).collect(),
            _ => Vec::new(),
        };
        !self.frame.says_id && given.into_iter().any(is_id)
    }

    /// Whether the rows can be people.
    pub(crate) fn has_people(&self) -> bool {
        let is_named = |c: usize| self.field(c).is_some_and(has_names) && self.roles.series().is_empty();
        let person = self.roles.person(self.grid);
        // The rows of one customer are no people.
        if person.is_some_and(|p| self.frame.conditions.iter().any(|(_, c)| c.column == p)) && self.counts() {
            return false;
        }
        self.roles.person(self.grid).is_some() || self.roles.key(self.grid).is_some_and(is_named)
    }

    /// Whether a column has only first or only last names: those of several people may be the same.
    pub(super) fn is_part_of_name(&self, column: usize) -> bool {
        const PARTS: [&str; 14] = [
            "first",
            "last",
            "given",
            "family",
            "surname",
            "forename",
            "firstname",
            "lastname",
            "vorname",
            "nachname",
            "familienname",
            "prenom",
            "patronyme",
            "姓",
        ];
        let words = self.roles.names.get(column).into_iter().flatten().flatten();
        let mut words = words.map(|w| w.text.as_str());
        words.any(|w| PARTS.contains(&w))
    }

    /// Who is asked for by a word of an id is asked for by name: the `members` of `member_id`.
    pub(super) fn name_of(&self, column: usize) -> usize {
        let is_part = self.frame.columns.iter().any(|c| c.column == column && c.fit != Fit::Exact);
        let asks = self.has(Wh::Which) || self.has(Wh::Who) || self.has(Wh::Show);
        let is_id = self.roles.is_about(column, Concept::Code);
        let is_name = |f: &Field| has_names(f) && f.is_key();
        let name = self.roles.key(self.grid).filter(|k| self.field(*k).is_some_and(is_name));
        match name {
            Some(name) if is_part && asks && is_id => name,
            _ => column,
        }
    }
}

/// Whether the texts of a column can be names: letters, and no digits.
pub(super) fn has_names(field: &Field) -> bool {
    let is_name =
        |text: &str| text.chars().any(char::is_alphabetic) && !text.chars().any(|c| c.is_ascii_digit());
    let named = field.cells.iter().filter(|c| is_name(&c.text)).count();
    named * 10 >= field.filled * 9
}
