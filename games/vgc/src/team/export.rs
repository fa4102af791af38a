//! The text that people exchange: a member a paragraph, as Showdown's teambuilder exports it.

use std::fmt::Write;

use super::{
    MEMBERS, MOVES, Member, Team, ability_name, item_name, move_name, name, number, species_name,
};

/// The stats in the order of a team, as the text calls them.
const STATS: [&str; 6] = ["HP", "Atk", "Def", "SpA", "SpD", "Spe"];

/// A paragraph of a text, with the line that it begins at.
pub(super) type Paragraph<'a> = (usize, Vec<&'a str>);

impl Team {
    /// Reads the text of one team. An error names its line, counted from 1.
    pub fn from_export(text: &str) -> Result<Self, (usize, String)> {
        Self::from_paragraphs(&paragraphs(text, 1))
    }

    pub(super) fn from_paragraphs(paragraphs: &[Paragraph]) -> Result<Self, (usize, String)> {
        if let Some((line, _)) = paragraphs.get(MEMBERS) {
            let why = format!(
                "a team has {MEMBERS} members at most; several teams of a file stand under headings, \
                 === NAME === each"
            );
            return Err((*line, why));
        }
        let members = paragraphs
            .iter()
            .map(|(first, lines)| member(lines).map_err(|(line, why)| (first + line, why)))
            .collect::<Result<_, _>>()?;
        Ok(Self { members })
    }

    /// The text.
    pub fn export(&self) -> String {
        let members: Vec<String> = self.members.iter().map(export).collect();
        members.join("\n")
    }
}

/// Paragraphs of a text whose first line has the number `from`.
pub(super) fn paragraphs(text: &str, from: usize) -> Vec<Paragraph<'_>> {
    let mut out: Vec<Paragraph> = Vec::new();
    let mut open = false;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() {
            open = false;
        } else if open {
            let (_, lines) = out.last_mut().expect("an open paragraph is the last");
            lines.push(line);
        } else {
            out.push((from + index, vec![line]));
            open = true;
        }
    }
    out
}

fn member(lines: &[&str]) -> Result<Member, (usize, String)> {
    let mut member = Member::default();
    for (index, line) in lines.iter().enumerate() {
        let read = if index == 0 { head(line, &mut member) } else { fact(line, &mut member) };
        read.map_err(|why| (index, why))?;
    }
    Ok(member)
}

/// `Nickname (Species) (M) @ Item`.
fn head(line: &str, member: &mut Member) -> Result<(), String> {
    let (mut who, item) = match line.split_once(" @ ") {
        Some((who, item)) => (who.trim(), item),
        None => (line, ""),
    };
    for (mark, gender) in [(" (M)", 'M'), (" (F)", 'F'), (" (N)", 'N')] {
        if let Some(rest) = who.strip_suffix(mark) {
            member.gender = Some(gender);
            who = rest.trim_end();
        }
    }
    match who.strip_suffix(')').and_then(|who| who.rsplit_once(" (")) {
        Some((nickname, species)) => {
            member.nickname = name(nickname, "nickname")?;
            member.species = species_name(&name(species, "species")?);
        }
        None => member.species = species_name(&name(who, "species")?),
    }
    if member.species.is_empty() {
        return Err("a member begins with its species, such as `Incineroar @ Sitrus Berry`".into());
    }
    if crate::dex::id_of(&member.nickname) == crate::dex::id_of(&member.species) {
        member.nickname.clear();
    }
    member.item = item_name(&name(item, "item")?);
    Ok(())
}

/// A line after the first.
fn fact(line: &str, member: &mut Member) -> Result<(), String> {
    if let Some(text) = line.strip_prefix('-') {
        if member.moves.len() == MOVES {
            return Err(format!("it has more than {MOVES} moves"));
        }
        member.moves.push(move_name(&name(text, "move")?));
        return Ok(());
    }
    if let Some(nature) = line.strip_suffix(" Nature").or_else(|| line.strip_suffix(" nature")) {
        member.nature = name(nature, "nature")?;
        return Ok(());
    }
    let Some((key, value)) = line.split_once(':') else {
        return Err(format!(
            "`{}` is no line of a team",
            line.chars().take(40).collect::<String>()
        ));
    };
    let value = value.trim();
    match key.trim() {
        "Ability" => member.ability = ability_name(&name(value, "ability")?),
        "Level" => member.level = number(value, "level")?,
        "Shiny" => member.shiny = value == "Yes",
        "Happiness" => member.happiness = number(value, "happiness")?,
        "Pokeball" => member.pokeball = item_name(&name(value, "ball")?),
        "Tera Type" => member.tera_type = name(value, "tera type")?,
        "EVs" => stats(value, &mut member.evs, "effort values")?,
        "IVs" => stats(value, &mut member.ivs, "individual values")?,
        // What other generations write; nothing here asks for it.
        "Hidden Power" | "Dynamax Level" | "Gigantamax" => {}
        other => {
            return Err(format!(
                "`{}` is no line of a team",
                other.chars().take(40).collect::<String>()
            ));
        }
    }
    Ok(())
}

/// `252 HP / 4 SpD`.
fn stats<T: std::str::FromStr>(text: &str, out: &mut [T; 6], what: &str) -> Result<(), String> {
    for part in text.split('/').map(str::trim).filter(|part| !part.is_empty()) {
        let place = part
            .split_once(' ')
            .and_then(|(value, stat)| {
                let at = STATS.iter().position(|name| name.eq_ignore_ascii_case(stat.trim()))?;
                Some((value, at))
            })
            .ok_or_else(|| {
                let shown: String = part.chars().take(20).collect();
                format!("its {what} say `{shown}`; write such as `252 HP / 4 SpD`")
            })?;
        out[place.1] = number(place.0, what)?;
    }
    Ok(())
}

fn export(member: &Member) -> String {
    let mut out = member.species.clone();
    if !member.nickname.is_empty() {
        out = format!("{} ({})", member.nickname, member.species);
    }
    // Writing to a string cannot fail.
    let mut line = |text: std::fmt::Arguments| {
        let _ = out.write_fmt(text);
    };
    if let Some(gender) = member.gender {
        line(format_args!(" ({gender})"));
    }
    if !member.item.is_empty() {
        line(format_args!(" @ {}", member.item));
    }
    line(format_args!("\n"));
    let mut fact = |key: &str, value: &str| {
        if !value.is_empty() {
            line(format_args!("{key}: {value}\n"));
        }
    };
    let unless = |usual: u8, value: u8| {
        if value == usual { String::new() } else { value.to_string() }
    };
    fact("Ability", &member.ability);
    fact("Level", &unless(100, member.level));
    fact("Shiny", if member.shiny { "Yes" } else { "" });
    fact("Happiness", &unless(255, member.happiness));
    fact("Pokeball", &member.pokeball);
    fact("Tera Type", &member.tera_type);
    fact("EVs", &listed(member.evs.map(|ev| (ev != 0).then_some(ev))));
    if !member.nature.is_empty() {
        line(format_args!("{} Nature\n", member.nature));
    }
    let ivs = listed(member.ivs.map(|iv| (iv != 31).then_some(u16::from(iv))));
    if !ivs.is_empty() {
        line(format_args!("IVs: {ivs}\n"));
    }
    member.moves.iter().for_each(|text| line(format_args!("- {text}\n")));
    out
}

fn listed(values: [Option<u16>; 6]) -> String {
    let parts: Vec<String> = values
        .iter()
        .zip(STATS)
        .filter_map(|(value, stat)| value.map(|value| format!("{value} {stat}")))
        .collect();
    parts.join(" / ")
}
