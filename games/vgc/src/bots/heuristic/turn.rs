//! A turn played through in expectation.

use crate::legal::Legal;
use crate::outlook::{ALLY, BROUGHT, Changed, Deed, Fighter, Hit, Outlook, Purpose, names};
use crate::request::Request;
use crate::state::{Battle, Status};

use super::super::offered;
use super::act::{Act, PLACES};
use super::replies::{KEPT, Replies, replies};
use super::worth::{self, Taste};

/// What does not change from one thought to the next.
pub struct Scene<'a> {
    battle: &'a Battle,
    taste: Taste,
    look: Outlook,
    changed: [Option<Changed>; 2],
    replies: [Replies; 2],
    /// The most that each of one's own does to each foe, and takes from it; then the same of the two that
    /// could change.
    best: [[f32; 2]; BROUGHT + 2],
    worst: [[f32; 2]; BROUGHT + 2],
    /// What a life is worth on each side: more, the fewer are left.
    stakes: [f32; 2],
    /// Replacements alone are asked for: foes do nothing.
    between_turns: bool,
}

/// How a thought stands: expected health, and the chance to live, of those in battle.
#[derive(Clone, Copy)]
struct Thought {
    who: [usize; 2],
    changes: [bool; 2],
    hp: [f32; PLACES],
    alive: [f32; PLACES],
    acts: [f32; PLACES],
    shield: [f32; PLACES],
    help: [f32; PLACES],
    wide: [f32; 2],
    quick: [f32; 2],
    follow: [Option<usize>; 2],
    /// What stages are worth to each, if it lives.
    gain: [f32; PLACES],
    bonus: f32,
}

impl<'a> Scene<'a> {
    /// What can be known before anything is tried.
    pub fn new(battle: &'a Battle, request: &Request, legal: &Legal, taste: Taste) -> Self {
        let look = Outlook::new(battle, request);
        let changed = [0, 1].map(|place| {
            let may = offered(legal, place)
                .any(|n| matches!(Act::of(n), Act::Move { changes: true, .. }));
            if may { look.changed(battle, place) } else { None }
        });
        let replies = [0, 1].map(|foe| replies(battle, &look, foe, taste.temper));
        let (mut best, mut worst) = ([[0.0; 2]; BROUGHT + 2], [[0.0; 2]; BROUGHT + 2]);
        for foe in 0..2 {
            for own in 0..BROUGHT {
                best[own][foe] = look.best(own, foe).expected();
                worst[own][foe] = look.worst(foe, own).expected();
            }
            for place in 0..2 {
                if let Some(changed) = &changed[place] {
                    let hits = changed.dealt.iter().map(|hits| hits[foe].expected());
                    best[BROUGHT + place][foe] = hits.fold(0.0, f32::max);
                    let foes = &look.foes[foe];
                    let hits = foes.chance.iter().zip(&changed.taken[foe]);
                    worst[BROUGHT + place][foe] = hits
                        .map(|(chance, hit)| chance.sqrt() * hit.expected())
                        .fold(0.0, f32::max);
                }
            }
        }
        let left = |side: usize| {
            let brought =
                if battle.sides[side].brought == 0 { 4 } else { battle.sides[side].brought };
            let fallen = battle.sides[side].team.iter().filter(|one| one.fainted).count();
            brought.saturating_sub(fallen).clamp(1, 4)
        };
        let stakes =
            [left(battle.me), left(1 - battle.me)].map(|left| 1.0 + 0.15 * (4 - left) as f32);
        let between_turns = !request.force_switch.is_empty();
        Self { battle, taste, look, changed, replies, best, worst, stakes, between_turns }
    }

    /// What a pair of choices is worth against what foes are likely to do.
    pub fn expect(&self, own: [Act; 2]) -> f32 {
        if self.between_turns {
            return self.play(own, [Act::Nothing; 2]);
        }
        let mut sum = 0.0;
        for first in 0..KEPT {
            for second in 0..KEPT {
                let ((first, a), (second, b)) = (self.replies[0][first], self.replies[1][second]);
                if a * b > 0.02 {
                    sum += a * b * self.play(own, [first, second]);
                }
            }
        }
        sum
    }

