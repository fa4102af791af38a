//! The page's modules are typed by JSDoc; where npm is at hand, the checker looks at them.

use std::path::Path;
use std::process::{Command, Stdio};

/// The version of the checker, so that a new one does not break what has not changed.
const CHECKER: &str = "typescript@5.9.3";

#[test]
fn the_modules_of_the_page_are_typed() {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../page/web");
    let mut command = Command::new("npx");
    command.args(["--yes", "--package", CHECKER, "tsc", "--version"]).stdin(Stdio::null());
    let there = command.output().is_ok_and(|output| output.status.success());
    if !there {
        println!("the_modules_of_the_page_are_typed is skipped: npx cannot get {CHECKER}");
        return;
    }
    let mut command = Command::new("npx");
    command.args(["--yes", "--package", CHECKER, "tsc", "--project", "tsconfig.json"]);
    let output = command.current_dir(&web).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
