//! Recorded fights as decisions: aligned, legal, and with what the game shows.

use std::fs;
use std::path::{Path, PathBuf};

use lanista_game::{End, Episode, Kind, Spec, Verdict};
use lanista_nh::contract::{ACTIONS, FIELDS, HIDDEN, PARTIAL};
use lanista_nh::decisions::{Summary, decisions, episodes};
use lanista_nh::game::Nh;
use lanista_nh::settings::Settings;
use lanista_nh::terms;
use lanista_nh::trace::Fight;

/// Four short fights that are kept with the source.
fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fights").join(name)
}

/// All recorded fights, which are too large for that.
fn all() -> Option<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/nh/fights");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).ok()?.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    Some(files)
}

fn spec() -> Spec {
    Nh::describe(&Settings::default())
}

fn read(path: &Path) -> (Episode, Summary) {
    let mut heard = Vec::new();
    let summary = episodes(path, &Settings::default(), &mut |episode| heard.push(episode));
    let summary = summary.unwrap_or_else(|refusal| panic!("{refusal}"));
    assert_eq!(heard.len(), 1, "{}", path.display());
    let episode = heard.remove(0);
    assert_eq!(episode.fault(&spec()), None, "{}", path.display());
    assert_eq!((episode.len() as u64, &episode.player), (summary.decisions, &summary.player));
    (episode, summary)
}

#[test]
fn an_action_goes_with_the_line_before_it() {
    let path = kept("015_ZERKER_greedy_vs_random_A.jsonl.gz");
    let (episode, summary) = read(&path);
    let fight = Fight::read(&path).unwrap();
    // The first line has no action, and the last has one that came after the fatal tick.
    assert_eq!(episode.len(), fight.lines.len() - 2);
    assert_eq!((summary.player.as_str(), episode.end), ("greedy", Some(End::Terminated)));
    assert_eq!(episode.source, "015_ZERKER_greedy_vs_random_A.jsonl.gz");
    for (n, lines) in fight.lines.windows(2).take(episode.len()).enumerate() {
        let seen = &episode.observation[n * FIELDS.len()..][..FIELDS.len()];
        assert!(seen.iter().zip(&lines[0].observation).all(|(a, b)| *a == *b as f32));
        assert_eq!(episode.mask[n * ACTIONS..][..ACTIONS], lines[0].mask);
        let chosen = lines[1].action.unwrap().map(u32::from);
        assert_eq!(episode.actions[n * 12..][..12], chosen);
    }
    let steps: Vec<u32> = (0..episode.len() as u32).collect();
    assert_eq!(episode.steps, steps);
}

#[test]
fn what_the_critic_sees_is_what_the_other_file_shows() {
    let [one, two] = ["A", "B"].map(|side| {
        let path = kept(&format!("019_ZERKER_greedy_vs_greedy_{side}.jsonl.gz"));
        (read(&path).0, Fight::read(&path).unwrap().lines[0].tick)
    });
    // Sides may begin a tick apart.
    let (mut compared, shift) = (0, one.1 as i64 - two.1 as i64);
    for n in 0..one.0.len() {
        let Ok(other) = usize::try_from(n as i64 + shift) else { continue };
        if other >= two.0.len() {
            continue;
        }
        let hidden = &one.0.privileged[n * PARTIAL..][..PARTIAL];
        let shown = &two.0.observation[other * FIELDS.len()..][..FIELDS.len()];
        for (value, &field) in hidden.iter().zip(&HIDDEN) {
            assert_eq!(*value, shown[field], "{} in decision {n}", FIELDS[field].name);
            compared += 1;
        }
    }
    assert!(compared > 90 * one.0.len(), "{compared}");
}

#[test]
fn terms_tell_of_the_end_once_and_of_every_tick() {
    let place = |name: &str| terms::terms().iter().position(|term| term.name == name).unwrap();
    let (won, lost, tick) = (place("won"), place("lost"), place("tick"));
    let mut verdicts = Vec::new();
    for side in ["A", "B"] {
        let (episode, _) = read(&kept(&format!("019_ZERKER_greedy_vs_greedy_{side}.jsonl.gz")));
        let rows: Vec<&[f32]> = episode.terms.chunks(terms::COUNT).collect();
        assert!(rows.iter().all(|row| row[tick] == 1.0));
        let sum = |term: usize| rows.iter().map(|row| row[term]).sum::<f32>();
        let ends = match episode.verdict {
            Some(Verdict::Won) => (1.0, 0.0),
            Some(Verdict::Lost) => (0.0, 1.0),
            other => panic!("{other:?}"),
        };
        assert_eq!((sum(won), sum(lost)), ends);
        assert_eq!(rows.last().map(|row| (row[won], row[lost])), Some(ends));
        verdicts.push(ends);
    }
    assert_ne!(verdicts[0], verdicts[1], "one has won and the other lost");
}

