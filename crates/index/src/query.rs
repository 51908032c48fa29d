//! What can be asked.

use regex::Regex;

use crate::needle::Needle;

/// What is looked for.
#[derive(Debug, Clone)]
pub(crate) enum Expr {
    /// Everything matches: an empty query, or words without a letter.
    All,
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    /// A word or a phrase, in text and names.
    Needle(Needle),
    /// An expression over the text.
    Pattern(Regex),
    /// Part of the file name, folded.
    File(String),
    /// Part of the path, folded.
    Path(String),
    /// A tag or one nested below it.
    Tag(String),
    Property(PropertyTest),
    /// Everything inside must match within one span of this kind.
    Within(Span, Box<Expr>),
    /// Everything inside must be in the text, not in the name.
    Content(Box<Expr>),
}

/// The spans that operators ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Span {
    Line,
    Block,
    Section,
    /// A task, of any state or of the given one.
    Task(Option<bool>),
}

/// A test of a property.
#[derive(Debug, Clone)]
pub(crate) struct PropertyTest {
    /// The key, folded.
    pub(crate) key: String,
    /// One of these must hold; with none it is enough that the property is there.
    pub(crate) any: Vec<ValueTest>,
}

/// A test of a property's value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ValueTest {
    /// There is none, or it is empty.
    Empty,
    /// Part of the value, folded.
    Has(String),
    Less(f64),
    Greater(f64),
}
