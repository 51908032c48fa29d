//! What to write into the settings of each MCP client.

use serde::Serialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The name under which clients list the server.
pub const SERVER: &str = "vidimus";

/// A client whose settings we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ClientKind {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    #[value(name = "vscode")]
    VsCode,
    Codex,
    Gemini,
    Windsurf,
    LmStudio,
    Zed,
    Goose,
}

/// How a client reaches the vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// The window's own address; the token is absent where it was shown before and is known no more.
    Http { url: String, token: Option<String> },
    /// A process that the client starts; `leave` is what it says beside the vault and its own name, as arguments.
    Stdio { program: PathBuf, vault: PathBuf, client: String, leave: Vec<String> },
}

impl Way {
    /// Returns the arguments with which a client starts this program; none where it does not.
    pub fn args(&self) -> Vec<String> {
        let Way::Stdio { vault, client, leave, .. } = self else { return Vec::new() };
        let usual = ["mcp", "--vault", &vault.display().to_string(), "--client", client].map(str::to_owned);
        usual.into_iter().chain(leave.iter().cloned()).collect()
    }
}

/// The text for one client, and where it goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize, specta::Type)]
pub struct ClientConfig {
    pub id: String,
    pub title: String,
    pub transport: Transport,
    /// The settings file, where there is one; `~` is the home folder.
    pub file: Option<String>,
    pub language: Language,
    pub text: String,
    /// Opens the client, which asks the person and then starts this program itself; absent where it knows no such links.
    pub link: Option<String>,
    /// Whether it takes a bundle, too.
    pub takes_bundle: bool,
}

/// How the client speaks with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, serde::Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    Http,
    Stdio,
}

/// What the text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, serde::Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    Json,
    Toml,
    Yaml,
    Shell,
}

impl ClientKind {
    /// Every client, in the order in which they are offered.
    pub const ALL: [ClientKind; 10] = [
        ClientKind::ClaudeCode,
        ClientKind::ClaudeDesktop,
        ClientKind::Cursor,
        ClientKind::VsCode,
        ClientKind::Codex,
        ClientKind::Gemini,
        ClientKind::Windsurf,
        ClientKind::LmStudio,
        ClientKind::Zed,
        ClientKind::Goose,
    ];

