//! `lanista nh decisions`: what recorded fights hold to learn from.

use std::collections::BTreeMap;
use std::path::PathBuf;

use lanista_game::Verdict;
use lanista_nh::contract::{ACTIONS, HEADS, OFFSETS};
use lanista_nh::decisions::{Summary, episodes};
use lanista_nh::settings::Settings;
use serde_json::{Value, json};

pub fn run(files: &[PathBuf], as_json: bool) -> anyhow::Result<()> {
    let settings = Settings::default();
    let mut read = Vec::new();
    for file in files {
        let summary = episodes(file, &settings, &mut |_| {})?;
        read.push((file.display().to_string(), summary));
    }
    let players = by_player(&read);
    if as_json {
        let files: Vec<Value> =
            read.iter().map(|(file, summary)| file_json(file, summary)).collect();
        let players: Vec<Value> = players.iter().map(|(name, player)| player.json(name)).collect();
        say!("{}", json!({"files": files, "players": players}));
    } else {
        table(&read, &players).into_iter().for_each(|line| say!("{line}"));
    }
    Ok(())
}

/// The decisions of one player, in all files.
#[derive(Default)]
struct Player {
    episodes: u64,
    won: u64,
    decisions: u64,
    chosen: Vec<u64>,
    free: Vec<u64>,
    uniform: f64,
}

impl Player {
    fn add(&mut self, summary: &Summary) {
        self.episodes += 1;
        self.won += u64::from(summary.verdict == Some(Verdict::Won));
        self.decisions += summary.decisions;
        self.uniform += summary.uniform;
        self.chosen.resize(ACTIONS, 0);
        self.free.resize(HEADS.len(), 0);
        self.chosen.iter_mut().zip(summary.chosen).for_each(|(sum, count)| *sum += count);
        self.free.iter_mut().zip(summary.free).for_each(|(sum, count)| *sum += count);
    }

    fn share(&self, count: u64) -> f64 {
        count as f64 / self.decisions.max(1) as f64
    }

    /// Log-likelihood of a decision to whoever chooses evenly among what is legal.
    fn uniform(&self) -> f64 {
        self.uniform / self.decisions.max(1) as f64
    }

    fn json(&self, name: &str) -> Value {
        let head = |(head, (name, actions)): (usize, &(&str, &[&str]))| {
            let counts = &self.chosen[OFFSETS[head]..][..actions.len()];
            let actions: BTreeMap<_, _> = actions.iter().zip(counts).collect();
            json!({"head": name, "open": self.free[head], "actions": actions})
        };
        json!({
            "player": name,
            "episodes": self.episodes,
            "won": self.won,
            "decisions": self.decisions,
            "uniform_log_likelihood": self.uniform(),
            "heads": HEADS.iter().enumerate().map(head).collect::<Vec<_>>(),
        })
    }
}

fn by_player(read: &[(String, Summary)]) -> BTreeMap<&str, Player> {
    let mut players: BTreeMap<&str, Player> = BTreeMap::new();
    for (_, summary) in read {
        players.entry(&summary.player).or_default().add(summary);
    }
    players
}

fn file_json(file: &str, summary: &Summary) -> Value {
    json!({
        "file": file,
        "player": summary.player,
        "decisions": summary.decisions,
        "verdict": summary.verdict,
        "privileged": summary.privileged,
        "differing_settings": summary.differing,
    })
}

/// A line a file, then every player head by head.
fn table(read: &[(String, Summary)], players: &BTreeMap<&str, Player>) -> Vec<String> {
    let mut lines = vec![format!("{:>9}  {:10} {:7} file", "decisions", "player", "verdict")];
    for (file, summary) in read {
        let verdict = match summary.verdict {
            Some(Verdict::Won) => "won",
            Some(Verdict::Drawn) => "drawn",
            Some(Verdict::Lost) => "lost",
            None => "-",
        };
        let (count, player) = (summary.decisions, &summary.player);
        lines.push(format!("{count:>9}  {player:10} {verdict:7} {file}"));
    }
    for (name, player) in players {
        lines.push(String::new());
        lines.push(format!(
            "{name}: {} decisions in {} fights, {} of them won; even choice among what is legal: \
             log-likelihood {:.4} a decision",
            player.decisions,
            player.episodes,
            player.won,
            player.uniform()
        ));
        let header = ("head", "had a choice", "did nothing");
        lines.push(format!("  {:20} {:>12} {:>12}", header.0, header.1, header.2));
        for (head, (about, _)) in HEADS.iter().enumerate() {
            let open = 100.0 * player.share(player.free[head]);
            let idle = 100.0 * player.share(player.chosen[OFFSETS[head]]);
            lines.push(format!("  {about:20} {open:>10.2} % {idle:>10.2} %"));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_added_up_over_files() {
        let summary = |player: &str, decisions: u64, verdict| {
            let mut chosen = [0; ACTIONS];
            OFFSETS.iter().for_each(|&first| chosen[first] = decisions);
            Summary {
                player: player.into(),
                verdict,
                decisions,
                chosen,
                free: [1; 12],
                uniform: -2.0 * decisions as f64,
                privileged: true,
                differing: Vec::new(),
            }
        };
        let read = vec![
            ("a".to_owned(), summary("greedy", 10, Some(Verdict::Won))),
            ("b".to_owned(), summary("greedy", 30, Some(Verdict::Lost))),
            ("c".to_owned(), summary("random", 5, None)),
        ];
        let players = by_player(&read);
        let greedy = &players["greedy"];
        assert_eq!((greedy.decisions, greedy.episodes, greedy.won), (40, 2, 1));
        assert_eq!(greedy.uniform(), -2.0);
        let lines = table(&read, &players);
        assert!(lines.iter().any(|line| line.contains("greedy: 40 decisions in 2 fights, 1 of")));
        assert_eq!(lines.len(), 1 + 3 + 2 * (3 + 12), "{lines:#?}");
        assert_eq!(greedy.json("greedy")["heads"][0]["actions"]["no_op_attack"], 40);
    }
}