    /// What a pair of choices is worth against the likeliest replies alone.
    pub fn glance(&self, own: [Act; 2]) -> f32 {
        let likeliest = [self.replies[0][0].0, self.replies[1][0].0];
        self.play(own, if self.between_turns { [Act::Nothing; 2] } else { likeliest })
    }

    fn fighter(&self, thought: &Thought, place: usize) -> &Fighter {
        match (place, &self.changed) {
            (0 | 1, changed) if thought.changes[place] => {
                changed[place].as_ref().map_or(&self.look.own[place], |changed| &changed.fighter)
            }
            (0 | 1, _) => &self.look.own[thought.who[place]],
            _ => &self.look.foes[place - 2],
        }
    }

    fn begin(&self, own: [Act; 2]) -> Thought {
        let mut thought = Thought {
            who: [0, 1],
            changes: [false; 2],
            hp: [0.0; PLACES],
            alive: [0.0; PLACES],
            acts: [0.0; PLACES],
            shield: [0.0; PLACES],
            help: [1.0; PLACES],
            wide: [0.0; 2],
            quick: [0.0; 2],
            follow: [None; 2],
            gain: [0.0; PLACES],
            bonus: 0.0,
        };
        for place in 0..2 {
            match own[place] {
                Act::Switch(to) if to < BROUGHT => {
                    thought.who[place] = to;
                    thought.bonus += self.going(place, to);
                }
                Act::Move { changes: true, .. } if self.changed[place].is_some() => {
                    thought.changes[place] = true;
                    thought.bonus -= self.taste.gimmick;
                }
                _ => {}
            }
        }
        for place in 0..PLACES {
            let fighter = self.fighter(&thought, place);
            thought.alive[place] = if fighter.alive { 1.0 } else { 0.0 };
            thought.hp[place] = fighter.hp;
            thought.acts[place] = fighter.acts;
        }
        thought
    }

    /// What a change is worth beside who stands there then.
    fn going(&self, place: usize, to: usize) -> f32 {
        let (out, comes) = (&self.look.own[place], &self.look.own[to]);
        let known = names();
        let mut value = if self.between_turns { 0.0 } else { -self.taste.switching };
        if out.alive {
            let stages: f32 = out.stages.iter().map(|&stage| f32::from(stage)).sum();
            value -= 0.06 * stages;
            if out.ability == known.regenerator {
                value += 0.4 * (1.0 - out.hp).min(0.33);
            }
        }
        if comes.ability == known.intimidate {
            value += self
                .look
                .foes
                .iter()
                .filter(|foe| foe.alive)
                .map(|foe| 0.08 * foe.physical)
                .sum::<f32>();
        }
        value
    }

    fn play(&self, own: [Act; 2], foes: [Act; 2]) -> f32 {
        let mut thought = self.begin(own);
        let acts = [own[0], own[1], foes[0], foes[1]];
        let mut order = [(0i8, 0.0f32, 0usize); PLACES];
        let mut count = 0;
        for (place, act) in acts.iter().enumerate() {
            if let Act::Move { by, .. } = act {
                let fighter = self.fighter(&thought, place);
                let deed = &fighter.moves[*by];
                let speed = if self.look.reversed { -fighter.speed } else { fighter.speed };
                // Of equals foes go first: better to be surprised than to rely on luck.
                let speed = if place >= 2 { speed + 0.5 } else { speed };
                order[count] = (fighter.priority(deed, self.battle), speed, place);
                count += 1;
            }
        }
        let order = &mut order[..count];
        order.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
        for at in 0..count {
            let place = order[at].2;
            if let Act::Move { by, at: aim, .. } = acts[place] {
                let later = order[at + 1..].iter().map(|&(_, _, place)| place);
                let later = later.fold(0u8, |set, place| set | 1 << place);
                self.act(&mut thought, place, by, aim, order[at].0, &acts, later);
            }
        }
        self.value(&thought)
    }

