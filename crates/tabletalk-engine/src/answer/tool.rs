//! What a model can do: run a program, look for columns, look for cells.

use super::Answering;
use super::recall::Evidence;
use super::relations::Tables;
use crate::prompt::fenced;
use crate::recall::{Recall, Similarity};
use tabletalk_core::{Hit, Result};
use tabletalk_sql::{Ran, Sandbox, Stop};
use tabletalk_store::StoredTable;

/// Rows of a result that are told to a model.
const TOLD_ROWS: usize = 20;
/// The most characters of a cell that are told.
const TOLD_CHARS: usize = 200;

/// The tools, over the tables that were found.
pub(crate) struct Tools<'a> {
    pub(crate) recall: &'a Recall<'a>,
    pub(crate) sandbox: &'a Sandbox,
    pub(crate) relations: Tables<'a>,
    pub(crate) names: Vec<String>,
    pub(crate) look_up: Similarity,
    pub(crate) top_k: usize,
    pub(crate) stop: Stop,
}

impl<'a> Tools<'a> {
    /// Those over what was found.
    pub(super) fn new(context: &'a Answering<'a>, evidence: &Evidence) -> Tools<'a> {
        let names: Vec<String> = evidence.tables.iter().map(|t| t.stored.name.clone()).collect();
        Tools {
            recall: &context.recall,
            sandbox: context.sandbox,
            relations: Tables::only(context.recall.library, names.clone()),
            names,
            look_up: context.settings.look_up.clone(),
            top_k: context.settings.top_k,
            stop: context.stop.clone(),
        }
    }
}

impl Tools<'_> {
    /// Runs a program.
    pub(crate) fn run(&self, sql: &str) -> Result<Ran> {
        self.sandbox.run(&self.relations, sql, &self.stop)
    }

    /// The columns nearest to words, a line each.
    pub(crate) fn columns(&self, words: &str) -> Result<String> {
        self.look_up("schema", words)
    }

    /// The cells nearest to words, a line each.
    pub(crate) fn cells(&self, words: &str) -> Result<String> {
        self.look_up("cell", words)
    }

    fn look_up(&self, group: &str, words: &str) -> Result<String> {
        let lines = self.find(group, words)?;
        Ok(match lines.is_empty() {
            true => "Nothing was found.".into(),
            false => format!("What was found:\n{}", fenced("found", &lines.join("\n"))),
        })
    }

    fn find(&self, group: &str, words: &str) -> Result<Vec<String>> {
        let line = |hit: Hit| {
            let table = hit.node.fields.get("table").and_then(|t| t.as_str()).unwrap_or_default();
            format!("\"{table}\" {}", short(&hit.node.text))
        };
        Ok(self.hits(group, words, None)?.into_iter().map(line).collect())
    }

    /// The best columns or cells for words, in one of the tables that were found or in all.
    pub(crate) fn hits(&self, group: &str, words: &str, table: Option<&str>) -> Result<Vec<Hit>> {
        let catalog = self.recall.library.catalog()?;
        let names = self.names.iter().filter(|name| table.is_none_or(|table| table == *name));
        let tables: Vec<StoredTable> = names
            .map(|name| catalog.table_named(name))
            .filter_map(Result::transpose)
            .collect::<Result<_>>()?;
        self.recall.within(&tables, group, words, &self.look_up, self.top_k)
    }

    /// A result in the words a model is told.
    pub(crate) fn told(&self, ran: &Ran) -> String {
        told(ran)
    }
}

/// A result in the words a model is told. Names and cells are data like those of the first prompt, and fenced like
/// them: whoever writes a cell must not speak to the model.
fn told(ran: &Ran) -> String {
    let line = |cells: Vec<String>| cells.join(" | ");
    let names = line(ran.columns.iter().map(|c| short(&c.name)).collect());
    let rows = ran.rows.iter().take(TOLD_ROWS);
    let rows = rows.map(|row| line(row.iter().map(|cell| short(&cell.to_string())).collect()));
    let lines: Vec<String> = std::iter::once(names).chain(rows).collect();
    let text = format!("{}\n{}", counted(ran), fenced("result", &lines.join("\n")));
    match ran.rows.is_empty() {
        true => {
            format!("{text}\nNo row fits: check the values of the conditions, with `Cells:` if need be.")
        }
        false => text,
    }
}

/// How many rows there are, and how many of them are told. Half a result that looks whole is answered from as if it were.
fn counted(ran: &Ran) -> String {
    let rows = ran.rows.len();
    let told = match rows > TOLD_ROWS {
        true => format!(" These are the first {TOLD_ROWS}."),
        false => String::new(),
    };
    match ran.truncated {
        true => format!("The result was cut at {rows} rows: there are more.{told}"),
        false => format!("The result has {rows} rows.{told}"),
    }
}

/// An error in the words a model is told. It may name what stands in the tables.
pub(super) fn failed(error: &tabletalk_core::Error) -> String {
    format!("The statement failed. Write a better one.\n{}", fenced("error", &short(&error.to_string())))
}

fn short(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match line.char_indices().nth(TOLD_CHARS) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tabletalk_core::Kind;
    use tabletalk_sql::{Cell, Output};

    fn ran(name: &str, cell: &str) -> Ran {
        let columns = vec![Output { name: name.into(), kind: Kind::Text, is_constant: false }];
        Ran { columns, rows: vec![vec![Cell::Text(cell.into())]], ..Ran::default() }
    }

    #[test]
    fn a_result_is_fenced_like_any_data() {
        let text = told(&ran("City", "Oslo"));
        assert_eq!(text, "The result has 1 rows.\n```result\nCity\nOslo\n```");
        let error = failed(&tabletalk_core::Error::input("no column `x`"));
        assert_eq!(error, "The statement failed. Write a better one.\n```error\nno column `x`\n```");
    }

    #[test]
    fn a_model_is_told_what_it_does_not_see() {
        let mut long = ran("City", "Oslo");
        long.rows = vec![vec![Cell::Text("Oslo".into())]; 25];
        assert!(
            told(&long).starts_with("The result has 25 rows. These are the first 20.\n"),
            "{}",
            told(&long)
        );
        long.truncated = true;
        assert!(told(&long).starts_with("The result was cut at 25 rows: there are more."), "{}", told(&long));
    }

    proptest! {
        #[test]
        fn no_cell_or_name_ends_the_fence(name in "[`\n\r a|]{0,30}", cell in "[`\n\r a|]{0,60}") {
            for text in [told(&ran(&name, &cell)), failed(&tabletalk_core::Error::input(&*cell))] {
                let fence = text.lines().last().unwrap().to_owned();
                prop_assert!(fence.len() >= 3 && fence.chars().all(|c| c == '`'));
                let holding = text.lines().filter(|line| line.contains(&fence)).count();
                prop_assert_eq!(holding, 2, "{}", text);
            }
        }
    }
}
