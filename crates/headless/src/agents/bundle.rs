//! A bundle (`.mcpb`) that adds the vault to Claude Desktop with one press.
//!
//! It holds no program: it starts the one that made it, for the vault that it was made for, and is of use on this machine
//! only. The format is that of <https://github.com/modelcontextprotocol/mcpb>, `MANIFEST.md`: a ZIP archive with a
//! `manifest.json`.

use super::configs::{SERVER, Way};
use super::entry::slug;
use engine::ContentHash;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use thiserror::Error;

mod zip;

/// How the names of bundles end.
pub const EXTENSION: &str = "mcpb";

const ICON: &[u8] = include_bytes!("../../../../icons/icon.png");
/// The version that the format's own page calls the current one.
const MANIFEST_VERSION: &str = "0.3";
const LAUNCHER: &str = if cfg!(windows) { "server/vidimus.cmd" } else { "server/vidimus" };

/// Why there is no bundle.
#[derive(Debug, Error)]
pub enum BundleError {
    /// The client would put something else in the place of a part of the path.
    #[error("a bundle cannot name a path with `${{` in it: `{}`", .path.display())]
    Placeholder {
        /// The program or the vault.
        path: PathBuf,
    },
    /// It cannot be written as text.
    #[error("a bundle cannot name a path that is not UTF-8: `{}`", .path.display())]
    NotUtf8 {
        /// The program or the vault.
        path: PathBuf,
    },
    /// The client speaks with addresses.
    #[error("a bundle starts a program, and this client uses an address")]
    NoProgram,
}

impl BundleError {
    /// Says what to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            BundleError::Placeholder { .. } | BundleError::NotUtf8 { .. } => {
                "rename the folder, or let `vidimus connect` write the settings"
            }
            BundleError::NoProgram => "make it for a program that starts this one",
        }
    }
}

/// Makes a bundle.
///
/// # Errors
/// A path cannot stand in a bundle.
pub fn bundle(way: &Way) -> Result<Vec<u8>, BundleError> {
    let Way::Stdio { program, vault, .. } = way else { return Err(BundleError::NoProgram) };
    let (program, vault_text) = (named(program)?, named(vault)?);
    let manifest = format!("{:#}\n", manifest(program, vault, vault_text, way.args()));
    Ok(zip::archive(&[
        ("manifest.json", manifest.as_bytes(), 0o644),
        ("icon.png", ICON, 0o644),
        (LAUNCHER, launcher(program).as_bytes(), 0o755),
    ]))
}

/// Reads a path that stands in a bundle as it is.
fn named(path: &Path) -> Result<&str, BundleError> {
    let text = path.to_str().ok_or_else(|| BundleError::NotUtf8 { path: path.to_path_buf() })?;
    match text.contains("${") {
        true => Err(BundleError::Placeholder { path: path.to_path_buf() }),
        false => Ok(text),
    }
}

fn manifest(program: &str, vault: &Path, vault_text: &str, args: Vec<String>) -> Value {
    // Clients know bundles by their names, and two vaults may have folders of one name.
    let digest = ContentHash::of(vault_text.as_bytes()).to_string();
    let slug = slug(vault);
    let parts = [SERVER, &slug, &digest[..8]];
    let name = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    let title = vault.file_name().unwrap_or_default().to_string_lossy();
    let tools = mcp::tools().map(|(name, title, _)| json!({ "name": name, "description": title }));
    let platform = if cfg!(windows) {
        "win32"
    } else if cfg!(target_os = "macos") {
        "darwin"
    } else {
        "linux"
    };
    json!({
        "manifest_version": MANIFEST_VERSION,
        "name": name,
        "display_name": format!("Vidimus: {title}"),
        "version": env!("CARGO_PKG_VERSION"),
        "description": format!("Reads the notes in {title}, and proposes changes that you decide on."),
        "long_description": format!("Starts `{program}` on this computer for the notes in `{vault_text}`. What it wants to change waits in Vidimus until you have seen and approved it."),
        "author": { "name": "Vidimus" },
        "icon": "icon.png",
        "server": {
            "type": "binary",
            "entry_point": LAUNCHER,
            "mcp_config": { "command": program, "args": args, "env": {} },
        },
        "tools": tools.collect::<Vec<_>>(),
        "prompts_generated": true,
        "license": "MIT OR Apache-2.0",
        "compatibility": { "platforms": [platform] },
    })
}