#[test]
fn settings_that_offer_something_else_are_named() {
    let path = kept("015_ZERKER_greedy_vs_random_A.jsonl.gz");
    let fight = Fight::read(&path).unwrap();
    let p = fight.params.clone();
    let mut settings = Settings {
        builds: vec![p.account_build],
        randomize_gear: p.randomize_gear,
        only_switch_prayer_when_about_to_attack: p.only_switch_prayer_when_about_to_attack,
        only_switch_gear_when_attack_soon: p.only_switch_gear_when_attack_soon,
        allow_smite: p.allow_smite,
        allow_redemption: p.allow_redemption,
        allow_moving_if_can_attack: p.allow_moving_if_can_attack,
        death_match: fight.death_match,
        ..Settings::default()
    };
    assert_eq!(decisions(&fight, &settings).unwrap().1.differing, Vec::<&str>::new());
    settings.allow_smite = !p.allow_smite;
    assert_eq!(decisions(&fight, &settings).unwrap().1.differing, ["allow_smite"]);
}

#[test]
fn what_does_not_fit_is_refused_by_its_line() {
    let path = kept("015_ZERKER_greedy_vs_random_A.jsonl.gz");
    let fight = Fight::read(&path).unwrap();
    let refusal = |fight: &Fight| {
        let refused = decisions(fight, &Settings::default()).unwrap_err();
        assert!(refused.to_string().contains("015_ZERKER"), "{refused}");
        (refused.line.unwrap(), refused.problem)
    };
    let mut masked = fight.clone();
    masked.lines[4].mask = [false; ACTIONS];
    masked.lines[5].action = Some([1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
    let (line, problem) = refusal(&masked);
    assert!(line == 6 && problem.contains("`mage_attack` of `attack` was not legal"), "{problem}");
    let mut wild = fight.clone();
    wild.lines[7].observation[3] = 1e300;
    let (line, problem) = refusal(&wild);
    assert!(line == 8 && problem.contains("out of range"), "{problem}");
    let mut wild = fight.clone();
    wild.lines[7].meta.distance = 1e300;
    assert_eq!(refusal(&wild).0, 8);
}

#[test]
fn a_fight_that_was_cut_has_no_end() {
    let path = kept("015_ZERKER_greedy_vs_random_A.jsonl.gz");
    let mut fight = Fight::read(&path).unwrap();
    for lines in [20, 1, 0] {
        fight.lines.truncate(lines);
        let (episode, summary) = decisions(&fight, &Settings::default()).unwrap();
        assert_eq!(episode.len(), lines.saturating_sub(1));
        assert_eq!((episode.end, episode.verdict, summary.verdict), (None, None, None));
        assert_eq!(episode.fault(&spec()), None);
    }
    // The word on the end can come without a fatal tick before it: then its action counts.
    let mut fight = Fight::read(&path).unwrap();
    fight.lines.truncate(21);
    fight.lines[20].terminal = Some("WON".into());
    let (episode, _) = decisions(&fight, &Settings::default()).unwrap();
    assert_eq!((episode.len(), episode.end), (20, Some(End::Terminated)));
}

/// The bar for whoever learns from these decisions: an even choice among what is legal.
#[test]
fn the_even_player_on_all_recorded_decisions() {
    let Some(files) = all() else {
        println!("skipped the_even_player_on_all_recorded_decisions: no shared/data/nh/fights");
        return;
    };
    let (mut count, mut sum) = ([0u64; 2], [0.0; 2]);
    for path in &files {
        let (episode, summary) = read(path);
        assert!(summary.privileged && episode.verdict.is_some(), "{}", path.display());
        let player = match summary.player.as_str() {
            "greedy" => 0,
            "random" => 1,
            other => panic!("{other}"),
        };
        count[player] += summary.decisions;
        sum[player] += summary.uniform;
    }
    let mean = [0, 1].map(|player| sum[player] / count[player] as f64);
    println!(
        "greedy: {} decisions, {:.4}; random: {}, {:.4}",
        count[0], mean[0], count[1], mean[1]
    );
    assert_eq!(count, [18_931 - 67, 15_545 - 47]);
    assert!((-10.0..-1.0).contains(&mean[0]) && (-10.0..-1.0).contains(&mean[1]), "{mean:?}");
}
