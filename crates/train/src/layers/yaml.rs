//! YAML in, with line numbers and within limits; YAML out, readable again.

use super::error::ConfigError;
use super::node::{Map, Node, Provenance, Value};
use serde::Serialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value as Json};
use serde_saphyr::{Location, MessageFormatter, Spanned, UserMessageFormatter};
use std::fmt;

/// Limits far above any preset and far below what could hurt: a text that goes beyond is hostile
/// or no preset at all. What an alias repeats counts each time.
pub(super) const MAX_BYTES: usize = 1 << 20;
const MAX_NODES: usize = 20_000;
const MAX_DEPTH: usize = 32;

/// Parses a text. An empty one is null; `origin` names the text in errors and in every node.
pub(super) fn parse(text: &str, origin: &Provenance) -> Result<Node, ConfigError> {
    let fail = |at: Option<Location>, problem: String| ConfigError::Syntax {
        source_name: origin.source().into(),
        line: at.map(|at| at.line()),
        column: at.map(|at| at.column()),
        problem,
    };
    if text.len() > MAX_BYTES {
        return Err(fail(None, format!("larger than {MAX_BYTES} bytes: this is no preset")));
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_nodes: MAX_NODES,
            max_events: 4 * MAX_NODES,
            max_depth: MAX_DEPTH,
        },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 4 * MAX_NODES },
        // `yes`, `on` and `n` may well be names of a game; only true and false are booleans.
        strict_booleans: true,
        reject_unsupported_tags: true,
        with_snippet: false,
    };
    serde_saphyr::with_deserializer_from_str_with_options(text, options, |deserializer| {
        Builder(origin.clone()).deserialize(deserializer)
    })
    .map_err(|error| {
        fail(error.location(), UserMessageFormatter.format_message(&error).into_owned())
    })
}

/// Builds the tree of a YAML text; the origin is the one of the node under construction.
struct Builder(Provenance);

impl Builder {
    fn scalar<E>(self, scalar: impl Into<Json>) -> Result<Node, E> {
        Ok(Node { value: Value::Scalar(scalar.into()), origin: self.0 })
    }
}

