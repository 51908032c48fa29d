//! What the editor draws in the real window, under its real content security policy.

use crate::steps::{file_has, open_note, type_at_end};
use anyhow::Context;
use it::{Bench, Window, key};

const VAULT: &str = "\
//- /Shapes.md
# Shapes

> [!tip] A callout
> with $a^2$ in it.

$$
\\frac{1}{2}
$$

```js
const one = 1;
```

![[Other#Part]]

//- /Other.md
# Other

## Part

Words of another note.
";

#[tokio::test]
async fn formulas_embeds_and_code_are_drawn() -> anyhow::Result<()> {
    let bench = Bench::new(VAULT);
    let vault = bench.vault();
    let window = Window::open(&bench, &[vault.to_str().context("a plain path")?]).await?;
    open_note(&window, "Shapes").await?;
    window.find(".cm-callout-line .katex").await?;
    window.find(".cm-math-display .katex .frac-line").await?;
    window.text_has(".cm-embed", "Words of another note.").await?;
    let loaded = "return document.fonts.ready.then(() => document.fonts.check('16px KaTeX_Main'))";
    assert_eq!(window.script(loaded).await?.as_bool(), Some(true), "the fonts of formulas come with the program");
    let colored = "const c = (e) => getComputedStyle(e).color;\
         const line = [...document.querySelectorAll('.cm-code-line')].find((e) => e.textContent.includes('const'));\
         return [...line.querySelectorAll('span')].some((e) => c(e) !== c(line))";
    it::until("code is colored", || async {
        Ok((window.script(colored).await?.as_bool() == Some(true)).then_some(()))
    })
    .await?;
    window.press(&[key::CONTROL], "e").await?;
    window.find(".reading .math.block .katex").await?;
    window.find(".reading pre .tok-keyword").await?;
    window.close().await
}

#[tokio::test]
async fn a_link_is_completed_and_lists_go_on() -> anyhow::Result<()> {
    let bench = Bench::new(VAULT);
    let vault = bench.vault();
    let window = Window::open(&bench, &[vault.to_str().context("a plain path")?]).await?;
    open_note(&window, "Other").await?;
    type_at_end(&window, "- [ ] see [[Sha").await?;
    window.text_has(".cm-tooltip-autocomplete [role=option]", "Shapes").await?;
    // By mouse: for a moment after the list has come up, Enter is still taken for a new line.
    window.click(".cm-tooltip-autocomplete [role=option]").await?;
    window.text_has(".cm-content", "[[Shapes]]").await?;
    window.keys(key::ENTER).await?;
    window.keys("more").await?;
    file_has(&bench, "Other.md", "Words of another note.\n- [ ] see [[Shapes]]\n- [ ] more").await?;
    window.close().await
}
