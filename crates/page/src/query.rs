//! The part of an address after the question mark.

use crate::refusal::Refusal;

/// The longest path with its question.
pub const LONGEST: usize = 16 << 10;
/// The most parameters.
const MOST: usize = 600;

/// The parameters of a request, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Reads a question.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let mut all = Vec::new();
        for part in text.split('&').filter(|part| !part.is_empty()) {
            if all.len() >= MOST {
                let problem = format!("there are more than {MOST} parameters");
                return Err(Refusal::bad(problem, "the address", "ask for fewer things at once"));
            }
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            all.push((decoded(key)?, decoded(value)?));
        }
        Ok(Self(all))
    }

    /// The value of a parameter that is given once.
    pub fn one(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    /// All values of a parameter.
    pub fn all(&self, key: &str) -> Vec<&str> {
        self.0.iter().filter(|(k, _)| k == key).map(|(_, value)| value.as_str()).collect()
    }

    /// A number, if it is given.
    pub fn number(&self, key: &str) -> Result<Option<f64>, Refusal> {
        let Some(text) = self.one(key).filter(|text| !text.is_empty()) else { return Ok(None) };
        match text.parse::<f64>().ok().filter(|number| number.is_finite()) {
            Some(number) => Ok(Some(number)),
            None => Err(Refusal::bad(format!("`{}` is no number", shown(text)), key, "give one")),
        }
    }

    /// A count within bounds, or what it is when left out.
    pub fn count(&self, key: &str, default: u64, most: u64) -> Result<u64, Refusal> {
        let Some(text) = self.one(key).filter(|text| !text.is_empty()) else { return Ok(default) };
        match text.parse::<u64>().ok().filter(|count| *count <= most) {
            Some(count) => Ok(count),
            None => {
                let problem = format!("`{}` is no count up to {most}", shown(text));
                Err(Refusal::bad(problem, key, "give one"))
            }
        }
    }
}

fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

fn decoded(text: &str) -> Result<String, Refusal> {
    let problem =
        || Refusal::bad("it is not encoded as addresses are", "the address", "write %XX of UTF-8");
    let (mut bytes, mut from) = (Vec::with_capacity(text.len()), text.bytes());
    while let Some(byte) = from.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let mut digit =
                    || from.next().and_then(|d| char::from(d).to_digit(16)).ok_or_else(problem);
                bytes.push((16 * digit()? + digit()?) as u8);
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8(bytes).map_err(|_| problem())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parameters_are_read_in_order() {
        let query = Query::parse("run=a&metric=terms%2Fgoal&run=b+c&points=7&empty=").unwrap();
        assert_eq!(query.all("run"), ["a", "b c"]);
        assert_eq!(query.one("metric"), Some("terms/goal"));
        assert_eq!(query.count("points", 5, 10), Ok(7));
        assert_eq!(query.count("other", 5, 10), Ok(5));
        assert_eq!(query.number("empty"), Ok(None));
        assert!(query.count("points", 5, 6).unwrap_err().what.contains("up to 6"));
        assert!(query.number("run").is_err());
        for bad in ["a=%", "a=%4", "a=%zz", "a=%ff", &"a&".repeat(MOST + 1)] {
            assert_eq!(Query::parse(bad).unwrap_err().status, 400, "{bad:.20}");
        }
    }

    proptest! {
        #[test]
        fn nothing_breaks_the_reader(text in ".{0,80}") {
            let _ = Query::parse(&text);
        }
    }
}
