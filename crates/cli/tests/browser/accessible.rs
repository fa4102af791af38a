//! Everyone can use the page: axe-core looks at every page, in light and dark. It comes from npm and is handed
//! to the browser by the test; the page's own policy lets no other script in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::site::Site;

/// The version of axe-core, so that a new rule does not break what has not changed.
const AXE: &str = "axe-core@4.14.0";

/// The script of axe-core, if npm can get it.
fn axe() -> Option<String> {
    let root: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("axe");
    let script = root.join("node_modules/axe-core/axe.min.js");
    if !script.is_file() {
        fs::create_dir_all(&root).ok()?;
        fs::write(root.join("package.json"), "{\"private\": true}").ok()?;
        let mut npm = Command::new("npm");
        npm.args([
            "install",
            AXE,
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ]);
        npm.current_dir(&root).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        npm.status().ok().filter(|status| status.success())?;
    }
    fs::read_to_string(script).ok()
}

#[test]
fn no_page_has_a_serious_fault_of_accessibility() {
    let test = "no_page_has_a_serious_fault_of_accessibility";
    let Some(axe) = axe() else {
        println!("{test} is skipped: npm cannot get {AXE}");
        return;
    };
    let Some(site) = Site::open(test, 1280, 900) else { return };
    site.ready();
    let (league, alone, other) = (site.id("league"), site.id("alone-1"), site.id("alone-2"));
    let recording = site.api("matches")["matches"][0]["id"].as_str().unwrap().to_owned();
    let places = [
        ("#/runs?group=preset".to_owned(), "document.querySelector('.runs tbody tr')"),
        (format!("#/run/{league}"), "document.querySelector('.readline dd')?.textContent"),
        (format!("#/run/{league}?tab=config"), "document.querySelector('.config')"),
        (format!("#/compare?runs={alone},{other}"), "document.querySelector('.readout tbody tr')"),
        (format!("#/league/{league}"), "document.querySelector('.heat a.cell')"),
        ("#/matches".to_owned(), "document.querySelector('td.players a')"),
        (format!("#/match/{recording}"), "document.querySelector('.choice')"),
    ];
    let mut faults = Vec::new();
    for theme in ["light", "dark"] {
        site.browser.run(&format!("localStorage.setItem('lanista-theme', '{theme}')"));
        for (place, drawn) in &places {
            let browser = site.at(place);
            browser.until(place, drawn);
            browser.run(&axe);
            let found = browser.run_async(
                "const done = arguments[0]; \
                 axe.run(document, { resultTypes: ['violations'] }).then((r) => done(r.violations), (e) => done(String(e)))",
            );
            let found = found.as_array().unwrap_or_else(|| panic!("{place}: {found}"));
            let serious = |v: &&Value| matches!(v["impact"].as_str(), Some("serious" | "critical"));
            for fault in found.iter().filter(serious) {
                let at = &fault["nodes"][0];
                faults.push(format!(
                    "{theme} {place}: {} {} {}",
                    fault["id"], at["html"], at["failureSummary"]
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}
