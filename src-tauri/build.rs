//! Embeds the built page and checks the capabilities.

use std::path::Path;

const UNBUILT: &str =
    "<!doctype html><title>Vidimus</title><p>The page of this program is not built: run <code>cargo xtask run</code>.";

fn main() {
    // `generate_context!` panics without a page, so that a fresh clone could not even be checked.
    let dist = Path::new("../ui/dist");
    if !dist.join("index.html").exists()
        && let Err(error) =
            std::fs::create_dir_all(dist).and_then(|()| std::fs::write(dist.join("index.html"), UNBUILT))
    {
        println!("cargo:warning=cannot write a stand-in for ui/dist/index.html: {error}");
    }
    // Without these a page built anew under other file names would stay out of the program.
    println!("cargo:rerun-if-changed=../ui/dist");
    println!("cargo:rerun-if-changed=../icons");
    tauri_build::build();
}
