//! Reward terms: the document's, each with its unit, and a few of ours.

use lanista_game::{Term, TermKind};

macro_rules! list {
    ($($place:ident = $kind:ident $name:literal : $about:literal;)*) => {
        list!(@count 0; $($place = $about;)*);

        /// The reward terms, in order.
        pub fn terms() -> Vec<Term> {
            vec![$(Term::new(TermKind::$kind, $name, $about)),*]
        }
    };
    (@count $at:expr;) => {};
    (@count $at:expr; $place:ident = $about:literal; $($rest:tt)*) => {
        #[doc = $about]
        pub const $place: usize = $at;
        list!(@count $at + 1; $($rest)*);
    };
}

list! {
    KILL = Event "kill": "1 for an infected killed";
    DAMAGE_DEALT = Event "damage_dealt": "health taken from infected";
    DAMAGE_TAKEN = Event "damage_taken": "health lost; the weight has the sign";
    HEAL_TEAMMATE = Event "heal_teammate": "1 for a fellow healed, helped up, brought back or freed";
    INCAPPED = Event "incapped": "1 for going down";
    DEATH = Event "death": "1 for dying";
    SAFE_ROOM = Outcome "safe_room": "1 for everybody who is where they wanted to go at the end";
    SURVIVAL = Shaping "survival": "1 a step alive";
    PROXIMITY_TO_TEAM = Shaping "proximity_to_team": "1 a step with a fellow within 500 units";
    PROGRESS = Shaping "progress": "100 units nearer to the goal than ever before in the match";
    TEAM_PROGRESS = Shaping "team_progress": "the same, by whoever is last";
    SPECIAL_KILL = Event "special_kill": "1 for a special, a witch or a tank killed";
    RESCUE = Event "rescue": "1 for freeing, helping up or bringing back a fellow";
    FRIENDLY_FIRE = Event "friendly_fire": "health taken from fellows";
    ITEM = Event "item": "1 for something taken";
    LOST = Outcome "lost": "1 for everybody when nobody is left on their feet";
    HARM = Event "harm": "infected: health taken from survivors";
    DOWNED = Event "downed": "infected: 1 for a survivor that went down by it";
    KILLED = Event "killed": "infected: 1 for a survivor that died by it";
    CAUGHT = Event "caught": "infected: 1 for a survivor caught or biled";
    DIED = Event "died": "infected: 1 for its own death";
    WIPED = Outcome "wiped": "infected: 1 when the survivors are lost";
    STRESS = Shaping "stress": "director: how near stress is to the target, 1 at it and 0 when farthest";
    PACING = Shaping "pacing": "director: 1 a step in which it rises when low and falls when high";
    RUIN = Event "ruin": "director: 1 for a survivor who died, or was down when all were";
}
