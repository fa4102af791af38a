//! `lanista runs`: what there is, how it stands, and tidying up.

mod tidy;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::bail;
use lanista_page::configuration::Presets;
use lanista_page::groups::written;
use lanista_page::run::{Run, Summary};
use lanista_page::runs::Runs;
use lanista_train::files::{RUNS, RunFiles};
use lanista_watch::human;
use serde_json::{Value, json};

use crate::args::{RunsArgs, RunsWhat};
use crate::catalog::{PRESETS, games};
use crate::league::align;

pub fn run(args: RunsArgs) -> anyhow::Result<()> {
    let json = args.json;
    match args.what.unwrap_or(RunsWhat::List { places: vec![RUNS.into()] }) {
        RunsWhat::List { places } => list(&places, json),
        RunsWhat::Show { run } => show(&run, json),
        RunsWhat::Compare { runs } => compare(&runs, json),
        RunsWhat::Rename { run, name } => tidy::rename(&run, &name, json),
        RunsWhat::Remove { runs, yes } => tidy::remove(&runs, yes, json),
        RunsWhat::Prune { places, yes } => tidy::prune(&found(&places)?, yes, json),
    }
}

/// The runs at and below these places, read once.
pub fn read(places: &[PathBuf]) -> anyhow::Result<Runs> {
    if let Some(missing) = places.iter().find(|place| !place.is_dir()) {
        bail!(
            "{} is no directory: name a run or a directory of runs; `lanista train` makes them under {RUNS}",
            missing.display()
        );
    }
    let runs = Runs::new(places.to_vec(), Presets::new(PRESETS).with_games(games().to_vec()));
    runs.look();
    Ok(runs)
}

fn found(places: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    Ok(read(places)?.all().iter().map(|run| run.found.path.clone()).collect())
}

/// Runs that were named one by one.
pub fn named(paths: &[PathBuf]) -> anyhow::Result<Vec<(Summary, std::sync::Arc<Run>)>> {
    let mut all = Vec::new();
    for path in paths {
        if !RunFiles::of(path).config().is_file() {
            bail!(
                "{} is no run: name a run's directory; `lanista runs` lists them",
                path.display()
            );
        }
        let runs = read(std::slice::from_ref(path))?;
        let run = runs.all().into_iter().next();
        let summary = run.as_ref().and_then(|run| run.known().summary.clone());
        all.extend(summary.zip(run));
    }
    Ok(all)
}

fn list(places: &[PathBuf], json: bool) -> anyhow::Result<()> {
    let mut all = read(places)?.since(None).runs;
    all.sort_by(|a, b| a.state.cmp(&b.state).then(b.updated.total_cmp(&a.updated)));
    if json {
        say!("{}", json!({ "runs": all }));
        return Ok(());
    }
    if all.is_empty() {
        let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        say!("no runs in {}: `lanista train` makes one", places.join(", "));
        return Ok(());
    }
    let head = ["run", "state", "steps", "", "return", "best", "Elo", "steps/s", "left", "seed"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(all.iter().map(row));
    align(&rows, &[0, 1]);
    for run in &all {
        if let Some(failure) = &run.failure {
            say!("{}: {}", run.name, indented(&failure.message));
        }
        run.warnings.iter().for_each(|warning| say!("{}: {warning}", run.name));
    }
    Ok(())
}

fn row(run: &Summary) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or("–".to_owned(), human::number);
    let share = match run.total_steps {
        0 => String::new(),
        // An iteration is not cut where the budget ends.
        total => format!("{:.0} %", (100.0 * run.steps as f64 / total as f64).min(100.0)),
    };
    vec![
        run.name.clone(),
        state(run),
        human::count(run.steps),
        share,
        number(run.returned.last),
        number(run.returned.best),
        run.elo.map_or("–".into(), |elo| format!("{:.0}", elo.value)),
        run.steps_per_second.map_or("–".into(), |speed| human::count(speed as u64)),
        run.seconds_left.map_or("–".into(), human::duration),
        run.seed.to_string(),
    ]
}

/// A message of several lines below its first.
fn indented(message: &str) -> String {
    message.replace('\n', "\n    ")
}

fn state(run: &Summary) -> String {
    let value = serde_json::to_value(run.state).unwrap_or_default();
    value.as_str().unwrap_or("?").to_owned()
}

