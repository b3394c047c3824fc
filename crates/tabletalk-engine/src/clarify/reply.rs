//! What a model meant to say, without what it wraps it in.

/// A reply without the thinking before it, fences, and a line that only announces what follows.
pub(super) fn plain(reply: &str) -> String {
    let said = reply.rsplit("</think>").next().unwrap_or(reply);
    let lines = said.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("```"));
    let mut lines: Vec<&str> = lines.collect();
    if lines.len() > 1 && lines.first().is_some_and(|l| l.ends_with([':', '：'])) {
        lines.remove(0);
    }
    lines.join("\n")
}

/// A line without the sign of a list before it and without marks of emphasis.
pub(super) fn item(line: &str) -> String {
    let line = line.trim_start_matches(['-', '*', '•', ' ']);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..).unwrap_or_default();
    let line = match rest.strip_prefix(['.', ')']).filter(|r| digits > 0 && r.starts_with(' ')) {
        Some(rest) => rest,
        None => line,
    };
    line.replace("**", "").replace('`', "").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_reply_is_wrapped_in_is_taken_off() {
        assert_eq!(plain("<think>hm\nhm</think>\nHere it is:\n\nIt lists cities.\n"), "It lists cities.");
        assert_eq!(plain("```text\nIt lists cities.\n```"), "It lists cities.");
        assert_eq!(plain("GDP: gross product"), "GDP: gross product");
        assert_eq!(item("- **GDP**: `x`"), "GDP: x");
        assert_eq!(item("2. GDP: x"), "GDP: x");
        assert_eq!(item("2023 / Q1: x"), "2023 / Q1: x");
    }
}
