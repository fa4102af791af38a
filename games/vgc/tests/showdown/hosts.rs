//! Processes that play battles: real ones, and ones that die, hang or babble.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use lanista_vgc::dex;
use lanista_vgc::host::{Engine, HostError, Opening, Patience, Pool, Post, Reply, Seed};
use lanista_vgc::install;

const FORMAT: &str = "gen9vgc2024regg";
/// Valid in [`FORMAT`].
const TEAM: &str = include_str!("../team.packed");

/// What a test of the real simulator runs on; nothing where there is none.
fn real() -> Option<Engine> {
    match install::locate(None) {
        Ok(install) => Some(Engine {
            node: install.node,
            package: install.package,
            version: dex::version().to_owned(),
            formats: vec![FORMAT.to_owned()],
            patience: Patience::default(),
        }),
        Err(error) => {
            println!("skipped: {error}");
            None
        }
    }
}

fn opening(seed: u64) -> Opening<'static> {
    let team = TEAM.trim_end();
    let seed = Seed::Number(seed);
    Opening { format: FORMAT, seed, teams: [team; 2], names: ["a", "b"], open_sheets: false }
}

/// Waits for the next post, looking after the processes meanwhile.
fn next(pool: &Arc<Pool>, posts: &Receiver<Post>) -> Post {
    for _ in 0..600 {
        if let Ok(post) = posts.recv_timeout(Duration::from_millis(100)) {
            return post;
        }
        pool.look();
    }
    panic!("nothing came");
}

#[test]
fn battles_are_played_and_repeat() {
    let Some(engine) = real() else { return };
    let pool = Pool::open(&engine, 2).unwrap();
    assert!(Arc::ptr_eq(&pool, &Pool::open(&engine, 2).unwrap()), "processes are shared");
    let (post, posts) = channel();
    let battles: Vec<_> =
        (0..2).map(|key| pool.start(&opening(5), key, 0, &post).unwrap()).collect();
    let mut logs = [String::new(), String::new()];
    let (mut over, mut inputs) = (0, Vec::new());
    // Each battle goes on at the pace of its own process.
    let mut questions = [0; 2];
    while over < 2 {
        let Post { key, question: asked, reply } = next(&pool, &posts);
        assert_eq!(asked, questions[key]);
        let Reply::Told(told) = reply else { panic!("{reply:?}") };
        logs[key].push_str(&format!("{}\n{:?}\n{:?}\n", told.all, told.lines, told.health));
        if let Some(end) = told.end {
            over += 1;
            inputs.push(end.input);
            assert!(told.requests.iter().all(Option::is_none));
            continue;
        }
        let waits = |side: usize| told.requests[side].as_ref().is_none_or(|r| r.wait);
        let choice = |side: usize| (!waits(side)).then_some("default");
        questions[key] += 1;
        assert!(questions[key] < 500, "it does not end");
        battles[key].choose(questions[key], [choice(0), choice(1)]).unwrap();
    }
    assert_eq!(logs[0], logs[1], "the same seed and choices");
    assert!(logs[0].contains("|win|") && !logs[0].contains("|t:|"), "{}", logs[0]);
    assert!(
        inputs[0].starts_with(">start {\"formatid\":\"gen9vgc2024regg\",\"seed\":\"0,0,0,5\"}")
    );
}

#[test]
fn many_battles_at_once_say_more_than_a_pipe_holds() {
    let Some(engine) = real() else { return };
    let pool = Pool::open(&engine, 1).unwrap();
    let (post, posts) = channel();
    let battles: Vec<_> =
        (0..128).map(|key| pool.start(&opening(key as u64), key, 0, &post).unwrap()).collect();
    for _ in &battles {
        let Post { reply, .. } = next(&pool, &posts);
        assert!(matches!(reply, Reply::Told(_)), "{reply:?}");
    }
}

