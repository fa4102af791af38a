//! JSON of requests, read in place: lists of numbers go straight into buffers that are used again,
//! and nothing is built of what a request does not need.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use crate::refusal::Refusal;

/// Lists and objects inside each other go no deeper.
const DEPTH: usize = 16;

type Result<T> = std::result::Result<T, Refusal>;

/// A place in a text.
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// At the beginning of a text.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn expected(&self, what: &str) -> Refusal {
        match self.bytes.get(self.at) {
            None => Refusal::malformed(format!("the JSON ends where {what} should stand")),
            Some(_) => {
                let shown = &self.bytes[self.at..(self.at + 12).min(self.bytes.len())];
                let shown = String::from_utf8_lossy(shown);
                let at = self.at + 1;
                Refusal::malformed(format!("{what} should stand at byte {at}, not `{shown}`"))
            }
        }
    }

    /// What stands next, spaces passed over.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(&byte) = self.bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    #[inline]
    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Nothing may follow.
    pub fn end(&mut self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.expected("the end")),
        }
    }

    /// An object begins.
    pub fn begin_object(&mut self) -> Result<()> {
        if self.take(b'{') { Ok(()) } else { Err(self.expected("an object")) }
    }

    /// The next key of an object, or its end.
    pub fn next_key(&mut self, first: &mut bool) -> Result<Option<Cow<'a, str>>> {
        if self.take(b'}') {
            return Ok(None);
        }
        if !std::mem::replace(first, false) && !self.take(b',') {
            return Err(self.expected("a comma or the end of the object"));
        }
        let key = self.string("a key")?;
        if self.take(b':') { Ok(Some(key)) } else { Err(self.expected("a colon")) }
    }

    /// A list begins.
    pub fn begin_list(&mut self, what: &str) -> Result<()> {
        if self.take(b'[') { Ok(()) } else { Err(self.expected(what)) }
    }

    /// Is there another element of a list, or is it at its end?
    #[inline]
    pub fn next_element(&mut self, first: &mut bool) -> Result<bool> {
        if self.take(b']') {
            return Ok(false);
        }
        if !std::mem::replace(first, false) && !self.take(b',') {
            return Err(self.expected("a comma or the end of the list"));
        }
        Ok(true)
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.bytes[self.at..].starts_with(word.as_bytes());
        self.at += if found { word.len() } else { 0 };
        found
    }

    /// Takes a null, if one stands here.
    pub fn null(&mut self) -> bool {
        self.peek() == Some(b'n') && self.word("null")
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, what: &str) -> Result<bool> {
        self.peek();
        if self.word("true") {
            Ok(true)
        } else if self.word("false") {
            Ok(false)
        } else {
            Err(self.expected(what))
        }
    }

    /// The text of a number as it stands.
    #[inline]
    fn number_text(&mut self, what: &str) -> Result<&'a str> {
        self.peek();
        let start = self.at;
        while let Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default();
        // What a programming language reads as a number and JSON does not.
        if text.is_empty() || text.starts_with(['+', '.']) {
            self.at = start;
            return Err(self.expected(what));
        }
        Ok(text)
    }

    /// A finite number; true and false are 1 and 0.
    #[inline]
    pub fn number(&mut self, what: &str) -> Result<f32> {
        if let Some(b't' | b'f') = self.peek() {
            return Ok(f32::from(u8::from(self.boolean(what)?)));
        }
        let start = self.at;
        let text = self.number_text(what)?;
        match text.parse::<f32>() {
            Ok(number) if number.is_finite() => Ok(number),
            Ok(_) => Err(Refusal::malformed(format!("{text} is beyond single precision"))),
            Err(_) => {
                self.at = start;
                Err(self.expected(what))
            }
        }
    }

    /// A whole number that is not negative.
    pub fn whole(&mut self, what: &str) -> Result<u64> {
        let start = self.at;
        let text = self.number_text(what)?;
        text.parse().map_err(|_| {
            self.at = start;
            self.peek();
            self.expected(what)
        })
    }

    /// A list of numbers, appended to `out`. Returns how many.
    pub fn numbers(&mut self, what: &str, out: &mut Vec<f32>) -> Result<usize> {
        self.begin_list(what)?;
        let (before, mut first) = (out.len(), true);
        while self.next_element(&mut first)? {
            out.push(self.number("a number")?);
        }
        Ok(out.len() - before)
    }

    /// A list of true and false, 1 and 0, flat or of lists; appended to `out`.
    pub fn flags(&mut self, what: &str, out: &mut Vec<bool>) -> Result<()> {
        self.begin_list(what)?;
        let mut first = true;
        while self.next_element(&mut first)? {
            if self.peek() == Some(b'[') {
                self.at += 1;
                let mut first = true;
                while self.next_element(&mut first)? {
                    out.push(self.flag()?);
                }
            } else {
                out.push(self.flag()?);
            }
        }
        Ok(())
    }

    #[inline]
    fn flag(&mut self) -> Result<bool> {
        match self.peek() {
            Some(b't' | b'f') => self.boolean("true or false"),
            _ => match self.number_text("true or false")? {
                "0" | "0.0" => Ok(false),
                "1" | "1.0" => Ok(true),
                other => Err(Refusal::malformed(format!("{other} is neither 0 nor 1"))),
            },
        }
    }

    /// A string.
    pub fn string(&mut self, what: &str) -> Result<Cow<'a, str>> {
        if !self.take(b'"') {
            return Err(self.expected(what));
        }
        let start = self.at;
        loop {
            match self.bytes.get(self.at) {
                None | Some(0..=0x1f) => return Err(self.expected("the end of a string")),
                Some(b'"') => {
                    let text = self.utf8(start..self.at)?;
                    self.at += 1;
                    return Ok(Cow::Borrowed(text));
                }
                Some(b'\\') => return self.escaped(start).map(Cow::Owned),
                Some(_) => self.at += 1,
            }
        }
    }

    fn utf8(&self, range: Range<usize>) -> Result<&'a str> {
        std::str::from_utf8(&self.bytes[range])
            .map_err(|_| Refusal::malformed("a string is not UTF-8"))
    }

    /// The rest of a string from its first escape on.
    fn escaped(&mut self, start: usize) -> Result<String> {
        let mut text = self.utf8(start..self.at)?.to_owned();
        loop {
            let plain = self.at;
            while self.bytes.get(self.at).is_some_and(|b| !matches!(b, b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            text.push_str(self.utf8(plain..self.at)?);
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    self.at += 1;
                    text.push(self.escape()?);
                }
                _ => return Err(self.expected("the end of a string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char> {
        let Some(&byte) = self.bytes.get(self.at) else {
            return Err(self.expected("an escape"));
        };
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.hex()?;
                let code = match high {
                    0xd800..0xdc00 if self.word("\\u") => {
                        let low = self.hex()?;
                        let low = low.checked_sub(0xdc00).filter(|low| *low < 0x400);
                        low.map(|low| 0x10000 + ((high - 0xd800) << 10) + low)
                    }
                    _ => Some(high),
                };
                let character = code.and_then(char::from_u32);
                character.ok_or_else(|| Refusal::malformed("half of a surrogate pair"))?
            }
            _ => {
                self.at -= 1;
                return Err(self.expected("an escape"));
            }
        })
    }

    fn hex(&mut self) -> Result<u32> {
        let digits = self.bytes.get(self.at..self.at + 4).unwrap_or_default();
        let digits = std::str::from_utf8(digits).unwrap_or_default();
        let sound = digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        match u32::from_str_radix(digits, 16) {
            Ok(code) if sound => {
                self.at += 4;
                Ok(code)
            }
            _ => Err(self.expected("four hexadecimal digits")),
        }
    }

    /// Passes over a value; returns where it stands.
    pub fn skip(&mut self) -> Result<Range<usize>> {
        self.peek();
        let start = self.at;
        self.skip_to(0)?;
        Ok(start..self.at)
    }

    fn skip_to(&mut self, depth: usize) -> Result<()> {
        if depth > DEPTH {
            return Err(Refusal::malformed(format!("more than {DEPTH} lists inside each other")));
        }
        let mut first = true;
        match self.peek() {
            Some(b'{') => {
                self.begin_object()?;
                while self.next_key(&mut first)?.is_some() {
                    self.skip_to(depth + 1)?;
                }
            }
            Some(b'[') => {
                self.begin_list("a list")?;
                while self.next_element(&mut first)? {
                    self.skip_to(depth + 1)?;
                }
            }
            Some(b'"') => drop(self.string("a string")?),
            Some(b't' | b'f') => drop(self.boolean("a value")?),
            Some(b'n') if self.null() => {}
            _ => drop(self.number("a value")?),
        }
        Ok(())
    }
}

