//! Runs a program or a script with a limit on its time.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tabletalk::{Error, Result};

static STOPPED: AtomicBool = AtomicBool::new(false);

/// Lets Ctrl-C end the child that runs, and then the run; a second one ends this process at once.
pub fn stop_on_interrupt() {
    let _ = ctrlc::set_handler(|| {
        if STOPPED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
}

/// Whether the user wants to stop.
pub fn stopped() -> bool {
    STOPPED.load(Ordering::SeqCst)
}

/// Runs a command to its end and gives what it printed; after `until` it is ended with all its children.
pub fn run(command: &mut Command, until: Instant) -> Result<String> {
    apart(command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command.spawn().map_err(|e| Error::from(e).at(&name))?;
    let (out, err) = (child.stdout.take().map(collect), child.stderr.take().map(collect));
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if stopped() || Instant::now() >= until {
            end(&mut child);
            break None;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let (out, err) = (text(out), text(err));
    match status {
        Some(status) if status.success() => Ok(out),
        Some(status) => Err(Error::upstream(format!("{name}: {status}: {}", said(&out, &err)))),
        None if stopped() => Err(Error::input("stopped")),
        None => Err(Error::limit("it took too long").hint("give it more time with --timeout-s")),
    }
}

/// A child in a group of its own can be ended together with its children.
#[cfg(unix)]
fn apart(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn apart(_: &mut Command) {}

/// Ends a child and, where the system has groups of processes, all that it has started.
fn end(child: &mut Child) {
    let group = format!("-{}", child.id());
    let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    let _ = child.kill();
    let _ = child.wait();
}

/// Reads a pipe beside the work, so that the child never waits for us.
fn collect(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    })
}

fn text(reader: Option<JoinHandle<Vec<u8>>>) -> String {
    let bytes = reader.and_then(|reader| reader.join().ok()).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The last lines of what went wrong.
fn said(out: &str, err: &str) -> String {
    let from = if err.trim().is_empty() { out } else { err };
    let lines: Vec<&str> = from.trim().lines().collect();
    lines[lines.len().saturating_sub(8)..].join("\n")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, seconds: f64) -> Result<String> {
        run(Command::new("sh").args(["-c", script]), Instant::now() + Duration::from_secs_f64(seconds))
    }

    #[test]
    fn gives_what_was_printed() {
        assert_eq!(shell("echo 1", 60.0).unwrap(), "1\n");
    }

    #[test]
    fn keeps_the_message_of_a_failure() {
        assert!(shell("echo because >&2; exit 3", 60.0).unwrap_err().message().contains("because"));
    }

    #[test]
    fn ends_children_of_children_too() {
        let begun = Instant::now();
        assert!(shell("sleep 60 & wait", 0.2).unwrap_err().message().contains("too long"));
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}
