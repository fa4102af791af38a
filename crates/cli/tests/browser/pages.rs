//! Every page: it loads, it lives, it keeps its state in the address, and it takes keys.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::site::{Site, copy};

/// The pages, and what is there when one is drawn.
fn places(site: &Site) -> Vec<(String, &'static str)> {
    let (league, alone, other) = (site.id("league"), site.id("alone-1"), site.id("alone-2"));
    let matches = site.api("matches");
    let recording =
        matches["matches"][0]["id"].as_str().unwrap_or_else(|| panic!("{matches}")).to_owned();
    let fights = site.api(&format!("matches?run={}", site.id("fight")));
    let fight = fights["matches"][0]["id"].as_str().unwrap_or_else(|| panic!("{fights}"));
    vec![
        ("#/runs".into(), "document.querySelectorAll('.runs tbody tr').length >= 6"),
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
    browser.run("window.here = 'since before'");
    let path = site.run_directory("alone-3").join("metrics.jsonl");
    append(&path, 4321.0);
    let written = Instant::now();
    browser.until("the new value", "document.querySelector('[data-chart=Return] .readline dd').textContent.replace(/\\D/g, '') === '4321'");
    browser.until(
        "the new head",
        "document.querySelector('.figures-strip').textContent.replace(/\\s/g, '').includes('4321')",
    );
    let took = written.elapsed();
    println!("a new line was seen after {:.2} s", took.as_secs_f64());
    assert!(took < SEEN_WITHIN, "{took:?}");
    assert_eq!(browser.run("return window.here"), "since before", "the page was loaded again");
    // The table as well.
    let browser = site.at("#/runs");
    let row = format!("document.querySelector('tr[data-run=\"{id}\"] .spark')?.textContent");
    browser.until("the row", &row);
    append(&path, 5432.0);
    let written = Instant::now();
    browser.until("the new return", &format!("{row}.replace(/\\D/g, '').startsWith('5432')"));
    assert!(written.elapsed() < SEEN_WITHIN, "{:?}", written.elapsed());
    assert_eq!(browser.complaints(), [] as [String; 0]);
}

/// The bar is two seconds; the rest is for machines that test and compile many things at once.
const SEEN_WITHIN: Duration = Duration::from_secs(12);

#[test]
fn the_live_page_takes_a_newer_match() {
    let Some(site) = Site::open("the_live_page_takes_a_newer_match", 1280, 800) else { return };
    site.ready();
    let id = site.id("league");
    let browser = site.at(&format!("#/live/{id}?speed=16"));
    let says = "document.querySelector('.origin')?.textContent";
    browser.until("a match", says);
    let shown = site.api(&format!("live/{id}"))["recording"].clone();
    browser.run("window.here = 'since before'");
    // Another match comes, of another moment.
    let kept = site.run_directory("league").join("recordings");
    let mut files: Vec<_> =
        fs::read_dir(&kept).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "rec"));
    files.sort();
    let text = browser.run(&format!("return {says}"));
    let bytes = fs::read(&files[0]).unwrap();
    fs::write(kept.join("000000009999-000.rec"), bytes).unwrap();
    browser.until("the newer match", &format!("{says} !== {text}"));
    assert_ne!(site.api(&format!("live/{id}"))["recording"], shown);
    assert_eq!(browser.run("return window.here"), "since before", "the page was loaded again");
    browser.until("it plays", "Number(document.querySelector('.clock b').textContent) > 1");
    assert_eq!(browser.complaints(), [] as [String; 0]);
}

#[test]
fn a_list_of_many_models_fits_a_phone_and_names_their_runs() {
    let test = "a_list_of_many_models_fits_a_phone_and_names_their_runs";
    let name = "a run whose name is longer than a phone is wide, number";
    let site = Site::with(test, 320, 640, |runs| {
        for i in 0..8 {
            copy(&runs.join("league"), &runs.join(format!("{name} {i}")));
        }
    });
    let Some(site) = site else { return };
    let matches = site
        .at("#/runs")
        .until("the runs", "document.querySelectorAll('.runs tbody tr').length >= 14");
    assert_ne!(matches, Value::Null);
    let id = site.id("league");
    let matches = site.api(&format!("matches?run={id}"));
    let recording = matches["matches"][0]["id"].as_str().unwrap().to_owned();
    let browser = site.at(&format!("#/match/{recording}"));
    let named = "[...document.querySelectorAll('select[aria-label=Model] option')].filter((o) => o.textContent.startsWith('a run whose name')).length >= 8";
    browser.until("the names of runs, not their ids", named);
    let overflow = browser.run("return document.documentElement.scrollWidth - innerWidth");
    assert!(overflow.as_i64().unwrap() <= 0, "{overflow} pixels too wide");
    assert_eq!(browser.complaints(), [] as [String; 0]);
}

