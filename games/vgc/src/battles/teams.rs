//! Who plays which team.

use std::path::Path;

use lanista_game::{Control, SettingsError};

use crate::format::Format;
use crate::host::Pool as Hosts;
use crate::settings::{Settings, Split};
use crate::team::{self, Found, Pool, Team, TeamError};

/// Teams of a run.
pub(super) struct Teams {
    drawn: Pool,
    /// The one that a side always plays.
    fixed: Option<String>,
    /// Those that a user gave: they are judged before the first battle.
    given: Vec<Found>,
}

impl Teams {
    /// Reads the teams that the settings name.
    pub fn of(settings: &Settings) -> Result<Self, SettingsError> {
        let read = |key: &str, path: &Path| {
            team::read(path).map_err(|error| SettingsError::new(key, error.to_string()))
        };
        let mut given = Vec::new();
        let all = match &settings.teams {
            Some(path) => {
                given.extend(read("teams", path)?);
                given.clone()
            }
            None => team::ours(settings.format()),
        };
        let packed: Vec<String> = all.iter().map(|found| found.team.packed()).collect();
        let count = packed.len();
        let mut drawn =
            Pool::new(packed, settings.held_out, settings.split.into()).ok_or_else(|| {
                let key = if settings.split == Split::HeldOut { "split" } else { "teams" };
                SettingsError::new(key, format!("of {count} teams none is left to be drawn"))
            })?;
        if settings.split == Split::Train && settings.mixed > 0 {
            let is_drawn = |found: &&Found| drawn.teams().contains(&found.team.packed());
            let own: Vec<Team> =
                all.iter().filter(is_drawn).map(|found| found.team.clone()).collect();
            let more = team::mixed(&own, settings.format().dex(), settings.mixed);
            drawn.extend(more.iter().map(Team::packed));
        }
        let mut fixed = None;
        if let Some(name) = &settings.team {
            let ours = team::ours(settings.format());
            let own = ours.iter().find(|found| title(found).eq_ignore_ascii_case(name));
            if let Some(own) = own {
                fixed = Some(own.team.packed());
            } else if !Path::new(name).exists() {
                let known: Vec<&str> = ours.iter().map(title).collect();
                let message = format!(
                    "`{name}` is neither a file nor a team of the program; those are: {}",
                    known.join(", ")
                );
                return Err(SettingsError::new("team", message));
            } else {
                let mut found = read("team", Path::new(name))?;
                if found.len() > 1 {
                    let message = format!("{name} holds {} teams; give one", found.len());
                    return Err(SettingsError::new("team", message));
                }
                fixed = found.first().map(|found| found.team.packed());
                given.append(&mut found);
            }
        }
        Ok(Self { drawn, fixed, given })
    }

    /// Refuses teams that may not be played, in Showdown's words.
    pub fn check(&self, hosts: &Hosts, format: &'static Format) -> Result<(), String> {
        for found in &self.given {
            let problems = hosts.problems(format.id, &found.team.packed());
            let problems = problems.map_err(|error| error.to_string())?;
            if !problems.is_empty() {
                let (place, format) = (found.place.clone(), format.id);
                return Err(TeamError::Refused { place, format, problems }.to_string());
            }
        }
        Ok(())
    }

    /// The teams of the battle of a seed. The fixed one is played by the seat that somebody outside drives; by
    /// the first, if that is both.
    pub fn draw(&self, seed: u64, seats: &[Control], mirror: bool) -> [&str; 2] {
        let outside = |seat: usize| seats.get(seat) == Some(&Control::Outside);
        let owner = usize::from(outside(1) && !outside(0));
        let team = |side: usize| match &self.fixed {
            Some(team) if side == owner => team.as_str(),
            _ => self.drawn.draw(seed, side),
        };
        if mirror { [team(owner); 2] } else { [team(0), team(1)] }
    }
}

/// What a team of the program is called: what stands in its heading behind the format.
fn title(found: &Found) -> &str {
    found.place.rsplit_once("] ").map_or(found.place.as_str(), |(_, title)| title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fixed_team_is_the_side_that_learns() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("team.packed");
        let own = team::ours(Settings::default().format())[2].team.packed();
        std::fs::write(&path, &own).unwrap();
        let team = Some(path.display().to_string());
        let teams = Teams::of(&Settings { team, ..Settings::default() }).unwrap();
        let (outside, bot) = (Control::Outside, Control::Bot(0));
        let mut others = std::collections::BTreeSet::new();
        for seed in 0..50 {
            assert_eq!(teams.draw(seed, &[outside, bot], false)[0], own);
            assert_eq!(teams.draw(seed, &[bot, outside], false)[1], own);
            assert_eq!(teams.draw(seed, &[outside; 2], false)[0], own);
            assert_eq!(teams.draw(seed, &[bot, outside], true), [own.as_str(); 2]);
            others.insert(teams.draw(seed, &[outside, bot], false)[1].to_owned());
        }
        assert!(others.len() > 3, "the others are drawn");
    }

    #[test]
    fn teams_are_mixed_of_those_that_are_trained_on_alone() {
        let of = |split, mixed| {
            let settings = Settings { held_out: 0.3, split, mixed, ..Settings::default() };
            Teams::of(&settings).unwrap().drawn
        };
        let (plain, more) = (of(Split::Train, 0), of(Split::Train, 50));
        assert_eq!(more.teams().len(), plain.teams().len() + 50);
        assert!(more.teams().starts_with(plain.teams()));
        assert_eq!(of(Split::HeldOut, 50), of(Split::HeldOut, 0));
        let member = |line: &str| {
            Team::from_packed(line).unwrap().members.into_iter().map(|m| format!("{m:?}"))
        };
        let known: std::collections::BTreeSet<String> =
            plain.teams().iter().flat_map(|team| member(team)).collect();
        assert!(more.teams().iter().flat_map(|team| member(team)).all(|m| known.contains(&m)));
    }

    #[test]
    fn what_is_no_team_is_named() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("teams");
        let error = |text: &str, more: Settings| {
            std::fs::write(&path, text).unwrap();
            Teams::of(&more).err().unwrap().to_string()
        };
        let given = || Settings { teams: Some(path.clone()), ..Settings::default() };
        assert!(error("", given()).starts_with("settings.teams: "));
        let all: Vec<String> =
            team::ours(given().format()).iter().map(|f| f.team.packed()).collect();
        let of = |name: String| Settings { team: Some(name), ..Settings::default() };
        assert!(error(&all.join("\n"), of(path.display().to_string())).contains("give one"));
        assert!(error("", of("ice ridder".into())).contains("Ice rider"));
        let named = Teams::of(&of("ice rider".into())).unwrap();
        assert_eq!(named.draw(1, &[Control::Outside; 2], true), [all[0].as_str(); 2]);
        let held = Settings { held_out: 0.5, split: Split::HeldOut, ..given() };
        assert!(error(&all[0], held).contains("settings.split: of 1 teams none"));
    }
}
