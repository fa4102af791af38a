//! `integrations/wandb_run.py`, against a stand-in for the package that writes down what it is told.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{DUEL, Place, metrics, text};

const STAND_IN: &str = r#"
import json, sys

class Run:
    def __init__(self, **options):
        self.file = open("told.jsonl", "a")
        self.tell("init", options)
    def tell(self, what, value):
        self.file.write(json.dumps([what, value]) + "\n")
    def define_metric(self, name, step_metric=None):
        self.tell("metric", [name, step_metric])
    def log(self, numbers):
        self.tell("log", numbers)
    def finish(self):
        self.tell("finish", None)
        self.file.close()

def init(**options):
    return Run(**options)
"#;

#[test]
fn every_record_of_a_run_reaches_weights_and_biases() {
    let place = Place::with(&[("preset", DUEL)]);
    place.ok("train preset.yml --set run.dir=run --until 2k");
    place.write("wandb.py", STAND_IN);
    place.write("yaml.py", "def safe_load(file):\n    return {'text': file.read()}\n");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations/wandb_run.py");
    let python = if cfg!(windows) { "python" } else { "python3" };
    let mut command = Command::new(python);
    command.arg(script).args(["run", "--follow"]).current_dir(place.path(""));
    let Ok(output) = command.env("PYTHONPATH", place.path("")).output() else {
        eprintln!("no Python here: nothing to check");
        return;
    };
    assert!(output.status.success(), "{}", text(&output.stderr));
    let told = fs::read_to_string(place.path("told.jsonl")).unwrap();
    let told: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(told[0][1]["config"]["text"].as_str().unwrap().contains("game: duel"), "{}", told[0]);
    let logged: Vec<&Value> = told.iter().filter(|t| t[0] == "log").map(|t| &t[1]).collect();
    let records = metrics(&place.path("run"));
    assert_eq!(logged.len(), records.len());
    for (logged, record) in logged.iter().zip(&records) {
        assert_eq!(logged["steps"], record["steps"]);
        assert_eq!(logged["entropy"], record["entropy"]);
        assert_eq!(logged["terms/won"], record["terms"]["won"]);
        assert_eq!(logged["evaluation/return_mean"], record["evaluation"]["return_mean"]);
    }
    assert!(logged.iter().any(|l| l["evaluation/return_mean"].is_f64()));
    assert_eq!(told.last().unwrap()[0], "finish");
}
