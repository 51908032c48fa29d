//! The program's manners: what it says and how it ends when it is given what it cannot use.

use it::Bench;
#[cfg(target_os = "linux")]
use it::{Headless, program};

#[test]
fn help_is_documentation() {
    let bench = Bench::new("//- /a.md\n");
    for args in
        [&["--help"][..], &["mcp", "--help"], &["review", "--help"], &["index", "--help"], &["status", "--help"]]
    {
        let (code, out, _) = bench.run(args);
        assert_eq!(code, 0, "{args:?}");
        assert!(out.lines().count() > 5, "{args:?}: {out}");
    }
}

#[test]
fn a_wrong_folder_is_named_with_what_to_do_next() {
    let bench = Bench::new("//- /a.md\n");
    let missing = bench.vault().join("missing");
    let file = bench.vault().join("a.md");
    for (path, says) in [(&missing, "no such folder"), (&file, "not a folder")] {
        let path = path.to_str().unwrap();
        for args in [&["mcp", "--vault", path][..], &["index", "--vault", path], &["status", "--vault", path]] {
            let (code, out, err) = bench.run(args);
            assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
            assert!(err.contains(says) && err.contains(path), "{args:?}: {err}");
            assert!(!err.contains("panicked"), "{err}");
        }
    }
}

