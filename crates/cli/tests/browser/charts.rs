//! Charts: what a click on a mark opens, and what they are saved as.

use serde_json::Value;

use crate::site::Site;

/// Where on a chart there is a mark that can be opened, as shares of its width, with the mark's label.
const MARKS: &str = "
const canvas = document.querySelector('[data-chart=Return] canvas');
canvas.scrollIntoView({block: 'center'});
const box = canvas.getBoundingClientRect();
const found = [];
for (let x = 1; x < box.width; x += 1) {
  const at = {clientX: box.left + x, clientY: box.top + box.height / 2, bubbles: true};
  canvas.dispatchEvent(new PointerEvent('pointermove', at));
  if (canvas.style.cursor === 'pointer') found.push([x / box.width, canvas.title]);
}
return found;";

#[test]
fn a_click_on_a_mark_opens_a_match_of_that_moment() {
    let test = "a_click_on_a_mark_opens_a_match_of_that_moment";
    let Some(site) = Site::open(test, 1280, 900) else { return };
    site.ready();
    let id = site.id("league");
    let marks = site.api(&format!("runs/{id}"))["marks"].as_array().unwrap().clone();
    let browser = site.at(&format!("#/run/{id}"));
    browser.until(
        "the curve",
        "document.querySelector('[data-chart=Return] .readline dd')?.textContent",
    );
    // The marks are drawn with the curve, a frame later.
    browser.until("marks", &format!("(() => {{ {MARKS} }})().length"));
    let found: Vec<(f64, String)> = serde_json::from_value(browser.run(MARKS)).unwrap();
    let evaluations: Vec<&(f64, String)> =
        found.iter().filter(|(_, label)| label.starts_with("evaluation")).collect();
    assert!(!evaluations.is_empty(), "{found:?}");
    let (share, label) = evaluations[evaluations.len() / 2];
    let mark: Vec<&Value> = marks.iter().filter(|mark| mark["label"] == label.as_str()).collect();
    browser.drag("[data-chart=Return] canvas", *share, *share);
    browser.until(
        "the match",
        "location.hash.startsWith('#/match/') && document.querySelector('.seat')",
    );
    let opened = browser.run("return location.hash.slice('#/match/'.length).split('?')[0]");
    assert!(mark.iter().any(|mark| mark["recording"] == opened), "{opened} is none of {mark:?}");
    let of = site.api(&format!("match/{}", opened.as_str().unwrap()));
    let steps = of["steps"].as_f64().unwrap();
    assert!(mark.iter().any(|mark| mark["steps"].as_f64() == Some(steps)), "{steps}: {mark:?}");
    assert_eq!(of["source"], "evaluation");
    assert_eq!(site.browser.complaints(), [] as [String; 0]);
}

#[test]
fn a_chart_is_saved_as_svg_png_and_csv() {
    let Some(site) = Site::open("a_chart_is_saved_as_svg_png_and_csv", 1280, 900) else { return };
    site.ready();
    let (a, b) = (site.id("alone-1"), site.id("alone-2"));
    let browser = site.at(&format!("#/compare?runs={a},{b}"));
    browser.until(
        "the curves",
        "document.querySelectorAll('[data-chart=Return] .readout tbody tr').length === 2",
    );
    let save = |kind: &str| {
        browser.run(&format!(
            "const menu = document.querySelector('[data-chart=Return] .tools details'); menu.open = true; \
             [...menu.querySelectorAll('button')].find((b) => b.textContent === '{kind}').click()"
        ));
        browser.downloaded(&format!("return.{}", kind.to_lowercase()))
    };
    let svg = String::from_utf8(save("SVG")).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
    assert!(svg.contains("Return") && svg.contains("alone-1") && svg.contains("alone-2"), "{svg}");
    let png = save("PNG");
    assert!(png.starts_with(b"\x89PNG"));
    assert_eq!(u32::from_be_bytes(png[16..20].try_into().unwrap()), 1440, "twice as sharp");
    let csv = String::from_utf8(save("CSV")).unwrap();
    // As many rows as both runs have lines, and the numbers of the file.
    let api = site.api(&format!("series?run={a}&run={b}&metric=return_mean"));
    let rows: usize =
        api["series"].as_array().unwrap().iter().map(|s| s["x"].as_array().unwrap().len()).sum();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), rows + 1, "{csv}");
    assert!(lines[0].contains("steps"), "{}", lines[0]);
    let last = api["series"][0]["mean"].as_array().unwrap().last().unwrap().as_f64().unwrap();
    let written = lines.iter().flat_map(|line| line.split(','));
    assert!(written.filter_map(|cell| cell.parse::<f64>().ok()).any(|v| v == last), "{last}");
    assert_eq!(browser.complaints(), [] as [String; 0]);
}

#[test]
fn shaping_that_rises_while_the_outcome_falls_is_noticed() {
    let test = "shaping_that_rises_while_the_outcome_falls_is_noticed";
    let Some(site) = Site::open(test, 1280, 800) else { return };
    let noticed = |shaping: f64, outcome: f64| {
        site.browser.run_async(&format!(
            "const done = arguments[0]; import('/static/pages/terms.js').then(({{ misled }}) => {{
               const x = Array.from({{length: 120}}, (_, i) => 1000 * i);
               const series = (slope) => ({{x, mean: x.map((at, i) => slope * at / 1000 + Math.sin(7 * i)), last: 0, best: null}});
               const term = (name, kind, slope) => ({{term: {{name, kind, weight: 0.5}}, series: series(slope)}});
               done(misled([term('won', 'outcome', {outcome}), term('near', 'shaping', {shaping})]));
             }}, (problem) => done(String(problem)));"
        ))
    };
    site.ready();
    let found = noticed(0.2, -0.2);
    assert_eq!((&found["from"], &found["to"]), (&80_000.into(), &119_000.into()), "{found}");
    for (shaping, outcome) in [(0.2, 0.2), (-0.2, -0.2), (0.2, 0.0), (0.0, -0.2), (0.0, 0.0)] {
        assert_eq!(noticed(shaping, outcome), Value::Null, "{shaping}, {outcome}");
    }
}
