//! The log in words, for people who watch.
//!
//! Only lines that somebody at the table would say aloud become sentences; what a viewer sees anyway (a
//! request, a timer, the size of a team) does not. Unknown lines are passed over: Showdown has many.

use super::line::{Effect, Ident, Line};

/// One sentence of a battle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Whose doing or suffering it is, if it is one side's.
    pub side: Option<usize>,
    /// The sentence.
    pub text: String,
    /// Does it follow from the sentence before, as damage follows from a move?
    pub is_effect: bool,
}

/// What a stretch of the log tells.
pub fn in_words(log: &str) -> Vec<Sentence> {
    log.lines()
        .filter_map(Line::read)
        .filter(|line| !line.tags.silent)
        .filter_map(sentence)
        .collect()
}

fn sentence(line: Line) -> Option<Sentence> {
    let who = line.who(0);
    let text = match line.word.strip_prefix('-') {
        Some(word) => effect(word, &line)?,
        None => deed(&line)?,
    };
    Some(Sentence {
        side: who.map(|who| who.side).or_else(|| side(line.argument(0))),
        text,
        is_effect: line.word.starts_with('-'),
    })
}

/// The side of `p1: name`, which conditions of sides begin with.
fn side(text: &str) -> Option<usize> {
    match text.get(..3) {
        Some("p1:") => Some(0),
        Some("p2:") => Some(1),
        _ => None,
    }
}

/// What somebody does.
fn deed(line: &Line) -> Option<String> {
    let name = line.who(0).map_or("", |who| who.name);
    Some(match line.word {
        "turn" => format!("Turn {}.", line.argument(0)),
        "move" => {
            let target = line.who(2).filter(|target| Some(*target) != line.who(0));
            let at = target.map_or(String::new(), |target| format!(" on {}", target.name));
            let at = if line.spread.is_some() { " on everybody it reaches" } else { &at };
            format!("{name} uses {}{at}.", line.argument(1))
        }
        "switch" => match species_of(line.argument(1)) {
            species if species == name => format!("{name} comes in."),
            species => format!("{name} ({species}) comes in."),
        },
        "drag" => format!("{name} is dragged in."),
        "replace" => format!("It was {name} all along."),
        "swap" => format!("{name} changes places."),
        "faint" => format!("{name} faints."),
        "cant" => format!("{name} cannot move: {}.", plain(line.argument(1))),
        "win" => format!("{} wins.", line.argument(0)),
        "tie" => "It is a tie.".to_owned(),
        "detailschange" => format!("{name} becomes {}.", species_of(line.argument(1))),
        _ => return None,
    })
}

/// What becomes of somebody.
fn effect(word: &str, line: &Line) -> Option<String> {
    let name = line.who(0).map_or("", |who| who.name);
    let what = Effect::of(line.argument(1)).name;
    let because = line.from.map_or(String::new(), |from| format!(" by {}", plain(from.name)));
    Some(match word {
        "damage" | "sethp" => match share(line.argument(1))? {
            0 => format!("{name} has nothing left{because}."),
            share => format!("{name} falls to {share} %{because}."),
        },
        "heal" => format!("{name} recovers to {} %{because}.", share(line.argument(1))?),
        "status" => format!("{name} {}{because}.", suffers(line.argument(1))),
        "curestatus" => format!("{name} is healthy again."),
        "boost" | "unboost" => {
            let more = if word == "boost" { "rises" } else { "falls" };
            match line.argument(2) {
                "0" => format!("{name}'s {} cannot go further.", stat(line.argument(1))),
                by => format!("{name}'s {} {more} by {by}.", stat(line.argument(1))),
            }
        }
        "setboost" => {
            format!("{name}'s {} is at {}.", stat(line.argument(1)), line.argument(2))
        }
        "clearallboost" => "All stages are gone.".to_owned(),
        "clearboost" | "clearnegativeboost" | "clearpositiveboost" => {
            format!("{name}'s stages are gone.")
        }
        "weather" => match line.argument(0) {
            "none" => "The weather clears.".to_owned(),
            _ if line.tags.upkeep => return None,
            weather => format!("{}.", weather_comes(weather)),
        },
        "fieldstart" => format!("{} begins.", Effect::of(line.argument(0)).name),
        "fieldend" => format!("{} is over.", Effect::of(line.argument(0)).name),
        "sidestart" => format!("{what} holds for the side."),
        "sideend" => format!("{what} is over for the side."),
        "start" => match what {
            "typechange" => format!("{name} is now {}.", line.argument(2)),
            "perish0" | "perish1" | "perish2" | "perish3" => {
                format!("{name} has {} turns to live.", what.trim_start_matches("perish"))
            }
            what => match lifted(what) {
                Some(stat) => format!("{name}'s {stat} is lifted."),
                None => format!("{name} is under {}.", plain(what)),
            },
        },
        "end" => format!("{name} is free of {}.", plain(what)),
        "activate" => format!("{}{}.", possessive(line.who(0)), plain(what)),
        "singleturn" | "singlemove" => match what {
            "Protect" => format!("{name} protects itself."),
            what => format!("{name}: {}.", plain(what)),
        },
        "block" => format!("{name} is shielded by {}.", plain(what)),
        "immune" => format!("{name} is immune."),
        "miss" => match line.who(1) {
            Some(target) => format!("It misses {}.", target.name),
            None => format!("{name} misses."),
        },
        "fail" => "It fails.".to_owned(),
        "notarget" => "There is nobody to hit.".to_owned(),
        "crit" => format!("A critical hit on {name}."),
        "supereffective" => format!("{name}: super effective."),
        "resisted" => format!("{name} resists."),
        "ability" => format!("{name}: {}.", line.argument(1)),
        "endability" => format!("{name}'s ability does nothing now."),
        "item" => format!("{name} holds {}{because}.", line.argument(1)),
        "enditem" if line.tags.eat => format!("{name} eats its {}.", line.argument(1)),
        "enditem" => format!("{name}'s {} is gone{because}.", line.argument(1)),
        "terastallize" => format!("{name} terastallises: {}.", line.argument(1)),
        "mega" => format!("{name} mega evolves."),
        "transform" => match line.who(1) {
            Some(target) => format!("{name} turns into {}.", target.name),
            None => format!("{name} transforms."),
        },
        "prepare" => format!("{name} prepares {}.", line.argument(1)),
        "mustrecharge" => format!("{name} must rest."),
        "hitcount" => format!("It hit {} times.", line.argument(1)),
        "formechange" => format!("{name} changes form."),
        _ => return None,
    })
}

