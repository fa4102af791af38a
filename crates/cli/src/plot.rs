//! `lanista plot`: curves of runs without a browser.

use std::sync::Arc;

use anyhow::{Context, bail};
use lanista_page::columns::Axis;
use lanista_page::groups;
use lanista_page::plot::legend::{self, Drawn};
use lanista_page::plot::{Figure, Single, title, together};
use lanista_page::run::{Run, Summary};
use lanista_page::series::{Asked, HalfLife, series};
use lanista_train::disk::replace;
use lanista_train::layers::nearest;

use crate::args::PlotArgs;
use crate::runs::named;

/// Points of one run: more cannot be told apart on paper.
const POINTS: usize = 1000;

pub fn run(args: PlotArgs) -> anyhow::Result<()> {
    let ending = args.out.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let Some(ending @ ("svg" | "png")) = ending.as_deref() else {
        bail!("--out {}: charts are written as .svg or .png", args.out.display());
    };
    let smooth = args.smooth.as_deref().map(HalfLife::parse).transpose();
    let asked = Asked {
        axis: Axis::parse(&args.x).unwrap_or(Axis::Steps),
        from: None,
        to: None,
        points: POINTS,
        smooth: smooth.map_err(anyhow::Error::msg)?,
        after: 0,
    };
    let runs = named(&args.runs)?;
    let groups = group(&runs, args.apart);
    let names = labels(&runs, &groups, args.apart);
    let mut singles = Vec::new();
    for (number, metric) in args.metric.iter().enumerate() {
        for ((_, run), &group) in runs.iter().zip(&groups) {
            let found = run.with_metrics(|m| {
                let known = m.names().contains(metric);
                known.then(|| series(m, &run.metrics_file(), metric, &asked))
            });
            let Some(found) = found else { bail!(no_metric(run, metric)) };
            let label = match (args.metric.len(), groups.iter().any(|other| *other != group)) {
                (1, _) => names[group].clone(),
                (_, false) => title(metric),
                (_, true) => format!("{}: {}", names[group], title(metric)),
            };
            let group = (number * runs.len() + group) as u64;
            let y = found.smooth.unwrap_or(found.mean);
            singles.push(Single { group, label, x: found.x, y });
        }
    }
    let figure = Figure {
        title: args.title,
        axis: asked.axis,
        y_label: args.label.unwrap_or_else(|| match &args.metric[..] {
            [one] => title(one),
            _ => String::new(), // the legend says what each is
        }),
        lines: together(&singles),
        width: f64::from(args.size.0),
        height: f64::from(args.size.1),
    };
    let metrics = args.metric.join(", ");
    if figure.lines.iter().all(|line| line.points.is_empty() && line.rest.is_empty()) {
        bail!("{metrics} has no numbers in any of these runs yet");
    }
    let bytes = match ending {
        "png" => figure.png(args.scale).with_context(|| {
            let (width, height) = args.size;
            format!("{width}x{height} at a scale of {} is too large: lower --scale", args.scale)
        })?,
        _ => figure.svg().into_bytes(),
    };
    replace(&args.out, &bytes).context("the chart is not written")?;
    say!("{}: {metrics} over {}", args.out.display(), args.x);
    Ok(())
}

fn no_metric(run: &Run, metric: &str) -> String {
    let names = run.with_metrics(|m| m.names().to_vec());
    let near = nearest(metric, names.iter().map(String::as_str));
    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    let place = run.found.path.display();
    format!("{place} has no metric `{metric}`: {near}there are: {}", names.join(", "))
}

/// A run that was named.
type Named = (Summary, Arc<Run>);

/// `[runs]`: the first run that is a seed of the same experiment, or the run itself.
fn group(runs: &[Named], apart: bool) -> Vec<usize> {
    let of: Vec<u64> = runs.iter().map(|(_, run)| run.known().config.experiment).collect();
    let first = |i: usize| of.iter().position(|other| *other == of[i]).unwrap_or(i);
    (0..runs.len()).map(|i| if apart { i } else { first(i) }).collect()
}

/// `[runs]`: what the legend calls the group of each.
fn labels(runs: &[Named], groups: &[usize], apart: bool) -> Vec<String> {
    let mut names: Vec<String> = runs.iter().map(|(run, _)| run.name.clone()).collect();
    if apart || runs.len() == 1 {
        return names;
    }
    let heads: Vec<usize> = (0..runs.len()).filter(|&i| groups[i] == i).collect();
    let configs: Vec<_> = heads.iter().map(|&i| runs[i].1.known().config.clone()).collect();
    let mut drawn = Vec::new();
    for (&head, config) in heads.iter().zip(&configs) {
        let run = &runs[head].0;
        let base = groups::base(&run.name, run.preset.as_deref());
        drawn.push(Drawn { base, flat: &config.flat, run: run.name.clone() });
    }
    for (&head, name) in heads.iter().zip(legend::names(&drawn)) {
        names[head] = name;
    }
    names
}
