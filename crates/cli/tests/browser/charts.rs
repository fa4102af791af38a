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

/// What a script finds in modules of the page, given as an expression over `modules`.
fn in_modules(site: &Site, modules: &[&str], expression: &str) -> Value {
    let imports = modules.iter().map(|name| format!("import('/static/{name}')"));
    let imports = imports.collect::<Vec<_>>().join(", ");
    site.browser.run_async(&format!(
        "const done = arguments[0]; Promise.all([{imports}]).then((all) => Object.assign({{}}, ...all))
           .then((modules) => done({expression})).catch((problem) => done(String(problem)))"
    ))
}

#[test]
fn an_interval_over_seeds_ends_with_the_first_seed() {
    let test = "an_interval_over_seeds_ends_with_the_first_seed";
    let Some(site) = Site::open(test, 1280, 800) else { return };
    site.ready();
    let found = in_modules(
        &site,
        &["charts/seeds.js", "charts/figure.js"],
        "(() => {
           const seed = (rows, level) => ({x: Array.from({length: rows}, (_, i) => 10 * i),
             mean: Array.from({length: rows}, () => level), last: level, best: {x: 0, value: level}});
           const over = modules.overSeeds([seed(5, 1), seed(8, 2), seed(11, 3)]);
           const two = modules.overSeeds([seed(9, 0), seed(9, 1)]);
           const figure = {lines: [{...two, color: 0}], marks: [], kind: 'steps', stacked: false, window: null};
           const frame = modules.frame(figure, 600, 300, () => 20);
           return {...over, half: two.high[0] - two.mean[0], axis: [frame.y0, frame.y1]};
         })()",
    );
    let known = |key: &str| {
        found[key]
            .as_array()
            .unwrap_or_else(|| panic!("{found}"))
            .iter()
            .filter(|v| !v.is_null())
            .count()
    };
    assert_eq!((known("mean"), known("low"), known("high")), (5, 5, 5), "{found}");
    // Beyond, the mean of those that are left goes on, from where the other ended.
    assert_eq!(known("partial"), 7, "{found}");
    assert_eq!(found["partial"][10], 3, "{found}");
    // Two seeds bound little: their interval does not flatten the lines.
    assert!(found["half"].as_f64().unwrap() > 6.0, "{found}");
    let axis = |i: usize| found["axis"][i].as_f64().unwrap();
    assert!(axis(1) - axis(0) < 2.5, "{found}");
}

#[test]
fn a_zoomed_curve_reaches_the_edges() {
    let Some(site) = Site::open("a_zoomed_curve_reaches_the_edges", 1280, 800) else { return };
    site.ready();
    let found = in_modules(
        &site,
        &["charts/feed.js"],
        "(() => {
           const whole = {x: [0, 10, 20, 30, 40], min: [0, 1, 2, 3, 4], max: [0, 1, 2, 3, 4], mean: [0, 1, 2, 3, 4]};
           const part = {x: [20], min: [2], max: [2], mean: [2]};
           const none = {x: [], min: [], max: [], mean: []};
           modules.extend(part, whole, {low: 12, high: 28});
           modules.extend(none, whole, {low: 21, high: 29});
           return [part.x, part.mean, none.x];
         })()",
    );
    assert_eq!(found, serde_json::json!([[10, 20, 30], [1, 2, 3], [20, 30]]));
    // On the page: an evaluation is written rarely, and its curve crosses a window between two of them.
    let id = site.id("alone-1");
    let browser = site.at(&format!("#/run/{id}?from=5100&to=5900"));
    let line = "document.querySelector('[data-chart=\"Return in evaluations\"] canvas')";
    browser.until(
        "the curve",
        "document.querySelector('[data-chart=Return] .readline dd')?.textContent",
    );
    browser
        .until("the rare curve", &format!("{line}?.getAttribute('aria-label').includes('last')"));
    let ink = format!(
        "(() => {{ const c = {line}; c.scrollIntoView({{block: 'center'}}); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height);
           const blue = (x) => {{ for (let y = 20; y < c.height - 30; y += 1) {{ const i = 4 * (y * c.width + x);
             if (d.data[i + 3] > 200 && d.data[i + 2] > d.data[i] + 60) return true; }} return false; }};
           return blue(Math.round(c.width * 0.25)) && blue(Math.round(c.width * 0.9)); }})()"
    );
    browser.until("ink on both sides", &ink);
    assert_eq!(browser.complaints(), [] as [String; 0]);
}

#[test]
fn best_is_said_where_more_is_better_and_charts_share_their_range() {
    let test = "best_is_said_where_more_is_better_and_charts_share_their_range";
    let Some(site) = Site::open(test, 1280, 1600) else { return };
    site.ready();
    let id = site.id("alone-1");
    let browser = site.at(&format!("#/run/{id}"));
    let says = |chart: &str| {
        format!(
            "document.querySelector('[data-chart=\"{chart}\"] canvas')?.getAttribute('aria-label')"
        )
    };
    for chart in ["Return", "Entropy"] {
        browser.until(chart, &format!("{}?.includes('last')", says(chart)));
    }
    let label =
        |chart: &str| browser.run(&format!("return {}", says(chart))).as_str().unwrap().to_owned();
    assert!(label("Return").contains("best"), "{}", label("Return"));
    assert!(!label("Entropy").contains("best"), "{}", label("Entropy"));
    // It plays against nobody, so there is no pool.
    assert_eq!(browser.run("return document.querySelectorAll('[data-chart=Pool]').length"), 0);
    assert_eq!(browser.complaints(), [] as [String; 0]);
}
