//! Runs and curves.

use serde_json::json;

use crate::support::{Served, begin, go_on};

#[test]
fn runs_are_listed_and_followed() {
    let served = Served::of(|root| begin(root, "a", 20));
    let id = served.first_run();
    let first = served.json("/api/runs");
    let run = &first["runs"][0];
    assert_eq!(run["name"], "a");
    assert_eq!(run["return"], json!({"last": 19.5, "best": 19.5}));
    assert_eq!((run["steps"].as_u64(), run["total_steps"].as_u64()), (Some(200), Some(1000)));
    let cursor = first["cursor"].as_str().unwrap();
    go_on(served.root(), "a", 20..30);
    let since = format!("/api/runs?since={cursor}");
    let later = served.until(&since, |v| v["runs"][0]["steps"] == 300);
    assert_eq!(later["whole"], false);
    assert_eq!(served.get("/api/runs/nobody").status, 404);
    let detail = served.json(&format!("/api/runs/{id}"));
    assert!(detail["config_text"].as_str().unwrap().contains("game: duel"));
    assert_eq!(detail["config"]["stop.steps"], 1000);
    let terms = detail["terms"].as_array().unwrap();
    let won = terms.iter().find(|term| term["name"] == "won").expect("a term of the game");
    assert_eq!((won["kind"].as_str(), won["weight"].as_f64()), (Some("event"), Some(2.0)));
    let metrics = detail["metrics"].as_array().unwrap();
    assert!(metrics.contains(&json!({"name": "terms/won", "kind": "term"})), "{metrics:?}");
    let marks = detail["marks"].as_array().unwrap();
    assert_eq!(marks.iter().filter(|m| m["kind"] == "evaluation").count(), 3);
    let files = detail["files"].as_array().unwrap();
    assert!(files.iter().any(|file| file["path"] == "metrics.jsonl"));
}

#[test]
fn curves_come_whole_and_then_in_increments() {
    let served = Served::of(|root| begin(root, "a", 20));
    let id = served.first_run();
    let target =
        format!("/api/series?run={id}&metric=return_mean&metric=terms%2Fwon&x=time&smooth=5rows");
    let first = served.json(&target);
    let curve = &first["series"][0];
    assert_eq!(curve["metric"], "return_mean");
    assert_eq!(curve["reset"], true);
    assert_eq!(curve["x"].as_array().unwrap().len(), 20);
    assert_eq!((curve["x"][19].as_f64(), curve["mean"][19].as_f64()), (Some(20.0), Some(19.5)));
    assert_eq!(curve["smooth"].as_array().unwrap().len(), 20);
    assert_eq!(curve["best"], json!({"x": 20.0, "value": 19.5}));
    let since = format!("{target}&since={}", first["cursor"].as_str().unwrap());
    assert_eq!(served.json(&since)["series"], json!([]), "nothing new");
    go_on(served.root(), "a", 20..23);
    let later = served.until(&since, |v| v["series"][0]["x"].as_array().map_or(0, Vec::len) == 3);
    assert_eq!(later["series"][0]["reset"], false);
    assert_eq!(later["series"][0]["x"], json!([21.0, 22.0, 23.0]));
    for (bad, place) in [
        ("/api/series", "run"),
        ("/api/series?run=x&metric=a", "x"),
        (&format!("/api/series?run={id}&metric=a&x=miles") as &str, "x"),
        (&format!("/api/series?run={id}&metric=a&points=99999"), "points"),
        (&format!("/api/series?run={id}&metric=a&from=nan"), "from"),
        (&format!("/api/series?run={id}&metric=a&smooth=-1"), "smooth"),
    ] {
        let answer = served.get(bad);
        assert!((400..405).contains(&answer.status), "{bad}");
        let error = answer.json();
        assert!(error["error"]["where"].as_str().unwrap().contains(place), "{bad}: {error}");
    }
}

#[test]
fn a_run_that_was_cut_back_is_told_anew() {
    let served = Served::of(|root| begin(root, "a", 20));
    let id = served.first_run();
    let target = format!("/api/series?run={id}&metric=return_mean");
    let first = served.json(&target);
    let path = served.root().join("a/metrics.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let kept: String = text.split_inclusive('\n').take(8).collect();
    let other = path.with_extension("tmp");
    std::fs::write(&other, kept).unwrap();
    std::fs::rename(&other, &path).unwrap();
    let since = format!("{target}&since={}", first["cursor"].as_str().unwrap());
    let later = served.until(&since, |v| v["series"][0]["reset"] == true);
    assert_eq!(later["series"][0]["x"].as_array().unwrap().len(), 8);
}

#[test]
fn a_league_without_files_is_empty() {
    let served = Served::of(|root| begin(root, "a", 5));
    let id = served.first_run();
    let league = served.json(&format!("/api/league/{id}"));
    assert_eq!(league["crossplay"], serde_json::Value::Null);
    assert_eq!(league["pool"], json!([]));
    assert_eq!(league["ratings"][0]["points"], json!([]));
}

#[test]
fn terms_are_weighed_as_they_were_and_keys_are_told_of_all_runs() {
    let served = Served::of(|root| {
        begin(root, "a", 20);
        begin(root, "b", 20);
        let fading = "game: duel\nrewards: { won: { linear: { from: 2, to: 0, until: 0.2 } } }\n\
                      stop: { steps: 1000 }\n";
        std::fs::write(root.join("a/config.yml"), fading).unwrap();
    });
    let runs = served.until("/api/runs", |v| {
        let all = v["runs"].as_array().unwrap();
        all.len() == 2 && all.iter().all(|run| run["steps"].as_u64() == Some(200))
    });
    let all = runs["runs"].as_array().unwrap();
    let id = |name: &str| {
        all.iter().find(|run| run["name"] == name).unwrap()["id"].as_str().unwrap().to_owned()
    };
    let (a, b) = (id("a"), id("b"));
    let series =
        served.json(&format!("/api/series?run={a}&run={b}&metric=weighted/won&metric=terms/won"));
    let of = |run: &str, metric: &str| {
        let all = series["series"].as_array().unwrap();
        let found = all.iter().find(|s| s["run"] == run && s["metric"] == metric).unwrap();
        found["mean"].as_array().unwrap().iter().map(|y| y.as_f64().unwrap()).collect::<Vec<_>>()
    };
    // Every line has 0.5; it was worth nearly 2 in the beginning, and nothing after 200 steps.
    let weighted = of(&a, "weighted/won");
    assert!((weighted[0] - 0.95).abs() < 1e-9 && weighted[19] == 0.0, "{weighted:?}");
    assert!(of(&a, "terms/won").iter().all(|y| *y == 0.5));
    assert!(of(&b, "weighted/won").iter().all(|y| *y == 1.0), "a weight of 2");
    let terms = served.json(&format!("/api/runs/{a}"))["terms"].clone();
    let won = terms.as_array().unwrap().iter().find(|term| term["name"] == "won").unwrap();
    assert_eq!((won["weight"].as_f64(), &won["counts"]), (Some(0.0), &json!(true)));
    assert_eq!(won["weighted"], "weighted/won");
    let values = served.json("/api/values?key=stop.steps&key=run.seed&key=none");
    assert_eq!(values["values"]["stop.steps"], json!({ &a: 1000, &b: 1000 }));
    assert_eq!(values["values"]["run.seed"], json!({ &b: 7 }));
    assert_eq!(values["values"]["none"], json!({}));
}
