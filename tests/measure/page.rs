//! What is timed inside the page.

use anyhow::{Context, Result};
use it::{Window, key};
use serde_json::Value;

/// Runs the body of an async function in the page and returns the numbers that it returns.
async fn times(window: &Window, body: &str) -> Result<Vec<f64>> {
    let script = format!(
        "const done = arguments[arguments.length - 1]; (async () => {{ {body} }})().then(done, (error) => done(String(error)));"
    );
    let answer = window.driver.execute_async(&script, Vec::new()).await?.json().clone();
    let numbers = answer.as_array().with_context(|| format!("the page answered {answer}"))?;
    Ok(numbers.iter().filter_map(Value::as_f64).collect())
}

/// Clicks through notes of the tree and waits each time until the other note's text is on the screen.
pub async fn switch_notes(window: &Window, n: usize) -> Result<Vec<f64>> {
    times(
        window,
        &format!(
            "const frame = () => new Promise(requestAnimationFrame);
             const rows = [...document.querySelectorAll('nav [role=treeitem]')].filter((row) => /Switch/.test(row.textContent));
             const all = [];
             for (let n = 0; n < {n}; n++) {{
               const row = rows[(n * 7) % rows.length];
               const name = row.textContent.trim().match(/Switch \\d+/)[0];
               await new Promise((go) => setTimeout(go, 60));
               const begun = performance.now();
               row.click();
               while (!(document.querySelector('.cm-content')?.textContent ?? '').includes(name)) await frame();
               all.push(performance.now() - begun);
             }}
             return all;"
        ),
    )
    .await
}

/// Types words into the search and waits each time until what is found for them is listed.
pub async fn search(window: &Window, n: usize) -> Result<Vec<f64>> {
    window.press(&[key::CONTROL, key::SHIFT], "f").await?;
    window.find("section.search input, [role=search] input, input[type=search]").await?;
    times(
        window,
        &format!(
            "const frame = () => new Promise(requestAnimationFrame);
             const field = document.activeElement;
             const pane = field.closest('section') ?? document.body;
             const words = ['gla', 'glac', 'glacier', 'glacier m', 'moraine', 'firn', 'theodolite', 'camp river', 'abl', 'ablation'];
             const all = [];
             for (let n = 0; n < {n}; n++) {{
               const before = pane.textContent;
               const word = words[n % words.length];
               const begun = performance.now();
               field.value = word;
               field.dispatchEvent(new Event('input', {{ bubbles: true }}));
               while (pane.textContent === before && performance.now() - begun < 3000) await frame();
               all.push(performance.now() - begun);
               await new Promise((go) => setTimeout(go, 350));
             }}
             return all;"
        ),
    )
    .await
}

/// Opens the large note and puts the caret into the middle of what is seen.
pub async fn open_big(window: &Window) -> Result<()> {
    window.press(&[key::CONTROL], "o").await?;
    window.find("[role=dialog] input").await?;
    window.keys("Big").await?;
    window.text_has("[role=dialog] [role=option]", "Big").await?;
    window.keys(key::ENTER).await?;
    window.text_has("[role=tab][aria-selected=true]", "Big").await?;
    window.click(".cm-content").await?;
    window.press(&[key::CONTROL], key::END).await
}

/// Types, and waits each time until the text is in the page and laid out.
pub async fn keystrokes(window: &Window, n: usize) -> Result<Vec<f64>> {
    times(
        window,
        &format!(
            "const content = document.querySelector('.cm-content');
             const all = [];
             for (let n = 0; n < {n}; n++) {{
               await new Promise((go) => setTimeout(go, 40));
               const begun = performance.now();
               document.execCommand('insertText', false, 'abcdefgh '[n % 9]);
               await Promise.resolve();
               content.getBoundingClientRect();
               all.push(performance.now() - begun);
             }}
             return all;"
        ),
    )
    .await
}

/// The same until the frame that shows it has been handed over; a frame of the display takes 16.7 ms by itself.
pub async fn painted(window: &Window, n: usize) -> Result<Vec<f64>> {
    times(
        window,
        &format!(
            "const after_paint = () => new Promise((go) => requestAnimationFrame(() => {{
               const channel = new MessageChannel();
               channel.port1.onmessage = go;
               channel.port2.postMessage(null);
             }}));
             const all = [];
             for (let n = 0; n < {n}; n++) {{
               await new Promise((go) => setTimeout(go, 40));
               const begun = performance.now();
               document.execCommand('insertText', false, 'abcdefgh '[n % 9]);
               await after_paint();
               all.push(performance.now() - begun);
             }}
             return all;"
        ),
    )
    .await
}
