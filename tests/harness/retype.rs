//! Typing into notes and taking it back, over and over, in the page itself.

use crate::Window;
use anyhow::Context;
use serde_json::json;

/// Notes that the page goes through before it answers.
const STRETCH: usize = 10;

/// What becomes of a note that can be edited.
pub const RETYPED: &str = "typed and undone";

/// What becomes of a note that the window only shows, because its bytes are no text.
pub const READ_ONLY: &str = "cannot be edited";

/// Opens notes one after the other, types a character into each, undoes it and closes the note.
///
/// Returns what became of each: [`RETYPED`], [`READ_ONLY`], or what went otherwise. A note that is closed is saved.
pub async fn retype(window: &Window, notes: &[String]) -> anyhow::Result<Vec<String>> {
    let mut outcomes = Vec::new();
    for some in notes.chunks(STRETCH) {
        let answer = window.driver.execute_async(EDIT, vec![json!(some)]).await?.json().clone();
        let answer = answer.as_array().cloned().with_context(|| format!("the page answered {answer}"))?;
        outcomes.extend(answer.iter().map(|outcome| outcome.as_str().unwrap_or("no answer").to_owned()));
    }
    Ok(outcomes)
}

/// Opens each note as a link would, types as an input method does, and undoes and closes by their keys.
const EDIT: &str = r#"
const [paths, done] = arguments;
const frame = () => new Promise(requestAnimationFrame);
async function until(ask) {
  const begun = performance.now();
  for (;;) {
    const answer = ask();
    if (answer) return answer;
    if (performance.now() - begun > 5000) return null;
    await frame();
  }
}
const press = (key) =>
  document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey: true, bubbles: true, cancelable: true }));
const tab = () => document.querySelector('.tab [role=tab][aria-selected=true]')?.title;
const view_of = (content) => (content.cmTile ?? content.cmView)?.view ?? (content.cmTile ?? content.cmView)?.root?.view;
async function edit(path) {
  const url = 'vidimus://open?vault=vault&file=' + encodeURIComponent(path);
  await window.__TAURI_INTERNALS__.invoke('follow_link', { url });
  if (!(await until(() => tab() === path))) return 'does not open';
  const content = await until(() => document.querySelector('main .cm-content'));
  if (!content) return 'shows no text';
  const view = await until(() => view_of(content));
  if (!view) return 'has no editor';
  let outcome = 'cannot be edited';
  if (!view.state.readOnly) {
    const before = view.state.doc.toString();
    content.focus();
    document.execCommand('insertText', false, 'x');
    const typed = await until(() => view.state.doc.toString() !== before);
    press('z');
    const undone = await until(() => view.state.doc.toString() === before);
    outcome = !typed ? 'takes no text' : undone ? 'typed and undone' : 'is not undone';
  }
  press('w');
  return (await until(() => tab() === undefined)) ? outcome : 'does not close';
}
(async () => {
  const all = [];
  for (const path of paths) all.push(await edit(path));
  return all;
})().then(done, (error) => done(String(error)));
"#;
