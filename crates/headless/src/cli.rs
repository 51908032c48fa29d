//! The command line: what can be said, and who does it.

mod audit;
mod connect;
mod index;
#[cfg(test)]
mod interrupted_tests;
mod mcp;
mod review;
mod say;
mod status;

use crate::agents::clients;
use crate::agents::configs::ClientKind;
use clap::{Args, Parser, Subcommand, ValueEnum};
use engine::RelPath;
use std::path::PathBuf;

pub use say::complain;

/// What went through.
pub const DONE: u8 = 0;
/// What could not be done; the message says why and what to do.
pub const FAILED: u8 = 1;
/// What was asked wrongly: an unknown option, or a vault that is not there.
pub const USAGE: u8 = 2;

const ABOUT: &str = "Notes that agents may propose to change, and a person approves.";

const LONG_ABOUT: &str = "\
Vidimus opens a folder of Markdown notes as it is: an Obsidian vault or any other. \
Agents connect to it over MCP; what they want to change waits as a proposal until a person has seen and approved it.

Without a subcommand the window opens, with the folder that is named, or else the one that was open last. \
A folder that is called like a subcommand is named by a path: `vidimus ./review`. \
A link, `vidimus://open?vault=NAME&file=PATH`, opens the window at that note.";

const AFTER: &str = "\
Exit codes: 0 done; 1 it could not be done, and the message says why; 2 wrong usage, or no such vault.

Notes stay in their folder. What the program keeps for itself (journal, past versions, index) is in the account's \
application data, one folder for each vault: `vidimus status --vault DIR` prints where.";

/// The command line as it was given.
#[derive(Debug, Parser)]
#[command(name = "vidimus", version, about = ABOUT, long_about = LONG_ABOUT, after_help = AFTER)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Cli {
    /// The folder of notes to open in a window, or a link to a note; the last folder if none is named
    pub vault: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do instead of opening the window.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve a vault to one agent over standard input and output (MCP)
    ///
    /// This is the command that an MCP client starts; `vidimus connect` writes its settings. No display is needed, and
    /// nothing but MCP goes to standard output. If a window (or another `vidimus mcp`) has the vault open, this process
    /// passes messages on to it; otherwise it opens the vault itself, and gives way as soon as a window opens.
    Mcp(McpArgs),
    /// List, show and decide what agents have proposed
    ///
    /// The same review as in the window, for a terminal. Whoever can run this as you can also edit your files: it
    /// is not a lock against programs that run under your account.
    Review(ReviewArgs),
    /// Build the index, or bring it up to date, and say what is in it
    Index(VaultArg),
    /// Say what is where: notes, open proposals, who has the vault open, the state folder
    Status(StatusArgs),
    /// List every call that agents made: who, what, about which note, and what came of it
    ///
    /// The record is kept with the vault's history, in a file that only this account reads. It holds no text of notes.
    Audit(AuditArgs),
    /// Write the settings of an MCP client, or print them
    ///
    /// The client will start `vidimus mcp` for the vault. The change is shown and asked about first. A settings file is
    /// written only where that leaves every other byte of it as it was, with a copy of the old text beside it; elsewhere
    /// the text is printed, to be pasted.
    Connect(ConnectArgs),
}

/// Which vault.
#[derive(Debug, Args)]
pub struct VaultArg {
    /// The folder of notes
    #[arg(long, value_name = "DIR")]
    pub vault: PathBuf,
}

/// How to serve an agent.
#[derive(Debug, Args)]
pub struct McpArgs {
    #[command(flatten)]
    pub vault: VaultArg,
    /// The agent's name, as the review shows it
    #[arg(long, value_name = "NAME", default_value = "Agent", value_parser = client_name)]
    pub client: String,
    #[command(flatten)]
    pub leave: LeaveArgs,
}

/// What the agent may do.
#[derive(Debug, Args)]
pub struct LeaveArgs {
    /// What happens to what the agent wants to write
    #[arg(long, value_enum, default_value_t = WritesArg::Review)]
    pub writes: WritesArg,
    /// A folder of the vault that the agent may see; repeat it for more. The rest is not there for it
    #[arg(long, value_name = "FOLDER", value_parser = folder)]
    pub only_folder: Vec<RelPath>,
    /// A tool that the agent may use; repeat it for more. The others are not there for it
    #[arg(long, value_name = "TOOL", value_parser = tool)]
    pub only_tool: Vec<String>,
}

