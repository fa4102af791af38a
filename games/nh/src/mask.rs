//! What a side may do: the 45 flags of the contract.

use crate::contract::{ACTIONS, OFFSETS};
use crate::kinds::{FightType, Skill, Spellbook};
use crate::offers::{Offers, in_melee_range};
use crate::sim::act::{corners, sides};
use crate::sim::fighter::Fighter;
use crate::sim::path::Tile;
use crate::sim::supplies::{self, Pantry};
use crate::sim::timers::Timer;
use crate::sim::{Fight, other};

/// A mask: heads side by side, `true` is legal.
pub type Mask = [bool; ACTIONS];

impl Fight {
    /// Everything that `who` may do.
    pub fn mask(&self, who: usize, offers: &Offers) -> Mask {
        let (me, foe) = (&self.fighters[who], &self.fighters[other(who)]);
        let ready = me.timers.ahead(Timer::Attack) == 0;
        let mut mask = [false; ACTIONS];
        let mut at = 0;
        let mut put = |legal: bool| {
            mask[at] = legal;
            at += 1;
        };
        put(!ready);
        put(offers.blood || offers.ice || offers.magic_special);
        put(offers.ranged || offers.ranged_special);
        put(offers.melee || offers.melee_special);
        [true, offers.melee, offers.melee_special].into_iter().for_each(&mut put);
        [true, offers.ranged, offers.ranged_special].into_iter().for_each(&mut put);
        [true, offers.ice, offers.blood, offers.magic_special].into_iter().for_each(&mut put);
        let pantry = Pantry::of(me);
        potions(me, &pantry).into_iter().for_each(&mut put);
        [true, may_eat(me, &pantry)].into_iter().for_each(&mut put);
        [true, may_eat_karambwan(me, &pantry)].into_iter().for_each(&mut put);
        put(true);
        put(me.timers.ahead(Timer::Vengeance) == 0 && me.book == Spellbook::Lunar);
        put(true);
        put(foe.timers.ahead(Timer::Attack) == 0);

        let may_move =
            me.timers.ahead(Timer::Freeze) == 0 && (self.switches[who].move_when_ready || !ready);
        let seen = self.memories[who].seen;
        let far = FarTiles::around(seen, me.at);
        put(true);
        put(may_move && elsewhere(me.at, &sides(seen)));
        put(may_move && foe.timers.ahead(Timer::Freeze) > 0 && me.at != seen);
        // The server forgets the seventh tile here.
        put(may_move && far.0[..5].iter().any(|&open| open));
        put(may_move && elsewhere(me.at, &corners(seen)));
        put(true);
        far.0.into_iter().for_each(&mut put);
        self.prayers(who, &pantry).into_iter().for_each(&mut put);
        mask
    }

    fn prayers(&self, who: usize, pantry: &Pantry) -> [bool; 6] {
        let (me, foe) = (&self.fighters[who], &self.fighters[other(who)]);
        let switches = &self.switches[who];
        let points = me.level(Skill::Prayer) > 0;
        let threatened = foe.timers.ahead(Timer::Attack) == 0;
        let protect = points && (threatened || !switches.prayer_when_attackable);
        let free = |fighter: &Fighter| fighter.timers.ahead(Timer::Freeze) == 0;
        let melee = free(me) || free(foe) || in_melee_range(me, foe);
        let strict = self.fight_type == FightType::Lms;
        // Sharks do not count here either.
        let hungry = pantry.anglerfish == 0 && pantry.karambwans == 0 && pantry.doses[0] == 0;
        [
            false,
            protect && !self.memories[who].lunar,
            protect,
            protect && melee,
            points && switches.smite && !strict && me.timers.ahead(Timer::Attack) == 0,
            points
                && switches.redemption
                && !strict
                && hungry
                && (me.queue.ticks() >= 0 || threatened),
        ]
    }
}

/// Is the nearest of these tiles another than the one stood on? Only a tile stood on is at no
/// distance, so nearness needs no search.
fn elsewhere(at: Tile, tiles: &[Tile]) -> bool {
    tiles.iter().any(|tile| tile.wilderness()) && !tiles.contains(&at)
}

/// Which of the distances from 2 to 7 have a tile to go to.
struct FarTiles([bool; 6]);

impl FarTiles {
    fn around(target: Tile, at: Tile) -> Self {
        let stood = target.distance(at);
        Self(std::array::from_fn(|index| {
            let distance = index as i16 + 2;
            // A tile of the ring lies in the Wilderness unless all of it lies south of the border.
            stood != distance && target.offset(0, distance).wilderness()
        }))
    }
}

fn potions(me: &Fighter, pantry: &Pantry) -> [bool; 5] {
    let free = me.timers.ahead(Timer::Potion) == 0;
    let [have_brew, have_restore, have_combat, have_ranging] =
        pantry.doses.map(|doses| free && doses > 0);
    let defence = me.max_level(Skill::Defence);
    let brew = me.level(Skill::Defence) < defence + supplies::brew_defence(defence) - 1
        || me.hp() <= me.max_hp();
    let lowered = |skill: Skill| me.level(skill) < me.max_level(skill);
    let restore = [
        Skill::Attack,
        Skill::Defence,
        Skill::Strength,
        Skill::Ranged,
        Skill::Magic,
        Skill::Prayer,
    ]
    .into_iter()
    .any(lowered);
    // One level is not worth a dose.
    let combat = [Skill::Attack, Skill::Defence, Skill::Strength].into_iter().any(|skill| {
        let max = me.max_level(skill);
        max + supplies::combat_boost(max) > me.level(skill) + 1
    });
    let ranged = me.max_level(Skill::Ranged);
    let ranging = ranged + supplies::ranging_boost(ranged) > me.level(Skill::Ranged) + 1;
    [
        true,
        brew && have_brew,
        restore && have_restore,
        combat && have_combat,
        ranging && have_ranging,
    ]
}

fn may_eat(me: &Fighter, pantry: &Pantry) -> bool {
    // Anglerfish may heal over the top, but not twice.
    let hungry = me.hp() < me.max_hp() || (me.hp() == me.max_hp() && pantry.eats_anglerfish());
    me.timers.ahead(Timer::Food) == 0 && hungry && pantry.sharks + pantry.anglerfish > 0
}

fn may_eat_karambwan(me: &Fighter, pantry: &Pantry) -> bool {
    me.timers.ahead(Timer::Karambwan) == 0 && me.hp() < me.max_hp() && pantry.karambwans > 0
}

/// The flags of one head.
pub fn head(mask: &Mask, head: usize) -> &[bool] {
    let end = OFFSETS.get(head + 1).copied().unwrap_or(ACTIONS);
    &mask[OFFSETS[head]..end]
}
