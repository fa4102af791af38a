//! The table of runs: filter, order, groups, and runs that failed.

use std::fs;

use crate::site::Site;

const NAMES: &str = "[...document.querySelectorAll('.runs td.name a')].map((a) => a.textContent)";

#[test]
fn runs_are_filtered_sorted_and_grouped_and_a_reload_keeps_it() {
    let test = "runs_are_filtered_sorted_and_grouped_and_a_reload_keeps_it";
    let Some(site) = Site::open(test, 1280, 900) else { return };
    site.ready();
    let browser = &site.browser;
    let names = |what: &str, wanted: &[&str]| {
        let expected = format!("JSON.stringify({NAMES}) === JSON.stringify({wanted:?})");
        browser.until(what, &expected);
    };
    let sort = "document.querySelector('th[data-column=name] button').click()";
    let order = "return document.querySelector('th[data-column=name]').ariaSort";
    browser.run(sort);
    assert_eq!(browser.run(order), "ascending");
    names("by name", &["alone-1", "alone-2", "alone-3", "fight", "league", "rocket"]);
    browser.run(sort);
    names("the other way", &["rocket", "league", "fight", "alone-3", "alone-2", "alone-1"]);
    assert_eq!(browser.run(order), "descending");
    browser.keys("/");
    browser.until("the filter", "document.activeElement?.type === 'search'");
    browser.keys("cartpole seed=2");
    names("both words", &["alone-2"]);
    browser.reload();
    names("after a reload", &["alone-2"]);
    browser.run(
        "const q = document.querySelector('input[type=search]'); q.value = ''; q.dispatchEvent(new Event('input'));\
         const by = document.querySelector('select[aria-label=\"Group by\"]'); by.value = 'game'; by.dispatchEvent(new Event('change'))",
    );
    let titles = "[...document.querySelectorAll('.runs tr.group strong')].map((e) => e.textContent).sort().join()";
    browser.until("groups", &format!("{titles} === 'cartpole,duel,nh,rocket'"));
    let summary = "[...document.querySelectorAll('.runs tr.group')].find((e) => e.textContent.startsWith('cartpole')).textContent";
    let summary = browser.run(&format!("return {summary}"));
    assert!(summary.as_str().unwrap().contains("3 runs, return"), "{summary}");
    browser.reload();
    browser.until("groups again", &format!("{titles} === 'cartpole,duel,nh,rocket'"));
    // A key with a value means exactly that.
    let filter = |text: &str| {
        browser.run(&format!(
            "const q = document.querySelector('input[type=search]'); q.value = {text:?}; q.dispatchEvent(new Event('input'))"
        ))
    };
    browser.run("const by = document.querySelector('select[aria-label=\"Group by\"]'); by.value = ''; by.dispatchEvent(new Event('change'))");
    for (text, wanted) in [
        ("game=nh", &["fight"][..]),
        ("game=rocket state=finished", &["rocket"]),
        ("seed=3", &["alone-3"]),
        ("name=alone-1", &["alone-1"]),
    ] {
        filter(text);
        names(text, wanted);
    }
    for text in ["game=rock", "state=finish", "seed=30", "name=alone"] {
        filter(text);
        browser.until(text, "document.querySelector('.empty')");
    }
    filter("");
    // What fits nothing says so.
    browser.keys("/nothing of the kind");
    browser
        .until("nothing", "document.querySelector('.empty')?.textContent.includes('No run fits')");
    assert_eq!(browser.complaints(), [] as [String; 0]);
}

#[test]
fn a_run_that_failed_shows_why_until_it_goes_on() {
    let test = "a_run_that_failed_shows_why_until_it_goes_on";
    let message = "a match broke: <b>no</b> wheels\nsaved at 4000 steps";
    let failure = serde_json::json!({"message": message, "steps": 4000, "unix": 1.7e9});
    let site = Site::with(test, 1280, 900, |runs| {
        fs::write(runs.join("alone-2/failure.json"), failure.to_string()).unwrap();
    });
    let Some(site) = site else { return };
    site.ready();
    let id = site.id("alone-2");
    let row = format!("document.querySelector('tr[data-run=\"{id}\"]')");
    site.browser.until("its state", &format!("{row}?.dataset.state === 'failed'"));
    let text = site.browser.run(&format!("return {row}.querySelector('.warned.failed').title"));
    assert_eq!(text, message, "as it was said, and no markup");
    let browser = site.at(&format!("#/run/{id}"));
    browser.until("the message", "document.querySelector('.notice.bad .said')");
    assert_eq!(
        browser.run("return document.querySelector('.notice.bad .said').textContent"),
        message
    );
    assert_eq!(browser.run("return document.querySelector('.title .state').textContent"), "failed");
    browser.keys("3");
    browser.until("an event", "document.querySelector('.chip.failure')");
    // Whoever trains it on takes the note away.
    fs::remove_file(site.run_directory("alone-2").join("failure.json")).unwrap();
    browser.until(
        "it has not failed any more",
        "document.querySelector('.title .state').textContent === 'finished' && !document.querySelector('.notice.bad')",
    );
    assert_eq!(browser.complaints(), [] as [String; 0]);
}
