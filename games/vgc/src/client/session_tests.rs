//! The conversation, against what a real server said and against what none should.

use proptest::prelude::*;

use super::*;

/// What a server 0.11.11 sent to `alpha one`, who challenged `beta two` to a battle and lost: messages with
/// `<<<` between, timestamps made equal, long lists left out.
const RECORDED: &str = include_str!("../../tests/data/server.txt");
const ROOM: &str = "battle-gen9vgc2024regg-2";

fn plan(seek: Seek) -> Plan {
    Plan {
        name: "alpha one".into(),
        format: Format::of("gen9vgc2024regg").unwrap(),
        teams: vec!["team a".into(), "team b".into()],
        seek,
        battles: 2,
        at_once: 1,
        open_sheets: false,
    }
}

fn at(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// What it sends and what happened, since last asked.
fn drain(session: &mut Session) -> (Vec<String>, Vec<Event>) {
    let (mut sent, mut events) = (Vec::new(), Vec::new());
    while let Some(output) = session.next() {
        match output {
            Output::Send(text) => sent.push(text),
            Output::Event(event) => events.push(event),
        }
    }
    (sent, events)
}

fn logged_in(seek: Seek) -> Session {
    let mut session = Session::new(plan(seek));
    session.receive("|challstr|4|00", at(0));
    session.receive("|updateuser| alpha one|1|265|{}", at(0));
    session
}

/// One that is in a battle with this request open.
fn in_battle() -> Session {
    let mut session = logged_in(Seek::Ladder);
    session.receive(&format!(">{ROOM}\n|init|battle\n|title|a vs. b"), at(1));
    session.receive(&format!(">{ROOM}\n|request|{{\"rqid\":3,\"active\":[]}}"), at(1));
    drain(&mut session);
    session
}

#[test]
fn a_recorded_battle_is_played_to_its_end() {
    let mut session = Session::new(Plan { battles: 1, ..plan(Seek::Challenge("Beta Two".into())) });
    let (mut sent, mut lines, mut asked, mut ended) = (Vec::new(), 0, 0, None);
    for (second, message) in RECORDED.split("\n<<<\n").enumerate() {
        session.receive(message, at(second as u64));
        while let Some(output) = session.next() {
            match output {
                Output::Send(text) => sent.push(text),
                Output::Event(Event::Line { .. }) => lines += 1,
                Output::Event(Event::Asked { room, answer: true, request }) => {
                    asked += 1;
                    let words = if request.team_preview { "team 1234" } else { "default" };
                    session.answer(&room, words);
                }
                Output::Event(Event::Ended { outcome, timed_out, .. }) => {
                    ended = Some((outcome, timed_out));
                }
                Output::Event(_) => {}
            }
        }
    }
    assert_eq!(sent[0], "|/trn alpha one,0,");
    assert_eq!(sent[1..3], ["|/utm team a", "|/challenge betatwo, gen9vgc2024regg"]);
    assert_eq!(sent[3], format!("{ROOM}|/timer on"));
    assert!(sent.contains(&format!("{ROOM}|/rejectopenteamsheets")));
    let previews: Vec<_> = sent.iter().filter(|text| text.contains("/choose team")).collect();
    assert_eq!(previews, [&format!("{ROOM}|/choose team 1234|2")]);
    assert_eq!(sent.last(), Some(&format!("|/leave {ROOM}")));
    let recorded = |kind: &str| RECORDED.matches(kind).count();
    let waits = recorded("|request|{\"wait\":true");
    assert!(recorded("|request|{") - waits >= 5);
    assert_eq!(asked, recorded("|request|{") - waits);
    assert!(lines > 60, "{lines}");
    assert_eq!(ended, Some((Outcome::Lost, false)));
    assert!(session.is_over());
}

#[test]
fn a_rejected_choice_is_asked_again_under_the_same_number() {
    let mut session = in_battle();
    session.answer(ROOM, "move 1, move 1");
    assert_eq!(drain(&mut session).0, [format!("{ROOM}|/choose move 1, move 1|3")]);
    let words = "[Invalid choice] Can't move: Pikachu needs a target";
    let error = format!(">{ROOM}\n|error|{words}");
    session.receive(&error, at(2));
    let again = Event::Rejected { room: ROOM.into(), words: words.into(), answer: true };
    assert_eq!(drain(&mut session).1, [again]);
    session.answer(ROOM, "move 1 +1, move 1");
    assert_eq!(drain(&mut session).0, [format!("{ROOM}|/choose move 1 +1, move 1|3")]);
    // At last Showdown chooses.
    for _ in 1..MOST_REJECTIONS {
        session.receive(&error, at(3));
        session.answer(ROOM, "move 2, move 1");
    }
    let (sent, events) = drain(&mut session);
    assert!(sent.contains(&format!("{ROOM}|/choose default|3")), "{sent:?}");
    assert!(matches!(events.last(), Some(Event::Rejected { answer: false, .. })));
}

#[test]
fn what_is_too_late_is_no_rejection() {
    let mut session = in_battle();
    session.answer(ROOM, "pass, pass");
    for words in [
        "Sorry, too late to make a different move; the next turn has already started",
        "There's nothing to choose",
        "Can't do anything: It's not your turn",
    ] {
        session.receive(&format!(">{ROOM}\n|error|[Invalid choice] {words}"), at(2));
    }
    let (_, events) = drain(&mut session);
    assert_eq!(events.len(), 3);
    assert!(events.iter().all(|event| matches!(event, Event::Notice(_))), "{events:?}");
}

#[test]
fn what_was_hidden_comes_with_a_request_that_knows_of_it() {
    let mut session = in_battle();
    session.answer(ROOM, "switch 3, pass");
    session.receive(&format!(">{ROOM}\n|error|[Unavailable choice] Can't switch: trapped"), at(2));
    session.receive(&format!(">{ROOM}\n|request|{{\"rqid\":4,\"active\":[]}}"), at(2));
    let (_, events) = drain(&mut session);
    assert!(matches!(events[0], Event::Unavailable { .. }));
    assert!(matches!(events[1], Event::Asked { answer: true, .. }));
    session.answer(ROOM, "move 1, pass");
    assert_eq!(drain(&mut session).0, [format!("{ROOM}|/choose move 1, pass|4")]);
}

#[test]
fn a_broken_connection_enters_its_battles_again() {
    let mut session = in_battle();
    session.closed();
    session.tick(at(10));
    session.answer(ROOM, "pass, pass"); // whoever was thinking is too late
    assert_eq!(drain(&mut session), (vec![], vec![]));
    session.receive("|challstr|4|01", at(11));
    // The server has not noticed yet that the first connection is gone.
    let taken = "|nametaken|alpha one|Someone is already using the name \"alpha one\".";
    session.receive(taken, at(11));
    assert_eq!(drain(&mut session).0, ["|/trn alpha one,0,"]);
    session.tick(at(15));
    assert_eq!(drain(&mut session).0, ["|/trn alpha one,0,"]);
    session.receive("|updateuser| alpha one|1|265|{}", at(15));
    session.tick(at(16));
    assert_eq!(drain(&mut session), (vec![], vec![Event::LoggedIn]));
    session.tick(at(19));
    assert_eq!(drain(&mut session).0, [format!("|/join {ROOM}")]);
    let init = format!(">{ROOM}\n|init|battle\n|player|p1|alpha one|1|\n|turn|4");
    session.receive(&init, at(20));
    let open = "{\"rqid\":9,\"active\":[]}";
    session.receive(&format!(">{ROOM}\n|request|{open}\n|sentchoice|pass, pass"), at(20));
    let (sent, events) = drain(&mut session);
    assert!(sent.is_empty(), "{sent:?}");
    assert_eq!(events[0], Event::Began { room: ROOM.into(), again: true });
    // It was answered before the connection broke.
    assert!(matches!(events.last(), Some(Event::Asked { answer: false, .. })));
    assert_eq!(session.running(), 1);
}

#[test]
fn a_battle_that_the_server_has_forgotten_ends() {
    let mut session = in_battle();
    session.closed();
    session.receive("|updateuser| alpha one|1|265|{}", at(5));
    session.receive(&format!(">{ROOM}\n|noinit|nonexistent|The room does not exist."), at(6));
    let (_, events) = drain(&mut session);
    let gone = Event::Ended { room: ROOM.into(), outcome: Outcome::Vanished, timed_out: false };
    assert!(events.contains(&gone), "{events:?}");
    assert_eq!(session.running(), 0);
}

#[test]
fn a_name_in_use_is_told() {
    let mut session = Session::new(plan(Seek::Accept));
    session.receive("|challstr|4|00", at(0));
    session.receive("|nametaken|alpha one|Someone is already using the name.", at(0));
    let (_, events) = drain(&mut session);
    assert!(matches!(&events[..], [Event::Refused(Refusal::Name(name, _))] if name == "alpha one"));
}

#[test]
fn challenges_are_accepted_one_after_the_other() {
    let mut session = logged_in(Seek::Accept);
    drain(&mut session);
    session.receive("|pm| Gamma| alpha one|/challenge gen9ou|gen9ou|||", at(1));
    assert_eq!(drain(&mut session).0, ["|/reject gamma"]);
    session.receive("|pm| Beta Two| alpha one|/challenge gen9vgc2024regg|x|||", at(1));
    session.receive("|pm| Gamma| alpha one|/challenge gen9vgc2024regg|x|||", at(1));
    assert_eq!(drain(&mut session).0, ["|/utm team a", "|/accept betatwo"]);
    session.receive(&format!(">{ROOM}\n|init|battle"), at(2));
    drain(&mut session);
    session.tick(at(5));
    assert_eq!(drain(&mut session).0, Vec::<String>::new(), "one at once");
    session.receive(&format!(">{ROOM}\n|win|Alpha One"), at(6));
    let (sent, events) = drain(&mut session);
    assert_eq!(sent, [&format!("|/leave {ROOM}"), "|/utm team b", "|/accept gamma"]);
    let won = Event::Ended { room: ROOM.into(), outcome: Outcome::Won, timed_out: false };
    assert!(events.contains(&won));
    // Gamma took it back.
    session.receive("|popup|gamma is not challenging you. Maybe they cancelled?", at(7));
    session.tick(at(60));
    assert!(!session.is_over() && drain(&mut session).0.is_empty());
}

#[test]
fn who_is_away_is_challenged_again_for_a_while() {
    let mut session = logged_in(Seek::Challenge("Beta Two".into()));
    let (mut challenges, mut refused) = (0, None);
    for second in 1..300 {
        let (sent, events) = drain(&mut session);
        for _ in sent.iter().filter(|text| text.starts_with("|/challenge")) {
            challenges += 1;
            session.receive("|popup|The user 'betatwo' was not found.", at(second));
        }
        refused = events.into_iter().find(|event| matches!(event, Event::Refused(_))).or(refused);
        if refused.is_some() {
            break;
        }
        session.tick(at(second));
    }
    assert!((20..60).contains(&challenges), "{challenges}");
    assert!(matches!(refused, Some(Event::Refused(Refusal::Absent(..)))));
}

#[test]
fn refusals_have_the_servers_words() {
    for (popup, expected) in [
        (
            "Your team was rejected for the following reasons:||||- Pikachu's level is 3.",
            "level is 3",
        ),
        ("Your selected format is invalid:||||- Nope", "Nope"),
        ("Error: Your format gen9vgc2024regg is not ladderable.", "not ladderable"),
    ] {
        let mut session = logged_in(Seek::Ladder);
        drain(&mut session);
        session.receive(&format!("|popup|{popup}"), at(1));
        let (_, events) = drain(&mut session);
        let [Event::Refused(refusal)] = &events[..] else { panic!("{events:?}") };
        assert!(refusal.to_string().contains(expected), "{refusal}");
    }
}

#[test]
fn a_lost_clock_is_seen() {
    let mut session = in_battle();
    session
        .receive(&format!(">{ROOM}\n|inactive|Time left: 7 sec this turn | 20 sec total"), at(2));
    let clock = Event::Clock { room: ROOM.into(), turn_secs: 7, total_secs: 20 };
    assert_eq!(drain(&mut session).1, [clock]);
    let lost = "|-message|alpha one lost due to inactivity.\n|win|beta two";
    session.receive(&format!(">{ROOM}\n{lost}"), at(20));
    let ended = Event::Ended { room: ROOM.into(), outcome: Outcome::Lost, timed_out: true };
    assert!(drain(&mut session).1.contains(&ended));
}

#[test]
fn a_preview_waits_for_open_sheets() {
    let begin = || {
        let mut session = Session::new(Plan { open_sheets: true, ..plan(Seek::Ladder) });
        session.receive("|updateuser| alpha one|1|265|{}", at(0));
        session.receive(&format!(">{ROOM}\n|init|battle\n|uhtml|otsrequest|<button>"), at(1));
        let preview = "{\"teamPreview\":true,\"rqid\":2}";
        session.receive(&format!(">{ROOM}\n|request|{preview}"), at(1));
        session.tick(at(2));
        let (sent, events) = drain(&mut session);
        assert!(sent.contains(&format!("{ROOM}|/acceptopenteamsheets")), "{sent:?}");
        assert!(!events.iter().any(|event| matches!(event, Event::Asked { .. })), "{events:?}");
        session
    };
    let asks = |session: &mut Session| {
        drain(session).1.iter().any(|event| matches!(event, Event::Asked { answer: true, .. }))
    };
    let mut shown = begin();
    shown.receive(&format!(">{ROOM}\n|showteam|p1|x\n|showteam|p2|y"), at(3));
    assert!(asks(&mut shown));
    let mut rejected = begin();
    rejected.receive(&format!(">{ROOM}\nbeta two rejected open team sheets."), at(3));
    assert!(asks(&mut rejected));
    let mut silent = begin();
    silent.tick(at(30));
    assert!(asks(&mut silent));
    silent.answer(ROOM, "team 1234");
    assert_eq!(drain(&mut silent).0, [format!("{ROOM}|/choose team 1234|2")]);
}

#[test]
fn a_request_that_cannot_be_read_is_left_to_showdown() {
    let mut session = in_battle();
    session.receive(&format!(">{ROOM}\n|request|{{\"rqid\":5,\"active\":7}}"), at(2));
    assert_eq!(drain(&mut session).0, [format!("{ROOM}|/choose default|5")]);
}

/// What is sent is a command to the server or to a room of a battle, a line each, whatever it was made of.
fn is_command(text: &str) -> bool {
    let (room, command) = text.split_once('|').unwrap_or(("?", ""));
    (room.is_empty() || is_battle(room)) && command.starts_with('/') && !text.contains('\n')
}

fn line() -> impl Strategy<Value = String> {
    let kinds = [
        "init",
        "request",
        "error",
        "win",
        "tie",
        "noinit",
        "deinit",
        "sentchoice",
        "inactive",
        "pm",
        "popup",
        "nametaken",
        "challstr",
        "updateuser",
        "uhtml",
        "-message",
        "turn",
        "",
    ];
    let words = [
        "battle",
        "{\"wait\":true}",
        "{\"rqid\":1,\"active\":[]}",
        "{\"rqid\":-1}",
        "[Invalid choice] no",
        "[Unavailable choice] no",
        " alpha one|1|",
        "b| a|/challenge gen9vgc2024regg",
        "b| a|/challenge",
        "Time left: 99999999999 sec this turn | 1 sec total",
        "otsrequest|<",
        "alpha one",
        "é|\u{0}||",
    ];
    (prop::sample::select(kinds.to_vec()), prop::sample::select(words.to_vec()))
        .prop_map(|(kind, words)| format!("|{kind}|{words}"))
}

fn message() -> impl Strategy<Value = String> {
    let rooms = [
        "",
        ">battle-gen9vgc2024regg-1\n",
        ">battle-gen9vgc2024regg-2\n",
        ">battle-gen9ou-1\n",
        ">battle-\u{7f}\n",
        ">\n",
        ">",
    ];
    let framed = (prop::sample::select(rooms.to_vec()), prop::collection::vec(line(), 0..4))
        .prop_map(|(room, lines)| format!("{room}{}", lines.join("\n")));
    prop_oneof![4 => framed, 1 => any::<String>()]
}

proptest! {
    #[test]
    fn no_message_is_too_odd(messages in prop::collection::vec(message(), 0..40), seek in 0..3usize) {
        let seek = [Seek::Accept, Seek::Ladder, Seek::Challenge("b".into())][seek].clone();
        let mut session = Session::new(plan(seek));
        for (second, message) in messages.iter().enumerate() {
            session.receive(message, at(second as u64));
            if second % 11 == 10 {
                session.closed();
            }
            session.tick(at(second as u64));
            while let Some(output) = session.next() {
                match output {
                    Output::Send(text) => prop_assert!(is_command(&text), "{text}"),
                    Output::Event(Event::Asked { room, answer: true, .. }
                        | Event::Rejected { room, answer: true, .. }) =>
                    {
                        session.answer(&room, "default");
                    }
                    Output::Event(_) => {}
                }
            }
            prop_assert!(session.running() <= MOST_ROOMS);
        }
    }
}
