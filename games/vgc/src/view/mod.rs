//! What a network sees of a battle.
//!
//! Two views of the same: `entities` shows twelve Pokémon as a set, with ids that a network embeds, and beside
//! them what stands at a fixed place: what is asked, the field, those in battle by place, the bench in the
//! order of the choices. `flat` is the second part alone with types in place of ids, for simple nets. A set
//! does not tell its order, so whatever a head must know about *its* place stands in the fixed part.
//!
//! One description of the numbers (`sketch`) is run twice: by a sink that collects names, which is the spec,
//! and by one that writes values. So the two cannot differ.

mod entity;
mod place;
mod sink;
mod sketch;

use lanista_game::Group;

use crate::format::FORMATS;
use crate::legal::Legal;
use crate::outlook::{Matchups, Outlook};
use crate::request::Request;
use crate::state::{Battle, Pokemon};

use sink::{Names, Numbers};

/// Pokémon of both teams.
pub const POKEMON: usize = 12;

/// Which view a network has.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum View {
    /// Twelve Pokémon as entities with ids, and the fixed part.
    #[default]
    Entities,
    /// Plain numbers alone.
    Flat,
}

/// The groups of a view.
pub fn spec(view: View) -> Vec<Group> {
    let battle = Battle::new(&FORMATS[0], 0);
    let request = Request::default();
    let legal = Legal::new(&request, &battle);
    let scene = Scene::new(&battle, &request, &legal);
    let mut fixed = Names::default();
    sketch::fixed(&mut fixed, &scene, view);
    let fixed = Group::features(fixed.features);
    match view {
        View::Flat => vec![fixed],
        View::Entities => {
            let mut one = Names::default();
            entity::write(&mut one, &scene, entity::Who { side: 0, index: 0 }, &Pokemon::default());
            vec![fixed, Group::entities("pokemon", POKEMON, one.features)]
        }
    }
}

/// How many numbers a view has.
pub fn len(view: View) -> usize {
    spec(view).iter().map(Group::len).sum()
}

/// Writes what is seen, `[len(view)]`.
///
/// # Panics
/// If `out` is not as long as the view.
pub fn write(view: View, battle: &Battle, request: &Request, legal: &Legal, out: &mut [f32]) {
    let scene = Scene::new(battle, request, legal);
    out.fill(0.0);
    let mut numbers = Numbers::new(out);
    sketch::fixed(&mut numbers, &scene, view);
    let rest = numbers.rest();
    if view == View::Flat {
        assert!(rest.is_empty(), "{} numbers too many for a flat view", rest.len());
        return;
    }
    let stride = rest.len() / POKEMON;
    assert!(
        stride > 1 && stride * POKEMON == rest.len(),
        "the view of entities is of another size"
    );
    let own = |index: usize| (battle.me, index);
    let foe = |index: usize| (1 - battle.me, index);
    let everybody = (0..POKEMON / 2).map(own).chain((0..POKEMON / 2).map(foe));
    for ((side, index), slot) in everybody.zip(rest.chunks_exact_mut(stride)) {
        if let Some(pokemon) = battle.sides[side].team.get(index) {
            slot[0] = 1.0;
            let mut numbers = Numbers::new(&mut slot[1..]);
            entity::write(&mut numbers, &scene, entity::Who { side, index }, pokemon);
            assert!(numbers.rest().is_empty(), "an entity has other numbers than the spec says");
        }
    }
}

/// What a view is made of.
pub(crate) struct Scene<'a> {
    pub battle: &'a Battle,
    pub request: &'a Request,
    pub legal: &'a Legal,
    pub look: Outlook,
    /// At a preview alone: it is dear, and nobody asks for it later.
    pub matchups: Option<Matchups>,
}

impl<'a> Scene<'a> {
    fn new(battle: &'a Battle, request: &'a Request, legal: &'a Legal) -> Self {
        let matchups = legal.preview.then(|| Matchups::new(battle));
        Self { battle, request, legal, look: Outlook::new(battle, request), matchups }
    }
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
