//! The program's manners: what it says and how it ends when it is given what it cannot use.

use it::Bench;

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
