//! The properties above a note, edited by keyboard alone.

use crate::steps::{file_has, open_note};
use anyhow::Context;
use it::{Bench, Window, key};

const UP: &str = "\u{e013}";

const VAULT: &str = "\
//- /Survey.md
---
title: 'Ice'   # as on the map
due: 2026-01-02
rating: 4
done: false
tags: [field,  survey]
up: \"[[Plain]]\"
---
# Survey
//- /Plain.md
# Plain
//- /Broken.md
---
a: [1
---
# Broken
//- /.obsidian/types.json
{\"types\":{\"stars\":\"number\"}}
";

#[tokio::test]
async fn properties_are_edited_above_the_text_and_every_other_byte_stays() -> anyhow::Result<()> {
    let bench = Bench::new(VAULT);
    let before = bench.files();
    let vault = bench.vault();
    let window = Window::open(&bench, &[vault.to_str().context("a plain path")?]).await?;
    open_note(&window, "Broken").await?;
    window.text_has(".cm-properties-problem", "not valid YAML").await?;
    window.text_has(".cm-content", "a: [1").await?;

    open_note(&window, "Survey").await?;
    window.find(".cm-property [data-part=value]").await?;
    window.click(".cm-content > .cm-line").await?;
    window.press(&[key::CONTROL], "\u{e011}").await?;
    assert_eq!(bench.files(), before, "looking at a note changes nothing");
    // Up from the text, past the link, the tags, the box, the number and the date.
    for _ in 0..6 {
        window.keys(UP).await?;
    }
    window.find("[data-key=title] [data-part=value]:focus").await?;
    window.press(&[key::CONTROL], "a").await?;
    window.keys("Firn's edge").await?;
    window.keys(key::ENTER).await?;
    file_has(&bench, "Survey.md", "title: 'Firn''s edge'   # as on the map\ndue: 2026-01-02\n").await?;
    window.click("[data-key=tags] [data-part=value]").await?;
    window.keys("new").await?;
    window.keys(key::ENTER).await?;
    file_has(&bench, "Survey.md", "tags: [field,  survey, new]\nup: \"[[Plain]]\"\n").await?;
    window.press(&[key::CONTROL], "z").await?;
    file_has(&bench, "Survey.md", "tags: [field,  survey]\n").await?;
    window.press(&[key::CONTROL], "z").await?;
    file_has(&bench, "Survey.md", "title: 'Ice'   # as on the map\n").await?;
    assert_eq!(bench.files(), before, "what is taken back is there again to the byte");

    open_note(&window, "Plain").await?;
    window.click(".cm-content > .cm-line").await?;
    window.press(&[key::CONTROL], ";").await?;
    window.find("[data-part=new]:focus").await?;
    window.keys("stars").await?;
    window.keys(key::ENTER).await?;
    window.find("[data-key=stars] [data-part=value]:focus").await?;
    window.keys("4.5").await?;
    window.keys(key::ENTER).await?;
    file_has(&bench, "Plain.md", "---\nstars: 4.5\n---\n# Plain\n").await?;
    window.close().await
}
