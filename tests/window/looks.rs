//! How a vault looks in Obsidian is how its notes look here: nothing is loaded for it, and nothing but notes is dressed.

use anyhow::Context;
use it::{Bench, Window, key, until};

const VAULT: &str = r##"//- /June.md
# June

A plain line with a [link](https://example.org).

## Second

More.
//- /.obsidian/appearance.json
{"theme": "obsidian", "accentColor": "#00c853", "baseFontSize": 20, "enabledCssSnippets": ["dress", "hostile"]}
//- /.obsidian/hotkeys.json
{"switcher:open": [{"modifiers": ["Mod"], "key": "J"}], "editor:toggle-bold": [{"modifiers": ["Mod", "Shift"], "key": "B"}]}
//- /.obsidian/snippets/dress.css
:root { --h2-color: rgb(1, 2, 3); --background-primary: rgb(10, 20, 30) }
.theme-dark .markdown-preview-view h1, .theme-dark .cm-header-1 { color: rgb(4, 5, 6) }
.markdown-rendered p { letter-spacing: 3px }
//- /.obsidian/snippets/hostile.css
@import url("http://127.0.0.1:1/import.css");
header, .status-bar, body > * , footer { display: none !important }
body { position: fixed; inset: 0; z-index: 99999; background: url(http://127.0.0.1:1/a.png) }
p { :root:has(&) header { display: none !important } & ~ header, header:not(&) { display: none } }
} header { display: none !important }
@keyframes spin { to { opacity: 0 } }
"##;

async fn value(window: &Window, css: &str, property: &str) -> anyhow::Result<String> {
    let script = format!("return getComputedStyle(document.querySelector({css:?})).getPropertyValue({property:?})");
    Ok(window.script(&script).await?.as_str().unwrap_or_default().to_owned())
}

async fn becomes(window: &Window, css: &str, property: &str, wanted: &str) -> anyhow::Result<()> {
    let what = format!("{css} has {property}: {wanted}");
    until(&what, || async { Ok((value(window, css, property).await.unwrap_or_default() == wanted).then_some(())) })
        .await
        .with_context(|| what.clone())
}

#[tokio::test]
async fn notes_wear_what_the_vault_says_and_nothing_else_does() -> anyhow::Result<()> {
    let bench = Bench::new(VAULT);
    let before = bench.files();
    let window = Window::open(&bench, &[bench.vault().to_str().context("a plain path")?]).await?;
    window.find("[role=tree] [role=treeitem]").await?;
    until("the theme is the vault's", || async {
        Ok(window.script("return document.documentElement.dataset.theme === 'dark'").await?.as_bool().filter(|is| *is))
    })
    .await?;
    // Its own key opens the finder, and the usual one no more.
    window.press(&[key::CONTROL], "o").await?;
    window.press(&[key::CONTROL], "j").await?;
    window.find("[role=dialog] input").await?;
    window.keys("June").await?;
    window.text_has("[role=dialog] [role=option]", "June").await?;
    window.keys(key::ENTER).await?;
    window.find(".cm-content .cm-h1").await?;
    becomes(&window, ".cm-content .cm-h1", "color", "rgb(4, 5, 6)").await?;
    becomes(&window, ".cm-content .cm-h2", "color", "rgb(1, 2, 3)").await?;
    becomes(&window, ".cm-editor", "font-size", "20px").await?;
    becomes(&window, ".source", "background-color", "rgb(10, 20, 30)").await?;
    window.press(&[key::CONTROL], "e").await?;
    window.find(".reading h1").await?;
    becomes(&window, ".reading h1", "color", "rgb(4, 5, 6)").await?;
    becomes(&window, ".reading p", "letter-spacing", "3px").await?;

    // What is no note stays, and is where it was.
    for outside in ["header", "[role=tree]", "[role=tablist]"] {
        assert_ne!(value(&window, outside, "display").await?, "none", "{outside}");
        assert_eq!(value(&window, outside, "letter-spacing").await?, "normal", "{outside}");
    }
    let covered = "const bar = document.querySelector('header').getBoundingClientRect(); \
                   return document.querySelector('header').contains(document.elementFromPoint(bar.x + bar.width / 2, bar.y + bar.height / 2))";
    assert_eq!(window.script(covered).await?.as_bool(), Some(true), "the bar can be pressed");
    let asked =
        "return performance.getEntriesByType('resource').filter((one) => one.name.includes('127.0.0.1')).length";
    assert_eq!(window.script(asked).await?.as_u64(), Some(0), "nothing is loaded");

    // Another program's change is seen at once, and none was ours.
    bench.write(".obsidian/snippets/dress.css", ".markdown-rendered p { letter-spacing: 5px }");
    becomes(&window, ".reading p", "letter-spacing", "5px").await?;
    bench.write(".obsidian/appearance.json", r#"{"theme": "moonstone"}"#);
    becomes(&window, ".reading p", "letter-spacing", "normal").await?;
    window.find(":root[data-theme=light]").await?;
    let mut after = bench.files();
    for changed in [".obsidian/appearance.json", ".obsidian/snippets/dress.css"] {
        after.insert(changed.to_owned(), before[changed].clone());
    }
    assert_eq!(after, before);
    // With the keys gone, the usual ones are back.
    bench.write(".obsidian/hotkeys.json", "{}");
    until("the usual key opens the finder", || async {
        window.press(&[key::CONTROL], "o").await?;
        Ok(window
            .script("return document.querySelector('[role=dialog] input') !== null")
            .await?
            .as_bool()
            .filter(|is| *is))
    })
    .await?;
    window.close().await
}

/// The same vault for the eye, in both themes.
#[tokio::test]
async fn pictures_of_a_dressed_vault() -> anyhow::Result<()> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("a root")?.join("target/pictures");
    std::fs::create_dir_all(&folder)?;
    for (theme, name) in [("moonstone", "light"), ("obsidian", "dark")] {
        let bench = Bench::new(include_str!("field-notes.txt"));
        let look = format!(
            r##"{{"theme": "{theme}", "accentColor": "#8a2be2", "baseFontSize": 18, "textFontFamily": "DejaVu Serif", "cssTheme": "Minimal", "enabledCssSnippets": ["headings"]}}"##
        );
        bench.write(".obsidian/appearance.json", &look);
        bench.write(
            ".obsidian/hotkeys.json",
            r#"{"switcher:open": [{"modifiers": ["Mod"], "key": "E"}], "x:y": [{"modifiers": ["Mod"], "key": "Y"}]}"#,
        );
        bench.write(".obsidian/snippets/headings.css", "body { --h1-color: var(--color-orange); --h2-color: var(--color-green) }\n.markdown-rendered h2, .cm-header-2 { border-bottom: 1px solid var(--background-modifier-border) }");
        bench.write(".obsidian/snippets/fonts.css", "@font-face { font-family: x; src: url(x.woff2) }");
        bench.write(".obsidian/snippets/wide lines.css", "body { --file-line-width: 900px }");
        let window = Window::open(&bench, &[bench.vault().to_str().context("a plain path")?]).await?;
        window.find("[role=tree] [role=treeitem]").await?;
        window.find(&format!(":root[data-theme={name}][data-snippets]")).await?;
        window.press(&[key::CONTROL], "p").await?;
        window.find("[role=dialog] input").await?;
        window.keys(key::ESCAPE).await?;
        window.press(&[key::CONTROL], "e").await?;
        window.find("[role=dialog] input").await?;
        window.keys("Glacier survey").await?;
        window.text_has("[role=dialog] [role=option]", "Glacier survey").await?;
        window.keys(key::ENTER).await?;
        window.find(".cm-content .cm-h2").await?;
        window.picture(&folder.join(format!("vault-look-{name}.png"))).await?;
        window.press(&[key::CONTROL], ",").await?;
        window.find("[role=dialog]").await?;
        window.script("document.querySelector('#snippets').scrollIntoView({ block: 'start' })").await?;
        window.picture(&folder.join(format!("vault-look-settings-{name}.png"))).await?;
        window.close().await?;
    }
    Ok(())
}
