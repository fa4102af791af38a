use proptest::prelude::*;

use super::*;
use crate::format::FORMATS;
use crate::install;

const PACKED: &str = "Bob|IronHands|AssaultVest|QuarkDrive|FakeOut,DrainPunch,WildCharge,HeavySlam|\
    Adamant|252,252,,,4,|N|,0,,,,||50|,,,,,Water]Flutter Mane||ChoiceSpecs|Protosynthesis|Moonblast,ShadowBall|\
    Timid|,,,252,4,252||||50|";

const TEXT: &str = "Bob (Iron Hands) (N) @ Assault Vest
Ability: Quark Drive
Level: 50
Tera Type: Water
EVs: 252 HP / 252 Atk / 4 SpD
Adamant Nature
IVs: 0 Atk
- Fake Out
- Drain Punch
- Wild Charge
- Heavy Slam

Flutter Mane @ Choice Specs
Ability: Protosynthesis
Level: 50
EVs: 252 SpA / 4 SpD / 252 Spe
Timid Nature
- Moonblast
- Shadow Ball
";

#[test]
fn the_line_and_the_text_are_the_same_team() {
    let team = Team::from_packed(PACKED).unwrap();
    assert_eq!(team.members[0].species, "Iron Hands");
    assert_eq!(team.members[0].item, "Assault Vest");
    assert_eq!(team.members[0].ivs, [31, 0, 31, 31, 31, 31]);
    assert_eq!(team.packed(), PACKED);
    assert_eq!(team.export(), TEXT);
    assert_eq!(Team::from_export(TEXT).unwrap(), team);
    // As it is copied from a page: blanks at the ends, other line ends.
    let copied = TEXT.replace('\n', "  \r\n");
    assert_eq!(Team::from_export(&copied).unwrap(), team);
}

#[test]
fn what_is_no_team_is_named() {
    let said = |text: &str| read_text(text, "teams.txt").unwrap_err().to_string();
    let line = |member: &str| said(&format!("{PACKED}\n\n{member}"));
    assert!(line("x").contains("teams.txt:3: member 1: a packed member has 12 fields"));
    assert!(line(&PACKED.replace("|252,252", "|252,many")).contains("effort values is `many`"));
    assert!(line(&PACKED.replace("WildCharge", "A,B")).contains("more than 4 moves"));
    assert!(line(&PACKED.replace("|50|,", "|5000|,")).contains("its level is `5000`"));
    assert!(line(&[PACKED; 4].join("]")).contains("6 members at most"));
    assert!(line("||||||||||||").contains("fields"));
    assert!(line("|||||||||||").contains("no species"));
    assert!(said("Iron Hands @ Leftovers\nWhat is this").contains("teams.txt:2: `What is this`"));
    assert!(said("Iron Hands\nEVs: 252 Speed").contains("252 HP / 4 SpD"));
    assert!(said(&"Iron Hands\n\n".repeat(7)).contains("teams.txt:13: a team has 6 members"));
    assert!(said(&"x".repeat(100)).contains("more than 60 characters"));
}

#[test]
fn files_and_directories_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    put("b.packed", &format!("\u{feff}{PACKED}\n\n{PACKED}\n"));
    put("a.txt", &format!("=== [gen9vgc2024regg] One ===\n\n{TEXT}\n\n=== Two ===\nPikachu\n"));
    put(".hidden", "nonsense: |");
    let found = read(dir.path()).unwrap();
    let places: Vec<_> = found.iter().map(|one| one.place.rsplit('/').next().unwrap()).collect();
    assert_eq!(places, ["a.txt, [gen9vgc2024regg] One", "a.txt, Two"], "the same team counts once");
    assert_eq!(found[1].team.members[0].species, "Pikachu");
    assert_eq!(read(&dir.path().join("b.packed")).unwrap().len(), 1);
    put("empty", "\n\n");
    let said = |name: &str| read(&dir.path().join(name)).unwrap_err().to_string();
    assert!(said("empty").contains("holds no team"));
    assert!(said("nowhere").contains("cannot read"));
    std::fs::write(dir.path().join("bytes"), [0xff, 0xfe, 0]).unwrap();
    assert!(said("bytes").contains("cannot read"));
    #[cfg(unix)]
    assert!(read("/dev/zero".as_ref()).unwrap_err().to_string().contains("it is no file"));
    put("large", &"x".repeat(5 << 20));
    assert!(said("large").contains("a file of teams has 4194304 at most"));
}

