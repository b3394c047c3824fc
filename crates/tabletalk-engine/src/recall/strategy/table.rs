//! The layers of tables.

use super::score::{Words, mean, share};
use super::{Work, parts};
use crate::recall::node::Ref;
use crate::recall::{Candidate, Query, target};
use std::collections::HashSet;
use tabletalk_core::{Kind, Result};
use tabletalk_store::StoredTable;
use tabletalk_store::analyze::Analyzer;
use tabletalk_store::keyword::Scoring;

/// Tables that are looked at more closely.
const CLOSELY: usize = 200;

/// A type of table: words of questions about such tables, and words of their own columns.
const TYPES: [(&str, &str, &str); 6] = [
    (
        "ranking",
        "rank top best highest lowest most first 排名 最高 最低 第一",
        "rank ranking place position pos 排名 名次",
    ),
    (
        "schedule",
        "when date schedule time day 什么时候 哪天 时间 日期",
        "date time day opponent venue 日期 时间",
    ),
    (
        "finance",
        "revenue cost price profit sales budget income 收入 成本 价格 利润 销售 金额 均价",
        "revenue cost price profit sales amount 收入 成本 价格 利润 销售 金额 均价",
    ),
    ("people", "who person name born age 谁 姓名 年龄", "name player person age born 姓名 球员 年龄"),
    (
        "places",
        "where city country region 哪里 城市 地区 国家",
        "city country region location 城市 地区 国家 地址",
    ),
    (
        "statistics",
        "how many number average total percent rate 多少 平均 总数 比例",
        "total average number percent count 合计 平均 数量 比例",
    ),
];

impl Work<'_> {
    /// Tables by title, column names and type.
    pub(super) fn structure(&self) -> Result<Vec<Candidate>> {
        let scoring =
            Scoring { title: 4.0, name: 3.0, text: 0.0, values: 0.0, whole: 0.0, ..Scoring::default() };
        let analyzer = self.recall.library.keyword().analyzer();
        let query = Words::telling(analyzer, self.text);
        self.closely(&scoring, |stored| {
            let title = there(analyzer, stored.table.title()).map(|t| share(&query, &t));
            let names = there(analyzer, &names(stored)).map(|n| share(&query, &n));
            let kind = table_type(analyzer, &query, stored);
            let score = mean(&self.strategy.shares.structure, &[title, names, kind]);
            let why = parts(&[
                ("title", title.unwrap_or(0.0)),
                ("columns", names.unwrap_or(0.0)),
                ("type", kind.unwrap_or(0.0)),
            ]);
            Ok((score, why))
        })
    }

    /// Tables by the words of title, column names and content.
    pub(super) fn table_words(&self) -> Result<Vec<Candidate>> {
        let analyzer = self.recall.library.keyword().analyzer();
        let query = Words::telling(analyzer, self.text);
        let [of_title, of_names, of_content] = self.strategy.shares.keyword;
        self.closely(&self.recall.weights.table, |stored| {
            let title = there(analyzer, stored.table.title()).map_or(0.0, |t| share(&query, &t));
            let names = there(analyzer, &names(stored)).map_or(0.0, |n| share(&query, &n));
            let content = share(&query, &content(analyzer, stored)?);
            let score = of_title * title + of_names * names + of_content * content;
            Ok((score, parts(&[("title", title), ("columns", names), ("content", content)])))
        })
    }

    /// The tables that the keyword index finds, scored anew.
    fn closely(
        &self,
        scoring: &Scoring,
        score: impl Fn(&StoredTable) -> Result<(f32, Vec<tabletalk_core::Score>)>,
    ) -> Result<Vec<Candidate>> {
        let query = Query::parse(self.text, self.recall.library.keyword().analyzer());
        let Some(index) = self.recall.library.words("table")? else { return Ok(Vec::new()) };
        if query.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.recall.entries(&index, &query, scoring, CLOSELY, self.allow, false)?;
        let catalog = self.recall.library.catalog()?;
        let mut candidates = Vec::new();
        for f in found {
            let Some(stored) = catalog.table(f.owner)? else { continue };
            let (score, why) = score(&stored)?;
            let node = Ref::Table { document: f.document, table: f.owner };
            candidates.push(Candidate { why, ..Candidate::new(node, score, "") });
        }
        match self.group.name.as_str() {
            "table" => Ok(candidates),
            group => target::map(self.recall.library, candidates, group),
        }
    }
}

/// The words of a text; `None` when it has none.
fn there(analyzer: &Analyzer, text: &str) -> Option<HashSet<String>> {
    Some(Words::of(analyzer, text).set).filter(|set| !set.is_empty())
}

fn names(stored: &StoredTable) -> String {
    crate::group::table::header_line(&stored.table.columns)
}

/// The words of the most frequent values and of the first rows.
fn content(analyzer: &Analyzer, stored: &StoredTable) -> Result<HashSet<String>> {
    let mut words = HashSet::new();
    for row in crate::recall::node::first_rows(stored, 100)? {
        words.extend(Words::of(analyzer, &row).set);
    }
    for value in stored.table.columns.iter().filter_map(|c| c.stats.as_ref()).flat_map(|s| &s.frequent) {
        words.extend(Words::of(analyzer, value).set);
    }
    Ok(words)
}

/// Whether the query asks for a table of this type; `None` when the table is of no known type.
fn table_type(analyzer: &Analyzer, query: &HashSet<String>, stored: &StoredTable) -> Option<f32> {
    let own = Words::of(analyzer, &names(stored)).set;
    let has_dates = stored.table.columns.iter().any(|c| matches!(c.kind, Kind::Date | Kind::DateTime));
    let mut of_a_type = false;
    for (name, asked, columns) in TYPES {
        let fits = !Words::of(analyzer, columns).set.is_disjoint(&own) || (name == "schedule" && has_dates);
        of_a_type |= fits;
        if fits && !Words::of(analyzer, asked).set.is_disjoint(query) {
            return Some(1.0);
        }
    }
    of_a_type.then_some(0.0)
}
