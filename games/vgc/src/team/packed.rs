//! Showdown's packed line: members between `]`, their fields between `|`.
//!
//! `NICKNAME|SPECIES|ITEM|ABILITY|MOVES|NATURE|EVS|GENDER|IVS|SHINY|LEVEL|HAPPINESS,HPTYPE,BALL,GMAX,DMAX,TERA`;
//! a field that says what holds anyway is empty.

use std::fmt::Write;

use super::{
    MEMBERS, MOVES, Member, Team, ability_name, item_name, move_name, name, number, species_name,
};

impl Team {
    /// Reads a packed line. An error names the member by its place.
    pub fn from_packed(line: &str) -> Result<Self, String> {
        let mut members = Vec::new();
        for (index, text) in line.trim().split(']').enumerate() {
            if index == MEMBERS {
                return Err(format!("a team has {MEMBERS} members at most"));
            }
            let member = member(text).map_err(|why| format!("member {}: {why}", index + 1))?;
            members.push(member);
        }
        Ok(Self { members })
    }

    /// The packed line.
    pub fn packed(&self) -> String {
        let mut out = String::new();
        for member in &self.members {
            if !out.is_empty() {
                out.push(']');
            }
            pack(member, &mut out);
        }
        out
    }
}

fn member(text: &str) -> Result<Member, String> {
    let fields: Vec<&str> = text.splitn(13, '|').collect();
    let fields: [&str; 12] = fields.try_into().map_err(|fields: Vec<&str>| {
        let count = if fields.len() > 12 { "more".into() } else { fields.len().to_string() };
        format!("a packed member has 12 fields between `|`, this one {count}")
    })?;
    let [called, species, item, ability, moves, nature, evs, gender, ivs, shiny, level, rest] =
        fields;
    let nickname = name(called, "name")?;
    let written = name(species, "species")?;
    let species = species_name(if written.is_empty() { &nickname } else { &written });
    if species.is_empty() {
        return Err("it has no species".into());
    }
    // A name that says the species, in whatever letters, is none of its own.
    let same = crate::dex::id_of(&nickname) == crate::dex::id_of(&species);
    let nickname = if same || written.is_empty() { String::new() } else { nickname };
    let moves: Vec<String> = moves
        .split(',')
        .filter(|text| !text.trim().is_empty())
        .take(MOVES + 1)
        .map(|text| name(text, "move").map(|text| move_name(&text)))
        .collect::<Result<_, _>>()?;
    if moves.len() > MOVES {
        return Err(format!("it has more than {MOVES} moves"));
    }
    let mut rest = rest.splitn(7, ',');
    let mut next = || rest.next().unwrap_or_default();
    let (happiness, _hidden_power, ball, _gigantamax, _dynamax, tera) =
        (next(), next(), next(), next(), next(), next());
    let gender = match gender.trim() {
        "" => None,
        "M" => Some('M'),
        "F" => Some('F'),
        "N" => Some('N'),
        _ => return Err("its gender is none of M, F, N".into()),
    };
    Ok(Member {
        nickname,
        species,
        item: item_name(&name(item, "item")?),
        ability: ability_name(&name(ability, "ability")?),
        moves,
        nature: name(nature, "nature")?,
        evs: six(evs, 0, "effort values")?,
        gender,
        ivs: six(ivs, 31, "individual values")?,
        shiny: !shiny.trim().is_empty(),
        level: if level.trim().is_empty() { 100 } else { number(level, "level")? },
        happiness: if happiness.trim().is_empty() { 255 } else { number(happiness, "happiness")? },
        pokeball: item_name(&name(ball, "ball")?),
        tera_type: name(tera, "tera type")?,
    })
}

/// Six numbers with commas between; those left out are `otherwise`.
fn six<T: Copy + std::str::FromStr>(
    text: &str,
    otherwise: T,
    what: &str,
) -> Result<[T; 6], String> {
    let mut out = [otherwise; 6];
    if text.trim().is_empty() {
        return Ok(out);
    }
    for (index, value) in text.split(',').enumerate() {
        let place = out.get_mut(index).ok_or_else(|| format!("it has more than six {what}"))?;
        if !value.trim().is_empty() {
            *place = number(value, what)?;
        }
    }
    Ok(out)
}

/// Letters and digits alone: how names are packed.
fn bare(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).collect()
}

fn pack(member: &Member, out: &mut String) {
    let list = |values: &[String; 6]| {
        if values.iter().all(String::is_empty) { String::new() } else { values.join(",") }
    };
    let evs = member.evs.map(|ev| if ev == 0 { String::new() } else { ev.to_string() });
    let ivs = member.ivs.map(|iv| if iv == 31 { String::new() } else { iv.to_string() });
    let (called, species) = match member.nickname.is_empty() {
        true => (member.species.as_str(), String::new()),
        false => (member.nickname.as_str(), bare(&member.species)),
    };
    let moves: Vec<String> = member.moves.iter().map(|text| bare(text)).collect();
    let level = if member.level == 100 { String::new() } else { member.level.to_string() };
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "{called}|{species}|{}|{}|{}|{}|{}|{}|{}|{}|{level}|",
        bare(&member.item),
        bare(&member.ability),
        moves.join(","),
        member.nature,
        list(&evs),
        member.gender.map(String::from).unwrap_or_default(),
        list(&ivs),
        if member.shiny { "S" } else { "" },
    );
    if member.happiness != 255 {
        let _ = write!(out, "{}", member.happiness);
    }
    if !member.pokeball.is_empty() || !member.tera_type.is_empty() {
        let _ = write!(out, ",,{},,,{}", bare(&member.pokeball), member.tera_type);
    }
}
