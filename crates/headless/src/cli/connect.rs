//! `vidimus connect`: the settings of an MCP client.

use super::review::diff_line;
use super::say::{Paint, ask, can_ask, note, say};
use super::{ConnectArgs, DONE, FAILED, Stop};
use crate::agents::bundle::{EXTENSION, bundle};
use crate::agents::configs::{ClientKind, Language, SERVER, Way};
use crate::agents::connecting::{ConnectError, Outcome, SettingsFile};
use crate::programs::own_program;
use crate::store::write_whole;
use crate::vaults;
use std::path::Path;

pub fn run(args: ConnectArgs) -> Result<u8, Stop> {
    let kind = args.client;
    let vault = vaults::look(&args.vault.vault).map_err(|error| Stop::opening(error.into()))?;
    let program =
        own_program().map_err(|error| Stop::failed(format!("cannot tell where this program is: {error}"), ""))?;
    // Settings are text; another name would be written than that of the folder.
    if vault.to_str().is_none() {
        return Err(Stop::usage(
            format!("the name of the folder is not UTF-8: `{}`", vault.display()),
            "clients' settings cannot hold it: give the folder another name",
        ));
    }
    let way = Way::Stdio { program, vault, client: kind.title().into(), leave: args.leave.words() };
    if args.link {
        let link = kind.link(&way).ok_or_else(|| {
            let know: Vec<&str> =
                ClientKind::ALL.iter().filter(|kind| kind.link(&way).is_some()).map(|kind| kind.id()).collect();
            let hint = format!("leave out --link; links are known to {}", know.join(", "));
            Stop::usage(format!("{} knows no links that add a server", kind.title()), hint)
        })?;
        note(&format!("open this to add the vault to {}; it asks first:", kind.title()));
        say(&format!("{link}\n"));
        return Ok(DONE);
    }
    if let Some(file) = &args.bundle {
        return write_bundle(kind, &way, file, args.yes);
    }
    let text = kind.text(SERVER, &way);
    if args.print || kind.language() == Language::Shell {
        match (kind.language(), kind.file(Path::new("~"))) {
            (Language::Shell, _) if args.undo => note(&format!("to undo it run: claude mcp remove {SERVER}")),
            (Language::Shell, _) => note(&format!("run this to let {} in:", kind.title())),
            (_, Some(file)) => note(&format!("for `{}`:", file.display())),
            (_, None) => note(&format!("for {}:", kind.title())),
        }
        if !args.undo {
            say(&text);
        }
        return Ok(DONE);
    }
    let home = dirs::home_dir().ok_or_else(|| Stop::failed("this account has no home folder", "set HOME"))?;
    let file = SettingsFile::read(kind, way, &home)?;
    if args.undo {
        let done = file.disconnect()?;
        let path = file.path().display();
        note(&if done {
            format!("took the entry out of `{path}`")
        } else {
            format!("`{path}` does not list this vault")
        });
        return Ok(DONE);
    }
    let shown = file.connecting();
    match (shown.outcome, shown.by_hand) {
        (Outcome::Connected, _) => note(&format!("`{}` lists this vault already", shown.file)),
        (Outcome::ByHand, why) => {
            note(&format!("`{}` {}; put this into it by hand:", shown.file, why.unwrap_or_default()));
            say(&text);
            // A script that said yes can tell that it is not done.
            return Ok(if args.yes { FAILED } else { DONE });
        }
        (Outcome::Write, _) => {
            note(&format!("`{}` would change so:", shown.file));
            let lines = shown.hunks.iter().flat_map(|hunk| &hunk.lines);
            say(&lines.map(|line| diff_line(line, Paint::of_stdout())).collect::<String>());
            if !args.yes && !can_ask() {
                return Err(Stop::usage("there is no terminal to ask on", "add `--yes` to write it without asking"));
            }
            if !args.yes && !ask("Write it?") {
                note("nothing was written");
                return Ok(DONE);
            }
            let kept = file.connect(&shown.seen)?;
            note(&format!("wrote `{}`", shown.file));
            if let Some(kept) = kept {
                note(&format!("its old text is in `{}`", kept.display()));
            }
            note(&format!("restart {} to use it; the same command with --undo takes it back", kind.title()));
        }
    }
    Ok(DONE)
}

fn write_bundle(kind: ClientKind, way: &Way, file: &Path, replace: bool) -> Result<u8, Stop> {
    if !kind.takes_bundle() {
        return Err(Stop::usage(
            format!("{} takes no bundles", kind.title()),
            "leave out --bundle; Claude Desktop takes them",
        ));
    }
    if file.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case(EXTENSION)) {
        let hint = "Claude Desktop knows bundles by that ending";
        return Err(Stop::usage(format!("the name does not end in .{EXTENSION}: `{}`", file.display()), hint));
    }
    if !replace && file.exists() {
        return Err(Stop::failed(
            format!("there is a file already: `{}`", file.display()),
            "add `--yes` to replace it",
        ));
    }
    let bytes = bundle(way).map_err(|error| Stop::failed(error.to_string(), error.hint()))?;
    write_whole(file, &bytes)
        .map_err(|error| Stop::failed(format!("`{}`: {error}", file.display()), "choose another place"))?;
    note(&format!("wrote `{}`; open it with {} on this computer", file.display(), kind.title()));
    Ok(DONE)
}

impl From<ConnectError> for Stop {
    fn from(error: ConnectError) -> Stop {
        Stop::failed(error.to_string(), error.hint())
    }
}
