//! What the clients are answered: when it is whole, and whether it is a decision that the request allows.

use lanista_game::Role;

use crate::formats::Format;
use crate::json::Reader;
use crate::refusal::Refusal;

use super::request::Request;

/// The keys of a reply of pvp-ml's API: the original's clients read no others and miss none.
const PVP_ML: [&str; 6] = ["action", "logProb", "entropy", "values", "probs", "extensionResults"];
/// An unsound reply is shown up to here.
const SHOWN: usize = 300;

/// Is a whole answer here? Answers come one at a time: nothing is asked before. An answer that refuses
/// is an error.
pub fn whole(format: Format, bytes: &[u8]) -> Result<bool, String> {
    let sound = match format {
        Format::Binary => {
            let Some(&length) = bytes.first_chunk::<4>() else { return Ok(false) };
            if bytes.len() < 4 + u32::from_le_bytes(length) as usize {
                return Ok(false);
            }
            bytes.get(4) == Some(&0)
        }
        _ => {
            if bytes.last() != Some(&b'\n') {
                return Ok(false);
            }
            // A good token is answered by our own lines alone.
            bytes.starts_with(b"{\"action\"") || bytes.starts_with(b"{\"ok\"")
        }
    };
    match sound {
        true => Ok(true),
        false => Err(shown(bytes)),
    }
}

fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]);
    text.trim().to_owned()
}

/// Looks at every reply. Requests ask for the most likely actions, so the same one is mostly answered
/// with the same bytes, and whoever has found them sound need not look again.
pub struct Checker<'a> {
    format: Format,
    role: &'a Role,
    /// Forbidden pairs: no request names any.
    forbidden: Vec<bool>,
    /// The last sound reply to each request; none of them is empty.
    sound: Vec<Vec<u8>>,
    /// Replies that were none of what their request allows.
    pub faults: u64,
    /// What was wrong with the first of them.
    pub first_fault: Option<String>,
}

impl<'a> Checker<'a> {
    /// Nothing was seen yet of so many requests.
    pub fn new(format: Format, role: &'a Role, requests: usize) -> Self {
        Self {
            format,
            role,
            forbidden: vec![false; role.pair_values()],
            sound: vec![Vec::new(); requests],
            faults: 0,
            first_fault: None,
        }
    }

    /// Looks at a whole reply to the request of this place.
    pub fn check(&mut self, at: usize, request: &Request, reply: &[u8]) {
        if !reply.is_empty() && self.sound[at] == reply {
            return;
        }
        match self.fault(request, reply) {
            None => reply.clone_into(&mut self.sound[at]),
            Some(fault) => {
                self.faults += 1;
                self.first_fault.get_or_insert_with(|| format!("{fault}: {}", shown(reply)));
            }
        }
    }

    fn fault(&self, request: &Request, reply: &[u8]) -> Option<String> {
        let action = match self.format {
            Format::Binary => binary_action(reply),
            format => json_action(format, reply),
        };
        let action = match action {
            Ok(action) => action,
            Err(fault) => return Some(fault),
        };
        let heads = self.role.heads.len();
        if action.len() != heads {
            return Some(format!("{} choices for {heads} heads", action.len()));
        }
        for (head, &choice) in self.role.heads.iter().zip(&action) {
            let size = head.actions.len();
            if choice as usize >= size {
                return Some(format!("choice {choice} of head {}, which has {size}", head.name));
            }
        }
        match self.role.allows(&action, &request.mask, &self.forbidden) {
            true => None,
            false => Some("a choice that the mask or a requirement forbids".into()),
        }
    }
}

/// The choices in a reply of lines of JSON.
fn json_action(format: Format, reply: &[u8]) -> Result<Vec<u32>, String> {
    let broken = |refusal: Refusal| refusal.message;
    let mut reader = Reader::new(reply);
    reader.begin_object().map_err(broken)?;
    let (mut first, mut action, mut keys) = (true, None, Vec::new());
    while let Some(key) = reader.next_key(&mut first).map_err(broken)? {
        if keys.contains(&key) {
            return Err(format!("`{key}` stands there twice"));
        }
        if key == "action" {
            action = Some(choices(&mut reader).map_err(broken)?);
        } else {
            let span = reader.skip().map_err(broken)?;
            // Nothing but the action was asked for.
            let empty: &[u8] = if key == "extensionResults" { b"[]" } else { b"null" };
            if format == Format::PvpMl && (reply[span] != *empty || !PVP_ML.contains(&&*key)) {
                return Err(format!("`{key}` is not what the API answers"));
            }
        }
        keys.push(key);
    }
    reader.end().map_err(broken)?;
    if format == Format::PvpMl && keys.len() != PVP_ML.len() {
        return Err(format!("{} keys, where the API has {}", keys.len(), PVP_ML.len()));
    }
    action.ok_or_else(|| "no action".to_owned())
}

