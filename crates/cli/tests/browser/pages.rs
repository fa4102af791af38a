//! Every page: it loads, it lives, it keeps its state in the address, and it takes keys.

use std::fs;
use std::io::Write;
use std::path::Path;

use serde_json::Value;

use crate::site::Site;

/// The pages, and what is there when one is drawn.
fn places(site: &Site) -> Vec<(String, &'static str)> {
    let (league, alone, other) = (site.id("league"), site.id("alone-1"), site.id("alone-2"));
    let matches = site.api("matches");
    let recording =
        matches["matches"][0]["id"].as_str().unwrap_or_else(|| panic!("{matches}")).to_owned();
    let fights = site.api(&format!("matches?run={}", site.id("fight")));
    let fight = fights["matches"][0]["id"].as_str().unwrap_or_else(|| panic!("{fights}"));
    vec![
        ("#/runs".into(), "document.querySelectorAll('.runs tbody tr').length >= 5"),
        (format!("#/run/{league}"), "document.querySelector('.readline dd')?.textContent"),
        (
            format!("#/run/{league}?tab=config"),
            "document.querySelector('.config')?.textContent.includes('duel')",
        ),
        (format!("#/run/{league}?tab=events"), "document.querySelectorAll('tbody tr').length > 2"),
        (
            format!("#/run/{league}?tab=files"),
            "document.body.textContent.includes('metrics.jsonl')",
        ),
        (
            format!("#/compare?runs={alone},{other}"),
            "document.querySelectorAll('.readout tbody tr').length >= 2",
        ),
        (format!("#/league/{league}"), "document.querySelector('.heat a.cell')"),
        ("#/matches".into(), "document.querySelector('td.players a')"),
        (
            format!("#/match/{recording}"),
            "document.querySelector('.picture canvas, .picture *') && document.querySelector('.seat')",
        ),
        (format!("#/match/{}", fight), "document.querySelector('.choice')"),
        (format!("#/live/{league}"), "document.querySelector('.seat, .empty')"),
    ]
}

#[test]
fn every_page_loads_without_an_error_and_fits_every_width() {
    for (width, height) in [(1280, 800), (320, 640), (2560, 1300)] {
        let test = "every_page_loads_without_an_error_and_fits_every_width";
        let Some(site) = Site::open(test, width, height) else { return };
        site.ready();
        for (place, drawn) in places(&site) {
            let browser = site.at(&place);
            browser.until(&place, drawn);
            assert_eq!(browser.complaints(), [] as [String; 0], "{place} at {width}");
            assert_eq!(
                browser.run("return document.querySelectorAll('[role=alert]').length"),
                0,
                "{place}"
            );
            let overflow = browser.run("return document.documentElement.scrollWidth - innerWidth");
            assert!(
                overflow.as_i64().unwrap() <= 0,
                "{place} is {overflow} pixels wider than {width}"
            );
        }
    }
}

/// Adds a line to the metrics of a run, as its next iteration would, with this return.
fn append(path: &Path, returned: f64) {
    let text = fs::read_to_string(path).unwrap();
    let mut line: Value =
        serde_json::from_str(text.lines().rfind(|l| l.contains("return_mean")).unwrap()).unwrap();
    line["iteration"] = (line["iteration"].as_u64().unwrap() + 1).into();
    line["steps"] = (line["steps"].as_u64().unwrap() + 1000).into();
    line["return_mean"] = returned.into();
    let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
    writeln!(file, "{line}").unwrap();
}

#[test]
fn new_lines_of_a_run_arrive_by_themselves() {
    let Some(site) = Site::open("new_lines_of_a_run_arrive_by_themselves", 1280, 800) else {
        return;
    };
    site.ready();
    let id = site.id("alone-3");
    let browser = site.at(&format!("#/run/{id}"));
    browser.until(
        "the curve",
        "document.querySelector('[data-chart=Return] .readline dd')?.textContent",
    );
    let path = site.run_directory("alone-3").join("metrics.jsonl");
    append(&path, 4321.0);
    browser.until("the new value", "document.querySelector('[data-chart=Return] .readline dd').textContent.replace(/\\D/g, '') === '4321'");
    browser.until(
        "the new head",
        "document.querySelector('.figures-strip').textContent.replace(/\\s/g, '').includes('4321')",
    );
    assert_eq!(browser.complaints(), [] as [String; 0]);
}

#[test]
fn zoom_axis_smoothing_and_choice_survive_a_reload() {
    let Some(site) = Site::open("zoom_axis_smoothing_and_choice_survive_a_reload", 1280, 900)
    else {
        return;
    };
    site.ready();
    let (a, b) = (site.id("alone-1"), site.id("alone-2"));
    let browser = site.at(&format!("#/compare?runs={a},{b}&x=matches&smooth=4"));
    browser.until(
        "the curves",
        "document.querySelectorAll('[data-chart=Return] .readout tbody tr').length === 2",
    );
    browser.drag("[data-chart=Return] canvas", 0.4, 0.7);
    browser.until("the window", "/from=[\\d.]+&to=[\\d.]+/.test(location.hash)");
    let before = browser.url();
    assert!(before.contains("x=matches") && before.contains("smooth=4"), "{before}");
    browser.reload();
    browser.until(
        "the curves",
        "document.querySelectorAll('[data-chart=Return] .readout tbody tr').length === 2",
    );
    assert_eq!(browser.url(), before);
    let pressed = "[...document.querySelectorAll('.segments [aria-pressed=true]')].map((b) => b.textContent).join()";
    assert_eq!(browser.run(&format!("return {pressed}")), "matches");
    assert_eq!(
        browser.run("return document.querySelector('output').textContent"),
        "half-life 4 rows"
    );
    // All of it again, by a key.
    browser.keys("0");
    browser.until("no window", "!location.hash.includes('from=')");
    // Seeds together are one line.
    browser.keys("s");
    browser.until("one line", "location.hash.includes('by=group')");
    assert_eq!(browser.complaints(), [] as [String; 0]);
}

