//! What a run of a game with two roles and two sides leaves in `metrics.jsonl` and for TensorBoard.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lanista_game::{
    Control, End, Entry, Game, Group, Head, Kind, NoSettings, Outcome, Role, Seat, SettingsError,
    Spec, Term, TermKind, View,
};
use lanista_train::files::RunFiles;
use lanista_train::{Orders, RunConfig, RunDirectory, Trainer};
use serde_json::Value;

/// One hides left or right, the other seeks there. Neither knows where the other is.
struct Hide {
    spec: Arc<Spec>,
}

impl Kind for Hide {
    type Settings = NoSettings;
    const NAME: &'static str = "hide";
    const ABOUT: &'static str = "hide and seek";

    fn describe(_: &NoSettings) -> Spec {
        let role = |name: &str| Role {
            name: name.to_owned(),
            observation: vec![Group::features(["one"])],
            heads: vec![Head::new("where", ["left", "right"])],
            ..Role::default()
        };
        Spec {
            roles: vec![role("hider"), role("seeker")],
            seats: vec![Seat::of(0), Seat::of(1).role(1)],
            terms: vec![Term {
                name: "won".into(),
                kind: TermKind::Event,
                about: "1 for whoever won".into(),
            }],
            ..Spec::default()
        }
    }

    fn matches(_: NoSettings, spec: Arc<Spec>, count: usize) -> Result<Vec<Self>, SettingsError> {
        Ok((0..count).map(|_| Self { spec: spec.clone() }).collect())
    }
}

impl Game for Hide {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, _: u64, _: &[Control]) {}

    fn observe(&self, view: &mut View) {
        for seat in 0..2 {
            view.seat(seat).observation[0] = 1.0;
        }
    }

    fn step(&mut self, actions: &[u32], out: &mut Outcome) {
        let winner = usize::from(actions[0] == actions[1]);
        out.terms[winner] = 1.0;
        out.score[winner] = 1.0;
        *out.end = Some(End::Terminated);
    }

    fn scripted(&self, _: usize, _: usize, _: &mut [u32]) {}
}

#[test]
fn roles_and_sides_are_in_every_line() {
    let mut config = RunConfig { game: "hide".into(), ..RunConfig::default() };
    config.rollout.matches = 4;
    config.rollout.horizon = 8;
    config.policy.hidden = vec![8];
    config.ppo.minibatch = 16.0.into();
    config.stop.steps = 128;
    config.rewards.insert("won".into(), 1.0.into());
    config.opponents.insert("past".into(), 0.5);
    config.league.every = 32;
    let place = tempfile::tempdir().unwrap();
    let mut directory = RunDirectory::open(place.path()).unwrap();
    let mut trainer = Trainer::new(Entry::of::<Hide>(), config).unwrap();
    directory.begin(&mut trainer).unwrap();
    let interrupt = AtomicBool::new(false);
    directory.train(&mut trainer, &mut [], &Orders::until_interrupted(&interrupt)).unwrap();

    let files = RunFiles::of(place.path());
    let text = std::fs::read_to_string(files.metrics()).unwrap();
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(last["lost_matches"], 0);
    for role in ["hider", "seeker"] {
        let own = last["roles"][role].as_object().unwrap();
        let numbers = ["policy_loss", "approx_kl", "learning_rate", "samples", "return_mean"];
        assert!(numbers.iter().all(|name| own[*name].is_number()), "{own:?}");
        assert!(last["elo_by_side"][role].is_f64(), "{last}");
    }
    let both = |role: &str| last["roles"][role]["return_mean"].as_f64().unwrap();
    assert!((both("hider") + both("seeker") - 1.0).abs() < 1e-6, "one of them wins: {last}");
    assert_eq!(last["roles"]["hider"]["entropy"], last["entropy"], "the first stands for all");

    let events = std::fs::read_dir(place.path()).unwrap().flatten().map(|entry| entry.path());
    let events: Vec<_> =
        events.filter(|path| path.to_string_lossy().contains("tfevents")).collect();
    let text = String::from_utf8_lossy(&std::fs::read(&events[0]).unwrap()).into_owned();
    for tag in ["roles/hider/policy_loss", "roles/seeker/return", "league/elo_seeker", "won/past"] {
        assert!(text.contains(tag), "{tag}");
    }
    assert!(!text.contains("roles/hider/samples") && !text.contains("charts/lost_matches"));
}
