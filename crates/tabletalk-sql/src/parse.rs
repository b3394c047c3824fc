//! From a text to one query, or a refusal.
//!
//! Words and signs are looked at before the parser sees them, so that what it is given is short and flat;
//! the dialect then limits how often it may try.

use crate::Limits;
use crate::clock::Clock;
use crate::dialect::Metered;
use datafusion::sql::sqlparser::ast::Query;
use datafusion::sql::sqlparser::dialect::{Dialect, GenericDialect};
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::parser::{Parser, ParserError};
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};
use tabletalk_core::{Error, Result};

/// How deep the parser may go for each level of nesting that is allowed.
const CALLS_PER_LEVEL: usize = 6;

/// The most characters of a name.
const LONGEST_NAME: usize = 1_024;

/// The most bytes of a text in a statement: it may be repeated for every row.
const LONGEST_TEXT: usize = 4_096;

/// Reads exactly one query. Anything else is refused here, before it is planned.
pub(crate) fn parse(sql: &str, limits: &Limits, clock: &Clock) -> Result<Query> {
    if sql.len() > limits.statement {
        return Err(Error::limit(format!("the statement has more than {} bytes", limits.statement)));
    }
    let tokens = tokens(unfenced(sql), limits)?;
    let dialect = Metered::new(words(&tokens).count(), clock);
    dialect.read(|dialect| query(dialect, tokens, limits))
}

fn query(dialect: &dyn Dialect, tokens: Vec<TokenWithSpan>, limits: &Limits) -> Result<Query> {
    let mut parser = Parser::new(dialect)
        .with_recursion_limit(limits.depth.saturating_mul(CALLS_PER_LEVEL))
        .with_tokens_with_locations(tokens);
    while parser.consume_token(&Token::SemiColon) {}
    begins(parser.peek_token_ref())?;
    let query = parser.parse_query().map_err(unreadable)?;
    let ended = parser.consume_token(&Token::SemiColon);
    while parser.consume_token(&Token::SemiColon) {}
    match (&parser.peek_token_ref().token, ended) {
        (Token::EOF, _) => Ok(*query),
        (_, true) => Err(Error::input("there is more than one statement").hint("run them one by one")),
        (other, false) => Err(Error::input(format!("the SQL cannot be read at `{other}`"))),
    }
}

/// Only a query is given to the parser: no other statement can be misunderstood as one.
fn begins(token: &TokenWithSpan) -> Result<()> {
    match &token.token {
        Token::EOF => Err(Error::input("there is no statement")),
        Token::LParen => Ok(()),
        Token::Word(w) => match w.keyword {
            Keyword::SELECT | Keyword::WITH | Keyword::VALUES | Keyword::FROM => Ok(()),
            Keyword::NoKeyword => {
                Err(Error::input(format!("the SQL cannot be read: `{}` begins no query", short(&w.value)))
                    .hint("write a SELECT"))
            }
            _ => Err(Error::input(format!(
                "{} is refused: only queries can be run",
                short(&w.value).to_uppercase()
            ))
            .hint("write a SELECT")),
        },
        other => Err(Error::input(format!("the SQL cannot be read at `{}`", short(&other.to_string())))),
    }
}

fn short(text: &str) -> String {
    text.chars().take(24).collect()
}

fn unreadable(error: ParserError) -> Error {
    match error {
        ParserError::RecursionLimitExceeded => Error::limit("the statement is nested too deeply"),
        ParserError::TokenizerError(m) | ParserError::ParserError(m) => {
            Error::input(format!("the SQL cannot be read: {m}"))
        }
    }
}

/// The statement inside a Markdown fence, where there is one.
fn unfenced(sql: &str) -> &str {
    let Some((_, inside)) = sql.split_once("```") else { return sql };
    let inside = match inside.split_once('\n') {
        Some((language, rest)) if language.trim().chars().all(char::is_alphanumeric) => rest,
        _ => inside.strip_prefix("sql").unwrap_or(inside),
    };
    inside.split_once("```").map_or(inside, |(statement, _)| statement)
}

