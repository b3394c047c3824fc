//! From a text to one query, or a refusal.

use crate::Limits;
use datafusion::sql::sqlparser::ast::{Query, Statement};
use datafusion::sql::sqlparser::dialect::GenericDialect;
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
pub(crate) fn parse(sql: &str, limits: &Limits) -> Result<Query> {
    if sql.len() > limits.statement {
        return Err(Error::limit(format!("the statement has more than {} bytes", limits.statement)));
    }
    let tokens = tokens(unfenced(sql), limits)?;
    let dialect = GenericDialect {};
    let mut parser = Parser::new(&dialect)
        .with_recursion_limit(limits.depth.saturating_mul(CALLS_PER_LEVEL))
        .with_tokens_with_locations(tokens);
    let mut statements = parser.parse_statements().map_err(unreadable)?;
    match (statements.pop(), statements.is_empty()) {
        (None, _) => Err(Error::input("there is no statement")),
        (Some(_), false) => Err(Error::input("there is more than one statement").hint("run them one by one")),
        (Some(Statement::Query(query)), true) => Ok(*query),
        (Some(other), true) => Err(refused(&other)),
    }
}

fn refused(statement: &Statement) -> Error {
    let text = statement.to_string();
    let word: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').take(24).collect();
    Error::input(format!("{word} is refused: only queries can be run")).hint("write a SELECT")
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
    let mut depth = 0usize;
    let mut words = 0usize;
    for token in tokens.iter().map(|t| &t.token) {
        match token {
            Token::LParen | Token::LBracket | Token::LBrace => depth += 1,
            Token::RParen | Token::RBracket | Token::RBrace => depth = depth.saturating_sub(1),
            Token::Word(w) if w.keyword == Keyword::CASE => depth += 1,
            Token::Word(w) if w.keyword == Keyword::END => depth = depth.saturating_sub(1),
            Token::Whitespace(_) => continue,
            _ => {}
        }
        words += 1;
        if depth > limits.depth {
            return Err(Error::limit(format!("the statement is nested deeper than {} levels", limits.depth)));
        }
        if words > limits.words {
            return Err(Error::limit(format!("the statement has more than {} words", limits.words)));
        }
        check_length(token)?;
    }
    Ok(tokens)
}

fn check_length(token: &Token) -> Result<()> {
    match token {
        Token::Word(w) if w.value.len() > LONGEST_NAME => {
            Err(Error::limit("a name in the statement is too long"))
        }
        Token::SingleQuotedString(s) if s.len() > LONGEST_TEXT => {
            Err(Error::limit(format!("a text in the statement has more than {LONGEST_TEXT} bytes")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(sql: &str) -> Result<String> {
        parse(sql, &Limits::default()).map(|q| q.to_string())
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
}
