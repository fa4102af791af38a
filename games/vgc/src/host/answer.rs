//! What a host answers.

use serde::Deserialize;

use crate::request::Request;

/// One line of a host; which parts are there depends on what was asked.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Line {
    pub question: Option<u64>,
    pub battle: Option<u64>,
    /// The simulator threw an error: its words.
    pub broken: Option<String>,
    // Answers to `hello`.
    pub version: Option<String>,
    pub node: Option<String>,
    // Answers to `validate`.
    pub problems: Option<Vec<String>>,
    pub team: Option<String>,
    // Answers about a battle.
    pub turn: u32,
    pub all: String,
    pub told: Option<[String; 2]>,
    pub requests: [Option<Request>; 2],
    pub errors: [Option<String>; 2],
    pub health: [Vec<(u32, u32, u32)>; 2],
    pub end: Option<Ended>,
}

/// What both sides are told of a battle, and what is asked of them.
#[derive(Debug, Default)]
pub struct Told {
    /// Turns begun.
    pub turn: u32,
    /// New lines of the whole log, nothing hidden.
    pub all: String,
    /// New lines of each side's own log.
    pub lines: [String; 2],
    /// What is asked of each side; nothing once the battle is over.
    pub requests: [Option<Request>; 2],
    /// Why a side's choice was refused, if it was.
    pub errors: [Option<String>; 2],
    /// How both teams are.
    pub health: [Health; 2],
    /// How it ended, if it has.
    pub end: Option<Ended>,
}

/// How a team is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Health {
    /// How many are there: six before the preview is chosen, then those brought.
    pub members: u32,
    /// How many have fainted.
    pub fainted: u32,
    /// How many of the others have a status.
    pub statused: u32,
    /// The sum of their health, each as a share of the most.
    pub shares: f32,
}

/// The end of a battle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Ended {
    /// The side that won; nobody if it is a tie.
    pub winner: Option<usize>,
    /// What the simulator was told, from which it plays the battle again.
    pub input: String,
}

/// What the simulator's validator says about a team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// What is wrong with it, in Showdown's words; nothing if it may be played.
    pub problems: Vec<String>,
    /// The team, packed, as the validator left it.
    pub team: Option<String>,
}

impl Health {
    fn of(team: &[(u32, u32, u32)]) -> Self {
        let mut health = Self { members: team.len() as u32, ..Self::default() };
        for &(hp, most, status) in team {
            health.fainted += u32::from(hp == 0);
            health.statused += u32::from(status != 0);
            health.shares += hp as f32 / most.max(1) as f32;
        }
        health
    }
}

impl Line {
    /// What it says of a battle; nothing if it is about something else or contradicts itself.
    pub fn told(self) -> Option<Told> {
        let end = self.end;
        if end.as_ref().and_then(|end| end.winner).is_some_and(|winner| winner > 1) {
            return None;
        }
        // A battle that is not over asks somebody.
        let asks = |request: &Option<Request>| request.as_ref().is_some_and(|r| !r.wait);
        if end.is_none() && !self.requests.iter().any(asks) {
            return None;
        }
        let health = [Health::of(&self.health[0]), Health::of(&self.health[1])];
        Some(Told {
            turn: self.turn,
            all: self.all,
            lines: self.told?,
            requests: self.requests,
            errors: self.errors,
            health,
            end,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Told> {
        serde_json::from_str::<Line>(text).unwrap().told()
    }

    #[test]
    fn an_answer_is_read() {
        let told = read(
            r#"{"battle":3,"question":9,"turn":2,"all":"|turn|2","told":["a\nb","c"],
            "requests":[{"wait":true,"side":{}},{"forceSwitch":[true,false],"side":{}}],
            "errors":[null,"[Invalid choice] no"],"health":[[[50,100,1],[0,90,0]],[[7,7,0]]]}"#,
        )
        .unwrap();
        assert_eq!((told.turn, told.lines[0].as_str()), (2, "a\nb"));
        assert_eq!(told.requests[1].as_ref().unwrap().force_switch, [true, false]);
        assert_eq!(told.errors[1].as_deref(), Some("[Invalid choice] no"));
        let health = Health { members: 2, fainted: 1, statused: 1, shares: 0.5 };
        assert_eq!(told.health[0], health);
    }

    #[test]
    fn what_contradicts_itself_is_nothing() {
        let nobody = r#"{"battle":3,"told":["",""],"requests":[{"wait":true},null]}"#;
        assert!(read(nobody).is_none(), "nobody is asked and it is not over");
        let third = r#"{"battle":3,"told":["",""],"end":{"winner":2}}"#;
        assert!(read(third).is_none(), "there is no third side");
        assert!(read(r#"{"battle":3,"end":{"winner":null}}"#).is_none(), "nothing is told");
        let tied = read(r#"{"battle":3,"told":["",""],"end":{"winner":null}}"#).unwrap();
        assert_eq!(tied.end.unwrap().winner, None);
    }
}
