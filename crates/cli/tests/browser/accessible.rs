//! Everyone can use the page: axe-core looks at every page, in light and dark, and on a phone's width. It comes from npm and is handed
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
    let mut faults = Vec::new();
    for (width, height, themes) in [(1280, 900, &["light", "dark"][..]), (320, 640, &["light"])] {
        let Some(site) = Site::open(test, width, height) else { return };
        site.ready();
        for theme in themes {
            site.browser.run(&format!("localStorage.setItem('lanista-theme', '{theme}')"));
            for (place, drawn) in places(&site) {
                let found = faults_at(&site, &axe, &place, drawn);
                faults.extend(found.into_iter().map(|fault| format!("{theme} {width} {fault}")));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// Every page, empty ones too, and what is there when one is drawn.
fn places(site: &Site) -> Vec<(String, &'static str)> {
    let (league, alone, other) = (site.id("league"), site.id("alone-1"), site.id("alone-2"));
    let first = |run: &str| {
        let matches = site.api(&format!("matches?run={}", site.id(run)));
        matches["matches"][0]["id"].as_str().unwrap().to_owned()
    };
    vec![
        ("#/runs?group=preset".into(), "document.querySelector('.runs tbody tr')"),
        (format!("#/run/{league}"), "document.querySelector('.readline dd')?.textContent"),
        (format!("#/run/{league}?tab=config"), "document.querySelector('.config')"),
        (format!("#/run/{league}?tab=events"), "document.querySelector('.chip')"),
        (
            format!("#/run/{league}?tab=files"),
            "document.body.textContent.includes('metrics.jsonl')",
        ),
        (format!("#/compare?runs={alone},{other}"), "document.querySelector('.readout tbody tr')"),
        ("#/compare".into(), "document.querySelector('.empty a')"),
        (format!("#/league/{league}"), "document.querySelector('.heat a.cell')"),
        (format!("#/league/{alone}"), "document.querySelector('.empty')"),
        ("#/matches".into(), "document.querySelector('td.players a')"),
        (format!("#/match/{}", first("league")), "document.querySelector('.choice')"),
        (format!("#/match/{}", first("fight")), "document.querySelector('.choice')"),
        (format!("#/match/{}", first("rocket")), "document.querySelector('.choice')"),
        (format!("#/live/{alone}"), "document.querySelector('.empty pre')"),
    ]
}

/// What axe-core calls serious at a place.
fn faults_at(site: &Site, axe: &str, place: &str, drawn: &str) -> Vec<String> {
    let browser = site.at(place);
    browser.until(place, drawn);
    browser.run(axe);
    let found = browser.run_async(
        "const done = arguments[0]; \
         axe.run(document, { resultTypes: ['violations'] }).then((r) => done(r.violations), (e) => done(String(e)))",
    );
    let found = found.as_array().unwrap_or_else(|| panic!("{place}: {found}"));
    let serious = |v: &&Value| matches!(v["impact"].as_str(), Some("serious" | "critical"));
    let said = found.iter().filter(serious).map(|fault| {
        let at = &fault["nodes"][0];
        format!("{place}: {} {} {}", fault["id"], at["html"], at["failureSummary"])
    });
    said.collect()
}