fn tokens(sql: &str, limits: &Limits) -> Result<Vec<TokenWithSpan>> {
    let tokens = Tokenizer::new(&GenericDialect {}, sql)
        .tokenize_with_location()
        .map_err(|e| Error::input(format!("the SQL cannot be read: {e}")))?;
    let mut nesting = Nesting::default();
    for (number, token) in words(&tokens).enumerate() {
        if nesting.after(token) > limits.depth {
            return Err(Error::limit(format!("the statement is nested deeper than {} levels", limits.depth)));
        }
        if number >= limits.words {
            return Err(Error::limit(format!("the statement has more than {} words", limits.words)));
        }
        check_length(token)?;
    }
    match nesting.open {
        0 => Ok(tokens),
        n => Err(Error::input(format!("the SQL cannot be read: {n} parentheses are not closed"))),
    }
}

/// The tokens that are not white space.
fn words(tokens: &[TokenWithSpan]) -> impl Iterator<Item = &Token> {
    tokens.iter().map(|t| &t.token).filter(|t| !matches!(t, Token::Whitespace(_)))
}

/// How deep the parser would be: what opens and closes, and the signs and words that stand before an
/// expression, which nest without closing.
#[derive(Default)]
struct Nesting {
    open: usize,
    cases: usize,
    types: usize,
    prefixes: usize,
    /// Whether the last word can name a type of other types, as in `ARRAY<`.
    after_word: bool,
}

impl Nesting {
    /// The depth once a token was read.
    fn after(&mut self, token: &Token) -> usize {
        let is_prefix = is_prefix(token);
        match token {
            Token::LParen | Token::LBracket | Token::LBrace => self.open += 1,
            Token::RParen | Token::RBracket | Token::RBrace => self.open = self.open.saturating_sub(1),
            Token::Lt if self.after_word => self.types += 1,
            Token::Gt => self.types = self.types.saturating_sub(1),
            Token::ShiftRight => self.types = self.types.saturating_sub(2),
            Token::Word(w) if w.keyword == Keyword::CASE => self.cases += 1,
            Token::Word(w) if w.keyword == Keyword::END => self.cases = self.cases.saturating_sub(1),
            _ => {}
        }
        self.prefixes = if is_prefix { self.prefixes + 1 } else { 0 };
        self.after_word = matches!(token, Token::Word(w) if holds_types(w.keyword));
        self.open + self.cases + self.types + self.prefixes
    }
}

fn holds_types(keyword: Keyword) -> bool {
    use Keyword as K;
    matches!(keyword, K::ARRAY | K::STRUCT | K::MAP | K::TABLE | K::TUPLE | K::NESTED)
}

fn is_prefix(token: &Token) -> bool {
    use Keyword as K;
    match token {
        Token::Minus | Token::Plus | Token::Tilde | Token::ExclamationMark => true,
        Token::Word(w) => {
            matches!(w.keyword, K::NOT | K::PRIOR | K::INTERVAL | K::BINARY | K::CONNECT_BY_ROOT)
        }
        _ => false,
    }
}

