//! A program in what a model replied.

/// The first SQL statement of a reply: inside a fence where there is one, from its first `SELECT` or `WITH` to
/// the end of the statement.
pub(super) fn statement(reply: &str) -> Option<String> {
    let text = inside_fence(reply).unwrap_or(reply);
    let start = ["select", "with"].iter().filter_map(|word| word_at(text, word)).min()?;
    let text = text.get(start..)?;
    let end = scan(text).find(|(_, c, quoted)| *c == ';' && !quoted).map_or(text.len(), |(i, _, _)| i);
    Some(text.get(..end)?.trim().to_owned()).filter(|s| !s.is_empty())
}

fn inside_fence(text: &str) -> Option<&str> {
    let (_, after) = text.split_once("```")?;
    let (_, body) = after.split_once('\n')?;
    Some(body.split("```").next().unwrap_or(body))
}

/// Where a word begins that stands alone, whatever its case.
fn word_at(text: &str, word: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let is_end = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    lower.match_indices(word).map(|(i, _)| i).find(|&i| {
        let (before, after) = (lower.get(..i), lower.get(i + word.len()..));
        is_end(before.and_then(|b| b.chars().next_back())) && is_end(after.and_then(|a| a.chars().next()))
    })
}

/// The characters of a statement, with whether each stands inside quotes.
fn scan(text: &str) -> impl Iterator<Item = (usize, char, bool)> + '_ {
    let mut open: Option<char> = None;
    text.char_indices().map(move |(i, c)| {
        let was_open = open;
        match open {
            Some(quote) if c == quote => open = None,
            None if c == '\'' || c == '"' => open = Some(c),
            _ => {}
        }
        (i, c, was_open.is_some() || open.is_some())
    })
}

/// A statement as it is compared with others: spaces and case outside of quotes do not count.
pub(super) fn normal(statement: &str) -> String {
    let mut text = String::with_capacity(statement.len());
    for (_, c, quoted) in scan(statement) {
        match quoted {
            true => text.push(c),
            false if c.is_whitespace() => text.push(' '),
            false => text.extend(c.to_lowercase()),
        }
    }
    let mut normal = String::with_capacity(text.len());
    for (_, c, quoted) in scan(&text) {
        let after_sign = normal.chars().next_back().is_none_or(is_sign);
        if !quoted && c == ' ' && after_sign {
            continue;
        }
        if !quoted && is_sign(c) && normal.ends_with(' ') {
            normal.pop();
        }
        normal.push(c);
    }
    normal.trim().to_owned()
}

/// Whether spaces beside a character mean nothing.
fn is_sign(c: char) -> bool {
    c == ' ' || ",()=<>+*/".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn finds_the_statement_in_what_was_said() {
        let found = |reply| statement(reply).unwrap_or_default();
        assert_eq!(found("SELECT a FROM t;"), "SELECT a FROM t");
        assert_eq!(found("Sure!\n```sql\nselect a\nfrom t\n```\nI selected a."), "select a\nfrom t");
        assert_eq!(found("I chose: Select \"x;y\" FROM t; it is short"), "Select \"x;y\" FROM t");
        assert_eq!(found("WITH u AS (SELECT 1) SELECT * FROM u"), "WITH u AS (SELECT 1) SELECT * FROM u");
        assert_eq!(statement("selection is not without risk"), None);
        assert_eq!(statement("```"), None);
    }

    #[test]
    fn spaces_and_case_do_not_tell_statements_apart_but_quoted_text_does() {
        let a = normal("SELECT  \"City\" ,\n people FROM t WHERE x='A  b'");
        assert_eq!(a, normal("select \"City\",people from t where x = 'A  b'"));
        assert_ne!(a, normal("select \"City\",people from t where x = 'a b'"));
        assert_ne!(a, normal("select \"city\",people from t where x = 'A  b'"));
    }

    proptest! {
        #[test]
        fn no_reply_breaks_it(reply in "\\PC{0,40}(select|```|'|\"|;|İ|\n){0,4}\\PC{0,40}") {
            if let Some(found) = statement(&reply) {
                let once = normal(&found);
                prop_assert_eq!(normal(&once), once);
            }
        }
    }
}
