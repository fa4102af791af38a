//! Names beside numbers: a game writes what a thing is called once, and never counts.

/// Lists reward terms. Every name becomes a constant, the place of its number, and `terms()` returns
/// the list:
///
/// ```
/// lanista_game::terms! {
///     FOUND = Outcome "found": "1 for the treasure";
///     STEP = Event "step": "1 a step";
/// }
/// assert_eq!((FOUND, STEP), (0, 1));
/// assert_eq!(terms()[STEP].name, "step");
/// ```
#[macro_export]
macro_rules! terms {
    ($($place:ident = $kind:ident $name:literal : $about:literal;)*) => {
        $crate::places!($($place)*);

        /// The reward terms, in order.
        fn terms() -> Vec<$crate::Term> {
            vec![$($crate::Term::new($crate::TermKind::$kind, $name, $about)),*]
        }
    };
}

/// Lists features. Every name becomes a constant, the place of its number, and `features()` returns the
/// list:
///
/// ```
/// lanista_game::features! {
///     PLAYER = "player";
///     TREASURE = "treasure";
/// }
/// assert_eq!(TREASURE, 1);
/// assert_eq!(features()[PLAYER].name, "player");
/// ```
#[macro_export]
macro_rules! features {
    ($($place:ident = $name:literal;)*) => {
        $crate::places!($($place)*);

        /// The features of an observation, in order.
        fn features() -> Vec<$crate::Feature> {
            vec![$($name.into()),*]
        }
    };
}

/// Numbers names from 0 on.
#[doc(hidden)]
#[macro_export]
macro_rules! places {
    (@count $at:expr;) => {};
    (@count $at:expr; $place:ident $($rest:ident)*) => {
        const $place: usize = $at;
        $crate::places!(@count $at + 1; $($rest)*);
    };
    ($($place:ident)*) => {
        $crate::places!(@count 0; $($place)*);
    };
}
