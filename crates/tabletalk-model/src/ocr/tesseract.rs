//! Reading with Tesseract, where it is installed.

use super::tsv;
use crate::vision::check;
use std::{
    ffi::OsString,
    fs::File,
    io::{Read, Seek, Write},
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};
use tabletalk_core::{
    Error, Result,
    seam::{Ocr, Picture, Seen},
};

/// The languages that are read unless others are named.
const LANGUAGES: [&str; 2] = ["eng", "chi_sim"];
/// The largest side that Tesseract takes.
const LARGEST: u32 = 32_767;

/// An installed Tesseract.
#[derive(Debug, Clone)]
pub struct Tesseract {
    program: OsString,
    installed: Vec<String>,
    languages: Vec<String>,
    limit: Duration,
}

impl Tesseract {
    /// The one that is called `tesseract`, where there is one with at least one language.
    pub fn find() -> Option<Tesseract> {
        Tesseract::at("tesseract").ok()
    }

    /// The one at a path.
    pub fn at(program: impl Into<OsString>) -> Result<Tesseract> {
        let program = program.into();
        let mut command = Command::new(&program);
        command.arg("--list-langs");
        let installed = listed(&run(command, Duration::from_secs(20))?);
        let languages: Vec<String> =
            LANGUAGES.iter().map(|l| l.to_string()).filter(|l| installed.contains(l)).collect();
        let languages =
            if languages.is_empty() { installed.iter().take(1).cloned().collect() } else { languages };
        match installed.is_empty() {
            true => {
                Err(Error::missing("tesseract has no languages")
                    .hint("install one, such as tesseract-ocr-eng"))
            }
            false => Ok(Tesseract { program, installed, languages, limit: Duration::from_secs(120) }),
        }
    }

    /// The languages it has.
    pub fn installed(&self) -> &[String] {
        &self.installed
    }

    /// Reads these languages, such as `eng` and `deu`, and no others.
    pub fn languages(mut self, languages: &[impl AsRef<str>]) -> Result<Tesseract> {
        let wanted: Vec<String> = languages.iter().map(|l| l.as_ref().to_owned()).collect();
        if let Some(missing) = wanted.iter().find(|language| !self.installed.contains(language)) {
            return Err(Error::missing(format!("tesseract has no language `{missing}`"))
                .hint(format!("install it, or use one of {}", self.installed.join(", "))));
        }
        if !wanted.is_empty() {
            self.languages = wanted;
        }
        Ok(self)
    }

    /// How long a page may take: 120 seconds unless set.
    pub fn time_limit(mut self, limit: Duration) -> Tesseract {
        self.limit = limit;
        self
    }
}

impl Ocr for Tesseract {
    fn lines(&self, picture: &Picture) -> Result<Vec<Seen>> {
        check(picture)?;
        if picture.rgb.is_empty() {
            return Ok(Vec::new());
        }
        if picture.width.max(picture.height) > LARGEST {
            return Err(Error::limit(format!("tesseract reads pictures of at most {LARGEST} pixels a side")));
        }
        let mut file = tempfile::Builder::new().suffix(".ppm").tempfile()?;
        write!(file, "P6\n{} {}\n255\n", picture.width, picture.height)?;
        file.write_all(&picture.rgb)?;
        file.flush()?;
        let mut command = Command::new(&self.program);
        command.arg(file.path()).args(["-", "-l", &self.languages.join("+"), "--psm", "3", "tsv"]);
        Ok(tsv::lines(&run(command, self.limit)?))
    }
}

/// What the command writes. It writes to files, not pipes, so that it never waits for us while we wait for it.
fn run(mut command: Command, limit: Duration) -> Result<String> {
    let (mut out, mut err) = (tempfile::tempfile()?, tempfile::tempfile()?);
    // Its threads mostly wait for one another: on one it is faster, and pages can be read beside one another.
    command.env("OMP_THREAD_LIMIT", "1");
    command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(err.try_clone()?);
    let child = command.spawn().map_err(|e| {
        Error::from(e)
            .at("tesseract cannot be started")
            .hint("install it (Debian: apt-get install tesseract-ocr)")
    })?;
    let status = wait(child, limit)?;
    if !status.success() {
        let said = text(&mut err)?;
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it did not say why");
        return Err(Error::upstream(format!("tesseract failed ({status}): {last}")));
    }
    text(&mut out)
}

fn wait(mut child: Child, limit: Duration) -> Result<ExitStatus> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            let message = format!("tesseract took longer than {} seconds", limit.as_secs_f32());
            return Err(
                Error::limit(message).hint("render the page at a lower resolution, or allow more time")
            );
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn text(file: &mut File) -> Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The languages in the list that Tesseract writes under a headline; `osd` is none.
fn listed(list: &str) -> Vec<String> {
    list.lines()
        .skip(1)
        .map(str::trim)
        .filter(|line| !line.is_empty() && *line != "osd")
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_listed_under_a_headline() {
        assert_eq!(
            listed("List of available languages in \"/x\" (3):\nchi_sim\neng\nosd\n"),
            ["chi_sim", "eng"]
        );
        assert!(listed("").is_empty());
    }

    #[test]
    fn a_program_that_is_not_there_is_named_with_the_cure() {
        let e = Tesseract::at("/nowhere/tesseract").unwrap_err();
        assert!(e.to_string().contains("tesseract cannot be started"), "{e}");
        assert!(e.cure().unwrap().contains("install it"));
    }

    #[test]
    fn a_language_that_is_not_installed_is_named() {
        let engine = Tesseract {
            program: "tesseract".into(),
            installed: vec!["eng".into()],
            languages: vec!["eng".into()],
            limit: Duration::from_secs(1),
        };
        let e = engine.clone().languages(&["eng", "deu"]).unwrap_err();
        assert_eq!(e.message(), "tesseract has no language `deu`");
        assert_eq!(engine.languages(&["eng"]).unwrap().languages, ["eng"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_takes_too_long_is_stopped_and_one_that_fails_is_quoted() {
        let mut slow = Command::new("sleep");
        slow.arg("60");
        let e = run(slow, Duration::from_millis(50)).unwrap_err();
        assert!(e.message().contains("took longer than 0.05 seconds"), "{e}");
        let mut failing = Command::new("sh");
        failing.args(["-c", "echo 'no such file' >&2; exit 3"]);
        let e = run(failing, Duration::from_secs(10)).unwrap_err();
        assert!(e.message().ends_with("no such file"), "{e}");
    }
}
