//! Diagrams in the real web view: drawn under the page's own policy, in both themes, and only where there are some.

use crate::steps::open_note;
use anyhow::Context;
use it::{Bench, Window, key, until};
use std::path::{Path, PathBuf};

/// One of each kind that people draw, under the heading that names it.
const KINDS: &[(&str, &str)] = &[
    (
        "flow",
        "flowchart LR\n  A[Glacier] -->|melts| B(Stream)\n  B --> C{Bridge?}\n  C -- yes --> D[Camp]\n  C -. no .-> A\n  subgraph Valley\n    D --> E((Lake))\n  end",
    ),
    (
        "sequence",
        "sequenceDiagram\n  autonumber\n  Ada->>Ben: Is the hut open?\n  Note right of Ben: asks the keeper\n  Ben-->>Ada: From June on",
    ),
    (
        "class",
        "classDiagram\n  class Note {\n    +String path\n    +rename(to) bool\n  }\n  Note <|-- Canvas\n  Note \"1\" --> \"n\" Link : has",
    ),
    (
        "state",
        "stateDiagram-v2\n  [*] --> Proposed\n  Proposed --> Done : approve\n  Proposed --> Declined : decline\n  Done --> [*]",
    ),
    (
        "entities",
        "erDiagram\n  VAULT ||--o{ NOTE : holds\n  NOTE ||--o{ LINK : has\n  NOTE { string path\n string hash }",
    ),
    (
        "gantt",
        "gantt\n  title Season\n  dateFormat YYYY-MM-DD\n  section Field\n  Camp :a1, 2026-06-01, 20d\n  Survey :after a1, 12d",
    ),
    ("pie", "pie title Stores\n  \"Rice\" : 40\n  \"Beans\" : 25\n  \"Tea\" : 10"),
    ("mind", "mindmap\n  root((Trip))\n    Kit\n      Rope\n      Tent\n    Route"),
    ("time", "timeline\n  title Visits\n  2024 : First survey\n  2025 : Second survey : New hut"),
    ("git", "gitGraph\n  commit\n  branch draft\n  commit\n  checkout main\n  merge draft"),
    ("journey", "journey\n  title A day\n  section Morning\n    Coffee: 5: Ada\n    Climb: 3: Ada, Ben"),
    (
        "quadrant",
        "quadrantChart\n  title Weight and use\n  x-axis Light --> Heavy\n  y-axis Rare --> Often\n  Rope: [0.7, 0.8]\n  Stove: [0.5, 0.6]",
    ),
    ("chart", "xychart-beta\n  title \"Depth\"\n  x-axis [May, June, July]\n  y-axis \"m\" 0 --> 4\n  bar [3, 2, 1]"),
];

fn vault() -> String {
    let kinds: String = KINDS.iter().map(|(name, text)| format!("## {name}\n\n```mermaid\n{text}\n```\n\n")).collect();
    format!(
        "//- /Plain.md\n# Plain\n\n```js\nlet x = 1\n```\n//- /Kinds.md\n# Kinds\n\n{kinds}//- /Hostile.md\n# Hostile\n\n{}\n\nThe end.\n",
        concat!(
            "```mermaid\nflowchart TD\n  A[\"<img src=x onerror=alert(1)>\"] --> B[\"<script>window.pwned = 1</script>\"]\n",
            "  click A \"javascript:window.pwned=1\"\n  click B href \"https://example.org\"\n",
            "  style A fill:#fde,stroke-width:2px\n```\n\n",
            "```mermaid\n%%{init: {\"securityLevel\": \"loose\", \"htmlLabels\": true, \"themeCSS\": \"} body { display: none } .x {\"}}%%\n",
            "flowchart TD\n  A[\"<b onclick=window.pwned=1>bold</b>\"] --> B\n```\n\n",
            "```mermaid\nflowchart TD\n  A -- nowhere\n  -->> ]\n```"
        )
    )
}

fn pictures() -> anyhow::Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("a root")?.join("target/pictures");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

async fn is(window: &Window, what: &str, script: &str) -> anyhow::Result<()> {
    until(what, || async { Ok(window.script(script).await?.as_bool().filter(|is| *is)) }).await.map(drop)
}

async fn read(window: &Window, note: &str) -> anyhow::Result<()> {
    open_note(window, note).await?;
    window.press(&[key::CONTROL], "e").await?;
    window.find(".reading h1").await?;
    Ok(())
}