impl LeaveArgs {
    /// Says the same again; what is usual is left out.
    fn words(&self) -> Vec<String> {
        let writes = self.writes.to_possible_value().filter(|_| self.writes != WritesArg::Review);
        let writes = writes.map(|writes| ["--writes".to_owned(), writes.get_name().to_owned()]);
        let folders = self.only_folder.iter().map(|folder| ["--only-folder".to_owned(), folder.to_string()]);
        let tools = self.only_tool.iter().map(|tool| ["--only-tool".to_owned(), tool.clone()]);
        writes.into_iter().chain(folders).chain(tools).flatten().collect()
    }
}

fn folder(path: &str) -> Result<RelPath, String> {
    RelPath::lenient(path.trim_matches('/')).map_err(|error| error.to_string())
}

fn tool(name: &str) -> Result<String, String> {
    let all: Vec<&str> = ::mcp::tools().map(|(name, ..)| name).collect();
    match all.contains(&name) {
        true => Ok(name.to_owned()),
        false => Err(format!("the tools are {}", all.join(", "))),
    }
}

fn client_name(name: &str) -> Result<String, String> {
    clients::checked_name(name).map_err(|error| error.to_string())
}

/// What happens to an agent's writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WritesArg {
    /// The agent gets the read tools only
    Off,
    /// Proposals wait for a person
    Review,
    /// Proposals are approved at once, by you who start the program so
    Allow,
}

/// What to do with the proposals.
#[derive(Debug, Args)]
pub struct ReviewArgs {
    #[command(subcommand)]
    pub what: ReviewCommand,
}

