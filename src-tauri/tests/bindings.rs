//! The page's bindings are what the program offers.

use specta_typescript::Typescript;
use std::path::Path;

/// Compares rather than generates: a changed command or type must be seen in the commit. Run by hand, the file is
/// brought up to date and the test fails once; with `CI` set it only fails.
#[test]
fn bindings_are_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/src/ipc/bindings.ts");
    let folder = tempfile::tempdir().unwrap();
    let written = folder.path().join("bindings.ts");
    vidimus::bindings::bindings().export(Typescript::default(), &written).unwrap();
    let fresh = std::fs::read_to_string(written).unwrap();
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    if fresh == kept {
        return;
    }
    if std::env::var_os("CI").is_none() {
        std::fs::write(&path, fresh).unwrap();
    }
    panic!(
        "ui/src/ipc/bindings.ts was not what the program offers; run `cargo test -p vidimus --test bindings` and commit it"
    );
}
