//! `lanista plot`: curves of runs without a browser.

use std::collections::BTreeMap;

use anyhow::{Context, bail};
use lanista_page::columns::Axis;
use lanista_page::configuration::Configuration;
use lanista_page::plot::{Figure, Single, together};
use lanista_page::run::Summary;
use lanista_page::series::{Asked, HalfLife, series};
use lanista_train::disk::replace;
use lanista_train::layers::nearest;
use serde_json::Value;

use crate::args::PlotArgs;
use crate::runs::named;

/// Points of one run: more cannot be told apart on paper.
const POINTS: usize = 1000;

pub fn run(args: PlotArgs) -> anyhow::Result<()> {
    let ending = args.out.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let Some(ending @ ("svg" | "png")) = ending.as_deref() else {
        bail!("--out {}: charts are written as .svg or .png", args.out.display());
    };
    let asked = Asked {
        axis: Axis::parse(&args.x).unwrap_or(Axis::Steps),
        from: None,
        to: None,
        points: POINTS,
        smooth: args
            .smooth
            .as_deref()
            .map(HalfLife::parse)
            .transpose()
            .map_err(anyhow::Error::msg)?,
        after: 0,
    };
    let (mut singles, mut groups) = (Vec::new(), Vec::new());
    for (summary, run) in named(&args.runs)? {
        let (found, names) = run.with_metrics(|m| {
            (series(m, &run.metrics_file(), &args.metric, &asked), m.names().to_vec())
        });
        if !names.contains(&args.metric) {
            let near = nearest(&args.metric, names.iter().map(String::as_str));
            let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
            bail!(
                "{} has no metric `{}`: {near}there are: {}",
                run.found.path.display(),
                args.metric,
                names.join(", ")
            );
        }
        let group = match args.apart {
            true => summary.name.clone(),
            false => group(&mut groups, &summary, &run.known().config),
        };
        let y = found.smooth.unwrap_or(found.mean);
        singles.push(Single { group, name: summary.name, x: found.x, y });
    }
    let figure = Figure {
        title: args.title,
        axis: asked.axis,
        y_label: args.label.unwrap_or_else(|| args.metric.clone()),
        lines: together(&singles),
        width: f64::from(args.size.0),
        height: f64::from(args.size.1),
    };
    if figure.lines.iter().all(|line| line.points.is_empty()) {
        bail!("{} has no numbers in any of these runs yet", args.metric);
    }
    let bytes = match ending {
        "png" => figure.png(args.scale).with_context(|| {
            let (width, height) = args.size;
            format!("{width}x{height} at a scale of {} is too large: lower --scale", args.scale)
        })?,
        _ => figure.svg().into_bytes(),
    };
    replace(&args.out, &bytes).context("the chart is not written")?;
    say!("{}: {} over {}", args.out.display(), args.metric, args.x);
    Ok(())
}

/// Keys that tell seeds of one experiment apart, and nothing else.
const OF_A_SEED: [&str; 3] = ["run.dir", "run.seed", "run.threads"];

/// What a run trains with but for its seed, and what the legend calls that.
type Group = (BTreeMap<String, Value>, String);

/// The group of a run: that of an earlier one which differs in its seed alone, or a new one.
fn group(groups: &mut Vec<Group>, run: &Summary, config: &Configuration) -> String {
    let mut own = config.flat.clone();
    own.retain(|key, _| !OF_A_SEED.contains(&key.as_str()));
    if let Some((_, name)) = groups.iter().find(|(known, _)| *known == own) {
        return name.clone();
    }
    let mut name = named_after(run);
    if groups.iter().any(|(_, taken)| *taken == name) {
        name = run.name.clone();
    }
    groups.push((own, name.clone()));
    name
}

fn named_after(run: &Summary) -> String {
    let changed: Vec<String> =
        run.changed.iter().map(|(key, value)| format!("{key}={value}")).collect();
    match changed.is_empty() {
        true => run.group.clone(),
        false => format!("{}, {}", run.group, changed.join(", ")),
    }
}
