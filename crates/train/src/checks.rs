//! Whether a configuration can be trained: by itself, and with the game that it names. What is wrong is
//! said with the key and the place where it was written.

use lanista_game::Spec;
use lanista_league::Opponent;
use lanista_learn::ppo::MAX_HEADS;

use crate::config::{OPEN, RunConfig};
use crate::layers::{ConfigError, Layered, nearest};
use crate::noise::{self, Noise};
use crate::player::{Player, parse_player};
use crate::ranges;
use crate::roles::{RoleFault, RoleSettings};

impl RunConfig {
    /// Reads and checks the typed configuration, apart from what only the game can check.
    pub fn read(layered: &Layered) -> Result<Self, ConfigError> {
        let config: Self = layered.read(&OPEN)?;
        config.check(layered)?;
        Ok(config)
    }

    fn check(&self, layered: &Layered) -> Result<(), ConfigError> {
        let invalid = |key: &str, problem: String| Err(layered.invalid(key, problem));
        if self.game.is_empty() {
            return invalid("game", "no game is named; `lanista games` lists them".into());
        }
        ranges::check(self).map_err(|(key, problem)| layered.invalid(&key, problem))?;
        if self.policy.critic.shared && self.policy.critic.memory.is_some() {
            return invalid(
                "policy.critic.memory",
                "a shared critic uses the actor's memory; drop this or set policy.critic.shared=false"
                    .into(),
            );
        }
        let novel = self.ppo.novelty.values().into_iter().find(|&v| v != 0.0);
        if let (Some(weight), false) = (novel, self.policy.normalize_observations) {
            return invalid(
                "ppo.novelty",
                format!(
                    "{weight} needs to know what is usual: set policy.normalize_observations=true, \
                     or this to 0"
                ),
            );
        }
        self.start.check(layered)?;
        self.clone.check(layered)?;
        if let Err(error) = lanista_league::stage::check(&self.curriculum) {
            return invalid(&format!("curriculum.{}", error.key), error.problem);
        }
        noise::check(&self.observation.noise).map_err(|e| layered.invalid(&e.key, e.problem))?;
        if let (Some(target), None) = (self.stop.return_reached, self.evaluation.every) {
            return invalid(
                "stop.return",
                format!(
                    "{target} is looked for in evaluations, and there are none before the end: set \
                     evaluation.every"
                ),
            );
        }
        Ok(())
    }

