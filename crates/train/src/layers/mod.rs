//! What the user wrote: presets in YAML, presets they import, and overrides of the command line.
//!
//! Configuration has two stages. This module is the first: it finds the files, merges them in
//! order into one tree and remembers where every key came from. The second stage is a typed struct
//! of the caller, which [`Layered::read`] fills from the tree. Only the struct reaches the trainer;
//! only the tree knows whom to blame for a mistake.
//!
//! ```yaml
//! import: classic/cartpole-base # or a list: imported in order, then this file on top
//! game: cartpole
//! ppo: { minibatch: 256, learning_rate: { linear: { from: 3e-4, to: 0 } } }
//! ```
//!
//! How two layers merge:
//!
//! - maps merge key by key; scalars and lists of the upper layer replace those of the lower one;
//! - a schedule (see [`WHOLE`]) replaces another schedule, since a linear and a cosine decay mixed
//!   together are neither;
//! - `null` unsets what a lower layer said: an optional key becomes none, any other falls back to
//!   its default, and an entry of an open map (a reward term) disappears.
//!
//! Only `true` and `false` are booleans, so that `yes`, `on` and `n` stay the names they look like.

mod count;
mod differences;
mod error;
mod nearest;
mod node;
mod overrides;
mod path;
mod read;
mod source;
mod yaml;

pub use count::count;
pub use differences::differences;
pub use error::{ConfigError, UnknownKey};
pub use nearest::{nearest, several_nearest};
pub use node::{Provenance, WHOLE};
pub use overrides::Override;
pub use read::{Layered, mend};
pub use yaml::to_yaml;

/// Loads a preset with all it imports and puts the overrides on top, in order.
///
/// `preset` is the path of a file or the name of an embedded preset in `library`, a list of
/// `(name, text)`. An existing file wins over a name. Names forgive a leading `presets/` and a
/// trailing `.yml`, so that the path of a preset in the repository works from anywhere.
///
/// An `import` in a file is sought beside that file first, then in the library; embedded presets
/// import embedded presets only.
pub fn load(
    preset: &str,
    library: &[(&str, &str)],
    overrides: &[Override],
) -> Result<Layered, ConfigError> {
    let (mut root, sources) = source::gather(preset, library)?;
    for one in overrides {
        one.apply(&mut root)?;
    }
    Ok(Layered::new(root, sources))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::{Deserialize, Serialize};
    use std::collections::BTreeMap;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Decay {
        Linear { from: f32, to: f32 },
        Cosine { from: f32, to: f32 },
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Rate {
        Constant(f32),
        Decay(Decay),
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct Ppo {
        epochs: u32,
        minibatch: usize,
        learning_rate: Rate,
        target_kl: Option<f32>,
    }

    impl Default for Ppo {
        fn default() -> Self {
            Self {
                epochs: 4,
                minibatch: 64,
                learning_rate: Rate::Decay(Decay::Linear { from: 3e-4, to: 0.0 }),
                target_kl: Some(0.02),
            }
        }
    }

    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct Rollout {
        matches: usize,
        horizon: usize,
    }

    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct Config {
        game: String,
        steps: u64,
        rollout: Rollout,
        ppo: Ppo,
        hidden: Vec<usize>,
        rewards: BTreeMap<String, f32>,
        opponents: BTreeMap<String, f32>,
    }

    const LIBRARY: [(&str, &str); 2] = [
        (
            "classic/cartpole-base",
            "rollout: { matches: 4, horizon: 128 }\nsteps: 1e6\nhidden: [64, 64]\n",
        ),
        (
            "classic/cartpole",
            "import: classic/cartpole-base\n\
             game: cartpole\n\
             rollout: { matches: 8 }\n\
             ppo: { minibatch: 256, learning_rate: { cosine: { from: 3e-4, to: 0 } } }\n\
             rewards: { balance: 1 }\n\
             opponents: { bot:random: 1 }\n",
        ),
    ];

    const OPEN: [&str; 2] = ["rewards", "opponents"];

    fn read(sets: &[&str]) -> Result<Config, ConfigError> {
        let overrides: Vec<_> =
            sets.iter().map(|text| Override::set(text)).collect::<Result<_, _>>()?;
        load("classic/cartpole", &LIBRARY, &overrides)?.read(&OPEN)
    }

    #[test]
    fn layers_merge_into_the_typed_config() {
        let config = read(&["ppo.epochs=10", "opponents.bot:random=0.5", "hidden.1=32"]).unwrap();
        assert_eq!(config.game, "cartpole");
        assert_eq!(config.steps, 1_000_000, "1e6 is a count");
        assert_eq!(config.rollout, Rollout { matches: 8, horizon: 128 });
        assert_eq!(config.hidden, [64, 32]);
        assert_eq!((config.ppo.epochs, config.ppo.minibatch), (10, 256));
        assert_eq!(config.ppo.learning_rate, Rate::Decay(Decay::Cosine { from: 3e-4, to: 0.0 }));
        assert_eq!(config.rewards["balance"], 1.0);
        assert_eq!(config.opponents["bot:random"], 0.5);
    }

    #[test]
    fn null_unsets() {
        let config =
            read(&["ppo.target_kl=null", "ppo.minibatch=null", "rewards.balance=null"]).unwrap();
        assert_eq!(config.ppo.target_kl, None, "an option takes null as none");
        assert_eq!(config.ppo.minibatch, 64, "anything else falls back to its default");
        assert!(config.rewards.is_empty(), "an imported reward term can be dropped");
    }

    #[test]
    fn the_resolved_config_reads_back_equal() {
        for sets in [&[][..], &["ppo.target_kl=null", "ppo.learning_rate=1e-5", "game='yes'"]] {
            let config = read(sets).unwrap();
            let text = to_yaml(&config).unwrap();
            let again: Config = load("run", &[("run", &text)], &[]).unwrap().read(&OPEN).unwrap();
            assert_eq!(again, config, "{text}");
        }
    }

    #[test]
    fn errors_name_key_and_origin() {
        let text = read(&["ppo.epochs=four"]).unwrap_err().to_string();
        assert_eq!(text, "ppo.epochs in --set: invalid type: string \"four\", expected u32");
        let text = read(&["ppo.minbatch=3"]).unwrap_err().to_string();
        assert_eq!(
            text,
            "unknown key `ppo.minbatch` in --set: did you mean `minibatch`? \
             valid keys here: epochs, learning_rate, minibatch, target_kl"
        );
    }
}