#[test]
fn without_a_display_the_window_says_so() {
    let bench = Bench::new("//- /a.md\n");
    let vault = bench.vault();
    let (code, _, err) = bench.run(&[vault.to_str().unwrap()]);
    assert_ne!(code, 0);
    assert!(err.contains("display") && !err.contains("panicked"), "{err}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_needs_no_window_loads_none_of_its_libraries() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;
    let bench = Bench::new("//- /a.md\n");
    let mut command = bench.command(&["mcp", "--vault", bench.vault().to_str().unwrap()]);
    let mut server =
        Headless(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    // Its answer tells that all it needs is loaded.
    server.0.stdin.as_mut().unwrap().write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").unwrap();
    let mut answer = String::new();
    BufReader::new(server.0.stdout.as_mut().unwrap()).read_line(&mut answer).unwrap();
    assert!(answer.contains("\"result\""), "{answer}");
    let maps = std::fs::read_to_string(format!("/proc/{}/maps", server.0.id())).unwrap();
    let libraries: Vec<&str> = maps.lines().filter_map(|line| line.rsplit('/').next()).collect();
    assert!(libraries.iter().any(|name| name.starts_with("libc.")), "{maps}");
    for part in ["webkit", "javascriptcore", "libgtk", "libgdk", "libsoup", "libglib"] {
        assert!(!libraries.iter().any(|name| name.contains(part)), "{part} is loaded: {maps}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_window_is_the_program_beside_in_the_same_process() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new("//- /a.md\n");
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("vidimus");
    let window = folder.path().join("vidimus-window");
    std::fs::copy(program(), &own).unwrap();
    let start = |word: &str| {
        let mut command = std::process::Command::new(&own);
        command.arg(word).envs(bench.env()).env("DISPLAY", ":0").stdin(std::process::Stdio::null());
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let started = command.spawn().unwrap();
        (started.id(), started.wait_with_output().unwrap())
    };
    let vault = bench.vault();
    let (_, out) = start(vault.to_str().unwrap());
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains(window.to_str().unwrap()) && said.contains("install Vidimus again"), "{said}");

    std::os::unix::fs::symlink(&own, &window).unwrap();
    let (_, out) = start(vault.to_str().unwrap());
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains("only a link to this one"), "{said}");
    std::fs::remove_file(&window).unwrap();

    std::fs::write(&window, "#!/bin/sh\necho \"$$ $#\"\necho \"$1\"\nexit 3\n").unwrap();
    std::fs::set_permissions(&window, std::fs::Permissions::from_mode(0o755)).unwrap();
    for word in [vault.to_str().unwrap(), "vidimus://open?vault=a b&file=\"c\" $d.md"] {
        let (pid, out) = start(word);
        assert_eq!(out.status.code(), Some(3), "{}", String::from_utf8_lossy(&out.stderr));
        assert_eq!(String::from_utf8_lossy(&out.stdout), format!("{pid} 1\n{word}\n"));
    }
}

#[test]
fn indexing_and_status_change_no_byte() {
    let bench = Bench::new("//- /a.md\n# A\n\n[[b]]\n//- /deep/b.md\nb\n");
    let before = bench.files();
    let vault = bench.vault();
    let vault = vault.to_str().unwrap();
    let (code, out, err) = bench.run(&["index", "--vault", vault]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, err) = bench.run(&["status", "--vault", vault, "--json"]);
    assert_eq!(code, 0, "{out}{err}");
    let status: serde_json::Value = serde_json::from_str(&out).expect("--json prints JSON");
    assert_eq!(status["n_notes"], 2, "{status}");
    assert_eq!(bench.files(), before);
}

#[test]
fn a_client_is_given_a_link_or_a_bundle() {
    let bench = Bench::new("//- /a.md\n");
    let before = bench.files();
    let vault = bench.vault();
    let vault = vault.to_str().unwrap();
    let (code, link, err) = bench.run(&["connect", "vscode", "--vault", vault, "--only-folder", "b", "--link"]);
    assert_eq!(code, 0, "{err}");
    assert!(
        link.starts_with("vscode:mcp/install?") && link.contains("--only-folder") && link.lines().count() == 1,
        "{link}"
    );
    let (code, out, err) = bench.run(&["connect", "codex", "--vault", vault, "--link"]);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("cursor"), "{err}");

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.mcpb");
    let file = file.to_str().unwrap();
    let make = |more: &[&str]| {
        bench.run(&[&["connect", "claude-desktop", "--vault", vault, "--bundle", file][..], more].concat())
    };
    assert_eq!(make(&[]).0, 0);
    let bytes = std::fs::read(file).unwrap();
    assert!(bytes.starts_with(b"PK\x03\x04") && bytes.windows(vault.len()).any(|part| part == vault.as_bytes()));
    let (code, _, err) = make(&["--writes", "off"]);
    assert_eq!(code, 1);
    assert!(err.contains("--yes"), "{err}");
    assert_eq!(std::fs::read(file).unwrap(), bytes, "what is there is not replaced unasked");
    assert_eq!(make(&["--writes", "off", "--yes"]).0, 0);
    assert_ne!(std::fs::read(file).unwrap(), bytes);
    assert_eq!(bench.files(), before);
}

#[cfg(unix)]
#[test]
fn a_clients_settings_are_found_and_nothing_else_is_written() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};
    let bench = Bench::new("//- /a.md\n");
    let vault = bench.vault();
    let vault = vault.to_str().unwrap();
    // The account has its settings in a folder of its own (XDG_CONFIG_HOME).
    if cfg!(target_os = "linux") {
        for (client, file) in
            [("zed", "zed/settings.json"), ("goose", "goose/config.yaml"), ("vscode", "Code/User/mcp.json")]
        {
            let (code, _, err) = bench.run(&["connect", client, "--vault", vault, "--yes"]);
            assert_eq!(code, 0, "{err}");
            let text = std::fs::read_to_string(bench.home().join("config").join(file)).unwrap();
            assert!(text.contains(vault), "{text}");
        }
    }
    // What stands where the copy goes may be a link to something dear.
    let settings = bench.home().join(".cursor/mcp.json");
    let (kept, dear) = (bench.home().join(".cursor/mcp.json.before-vidimus"), bench.home().join("dear"));
    std::fs::create_dir(settings.parent().unwrap()).unwrap();
    std::fs::write(&settings, "{}\n").unwrap();
    std::fs::write(&dear, "dear").unwrap();
    symlink(&dear, &kept).unwrap();
    let (code, _, err) = bench.run(&["connect", "cursor", "--vault", vault, "--yes"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(std::fs::read_to_string(&dear).unwrap(), "dear");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "{}\n");
    // A file that may not be written is not, although its folder would let it be replaced.
    let before = std::fs::read_to_string(&settings).unwrap();
    std::fs::set_permissions(&settings, std::fs::Permissions::from_mode(0o444)).unwrap();
    let (code, _, err) = bench.run(&["connect", "cursor", "--vault", vault, "--undo"]);
    assert_eq!(code, 1, "{err}");
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), before);
    // What cannot be written into is told apart from what was done.
    let broken = bench.home().join(".gemini/settings.json");
    std::fs::create_dir(broken.parent().unwrap()).unwrap();
    std::fs::write(&broken, "{").unwrap();
    let (code, out, err) = bench.run(&["connect", "gemini", "--vault", vault, "--yes"]);
    assert_eq!((code, out.contains(vault)), (1, true), "{err}");
    assert_eq!(std::fs::read_to_string(&broken).unwrap(), "{");
    // What is no file is not waited for.
    let device = bench.home().join(".codeium/windsurf/mcp_config.json");
    std::fs::create_dir_all(device.parent().unwrap()).unwrap();
    symlink("/dev/zero", &device).unwrap();
    let (code, _, err) = bench.run(&["connect", "windsurf", "--vault", vault, "--yes"]);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("it is no file"), "{err}");
    // A folder whose name no settings file can hold.
    if cfg!(target_os = "linux") {
        let odd = bench.home().join(std::ffi::OsStr::from_bytes(b"v\xff"));
        std::fs::create_dir(&odd).unwrap();
        let out = bench.command(&["connect", "lm-studio", "--yes", "--vault"]).arg(&odd).output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{said}");
        assert!(said.contains("not UTF-8") && !bench.home().join(".lmstudio/mcp.json").exists(), "{said}");
    }
}