/// Appends a number, `null` if it is none.
pub fn write_number(out: &mut Vec<u8>, number: f32) {
    if !number.is_finite() {
        return out.extend_from_slice(b"null");
    }
    // Plain where it is short: 1e-30 would be a line of zeros.
    let plain = number == 0.0 || (1e-5..1e16).contains(&number.abs());
    let mut text = Bytes(out);
    let _ = if plain { write!(text, "{number}") } else { write!(text, "{number:e}") };
}

/// Appends a whole number.
pub fn write_whole(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends a list, an element at a time.
pub fn write_list<T>(
    out: &mut Vec<u8>,
    all: impl IntoIterator<Item = T>,
    mut each: impl FnMut(&mut Vec<u8>, T),
) {
    out.push(b'[');
    for (i, one) in all.into_iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        each(out, one);
    }
    out.push(b']');
}

/// Appends a string.
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for character in text.chars() {
        match character {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\0'..='\x1f' | '\u{7f}' => {
                let _ = write!(Bytes(out), "\\u{:04x}", u32::from(character));
            }
            _ => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'"');
}

/// Bytes that formatted text is appended to.
pub struct Bytes<'a>(pub &'a mut Vec<u8>);

impl Write for Bytes<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn skips(text: &[u8]) -> bool {
        let mut reader = Reader::new(text);
        reader.skip().and_then(|_| reader.end()).is_ok()
    }

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        let mut out = Vec::new();
        let mut reader = Reader::new(b" [1, -0.5 ,3e2,true,false, 0.1] ");
        assert_eq!(reader.numbers("a list", &mut out), Ok(6));
        reader.end().unwrap();
        assert_eq!(out, [1.0, -0.5, 300.0, 1.0, 0.0, 0.1]);
        for bad in ["[NaN]", "[1e39]", "[1,]", "[,1]", "[1 2]", "[--1]", "[.5]", "[+1]", "[1", "["]
        {
            assert!(Reader::new(bad.as_bytes()).numbers("a list", &mut out).is_err(), "{bad}");
        }
    }

    #[test]
    fn flags_come_flat_or_by_head() {
        for text in ["[true,false,1,0]", "[[true,false],[1,0]]", "[[true],[false,1.0,0.0]]"] {
            let mut out = Vec::new();
            Reader::new(text.as_bytes()).flags("a mask", &mut out).unwrap();
            assert_eq!(out, [true, false, true, false], "{text}");
        }
        assert!(Reader::new(b"[2]").flags("a mask", &mut Vec::new()).is_err());
        assert!(Reader::new(b"[[[1]]]").flags("a mask", &mut Vec::new()).is_err());
    }

    #[test]
    fn strings_are_unescaped() {
        let text = br#""a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00b""#;
        let want: String = serde_json::from_slice(text).unwrap();
        assert_eq!(Reader::new(text).string("text").unwrap(), want);
        for bad in [
            &br#""\ud83d""#[..],
            br#""\udc00""#,
            br#""\u12"#,
            br#""\x""#,
            b"\"a",
            b"\"\x01\"",
            b"\"\xff\"",
        ] {
            assert!(Reader::new(bad).string("text").is_err(), "{bad:?}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        assert!(skips(&[b"[".repeat(DEPTH), b"]".repeat(DEPTH)].concat()));
        assert!(!skips(&[b"[".repeat(100_000), b"]".repeat(100_000)].concat()));
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-1e30f64..1e30).prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((".*", inner), 0..6)
                    .prop_map(|pairs| pairs.into_iter().collect::<Value>()),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_others_write_is_read(value in value()) {
            prop_assert!(skips(value.to_string().as_bytes()));
            prop_assert!(skips(serde_json::to_string_pretty(&value).unwrap().as_bytes()));
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            skips(&bytes);
            let _ = Reader::new(&bytes).numbers("", &mut Vec::new());
            let _ = Reader::new(&bytes).flags("", &mut Vec::new());
            let _ = Reader::new(&bytes).string("");
            let _ = Reader::new(&bytes).whole("");
        }

        #[test]
        fn what_is_skipped_is_json_but_for_leading_zeros(text in "[\\[\\]{}\",:0-9a-z. \\\\-]{0,40}") {
            // Numbers are those of the standard library, which takes 01 and 1. as well.
            if serde_json::from_str::<Value>(&text).is_ok() {
                prop_assert!(skips(text.as_bytes()));
            }
        }

        #[test]
        fn numbers_come_back_as_they_were(bits in any::<u32>()) {
            let number = f32::from_bits(bits);
            let mut out = Vec::new();
            write_number(&mut out, number);
            let text = String::from_utf8(out).unwrap();
            if number.is_finite() {
                prop_assert_eq!(text.parse::<f32>().unwrap().to_bits(), bits);
                prop_assert!(serde_json::from_str::<f64>(&text).is_ok(), "{}", text);
                prop_assert!(text.len() <= 24);
            } else {
                prop_assert_eq!(text, "null");
            }
        }

        #[test]
        fn strings_come_back_as_they_were(text in ".*") {
            let mut out = Vec::new();
            write_string(&mut out, &text);
            prop_assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }

        #[test]
        fn whole_numbers_come_back(number in any::<u64>()) {
            let mut out = Vec::new();
            write_whole(&mut out, number);
            prop_assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
        }
    }
}