/// What stands in the place of a program, for those who look whether there is one.
fn launcher(program: &str) -> String {
    match cfg!(windows) {
        true => format!("@\"{program}\" %*\r\n"),
        false => format!("#!/bin/sh\nexec '{}' \"$@\"\n", program.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(program: &str, vault: &str) -> Way {
        Way::Stdio { program: program.into(), vault: vault.into(), client: "Claude Desktop".into(), leave: Vec::new() }
    }

    fn entries(program: &str, vault: &str) -> Vec<(String, Vec<u8>)> {
        zip::tests::read(&bundle(&way(program, vault)).unwrap())
    }

    fn read(program: &str, vault: &str) -> Value {
        serde_json::from_slice(&entries(program, vault)[0].1).unwrap()
    }

    #[test]
    fn it_says_what_the_format_asks_for_and_nothing_else() {
        let manifest = read("/bin/vidimus", "/n/My notes");
        // The fields of the format's schema; it allows no others.
        let top = [
            "manifest_version",
            "name",
            "display_name",
            "version",
            "description",
            "long_description",
            "author",
            "repository",
            "homepage",
            "documentation",
            "support",
            "icon",
            "icons",
            "screenshots",
            "localization",
            "server",
            "tools",
            "tools_generated",
            "prompts",
            "prompts_generated",
            "keywords",
            "license",
            "privacy_policies",
            "compatibility",
            "user_config",
            "_meta",
        ];
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<String>>();
        assert!(keys(&manifest).iter().all(|key| top.contains(&key.as_str())), "{manifest}");
        for text in ["name", "version", "description", "display_name", "long_description", "license"] {
            assert!(manifest[text].as_str().is_some_and(|text| !text.is_empty()), "{text}");
        }
        assert_eq!(
            (&manifest["manifest_version"], keys(&manifest["author"])),
            (&json!("0.3"), vec!["name".to_owned()])
        );
        assert_eq!(keys(&manifest["server"]), ["type", "entry_point", "mcp_config"]);
        assert_eq!(manifest["server"]["type"], "binary");
        let config = &manifest["server"]["mcp_config"];
        assert!(
            keys(config).iter().all(|key| ["command", "args", "env", "platform_overrides"].contains(&key.as_str()))
        );
        assert!(manifest["tools"].as_array().unwrap().iter().all(|tool| keys(tool) == ["name", "description"]));
        let number = |part: &str| part.parse::<u32>().is_ok();
        assert!(manifest["version"].as_str().unwrap().split('.').filter(|part| number(part)).count() == 3);
        assert!(["darwin", "win32", "linux"].contains(&manifest["compatibility"]["platforms"][0].as_str().unwrap()));
    }

    #[test]
    fn it_starts_this_program_for_this_vault() {
        let manifest = read("/opt/it's/vidimus", "/n/My notes");
        let config = &manifest["server"]["mcp_config"];
        assert_eq!(config["command"], "/opt/it's/vidimus");
        assert_eq!(config["args"], json!(["mcp", "--vault", "/n/My notes", "--client", "Claude Desktop"]));
        assert_eq!(manifest["display_name"], "Vidimus: My notes");
        let files = entries("/opt/it's/vidimus", "/n/My notes");
        let named = |path: &Value| files.iter().any(|(name, bytes)| path == name.as_str() && !bytes.is_empty());
        assert!(named(&manifest["server"]["entry_point"]) && named(&manifest["icon"]), "what it names is in it");
        if cfg!(unix) {
            assert!(String::from_utf8_lossy(&files[2].1).contains(r"exec '/opt/it'\''s/vidimus' "));
        }
    }

    #[test]
    fn vaults_are_told_apart_and_a_bundle_made_again_is_the_same() {
        let name = |vault: &str| read("/bin/vidimus", vault)["name"].as_str().unwrap().to_owned();
        assert_ne!(name("/a/notes"), name("/b/notes"));
        assert!(name("/a/My Notes!").starts_with("vidimus-my-notes-"));
        assert!(name("/\u{65e5}").chars().all(|c| c.is_ascii_alphanumeric() || c == '-'));
        assert_eq!(bundle(&way("/p", "/v")).unwrap(), bundle(&way("/p", "/v")).unwrap());
    }

    #[test]
    fn a_path_that_the_client_would_read_otherwise_is_refused() {
        for (program, vault) in [("/p", "/v/${HOME}"), ("/${__dirname}/p", "/v")] {
            assert!(matches!(bundle(&way(program, vault)), Err(BundleError::Placeholder { .. })));
        }
    }
}
