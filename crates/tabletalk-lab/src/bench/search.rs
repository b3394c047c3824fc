//! Searches a second inside the process.

use super::timing::spread;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tabletalk::cli::command::Context;
use tabletalk::searching::{Found, Named};
use tabletalk::{Error, Result, SearchRequest};

/// Searches on several threads for some seconds.
pub fn search(
    context: &Context<'_>,
    searching: &SearchRequest,
    queries: &Path,
    threads: usize,
    seconds: f64,
) -> Result<Value> {
    let library = context.library()?;
    let text = std::fs::read_to_string(queries).map_err(|e| Error::from(e).at(queries.display()))?;
    let queries: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if queries.is_empty() {
        return Err(Error::input("there are no queries"));
    }
    let named = Named { name: "", library: &library };
    let next = AtomicUsize::new(0);
    let begun = Instant::now();
    let one = || -> Result<Vec<f64>> {
        let mut times = Vec::new();
        while begun.elapsed().as_secs_f64() < seconds {
            let i = next.fetch_add(1, Ordering::Relaxed) % queries.len();
            let searching = SearchRequest { query: queries[i].to_owned(), ..searching.clone() };
            let asked = Instant::now();
            let recalled = library.find(&searching)?;
            std::hint::black_box(Found::of(&[named], &searching, recalled, 0.0)?);
            times.push(asked.elapsed().as_secs_f64() * 1e3);
        }
        Ok(times)
    };
    let times = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(one)).collect();
        let mut all = Vec::new();
        for worker in workers {
            all.extend(worker.join().map_err(|_| Error::bug("a thread of the benchmark broke off"))??);
        }
        Ok::<_, Error>(all)
    })?;
    let took = begun.elapsed().as_secs_f64();
    let mut value = json!({"queries": times.len(), "seconds": took, "per_second": times.len() as f64 / took});
    value
        .as_object_mut()
        .zip(spread(times).as_object())
        .into_iter()
        .for_each(|(all, more)| all.extend(more.clone()));
    Ok(value)
}