fn choices(reader: &mut Reader) -> Result<Vec<u32>, Refusal> {
    reader.begin_list("the list `action`")?;
    let (mut first, mut all) = (true, Vec::new());
    while reader.next_element(&mut first)? {
        // What does not fit is out of every head's range.
        all.push(u32::try_from(reader.whole("a choice")?).unwrap_or(u32::MAX));
    }
    Ok(all)
}

/// The choices in a binary reply: length, status, wants, heads, id, version, a `u16` a head.
fn binary_action(reply: &[u8]) -> Result<Vec<u32>, String> {
    const BEGIN: usize = 4 + 1 + 1 + 2 + 4 + 4;
    let cut = || "a reply that ends too soon".to_owned();
    let heads = reply.get(6..8).ok_or_else(cut)?;
    let heads = usize::from(u16::from_le_bytes([heads[0], heads[1]]));
    let choices = reply.get(BEGIN..).ok_or_else(cut)?;
    if choices.len() != 2 * heads {
        return Err(format!("{} bytes for the choices of {heads} heads", choices.len()));
    }
    let choice = |pair: &[u8]| u32::from(u16::from_le_bytes([pair[0], pair[1]]));
    Ok(choices.chunks_exact(2).map(choice).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanista_game::{Condition, Head, Requirement};
    use proptest::prelude::*;

    /// Two heads; `leap` needs `right`.
    fn role() -> Role {
        Role {
            name: "knight".into(),
            heads: vec![
                Head::new("move", ["stay", "left", "right"]),
                Head::new("strike", ["none", "low", "leap"]),
            ],
            requires: vec![Requirement {
                head: 1,
                action: 2,
                condition: Condition::All,
                choices: vec![(0, 2)],
            }],
            ..Role::default()
        }
    }

    fn request(mask: [u8; 6]) -> Request {
        Request { bytes: Vec::new(), mask: mask.map(|bit| bit == 1).to_vec() }
    }

    fn fault(format: Format, mask: [u8; 6], reply: &[u8]) -> Option<String> {
        let role = role();
        let mut checker = Checker::new(format, &role, 1);
        checker.check(0, &request(mask), reply);
        assert_eq!(checker.faults, u64::from(checker.first_fault.is_some()));
        checker.first_fault
    }

    fn api(action: &str) -> String {
        format!(
            "{{\"action\": {action}, \"logProb\": null, \"entropy\": null, \"values\": null, \
             \"probs\": null, \"extensionResults\": []}}\n"
        )
    }

    #[test]
    fn sound_replies_of_the_api_are_none_of_the_faults() {
        for action in ["[0, 0]", "[1,1]", "[2, 2]", "[ 0 , 1 ]"] {
            assert_eq!(fault(Format::PvpMl, [1; 6], api(action).as_bytes()), None, "{action}");
        }
        // A head that nothing is left of takes its first action, and no other.
        assert_eq!(fault(Format::PvpMl, [0, 0, 0, 0, 0, 0], api("[0, 0]").as_bytes()), None);
    }

    #[test]
    fn every_kind_of_fault_is_found() {
        let all = [1; 6];
        for (mask, reply, part) in [
            (all, api("[0]"), "1 choices for 2 heads"),
            (all, api("[0, 0, 0]"), "3 choices for 2 heads"),
            (all, api("[3, 0]"), "choice 3 of head move, which has 3"),
            (all, api("[0, 99999999999]"), "of head strike, which has 3"),
            (all, api("[-1, 0]"), "a choice should stand"),
            (all, api("[0.5, 0]"), "a choice should stand"),
            (all, api("null"), "the list `action` should stand"),
            ([1, 0, 1, 1, 1, 1], api("[1, 0]"), "the mask or a requirement"),
            ([0, 0, 0, 1, 1, 1], api("[1, 0]"), "the mask or a requirement"),
            // Legal by the mask alone; the earlier choice rules it out.
            (all, api("[1, 2]"), "the mask or a requirement"),
            (all, "{\"action\": [0, 0]}\n".into(), "1 keys, where the API has 6"),
            (all, api("[0, 0]").replace("probs", "prob"), "`prob` is not what"),
            (all, api("[0, 0]").replace("values\": null", "values\": 0.5"), "`values` is not what"),
            (all, api("[0, 0]").replace("[]", "[1]"), "`extensionResults` is not what"),
            (all, api("[0, 0]").replace("logProb", "action"), "`action` stands there twice"),
            (all, api("[0, 0]").repeat(2), "the end should stand"),
            (all, api("[0, 0]")[..40].into(), ""),
        ] {
            let found = fault(Format::PvpMl, mask, reply.as_bytes());
            assert!(found.as_ref().is_some_and(|f| f.contains(part)), "{reply}: {found:?}");
        }
        assert!(fault(Format::Short, all, b"{\"other\": 1}\n").unwrap().contains("no action"));
        assert_eq!(fault(Format::Lines, all, b"{\"action\":[2,2],\"version\":1}\n"), None);
    }

    #[test]
    fn the_same_bytes_are_sound_for_their_own_request_alone() {
        let role = role();
        let mut checker = Checker::new(Format::PvpMl, &role, 2);
        let (open, shut) = (request([1; 6]), request([1, 0, 0, 1, 1, 1]));
        let reply = api("[1, 0]");
        for _ in 0..3 {
            checker.check(0, &open, reply.as_bytes());
        }
        assert_eq!(checker.faults, 0);
        for _ in 0..3 {
            checker.check(1, &shut, reply.as_bytes());
        }
        assert_eq!(checker.faults, 3, "faults are never taken for sound");
    }

    /// A binary reply without wants.
    fn binary(choices: &[u16]) -> Vec<u8> {
        let mut body = vec![0, 0];
        body.extend_from_slice(&(choices.len() as u16).to_le_bytes());
        body.extend_from_slice(&[0; 8]);
        choices.iter().for_each(|choice| body.extend_from_slice(&choice.to_le_bytes()));
        [&(body.len() as u32).to_le_bytes()[..], &body].concat()
    }

    #[test]
    fn binary_replies_are_held_to_the_same() {
        let all = [1; 6];
        assert_eq!(fault(Format::Binary, all, &binary(&[2, 2])), None);
        for (choices, part) in [
            (&[2][..], "1 choices for 2 heads"),
            (&[0, 7], "choice 7 of head strike"),
            (&[1, 2], "the mask or a requirement"),
        ] {
            assert!(fault(Format::Binary, all, &binary(choices)).unwrap().contains(part));
        }
        let sound = binary(&[0, 0]);
        for length in 0..sound.len() {
            assert!(fault(Format::Binary, all, &sound[..length]).is_some(), "{length}");
        }
    }

    #[test]
    fn answers_are_whole_at_their_end_and_refusals_are_told() {
        let reply = api("[0, 0]").into_bytes();
        for format in [Format::PvpMl, Format::Short, Format::Lines] {
            assert_eq!(whole(format, &reply[..20]), Ok(false));
            assert_eq!(whole(format, &reply), Ok(true));
            assert!(whole(format, b"{\"error\": \"no\"}\n").unwrap_err().contains("no"));
        }
        let reply = binary(&[0, 0]);
        assert_eq!(whole(Format::Binary, &reply[..7]), Ok(false));
        assert_eq!(whole(Format::Binary, &reply), Ok(true));
        assert!(whole(Format::Binary, &[1, 0, 0, 0, 9]).is_err());
        // A length of nothing holds no status.
        assert!(whole(Format::Binary, &[0; 4]).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_strange(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            for format in [Format::PvpMl, Format::Short, Format::Lines, Format::Binary] {
                let _ = whole(format, &bytes);
                let _ = fault(format, [1; 6], &bytes);
            }
        }

        #[test]
        fn mutants_of_a_reply_are_no_worse(at in 0usize..100, byte: u8, cut in 0usize..120) {
            let mut reply = api("[2, 2]").into_bytes();
            let place = at % reply.len();
            reply[place] = byte;
            reply.truncate(cut.max(1));
            let _ = fault(Format::PvpMl, [1; 6], &reply);
            let mut reply = binary(&[2, 2]);
            let place = at % reply.len();
            reply[place] = byte;
            let _ = whole(Format::Binary, &reply);
            let _ = fault(Format::Binary, [1; 6], &reply);
        }
    }
}
