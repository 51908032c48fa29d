#![no_main]

use libfuzzer_sys::fuzz_target;
use note::html::{Embedded, RenderOptions, Resolved, render};
use note::{NoteText, RelPath, parse};

fuzz_target!(|source: &str| {
    let text = NoteText::from_str(source);
    let note = parse(&text);
    let path = RelPath::new("Self.md").expect("a path");
    let resolve = |_: &RelPath, link: &note::Link| match link.target.as_str() {
        "" | "a" => Resolved::Note { path: RelPath::new("Self.md").expect("a path") },
        "b" => Resolved::Attachment { path: RelPath::new("b.png").expect("a path") },
        _ => Resolved::Missing,
    };
    let embed = |_: &RelPath| Some(Embedded { text: text.clone(), note: note.clone() });
    let options =
        RenderOptions { path: &path, resolve: &resolve, embed: &embed, strict_line_breaks: false, asset_base: None };
    let rendered = render(&text, &note, &options);
    check(&rendered.html);
    check(&rendered.properties_html);
});

/// What a serialiser wrote: `<` starts a tag and nothing else.
fn check(html: &str) {
    const GONE: &str = "script style iframe object embed form textarea svg math template meta base link noscript xmp \
                        plaintext video audio source frame frameset applet button";
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let name: String = rest.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        assert!(!name.is_empty() && !GONE.split_whitespace().any(|gone| gone == name), "<{name}> in {html}");
        let mut tag = &rest[rest.find(name.as_str()).expect("it was read there") + name.len()..];
        loop {
            tag = tag.trim_start();
            if let Some(behind) = tag.strip_prefix('>') {
                rest = behind;
                break;
            }
            let (attribute, value) = tag.split_once("=\"").expect("an attribute with its value");
            let (value, behind) = value.split_once('"').expect("the end of a value");
            tag = behind;
            assert!(!attribute.starts_with("on") && attribute != "srcdoc", "{attribute} in {html}");
            let bare: String = value.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
            let bare = bare.to_ascii_lowercase();
            let is_safe = match attribute {
                "href" => ["#", "http:", "https:", "mailto:"].iter().any(|start| bare.starts_with(start)),
                "src" => bare.starts_with("data:image/") && !bare.starts_with("data:image/svg"),
                _ => !bare.starts_with("javascript:") && !(attribute == "style" && bare.contains("url(")),
            };
            assert!(is_safe, "{attribute}={value:?} in {html}");
        }
    }
}
