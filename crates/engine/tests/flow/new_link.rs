//! Links that a person is about to write.

use crate::bench::{Bench, rel};

const VAULT: &str = "//- /Ice.md\n---\naliases: [Glacier, Firn]\n---\n# Ice\n//- /a/Twin.md\n//- /b/Twin.md\n//- /b/Odd [x].md\n//- /drafts/Icy.md\n//- /.obsidian/app.json\n";

fn bench(settings: &str) -> Bench {
    Bench::new(&format!("{VAULT}{settings}\n"))
}

#[test]
fn a_link_is_written_as_the_vault_writes_its_links() {
    let plain = "{}";
    let relative = r#"{"newLinkFormat":"relative"}"#;
    let absolute = r#"{"newLinkFormat":"absolute"}"#;
    let markdown = r#"{"useMarkdownLinks":true}"#;
    for (settings, to, subpath, shown, expected) in [
        (plain, "Ice.md", None, None, "[[Ice]]"),
        (plain, "Ice.md", None, Some("Firn"), "[[Ice|Firn]]"),
        (plain, "Ice.md", None, Some("Ice"), "[[Ice]]"),
        (plain, "Ice.md", Some("#Part"), None, "[[Ice#Part]]"),
        (plain, "Ice.md", Some("#^id"), None, "[[Ice#^id]]"),
        (plain, "a/Twin.md", None, None, "[[a/Twin|Twin]]"),
        (plain, "a/Twin.md", Some("#Part"), None, "[[a/Twin#Part]]"),
        (plain, "b/Twin.md", Some("#Part"), None, "[[#Part]]"),
        (plain, "b/Odd [x].md", None, None, "[Odd [x]](Odd%20%5Bx%5D.md)"),
        (relative, "Ice.md", None, None, "[[../Ice|Ice]]"),
        (absolute, "a/Twin.md", None, None, "[[a/Twin|Twin]]"),
        (markdown, "Ice.md", None, None, "[Ice](Ice.md)"),
        (markdown, "a/Twin.md", Some("#Two words"), Some("x"), "[x](a/Twin.md#Two%20words)"),
        (markdown, "Ice.md", Some("#^id"), None, "[id](Ice.md#^id)"),
        (markdown, "b/Twin.md", Some("#Part"), None, "[Part](#Part)"),
    ] {
        let bench = bench(settings);
        let link = bench.engine.view().new_link(&rel("b/Twin.md"), &rel(to), subpath, shown);
        assert_eq!(link, expected, "{settings} {to} {subpath:?} {shown:?}");
    }
}

#[test]
fn notes_are_offered_by_name_and_alias_and_the_excluded_ones_last() {
    let bench = bench(r#"{"userIgnoreFilters":["drafts/"]}"#);
    let offers = |query: &str| -> Vec<String> {
        let shown = |offer: engine::LinkOffer| {
            offer.alias.map_or_else(|| offer.path.clone(), |alias| format!("{} as {alias}", offer.path))
        };
        bench.engine.view().link_offers(query, 10).into_iter().map(shown).collect()
    };
    assert_eq!(offers("ic"), ["Ice.md", "drafts/Icy.md"]);
    assert_eq!(offers("icy"), ["drafts/Icy.md"]);
    assert_eq!(offers("firn"), ["Ice.md as Firn"]);
    let all = offers("");
    assert_eq!(all.len(), 5);
    assert_eq!(all.last().map(String::as_str), Some("drafts/Icy.md"));
}

#[test]
fn the_switcher_offers_what_was_written_last_before_anything_is_typed() {
    let bench = Bench::new("//- /A.md\na\n//- /B.md\nb\n//- /dir/C.md\nc\n");
    let times = [("A.md", 2), ("B.md", 3), ("dir/C.md", 1)];
    for (path, days) in times {
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(days * 24 * 60 * 60);
        std::fs::File::options().write(true).open(bench.root().join(path)).unwrap().set_modified(time).unwrap();
    }
    bench.engine.catch_up();
    let offered = |limit| bench.engine.view().quick(" ", limit).into_iter().map(|hit| hit.path).collect::<Vec<_>>();
    assert_eq!(offered(10), ["B.md", "A.md", "dir/C.md"]);
    assert_eq!(offered(2), ["B.md", "A.md"]);
}
