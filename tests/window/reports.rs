//! What goes wrong is told quietly, and stays on this computer.

use anyhow::Context;
use it::{Bench, Window, until};
use std::path::PathBuf;

const VAULT: &str = "//- /June.md\n# June\n\nHere.\n";
const BAR: &str = ".notice-bar";

fn files(bench: &Bench) -> anyhow::Result<Vec<PathBuf>> {
    let folder = bench.home().join("data/vidimus/reports");
    let mut files = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

#[tokio::test]
async fn a_panic_and_an_error_of_the_page_are_told_and_kept_here() -> anyhow::Result<()> {
    let bench = Bench::new(VAULT);
    let before = bench.files();
    let vault = bench.vault();
    let args = [vault.to_str().context("a plain path")?];
    let window = Window::open_with(&bench, &args, &[("VIDIMUS_PANIC", "my dear diary")]).await?;
    window.text_has(BAR, "Something went wrong in Vidimus. A report of it stays on this computer.").await?;
    window.find("[role=tree] [role=treeitem]").await?;
    let [panicked] = &files(&bench)?[..] else { anyhow::bail!("one report") };
    let text = std::fs::read_to_string(panicked)?;
    assert!(text.contains("a panic on purpose over …") && text.contains("in the thread told-to"), "{text}");
    assert!(!text.contains("diary"), "{text}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(panicked)?.permissions().mode() & 0o777, 0o600);
    }
    window.close().await?;

    // The next start tells of it, and of what goes wrong in the page now.
    let window = Window::open(&bench, &args).await?;
    window.text_has(BAR, "A report of it stays").await?;
    window.script("setTimeout(() => JSON.parse('{my dear diary'), 0); return null").await?;
    window.text_has(BAR, "2 reports of it stay").await?;
    window.click(".notice-bar button").await?;
    window.text_has("[role=dialog] pre", "in the page of Vidimus").await?;
    window.text_has("[role=dialog] pre", "a panic on purpose over …").await?;
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("a root")?.join("target/pictures");
    std::fs::create_dir_all(&folder)?;
    for theme in ["light", "dark"] {
        window.script(&format!("document.documentElement.dataset.theme = {theme:?}")).await?;
        window.picture(&folder.join(format!("report-{theme}.png"))).await?;
    }
    window.script("document.querySelector('[role=dialog] [data-autofocus]').click()").await?;
    until("the notice is gone", || async {
        Ok(window.script(&format!("return document.querySelector({BAR:?}) === null")).await?.as_bool().filter(|is| *is))
    })
    .await?;
    for file in files(&bench)? {
        assert!(!file.display().to_string().contains("unseen"), "{}", file.display());
        assert!(!std::fs::read_to_string(&file)?.contains("diary"), "{}", file.display());
    }
    assert_eq!(files(&bench)?.len(), 2);
    assert_eq!(bench.files(), before);
    window.close().await
}
