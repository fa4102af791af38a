//! `lanista survivors decisions`: what a recording of a player holds to learn from.

use std::path::Path;

use lanista_survivors::decisions::{Summary, episodes};
use lanista_survivors::settings::{Settings, ViewKind};

pub fn run(file: &Path, nav: Option<&Path>, legacy: bool, json: bool) -> anyhow::Result<()> {
    let view = if legacy { ViewKind::Legacy } else { ViewKind::Rich };
    let settings = Settings { view, ..Settings::default() };
    let summary = episodes(file, nav, &settings, &mut |_| {})?;
    if json {
        say!("{}", serde_json::to_string(&summary)?);
    } else {
        table(&summary).into_iter().for_each(|line| say!("{line}"));
    }
    Ok(())
}

fn table(summary: &Summary) -> Vec<String> {
    let s = summary;
    let mut lines = vec![format!(
        "{}: {} decisions of {} ticks each in {} episodes; {} of {} ticks are play",
        s.map, s.decisions, s.step_ticks, s.episodes, s.play_ticks, s.ticks
    )];
    let cuts: Vec<String> = s.cuts.iter().map(|(why, count)| format!("{why} {count}")).collect();
    if !cuts.is_empty() {
        lines.push(format!("cuts: {}", cuts.join(", ")));
    }
    lines.push(format!(
        "not asked (held, hanging): {}; more pressed than a decision says: {}",
        s.waiting, s.merged
    ));
    let header = ("head", "known", "proved", "chosen");
    lines.push(format!("{:8} {:>9} {:>7}  {}", header.0, header.1, header.2, header.3));
    for head in &s.heads {
        let share = 100.0 * head.known as f64 / s.decisions.max(1) as f64;
        let chosen = head.chosen.iter().filter(|(_, count)| *count > 0);
        let chosen: Vec<String> = chosen.map(|(name, count)| format!("{name} {count}")).collect();
        let (name, proved) = (&head.head, head.proved);
        lines.push(format!("{name:8} {share:>7.2} % {proved:>7}  {}", chosen.join(", ")));
    }
    lines.push(format!("{} of {} numbers are told; not:", s.features_told, s.features));
    lines.push(format!("  {}", s.untold.join(" ")));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanista_survivors::decisions::HeadCount;
    use std::collections::BTreeMap;

    #[test]
    fn heads_have_a_line_each() {
        let summary = Summary {
            map: "c1m1_hotel".into(),
            meshed: false,
            ticks: 40,
            play_ticks: 31,
            step_ticks: 3,
            decisions: 10,
            episodes: 1,
            waiting: 0,
            merged: 2,
            cuts: BTreeMap::from([("dead", 1)]),
            heads: vec![HeadCount {
                head: "move".into(),
                known: 9,
                proved: 1,
                chosen: vec![("stay".into(), 4), ("forward".into(), 5), ("back".into(), 0)],
            }],
            features_told: 3,
            features: 4,
            untold: vec!["reserve".into()],
        };
        let lines = table(&summary);
        assert!(lines[0].contains("10 decisions of 3 ticks"), "{lines:#?}");
        assert!(lines[1].contains("dead 1"), "{lines:#?}");
        assert!(
            lines[4].contains("90.00 %") && lines[4].ends_with("stay 4, forward 5"),
            "{lines:#?}"
        );
        assert!(lines[5].contains("3 of 4"), "{lines:#?}");
    }
}
