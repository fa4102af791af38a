//! What can be wrong with a mesh, where, and what to do about it.

use thiserror::Error;

use super::mesh::{SUBVERSION, VERSION};

/// Why a mesh was not taken.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum NavError {
    /// The first four bytes are another file's.
    #[error(
        "not a navigation mesh: byte 0 has {found:#010x} where 0xfeedface stands; \
         give a `.nav` file of Left 4 Dead 2"
    )]
    Magic {
        /// What stands there.
        found: u32,
    },
    /// A mesh of another game or age.
    #[error(
        "version {version} subversion {subversion} at byte 4: this reads version {VERSION} \
         subversion {SUBVERSION}, which is Left 4 Dead 2's; load the map there and save it anew \
         with `nav_save`"
    )]
    Version {
        /// The version of the file.
        version: u32,
        /// The subversion of the file.
        subversion: u32,
    },
    /// The file ends inside a field.
    #[error(
        "the file ends at byte {end} inside {what} of {place} (which begins at byte {offset} and \
         needs {needed} bytes); it is cut short: copy it again"
    )]
    Truncated {
        /// The field.
        what: &'static str,
        /// The part of the file that has it.
        place: String,
        /// Where the field begins.
        offset: usize,
        /// How many bytes it has.
        needed: usize,
        /// The length of the file.
        end: usize,
    },
    /// A number of things that the rest of the file cannot hold.
    #[error(
        "byte {offset} speaks of {count} {what} in {place}, but only {left} bytes are left; the \
         file is damaged or cut short: copy it again"
    )]
    Count {
        /// The things counted.
        what: &'static str,
        /// The part of the file that has them.
        place: String,
        /// Where the number stands.
        offset: usize,
        /// The number.
        count: u32,
        /// Bytes after it.
        left: usize,
    },
    /// Nothing to stand on.
    #[error("the mesh has no areas: analyse the map in the game with `nav_generate`, then save it")]
    NoAreas,
    /// More areas than an index can name.
    #[error("the mesh has {areas} areas and at most {most} can be played on; use a smaller map")]
    TooManyAreas {
        /// How many there are.
        areas: usize,
        /// How many there may be.
        most: usize,
    },
    /// More ladders than an index can name.
    #[error(
        "the mesh has {ladders} ladders and at most {most} can be played on; the file is damaged"
    )]
    TooManyLadders {
        /// How many there are.
        ladders: usize,
        /// How many there may be.
        most: usize,
    },
    /// A corner that is no place.
    #[error(
        "{thing} has a corner at {value}, which is no place within {most} units of the origin; the \
         file is damaged: save the mesh anew with `nav_save`"
    )]
    Corner {
        /// The area or ladder, by its number and id.
        thing: String,
        /// The coordinate.
        value: f32,
        /// The farthest that is believed.
        most: f32,
    },
    /// An area with more ways out than a table can name.
    #[error(
        "area {area} (id {id}) has {links} ways out and at most {most} can be told apart; split it \
         in the game with `nav_split`"
    )]
    TooManyLinks {
        /// Its number.
        area: usize,
        /// Its id.
        id: u32,
        /// How many there are.
        links: usize,
        /// How many there may be.
        most: usize,
    },
}