    /// Returns the name on the command line and on the wire.
    pub fn id(self) -> &'static str {
        match self {
            ClientKind::ClaudeCode => "claude-code",
            ClientKind::ClaudeDesktop => "claude-desktop",
            ClientKind::Cursor => "cursor",
            ClientKind::VsCode => "vscode",
            ClientKind::Codex => "codex",
            ClientKind::Gemini => "gemini",
            ClientKind::Windsurf => "windsurf",
            ClientKind::LmStudio => "lm-studio",
            ClientKind::Zed => "zed",
            ClientKind::Goose => "goose",
        }
    }

    /// Returns the name that people know it by.
    pub fn title(self) -> &'static str {
        match self {
            ClientKind::ClaudeCode => "Claude Code",
            ClientKind::ClaudeDesktop => "Claude Desktop",
            ClientKind::Cursor => "Cursor",
            ClientKind::VsCode => "VS Code",
            ClientKind::Codex => "Codex CLI",
            ClientKind::Gemini => "Gemini CLI",
            ClientKind::Windsurf => "Windsurf",
            ClientKind::LmStudio => "LM Studio",
            ClientKind::Zed => "Zed",
            ClientKind::Goose => "Goose",
        }
    }

    /// Tells whether it can use the window's address. Claude Desktop fetches addresses from elsewhere, so it cannot.
    pub fn speaks_http(self) -> bool {
        self != ClientKind::ClaudeDesktop
    }

    /// Returns its settings file under the given home; none where a command does the work.
    pub fn file(self, home: &Path) -> Option<PathBuf> {
        let file = match self {
            ClientKind::ClaudeCode => return None,
            ClientKind::ClaudeDesktop => app_support(home).join("Claude/claude_desktop_config.json"),
            ClientKind::Cursor => home.join(".cursor/mcp.json"),
            ClientKind::VsCode => app_support(home).join("Code/User/mcp.json"),
            ClientKind::Codex => home.join(".codex/config.toml"),
            ClientKind::Gemini => home.join(".gemini/settings.json"),
            ClientKind::Windsurf => home.join(".codeium/windsurf/mcp_config.json"),
            ClientKind::LmStudio => home.join(".lmstudio/mcp.json"),
            ClientKind::Zed if cfg!(windows) => app_support(home).join("Zed/settings.json"),
            ClientKind::Zed => config_home(home).join("zed/settings.json"),
            ClientKind::Goose if cfg!(windows) => app_support(home).join("Block/goose/config/config.yaml"),
            ClientKind::Goose => config_home(home).join("goose/config.yaml"),
        };
        Some(file)
    }

    /// Returns the language of its settings file, or that of a command.
    pub fn language(self) -> Language {
        match self {
            ClientKind::ClaudeCode => Language::Shell,
            ClientKind::Codex => Language::Toml,
            ClientKind::Goose => Language::Yaml,
            _ => Language::Json,
        }
    }

    /// Returns the key of a JSON settings file under which servers are listed.
    pub fn servers_key(self) -> &'static str {
        match self {
            ClientKind::VsCode => "servers",
            ClientKind::Zed => "context_servers",
            _ => "mcpServers",
        }
    }

    /// Returns what stands under the server's name in a JSON settings file.
    pub fn entry(self, way: &Way) -> Value {
        match way {
            Way::Stdio { program, .. } => {
                let entry = json!({ "command": program.display().to_string(), "args": way.args() });
                with_type(entry, (self == ClientKind::VsCode).then_some("stdio"))
            }
            Way::Http { url, token } => {
                let key = match self {
                    ClientKind::Gemini => "httpUrl",
                    ClientKind::Windsurf => "serverUrl",
                    _ => "url",
                };
                let entry = json!({ key: url, "headers": { "Authorization": bearer(token) } });
                with_type(entry, (self == ClientKind::VsCode).then_some("http"))
            }
        }
    }

    /// Returns the whole text that a person pastes, with the server listed under a name.
    pub fn text(self, name: &str, way: &Way) -> String {
        match (self.language(), way) {
            (Language::Json, _) => {
                let whole = json!({ self.servers_key(): { name: self.entry(way) } });
                format!("{whole:#}\n")
            }
            (Language::Toml, Way::Http { url, token }) => format!(
                "[mcp_servers.{name}]\nurl = {}\nhttp_headers = {{ Authorization = {} }}\n",
                toml_string(url),
                toml_string(&bearer(token))
            ),
            (Language::Toml, Way::Stdio { program, .. }) => {
                let args: Vec<String> = way.args().iter().map(|arg| toml_string(arg)).collect();
                let program = toml_string(&program.display().to_string());
                format!("[mcp_servers.{name}]\ncommand = {program}\nargs = [{}]\n", args.join(", "))
            }
            // A JSON string is a YAML string.
            (Language::Yaml, Way::Http { url, token }) => yaml(
                name,
                &format!(
                    "type: streamable_http\n    uri: {}\n    headers:\n      Authorization: {}",
                    json!(url),
                    json!(bearer(token))
                ),
            ),
            (Language::Yaml, Way::Stdio { program, .. }) => yaml(
                name,
                &format!(
                    "type: stdio\n    cmd: {}\n    args: {}",
                    json!(program.display().to_string()),
                    json!(way.args())
                ),
            ),
            (Language::Shell, Way::Http { url, token }) => {
                let header = shell_word(&format!("Authorization: {}", bearer(token)));
                format!("claude mcp add --scope user --transport http {name} {url} --header {header}\n")
            }
            (Language::Shell, Way::Stdio { program, .. }) => {
                let words: Vec<String> = std::iter::once(program.display().to_string())
                    .chain(way.args())
                    .map(|word| shell_word(&word))
                    .collect();
                format!("claude mcp add --scope user {name} -- {}\n", words.join(" "))
            }
        }
    }

    /// Tells whether it takes a file that holds all that it needs to start this program.
    pub fn takes_bundle(self) -> bool {
        self == ClientKind::ClaudeDesktop
    }

    /// Returns the text and where it goes; `started` is the way in which the client starts this program itself.
    pub fn config(self, way: &Way, started: &Way) -> ClientConfig {
        ClientConfig {
            id: self.id().into(),
            title: self.title().into(),
            transport: match way {
                Way::Http { .. } => Transport::Http,
                Way::Stdio { .. } => Transport::Stdio,
            },
            file: self.file(Path::new("~")).map(|file| file.display().to_string()),
            language: self.language(),
            text: self.text(SERVER, way),
            link: self.link(started),
            takes_bundle: self.takes_bundle(),
        }
    }
}

