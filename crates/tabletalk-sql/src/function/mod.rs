//! The functions that a statement can call: those named here and no other.
//!
//! Left out are functions that give something else each time (`now`, `random`, `uuid`), that tell about
//! the program (`version`), that take time out of proportion (`levenshtein`), and lists and structures.

mod bounded;
mod number;
mod window;

pub(crate) use bounded::{Bounded, Growth};
pub(crate) use number::{is_like, join_texts, short_text, to_number};
pub(crate) use window::Bounds;

use datafusion::execution::SessionStateDefaults;
use datafusion::functions_aggregate::all_default_aggregate_functions;
use datafusion::functions_window::all_default_window_functions;
use datafusion::logical_expr::{AggregateUDF, ScalarUDF, WindowUDF};
use std::collections::HashMap;
use std::sync::Arc;

const SCALAR: &[&str] = &[
    "nullif",
    "coalesce",
    "greatest",
    "least",
    "nvl2",
    "date_bin",
    "date_part",
    "date_trunc",
    "make_date",
    "to_char",
    "to_date",
    "to_timestamp",
    "from_unixtime",
    "to_unixtime",
    "ascii",
    "btrim",
    "chr",
    "concat",
    "concat_ws",
    "contains",
    "ends_with",
    "lower",
    "ltrim",
    "replace",
    "repeat",
    "rtrim",
    "split_part",
    "starts_with",
    "upper",
    "character_length",
    "initcap",
    "left",
    "lpad",
    "reverse",
    "right",
    "rpad",
    "strpos",
    "substr",
    "substr_index",
    "translate",
    "regexp_like",
    "regexp_replace",
    "regexp_count",
    "abs",
    "acos",
    "asin",
    "atan",
    "atan2",
    "cbrt",
    "ceil",
    "cos",
    "cot",
    "degrees",
    "exp",
    "factorial",
    "floor",
    "gcd",
    "isnan",
    "iszero",
    "lcm",
    "ln",
    "log",
    "log10",
    "log2",
    "nanvl",
    "pi",
    "power",
    "radians",
    "round",
    "signum",
    "sin",
    "sqrt",
    "tan",
    "trunc",
];

const AGGREGATE: &[&str] = &[
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "median",
    "stddev",
    "stddev_pop",
    "var",
    "var_pop",
    "corr",
    "covar_samp",
    "covar_pop",
    "regr_slope",
    "regr_intercept",
    "regr_r2",
    "regr_count",
    "approx_distinct",
    "approx_median",
    "approx_percentile_cont",
    "percentile_cont",
    "string_agg",
    "bool_and",
    "bool_or",
    "bit_and",
    "bit_or",
    "bit_xor",
    "first_value",
    "last_value",
    "nth_value",
    "any_value",
    "grouping",
];

const WINDOW: &[&str] = &[
    "row_number",
    "rank",
    "dense_rank",
    "percent_rank",
    "cume_dist",
    "ntile",
    "lag",
    "lead",
    "first_value",
    "last_value",
    "nth_value",
];

/// Functions whose result can be longer than what they are given, those that copy it, and those that take
/// long for a long text.
const BOUNDED: &[(&str, Growth)] = &[
    ("concat", Growth::Joined),
    ("concat_ws", Growth::Separated),
    ("replace", Growth::Replaced),
    ("regexp_replace", Growth::Replaced),
    ("repeat", Growth::Repeated),
    ("lpad", Growth::Padded),
    ("rpad", Growth::Padded),
    ("upper", Growth::Copied),
    ("lower", Growth::Copied),
    ("initcap", Growth::Copied),
    ("reverse", Growth::Copied),
    ("translate", Growth::Copied),
    ("split_part", Growth::Copied),
    ("substr_index", Growth::Copied),
    ("substr", Growth::Copied),
    ("left", Growth::Copied),
    ("right", Growth::Copied),
    ("btrim", Growth::Copied),
    ("ltrim", Growth::Copied),
    ("rtrim", Growth::Copied),
    ("to_char", Growth::Formatted),
    ("regexp_like", Growth::Nothing),
    ("regexp_count", Growth::Nothing),
    ("strpos", Growth::Nothing),
    ("contains", Growth::Nothing),
    ("character_length", Growth::Nothing),
    ("to_date", Growth::Nothing),
    ("to_timestamp", Growth::Nothing),
    ("to_number", Growth::Nothing),
    (is_like::NAME, Growth::Nothing),
];

