//! The house itself: which crate may know which, who may touch the disk, what no code may hold.

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What each crate may use of the house and of what shapes its promise; everything else is refused below.
const MAY_USE: &[(&str, &[&str])] = &[
    ("note", &[]),
    ("vault", &["note"]),
    ("index", &["note"]),
    ("engine", &["note", "vault", "index"]),
    ("mcp", &["engine", "note"]),
    ("headless", &["mcp", "engine"]),
    ("vidimus", &["headless", "mcp", "engine"]),
    ("xtask", &[]),
];

/// Crates that would break a promise wherever they are not named here.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("tauri", &["vidimus"]),
    ("rmcp", &["mcp", "it"]),
    ("tokio", &["mcp", "headless", "vidimus", "it"]),
    ("axum", &["mcp"]),
    ("tantivy", &["index"]),
    ("notify", &["vault"]),
    ("rustix", &["vault"]),
    ("pulldown-cmark", &["note"]),
];

/// Files that may name `std::fs`, with the reason.
const TOUCH_DISK: &[(&str, &str)] = &[
    ("crates/vault/src/", "the only writer of notes"),
    ("crates/index/src/catalog.rs", "writes the catalog into the folder it is handed"),
    ("crates/index/src/directory.rs", "writes the full text into the folder below that"),
    ("crates/headless/src/store.rs", "the app's own settings and state folders"),
    ("crates/headless/src/report.rs", "the reports of what went wrong, in a folder of their own"),
    ("crates/headless/src/record.rs", "the record of what agents asked for, in the state folder"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the root").to_owned()
}

fn metadata() -> Metadata {
    MetadataCommand::new().manifest_path(root().join("Cargo.toml")).no_deps().exec().expect("cargo metadata runs")
}

fn sources(below: &str, extensions: &[&str]) -> Vec<(String, String)> {
    fn walk(folder: &Path, into: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            if path.is_dir() && !["target", "node_modules", "dist", "gen"].contains(&name.as_str()) {
                walk(&path, into);
            } else if path.is_file() {
                into.push(path);
            }
        }
    }
    let mut files = Vec::new();
    walk(&root().join(below), &mut files);
    files
        .into_iter()
        .filter(|path| path.extension().and_then(|e| e.to_str()).is_some_and(|e| extensions.contains(&e)))
        .filter_map(|path| {
            let name = path.strip_prefix(root()).ok()?.to_str()?.to_owned();
            Some((name, std::fs::read_to_string(&path).ok()?))
        })
        .collect()
}

/// The part of a Rust source that ships: everything before its test module.
fn shipped(source: &str) -> &str {
    source.split("#[cfg(test)]").next().unwrap_or(source)
}

#[test]
fn dependencies_point_down() {
    let metadata = metadata();
    let members: BTreeSet<&str> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    let table: BTreeMap<&str, &[&str]> = MAY_USE.iter().copied().collect();
    let mut wrong = Vec::new();
    for package in &metadata.packages {
        let own = package.name.as_str();
        for dependency in package.dependencies.iter().filter(|dependency| dependency.kind == DependencyKind::Normal) {
            let name = dependency.name.as_str();
            if members.contains(name) && own != "it" && !table.get(own).is_some_and(|allowed| allowed.contains(&name)) {
                wrong.push(format!("{own} must not use {name}"));
            }
            if let Some((_, homes)) = ONLY_IN.iter().find(|(only, _)| *only == name)
                && !homes.contains(&own)
            {
                wrong.push(format!("{name} belongs in {homes:?}, not in {own}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_vault_touches_the_disk() {
    let mut wrong = Vec::new();
    for below in ["crates", "src-tauri/src"] {
        for (name, source) in sources(below, &["rs"]) {
            let excused = TOUCH_DISK.iter().any(|(home, _)| name.starts_with(home));
            let test = name.contains("/tests/") || name.contains("/examples/") || name.contains("/benches/");
            if excused || test || name.starts_with("crates/xtask/") || name.ends_with("tests.rs") {
                continue;
            }
            for what in ["std::fs", "tokio::fs", "File::open", "File::create"] {
                if shipped(&source).contains(what) {
                    wrong.push(format!("{name} names {what}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_core_is_synchronous_and_knows_no_door() {
    let mut wrong = Vec::new();
    for crate_name in ["note", "vault", "index", "engine"] {
        for (name, source) in sources(&format!("crates/{crate_name}/src"), &["rs"]) {
            let code: String = shipped(&source)
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"))
                .collect::<Vec<_>>()
                .join("\n");
            for what in ["async fn", "tokio::", "rmcp::", "tauri::"] {
                if code.contains(what) {
                    wrong.push(format!("{name} holds {what}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn notes_are_values_without_clock_or_chance() {
    for (name, source) in sources("crates/note/src", &["rs"]).into_iter().filter(|(name, _)| !name.contains("/tests/"))
    {
        for what in ["SystemTime", "Instant::now", "rand::", "getrandom", "Ulid::generate", "std::thread", "std::env"] {
            assert!(!shipped(&source).contains(what), "{name} names {what}");
        }
    }
}

#[test]
fn only_the_ipc_folder_knows_tauri() {
    for (name, source) in sources("ui/src", &["ts", "svelte", "js"]) {
        let home = name.starts_with("ui/src/ipc/");
        assert!(home || !source.contains("@tauri-apps/"), "{name} imports @tauri-apps: go through ui/src/ipc");
    }
}

#[test]
fn no_left_overs_in_shipped_code() {
    let mut wrong = Vec::new();
    for below in ["crates", "src-tauri", "tests", "ui/src"] {
        for (name, source) in sources(below, &["rs", "ts", "svelte"]) {
            if name.ends_with("it/tidy.rs") {
                continue;
            }
            for what in [
                "todo!(",
                "unimplemented!(",
                "dbg!(",
                "#[ignore",
                "FIXME",
                "XXX",
                ".only(",
                "it.skip",
                "describe.skip",
                "test.skip",
            ] {
                if source.contains(what) {
                    wrong.push(format!("{name} holds {what}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_crate_is_on_the_map() {
    let map = std::fs::read_to_string(root().join("crates/README.md")).expect("crates/README.md is the map");
    for package in metadata().packages {
        let name = if package.name.as_str() == "vidimus" { "src-tauri" } else { package.name.as_str() };
        let name = if name == "it" { "tests" } else { name };
        assert!(map.contains(&format!("`{name}`")), "crates/README.md does not mention `{name}`");
    }
}

#[test]
fn decisions_are_numbered_without_gaps() {
    let mut numbers: Vec<u32> = sources("docs/decisions", &["md"])
        .iter()
        .filter_map(|(name, _)| name.rsplit('/').next()?.split('-').next()?.parse().ok())
        .collect();
    numbers.sort_unstable();
    let expected: Vec<u32> = (1..).take(numbers.len()).collect();
    assert_eq!(numbers, expected, "docs/decisions/NNNN-title.md");
}