fn show(path: &Path, json: bool) -> anyhow::Result<()> {
    let named = named(&[path.to_owned()])?;
    let Some((run, of)) = named.first() else { bail!("{} cannot be read", path.display()) };
    let milestones: Vec<String> = (of.files.found_milestones().iter())
        .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
        .collect();
    let metrics = of.with_metrics(|m| m.names().to_vec());
    if json {
        say!("{}", json!({ "run": run, "milestones": milestones, "metrics": metrics }));
        return Ok(());
    }
    say!("{}: {}, {}", run.name, run.game, state(run));
    if let Some(preset) = &run.preset {
        say!("  preset {preset}, seed {}", run.seed);
    }
    let of_all = match run.total_steps {
        0 => String::new(),
        total => format!(" of {}", human::count(total)),
    };
    say!("  {}{of_all} steps in {}", human::count(run.steps), human::duration(run.seconds));
    if let (Some(last), Some(best)) = (run.returned.last, run.returned.best) {
        say!("  return {}, best {}", human::number(last), human::number(best));
    }
    if let Some(elo) = run.elo {
        let end = |end: Option<f64>| end.map_or("?".to_owned(), |end| format!("{end:.0}"));
        say!("  Elo {:.0} (95 %: {} to {})", elo.value, end(elo.low), end(elo.high));
    }
    if let Some(stage) = &run.stage {
        say!("  stage {stage}");
    }
    if let Some(failure) = &run.failure {
        say!(
            "  failed after {} steps: {}",
            human::count(failure.steps),
            indented(&failure.message)
        );
    }
    run.warnings.iter().for_each(|warning| say!("  warning: {warning}"));
    if !run.changed.is_empty() {
        say!("  changed of its preset:");
        run.changed.iter().for_each(|(key, value)| say!("    {key}: {value}"));
    }
    if !milestones.is_empty() {
        say!("  milestones: {}", milestones.join(", "));
    }
    say!("  metrics for `lanista plot`: {}", metrics.join(", "));
    Ok(())
}

/// Keys that differ between any two runs, with the value of each.
fn differing(runs: &[BTreeMap<String, Value>]) -> BTreeMap<String, Vec<Value>> {
    let keys: BTreeSet<&String> = runs.iter().flat_map(|run| run.keys()).collect();
    let of = |key: &String| -> Vec<Value> {
        runs.iter().map(|run| run.get(key).cloned().unwrap_or_default()).collect()
    };
    let all = keys.into_iter().map(|key| (key.clone(), of(key)));
    all.filter(|(key, values)| key != "run.dir" && values.windows(2).any(|w| w[0] != w[1]))
        .collect()
}

fn compare(paths: &[PathBuf], json: bool) -> anyhow::Result<()> {
    let named = named(paths)?;
    let flat: Vec<_> = named.iter().map(|(_, run)| run.known().config.flat.clone()).collect();
    let differences = differing(&flat);
    if json {
        let runs: Vec<&Summary> = named.iter().map(|(run, _)| run).collect();
        say!("{}", json!({ "runs": runs, "differences": differences }));
        return Ok(());
    }
    let mut rows = vec![
        std::iter::once(String::new()).chain(named.iter().map(|(r, _)| r.name.clone())).collect(),
    ];
    let mut line = |name: &str, of: &dyn Fn(&Summary) -> String| {
        rows.push(
            std::iter::once(name.to_owned()).chain(named.iter().map(|(r, _)| of(r))).collect(),
        );
    };
    let number = |value: Option<f64>| value.map_or("–".to_owned(), human::number);
    line("state", &state);
    line("steps", &|r| human::count(r.steps));
    line("time", &|r| human::duration(r.seconds));
    line("return", &|r| number(r.returned.last));
    line("best return", &|r| number(r.returned.best));
    line("Elo", &|r| r.elo.map_or("–".into(), |elo| format!("{:.0}", elo.value)));
    for (key, values) in differences {
        rows.push(std::iter::once(key).chain(values.iter().map(written)).collect());
    }
    align(&rows, &[0]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_listed() {
        let run = |epochs: u64| -> BTreeMap<String, Value> {
            [("a".to_owned(), json!(1)), ("ppo.epochs".to_owned(), json!(epochs))].into()
        };
        let mut third = run(4);
        third.insert("new".into(), json!(true));
        let found = differing(&[run(3), run(4), third]);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["new", "ppo.epochs"]);
        assert_eq!(found["new"], [Value::Null, Value::Null, json!(true)]);
    }
}