#[test]
fn a_side_sees_what_it_may_and_open_sheets_where_they_are_open() {
    let Some(engine) = real() else { return };
    let pool = Pool::open(&engine, 2).unwrap();
    let (post, posts) = channel();
    let open = Opening { open_sheets: true, ..opening(1) };
    let battle = pool.start(&open, 0, 0, &post).unwrap();
    let told = |post: Post| match post.reply {
        Reply::Told(told) => told,
        Reply::Lost(why) => panic!("{why}"),
    };
    let first = told(next(&pool, &posts));
    assert!(first.lines[0].contains("|showteam|p2|"), "{}", first.lines[0]);
    battle.choose(1, [Some("team 1234"), Some("team 1234")]).unwrap();
    let second = told(next(&pool, &posts));
    let line = |of: &str, side: &str| {
        of.lines().find(|line| line.starts_with(&format!("|switch|{side}a"))).unwrap().to_owned()
    };
    assert!(line(&second.lines[0], "p2").ends_with("100/100"), "{}", second.lines[0]);
    assert!(!line(&second.lines[1], "p2").ends_with("100/100"), "{}", second.lines[1]);
}

#[test]
fn a_refused_choice_is_told_and_the_other_one_stands() {
    let Some(engine) = real() else { return };
    let pool = Pool::open(&engine, 2).unwrap();
    let (post, posts) = channel();
    let battle = pool.start(&opening(3), 0, 0, &post).unwrap();
    next(&pool, &posts);
    battle.choose(1, [Some("team 1234"), Some("team 1234")]).unwrap();
    next(&pool, &posts);
    battle.choose(2, [Some("switch 2, pass"), Some("default")]).unwrap();
    let Reply::Told(told) = next(&pool, &posts).reply else { panic!() };
    assert!(told.errors[0].as_ref().unwrap().starts_with("[Invalid choice] Can't switch"));
    assert_eq!((&told.errors[1], told.turn, told.all.as_str()), (&None, 1, ""));
    assert!(!told.requests[0].as_ref().unwrap().wait, "it is asked again");
    battle.choose(3, [Some("default"), None]).unwrap();
    let Reply::Told(told) = next(&pool, &posts).reply else { panic!() };
    assert_eq!((told.turn, &told.errors), (2, &[None, None]), "the other's choice was kept");
}

#[test]
fn the_simulator_judges_teams_in_its_own_words() {
    let Some(engine) = real() else { return };
    let pool = Pool::open(&engine, 2).unwrap();
    let good = pool.validate(FORMAT, TEAM).unwrap();
    assert_eq!(good.problems, [""; 0]);
    let bad = pool.validate(FORMAT, "Pikachu\n- Thunderbolt").unwrap();
    assert!(bad.problems[0].contains("at least 4"), "{bad:?}");
    assert!(!pool.validate(FORMAT, "").unwrap().problems.is_empty());
    // A stumbling validator is a bad team, not a dead process.
    assert!(!pool.validate("gen9nothing", TEAM).unwrap().problems.is_empty());
    assert!(pool.validate(FORMAT, TEAM).unwrap().problems.is_empty());
}

/// A program that says it is the simulator, then runs these words of the shell.
#[cfg(unix)]
fn fake(place: &tempfile::TempDir, hello: bool, then: &str) -> Engine {
    use std::os::unix::fs::PermissionsExt;
    let node = place.path().join("node");
    let version = dex::version();
    let hello = match hello {
        true => format!(
            "read line\necho '{{\"question\":0,\"version\":\"{version}\",\"node\":\"1\"}}'\n"
        ),
        false => String::new(),
    };
    std::fs::write(&node, format!("#!/bin/sh\n{hello}{then}\n")).unwrap();
    std::fs::set_permissions(&node, std::fs::Permissions::from_mode(0o755)).unwrap();
    let patience = Patience { start: Duration::from_secs(20), answer: Duration::from_millis(400) };
    let (package, version) = (PathBuf::from("nowhere"), version.to_owned());
    Engine { node, package, version, formats: Vec::new(), patience }
}