fn check_length(token: &Token) -> Result<()> {
    match token {
        Token::Word(w) if w.value.len() > LONGEST_NAME => {
            Err(Error::limit("a name in the statement is too long"))
        }
        Token::Word(_) | Token::Number(..) => Ok(()),
        // Texts are written in many ways: whatever is long and no word is one.
        other => match other.to_string().len() > LONGEST_TEXT {
            true => Err(Error::limit(format!("a text in the statement has more than {LONGEST_TEXT} bytes"))),
            false => Ok(()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;
    use std::time::{Duration, Instant};

    fn read(sql: &str) -> Result<String> {
        parse(sql, &Limits::default(), &Clock::new(10_000, &Stop::new())).map(|q| q.to_string())
    }

    #[test]
    fn takes_fences_and_a_semicolon_off() {
        for sql in [
            "SELECT 1",
            "SELECT 1;",
            "```sql\nSELECT 1\n```",
            "Here:\n```\nSELECT 1;\n```\nDone.",
            "```sql SELECT 1```",
        ] {
            assert_eq!(read(sql).unwrap(), "SELECT 1", "{sql}");
        }
    }

    #[test]
    fn refuses_anything_but_one_query() {
        assert!(read("").unwrap_err().to_string().contains("no statement"));
        assert!(read("SELECT 1; SELECT 2").unwrap_err().to_string().contains("more than one"));
        assert!(read("DROP TABLE x").unwrap_err().to_string().contains("DROP is refused"));
        assert!(read("SELEC 1").unwrap_err().to_string().contains("cannot be read"));
    }

    #[test]
    fn refuses_what_is_too_deep_or_too_long() {
        let deep = format!("SELECT {}1{}", "(".repeat(10_000), ")".repeat(10_000));
        assert!(read(&deep).unwrap_err().to_string().contains("nested"));
        let long = format!("SELECT 1{}", " + 1".repeat(5_000));
        assert!(read(&long).unwrap_err().to_string().contains("words"));
        assert!(read(&" ".repeat(50_000)).unwrap_err().to_string().contains("bytes"));
    }

    /// What the parser tries twice at every level, alone and in turn, closed and not, right and wrong.
    fn ambiguous() -> Vec<String> {
        let heads = [
            "ceil(",
            "floor(",
            "cast(",
            "try_cast(",
            "convert(",
            "substring(",
            "overlay(",
            "array[",
            "position(",
            "extract(",
            "trim(",
            "case when ",
            "interval ",
            "not ",
            "struct(",
            "map(",
            "(",
            "{fn ",
            "exists(",
            "1 in (",
            "ceil((",
            "f(ceil(",
            "(select ceil(",
            "array[array[",
            "trim(both ceil(",
            "position(ceil(",
            "a between ceil(",
            "struct<int>(",
            "nullable(",
            "cast(ceil(",
            "rank() over (order by ",
            "x -> ceil(",
            "(a, ceil(",
            "match(",
            "date ",
            "timestamp ",
            "[ceil(",
            "{'a': ceil(",
            "array(select ceil(",
        ];
        let mut all = Vec::new();
        for depth in [20, 40] {
            for head in heads {
                all.push(format!("SELECT {}", head.repeat(depth)));
                let closing: String = head.chars().rev().filter_map(closed).collect();
                all.push(format!("SELECT {}1 1{}", head.repeat(depth), closing.repeat(depth)));
                all.push(format!("SELECT * FROM t WHERE {}1 1{}", head.repeat(depth), closing.repeat(depth)));
            }
            for head in
                ["((select * from ", "((((select 1 from ", "(((", "(with a as (select * from (", "((a join "]
            {
                let closing: String = head.chars().rev().filter_map(closed).collect();
                all.push(format!("SELECT * FROM {}", head.repeat(depth)));
                all.push(format!("SELECT * FROM {}a b c d{}", head.repeat(depth), closing.repeat(depth)));
            }
            for (one, other) in heads.iter().zip(heads.iter().skip(1)) {
                let closing: String = format!("{one}{other}").chars().rev().filter_map(closed).collect();
                all.push(format!("SELECT {}", format!("{one}{other}").repeat(depth / 2)));
                all.push(format!(
                    "SELECT {}1 1{}",
                    format!("{one}{other}").repeat(depth / 2),
                    closing.repeat(depth / 2)
                ));
            }
        }
        all
    }

    fn closed(open: char) -> Option<char> {
        match open {
            '(' => Some(')'),
            '[' => Some(']'),
            '{' => Some('}'),
            _ => None,
        }
    }

    #[test]
    fn reading_ends_soon_whatever_is_written() {
        let work = || {
            for sql in ambiguous() {
                let start = Instant::now();
                let _ = read(&sql);
                assert!(start.elapsed() < Duration::from_secs(2), "{:?}: {sql}", start.elapsed());
            }
        };
        std::thread::Builder::new().stack_size(64 << 20).spawn(work).unwrap().join().unwrap();
    }

    #[test]
    fn reading_ends_when_it_is_stopped() {
        let stop = Stop::new();
        stop.stop();
        let sql = format!("SELECT {}1{}", "1 + ".repeat(1_000), "");
        let error = parse(&sql, &Limits::default(), &Clock::new(10_000, &stop)).unwrap_err();
        assert!(error.to_string().contains("stopped"), "{error}");
    }

    #[test]
    fn types_and_prefixes_nest_too() {
        for (head, tail) in [("array<", ">"), ("- ", ""), ("not ", ""), ("interval ", ""), ("~ ", "")] {
            let sql = format!("SELECT {}1{}", head.repeat(1_000), tail.repeat(1_000));
            assert!(read(&sql).unwrap_err().to_string().contains("nested"), "{head}");
        }
    }

    #[test]
    fn texts_in_any_quotes_are_limited() {
        let long = "a".repeat(5_000);
        for sql in [format!("E'{long}'"), format!("$${long}$$"), format!("N'{long}'"), format!("X'{long}'")] {
            assert!(
                read(&format!("SELECT {sql}")).unwrap_err().to_string().contains("bytes"),
                "{}",
                &sql[..3]
            );
        }
    }
}
