//! The words of a stylesheet, as CSS Syntax Level 3 reads them, and written again so that no reader can differ.

/// One word. Escapes are decoded; what a browser would call bad is `Bad`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Blank,
    Ident(String),
    /// A name with the parenthesis that follows it.
    Function(String),
    At(String),
    Hash(String),
    Text(String),
    /// An address without quotes.
    Url(String),
    /// A number with its unit or sign of percent.
    Number(String, String),
    Delim(char),
    Bad,
}

/// Cuts a stylesheet into words; comments are blanks.
pub(super) fn tokens(css: &str) -> Vec<Token> {
    let mut reader = Reader { text: css.chars().collect(), at: 0 };
    let mut found = Vec::new();
    while let Some(token) = reader.next() {
        if token != Token::Blank || found.last() != Some(&Token::Blank) {
            found.push(token);
        }
    }
    found
}

/// Writes a word so that it reads back as itself, wherever it stands.
pub(super) fn write(token: &Token, out: &mut String) {
    match token {
        Token::Blank => out.push(' '),
        Token::Ident(name) => write_name(name, out),
        Token::Function(name) => {
            write_name(name, out);
            out.push('(');
        }
        Token::At(name) => {
            out.push('@');
            write_name(name, out);
        }
        Token::Hash(name) => {
            out.push('#');
            // Behind `#` a digit may come first.
            name.chars().for_each(|c| write_char(c, out));
        }
        Token::Text(text) => write_text(text, out),
        Token::Url(address) => {
            out.push_str("url(");
            write_text(address, out);
            out.push(')');
        }
        Token::Number(number, unit) => {
            out.push_str(number);
            match unit.as_str() {
                "" => {}
                "%" => out.push('%'),
                unit => write_name(unit, out),
            }
        }
        Token::Delim(c) => out.push(*c),
        Token::Bad => {}
    }
}

fn write_name(name: &str, out: &mut String) {
    let is_plain = |c: char| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii();
    let mut chars = name.chars();
    let first = chars.next();
    match first {
        Some('-') if name.len() > 1 => out.push('-'),
        Some(c) if is_plain(c) => out.push(c),
        Some(c) => escape(c, out),
        None => {}
    }
    for (at, c) in chars.enumerate() {
        // A digit behind one dash would begin a number.
        if at == 0 && first == Some('-') && c.is_ascii_digit() { escape(c, out) } else { write_char(c, out) }
    }
}

fn write_char(c: char, out: &mut String) {
    if c.is_ascii_alphanumeric() || c == '_' || c == '-' || !c.is_ascii() { out.push(c) } else { escape(c, out) }
}

fn escape(c: char, out: &mut String) {
    out.push_str(&format!("\\{:x} ", u32::from(c)));
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\' | '<') || c.is_control() { escape(c, out) } else { out.push(c) }
    }
    out.push('"');
}

struct Reader {
    text: Vec<char>,
    at: usize,
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || !c.is_ascii()
}