/// Functions that look for their second argument in their first.
const SEARCHING: &[&str] = &[
    "regexp_like",
    "regexp_count",
    "regexp_replace",
    "strpos",
    "contains",
    "replace",
    "split_part",
    "substr_index",
    "translate",
    "btrim",
    "ltrim",
    "rtrim",
    is_like::NAME,
];

#[derive(Debug)]
pub(crate) struct Functions {
    pub(crate) scalar: HashMap<String, Arc<ScalarUDF>>,
    pub(crate) aggregate: HashMap<String, Arc<AggregateUDF>>,
    pub(crate) window: HashMap<String, Arc<WindowUDF>>,
}

impl Functions {
    pub(crate) fn new() -> Self {
        let mut scalar = HashMap::new();
        for f in SessionStateDefaults::default_scalar_functions() {
            if SCALAR.contains(&f.name()) {
                for name in f.aliases() {
                    scalar.insert(name.clone(), f.clone());
                }
                scalar.insert(f.name().to_owned(), f);
            }
        }
        scalar.insert(to_number().name().to_owned(), to_number());
        let mut aggregate = HashMap::new();
        for f in all_default_aggregate_functions() {
            if AGGREGATE.contains(&f.name()) {
                for name in f.aliases() {
                    aggregate.insert(name.clone(), f.clone());
                }
                aggregate.insert(f.name().to_owned(), f);
            }
        }
        let all = all_default_window_functions().into_iter().filter(|f| WINDOW.contains(&f.name()));
        let window = all.map(|f| (f.name().to_owned(), f)).collect();
        Functions { scalar, aggregate, window }
    }

    /// A scalar function for one run, within that run's time and memory.
    pub(crate) fn scalar(&self, name: &str, bounds: &Bounds) -> Option<Arc<ScalarUDF>> {
        match name {
            short_text::NAME => Some(short_text::function()),
            is_like::NAME => Some(bounded(is_like::function(), bounds)),
            name => self.scalar.get(name).map(|function| bounded(function.clone(), bounds)),
        }
    }
}

fn bounded(function: Arc<ScalarUDF>, bounds: &Bounds) -> Arc<ScalarUDF> {
    match BOUNDED.iter().find(|(name, _)| *name == function.name()) {
        Some((_, growth)) => Arc::new(ScalarUDF::new_from_impl(Bounded::new(function, *growth, bounds))),
        None => function,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_function_exists() {
        let functions = Functions::new();
        for name in SCALAR {
            assert!(functions.scalar.contains_key(*name), "{name}");
        }
        for name in AGGREGATE {
            assert!(functions.aggregate.contains_key(*name), "{name}");
        }
        for name in WINDOW {
            assert!(functions.window.contains_key(*name), "{name}");
        }
        for name in BOUNDED.iter().map(|(name, _)| name).chain(SEARCHING) {
            let ours = [is_like::NAME, to_number().name()].contains(name);
            assert!(ours || SCALAR.contains(name), "{name}");
            assert!(BOUNDED.iter().any(|(bounded, _)| bounded == name), "{name}");
        }
    }

    #[test]
    fn nothing_that_differs_each_time_or_tells_about_the_program() {
        let functions = Functions::new();
        for name in
            ["now", "random", "uuid", "version", "current_date", "levenshtein", "arrow_cast", "get_field"]
        {
            assert!(!functions.scalar.contains_key(name), "{name}");
        }
    }
}
