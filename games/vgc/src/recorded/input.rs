//! What a simulator was told: the lines of an `inputLog`.
//!
//! `>start {"formatid":…,"seed":…}`, `>player p1 {"name":…,"team":…}`, then the choices of both sides in order,
//! `>p1 move fakeout +1, switch 3`. Everything else (`>version`, `>chat`, `>forcelose p1`) is no choice.

use std::collections::VecDeque;

use serde_json::Value;

/// What a simulator was told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// What was played.
    pub format: Option<String>,
    /// What all luck followed from, in Showdown's words.
    pub seed: Option<String>,
    /// What the players are called.
    pub names: [Option<String>; 2],
    /// Both teams, packed.
    pub teams: [Option<String>; 2],
    /// Were team sheets shown?
    pub open_sheets: bool,
    /// The choices of each side in order, without those that were taken back.
    pub choices: [VecDeque<String>; 2],
}

impl Input {
    /// Reads lines of an `inputLog`; what is none is passed over.
    pub fn of(lines: &[String]) -> Self {
        let mut input = Self::default();
        for line in lines {
            let line = line.trim().trim_start_matches('>').trim_start();
            let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let rest = rest.trim();
            match (word, side_of(word)) {
                ("start", _) => input.start(rest),
                ("show-openteamsheets", _) => input.open_sheets = true,
                ("player", _) => input.player(rest),
                (_, Some(side)) if rest == "undo" => {
                    input.choices[side].pop_back();
                }
                (_, Some(side)) if !rest.is_empty() => {
                    input.choices[side].push_back(rest.to_owned())
                }
                _ => {}
            }
        }
        input
    }

    fn start(&mut self, json: &str) {
        let told: Value = serde_json::from_str(json).unwrap_or_default();
        self.format = told.get("formatid").and_then(Value::as_str).map(str::to_owned);
        self.seed = seed(&told);
    }

    fn player(&mut self, rest: &str) {
        let Some((side, json)) = rest.split_once(char::is_whitespace) else { return };
        let (Some(side), Ok(told)) = (side_of(side), serde_json::from_str::<Value>(json)) else {
            return;
        };
        let text = |key: &str| told.get(key).and_then(Value::as_str).map(str::to_owned);
        self.names[side] = text("name").or(self.names[side].take());
        self.teams[side] = text("team").or(self.teams[side].take());
    }
}

/// The seed of `>start`: words, or four numbers.
fn seed(told: &Value) -> Option<String> {
    match told.get("seed")? {
        Value::String(words) => Some(words.clone()),
        Value::Array(numbers) if numbers.len() == 4 => {
            let numbers: Option<Vec<String>> =
                numbers.iter().map(|one| one.as_u64().map(|one| one.to_string())).collect();
            Some(numbers?.join(","))
        }
        _ => None,
    }
}

/// `p1` alone is 0.
fn side_of(word: &str) -> Option<usize> {
    ["p1", "p2"].iter().position(|side| *side == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_simulator_was_told_is_read() {
        let lines = [
            ">version 0",
            r#">start {"formatid":"gen9vgc2024regg","seed":[1,2,3,4]}"#,
            r#">player p2 {"name":"B","team":"x|y"}"#,
            r#">player p1 {"name":"A"}"#,
            ">p1 team 1, 2, 3, 4",
            ">p1 undo",
            ">p1 team 4321",
            "p2 default",
            ">chat p1 hello",
            ">forcelose p1",
            ">p1",
            ">",
        ]
        .map(str::to_owned);
        let input = Input::of(&lines);
        assert_eq!(input.seed.as_deref(), Some("1,2,3,4"));
        assert_eq!(input.format.as_deref(), Some("gen9vgc2024regg"));
        assert_eq!(input.teams, [None, Some("x|y".to_owned())]);
        assert_eq!(input.names, [Some("A".to_owned()), Some("B".to_owned())]);
        assert_eq!(input.choices[0], ["team 4321"]);
        assert_eq!(input.choices[1], ["default"]);
        let wild = [">start {", ">start {\"seed\":[1]}", ">player p1", ">player p3 {}"];
        assert_eq!(Input::of(&wild.map(str::to_owned)), Input::default());
    }
}