#[tokio::test]
async fn every_kind_is_drawn_in_both_themes_and_mermaid_comes_only_with_the_first() -> anyhow::Result<()> {
    let bench = Bench::new(&vault());
    let before = bench.files();
    let window = Window::open(&bench, &[bench.vault().to_str().context("a plain path")?]).await?;
    open_note(&window, "Plain").await?;
    window.script("window.refused = []; document.addEventListener('securitypolicyviolation', (event) => refused.push(`${event.violatedDirective} ${event.blockedURI}`)); return null").await?;
    let loaded = "return document.querySelector('link[href*=draw_diagram]') !== null";
    assert_eq!(window.script(loaded).await?.as_bool(), Some(false), "nothing of it is loaded before it is needed");

    read(&window, "Kinds").await?;
    let n = KINDS.len();
    let settled = format!(
        "const all = [...document.querySelectorAll('.reading figure.diagram')]; \
         return all.length === {n} && all.every((one) => one.classList.contains('is-wrong') || one.querySelector('img')?.complete)"
    );
    is(&window, "all are drawn", &settled).await?;
    let wrong = "return [...document.querySelectorAll('.diagram-message, .reading figure.diagram img')].flatMap((one) => \
                 one.tagName === 'IMG' ? (one.naturalWidth > 20 && one.width > 20 ? [] : [`empty: ${one.alt}`]) : [one.textContent])";
    assert_eq!(window.script(wrong).await?, serde_json::json!([]));
    assert_eq!(window.script(loaded).await?.as_bool(), Some(true));
    let folder = pictures()?;
    for theme in ["light", "dark"] {
        window.script(&format!("document.documentElement.dataset.theme = {theme:?}")).await?;
        is(&window, "all are drawn anew", &settled).await?;
        tokio::time::sleep(std::time::Duration::from_secs(3)).await;
        for (nth, (name, _)) in KINDS.iter().enumerate() {
            window
                .script(&format!(
                    "document.querySelectorAll('.reading figure.diagram')[{nth}].scrollIntoView({{ block: 'center' }})"
                ))
                .await?;
            if nth % 3 == 0 {
                window.picture(&folder.join(format!("diagram-{name}-{theme}.png"))).await?;
            }
        }
    }
    assert_eq!(window.script("return window.refused").await?, serde_json::json!([]), "the policy refused nothing");
    assert_eq!(bench.files(), before);
    window.close().await
}

#[tokio::test]
async fn a_diagram_does_nothing_but_show_and_its_text_is_there_with_the_caret() -> anyhow::Result<()> {
    let bench = Bench::new(&vault());
    let window = Window::open(&bench, &[bench.vault().to_str().context("a plain path")?]).await?;
    read(&window, "Hostile").await?;
    is(
        &window,
        "all three are settled",
        "const all = [...document.querySelectorAll('.reading figure.diagram')]; return all.length === 3 && all.slice(0, 2).every((one) => one.querySelector('img')?.complete) && all[2].classList.contains('is-wrong')",
    )
    .await?;
    window.text_has(".diagram.is-wrong", "This diagram cannot be drawn: ").await?;
    window.text_has(".diagram.is-wrong pre", "A -- nowhere").await?;
    assert_eq!(window.script("return window.pwned ?? null").await?, serde_json::Value::Null);
    assert_ne!(window.script("return getComputedStyle(document.body).display").await?, serde_json::json!("none"));
    let inside =
        "return document.querySelectorAll('.reading figure.diagram :is(:not(button) > svg, script, a, style)').length";
    assert_eq!(window.script(inside).await?.as_u64(), Some(0));
    let asked = "return performance.getEntriesByType('resource').filter((one) => /127\\.0\\.0\\.1:1|example/.test(one.name)).length";
    assert_eq!(window.script(asked).await?.as_u64(), Some(0));
    let src = window.script("return [...document.querySelectorAll('.reading figure.diagram img')].map((one) => decodeURIComponent(one.src)).join()").await?;
    for never in ["<script", "onerror", "onclick", "javascript:", "127.0.0.1", "example.org", "display: none"] {
        assert!(!src.as_str().context("a text")?.contains(never), "{never}");
    }

    // While it is written: drawn, and its text where the caret is.
    window.press(&[key::CONTROL], "e").await?;
    window.find(".cm-drawn-diagram figure.diagram img").await?;
    let folder = pictures()?;
    window.picture(&folder.join("diagram-live-light.png")).await?;
    window.script("document.documentElement.dataset.theme = 'dark'").await?;
    window.picture(&folder.join("diagram-live-dark.png")).await?;
    window.click(".cm-drawn-diagram").await?;
    window.text_has(".cm-line", "flowchart TD").await?;
    is(
        &window,
        "the first one is shown as it is written",
        "return document.querySelectorAll('.cm-drawn-diagram').length === 2",
    )
    .await?;
    window.close().await
}
