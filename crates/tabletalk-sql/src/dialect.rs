//! The SQL that is read, and how much work reading it may be.
//!
//! The parser tries one reading after another: where `ceil(` cannot be read as the keyword it is read again
//! as the name of a function, so forty of them in each other, not closed, are read 2^40 times. There is no
//! version of it that does not. It asks its dialect whenever it begins an expression or a query, and every
//! way to try again goes through one of these two, so the dialect counts.

use crate::clock::Clock;
use datafusion::sql::sqlparser::ast::Expr;
use datafusion::sql::sqlparser::dialect::{Dialect, GenericDialect};
use datafusion::sql::sqlparser::parser::{Parser, ParserError};
use std::any::TypeId;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use tabletalk_core::{Error, Result};

/// Expressions and queries that may be begun for each word of a statement. Statements that people and models
/// write need up to 4 (measured over the tests of this crate), and the worst that is cut off takes 0.3 s.
const STEPS_PER_WORD: u64 = 32;

/// How often the clock is looked at, in steps.
const LOOK: u64 = 64;

/// The generic dialect, within a number of steps.
#[derive(Debug)]
pub(crate) struct Metered {
    generic: GenericDialect,
    clock: Clock,
    left: Cell<u64>,
}

/// Carried by the unwinding of a parser that has taken too many steps: most of what the parser asks its
/// dialect cannot be answered with an error.
struct Exhausted(Error);

impl Metered {
    pub(crate) fn new(words: usize, clock: &Clock) -> Self {
        let steps = (words as u64 + 16) * STEPS_PER_WORD;
        Metered { generic: GenericDialect {}, clock: clock.clone(), left: Cell::new(steps) }
    }

    /// Reads with a parser of this dialect; a parser that does not end within its steps is left.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&dyn Dialect) -> Result<T>) -> Result<T> {
        catch_unwind(AssertUnwindSafe(|| read(self))).unwrap_or_else(|payload| {
            Err(match payload.downcast::<Exhausted>() {
                Ok(exhausted) => exhausted.0,
                Err(_) => Error::input("the SQL cannot be read: the parser fails on it"),
            })
        })
    }

    fn step(&self) {
        let left = self.left.get().saturating_sub(1);
        self.left.set(left);
        let ended = match left {
            0 => Err(Error::limit("the SQL cannot be read: it can be understood in too many ways")
                .hint("close all parentheses, and nest less")),
            n if n % LOOK == 0 => self.clock.check(),
            _ => Ok(()),
        };
        if let Err(error) = ended {
            // No panic: nothing is printed, and `read` takes it up.
            resume_unwind(Box::new(Exhausted(error)));
        }
    }
}

/// Answers as the generic dialect does.
macro_rules! as_generic {
    ($($name:ident)*) => { $(fn $name(&self) -> bool { self.generic.$name() })* };
}

impl Dialect for Metered {
    fn dialect(&self) -> TypeId {
        TypeId::of::<GenericDialect>()
    }
    fn prec_unknown(&self) -> u8 {
        self.step();
        self.generic.prec_unknown()
    }
    fn parse_prefix(&self, _parser: &mut Parser<'_>) -> Option<std::result::Result<Expr, ParserError>> {
        self.step();
        None
    }
    fn is_delimited_identifier_start(&self, ch: char) -> bool {
        self.generic.is_delimited_identifier_start(ch)
    }
    fn is_identifier_start(&self, ch: char) -> bool {
        self.generic.is_identifier_start(ch)
    }
    fn is_identifier_part(&self, ch: char) -> bool {
        self.generic.is_identifier_part(ch)
    }
    as_generic! {
        supports_unicode_string_literal supports_partition_by_after_order_by supports_array_join_syntax
        supports_group_by_expr supports_group_by_with_modifier supports_left_associative_joins_without_parens
        supports_connect_by supports_match_recognize supports_pipe_operator
        supports_window_function_null_treatment_arg supports_dictionary_syntax
        supports_window_clause_named_window_reference supports_select_wildcard_except
        support_map_literal_syntax allow_extract_custom allow_extract_single_quotes
        supports_extract_comma_syntax supports_parens_around_table_factor supports_values_as_table_factor
        supports_limit_comma supports_from_first_select supports_projection_trailing_commas
        supports_try_convert supports_bitwise_shift_operators
        supports_named_fn_args_with_assignment_operator supports_struct_literal supports_empty_projections
        supports_nested_comments supports_multiline_comment_hints supports_string_escape_constant
        supports_array_typedef_with_brackets supports_match_against supports_filter_during_aggregation
        supports_select_wildcard_exclude supports_data_type_signed_suffix supports_interval_options
        supports_quote_delimited_string supports_select_wildcard_replace supports_select_wildcard_ilike
        supports_select_wildcard_rename supports_prewhere supports_with_fill supports_limit_by
        supports_interpolate supports_settings supports_select_format supports_comment_optimizer_hint
        supports_comma_separated_trim supports_cte_without_as supports_select_item_multi_column_alias
        supports_xml_expressions
    }
}
