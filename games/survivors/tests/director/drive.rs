//! Plays matches of `follower` survivors through the game's contract, with somebody in the director's seat.

use std::sync::Arc;

use lanista_game::{Buffers, Control, Game, Kind, Spec, seed};
use lanista_survivors::bots::SURVIVORS_BOTS;
use lanista_survivors::game::Survivors;
use lanista_survivors::settings::Settings;
use lanista_survivors::sim::director::Order;
use lanista_survivors::sim::world::{SURVIVORS, World};
use serde_json::Value;

/// One table, at which match after match is played.
pub struct Table {
    pub game: Survivors,
    pub spec: Arc<Spec>,
    buffers: Buffers,
    actions: Vec<u32>,
    director: Option<usize>,
    hurry: f32,
    /// The frames of the last match, if they are kept.
    pub frames: Option<Vec<String>>,
}

/// As fast as people who look into every room: a map of 4,000 units takes them five minutes.
pub const STROLL_UNITS_A_SEC: f32 = 13.0;

/// How a match went.
pub struct Played {
    stats: Vec<(String, f32)>,
}

impl Played {
    pub fn stat(&self, name: &str) -> f64 {
        let found = self.stats.iter().find(|(stat, _)| stat == name);
        f64::from(found.unwrap_or_else(|| panic!("no stat {name}")).1)
    }
}

impl Table {
    pub fn new(settings: Value) -> Self {
        let settings: Settings = serde_json::from_value(settings).unwrap();
        let director = settings.has_director_seat().then_some(SURVIVORS + settings.infected);
        let spec =
            Arc::new(Spec { name: Survivors::NAME.into(), ..Survivors::describe(&settings) });
        let game = Survivors::matches(settings, spec.clone(), 1).unwrap().pop().unwrap();
        let buffers = Buffers::new(&spec, 1);
        let actions = vec![0; spec.seats.len() * buffers.layout().heads];
        Self { game, spec, buffers, actions, director, hurry: f32::INFINITY, frames: None }
    }

    /// Lets followers wait wherever they would be farther along the way than at so many units a second.
    /// Without it they run through our maps in less time than there is between two mobs.
    pub fn strolling(self) -> Self {
        Self { hurry: STROLL_UNITS_A_SEC, ..self }
    }

    /// Feet stay where they are; eyes and hands do what they would.
    fn wait(&mut self, seat: usize) {
        let world = self.game.world();
        let flow = world.terrain.flow(world.survivors[seat].body.area);
        // The first step out of the start is free, so that there is a beginning.
        if flow < 200.0 + self.hurry * world.secs() {
            return;
        }
        let heads = &self.spec.role_of(seat).heads;
        let head = heads.iter().position(|head| head.name == "move").unwrap();
        let named = |name: &str| heads[head].actions.iter().position(|a| a == name).unwrap() as u32;
        let (on, stay) = (named("along_the_way"), named("stay"));
        let feet = &mut self.actions[seat * self.buffers.layout().heads + head];
        if *feet == on {
            *feet = stay;
        }
    }

    /// Plays a match. `order` is asked for every step, if there is a seat that orders; `watch` sees the world
    /// after every step.
    pub fn play(
        &mut self,
        match_seed: u64,
        mut order: impl FnMut(&World) -> Order,
        mut watch: impl FnMut(&World),
    ) -> Played {
        let follower = SURVIVORS_BOTS.iter().position(|&bot| bot == "follower").unwrap();
        let controls: Vec<Control> = (0..self.spec.seats.len())
            .map(|seat| match seat {
                _ if seat < SURVIVORS => Control::Bot(follower),
                _ if Some(seat) == self.director => Control::Outside,
                _ => Control::Bot(1),
            })
            .collect();
        self.game.reset(seed::mix(match_seed, 0x6469_7265), &controls);
        watch(self.game.world());
        let heads = self.buffers.layout().heads;
        loop {
            self.game.observe(&mut self.buffers.view(0));
            if let Some(frames) = &mut self.frames {
                let mut frame = String::new();
                self.game.frame(&mut frame);
                frames.push(frame);
            }
            for (seat, control) in controls.iter().enumerate() {
                if !self.buffers.acting[seat] {
                    continue;
                }
                let action = &mut self.actions[seat * heads..(seat + 1) * heads];
                match control {
                    Control::Bot(bot) => {
                        self.game.scripted(*bot, seat, action);
                        if self.hurry.is_finite() {
                            self.wait(seat);
                        }
                    }
                    _ => {
                        let room = self.buffers.layout().actions;
                        let mask = &self.buffers.mask[seat * room..][..Order::ALL.len()];
                        let world = self.game.world();
                        assert_eq!(mask, Order::ALL.map(|order| world.may_order(order)));
                        action[0] = order(world) as u32;
                    }
                }
            }
            let mut outcome = self.buffers.outcome(0);
            self.game.step(&self.actions, &mut outcome);
            let ended = outcome.end.is_some();
            let stats = outcome.stats.to_vec();
            watch(self.game.world());
            if ended {
                let names = self.spec.stats.iter().map(|stat| stat.name.clone());
                return Played { stats: names.zip(stats).collect() };
            }
        }
    }
}
