//! Pictures that are pasted and files that are dropped, with the bytes that the page really sends.

use crate::steps::{file_has, open_note};
use anyhow::Context;
use it::{Bench, Window, key, until};

const VAULT: &str = "\
//- /trips/Log.md
# Log

//- /.obsidian/app.json
{\"attachmentFolderPath\":\"./img ö\"}
";

const F8: &str = "\u{e038}";

/// Only what a person presses may write to the clipboard.
const COPY_BY_F8: &str = "document.addEventListener('keydown', (event) => {
  if (event.key !== 'F8') return;
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [40, 30];
  canvas.getContext('2d').fillRect(0, 0, 20, 20);
  const item = new ClipboardItem({ 'image/png': new Promise((done) => canvas.toBlob(done, 'image/png')) });
  void navigator.clipboard.write([item]).then(() => (document.documentElement.dataset.copied = ''));
});";

/// Draws a picture of 40 by 30, and hands it to the page in the way that is named, at the end of the text.
fn hand_over(event: &str, name: &str) -> String {
    format!(
        "const canvas = document.createElement('canvas');
         [canvas.width, canvas.height] = [40, 30];
         const pen = canvas.getContext('2d');
         pen.fillStyle = 'teal';
         pen.fillRect(0, 0, 40, 30);
         canvas.toBlob((blob) => {{
           const handed = new DataTransfer();
           handed.items.add(new File([blob], {name:?}, {{ type: 'image/png' }}));
           const text = document.querySelector('.cm-content');
           const box = text.querySelector('.cm-line:last-child').getBoundingClientRect();
           const event = new {event};
           if (!event.clipboardData?.files.length && !event.dataTransfer?.files.length)
             Object.defineProperty(event, event.type === 'paste' ? 'clipboardData' : 'dataTransfer', {{ value: handed }});
           text.dispatchEvent(event);
         }});"
    )
}

#[tokio::test]
async fn a_pasted_picture_and_a_dropped_file_are_kept_shown_and_taken_back() -> anyhow::Result<()> {
    let bench = Bench::new(VAULT);
    let vault = bench.vault();
    let window = Window::open(&bench, &[vault.to_str().context("a plain path")?]).await?;
    open_note(&window, "Log").await?;
    window.click(".cm-content").await?;
    window.press(&[key::CONTROL], key::END).await?;
    let before = bench.files();

    let paste = "ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: handed })";
    window.script(&hand_over(paste, "image.png")).await?;
    file_has(&bench, "trips/Log.md", "![[Pasted image ").await?;
    let pictures = || bench.shown("trips/img ö");
    let pasted = pictures();
    assert_eq!(pasted.len(), 1, "{pasted:?}");
    let bytes = &bench.files()[&pasted[0]];
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.ends_with(b"IEND\xaeB`\x82"));
    let shown =
        "return [...document.querySelectorAll('.cm-picture img, .reading img')].map((one) => one.naturalWidth).join()";
    let is_shown = |wanted: &'static str| {
        let window = &window;
        until("the pictures are shown", move || async move {
            Ok(window.script(shown).await?.as_str().filter(|widths| *widths == wanted).map(|_| ()))
        })
    };
    is_shown("40").await?;

    // As another program copies a picture: the web view hands a page no such thing with a paste, so it is asked for.
    window.script(COPY_BY_F8).await?;
    window.press(&[key::CONTROL], key::END).await?;
    window.keys(F8).await?;
    window.find("html[data-copied]").await?;
    window.press(&[key::CONTROL], "v").await?;
    is_shown("40,40").await?;
    assert_eq!(pictures().len(), 2);

    let drop = "DragEvent('drop', { bubbles: true, cancelable: true, clientX: box.left + 1, clientY: box.top + 1, dataTransfer: handed })";
    window.script(&hand_over(drop, "Map & ü.png")).await?;
    file_has(&bench, "trips/Log.md", "![[Map & ü.png]]").await?;
    window.script(&hand_over(drop, "Map & ü.png")).await?;
    file_has(&bench, "trips/Log.md", "![[Map & ü 1.png]]").await?;
    window.press(&[key::CONTROL], "e").await?;
    is_shown("40,40,40,40").await?;

    assert_eq!(pictures().len(), 4);
    window.press(&[key::CONTROL], "e").await?;
    window.click(".toast:last-child .text-button").await?;
    until("the last file is gone again", || async { Ok((pictures().len() == 3).then_some(())) }).await?;
    file_has(&bench, "trips/Log.md", "ü.png]]").await?;
    until("its link is gone too", || async { Ok((!bench.read("trips/Log.md").contains("ü 1.png")).then_some(())) })
        .await?;
    assert!(before.iter().all(|(path, bytes)| path.ends_with("Log.md") || bench.files()[path] == *bytes));
    window.close().await
}
