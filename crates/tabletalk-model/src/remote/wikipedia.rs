//! Articles of an encyclopaedia with MediaWiki's interface, such as Wikipedia.

use super::upstream;
use serde::Deserialize;
use std::time::Duration;
use tabletalk_core::{Error, Result};
use ureq::Agent;

/// The most bytes of an answer: a few introductions are far below.
const LONGEST: u64 = 4 << 20;
/// Longer titles are cut: a search takes no more.
const CHARS: usize = 250;

/// An encyclopaedia that is searched over HTTP.
pub struct Wikipedia {
    agent: Agent,
    url: String,
    articles: usize,
}

#[derive(Deserialize)]
struct Answer {
    query: Option<Pages>,
}

#[derive(Deserialize)]
struct Pages {
    #[serde(default)]
    pages: Vec<Page>,
}

#[derive(Deserialize)]
struct Page {
    title: String,
    #[serde(default)]
    index: u32,
    #[serde(default)]
    extract: String,
}

impl Wikipedia {
    /// The encyclopaedia at `url`, such as `https://en.wikipedia.org`; it gives so many articles for a search.
    pub fn new(url: &str, articles: usize, timeout: Duration) -> Result<Wikipedia> {
        if !(url.starts_with("http://") || url.starts_with("https://")) {
            return Err(Error::input(format!("{url} is no address of a server"))
                .hint("begin it with http:// or https://"));
        }
        let config = Agent::config_builder().timeout_global(Some(timeout)).http_status_as_error(false);
        let url = format!("{}/w/api.php", url.trim_end_matches('/'));
        Ok(Wikipedia { agent: config.build().into(), url, articles: articles.clamp(1, 20) })
    }

    /// Where it is asked.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The introductions of the articles nearest to some words, each with its title.
    pub fn articles(&self, about: &str) -> Result<Vec<(String, String)>> {
        let about: String = about.chars().take(CHARS).collect();
        let most = self.articles.to_string();
        let parameters = [
            ("action", "query"),
            ("format", "json"),
            ("formatversion", "2"),
            ("generator", "search"),
            ("gsrsearch", about.as_str()),
            ("gsrlimit", most.as_str()),
            ("prop", "extracts"),
            ("exintro", "1"),
            ("explaintext", "1"),
            ("exlimit", "max"),
        ];
        let failed = |e: ureq::Error| {
            upstream(format!("{} cannot be asked: {e}", self.url)).hint("check `reference.wikipedia`")
        };
        let mut response = self.agent.get(&self.url).query_pairs(parameters).call().map_err(failed)?;
        if !response.status().is_success() {
            return Err(upstream(format!("{} answered {}", self.url, response.status().as_u16())));
        }
        let answer: Answer = response.body_mut().with_config().limit(LONGEST).read_json().map_err(failed)?;
        let mut pages = answer.query.map(|query| query.pages).unwrap_or_default();
        pages.sort_by_key(|page| page.index);
        let text = |page: Page| (page.title, page.extract.trim().to_owned());
        Ok(pages.into_iter().map(text).filter(|(_, text)| !text.is_empty()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::stub::{Say, Stub};
    use super::*;

    fn at(stub: &Stub) -> Wikipedia {
        Wikipedia::new(&stub.endpoint.url, 2, Duration::from_secs(5)).unwrap()
    }

    #[test]
    fn gives_introductions_best_first() {
        let pages = r#"{"query":{"pages":[{"title":"B","index":2,"extract":"later"},{"title":"A","index":1,"extract":"first"},{"title":"C","index":3}]}}"#;
        let stub = Stub::new(vec![Say::Answer(200, "", pages.to_owned())]);
        assert_eq!(
            at(&stub).articles("disk loading & lift").unwrap(),
            [("A".to_owned(), "first".to_owned()), ("B".to_owned(), "later".to_owned())]
        );
        let heard = stub.heard.lock().unwrap()[0].clone();
        assert!(
            heard.contains("disk%20loading%20%26%20lift") || heard.contains("disk+loading+%26+lift"),
            "{heard}"
        );
    }

    #[test]
    fn finds_nothing_or_says_why() {
        let stub =
            Stub::new(vec![Say::Answer(200, "", "{}".to_owned()), Say::Answer(503, "", String::new())]);
        let wikipedia = at(&stub);
        assert!(wikipedia.articles("x").unwrap().is_empty());
        assert!(wikipedia.articles("x").unwrap_err().to_string().contains("503"));
        assert!(Wikipedia::new("en.wikipedia.org", 2, Duration::from_secs(1)).is_err());
    }
}
