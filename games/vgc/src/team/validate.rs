//! Showdown's own word on whether a team may be played.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use super::{Found, Team, TeamError};
use crate::format::Format;
use crate::install::Install;

/// Most bytes that the validator's answer may have, for every team.
const ANSWER: u64 = 1 << 16;

/// Why the validator did not answer.
#[derive(Debug, thiserror::Error)]
pub enum ValidatorError {
    /// Node cannot be started or spoken with.
    #[error(
        "cannot ask the team validator: node does not run ({0}); `lanista vgc setup` checks the install"
    )]
    Node(#[source] std::io::Error),
    /// It failed.
    #[error("the team validator failed: {0}; `lanista vgc setup` checks the install")]
    Failed(String),
}

/// What Showdown's validator says against each of some teams: nothing if it may be played. One process of node
/// is asked about all of them, which takes it a second or two to begin.
pub fn validate(
    install: &Install,
    format: &Format,
    teams: &[Team],
) -> Result<Vec<Vec<String>>, ValidatorError> {
    validate_each(install, &teams.iter().map(|team| (format, team)).collect::<Vec<_>>())
}

/// The same for teams of several formats.
pub(super) fn validate_each(
    install: &Install,
    teams: &[(&Format, &Team)],
) -> Result<Vec<Vec<String>>, ValidatorError> {
    let packed: Vec<_> = teams.iter().map(|(format, team)| (format.id, team.packed())).collect();
    let question = serde_json::json!(packed).to_string();
    let mut child = Command::new(&install.node)
        .args(["-e", include_str!("validate.js")])
        .arg(&install.package)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(ValidatorError::Node)?;
    let mut to = child.stdin.take().expect("it is piped");
    let mut errors = child.stderr.take().expect("it is piped");
    let from = child.stdout.take().expect("it is piped");
    // Three pipes at once, so that nobody waits for a reader who waits for them.
    let (answer, words) = std::thread::scope(|scope| {
        let complaints = scope.spawn(move || {
            let mut words = Vec::new();
            let _ = Read::by_ref(&mut errors).take(ANSWER).read_to_end(&mut words);
            let _ = std::io::copy(&mut errors, &mut std::io::sink());
            words
        });
        // A child that ended before it read everything says why on its other streams.
        scope.spawn(move || to.write_all(question.as_bytes()));
        let mut answer = Vec::new();
        let most = ANSWER * (teams.len() as u64 + 1);
        let read = from.take(most).read_to_end(&mut answer).map(|_| answer);
        (read, complaints.join().unwrap_or_default())
    });
    let status = child.wait().map_err(ValidatorError::Node)?;
    if !status.success() {
        let words = String::from_utf8_lossy(&words);
        let error = words.lines().find(|line| line.contains("Error")).unwrap_or("no reason given");
        return Err(ValidatorError::Failed(error.chars().take(200).collect()));
    }
    let nonsense = |why: String| ValidatorError::Failed(format!("it answered nonsense ({why})"));
    let problems: Vec<Option<Vec<String>>> =
        serde_json::from_slice(&answer.map_err(ValidatorError::Node)?)
            .map_err(|error| nonsense(error.to_string()))?;
    if problems.len() != teams.len() {
        return Err(nonsense(format!("{} answers for {} teams", problems.len(), teams.len())));
    }
    Ok(problems.into_iter().map(Option::unwrap_or_default).collect())
}

/// Refuses the first of some teams that may not be played, in the validator's words.
pub fn check(install: &Install, format: &Format, found: &[Found]) -> Result<(), TeamError> {
    let teams: Vec<Team> = found.iter().map(|one| one.team.clone()).collect();
    let verdicts = validate(install, format, &teams)?;
    match found.iter().zip(verdicts).find(|(_, problems)| !problems.is_empty()) {
        None => Ok(()),
        Some((one, problems)) => {
            let format = Format::of(format.id).map_or("that format", |format| format.id);
            Err(TeamError::Refused { place: one.place.clone(), format, problems })
        }
    }
}
