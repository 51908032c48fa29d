//! The examples, as the Markdown parser's own tests hold them.
//!
//! The spec may be passed on under its own license only, so it is read from the sources of the parser,
//! which every build has.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// An example: what is written and what it means.
pub struct Example {
    /// Where it is from, and its number there.
    pub name: String,
    pub markdown: String,
    pub html: String,
}

/// Addresses without brackets; GitHub takes each for a link. `|` parts what is written from what it means.
const ADDRESSES: &str = r#"https://a.example/x_y|<p><a href="https://a.example/x_y">https://a.example/x_y</a></p>
(see http://b.example/c(d)), or|<p>(see <a href="http://b.example/c(d)">http://b.example/c(d)</a>), or</p>
at ftp://c.example/file.|<p>at <a href="ftp://c.example/file">ftp://c.example/file</a>.</p>
at www.d.example.|<p>at <a href="http://www.d.example">www.d.example</a>.</p>
who@e.example|<p><a href="mailto:who@e.example">who@e.example</a></p>"#;

pub fn examples() -> &'static [Example] {
    static EXAMPLES: LazyLock<Vec<Example>> = LazyLock::new(|| {
        let tests = parser_sources().join("tests/suite");
        let files =
            [("spec", "spec"), ("gfm_table", "table"), ("gfm_tasklist", "tasks"), ("gfm_strikethrough", "strike")];
        let mut examples: Vec<Example> = files.into_iter().flat_map(|(file, from)| read(&tests, file, from)).collect();
        let addresses = ADDRESSES.lines().map(|line| line.split_once('|').unwrap());
        examples.extend((1..).zip(addresses).map(|(number, (markdown, html))| Example {
            name: format!("address {number}"),
            markdown: markdown.to_owned(),
            html: html.to_owned(),
        }));
        assert!(examples.len() >= 671, "only {} examples were found in {}", examples.len(), tests.display());
        examples
    });
    &EXAMPLES
}

/// Reads the examples of a file of tests: each is a text and the HTML expected of it.
fn read(tests: &Path, file: &str, from: &str) -> Vec<Example> {
    let path = tests.join(format!("{file}.rs"));
    let source = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut texts = source.split("r##\"").skip(1).map(|text| text.split_once("\"##;").unwrap().0.to_owned());
    let pairs = std::iter::from_fn(|| texts.next().zip(texts.next()));
    let named = (1..).zip(pairs);
    named.map(|(number, (markdown, html))| Example { name: format!("{from} {number}"), markdown, html }).collect()
}

/// Where the sources of the Markdown parser are that this crate is built with.
fn parser_sources() -> PathBuf {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let arguments = ["metadata", "--format-version", "1", "--offline", "--locked", "--manifest-path", manifest];
    let output = Command::new(env!("CARGO")).args(arguments).output().unwrap();
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let packages = told["packages"].as_array().into_iter().flatten();
    let mut parsers = packages.filter(|package| package["name"] == "pulldown-cmark");
    match parsers.next().and_then(|parser| Path::new(parser["manifest_path"].as_str()?).parent()) {
        Some(folder) => folder.to_owned(),
        // Sources of other systems are missing, and Cargo says nothing about the rest.
        None => from_registry().unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// The sources where Cargo keeps what it downloaded.
fn from_registry() -> Option<PathBuf> {
    let lock = include_str!("../../../../../../Cargo.lock");
    let (_, entry) = lock.split_once("name = \"pulldown-cmark\"\nversion = \"")?;
    let folder = format!("pulldown-cmark-{}", entry.split_once('"')?.0);
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")))?;
    let registries = std::fs::read_dir(home.join("registry/src")).ok()?;
    registries.flatten().map(|registry| registry.path().join(&folder)).find(|sources| sources.is_dir())
}
