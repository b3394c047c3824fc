//! Notes the commit that the program is built from, where there is one.

use std::process::Command;

fn main() {
    let log = "../../.git/logs/HEAD";
    if std::path::Path::new(log).exists() {
        println!("cargo:rerun-if-changed={log}");
    } else {
        println!("cargo:rerun-if-changed=build.rs");
    }
    let asked = Command::new("git").args(["rev-parse", "HEAD"]).output();
    if let Ok(told) = asked.map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned())
        && !told.is_empty()
    {
        println!("cargo:rustc-env=BUILT_FROM_COMMIT={told}");
    }
}
