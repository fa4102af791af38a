//! Lines of `metrics.jsonl`, read into numbers.
//!
//! Every line of a run has nearly the same keys in the same order, so a reader remembers where it was: each
//! object of the line before is a node with its children in order, and the next key is compared with the one
//! that came next last time. No tree is built and nothing is allocated for a line. What is not written as our
//! own writer writes it (an escaped key, blanks, a deep nest) goes through `serde_json` instead; both ways give
//! the same numbers.
//!
//! A number is known by the keys on the way to it: `entropy`, `terms/goal`, `roles/runner/entropy`. Lists of
//! pairs `["goal", 0.5]`, as evaluations have, are read like objects; of other lists the place is the name.

use serde_json::Value;

/// The most metrics of a run: a file that is no run of ours must not fill the memory.
pub const MOST_METRICS: usize = 4096;
/// The longest name of a metric.
const LONGEST_NAME: usize = 256;
/// The deepest nest that is followed.
const DEEPEST: usize = 6;

/// Where something stands in a line: what a key may lead to.
#[derive(Default)]
struct Node {
    /// Keys below it in the order in which they were met, and where they lead.
    children: Vec<(Box<[u8]>, usize)>,
    /// The child that came after this one last time is tried first.
    next: usize,
    /// The number of the metric that stands here, if one ever did.
    metric: Option<usize>,
    /// All keys on the way.
    name: String,
}

/// Reads lines one after the other.
pub struct Lines {
    nodes: Vec<Node>,
    names: Vec<String>,
    /// `[metrics]`: what the line has; not a number where it has nothing.
    values: Vec<f64>,
    touched: Vec<usize>,
    stage: Option<String>,
    transition: Option<Value>,
}

/// What a line holds besides numbers.
#[derive(Debug, Default, PartialEq)]
pub struct Remarkable {
    /// The stage of the curriculum.
    pub stage: Option<String>,
    /// What it led to, if it led to another stage.
    pub transition: Option<Value>,
}

/// Not as our own writer writes it, or no JSON at all.
struct Unusual;

impl Default for Lines {
    fn default() -> Self {
        Self {
            nodes: vec![Node::default()],
            names: Vec::new(),
            values: Vec::new(),
            touched: Vec::new(),
            stage: None,
            transition: None,
        }
    }
}

impl Lines {
    /// `[metrics]`: the names met so far.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// `[metrics]`: the numbers of the latest line, not a number where it had none.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Those that the latest line had, in no order.
    pub fn touched(&self) -> &[usize] {
        &self.touched
    }

    /// Reads a line without its end. `None` if it is no JSON object.
    pub fn read(&mut self, line: &[u8]) -> Option<Remarkable> {
        self.forget();
        let mut fast = Fast { line, at: 0 };
        if fast.object(self, 0, 0).is_err() || fast.at != line.len() {
            self.forget();
            let value: Value = serde_json::from_slice(line).ok()?;
            self.object(&value, 0, 0)?;
        }
        Some(Remarkable { stage: self.stage.take(), transition: self.transition.take() })
    }

    fn forget(&mut self) {
        for &metric in &self.touched {
            self.values[metric] = f64::NAN;
        }
        self.touched.clear();
        (self.stage, self.transition) = (None, None);
    }

    /// Where a key leads from a node; `None` if it is not followed.
    #[inline]
    fn child(&mut self, node: usize, key: &[u8]) -> Option<usize> {
        let own = &mut self.nodes[node];
        let guess = own.next;
        if let Some((known, child)) = own.children.get(guess)
            && **known == *key
        {
            own.next = guess + 1;
            return Some(*child);
        }
        self.sought(node, key)
    }

    fn sought(&mut self, node: usize, key: &[u8]) -> Option<usize> {
        let own = &mut self.nodes[node];
        if let Some(at) = own.children.iter().position(|(known, _)| **known == *key) {
            own.next = at + 1;
            return Some(own.children[at].1);
        }
        let text = std::str::from_utf8(key).ok()?;
        let name = match node {
            0 => text.to_owned(),
            _ => format!("{}/{text}", own.name),
        };
        if name.len() > LONGEST_NAME || self.nodes.len() >= 2 * MOST_METRICS {
            return None;
        }
        let new = self.nodes.len();
        let own = &mut self.nodes[node];
        own.children.push((key.into(), new));
        own.next = own.children.len();
        self.nodes.push(Node { name, ..Node::default() });
        Some(new)
    }

