//! The page: files that are part of the program.

use crate::app::App;
use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use include_dir::{Dir, include_dir};
use std::borrow::Cow;
use std::sync::Arc;

mod messages;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/page");

pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new().route("/", get(|headers: HeaderMap| async move { file("index.html", &headers) })).route(
        "/assets/{name}",
        get(|Path(name): Path<String>, headers: HeaderMap| async move { file(&name, &headers) }),
    )
}

/// The content of a file. Whoever works on the page sees changes at once with `SERVE_PAGE_FROM` in a debug build.
fn content(name: &str) -> Option<Cow<'static, [u8]>> {
    if cfg!(debug_assertions)
        && let Some(dir) = std::env::var_os("SERVE_PAGE_FROM")
    {
        return std::fs::read(std::path::Path::new(&dir).join(name)).ok().map(Cow::Owned);
    }
    match name.strip_prefix("messages.").and_then(|name| name.strip_suffix(".txt")) {
        Some(tongue) => Some(Cow::Owned(messages::of(tongue)?.into_bytes())),
        None => Some(Cow::Borrowed(FILES.get_file(name)?.contents())),
    }
}

fn file(name: &str, headers: &HeaderMap) -> Response {
    let Some(content) = content(name) else { return StatusCode::NOT_FOUND.into_response() };
    let kind = match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    };
    let tag = format!("\"{}\"", &blake3::hash(&content).to_hex()[..16]);
    let known = headers.get(header::IF_NONE_MATCH).and_then(|v| v.to_str().ok());
    let fixed = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (header::ETAG, tag.clone()),
        (header::CACHE_CONTROL, "no-cache".to_owned()),
    ];
    match known == Some(tag.as_str()) {
        true => (StatusCode::NOT_MODIFIED, fixed).into_response(),
        false => (fixed, content).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_script_writes_markup() {
        for file in FILES.files() {
            let text = file.contents_utf8().unwrap_or_default();
            for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
                assert!(!text.contains(word), "{} has {word}", file.path().display());
            }
        }
    }

    /// The keys that scripts ask words for: `t("key"` with a key that is written out.
    fn keys(text: &str) -> Vec<&str> {
        let is_call = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '.');
        let calls = text.match_indices("t(\"").filter(|(at, _)| is_call(*at));
        calls.filter_map(|(at, call)| text[at + call.len()..].split('"').next()).collect()
    }

    #[test]
    fn every_word_is_said_in_three_languages() {
        let words = FILES.get_file("words.js").and_then(|f| f.contents_utf8()).unwrap();
        let table: Vec<Vec<&str>> = words
            .lines()
            .skip_while(|l| !l.starts_with("skip = "))
            .take_while(|l| !l.starts_with('`'))
            .map(|l| l.split(" = ").collect())
            .collect();
        assert!(table.len() > 250, "{}", table.len());
        for entry in &table {
            let is_whole = entry.len() == 4 && entry.iter().all(|part| !part.is_empty());
            assert!(is_whole, "key = English = Chinese = German: {entry:?}");
        }
        let mut missing = Vec::new();
        for file in FILES.files().filter(|f| f.path().extension().is_some_and(|e| e == "js")) {
            let text = file.contents_utf8().unwrap_or_default();
            let unknown = keys(text).into_iter().filter(|key| !table.iter().any(|entry| entry[0] == *key));
            missing.extend(unknown.map(|key| format!("{}: {key}", file.path().display())));
        }
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn the_page_is_small_and_needs_nothing_from_elsewhere() {
        let size: usize = FILES.files().map(|f| f.contents().len()).sum();
        // In three languages, and without a build step that would make it smaller.
        assert!(size > 10_000 && size < 260_000, "{size}");
        for file in FILES.files() {
            let text = file.contents_utf8().unwrap_or_default().replace("http://www.w3.org/", "");
            assert!(!text.contains("src=\"http") && !text.contains("url(http"), "{}", file.path().display());
        }
    }
}
