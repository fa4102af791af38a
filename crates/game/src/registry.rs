//! How the program finds a game.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::settings::{GameSettings, Setting, SettingsError, documented, parse_settings};
use crate::{Batch, Game, Matches, Spec};

/// A kind of game in this process: how it is listed, and how its matches are made.
pub trait Kind: Game + Sized + 'static {
    /// Its settings; [`crate::NoSettings`] if it has none.
    type Settings: GameSettings;
    /// The name in a preset's `game`.
    const NAME: &'static str;
    /// One line for the list of games.
    const ABOUT: &'static str;

    /// What the game is made of under these settings. Its name is filled in.
    fn describe(settings: &Self::Settings) -> Spec;

    /// So many matches under these settings, which have been checked. All of them share the spec.
    fn matches(
        settings: Self::Settings,
        spec: Arc<Spec>,
        count: usize,
    ) -> Result<Vec<Self>, SettingsError>;
}

/// A game as the program lists it.
#[derive(Clone)]
pub struct Entry {
    /// The name in a preset's `game`.
    pub name: String,
    /// One line for the list of games.
    pub about: String,
    /// The settings a preset may give, with their defaults.
    pub settings: Vec<Setting>,
    maker: Arc<dyn Maker>,
}

/// How a game is made of settings.
pub trait Maker: Send + Sync {
    /// What the game is made of; no match is built for it.
    fn spec(&self, settings: &Value) -> Result<Spec, SettingsError>;
    /// A batch of so many matches.
    fn build(&self, settings: &Value, matches: usize) -> Result<Box<dyn Batch>, SettingsError>;
    /// How many matches its engines hold at once, if that is bounded from outside.
    fn at_once(&self, _settings: &Value) -> Result<Option<usize>, SettingsError> {
        Ok(None)
    }
}

impl Entry {
    /// A game in this process.
    pub fn of<K: Kind>() -> Self {
        Self {
            name: K::NAME.to_owned(),
            about: K::ABOUT.to_owned(),
            settings: documented::<K::Settings>(),
            maker: Arc::new(OfKind::<K>(std::marker::PhantomData)),
        }
    }

    /// A game that is made in a way of its own.
    pub fn new(
        name: impl Into<String>,
        about: impl Into<String>,
        settings: Vec<Setting>,
        maker: impl Maker + 'static,
    ) -> Self {
        let (name, about) = (name.into(), about.into());
        Self { name, about, settings, maker: Arc::new(maker) }
    }

    /// What the game is made of under a preset's `settings`. No match is built for it.
    pub fn spec(&self, settings: &Value) -> Result<Spec, SettingsError> {
        let spec = self.maker.spec(settings)?;
        Ok(Spec { name: self.name.clone(), ..spec })
    }

    /// A batch of so many matches under a preset's `settings`.
    pub fn build(&self, settings: &Value, matches: usize) -> Result<Box<dyn Batch>, SettingsError> {
        self.maker.build(settings, matches)
    }

    /// How many matches can be played at once under a preset's `settings`; `None` for as many as one likes. Matches
    /// beyond it are played in turn, and who trains lets go of its own while others are played.
    pub fn at_once(&self, settings: &Value) -> Result<Option<usize>, SettingsError> {
        Ok(self.maker.at_once(settings)?.map(|most| most.max(1)))
    }

    /// Settings that name something of this machine, such as a directory.
    pub fn machine_settings(&self) -> Vec<&str> {
        self.settings.iter().filter(|s| s.machine).map(|s| s.name.as_str()).collect()
    }

    /// The same settings without those that mean nothing on another machine.
    pub fn portable(&self, settings: &Value) -> Value {
        let mut portable = settings.clone();
        if let Some(map) = portable.as_object_mut() {
            self.machine_settings().into_iter().for_each(|name| drop(map.remove(name)));
        }
        portable
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).finish_non_exhaustive()
    }
}

struct OfKind<K>(std::marker::PhantomData<fn() -> K>);

impl<K: Kind> Maker for OfKind<K> {
    fn spec(&self, settings: &Value) -> Result<Spec, SettingsError> {
        let settings: K::Settings = parse_settings(settings)?;
        Ok(Spec { name: K::NAME.to_owned(), ..K::describe(&settings) })
    }

    fn build(&self, settings: &Value, matches: usize) -> Result<Box<dyn Batch>, SettingsError> {
        let settings: K::Settings = parse_settings(settings)?;
        let spec = Arc::new(Spec { name: K::NAME.to_owned(), ..K::describe(&settings) });
        Ok(Box::new(Matches::new(K::matches(settings, spec, matches)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    struct Nobody;

    impl Maker for Nobody {
        fn spec(&self, _: &Value) -> Result<Spec, SettingsError> {
            Ok(Spec::default())
        }

        fn build(&self, _: &Value, _: usize) -> Result<Box<dyn Batch>, SettingsError> {
            Err(SettingsError::new("", "nobody plays this"))
        }
    }

    #[test]
    fn what_is_of_the_machine_stays_behind() {
        let setting = |name: &str, machine| Setting {
            name: name.into(),
            default: Value::Null,
            about: String::new(),
            machine,
        };
        let settings = vec![setting("size", false), setting("colour", true)];
        let entry = Entry::new("toy", "", settings, Nobody);
        assert_eq!(entry.machine_settings(), ["colour"]);
        assert_eq!(entry.portable(&json!({"size": 3, "colour": "/x"})), json!({"size": 3}));
        assert_eq!(entry.portable(&Value::Null), Value::Null);
        assert_eq!(entry.spec(&Value::Null).unwrap().name, "toy");
    }
}
