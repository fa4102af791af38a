//! Those in battle, and the bench, each at its fixed place.

use crate::choice::{SLOT, SWITCH};
use crate::dex::MoveId;
use crate::outlook::{ALLY, Hit};
use crate::state::Pokemon;

use super::entity::{MOVE_SCOPES, move_facts, stages, status, type_flags};
use super::sink::Sink;
use super::{Scene, View};

/// One of one's own in battle, with all that its head chooses from.
pub fn own(sink: &mut impl Sink, scene: &Scene, place: usize, view: View) {
    let absent = Pokemon::default();
    let fighter = &scene.look.own[place];
    let index = fighter.index.filter(|_| fighter.alive && place_is_taken(scene, place));
    let one = index.map_or(&absent, |index| &scene.battle.own().team[index]);
    let there = index.is_some();
    let speed = if there { fighter.speed.max(1.0) } else { 0.0 };
    body(sink, scene, one, speed, view);
    let offers = scene.legal.slots[place];
    let active = scene.request.active.get(place).and_then(Option::as_ref);
    sink.flag("can_change", (0..SWITCH).any(|number| number / 5 % 2 == 1 && offers[number]));
    sink.flag("trapped", active.is_some_and(|active| active.trapped));
    sink.flag("fresh", there && fighter.fresh);
    sink.number("protects", if there { fighter.stalls } else { 0.0 });
    sink.number("acts", if there { fighter.acts } else { 0.0 });
    for (by, scope) in MOVE_SCOPES.iter().enumerate() {
        let deed = Some(&fighter.moves[by]).filter(|deed| there && deed.id.is_known());
        sink.enter(scope);
        if view == View::Entities {
            sink.a_move("id", deed.map_or(MoveId::UNKNOWN, |deed| deed.id));
        }
        sink.flag("usable", there && offers[10 * by..10 * by + 10].contains(&true));
        move_facts(sink, deed);
        for (foe, scope) in ["first_foe", "second_foe"].into_iter().enumerate() {
            let hit = if there { scene.look.dealt[place][by][foe] } else { Hit::default() };
            let hp = scene.look.foes[foe].hp;
            sink.enter(scope);
            sink.number("least", hit.min);
            sink.number("most", hit.max);
            sink.number("fells", hit.chance * hit.fells(hp));
            sink.leave();
        }
        let ally = if there { scene.look.dealt[place][by][ALLY] } else { Hit::default() };
        sink.number("on_ally", ally.expected());
        sink.leave();
    }
    for (foe, scope) in ["first_foe", "second_foe"].into_iter().enumerate() {
        sink.enter(scope);
        let worst = if there { scene.look.worst(foe, place) } else { Hit::default() };
        sink.number("deals", worst.expected());
        sink.number("fells", worst.chance * worst.fells(one.health()));
        sink.flag(
            "is_slower",
            there && scene.look.foes[foe].alive && scene.look.outspeeds(place, foe),
        );
        sink.leave();
    }
}

/// Is somebody in battle there? During a preview nobody is.
fn place_is_taken(scene: &Scene, place: usize) -> bool {
    scene.battle.own().active[place].is_some() && !scene.legal.preview
}

/// A foe in battle.
pub fn foe(sink: &mut impl Sink, scene: &Scene, place: usize, view: View) {
    let absent = Pokemon::default();
    let fighter = &scene.look.foes[place];
    let index = fighter.index.filter(|_| fighter.alive);
    let one = index.map_or(&absent, |index| &scene.battle.foe().team[index]);
    let speed = if index.is_some() { fighter.speed.max(1.0) } else { 0.0 };
    body(sink, scene, one, speed, view);
    sink.number("moves_known", one.moves.len() as f32 / 4.0);
    sink.number("acts", if index.is_some() { fighter.acts } else { 0.0 });
    sink.flag("fresh", index.is_some() && fighter.fresh);
    sink.number("protects", if index.is_some() { fighter.stalls } else { 0.0 });
}

/// What is shown of anybody in battle: of nobody, whose speed is 0, nothing.
fn body(sink: &mut impl Sink, scene: &Scene, one: &Pokemon, speed: f32, view: View) {
    sink.flag("present", speed > 0.0);
    match view {
        View::Entities => {
            sink.species("species", one.species);
            sink.item("item", one.item);
            sink.ability("ability", one.ability);
            sink.kind("tera_type", one.tera_type);
        }
        View::Flat => type_flags(sink, scene, one),
    }
    sink.number("hp", one.health());
    status(sink, one);
    stages(sink, one);
    sink.flag("terastallized", one.terastallized || one.mega);
    sink.number("speed", speed / 400.0);
    let under = &one.volatiles;
    sink.flag("substitute", under.substitute);
    sink.flag("confused", under.confusion);
    sink.number("taunt", f32::from(under.taunt) / 3.0);
    sink.number("encore", f32::from(under.encore) / 3.0);
    sink.flag("away", under.two_turn.is_known());
}

/// One on the bench by its place in the request: what a switch would bring in.
pub fn bench(sink: &mut impl Sink, scene: &Scene, at: usize, view: View) {
    let absent = Pokemon::default();
    let fighter = &scene.look.own[at];
    let index = fighter.index.filter(|_| fighter.alive && !scene.legal.preview);
    let one = index.map_or(&absent, |index| &scene.battle.own().team[index]);
    sink.flag("present", index.is_some());
    match view {
        View::Entities => {
            sink.species("species", one.species);
            sink.item("item", one.item);
            sink.kind("tera_type", one.tera_type);
        }
        View::Flat => type_flags(sink, scene, one),
    }
    sink.number("hp", one.health());
    status(sink, one);
    sink.number("speed", if index.is_some() { fighter.speed / 400.0 } else { 0.0 });
    let number = SWITCH + at;
    sink.flag("can_come", number < SLOT && (0..2).any(|place| scene.legal.slots[place][number]));
    for (foe, scope) in ["first_foe", "second_foe"].into_iter().enumerate() {
        let there = index.is_some();
        let hits = if there {
            (scene.look.best(at, foe), scene.look.worst(foe, at))
        } else {
            Default::default()
        };
        sink.enter(scope);
        sink.number("takes", hits.0.expected());
        sink.number("deals", hits.1.expected());
        sink.flag(
            "is_slower",
            there && scene.look.foes[foe].alive && scene.look.outspeeds(at, foe),
        );
        sink.leave();
    }
}