#[test]
fn a_cell_of_the_heat_map_opens_a_match_of_those_two() {
    let Some(site) = Site::open("a_cell_of_the_heat_map_opens_a_match_of_those_two", 1280, 900)
    else {
        return;
    };
    site.ready();
    let id = site.id("league");
    let browser = site.at(&format!("#/league/{id}"));
    browser.until("the heat map", "document.querySelector('.heat a.cell')");
    let label = browser.run("return document.querySelector('.heat a.cell').title");
    let label = label.as_str().unwrap().to_owned();
    browser.run("document.querySelector('.heat a.cell').click()");
    browser.until(
        "the match",
        "location.hash.startsWith('#/match/') && document.querySelector('.seat')",
    );
    let names = browser.run(
        "return [...document.querySelectorAll('.seat header button')].map((e) => e.textContent)",
    );
    let (one, rest) = label.split_once(" against ").unwrap();
    let other = rest.split_once(": ").unwrap().0;
    for name in names.as_array().unwrap() {
        let name = name.as_str().unwrap();
        assert!(name == one || name == other, "{names} is no match of {label}");
    }
    assert_eq!(browser.complaints(), [] as [String; 0]);
}

#[test]
fn a_match_is_played_scrubbed_and_linked_to_by_keys() {
    let Some(site) = Site::open("a_match_is_played_scrubbed_and_linked_to_by_keys", 1280, 900)
    else {
        return;
    };
    site.ready();
    let id = site.id("league");
    let matches = site.api(&format!("matches?run={id}"));
    let recording = matches["matches"][0]["id"].as_str().unwrap().to_owned();
    let browser = site.at(&format!("#/match/{recording}?t=3"));
    browser.until("the moment", "document.querySelector('.clock b')?.textContent === '3'");
    browser.until("the model's choices", "document.querySelector('.choice .bar i')");
    browser.keys(".");
    browser.until(
        "a step on",
        "document.querySelector('.clock b').textContent === '4' && location.hash.includes('t=4')",
    );
    browser.keys(",,");
    browser.until("two back", "document.querySelector('.clock b').textContent === '2'");
    browser.reload();
    browser.until("the same moment", "document.querySelector('.clock b')?.textContent === '2'");
    browser.keys(" ");
    browser.until("it plays on", "Number(document.querySelector('.clock b').textContent) > 3");
    assert_eq!(browser.complaints(), [] as [String; 0]);
}

#[test]
fn keys_lead_through_the_runs() {
    let Some(site) = Site::open("keys_lead_through_the_runs", 1280, 800) else { return };
    site.ready();
    let browser = &site.browser;
    browser.keys("?");
    browser.until("the list of keys", "document.querySelector('dialog[open] kbd')");
    browser.keys("\u{e00c}");
    browser.until("no list", "!document.querySelector('dialog[open]')");
    browser.keys("jx");
    browser.until("one is chosen", "document.querySelectorAll('tr.chosen').length === 1");
    browser.keys("jx");
    browser.until(
        "two are chosen",
        "document.querySelectorAll('tr.chosen').length === 2 && location.hash.includes('runs=')",
    );
    browser.keys("c");
    browser.until("the comparison", "location.hash.startsWith('#/compare') && document.querySelectorAll('.legend li').length === 2");
    browser.keys("gr");
    browser.until("the runs", "document.querySelectorAll('.runs tbody tr').length >= 4");
    browser.keys("/");
    browser.until("the filter", "document.activeElement?.type === 'search'");
    browser.keys("alone-2");
    browser.until("one run", "document.querySelectorAll('.runs tbody tr').length === 1 && location.hash.includes('q=alone-2')");
    browser.keys("\u{e00c}t");
    browser.until("the other colours", "document.documentElement.dataset.theme");
    assert_eq!(browser.complaints(), [] as [String; 0]);
}

/// More tabs than a browser opens connections to one server.
#[test]
fn ten_tabs_live_side_by_side() {
    let Some(site) = Site::open("ten_tabs_live_side_by_side", 1280, 800) else { return };
    site.ready();
    let (league, alone) = (site.id("league"), site.id("alone-3"));
    let drawn = "document.querySelector('.readline dd')?.textContent";
    let mut tabs = Vec::new();
    for i in 0..10 {
        tabs.push(site.browser.tab());
        let id = if i % 2 == 0 { &league } else { &alone };
        site.browser.go(&format!("{}#/run/{id}", site.address));
    }
    for tab in &tabs {
        site.browser.turn_to(tab);
        site.browser.until("the curves of a tab", drawn);
    }
    // What is new arrives in a tab that was hidden, once somebody looks at it.
    let path = site.run_directory("alone-3").join("metrics.jsonl");
    append(&path, 987.0);
    site.browser.turn_to(&tabs[1]);
    site.browser.until("the new value", "document.querySelector('[data-chart=Return] .readline dd').textContent.replace(/\\D/g, '') === '987'");
    assert_eq!(site.browser.complaints(), [] as [String; 0]);
}
