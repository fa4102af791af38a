//! The names of presets and games as arguments, for shells to complete.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};

use crate::catalog;

/// Takes any text, and tells shells which names they may offer.
#[derive(Clone, Copy)]
pub enum Names {
    /// A preset; a path is as good.
    Presets,
    /// A game.
    Games,
}

impl TypedValueParser for Names {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names: Vec<&str> = match self {
            Self::Presets => catalog::PRESETS.iter().map(|(name, _)| *name).collect(),
            Self::Games => catalog::games().iter().map(|game| game.name.as_str()).collect(),
        };
        Some(Box::new(names.into_iter().map(PossibleValue::new)))
    }
}