fn possessive(who: Option<Ident>) -> String {
    who.map_or(String::new(), |who| format!("{}: ", who.name))
}

/// `move: Follow Me` without the kind.
fn plain(name: &str) -> &str {
    Effect::of(name).name
}

fn species_of(details: &str) -> &str {
    details.split(',').next().unwrap_or_default().trim()
}

/// Health in percent of `57/100 par` or `0 fnt`, rounded up so that who lives has some.
fn share(condition: &str) -> Option<u32> {
    let health = condition.split(' ').next()?;
    let Some((left, most)) = health.split_once('/') else {
        return (health == "0").then_some(0);
    };
    let (left, most): (u32, u32) = (left.parse().ok()?, most.parse().ok()?);
    (most > 0).then(|| (u64::from(left) * 100).div_ceil(u64::from(most)) as u32)
}

fn suffers(status: &str) -> &'static str {
    match status {
        "brn" => "is burnt",
        "frz" => "is frozen",
        "par" => "is paralysed",
        "psn" => "is poisoned",
        "tox" => "is badly poisoned",
        "slp" => "falls asleep",
        _ => "is not well",
    }
}

fn stat(word: &str) -> &'static str {
    match word {
        "atk" => "attack",
        "def" => "defence",
        "spa" => "special attack",
        "spd" => "special defence",
        "spe" => "speed",
        "accuracy" => "accuracy",
        "evasion" => "evasion",
        _ => "stat",
    }
}

/// The stat of `protosynthesisspe` or `quarkdriveatk`.
fn lifted(what: &str) -> Option<&'static str> {
    let word = what.strip_prefix("protosynthesis").or_else(|| what.strip_prefix("quarkdrive"))?;
    Some(stat(word))
}

fn weather_comes(weather: &str) -> &str {
    match weather {
        "SunnyDay" => "The sun burns",
        "DesolateLand" => "The sun burns without mercy",
        "RainDance" => "It rains",
        "PrimordialSea" => "It pours",
        "Sandstorm" => "A sandstorm blows",
        "Snow" | "Snowscape" | "Hail" => "It snows",
        "DeltaStream" => "Strong winds blow",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> Option<String> {
        in_words(line).pop().map(|sentence| sentence.text)
    }

    #[test]
    fn lines_become_sentences() {
        for (line, expected) in [
            ("|turn|3", "Turn 3."),
            ("|move|p1a: Mew|Fake Out|p2b: Onix", "Mew uses Fake Out on Onix."),
            ("|move|p1a: Mew|Protect|p1a: Mew", "Mew uses Protect."),
            (
                "|move|p1a: Mew|Surf|p2b: Onix|[spread] p2a,p2b",
                "Mew uses Surf on everybody it reaches.",
            ),
            ("|switch|p2b: Rocky|Onix, L50, M|170/170", "Rocky (Onix) comes in."),
            ("|-damage|p2b: Onix|57/170|[from] item: Life Orb", "Onix falls to 34 % by Life Orb."),
            ("|-damage|p2b: Onix|1/400 brn", "Onix falls to 1 %."),
            ("|-damage|p2b: Onix|0 fnt", "Onix has nothing left."),
            (
                "|-heal|p2b: Onix|100/100|[from] item: Leftovers",
                "Onix recovers to 100 % by Leftovers.",
            ),
            ("|-unboost|p2b: Onix|atk|1", "Onix's attack falls by 1."),
            ("|-status|p1a: Mew|par", "Mew is paralysed."),
            ("|-weather|RainDance", "It rains."),
            ("|-sidestart|p1: Lanista 1|move: Tailwind", "Tailwind holds for the side."),
            ("|-start|p1a: Mew|protosynthesisspe", "Mew's speed is lifted."),
            ("|cant|p1a: Mew|flinch", "Mew cannot move: flinch."),
            ("|win|Lanista 2", "Lanista 2 wins."),
        ] {
            assert_eq!(said(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn sides_are_told_apart() {
        let told = in_words(
            "|move|p2a: Mew|Surf\n|-damage|p1b: Abra|9/10\n|-sidestart|p1: x|Reflect\n|turn|2",
        );
        let sides: Vec<_> = told.iter().map(|s| (s.side, s.is_effect)).collect();
        assert_eq!(sides, [(Some(1), false), (Some(0), true), (Some(0), true), (None, false)]);
    }

    #[test]
    fn what_nobody_says_is_left_out() {
        let quiet = "|\n|t:|1700000000\n|upkeep\n|-weather|RainDance|[upkeep]\n|player|p1|x\nchat\n\
                     |-damage|p1a: Mew|1/2|[silent]\n|-damage|p1a: Mew|?/0\n|-heal|p1a: Mew|5/0";
        assert_eq!(in_words(quiet), []);
    }
}