    /// One acts. `later` are the places that have not acted yet, as bits.
    #[allow(clippy::too_many_arguments)] // a turn in progress is all of them
    fn act(
        &self,
        thought: &mut Thought,
        place: usize,
        by: usize,
        aim: Option<usize>,
        priority: i8,
        acts: &[Act; PLACES],
        later: u8,
    ) {
        let fighter = self.fighter(thought, place);
        let deed = &fighter.moves[by];
        let chance = thought.alive[place] * thought.acts[place];
        if chance < 0.01 || (deed.first_turn && !fighter.fresh) {
            return;
        }
        let (side, ally) = (place / 2, place ^ 1);
        let sign = if side == 0 { 1.0 } else { -1.0 };
        match deed.purpose {
            Purpose::Protect => {
                thought.shield[place] = chance * fighter.stalls;
                thought.bonus -= sign * self.taste.stalling;
                return;
            }
            Purpose::WideGuard => return thought.wide[side] = chance,
            Purpose::QuickGuard => return thought.quick[side] = chance,
            Purpose::FollowMe | Purpose::RagePowder => {
                if chance > 0.5 {
                    thought.follow[side] = Some(place);
                }
                return;
            }
            Purpose::HelpingHand => {
                if later & 1 << ally != 0 {
                    thought.help[ally] = 1.0 + 0.5 * chance;
                }
                return;
            }
            Purpose::Heal => {
                thought.hp[place] = (thought.hp[place] + chance * deed.heal).min(1.0);
                return;
            }
            Purpose::HealAlly => {
                let healed = aim.filter(|&at| at / 2 == side).unwrap_or(ally);
                thought.hp[healed] = (thought.hp[healed] + chance * deed.heal).min(1.0);
                return;
            }
            _ => {}
        }
        if deed.attacks() {
            self.attack(thought, place, fighter, by, aim, (chance, priority), acts, later);
        } else {
            self.afflict(thought, place, fighter, deed, aim, chance);
        }
        let raised = worth::raised(deed, fighter);
        if raised != 0.0 {
            thought.gain[place] += chance * raised;
        }
        if deed.self_destruct {
            thought.alive[place] *= 1.0 - chance;
        }
        if deed.self_switch && deed.attacks() {
            thought.bonus += sign * chance * 0.04;
        }
    }

    /// Whom a move aimed at a place reaches in the end, each with its share: the aimed one if it lives, else
    /// the one beside it.
    fn reached(
        &self,
        thought: &Thought,
        user: usize,
        deed: &Deed,
        aim: Option<usize>,
    ) -> [(usize, f32); 2] {
        let foes = (1 - user / 2) * 2;
        if deed.spreads() {
            return [(foes, 1.0), (foes + 1, 1.0)];
        }
        let Some(mut at) = aim else {
            return [(foes, 0.5), (foes + 1, 0.5)];
        };
        if at / 2 == user / 2 {
            return [(at, 1.0), (at, 0.0)];
        }
        if let Some(follow) = thought.follow[at / 2] {
            let powder = self.fighter(thought, user).shrugs_powder();
            let turns = !powder
                || self
                    .fighter(thought, follow)
                    .moves
                    .iter()
                    .any(|d| d.purpose == Purpose::FollowMe);
            if turns && thought.alive[follow] > 0.3 {
                at = follow;
            }
        }
        [(at, thought.alive[at]), (at ^ 1, 1.0 - thought.alive[at])]
    }

    fn hit(&self, thought: &Thought, from: usize, by: usize, to: usize) -> Hit {
        match (from / 2, to / 2) {
            (0, side) => {
                let target = if side == 0 { ALLY } else { to - 2 };
                match &self.changed[from] {
                    Some(changed) if thought.changes[from] => changed.dealt[by.min(3)][target],
                    _ => self.look.dealt[from][by.min(3)][target],
                }
            }
            (_, 0) => match &self.changed[to] {
                Some(changed) if thought.changes[to] => changed.taken[from - 2][by],
                _ => self.look.taken[from - 2][by][thought.who[to]],
            },
            // What foes do to each other is not reckoned.
            _ => Hit::default(),
        }
    }