/// One step of a review.
#[derive(Debug, Subcommand)]
pub enum ReviewCommand {
    /// List the proposals that wait, and what was interrupted
    List {
        #[command(flatten)]
        vault: VaultArg,
        /// Also list what was decided before
        #[arg(long)]
        all: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show one proposal and every line that it would change
    Show {
        /// The proposal's id, or enough of its beginning
        id: String,
        #[command(flatten)]
        vault: VaultArg,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what would change, ask, and make it so
    #[command(group = clap::ArgGroup::new("which").required(true).args(["id", "all"]))]
    Approve {
        /// The proposal's id, or enough of its beginning
        id: Option<String>,
        /// Go through all that wait, oldest first
        #[arg(long)]
        all: bool,
        /// Do not ask; needed where there is no terminal to ask on
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        vault: VaultArg,
    },
    /// Turn a proposal down
    Decline {
        /// The proposal's id, or enough of its beginning
        id: String,
        /// Why; the agent can read it
        #[arg(long, value_name = "TEXT")]
        comment: Option<String>,
        #[command(flatten)]
        vault: VaultArg,
    },
    /// Carry an interrupted operation through
    ///
    /// It is planned anew where another program has written in between; if it no longer fits, nothing is written.
    Finish {
        /// The operation's id, or enough of its beginning
        id: String,
        #[command(flatten)]
        vault: VaultArg,
    },
    /// Take an interrupted operation back
    ///
    /// Its files get their earlier text again, but for those that another program has written since: they stay.
    Undo {
        /// The operation's id, or enough of its beginning
        id: String,
        #[command(flatten)]
        vault: VaultArg,
    },
}

/// What to say of a vault.
#[derive(Debug, Args)]
pub struct StatusArgs {
    #[command(flatten)]
    pub vault: VaultArg,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// How to print what agents asked for.
#[derive(Debug, Args)]
pub struct AuditArgs {
    #[command(flatten)]
    pub vault: VaultArg,
    /// Print JSON, one line for each call
    #[arg(long)]
    pub json: bool,
    /// Print comma-separated values
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
}

/// Which client to connect.
#[derive(Debug, Args)]
pub struct ConnectArgs {
    /// The MCP client
    #[arg(value_enum)]
    pub client: ClientKind,
    #[command(flatten)]
    pub vault: VaultArg,
    #[command(flatten)]
    pub leave: LeaveArgs,
    /// Print the settings and write nothing
    #[arg(long, conflicts_with_all = ["yes", "undo"])]
    pub print: bool,
    /// Do not ask; needed where there is no terminal to ask on
    #[arg(long)]
    pub yes: bool,
    /// Take the vault out of the client's settings again
    #[arg(long)]
    pub undo: bool,
    /// Print a link that adds the vault to the client once it is opened (Cursor, VS Code, LM Studio)
    #[arg(long, conflicts_with_all = ["yes", "undo", "print"])]
    pub link: bool,
    /// Write a bundle that adds the vault to the client once it is opened (Claude Desktop)
    ///
    /// The name must end in .mcpb. With --yes, a file that is there is replaced.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["undo", "print", "link"])]
    pub bundle: Option<PathBuf>,
}

/// Does what was asked, without any window.
///
/// # Errors
/// It could not be done.
pub fn run(command: Command) -> Result<u8, Stop> {
    match command {
        Command::Mcp(args) => mcp::run(args),
        Command::Review(args) => review::run(args),
        Command::Index(args) => index::run(args),
        Command::Status(args) => status::run(args),
        Command::Audit(args) => audit::run(args),
        Command::Connect(args) => connect::run(args),
    }
}

/// Why a command ended early: a sentence, the next step, and the exit code.
#[derive(Debug)]
pub struct Stop {
    pub message: String,
    pub hint: String,
    pub code: u8,
}

impl Stop {
    /// Something could not be done.
    pub fn failed(message: impl Into<String>, hint: impl Into<String>) -> Stop {
        Stop { message: message.into(), hint: hint.into(), code: FAILED }
    }

    /// It was asked wrongly.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Stop {
        Stop { message: message.into(), hint: hint.into(), code: USAGE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    fn parse(words: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(words.split(' '))
    }

    #[test]
    fn a_path_that_looks_like_a_command_is_a_path() {
        assert_eq!(parse("vidimus ./review").unwrap().vault, Some("./review".into()));
        assert!(parse("vidimus review list --vault a").unwrap().command.is_some());
    }

    #[test]
    fn approving_needs_a_proposal_or_all_of_them() {
        assert!(parse("vidimus review approve --vault a").is_err());
        assert!(parse("vidimus review approve 01A --vault a").is_ok());
        assert!(parse("vidimus review approve --all --yes --vault a").is_ok());
        assert!(parse("vidimus review approve 01A --all --vault a").is_err());
    }

    #[test]
    fn connecting_is_done_in_one_way() {
        for words in ["--link", "--bundle a.mcpb", "--bundle a.mcpb --yes", "--print"] {
            assert!(parse(&format!("vidimus connect cursor --vault a {words}")).is_ok(), "{words}");
        }
        for words in ["--link --print", "--link --undo", "--bundle a.mcpb --link", "--bundle a.mcpb --undo", "--bundle"]
        {
            assert!(parse(&format!("vidimus connect cursor --vault a {words}")).is_err(), "{words}");
        }
    }

    #[test]
    fn an_agent_can_be_kept_to_folders_and_tools() {
        let words = "vidimus mcp --vault a --only-folder Open/ --only-folder b/c --only-tool get_note";
        let Some(Command::Mcp(args)) = parse(words).unwrap().command else { panic!("{words}") };
        let folders: Vec<&str> = args.leave.only_folder.iter().map(RelPath::as_str).collect();
        assert_eq!((folders, &args.leave.only_tool), (vec!["Open", "b/c"], &vec!["get_note".to_owned()]));
        // A client is connected with the same words, and they come to the same.
        let said = args.leave.words().join(" ");
        assert_eq!(said, "--only-folder Open --only-folder b/c --only-tool get_note");
        let words = format!("vidimus connect cursor --vault a --writes off {said}");
        let Some(Command::Connect(args)) = parse(&words).unwrap().command else { panic!("{words}") };
        assert_eq!(args.leave.words().join(" "), format!("--writes off {said}"));
        for wrong in ["--only-folder ../a", "--only-folder /", "--only-tool approve"] {
            assert!(parse(&format!("vidimus mcp --vault a {wrong}")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn settling_needs_one_operation() {
        for word in ["finish", "undo"] {
            assert!(parse(&format!("vidimus review {word} --vault a")).is_err());
            assert!(parse(&format!("vidimus review {word} 01A --vault a")).is_ok());
        }
    }
}