impl<'de> DeserializeSeed<'de> for Builder {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Builder {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a scalar, a list or a map")
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        self.scalar(Json::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node, E> {
        self.scalar(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Node, E> {
        self.scalar(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Node, E> {
        self.scalar(value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Node, E> {
        match Number::from_f64(value) {
            Some(number) => self.scalar(number),
            None => Err(E::custom(format!("`{value}` is not a finite number"))),
        }
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Node, E> {
        self.scalar(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(Builder(self.0.clone()))? {
            items.push(item);
        }
        Ok(Node { value: Value::List(items), origin: self.0 })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut map = Map::new();
        // A key that looks like a number or a boolean is the text it is spelt as.
        while let Some(key) = access.next_key::<Spanned<String>>()? {
            let origin = self.0.at(key.referenced.line());
            map.insert(key.value, access.next_value_seed(Builder(origin))?);
        }
        Ok(Node { value: Value::Map(map), origin: self.0 })
    }
}

/// Writes a value as YAML that [`load`](super::load) reads back as an equal one.
///
/// Fails rather than write what cannot be read, such as an infinite number: the mistake should
/// show when a run starts, not when it resumes.
pub fn to_yaml(value: &impl Serialize) -> Result<String, ConfigError> {
    // Block scalars fold long lines; quoted ones keep every character where it was.
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    let text = serde_saphyr::to_string_with_options(value, options)
        .map_err(|error| ConfigError::Unwritable(error.to_string()))?;
    match parse(&text, &Provenance::text("the written text")) {
        Ok(_) => Ok(text),
        Err(error) => Err(ConfigError::Unwritable(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeMap;

    fn json(text: &str) -> Json {
        parse(text, &Provenance::text("my.yml")).unwrap().to_json()
    }

    fn problem(text: &str) -> String {
        parse(text, &Provenance::text("my.yml")).unwrap_err().to_string()
    }

    #[test]
    fn scalars_are_what_they_look_like() {
        assert_eq!(
            json("{a: 3e-4, b: -2, c: 1_000, d: true, e: yes, f: '1', g: ~, h: .5, i: on, j:}"),
            json!({"a": 3e-4, "b": -2, "c": 1000, "d": true, "e": "yes", "f": "1", "g": null,
                "h": 0.5, "i": "on", "j": null})
        );
        assert_eq!(json("bot:random: 1"), json!({"bot:random": 1}));
        assert_eq!(json("1: a\ntrue: b\n0.50: c"), json!({"1": "a", "true": "b", "0.50": "c"}));
        assert_eq!(json("\u{feff}a: 1\r\nb: 2\r\n"), json!({"a": 1, "b": 2}));
    }

    #[test]
    fn nothing_is_null() {
        for text in ["", "\n\n", "# only a comment\n", "---\n", "~"] {
            assert_eq!(json(text), Json::Null, "{text:?}");
        }
    }

    #[test]
    fn nodes_know_their_lines() {
        let tree =
            parse("# head\na: 1\nb:\n  c: [1,\n    2]\n", &Provenance::text("my.yml")).unwrap();
        let origin = |path: &[&str]| tree.follow(path).0.origin.to_string();
        assert_eq!(origin(&["a"]), "my.yml (line 2)");
        assert_eq!(origin(&["b", "c"]), "my.yml (line 4)");
        assert_eq!(origin(&["b", "c", "1"]), "my.yml (line 4)", "items stand by their key");
    }

    #[test]
    fn syntax_errors_name_file_line_and_column() {
        assert_eq!(
            problem("a: 1\nb: c: d\n"),
            "my.yml, line 2, column 5: mapping values are not allowed in this context"
        );
        assert_eq!(
            problem("a: 1\na: 2\n"),
            "my.yml, line 2, column 1: duplicate mapping key: a not allowed here"
        );
        for text in ["a: [1", "a: \"x", "a:\n\t- b", "a: *b", "a: @b", "--- 1\n--- 2", "a: !x 1"] {
            assert!(problem(text).starts_with("my.yml, line "), "{}", problem(text));
        }
        for text in ["~: 1", "[1]: 2", "{a: 1}: 2", "a: .inf", "a: .nan", "a: 1e999"] {
            assert!(problem(text).starts_with("my.yml, line 1, "), "{}", problem(text));
        }
    }

    #[test]
    fn hostile_texts_end_quickly() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for i in 1..12 {
            let uses = vec![format!("*a{}", i - 1); 10].join(", ");
            bomb += &format!("a{i}: &a{i} [{uses}]\n");
        }
        let steps: String = (0..1000).map(|i| " ".repeat(i) + "a:\n").collect();
        let wide = "- 1\n".repeat(100_000);
        let huge = "a".repeat(MAX_BYTES + 1);
        let texts = ["[".repeat(100_000), "{a: ".repeat(100_000), "- ".repeat(100_000)];
        let recursive = "a: &a [*a]".to_owned();
        for text in texts.iter().chain([&bomb, &steps, &wide, &huge, &recursive]) {
            let begin = std::time::Instant::now();
            problem(text);
            assert!(begin.elapsed().as_secs() < 5, "{}", &text[..20.min(text.len())]);
        }
        json(&format!("{}1{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH)));
    }

    #[test]
    fn written_values_read_back_equal() {
        let mut all = BTreeMap::from([
            ("numbers", json!([3e-4, 1e-5, 1.0, 0.1, -0.5, 1e300, 5e-324, 0, -3, u64::MAX])),
            ("others", json!([null, true, [], {}, [[1], {"a": {"b": []}}]])),
        ]);
        let texts = [
            "yes",
            "no",
            "n",
            "true",
            "null",
            "~",
            "1e3",
            "1",
            "0x1f",
            ".5",
            "1_000",
            "bot:random",
            "",
            " ",
            " a ",
            "a: b",
            "#",
            "- a",
            "?",
            "*a",
            "&a",
            "!a",
            "%a",
            "@a",
            "[",
            "{",
            ",",
            "'",
            "\"",
            "\\",
            "a\nb\n",
            "a\r\nb",
            "\t",
            "\u{0}",
            "\u{85}",
            "\u{2028}",
            "é",
            "---",
            "<<",
            "=",
            ".inf",
        ];
        all.insert("texts", json!(&texts[..]));
        all.insert("long", json!("lorem ipsum ".repeat(100)));
        all.insert("keys", texts.iter().map(|text| (text.to_string(), json!(1))).collect());
        let text = to_yaml(&all).unwrap();
        assert_eq!(json(&text), json!(all), "{text}");
    }

    #[test]
    fn single_precision_survives_the_way_through_text() {
        let mut bits = 1u32;
        for _ in 0..2000 {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let value = f32::from_bits(bits);
            if value.is_finite() {
                let text = to_yaml(&[value]).unwrap();
                let again: Vec<f32> = serde_json::from_value(json(&text)).unwrap();
                assert_eq!(again, [value], "{text}");
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_not_written() {
        assert!(matches!(to_yaml(&[f64::INFINITY]), Err(ConfigError::Unwritable(_))));
        assert!(matches!(to_yaml(&[f64::NAN]), Err(ConfigError::Unwritable(_))));
    }
}
