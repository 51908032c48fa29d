//! Folders without files.

use super::*;

#[test]
fn a_folder_is_made_with_those_above_it_and_removed_only_while_it_is_empty() {
    let world = World::new(&[("a.md", "A"), ("file", "F")]);
    let (mut vault, _) = world.open();
    vault.make_folder(&rel("x/y/z")).unwrap();
    vault.make_folder(&rel("x/y")).unwrap();
    assert!(world.path("x/y/z").is_dir());

    world.put("x/y/.hidden", "theirs");
    assert!(!vault.remove_empty_folders(&rel("x")).unwrap());
    assert_eq!(world.get("x/y/.hidden").as_deref(), Some("theirs"));
    assert!(!world.path("x/y/z").exists());
    std::fs::remove_file(world.path("x/y/.hidden")).unwrap();
    assert!(vault.remove_empty_folders(&rel("x")).unwrap());
    assert!(!world.path("x").exists());
    assert!(vault.remove_empty_folders(&rel("x")).unwrap());
}

#[test]
fn a_folder_cannot_be_made_where_something_else_is() {
    let world = World::new(&[("file", "F")]);
    let (mut vault, _) = world.open();
    let refusal = |vault: &mut Vault, path: &str| vault.make_folder(&rel(path)).unwrap_err().to_string();
    assert_eq!(refusal(&mut vault, "file"), "not a change that can be made: a file of that name is there: `file`");
    assert_eq!(refusal(&mut vault, "file/x"), "cannot write `file/x`: a part of the path is not a folder");
    assert_eq!(refusal(&mut vault, ".obsidian/x"), "path is outside of the notes: `.obsidian/x`");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(world.dir.path(), world.path("out")).unwrap();
        assert_eq!(refusal(&mut vault, "out/x"), "path is outside of the notes: `out/x`");
    }
    assert_eq!(world.files(), files(&[("file", "F")]));
}
