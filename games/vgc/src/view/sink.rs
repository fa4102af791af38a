//! Where the numbers of a view go: their names into a spec, or their values into an observation.

use lanista_game::Feature;

use crate::dex::{self, AbilityId, ItemId, MoveId, SpeciesId, Type};

/// Takes the numbers of a view in their order.
pub trait Sink {
    /// What follows belongs to a thing of this name, until it is left.
    fn enter(&mut self, scope: &'static str);
    /// See [`Self::enter`].
    fn leave(&mut self);
    /// A quantity, kept within -1 to 1.
    fn number(&mut self, name: &'static str, value: f32);
    /// One of a list of `size`.
    fn id(&mut self, name: &'static str, vocabulary: &'static str, size: usize, value: u16);

    /// Yes or no.
    fn flag(&mut self, name: &'static str, value: bool) {
        self.number(name, if value { 1.0 } else { 0.0 });
    }

    /// A flag for each name, of which one is set or none.
    fn one_of(&mut self, names: &[&'static str], which: Option<usize>) {
        for (at, name) in names.iter().enumerate() {
            self.flag(name, which == Some(at));
        }
    }

    /// A species.
    fn species(&mut self, name: &'static str, id: SpeciesId) {
        self.id(name, "species", dex::sizes::species(), id.0);
    }

    /// A move.
    fn a_move(&mut self, name: &'static str, id: MoveId) {
        self.id(name, "move", dex::sizes::moves(), id.0);
    }

    /// An item.
    fn item(&mut self, name: &'static str, id: ItemId) {
        self.id(name, "item", dex::sizes::items(), id.0);
    }

    /// An ability.
    fn ability(&mut self, name: &'static str, id: AbilityId) {
        self.id(name, "ability", dex::sizes::abilities(), id.0);
    }

    /// A type; 0 is none or unknown.
    fn kind(&mut self, name: &'static str, kind: Option<Type>) {
        self.id(name, "type", dex::TYPES.len() + 1, kind.map_or(0, |kind| kind as u16 + 1));
    }
}

/// Collects names.
#[derive(Default)]
pub struct Names {
    scopes: Vec<&'static str>,
    /// What was named.
    pub features: Vec<Feature>,
}

impl Names {
    fn called(&self, name: &str) -> String {
        self.scopes.iter().flat_map(|scope| [scope, "_"]).chain([name]).collect()
    }
}

impl Sink for Names {
    fn enter(&mut self, scope: &'static str) {
        self.scopes.push(scope);
    }

    fn leave(&mut self) {
        self.scopes.pop();
    }

    fn number(&mut self, name: &'static str, _: f32) {
        self.features.push(Feature::from(self.called(name)));
    }

    fn id(&mut self, name: &'static str, vocabulary: &'static str, size: usize, _: u16) {
        self.features.push(Feature::id(self.called(name), vocabulary, size));
    }
}

/// Writes values.
pub struct Numbers<'a> {
    out: &'a mut [f32],
    at: usize,
}

impl<'a> Numbers<'a> {
    /// Into a slice.
    pub fn new(out: &'a mut [f32]) -> Self {
        Self { out, at: 0 }
    }

    /// What has not been written.
    pub fn rest(self) -> &'a mut [f32] {
        &mut self.out[self.at..]
    }
}

impl Sink for Numbers<'_> {
    #[inline]
    fn enter(&mut self, _: &'static str) {}

    #[inline]
    fn leave(&mut self) {}

    #[inline]
    fn number(&mut self, _: &'static str, value: f32) {
        self.out[self.at] = if value.is_finite() { value.clamp(-1.0, 1.0) } else { 0.0 };
        self.at += 1;
    }

    #[inline]
    fn id(&mut self, _: &'static str, _: &'static str, size: usize, value: u16) {
        // A number of a newer table is unknown to this one.
        self.out[self.at] = if usize::from(value) < size { f32::from(value) } else { 0.0 };
        self.at += 1;
    }
}
