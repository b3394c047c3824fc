//! What was done on the way to an answer, step by step.

use serde_json::{Map, Value, json};
use std::time::Instant;
use tabletalk_core::{Result, Step};

/// The steps so far.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) steps: Vec<Step>,
}

/// What one stage hands to the next, as the trace tells of it.
pub(crate) trait Noted {
    /// What is told.
    fn about(&self) -> Result<Map<String, Value>>;
}

impl Trace {
    /// Goes through a stage, and notes how long it took and what it hands on.
    pub(crate) fn stage<T: Noted>(&mut self, name: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
        self.step(name, |about| {
            let value = run()?;
            about.extend(value.about()?);
            Ok(value)
        })
    }

    /// Does one step and notes how long it took and what it says of itself; an error is noted too.
    pub(crate) fn step<T>(
        &mut self,
        name: &str,
        run: impl FnOnce(&mut Map<String, Value>) -> Result<T>,
    ) -> Result<T> {
        let (begun, mut about) = (Instant::now(), Map::new());
        let result = run(&mut about);
        if let Err(e) = &result {
            about.insert("error".into(), json!(e.to_string()));
            about.insert("fault".into(), json!(e.fault().name()));
        }
        self.steps.push(Step { step: name.to_owned(), ms: begun.elapsed().as_secs_f64() * 1e3, about });
        result
    }

    /// Notes what took no time.
    pub(crate) fn note(&mut self, name: &str, about: Value) {
        let about = match about {
            Value::Object(about) => about,
            other => [("note".to_owned(), other)].into_iter().collect(),
        };
        self.steps.push(Step { step: name.to_owned(), ms: 0.0, about });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletalk_core::Error;

    #[test]
    fn a_step_that_fails_is_in_the_trace() {
        let mut trace = Trace::default();
        let failed: Result<()> = trace.step("recall", |_| Err(Error::input("no such group")));
        assert!(failed.is_err());
        assert_eq!(trace.steps[0].step, "recall");
        assert_eq!(trace.steps[0].about["error"], "no such group");
        assert_eq!(trace.steps[0].about["fault"], "input");
    }
}