    #[inline]
    fn set(&mut self, node: usize, value: f64) {
        let metric = match self.nodes[node].metric {
            Some(metric) => metric,
            None => {
                if self.names.len() >= MOST_METRICS {
                    return;
                }
                let metric = self.names.len();
                self.nodes[node].metric = Some(metric);
                self.names.push(self.nodes[node].name.clone());
                self.values.push(f64::NAN);
                metric
            }
        };
        if self.values[metric].is_nan() {
            self.touched.push(metric);
        }
        self.values[metric] = value;
    }

    /// The slow way.
    fn object(&mut self, value: &Value, node: usize, depth: usize) -> Option<()> {
        self.nodes[node].next = 0;
        for (key, value) in value.as_object()? {
            if depth == 0 {
                match (key.as_str(), value) {
                    ("stage", Value::String(stage)) => self.stage = Some(stage.clone()),
                    ("transition", Value::Object(_)) => self.transition = Some(value.clone()),
                    _ => {}
                }
                if key == "stage" || key == "transition" {
                    continue;
                }
            }
            let Some(child) = self.child(node, key.as_bytes()) else { continue };
            self.value(value, child, depth + 1);
        }
        Some(())
    }

    fn value(&mut self, value: &Value, node: usize, depth: usize) {
        match value {
            Value::Number(number) => {
                if let Some(number) = number.as_f64().filter(|n| n.is_finite()) {
                    self.set(node, number);
                }
            }
            Value::Object(_) if depth < DEEPEST => drop(self.object(value, node, depth)),
            Value::Array(list) if depth < DEEPEST => {
                self.nodes[node].next = 0;
                for (place, item) in list.iter().enumerate() {
                    let (key, item) = match item.as_array().map(Vec::as_slice) {
                        Some([Value::String(name), number @ Value::Number(_)]) => {
                            (name.clone(), number)
                        }
                        _ => (place.to_string(), item),
                    };
                    if let Some(child) = self.child(node, key.as_bytes()) {
                        self.value(item, child, depth + 1);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The fast way through a line.
struct Fast<'a> {
    line: &'a [u8],
    at: usize,
}

impl<'a> Fast<'a> {
    #[inline]
    fn peek(&self) -> Result<u8, Unusual> {
        self.line.get(self.at).copied().ok_or(Unusual)
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Result<(), Unusual> {
        if self.peek()? != byte {
            return Err(Unusual);
        }
        self.at += 1;
        Ok(())
    }

    /// A string without escapes, without its quotes.
    #[inline]
    fn string(&mut self) -> Result<&'a [u8], Unusual> {
        self.expect(b'"')?;
        let begin = self.at;
        loop {
            match self.peek()? {
                b'"' => break,
                // Escapes, and what a string of JSON may not hold.
                b'\\' | 0..0x20 => return Err(Unusual),
                _ => self.at += 1,
            }
        }
        let text = &self.line[begin..self.at];
        self.at += 1;
        if text.is_ascii() || std::str::from_utf8(text).is_ok() { Ok(text) } else { Err(Unusual) }
    }

    fn object(&mut self, lines: &mut Lines, node: usize, depth: usize) -> Result<(), Unusual> {
        self.expect(b'{')?;
        lines.nodes[node].next = 0;
        if self.peek()? == b'}' {
            self.at += 1;
            return Ok(());
        }
        loop {
            let key = self.string()?;
            self.expect(b':')?;
            if depth == 0 && (key == b"stage" || key == b"transition") {
                self.remarkable(lines, key)?;
            } else {
                let child = lines.child(node, key);
                self.value(lines, child, depth + 1)?;
            }
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => break,
                _ => return Err(Unusual),
            }
        }
        self.at += 1;
        Ok(())
    }

    /// `stage` and `transition`: seldom more than a name and a null.
    fn remarkable(&mut self, lines: &mut Lines, key: &[u8]) -> Result<(), Unusual> {
        match (self.peek()?, key) {
            (b'n', _) => self.word(b"null"),
            (b'"', b"stage") => {
                let text = std::str::from_utf8(self.string()?).map_err(|_| Unusual)?;
                lines.stage = Some(text.to_owned());
                Ok(())
            }
            // Once in a run: the slow way.
            _ => Err(Unusual),
        }
    }

    #[inline]
    fn value(
        &mut self,
        lines: &mut Lines,
        node: Option<usize>,
        depth: usize,
    ) -> Result<(), Unusual> {
        match self.peek()? {
            b'-' | b'0'..=b'9' => {
                let number = self.number()?;
                if let Some(node) = node.filter(|_| number.is_finite()) {
                    lines.set(node, number);
                }
                Ok(())
            }
            b'n' => self.word(b"null"),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'"' => self.string().map(drop),
            b'{' if depth < DEEPEST => match node {
                Some(node) => self.object(lines, node, depth),
                None => Err(Unusual),
            },
            b'[' if depth < DEEPEST => match node {
                Some(node) => self.list(lines, node, depth),
                None => Err(Unusual),
            },
            _ => Err(Unusual),
        }
    }

    fn list(&mut self, lines: &mut Lines, node: usize, depth: usize) -> Result<(), Unusual> {
        self.expect(b'[')?;
        lines.nodes[node].next = 0;
        if self.peek()? == b']' {
            self.at += 1;
            return Ok(());
        }
        for place in 0.. {
            let begin = self.at;
            match self.pair() {
                Ok((name, number)) => {
                    if let Some(child) = lines.child(node, name).filter(|_| number.is_finite()) {
                        lines.set(child, number);
                    }
                }
                Err(Unusual) => {
                    self.at = begin;
                    let child = lines.child(node, place.to_string().as_bytes());
                    self.value(lines, child, depth + 1)?;
                }
            }
            match self.peek()? {
                b',' => self.at += 1,
                b']' => break,
                _ => return Err(Unusual),
            }
        }
        self.at += 1;
        Ok(())
    }

    /// `["name",number]`
    fn pair(&mut self) -> Result<(&'a [u8], f64), Unusual> {
        self.expect(b'[')?;
        let name = self.string()?;
        self.expect(b',')?;
        let number = self.number()?;
        self.expect(b']')?;
        Ok((name, number))
    }

    #[inline]
    fn word(&mut self, word: &[u8]) -> Result<(), Unusual> {
        if !self.line[self.at..].starts_with(word) {
            return Err(Unusual);
        }
        self.at += word.len();
        Ok(())
    }

    /// A number as JSON writes it: what Rust reads beyond that is refused.
    #[inline]
    fn number(&mut self) -> Result<f64, Unusual> {
        let begin = self.at;
        if self.peek()? == b'-' {
            self.at += 1;
        }
        let whole = self.at;
        let mut mantissa = 0u64;
        while let Some(digit @ b'0'..=b'9') = self.line.get(self.at) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        let digits = self.at - whole;
        if digits == 0 || (digits > 1 && self.line[whole] == b'0') {
            return Err(Unusual);
        }
        let integer = !matches!(self.line.get(self.at), Some(b'.' | b'e' | b'E'));
        if integer && digits <= 15 {
            // Exact, and most numbers of a line are counts.
            let number = mantissa as f64;
            return Ok(if whole > begin { -number } else { number });
        }
        if self.line.get(self.at) == Some(&b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(Unusual);
            }
        }
        if let Some(b'e' | b'E') = self.line.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.line.get(self.at) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(Unusual);
            }
        }
        let text = std::str::from_utf8(&self.line[begin..self.at]).map_err(|_| Unusual)?;
        // A number beyond all bounds is an error of the line for `serde_json`: it decides.
        text.parse().ok().filter(|n: &f64| n.is_finite()).ok_or(Unusual)
    }

    #[inline]
    fn digits(&mut self) -> usize {
        let begin = self.at;
        while let Some(b'0'..=b'9') = self.line.get(self.at) {
            self.at += 1;
        }
        self.at - begin
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// The bits of every number, by name; nothing if the line is no JSON.
    type Bits = Option<BTreeMap<String, u64>>;

    fn numbers(lines: &Lines) -> BTreeMap<String, u64> {
        let named = |&m: &usize| (lines.names()[m].clone(), lines.values()[m].to_bits());
        lines.touched().iter().map(named).collect()
    }

    /// The same line through both doors.
    fn both(text: &str) -> (Bits, Bits) {
        let (mut fast, mut slow) = (Lines::default(), Lines::default());
        let read = fast.read(text.as_bytes()).map(|_| numbers(&fast));
        let value: Option<Value> = serde_json::from_str(text).ok();
        let walked = value.and_then(|v| slow.object(&v, 0, 0)).map(|()| numbers(&slow));
        (read, walked)
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            (-1e3f64..1e3).prop_map(Value::from),
            "[a-z é\"\\\\]{0,6}".prop_map(Value::from),
            ("[a-z]{1,3}", -9f64..9.0).prop_map(|(k, v)| json!([k, v])),
        ];
        leaf.prop_recursive(5, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map("[a-z_\"é]{0,5}", inner, 0..6)
                    .prop_map(|m| Value::Object(m.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_fast_way_gives_what_the_slow_way_gives(value in value(), blanks: bool) {
            let object = json!({"a": value, "stage": null, "b": 1.5});
            let text = if blanks { format!("{object:#}") } else { object.to_string() };
            let (fast, slow) = both(&text);
            prop_assert_eq!(&fast, &slow);
            prop_assert!(fast.is_some());
        }

        #[test]
        fn text_that_is_almost_json_is_judged_alike(
            text in r#"\{"a":[-0-9eE+.\[\]{}",a ntrue]{0,14}\}"#
        ) {
            let (fast, slow) = both(&text);
            prop_assert_eq!(fast, slow);
        }

        #[test]
        fn every_number_has_its_bits(number in any::<f64>().prop_filter("finite", |n| n.is_finite())) {
            let mut lines = Lines::default();
            lines.read(json!({"a": number}).to_string().as_bytes()).unwrap();
            prop_assert_eq!(lines.values()[0].to_bits(), number.to_bits());
        }
    }

    #[test]
    fn a_line_forgets_the_one_before() {
        let mut lines = Lines::default();
        lines.read(br#"{"a":1,"terms":{"goal":2}}"#).unwrap();
        lines.read(br#"{"a":3,"terms":{}}"#).unwrap();
        assert_eq!(lines.names(), ["a", "terms/goal"]);
        assert!(lines.values()[0] == 3.0 && lines.values()[1].is_nan());
        assert!(lines.read(b"nonsense").is_none() && lines.read(b"[1]").is_none());
    }

    #[test]
    fn stages_and_what_they_lead_to_are_heard() {
        let mut lines = Lines::default();
        let heard = lines.read(br#"{"a":1,"stage":"walk","transition":null}"#).unwrap();
        assert_eq!(heard, Remarkable { stage: Some("walk".into()), transition: None });
        let heard = lines.read(br#"{"stage":"walk","transition":{"to":"run"}}"#).unwrap();
        assert_eq!(heard.transition, Some(json!({"to": "run"})));
        let heard = lines.read(br#"{"evaluation":{"terms":[["goal",1.5],["x",2]]}}"#).unwrap();
        assert_eq!(heard, Remarkable::default());
        assert!(lines.names().contains(&"evaluation/terms/goal".to_owned()));
    }

    #[test]
    fn a_hostile_file_makes_no_more_metrics_than_there_may_be() {
        let mut lines = Lines::default();
        for i in 0..3 * MOST_METRICS {
            lines.read(format!("{{\"k{i}\":1}}").as_bytes()).unwrap();
        }
        assert!(lines.names().len() <= MOST_METRICS);
    }
}