/// Starts a battle there; returns why it was lost.
#[cfg(unix)]
fn lost(engine: &Engine) -> String {
    let pool = Pool::open(engine, 1).unwrap();
    let (post, posts) = channel();
    let _battle = pool.start(&opening(1), 7, 9, &post).unwrap();
    let post = next(&pool, &posts);
    assert_eq!((post.key, post.question), (7, 9));
    match post.reply {
        Reply::Lost(why) => why,
        Reply::Told(told) => panic!("{told:?}"),
    }
}

#[cfg(unix)]
#[test]
fn whoever_dies_hangs_or_babbles_is_named() {
    for (then, named) in [
        ("read line; echo oh no >&2; exit 3", "died: exit status: 3; it said: oh no"),
        ("read line; kill -9 $$", "died: signal: 9"),
        ("exec sleep 60", "has not answered for 0.4 s"),
        ("read line; exec sleep 60 >&-", "closed its output"),
        ("read line; echo lorem ipsum; exec sleep 60", "answered nonsense: lorem ipsum"),
        ("read line; echo '{\"question\":9,\"battle\":0}'; exec sleep 60", "nonsense"),
        ("read line; echo '[[[[[['; exec sleep 60", "nonsense"),
        ("read line; exec tr '\\0' x </dev/zero", "more than 8 MB at once"),
    ] {
        let place = tempfile::tempdir().unwrap();
        let why = lost(&fake(&place, true, then));
        assert!(why.contains(named) && why.contains("simulator process 1 (pid "), "{then}: {why}");
    }
}

#[cfg(unix)]
#[test]
fn what_never_gets_ready_is_named() {
    let place = tempfile::tempdir().unwrap();
    let open = |engine: &Engine| Pool::open(engine, 1).err().unwrap();
    let error = open(&fake(&place, false, "echo cannot find module >&2; exit 1"));
    assert!(error.to_string().contains("cannot find module"), "{error}");
    let mut silent = fake(&place, false, "exec sleep 60");
    silent.patience.start = Duration::from_millis(300);
    assert!(open(&silent).to_string().contains("has not answered for 0.3 s"));
    let mut other = fake(&place, true, "exec sleep 60");
    other.version = "9.9.9".into();
    let error = open(&other);
    assert!(matches!(error, HostError::Version { .. }), "{error}");
    assert!(error.to_string().contains("lanista vgc setup"), "{error}");
    let missing = Engine { node: place.path().join("nobody"), ..other };
    let error = open(&missing);
    assert!(error.to_string().contains("nobody") && error.to_string().contains("nodejs.org"));
}

/// Questions to a process that has gone are answered at once, and the next battle gets another process.
#[cfg(unix)]
#[test]
fn a_process_that_dies_is_replaced() {
    let Some(engine) = real() else { return };
    let pool = Pool::open(&Engine { formats: Vec::new(), ..engine }, 1).unwrap();
    let (post, posts) = channel();
    let battle = pool.start(&opening(3), 0, 0, &post).unwrap();
    next(&pool, &posts);
    let pid = pool.pids()[0];
    let killed = std::process::Command::new("kill").args(["-9", &pid.to_string()]).status();
    assert!(killed.unwrap().success());
    let mut error = None;
    for _ in 0..100 {
        error = battle.choose(1, [Some("default"), Some("default")]).err();
        if error.is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let error = error.unwrap().to_string();
    assert!(error.contains(&format!("(pid {pid}) died: signal: 9")), "{error}");
    while posts.try_recv().is_ok() {}
    let _battle = pool.start(&opening(3), 4, 2, &post).unwrap();
    let answer = next(&pool, &posts);
    assert!(matches!(answer.reply, Reply::Told(_)), "{answer:?}");
    assert_ne!(pool.pids()[0], pid);
}