    #[allow(clippy::too_many_arguments)] // a turn in progress is all of them
    fn attack(
        &self,
        thought: &mut Thought,
        place: usize,
        fighter: &Fighter,
        by: usize,
        aim: Option<usize>,
        (chance, priority): (f32, i8),
        acts: &[Act; PLACES],
        later: u8,
    ) {
        let deed = &fighter.moves[by];
        let mut strikes = [(0, 0.0); 3];
        strikes[..2].copy_from_slice(&self.reached(thought, place, deed, aim));
        if deed.target == crate::dex::Target::AllAdjacent {
            strikes[2] = (place ^ 1, 1.0);
        }
        for (to, share) in strikes {
            if share < 0.01 || thought.alive[to] < 0.01 {
                continue;
            }
            let hit = self.hit(thought, place, by, to);
            if to == place ^ 1 && aim == Some(to) {
                thought.bonus -= chance * worth::BETRAYAL;
            }
            if hit.max <= 0.0 {
                continue;
            }
            if deed.needs_attack {
                let attacks = match acts[to] {
                    Act::Move { by, .. } => self.fighter(thought, to).moves[by].attacks(),
                    _ => false,
                };
                if !attacks || later & 1 << to == 0 {
                    continue;
                }
            }
            let pierces =
                !deed.protectable || (deed.contact && fighter.ability == names().unseen_fist);
            let mut blocked = if pierces { 0.0 } else { thought.shield[to] };
            if deed.spreads() {
                blocked = blocked.max(thought.wide[to / 2]);
            }
            if priority > 0 {
                blocked = blocked.max(thought.quick[to / 2]);
            }
            // A move that loads or rests takes two turns for its damage.
            let tempo = if deed.slow { 0.5 } else { 1.0 };
            let weight = (chance * share * hit.chance * (1.0 - blocked)).min(1.0);
            self.strike(
                thought,
                place,
                to,
                deed,
                hit.times(thought.help[place] * tempo),
                weight,
                later,
            );
        }
    }

    #[allow(clippy::too_many_arguments)] // a turn in progress is all of them
    fn strike(
        &self,
        thought: &mut Thought,
        from: usize,
        to: usize,
        deed: &Deed,
        hit: Hit,
        weight: f32,
        later: u8,
    ) {
        let target = self.fighter(thought, to);
        let hp = thought.hp[to];
        let known = names();
        let sash = (target.item == known.focus_sash || target.ability == known.sturdy)
            && hp > 0.99
            && deed.hits < 1.5;
        let fells = if sash { 0.0 } else { hit.fells(hp) };
        let taken = hit.mean().min(hp);
        let sign = if to / 2 == 1 { 1.0 } else { -1.0 };
        let alive = thought.alive[to];
        let flinch = if target.flinches() && later & 1 << to != 0 { deed.flinch } else { 0.0 };
        thought.bonus += sign
            * weight
            * alive
            * (1.0 - fells)
            * (deed.ails * worth::AILS + worth::lowered(deed, target));
        thought.alive[to] = alive * (1.0 - weight * fells);
        thought.hp[to] = (hp - weight * taken).max(0.01);
        thought.acts[to] *= 1.0 - weight * flinch;
        if deed.drain != 0.0 {
            thought.hp[from] =
                (thought.hp[from] + weight * taken * deed.drain * 0.8).clamp(0.01, 1.0);
        }
    }

