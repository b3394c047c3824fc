//! The modes of answering, as data: what a model is shown of the tables and whether it is shown texts.

use serde::{Deserialize, Serialize};

/// What a model sees. All modes answer by the same steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// The whole table.
    ReadTable,
    /// The descriptions of the columns.
    ReadSchema,
    /// Random rows.
    RowSampling,
    /// The rows and columns nearest to the question.
    RowColumn,
    /// The columns and cells that an expansion of the question finds.
    TableRag,
    /// Retrieved text.
    Text,
    /// Tables and text.
    #[default]
    Hybrid,
}

/// What is shown of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shows {
    /// All rows; refused when they do not fit.
    All,
    /// All rows when they fit, else what is found by look-up.
    AllOrFound,
    /// No rows.
    Schema,
    /// Random rows.
    Sample,
    /// The nearest rows and columns.
    Nearest,
    /// Columns and cells found by look-up.
    Found,
}

/// What a mode does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) mode: Mode,
    pub(crate) name: &'static str,
    pub(crate) tables: Option<Shows>,
    pub(crate) text: bool,
}

const PLANS: [Plan; 7] = [
    Plan { mode: Mode::ReadTable, name: "read-table", tables: Some(Shows::All), text: false },
    Plan { mode: Mode::ReadSchema, name: "read-schema", tables: Some(Shows::Schema), text: false },
    Plan { mode: Mode::RowSampling, name: "row-sampling", tables: Some(Shows::Sample), text: false },
    Plan { mode: Mode::RowColumn, name: "row-column", tables: Some(Shows::Nearest), text: false },
    Plan { mode: Mode::TableRag, name: "table-rag", tables: Some(Shows::Found), text: false },
    Plan { mode: Mode::Text, name: "text", tables: None, text: true },
    Plan { mode: Mode::Hybrid, name: "hybrid", tables: Some(Shows::AllOrFound), text: true },
];

impl Mode {
    /// All modes.
    pub const ALL: [Mode; 7] = [
        Mode::ReadTable,
        Mode::ReadSchema,
        Mode::RowSampling,
        Mode::RowColumn,
        Mode::TableRag,
        Mode::Text,
        Mode::Hybrid,
    ];

    pub(crate) fn plan(self) -> Plan {
        PLANS[self as usize]
    }

    /// The name in configuration and on the command line.
    pub fn name(self) -> &'static str {
        self.plan().name
    }
}

impl std::str::FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let plan = PLANS.iter().find(|plan| plan.name == text);
        let names = PLANS.map(|plan| plan.name).join(", ");
        plan.map(|plan| plan.mode).ok_or_else(|| format!("no mode `{text}`; there are {names}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_has_its_plan_and_its_name() {
        for mode in Mode::ALL {
            assert_eq!(mode.plan().mode, mode);
            assert_eq!(mode.name().parse(), Ok(mode));
            assert_eq!(serde_json::to_value(mode).unwrap(), mode.name());
        }
        assert!("readtable".parse::<Mode>().unwrap_err().contains("table-rag"));
    }
}
