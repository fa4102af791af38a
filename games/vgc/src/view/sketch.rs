//! The fixed part of a view: what is asked, the field, both sides, those in battle, the bench and the preview.

use crate::outlook::TEAM;
use crate::state::{Side, SideConditions, Terrain, Weather};

use super::sink::Sink;
use super::{Scene, View, place};

const WEATHERS: [&str; 7] =
    ["sun", "rain", "sand", "snow", "harsh_sun", "heavy_rain", "strong_winds"];
const TERRAINS: [&str; 4] =
    ["electric_terrain", "grassy_terrain", "misty_terrain", "psychic_terrain"];
const OWN: [&str; TEAM] = ["own_1", "own_2", "own_3", "own_4", "own_5", "own_6"];
const FOES: [&str; TEAM] = ["foe_1", "foe_2", "foe_3", "foe_4", "foe_5", "foe_6"];
const DEALT: [&str; TEAM] = ["deals_1", "deals_2", "deals_3", "deals_4", "deals_5", "deals_6"];
const TAKEN: [&str; TEAM] = ["takes_1", "takes_2", "takes_3", "takes_4", "takes_5", "takes_6"];

/// Writes all of it.
pub fn fixed(sink: &mut impl Sink, scene: &Scene, view: View) {
    asked(sink, scene);
    field(sink, scene);
    let (own, foes) = (scene.battle.own(), scene.battle.foe());
    for (scope, one) in [("own_side", own), ("foe_side", foes)] {
        sink.enter(scope);
        side(sink, one);
        sink.leave();
    }
    for (at, scope) in ["own_first", "own_second"].into_iter().enumerate() {
        sink.enter(scope);
        place::own(sink, scene, at, view);
        sink.leave();
    }
    for (at, scope) in ["foe_first", "foe_second"].into_iter().enumerate() {
        sink.enter(scope);
        place::foe(sink, scene, at, view);
        sink.leave();
    }
    for (at, scope) in [(2, "bench_third"), (3, "bench_fourth")] {
        sink.enter(scope);
        place::bench(sink, scene, at, view);
        sink.leave();
    }
    preview(sink, scene, view);
}

fn asked(sink: &mut impl Sink, scene: &Scene) {
    let forced = |place: usize| scene.request.force_switch.get(place) == Some(&true);
    sink.flag("asked_preview", scene.legal.preview);
    let turn = !scene.legal.preview
        && scene.request.force_switch.is_empty()
        && !scene.request.active.is_empty();
    sink.flag("asked_turn", turn && !scene.request.wait);
    sink.flag("asked_switch_first", forced(0));
    sink.flag("asked_switch_second", forced(1));
    sink.number("turn", scene.battle.turn as f32 / 30.0);
}

fn field(sink: &mut impl Sink, scene: &Scene) {
    let field = &scene.battle.field;
    let weather = field.weather.map(|weather| match weather {
        Weather::Sun => 0,
        Weather::Rain => 1,
        Weather::Sand => 2,
        Weather::Snow => 3,
        Weather::HarshSun => 4,
        Weather::HeavyRain => 5,
        Weather::StrongWinds => 6,
    });
    let terrain = field.terrain.map(|terrain| match terrain {
        Terrain::Electric => 0,
        Terrain::Grassy => 1,
        Terrain::Misty => 2,
        Terrain::Psychic => 3,
    });
    sink.one_of(&WEATHERS, weather);
    sink.number("weather_turns", f32::from(field.weather_turns) / 8.0);
    sink.one_of(&TERRAINS, terrain);
    sink.number("terrain_turns", f32::from(field.terrain_turns) / 8.0);
    sink.number("trick_room", f32::from(field.trick_room) / 5.0);
    sink.number("gravity", f32::from(field.gravity) / 5.0);
    sink.number("magic_room", f32::from(field.magic_room) / 5.0);
    sink.number("wonder_room", f32::from(field.wonder_room) / 5.0);
    sink.flag("fairy_lock", field.fairy_lock > 0);
}

fn side(sink: &mut impl Sink, side: &Side) {
    let SideConditions {
        reflect,
        light_screen,
        aurora_veil,
        tailwind,
        safeguard,
        mist,
        spikes,
        toxic_spikes,
        stealth_rock,
        sticky_web,
        ..
    } = side.conditions;
    let turns = |left: u8, most: f32| f32::from(left) / most;
    sink.number("reflect", turns(reflect, 8.0));
    sink.number("light_screen", turns(light_screen, 8.0));
    sink.number("aurora_veil", turns(aurora_veil, 8.0));
    sink.number("tailwind", turns(tailwind, 4.0));
    sink.number("safeguard", turns(safeguard, 5.0));
    sink.number("mist", turns(mist, 5.0));
    sink.number("spikes", turns(spikes, 3.0));
    sink.number("toxic_spikes", turns(toxic_spikes, 2.0));
    sink.flag("stealth_rock", stealth_rock);
    sink.flag("sticky_web", sticky_web);
    sink.flag("gimmick_used", side.gimmick_used);
    let fallen = side.team.iter().filter(|one| one.fainted).count();
    let shown = side.team.iter().filter(|one| one.revealed);
    sink.number("fallen", fallen as f32 / 4.0);
    sink.number("revealed", shown.clone().count() as f32 / 4.0);
    // Those not shown yet are whole.
    let lost: f32 = shown.map(|one| 1.0 - one.health()).sum();
    sink.number("health_lost", lost / 4.0);
    for (place, name) in ["wish_first", "wish_second"].into_iter().enumerate() {
        sink.flag(name, side.places[place].wish > 0);
    }
    for (place, name) in ["future_attack_first", "future_attack_second"].into_iter().enumerate() {
        sink.number(name, turns(side.places[place].future_attack, 3.0));
    }
}

/// What a preview is chosen by; all zero at other times but for who is there.
fn preview(sink: &mut impl Sink, scene: &Scene, view: View) {
    for (scopes, one) in [(OWN, scene.battle.own()), (FOES, scene.battle.foe())] {
        for (at, scope) in scopes.into_iter().enumerate() {
            let known = one.team.get(at);
            sink.enter(scope);
            if view == View::Entities {
                sink.species("species", known.map(|known| known.base_species).unwrap_or_default());
            }
            sink.flag("left", known.is_some_and(|known| !known.fainted && !known.left_behind));
            sink.leave();
        }
    }
    for (own, scope) in OWN.into_iter().enumerate() {
        sink.enter(scope);
        for (foe, (dealt, taken)) in DEALT.into_iter().zip(TAKEN).enumerate() {
            let shares =
                scene.matchups.as_ref().map(|all| (all.dealt[own][foe], all.taken[own][foe]));
            sink.number(dealt, shares.map_or(0.0, |shares| shares.0));
            sink.number(taken, shares.map_or(0.0, |shares| shares.1));
        }
        sink.leave();
    }
}