    /// A status move.
    fn afflict(
        &self,
        thought: &mut Thought,
        place: usize,
        fighter: &Fighter,
        deed: &Deed,
        aim: Option<usize>,
        chance: f32,
    ) {
        let side = place / 2;
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let aimed = matches!(
            deed.purpose,
            Purpose::Sleep
                | Purpose::Yawn
                | Purpose::Burn
                | Purpose::Paralyse
                | Purpose::Poison
                | Purpose::Confuse
                | Purpose::Taunt
                | Purpose::Encore
                | Purpose::Disable
                | Purpose::LeechSeed
                | Purpose::Lower
        );
        if !aimed {
            let team = |side: usize| -> [&Fighter; 2] {
                [self.fighter(thought, 2 * side), self.fighter(thought, 2 * side + 1)]
            };
            let living =
                |side: usize| team(side).into_iter().filter(|one| one.alive).collect::<Vec<_>>();
            let side_number = if side == 0 { self.battle.me } else { 1 - self.battle.me };
            let value = worth::field(
                deed.purpose,
                self.battle,
                &living(side),
                &living(1 - side),
                side_number,
            );
            thought.bonus += sign * chance * value;
            return;
        }
        for (to, share) in self.reached(thought, place, deed, aim) {
            let target = self.fighter(thought, to);
            if share < 0.01 || thought.alive[to] < 0.01 {
                continue;
            }
            let side_number = if to / 2 == 0 { self.battle.me } else { 1 - self.battle.me };
            let takes = target.takes(deed, fighter, self.battle, side_number);
            let blocked = if deed.protectable { thought.shield[to] } else { 0.0 };
            let weight = chance * share * deed.accuracy * takes * (1.0 - blocked);
            let value = worth::ailment(deed.purpose, target) + worth::lowered(deed, target);
            // It is good for a side that the other suffers, and bad that its own does.
            let sign = if to / 2 == 1 { 1.0 } else { -1.0 };
            thought.bonus +=
                sign * weight * value * thought.alive[to] * (0.4 + 0.6 * thought.hp[to]);
            match deed.purpose {
                Purpose::Sleep => thought.acts[to] *= 1.0 - weight,
                Purpose::Paralyse => thought.acts[to] *= 1.0 - 0.25 * weight,
                _ => {}
            }
        }
    }

    /// What is left is worth.
    fn value(&self, thought: &Thought) -> f32 {
        let mut value = thought.bonus;
        for place in 0..PLACES {
            let (sign, stakes) =
                if place < 2 { (1.0, self.stakes[0]) } else { (-1.0, self.stakes[1]) };
            let (alive, hp) = (thought.alive[place], thought.hp[place]);
            value += sign * stakes * worth::body(self.taste.living, alive, hp);
            value += sign * thought.gain[place] * alive * (0.3 + 0.7 * hp);
            if self.fighter(thought, place).status == Status::Toxic {
                value -= sign * 0.05 * alive;
            }
        }
        // Those who go out are not lost: what they are worth goes to the bench.
        for place in 0..2 {
            if thought.who[place] != place {
                let out = &self.look.own[place];
                let comes = &self.look.own[thought.who[place]];
                let body = |one: &Fighter| {
                    if one.alive { worth::body(self.taste.living, 1.0, one.hp) } else { 0.0 }
                };
                value += self.stakes[0] * (body(out) - body(comes));
            }
        }
        value + self.taste.pressure * self.pressure(thought)
    }

    /// How both sides stand when the turn is over.
    fn pressure(&self, thought: &Thought) -> f32 {
        let row = |place: usize| {
            if thought.changes[place] { BROUGHT + place } else { thought.who[place] }
        };
        let mut sum = 0.0;
        for foe in 0..2 {
            let threat: f32 = (0..2).map(|own| thought.alive[own] * self.best[row(own)][foe]).sum();
            sum += thought.alive[2 + foe] * (threat / thought.hp[2 + foe].max(0.05)).min(1.0);
        }
        for own in 0..2 {
            let threat: f32 =
                (0..2).map(|foe| thought.alive[2 + foe] * self.worst[row(own)][foe]).sum();
            sum -= thought.alive[own] * (threat / thought.hp[own].max(0.05)).min(1.0);
            for foe in 0..2 {
                let both = thought.alive[own] * thought.alive[2 + foe];
                let speeds = (self.fighter(thought, own).speed, self.look.foes[foe].speed);
                let first =
                    if self.look.reversed { speeds.0 < speeds.1 } else { speeds.0 > speeds.1 };
                sum += both * if first { self.taste.faster } else { -self.taste.faster }
                    / self.taste.pressure;
            }
        }
        sum
    }
}
