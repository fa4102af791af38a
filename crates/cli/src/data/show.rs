//! What is in a dataset, for people and programs.

use lanista_game::{Episode, UNKNOWN};
use lanista_train::dataset::{Corpus, Dataset, Split};
use serde_json::{Value, json};

use crate::args::{HeadArgs, InfoArgs};

pub fn info(args: &InfoArgs) -> anyhow::Result<()> {
    let dataset = Dataset::open(&args.data)?;
    let index = &dataset.index;
    let mut checked = None;
    if args.check {
        let corpus = Corpus::new(vec![dataset.clone()]);
        let mut episodes = 0;
        for split in [Split::Train, Split::HeldOut] {
            for place in corpus.blocks(split) {
                episodes += corpus.read(&place)?.len();
            }
        }
        checked = Some(episodes);
    }
    let bytes: u64 = index.shards.iter().map(|shard| shard.bytes).sum();
    let raw: u64 = index.blocks().map(|(_, block)| block.raw).sum();
    let (learnt, held) = (index.decisions(Split::Train), index.decisions(Split::HeldOut));
    if args.json {
        let heads: Vec<Value> = index
            .about
            .spec
            .roles
            .iter()
            .zip(&index.chosen)
            .map(|(role, heads)| {
                let heads: Vec<Value> = role
                    .heads
                    .iter()
                    .zip(heads)
                    .map(|(head, counts)| json!({"head": head.name, "actions": head.actions, "chosen": counts}))
                    .collect();
                json!({"role": role.name, "heads": heads})
            })
            .collect();
        say!(
            "{}",
            json!({
                "game": index.about.game, "settings": index.about.settings, "origin": index.about.origin,
                "lanista": index.about.lanista, "decisions": learnt + held, "held_out": held,
                "episodes": index.episodes(Split::Train) + index.episodes(Split::HeldOut),
                "players": index.players, "shards": index.shards.len(), "blocks": index.blocks().count(),
                "bytes": bytes, "bytes_unpacked": raw, "roles": heads, "checked_episodes": checked,
            })
        );
        return Ok(());
    }
    say!("{}: {} ({})", args.data.display(), index.about.game, index.about.origin);
    say!(
        "  {} decisions in {} episodes to learn from, {} in {} held out",
        learnt,
        index.episodes(Split::Train),
        held,
        index.episodes(Split::HeldOut)
    );
    say!(
        "  {:.1} MB in {} shards of {} blocks; {:.1} MB when unpacked",
        bytes as f64 / 1e6,
        index.shards.len(),
        index.blocks().count(),
        raw as f64 / 1e6
    );
    let mut players: Vec<(&String, &u64)> = index.players.iter().collect();
    players.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    say!("  decided by:");
    for (player, count) in players.iter().take(10) {
        say!("    {count:>9}  {player}");
    }
    if players.len() > 10 {
        say!("    and {} others", players.len() - 10);
    }
    for (role, heads) in index.about.spec.roles.iter().zip(&index.chosen) {
        for (head, counts) in role.heads.iter().zip(heads) {
            let all: u64 = counts.iter().sum();
            if all == 0 {
                continue;
            }
            let mut order: Vec<usize> = (0..counts.len()).filter(|&a| counts[a] > 0).collect();
            order.sort_by_key(|&a| std::cmp::Reverse(counts[a]));
            let named: Vec<String> = order
                .iter()
                .take(6)
                .map(|&a| {
                    let share = 100.0 * counts[a] as f64 / all as f64;
                    format!("{} {share:.0} %", head.actions[a])
                })
                .collect();
            let more = if order.len() > 6 { ", …" } else { "" };
            say!("  {}: {}{more}", head.name, named.join(", "));
        }
    }
    if let Some(episodes) = checked {
        say!("  all {episodes} episodes were read and are sound");
    }
    Ok(())
}

pub fn head(args: &HeadArgs) -> anyhow::Result<()> {
    let dataset = Dataset::open(&args.data)?;
    let corpus = Corpus::new(vec![dataset.clone()]);
    let mut left = args.n;
    for split in [Split::Train, Split::HeldOut] {
        for place in corpus.blocks(split) {
            for episode in corpus.read(&place)? {
                for decision in 0..episode.len() {
                    if left == 0 {
                        return Ok(());
                    }
                    left -= 1;
                    tell(&dataset, &episode, decision, split, args.json);
                }
            }
        }
    }
    Ok(())
}

fn tell(dataset: &Dataset, episode: &Episode, d: usize, split: Split, json: bool) {
    let role = &dataset.index.about.spec.roles[episode.role];
    let heads = role.heads.len();
    let chosen = &episode.actions[d * heads..(d + 1) * heads];
    let named = |(head, &choice): (&lanista_game::Head, &u32)| match choice {
        UNKNOWN => None,
        choice => Some(head.actions[choice as usize].clone()),
    };
    let names: Vec<Option<String>> = role.heads.iter().zip(chosen).map(named).collect();
    let features = role.features();
    let seen = &episode.observation[d * features..(d + 1) * features];
    let mask = &episode.mask[d * role.actions()..(d + 1) * role.actions()];
    if json {
        let row = |numbers: &[f32], width: usize| -> Value {
            numbers
                .get(d * width..(d + 1) * width)
                .filter(|_| width > 0)
                .map_or(Value::Null, |row| json!(row))
        };
        say!(
            "{}",
            json!({
                "source": episode.source, "match": episode.of_match(), "player": episode.player,
                "role": role.name,
                "split": split, "step": episode.steps[d], "start": d == 0, "verdict": episode.verdict,
                "observation": seen, "mask": mask, "action": names,
                "probabilities": row(&episode.probabilities, role.actions()),
                "terms": row(&episode.terms, dataset.index.about.spec.terms.len()),
            })
        );
        return;
    }
    say!("{} ({}), step {}:", episode.source, episode.player, episode.steps[d]);
    let flat = role.flat_features();
    let shown: Vec<String> = flat
        .iter()
        .zip(seen)
        .filter(|(_, value)| **value != 0.0)
        .take(8)
        .map(|(feature, value)| format!("{} {value:.3}", feature.name))
        .collect();
    say!("  sees {}, …", shown.join(", "));
    let chosen: Vec<String> = role
        .heads
        .iter()
        .zip(names)
        .map(|(head, name)| format!("{} {}", head.name, name.as_deref().unwrap_or("?")))
        .collect();
    let legal = mask.iter().filter(|&&legal| legal).count();
    say!("  chose {} ({legal} of {} actions legal)", chosen.join(", "), mask.len());
}
