//! A short list of items that lives without the heap.

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::gear::items::VIAL;
use crate::gear::{Kind, Slot};

/// What unused places hold; never seen.
const NOTHING: Kind = VIAL;

/// Up to `N` items in order. Reading it is reading a slice.
#[derive(Clone, Copy)]
pub struct List<const N: usize> {
    items: [Kind; N],
    len: u8,
}

impl<const N: usize> List<N> {
    /// A list without items.
    pub const EMPTY: Self = {
        assert!(N <= u8::MAX as usize, "the length has one byte");
        Self { items: [NOTHING; N], len: 0 }
    };

    /// The list of these items; for tables.
    ///
    /// # Panics
    /// When there are more than `N`.
    pub const fn of(items: &[Kind]) -> Self {
        let mut list = Self::EMPTY;
        while (list.len as usize) < items.len() {
            list.items[list.len as usize] = items[list.len as usize];
            list.len += 1;
        }
        list
    }

    /// Appends an item, if there is room for it.
    pub fn push(&mut self, item: Kind) {
        if let Some(place) = self.items.get_mut(usize::from(self.len)) {
            *place = item;
            self.len += 1;
        }
    }

    /// Takes the first such item out; the later ones move up.
    pub fn remove(&mut self, item: Kind) {
        if let Some(index) = self.iter().position(|&held| held == item) {
            self[index..].rotate_left(1);
            self.len -= 1;
        }
    }

    /// Takes every item out.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// How many of this item there are.
    pub fn count(&self, item: Kind) -> usize {
        self.iter().filter(|&&held| held == item).count()
    }

    /// The first item that is worn in this slot.
    pub fn in_slot(&self, slot: Slot) -> Option<Kind> {
        self.iter().copied().find(|held| held.item().slot == Some(slot))
    }
}

impl<const N: usize> Deref for List<N> {
    type Target = [Kind];

    #[inline]
    fn deref(&self) -> &[Kind] {
        &self.items[..usize::from(self.len)]
    }
}

impl<const N: usize> DerefMut for List<N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Kind] {
        &mut self.items[..usize::from(self.len)]
    }
}

impl<const N: usize> PartialEq for List<N> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<const N: usize> Eq for List<N> {}

impl<const N: usize> fmt::Debug for List<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|held| held.item().name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gear::items::{ABYSSAL_WHIP as WHIP, SHARK};

    #[test]
    fn a_list_keeps_its_order_and_its_bounds() {
        let mut list = List::<4>::of(&[SHARK, WHIP, SHARK]);
        assert_eq!(*list, [SHARK, WHIP, SHARK]);
        assert_eq!(list.count(SHARK), 2);
        assert_eq!(list.in_slot(Slot::Weapon), Some(WHIP));
        assert_eq!(list.in_slot(Slot::Head), None);
        list.remove(SHARK);
        assert_eq!(*list, [WHIP, SHARK]);
        for _ in 0..9 {
            list.push(SHARK);
        }
        assert_eq!(*list, [WHIP, SHARK, SHARK, SHARK]);
        list.clear();
        list.remove(WHIP);
        assert_eq!(list, List::EMPTY);
    }
}
