//! The programs that ours is compared with, and where they are.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The source tree with the scripts: here, above here, or above this program.
pub fn root() -> Option<PathBuf> {
    let here = std::env::current_dir().ok();
    let program = std::env::current_exe().ok();
    [here, program].into_iter().flatten().find_map(|from| {
        from.ancestors().find(|dir| dir.join("scripts/peers/setup").is_file()).map(Path::to_owned)
    })
}

/// The Python that was named, or the one that `scripts/peers/setup` makes; it need not be there.
pub fn python(given: Option<&Path>) -> PathBuf {
    let made = || root().unwrap_or_default().join(".peers/bin/python");
    given.map_or_else(made, Path::to_owned)
}

/// What to do when the peers are not installed.
pub fn how_to_install(python: &Path) -> String {
    format!("no {}; run scripts/peers/setup", python.display())
}

/// Runs a peer; what it prints as JSON, or why there is nothing to compare with.
pub fn run(given: Option<&Path>, script: &str, args: &[String]) -> Value {
    let python = python(given);
    if !python.exists() {
        return json!({"missing": how_to_install(&python)});
    }
    let Some(root) = root() else {
        return json!({"missing": "no source tree with scripts/peers here or above"});
    };
    match Command::new(python).arg(root.join("scripts/peers").join(script)).args(args).output() {
        Ok(out) if out.status.success() => {
            let text = String::from_utf8_lossy(&out.stdout).into_owned();
            serde_json::from_str(text.trim()).unwrap_or_else(|e| json!({"failed": e.to_string()}))
        }
        Ok(out) => json!({"failed": String::from_utf8_lossy(&out.stderr)}),
        Err(e) => json!({"failed": e.to_string()}),
    }
}

const LOOK: &str = "import importlib.util, json, sys
print(json.dumps([name for name in sys.argv[1:] if importlib.util.find_spec(name) is None]))";

/// Which of these modules a Python lacks; all of them when there is no Python.
pub fn lacks(python: &Path, modules: &[&str]) -> Vec<String> {
    let looked = Command::new(python).args(["-c", LOOK]).args(modules).stderr(Stdio::null()).output();
    let said = looked.ok().filter(|out| out.status.success());
    said.and_then(|out| serde_json::from_slice(&out.stdout).ok())
        .unwrap_or_else(|| modules.iter().map(|&name| name.to_owned()).collect())
}

/// Where a program is found, looked for as a shell does.
pub fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file())
}