fn app_support(home: &Path) -> PathBuf {
    if cfg!(target_os = "macos") {
        home.join("Library/Application Support")
    } else if cfg!(windows) {
        home.join("AppData/Roaming")
    } else {
        config_home(home)
    }
}

/// Returns where programs keep their settings (freedesktop.org, XDG Base Directory Specification); the account can have named
/// another folder for its own.
fn config_home(home: &Path) -> PathBuf {
    let named = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|dir| dir.is_absolute());
    let is_own = || cfg!(target_os = "linux") && dirs::home_dir().as_deref() == Some(home);
    named.filter(|_| is_own()).unwrap_or_else(|| home.join(".config"))
}

fn bearer(token: &Option<String>) -> String {
    format!("Bearer {}", token.as_deref().unwrap_or("YOUR-TOKEN"))
}

fn with_type(entry: Value, kind: Option<&str>) -> Value {
    let (Some(kind), Value::Object(fields)) = (kind, &entry) else { return entry };
    let mut typed = serde_json::Map::from_iter([("type".to_owned(), json!(kind))]);
    typed.extend(fields.clone());
    Value::Object(typed)
}

/// Puts the fields of an extension of Goose into their place.
fn yaml(name: &str, fields: &str) -> String {
    format!("extensions:\n  {name}:\n    enabled: true\n    name: {name}\n    {fields}\n    timeout: 300\n")
}

/// Quotes a TOML basic string; its escapes are those of JSON.
fn toml_string(text: &str) -> String {
    json!(text).to_string()
}

fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn http() -> Way {
        Way::Http { url: "http://127.0.0.1:27870/mcp".into(), token: Some("vidimus_0a".into()) }
    }

    fn stdio(client: &str) -> Way {
        Way::Stdio {
            program: "/usr/bin/vidimus".into(),
            vault: "/home/ana/my notes".into(),
            client: client.into(),
            leave: Vec::new(),
        }
    }

    fn check(kind: ClientKind, way: Way, expect: Expect) {
        expect.assert_eq(&kind.text(SERVER, &way));
    }

    #[test]
    fn the_shapes_that_differ() {
        check(
            ClientKind::Cursor,
            http(),
            expect![[r#"
            {
              "mcpServers": {
                "vidimus": {
                  "url": "http://127.0.0.1:27870/mcp",
                  "headers": {
                    "Authorization": "Bearer vidimus_0a"
                  }
                }
              }
            }
        "#]],
        );
        check(
            ClientKind::VsCode,
            http(),
            expect![[r#"
            {
              "servers": {
                "vidimus": {
                  "type": "http",
                  "url": "http://127.0.0.1:27870/mcp",
                  "headers": {
                    "Authorization": "Bearer vidimus_0a"
                  }
                }
              }
            }
        "#]],
        );
        check(
            ClientKind::VsCode,
            stdio("VS Code"),
            expect![[r#"
            {
              "servers": {
                "vidimus": {
                  "type": "stdio",
                  "command": "/usr/bin/vidimus",
                  "args": [
                    "mcp",
                    "--vault",
                    "/home/ana/my notes",
                    "--client",
                    "VS Code"
                  ]
                }
              }
            }
        "#]],
        );
        check(
            ClientKind::Gemini,
            http(),
            expect![[r#"
            {
              "mcpServers": {
                "vidimus": {
                  "httpUrl": "http://127.0.0.1:27870/mcp",
                  "headers": {
                    "Authorization": "Bearer vidimus_0a"
                  }
                }
              }
            }
        "#]],
        );
        check(
            ClientKind::Windsurf,
            http(),
            expect![[r#"
            {
              "mcpServers": {
                "vidimus": {
                  "serverUrl": "http://127.0.0.1:27870/mcp",
                  "headers": {
                    "Authorization": "Bearer vidimus_0a"
                  }
                }
              }
            }
        "#]],
        );
        check(
            ClientKind::Zed,
            http(),
            expect![[r#"
            {
              "context_servers": {
                "vidimus": {
                  "url": "http://127.0.0.1:27870/mcp",
                  "headers": {
                    "Authorization": "Bearer vidimus_0a"
                  }
                }
              }
            }
        "#]],
        );
        check(
            ClientKind::ClaudeDesktop,
            stdio("Claude Desktop"),
            expect![[r#"
            {
              "mcpServers": {
                "vidimus": {
                  "command": "/usr/bin/vidimus",
                  "args": [
                    "mcp",
                    "--vault",
                    "/home/ana/my notes",
                    "--client",
                    "Claude Desktop"
                  ]
                }
              }
            }
        "#]],
        );
        check(
            ClientKind::Codex,
            http(),
            expect![[r#"
            [mcp_servers.vidimus]
            url = "http://127.0.0.1:27870/mcp"
            http_headers = { Authorization = "Bearer vidimus_0a" }
        "#]],
        );
        check(
            ClientKind::Codex,
            stdio("Codex"),
            expect![[r#"
            [mcp_servers.vidimus]
            command = "/usr/bin/vidimus"
            args = ["mcp", "--vault", "/home/ana/my notes", "--client", "Codex"]
        "#]],
        );
        check(
            ClientKind::Goose,
            http(),
            expect![[r#"
            extensions:
              vidimus:
                enabled: true
                name: vidimus
                type: streamable_http
                uri: "http://127.0.0.1:27870/mcp"
                headers:
                  Authorization: "Bearer vidimus_0a"
                timeout: 300
        "#]],
        );
        check(
            ClientKind::Goose,
            stdio("Goose"),
            expect![[r#"
            extensions:
              vidimus:
                enabled: true
                name: vidimus
                type: stdio
                cmd: "/usr/bin/vidimus"
                args: ["mcp","--vault","/home/ana/my notes","--client","Goose"]
                timeout: 300
        "#]],
        );
        check(
            ClientKind::ClaudeCode,
            http(),
            expect![[r#"
            claude mcp add --scope user --transport http vidimus http://127.0.0.1:27870/mcp --header 'Authorization: Bearer vidimus_0a'
        "#]],
        );
        check(
            ClientKind::ClaudeCode,
            stdio("Ana's"),
            expect![[r#"
            claude mcp add --scope user vidimus -- /usr/bin/vidimus mcp --vault '/home/ana/my notes' --client 'Ana'\''s'
        "#]],
        );
    }

    #[test]
    fn the_name_on_the_command_line_is_the_one_on_the_wire() {
        for kind in ClientKind::ALL {
            let value = clap::ValueEnum::to_possible_value(&kind).unwrap();
            assert_eq!(value.get_name(), kind.id());
        }
    }
}
