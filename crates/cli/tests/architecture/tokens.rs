//! The names and signs of a Rust file, without comments, texts and white space.

/// Is it a name or a word of the language?
pub fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Names whole, `::` as one, everything else sign by sign.
pub fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => comment(rest),
            '"' => quoted(rest),
            '\'' => letter(rest),
            'r' | 'b' | 'c' if prefixed(rest).is_some() => prefixed(rest).unwrap_or(1),
            ':' if rest.starts_with("::") => {
                tokens.push("::".to_owned());
                2
            }
            c if c.is_alphanumeric() || c == '_' => {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
                let name = &rest[..end.unwrap_or(rest.len())];
                tokens.push(name.to_owned());
                name.len()
            }
            c => {
                tokens.extend((!c.is_whitespace()).then(|| c.to_string()));
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    tokens
}

/// Comments in comments are closed one by one.
fn comment(text: &str) -> usize {
    let (mut deep, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        match rest {
            [b'/', b'*', ..] => (deep, at) = (deep + 1, at + 2),
            [b'*', b'/', ..] => (deep, at) = (deep - 1, at + 2),
            _ => at += 1,
        }
        if deep == 0 {
            return at;
        }
    }
    text.len()
}

fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// A letter in quotes, or the mark of a lifetime.
fn letter(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((at, c))) => {
            let after = at + c.len_utf8();
            text[after..].find('\'').map_or(text.len(), |end| after + end + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

/// A text that letters stand before: `b"…"`, `r#"…"#`.
fn prefixed(text: &str) -> Option<usize> {
    let prefix = text.find(|c| !['r', 'b', 'c'].contains(&c)).filter(|&length| length <= 2)?;
    let raw = text[..prefix].contains('r');
    let hashes = text[prefix..].find(|c| c != '#')?;
    if !text[prefix + hashes..].starts_with('"') || (hashes > 0 && !raw) {
        return None;
    }
    let begin = prefix + hashes;
    if !raw {
        return Some(begin + quoted(&text[begin..]));
    }
    let end = format!("\"{}", "#".repeat(hashes));
    let found = text[begin + 1..].find(&end);
    Some(found.map_or(text.len(), |at| begin + 1 + at + end.len()))
}

#[test]
fn texts_and_comments_are_no_names() {
    let text = r###"
        a::b /* x /* y */ z */ "c \" d" r#"e " f"# b"g" b'\'' 'h' '\u{41}' &'life i // j
        r"k\" rest r#type
    "###;
    assert_eq!(tokens(text).join(" "), "a :: b b & life i rest r # type");
}