    /// Checks everything that needs the game's spec, as it is without a stack.
    pub fn check_against(&self, layered: &Layered, spec: &Spec) -> Result<(), ConfigError> {
        let invalid = |key: &str, problem: String| Err(layered.invalid(key, problem));
        if spec.roles.iter().any(|role| role.heads.len() > MAX_HEADS) {
            return invalid("game", format!("has more than {MAX_HEADS} heads"));
        }
        for role in 0..spec.roles.len() {
            Noise::new(&self.observation.noise, spec, role, &self.observation.stack)
                .map_err(|e| layered.invalid(&e.key, e.problem))?;
        }
        let roles =
            self.check_roles(spec).map_err(|fault| layered.invalid(&fault.key, fault.problem))?;
        let own = self.roles.iter().flat_map(|(name, role)| {
            role.rewards.keys().map(move |term| (format!("roles.{name}.rewards.{term}"), term))
        });
        let terms = self.rewards.keys().map(|term| (format!("rewards.{term}"), term));
        for (key, term) in terms.chain(own) {
            if spec.term(term).is_none() {
                let names: Vec<&str> = spec.terms.iter().map(|t| t.name.as_str()).collect();
                let hint = nearest(term, names.iter().copied())
                    .map_or(String::new(), |n| format!(": did you mean `{n}`?"));
                let problem =
                    format!("{} has no such term{hint} its terms: {}", spec.name, names.join(", "));
                return invalid(&key, problem);
            }
        }
        for (role, settings) in spec.roles.iter().zip(&roles) {
            let mut weights = settings.rewards.values();
            let weighed = weights.any(|w| w.values().iter().any(|&v| v != 0.0));
            if settings.played_by.is_none() && !weighed {
                let names: Vec<&str> = spec.terms.iter().map(|t| t.name.as_str()).collect();
                let whose = match spec.roles.len() {
                    1 => String::new(),
                    _ => format!(" for the role {}", role.name),
                };
                let problem = format!(
                    "no term has a weight{whose}; weigh at least one of: {}",
                    names.join(", ")
                );
                return invalid("rewards", problem);
            }
        }
        if let Some((key, problem)) = self.reward_sharing.fault(spec.teams()) {
            return invalid(&format!("reward_sharing.{key}"), problem);
        }
        for name in self.opponents.keys() {
            let key = format!("opponents.{name}");
            check_opponent(name, spec).map_err(|problem| layered.invalid(&key, problem))?;
        }
        if let Err(error) = self.shares().check() {
            let of = error.opponent.as_ref().map(|opponent| format!("opponents.{opponent}"));
            return invalid(&of.unwrap_or_else(|| "opponents".into()), error.problem);
        }
        if let Some((key, problem)) = self.league.fault() {
            return invalid(&format!("league.{key}"), problem);
        }
        if !spec.contested() && !self.exploiters.is_empty() {
            return invalid("exploiters", format!("{}: nobody to beat", uncontested(spec)));
        }
        for (number, exploiter) in self.exploiters.iter().enumerate() {
            if let Some((key, problem)) = exploiter.fault() {
                return invalid(&format!("exploiters.{number}.{key}"), problem);
            }
        }
        if !self.exploiters.is_empty() && !self.meets_past() && self.curriculum.is_empty() {
            return invalid(
                "exploiters",
                "what they become joins the pool, and nobody meets it: set opponents.past".into(),
            );
        }
        if let Some(anchor) = &self.league.anchor {
            match parse_player(anchor, spec) {
                Ok(Player::Bot(_)) => {}
                Ok(_) => return invalid("league.anchor", "a scripted player: bot:NAME".into()),
                Err(problem) => return invalid("league.anchor", problem),
            }
        }
        parse_player(&self.evaluation.vs, spec)
            .map_err(|problem| layered.invalid("evaluation.vs", problem))?;
        // A share of 0 is how a preset drops an opponent that it imports.
        let met = self.opponents.iter().filter(|(_, share)| spec.teams() < 2 || **share > 0.0);
        let others = met.map(|(name, _)| (format!("opponents.{name}"), name));
        let mut others = others.chain([(String::from("evaluation.vs"), &self.evaluation.vs)]);
        if let (false, Some((key, _))) =
            (spec.contested(), others.find(|(_, name)| *name != "self"))
        {
            return invalid(&key, format!("{}: nobody plays against it", uncontested(spec)));
        }
        // At most every seat acts at every step, so this is the largest batch there can be.
        let seats = spec.seats.len();
        let batch = self.rollout.matches.saturating_mul(self.rollout.horizon).saturating_mul(seats);
        // A sample has a number of 32 bits in its shard.
        let own = self.rollout.shard_size().saturating_mul(self.rollout.horizon);
        if own.saturating_mul(seats) >= u32::MAX as usize {
            let problem = format!(
                "a shard of {} matches records {own} steps: too many",
                self.rollout.shard_size()
            );
            return invalid("rollout.horizon", problem);
        }
        let learnt = roles.iter().filter(|role| role.played_by.is_none());
        let minibatches = learnt.flat_map(|role| role.ppo.minibatch.values());
        let largest = minibatches.fold(0.0, f64::max);
        if largest > batch as f64 {
            return invalid(
                "ppo.minibatch",
                format!(
                    "{largest} is larger than the batch of {batch} samples (rollout.matches {} × \
                     rollout.horizon {} × {} seats); lower it or collect more",
                    self.rollout.matches, self.rollout.horizon, seats
                ),
            );
        }
        Ok(())
    }

    fn check_roles(&self, spec: &Spec) -> Result<Vec<RoleSettings>, RoleFault> {
        let roles = self.roles(spec)?;
        for (role, settings) in spec.roles.iter().zip(&roles) {
            let key = |key: &str| format!("roles.{}.{key}", role.name);
            if self.roles.contains_key(&role.name) {
                let own = Self {
                    policy: settings.policy.clone(),
                    ppo: settings.ppo.clone(),
                    rewards: settings.rewards.clone(),
                    ..self.clone()
                };
                ranges::check(&own)
                    .map_err(|(path, problem)| RoleFault::new(key(&path), problem))?;
            }
            let Some(name) = &settings.played_by else { continue };
            match name.parse() {
                Ok(Opponent::Bot(bot)) if role.bot(&bot).is_some() => {}
                Ok(Opponent::Target(_)) if spec.teams() > 1 => {}
                _ => {
                    let bots: Vec<String> =
                        role.bots.iter().map(|bot| format!("bot:{}", bot.name)).collect();
                    let problem = format!(
                        "`{name}` cannot play the role {}; there are: {}, target:MODEL",
                        role.name,
                        bots.join(", ")
                    );
                    return Err(RoleFault::new(key("played_by"), problem));
                }
            }
        }
        Ok(roles)
    }
}

/// Why nobody is met.
fn uncontested(spec: &Spec) -> String {
    match spec.teams() {
        0 | 1 => format!("{} has one team", spec.name),
        _ => "nobody sits on the other team under these settings".into(),
    }
}

/// Checks whom a share of matches is against.
fn check_opponent(name: &str, spec: &Spec) -> Result<(), String> {
    match name.parse() {
        Ok(Opponent::Past | Opponent::Target(_) | Opponent::Latest(_)) => Ok(()),
        _ => parse_player(name, spec)
            .map(|_| ())
            .map_err(|problem| format!("{problem}, past, target:MODEL, latest:RUN")),
    }
}