#[test]
fn the_camera_and_the_colours_are_in_the_address() {
    let test = "the_camera_and_the_colours_are_in_the_address";
    let Some(site) = Site::open(test, 1280, 900) else { return };
    site.ready();
    let matches = site.api(&format!("matches?run={}", site.id("rocket")));
    let recording = matches["matches"][0]["id"].as_str().unwrap().to_owned();
    let browser = site.at(&format!("#/match/{recording}?t=5"));
    browser.until("the camera", "document.querySelector('select[aria-label=Camera]')");
    browser.until("the model's choices", "document.querySelector('.choice .bar i')");
    // A key goes to the orbit and turns it.
    browser.keys("ll+");
    browser.until(
        "the orbit",
        "/camera=orbit/.test(location.hash) && /orbit=[\\d.]+,[\\d.]+,\\d+/.test(location.hash)",
    );
    let orbit = "/orbit=([\\d.,]+)/.exec(location.hash)[1]";
    let turned = browser.run(&format!("return {orbit}"));
    // So does the pointer.
    browser.drag(".picture canvas:last-child", 0.3, 0.6);
    browser.until("it was turned", &format!("{orbit} !== {turned}"));
    browser.keys("t");
    browser.until("the colours", "/theme=(dark|light)/.test(location.hash)");
    let before = browser.url();
    browser.run("localStorage.clear()");
    browser.reload();
    browser.until(
        "the camera again",
        "document.querySelector('select[aria-label=Camera]')?.value === 'orbit'",
    );
    assert_eq!(browser.url(), before);
    let theme = browser.run("return document.documentElement.dataset.theme");
    assert!(before.contains(&format!("theme={}", theme.as_str().unwrap())), "{before}");
    // The colours go with whoever goes to another page.
    browser.keys("gr");
    browser.until(
        "the runs",
        "location.hash.startsWith('#/runs') && location.hash.includes('theme=')",
    );
    assert_eq!(browser.complaints(), [] as [String; 0]);
}

#[test]
fn events_are_few_in_words_and_all_on_demand() {
    let test = "events_are_few_in_words_and_all_on_demand";
    let Some(site) = Site::open(test, 1280, 900) else { return };
    site.ready();
    let matches = site.api(&format!("matches?run={}", site.id("fight")));
    let recording = matches["matches"][0]["id"].as_str().unwrap().to_owned();
    let all = site.api(&format!("match/{recording}"))["events"].as_array().unwrap().len();
    assert!(all > 60, "{all} events are no flood");
    let browser = site.at(&format!("#/match/{recording}"));
    let rows = "document.querySelectorAll('.eventlist li')";
    browser.until("the events", &format!("{rows}.length"));
    let texts = browser.run(&format!("return [...{rows}].map((row) => row.textContent)"));
    let texts: Vec<String> = serde_json::from_value(texts).unwrap();
    assert!(texts.len() <= 60, "{} of {all}", texts.len());
    for text in &texts {
        assert!(!text.contains('_'), "{text}");
        let digits = |word: &str| word.chars().filter(char::is_ascii_digit).count();
        assert!(text.split(' ').skip(1).all(|word| digits(word) <= 4), "{text}");
        assert!(text.contains("learner") || text.contains("bot:baseline"), "{text} names nobody");
    }
    let press = "[...document.querySelectorAll('.panel > header button')].find((b) => b.textContent === 'All').click()";
    browser.run(press);
    browser.until(
        "all of them",
        &format!("{rows}.length > 60 && location.hash.includes('events=all')"),
    );
    // From where it is, and a link to its run.
    let origin = browser.run("return document.querySelector('.origin').textContent");
    let origin = origin.as_str().unwrap();
    assert!(origin.contains("an evaluation of fight at"), "{origin}");
    assert_eq!(browser.complaints(), [] as [String; 0]);
}

#[test]
fn a_league_shows_shares_and_ratings_and_a_run_without_one_says_so() {
    let test = "a_league_shows_shares_and_ratings_and_a_run_without_one_says_so";
    let Some(site) = Site::open(test, 1280, 900) else { return };
    site.ready();
    let browser = site.at(&format!("#/league/{}", site.id("league")));
    browser.until("the heat map", "document.querySelector('.heat a.cell')");
    let region = |name: &str| {
        let found = browser
            .run(&format!("return document.querySelector('[aria-label=\"{name}\"]')?.innerText"));
        found.as_str().unwrap_or_else(|| panic!("{name}")).to_owned()
    };
    assert!(region("Opponents").contains("bot:biased"), "{}", region("Opponents"));
    assert!(region("Opponents").contains("30"), "{}", region("Opponents"));
    assert!(region("Pool").contains("Scored"), "{}", region("Pool"));
    assert!(region("Exploiters").contains("Trained against"), "{}", region("Exploiters"));
    let rated = browser.run("return document.querySelectorAll('.heat td.rating').length");
    assert!(rated.as_u64().unwrap() >= 3, "{rated}");
    let browser = site.at(&format!("#/league/{}", site.id("alone-1")));
    browser
        .until("no league", "document.querySelector('.empty')?.textContent.includes('No league')");
    assert_eq!(browser.run("return document.querySelectorAll('.chart').length"), 0);
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
    browser.until(
        "the other colours",
        "location.hash.includes(`theme=${document.documentElement.dataset.theme}`)",
    );
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