fn is_name(c: char) -> bool {
    is_name_start(c) || c.is_ascii_digit() || c == '-'
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{c}')
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn is(&self, ahead: usize, test: impl Fn(char) -> bool) -> bool {
        self.peek(ahead).is_some_and(test)
    }

    fn next(&mut self) -> Option<Token> {
        let c = self.peek(0)?;
        if c == '/' && self.peek(1) == Some('*') {
            self.at += 2;
            while self.peek(0).is_some() && !(self.peek(0) == Some('*') && self.peek(1) == Some('/')) {
                self.at += 1;
            }
            self.at += 2;
            return Some(Token::Blank);
        }
        if is_blank(c) {
            while self.is(0, is_blank) {
                self.at += 1;
            }
            return Some(Token::Blank);
        }
        if c == '"' || c == '\'' {
            self.at += 1;
            return Some(self.text_until(c));
        }
        if self.starts_number() {
            return Some(self.number());
        }
        if self.starts_name(0) {
            let name = self.name();
            if self.peek(0) != Some('(') {
                return Some(Token::Ident(name));
            }
            self.at += 1;
            return Some(if name.eq_ignore_ascii_case("url") { self.address() } else { Token::Function(name) });
        }
        self.at += 1;
        Some(match c {
            '@' if self.starts_name(0) => Token::At(self.name()),
            '#' if self.is(0, is_name) || self.is_escape(0) => Token::Hash(self.name()),
            '<' if self.text[self.at..].starts_with(&['!', '-', '-']) => {
                self.at += 3;
                Token::Blank
            }
            '-' if self.text[self.at..].starts_with(&['-', '>']) => {
                self.at += 2;
                Token::Blank
            }
            '\\' => Token::Bad,
            c => Token::Delim(c),
        })
    }

    fn is_escape(&self, ahead: usize) -> bool {
        self.peek(ahead) == Some('\\') && self.is(ahead + 1, |c| !is_line_end(c))
    }

    fn starts_name(&self, ahead: usize) -> bool {
        if self.peek(ahead) == Some('-') {
            return self.is(ahead + 1, |c| is_name_start(c) || c == '-') || self.is_escape(ahead + 1);
        }
        self.is(ahead, is_name_start) || self.is_escape(ahead)
    }

    fn starts_number(&self) -> bool {
        let signed = usize::from(self.is(0, |c| c == '+' || c == '-'));
        let digit = |ahead| self.is(ahead, |c| c.is_ascii_digit());
        digit(signed) || (self.peek(signed) == Some('.') && digit(signed + 1))
    }

    fn number(&mut self) -> Token {
        let from = self.at;
        self.at += 1;
        let digits = |reader: &mut Reader| {
            while reader.is(0, |c| c.is_ascii_digit()) {
                reader.at += 1;
            }
        };
        digits(self);
        let has_point = self.text[from..self.at].contains(&'.');
        if !has_point && self.peek(0) == Some('.') && self.is(1, |c| c.is_ascii_digit()) {
            self.at += 1;
            digits(self);
        }
        let signed = usize::from(self.is(1, |c| c == '+' || c == '-'));
        if self.is(0, |c| c == 'e' || c == 'E') && self.is(1 + signed, |c| c.is_ascii_digit()) {
            self.at += 1 + signed;
            digits(self);
        }
        let number = self.text[from..self.at].iter().collect();
        if self.peek(0) == Some('%') {
            self.at += 1;
            return Token::Number(number, "%".to_owned());
        }
        let unit = if self.starts_name(0) { self.name() } else { String::new() };
        Token::Number(number, unit)
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        loop {
            if self.is_escape(0) {
                self.at += 1;
                name.push(self.escaped());
            } else if self.is(0, is_name) {
                name.push(self.text[self.at]);
                self.at += 1;
            } else {
                return name;
            }
        }
    }

    /// What stands behind a backslash.
    fn escaped(&mut self) -> char {
        const STRANGE: char = '\u{fffd}';
        let mut code = 0;
        let mut n = 0;
        while n < 6
            && let Some(digit) = self.peek(0).and_then(|c| c.to_digit(16))
        {
            code = code * 16 + digit;
            n += 1;
            self.at += 1;
        }
        if n == 0 {
            let c = self.peek(0).unwrap_or(STRANGE);
            self.at += 1;
            return c;
        }
        if self.peek(0) == Some('\r') && self.peek(1) == Some('\n') {
            self.at += 1;
        }
        if self.is(0, is_blank) {
            self.at += 1;
        }
        char::from_u32(code).filter(|c| *c != '\0').unwrap_or(STRANGE)
    }

    fn text_until(&mut self, end: char) -> Token {
        let mut text = String::new();
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                c if c == end => return Token::Text(text),
                // It was never closed: the rest of the line is lost.
                c if is_line_end(c) => return Token::Bad,
                '\\' if self.is(0, is_line_end) => {
                    let pair = self.peek(0) == Some('\r') && self.peek(1) == Some('\n');
                    self.at += if pair { 2 } else { 1 };
                }
                '\\' if self.peek(0).is_some() => text.push(self.escaped()),
                '\\' => {}
                c => text.push(c),
            }
        }
        Token::Text(text)
    }

    /// What stands in `url(…)`, whose parenthesis has been read.
    fn address(&mut self) -> Token {
        while self.is(0, is_blank) {
            self.at += 1;
        }
        if let Some(quote) = self.peek(0).filter(|c| *c == '"' || *c == '\'') {
            self.at += 1;
            let text = self.text_until(quote);
            while self.is(0, is_blank) {
                self.at += 1;
            }
            let closed = self.peek(0).is_none_or(|c| c == ')');
            if let (Token::Text(address), true) = (text, closed) {
                self.at += 1;
                return Token::Url(address);
            }
            return self.bad_address();
        }
        let mut address = String::new();
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                ')' => return Token::Url(address),
                c if is_blank(c) => {
                    while self.is(0, is_blank) {
                        self.at += 1;
                    }
                    if self.peek(0).is_some_and(|c| c != ')') {
                        return self.bad_address();
                    }
                }
                '\\' if self.is(0, |c| !is_line_end(c)) => address.push(self.escaped()),
                '"' | '\'' | '(' | '\\' => return self.bad_address(),
                c if c.is_control() => return self.bad_address(),
                c => address.push(c),
            }
        }
        Token::Url(address)
    }

    fn bad_address(&mut self) -> Token {
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == ')' {
                break;
            }
            if c == '\\' && self.peek(0).is_some() {
                self.escaped();
            }
        }
        Token::Bad
    }
}
