use serde_json::Value;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory of its own, in which the binary is run.
pub struct World {
    dir: tempfile::TempDir,
}

impl World {
    pub fn new() -> Self {
        World { dir: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file, with the folders above it.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(crate::program());
        command.args(args).current_dir(self.dir.path()).env("TMPDIR", self.dir.path());
        command.env("XDG_CACHE_HOME", self.path(".cache"));
        command.env_remove("TABLETALK_LIBRARY").env_remove("TABLETALK_CONFIG");
        command
    }

    /// Takes a file or folder from everybody but the system's administrator.
    pub fn forbid(&self, name: &str) {
        self.set_mode(name, 0o000);
    }

    pub fn allow(&self, name: &str) {
        self.set_mode(name, 0o755);
    }

    /// Sets who may do what with a file or folder.
    pub fn set_mode(&self, name: &str, mode: u32) {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(self.path(name), mode).unwrap();
    }

    /// Runs without the rights of the system's administrator, for whom nothing is forbidden.
    pub fn run_as_nobody(&self, args: &[&str]) -> Run {
        const NOBODY: u32 = 65534;
        let mut command = self.command(args);
        if tempfile::tempfile().unwrap().metadata().unwrap().uid() == 0 {
            give(self.dir.path(), NOBODY);
            command.uid(NOBODY).gid(NOBODY);
        }
        Run(command.output().unwrap())
    }

    pub fn run(&self, args: &[&str]) -> Run {
        Run(self.command(args).output().unwrap())
    }

    /// Runs with `--json` and reads the result; the exit code must be the given one.
    pub fn json(&self, code: i32, args: &[&str]) -> Value {
        let run = self.run(&[args, &["--json"]].concat());
        assert_eq!(run.code(), code, "{args:?}\n{}\n{}", run.stdout(), run.stderr());
        serde_json::from_str(&run.stdout()).unwrap_or_else(|e| panic!("{e}: {}", run.stdout()))
    }
}

/// Gives a folder and all that is in it to a user.
fn give(path: &Path, user: u32) {
    std::os::unix::fs::lchown(path, Some(user), Some(user)).unwrap();
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        give(&entry.path(), user);
    }
}

pub struct Run(Output);

impl Run {
    pub fn of(output: Output) -> Run {
        Run(output)
    }

    pub fn code(&self) -> i32 {
        self.0.status.code().unwrap_or(-1)
    }

    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }
}

/// The repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The texts of the hits of a search.
pub fn texts(found: &Value) -> Vec<String> {
    found["hits"].as_array().unwrap().iter().map(|h| h["text"].as_str().unwrap().to_owned()).collect()
}

/// The places of the hits of a search.
pub fn places(found: &Value) -> Vec<String> {
    found["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|h| h["place"]["text"].as_str().unwrap().to_owned())
        .collect()
}
