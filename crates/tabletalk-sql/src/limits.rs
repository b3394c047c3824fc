//! What one statement may cost.

/// What one statement may cost. Reaching a limit is an error that names it, but for rows and bytes of
/// the result, where the rest is left out.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// The most milliseconds a statement may run.
    pub time_ms: u64,
    /// The most bytes its sorts, joins, groups and texts may hold at once.
    pub memory: usize,
    /// The most rows of a result.
    pub rows: usize,
    /// The most bytes of a result.
    pub bytes: usize,
    /// The most bytes of a statement.
    pub statement: usize,
    /// The most words and signs of a statement.
    pub words: usize,
    /// How deep parentheses and subqueries may be nested.
    pub depth: usize,
    /// How many times a statement may name a relation, each use of a common table expression counted.
    pub scans: usize,
    /// Threads that run statements; 0 takes as many as there are cores.
    pub threads: usize,
    /// Whether to find the rows that entered a result.
    pub lineage: bool,
    /// Whether a statement over tables of one database runs there as a whole, where it can be written for it. Otherwise their
    /// rows are fetched.
    pub in_database: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            time_ms: 10_000,
            memory: 1 << 30,
            rows: 10_000,
            bytes: 16 << 20,
            statement: 32 << 10,
            words: 6_000,
            depth: 48,
            scans: 64,
            threads: 0,
            lineage: true,
            in_database: true,
        }
    }
}

impl Limits {
    /// The number of threads, once 0 is replaced by the number of cores.
    pub(crate) fn cores(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(2, |n| n.get()),
            n => n,
        }
    }
}