#[test]
fn teams_are_held_out_by_what_they_are() {
    let teams: Vec<String> = (0..400).map(|number| format!("Team{number}|")).collect();
    let part = |teams: &[String], part| Pool::new(teams.to_vec(), 0.25, part).unwrap();
    let (train, held) = (part(&teams, Part::Train), part(&teams, Part::HeldOut));
    assert_eq!(train.teams().len() + held.teams().len(), 400);
    assert!((60..140).contains(&held.teams().len()), "{}", held.teams().len());
    assert!(held.teams().iter().all(|team| !train.teams().contains(team)));
    // Others that come later, and another order, change nothing.
    let mut more: Vec<String> = teams.iter().rev().cloned().collect();
    more.extend((400..500).map(|number| format!("Team{number}|")));
    assert!(held.teams().iter().all(|team| part(&more, Part::HeldOut).teams().contains(team)));
    // Few teams: each part has one.
    for few in 2..6 {
        for which in [Part::Train, Part::HeldOut, Part::All] {
            assert!(!part(&teams[..few], which).teams().is_empty());
        }
    }
    assert_eq!(Pool::new(teams[..1].to_vec(), 0.25, Part::HeldOut), None);
    assert_eq!(Pool::new(teams.clone(), 0.0, Part::Train).unwrap().teams().len(), 400);
}

#[test]
fn draws_follow_from_the_seed_and_come_to_all() {
    let teams: Vec<String> = (0..5).map(|number| number.to_string()).collect();
    let pool = Pool::new(teams, 0.0, Part::All).unwrap();
    let mut met = std::collections::HashMap::<_, usize>::new();
    for seed in 0..2500 {
        let pair = (pool.draw(seed, 0), pool.draw(seed, 1));
        assert_eq!(pair, (pool.draw(seed, 0), pool.draw(seed, 1)));
        *met.entry(pair).or_default() += 1;
    }
    assert_eq!(met.len(), 25);
    assert!(met.values().all(|count| (50..200).contains(count)), "{met:?}");
}

#[test]
fn ours_are_many_and_whole() {
    for format in &FORMATS {
        let teams = ours(format);
        assert!(teams.len() >= 8, "{}: {}", format.id, teams.len());
        for Found { place, team } in &teams {
            assert_eq!(team.members.len(), 6, "{} {place}", format.id);
            // Ditto has one move.
            assert!(
                team.members.iter().all(|m| m.moves.len() == 4 || m.species == "Ditto"),
                "{place}"
            );
            assert_eq!(&Team::from_packed(&team.packed()).unwrap(), team);
        }
    }
}

#[test]
fn ours_and_the_given_ones_may_be_played() {
    let Ok(install) = install::locate(None) else {
        println!("skipped: there is no simulator here");
        return;
    };
    let given = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/vgc");
    if !given.is_dir() {
        println!("skipped in part: there are no given teams here");
    }
    let mut teams = Vec::new();
    for format in &FORMATS {
        let file = given.join(format!("teams_{}.packed", format.id));
        let given = if file.is_file() { read(&file).unwrap() } else { Vec::new() };
        teams.extend(ours(format).into_iter().chain(given).map(|found| (format, found)));
    }
    for format in &FORMATS {
        let own: Vec<Team> = ours(format).into_iter().map(|found| found.team).collect();
        let more = mixed(&own, format.dex(), 60);
        assert!(more.iter().filter(|team| !own.contains(team)).count() > 55, "{}", format.id);
        let place = |i: usize| format!("mixed team {i}");
        let found = more.into_iter().enumerate().map(|(i, team)| Found { place: place(i), team });
        teams.extend(found.map(|found| (format, found)));
    }
    let asked: Vec<_> = teams.iter().map(|(format, found)| (*format, &found.team)).collect();
    let verdicts = validate::validate_each(&install, &asked).unwrap();
    for ((format, found), problems) in teams.iter().zip(verdicts) {
        assert!(problems.is_empty(), "{} {}: {problems:?}", format.id, found.place);
    }
}

#[test]
fn the_validator_says_what_is_wrong() {
    let Ok(install) = install::locate(None) else {
        println!("skipped: there is no simulator here");
        return;
    };
    let format = &FORMATS[2];
    let mut found = ours(format);
    found[1].team.members[0].moves[0] = "Spore".into();
    found[1].team.members[0].species = "Incineroar".into();
    let said = check(&install, format, &found).unwrap_err().to_string();
    assert!(said.contains("can't learn Spore") && said.contains(format.id), "{said}");
    let broken = install::Install { package: "/nowhere".into(), ..install };
    let said = check(&broken, format, &found).unwrap_err().to_string();
    assert!(said.contains("Cannot find module") && said.contains("lanista vgc setup"), "{said}");
}

proptest! {
    /// Whatever is written, reading ends in a team or an error, and what was read is written back the same.
    #[test]
    fn any_text_is_safe(text in "(\\PC|\n|\\||\\]|,){0,400}") {
        if let Ok(found) = read_text(&text, "x") {
            for one in found {
                if one.team.members.iter().all(|member| member.species.is_ascii()) {
                    let again = Team::from_packed(&one.team.packed());
                    prop_assert!(again.is_ok(), "{:?}", again);
                }
            }
        }
    }

    #[test]
    fn a_damaged_team_is_safe(
        at in 0..PACKED.len(), with in "\\PC{0,4}", text in any::<bool>(), cut in any::<bool>(),
    ) {
        let whole = if text { TEXT } else { PACKED };
        let at = at.min(whole.len());
        let damaged = format!("{}{with}{}", &whole[..at], if cut { "" } else { &whole[at..] });
        let _ = read_text(&damaged, "x");
    }
}
