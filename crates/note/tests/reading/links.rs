//! Which links there are and what they say.

use expect_test::expect;

use super::check;

#[test]
fn a_wikilink_is_a_path_then_a_subpath_then_words() {
    check(
        "[[Note]] [[Note.md]] [[dir/Note#Part|words]] [[Figure 1.png]] [[Note|a|b]] [[ Note # Part | words ]]",
        expect![[r#"
            1: [[]] "Note"
            1: [[]] "Note.md"
            1: [[]] "dir/Note" # "Part" | "words"
            1: [[]] "Figure 1.png"
            1: [[]] "Note" | "a|b"
            1: [[]] "Note" # "Part" | "words"
        "#]],
    );
}

#[test]
fn the_subpath_starts_at_the_first_hash() {
    check(
        "[[A#B#C]] [[#B]] [[A#^id]] [[A##B]] [t](A.md#B#C)\n\n# B\n## C\n[[#B#C]]",
        expect![[r##"
        3: h1 "B"
        4: h2 "C"
        1: [[]] "A" # "B#C"
        1: [[]] "" # "B" -> line 3
        1: [[]] "A" # "^id"
        1: [[]] "A" # "#B"
        1: []() "A.md" # "B#C" | "t"
        5: [[]] "" # "B#C" -> line 4
    "##]],
    );
}

#[test]
fn one_bracket_does_not_end_a_wikilink_and_the_inner_one_of_two_counts() {
    check(
        "[[Sq]uare]] [[a[b]] [[out [[in]] out]] [[[three]]] [[two]]]] [[no]\n]",
        expect![[r#"
        1: [[]] "Sq]uare"
        1: [[]] "a[b"
        1: [[]] "in"
        1: [[]] "three"
        1: [[]] "two"
    "#]],
    );
}

#[test]
fn a_web_address_between_brackets_is_a_note() {
    check(
        "[[https://a.example/b]] [[mailto:a@b.example]] [t](https://a.example) [t](mailto:a@b.example) <https://a.example>",
        expect![[r#"
            1: [[]] "https://a.example/b"
            1: [[]] "mailto:a@b.example"
        "#]],
    );
}

#[test]
fn a_pipe_in_a_table_is_escaped() {
    check(
        "| [[A\\|b]] | ![[p.png\\|100]] |\n|---|---|\n| [[C\\|d\\|e]] | [[F|g]] |\n",
        expect![[r#"
        1: [[]] "A" | "b"
        1: ![[]] "p.png" | "100"
        3: [[]] "C" | "d|e"
    "#]],
    );
}

#[test]
fn a_wikilink_stands_on_one_line_and_says_what_it_says() {
    check(
        "[[a\nb]] [[c|d\ne]]\n[[a%20b]] [[c&amp;d]] [[e*f*g]] [[h|**i**]] [[j|`k`]] [[l_m_n]]",
        expect![[r#"
        4: [[]] "a%20b"
        4: [[]] "c&amp;d"
        4: [[]] "e*f*g"
        4: [[]] "h" | "**i**"
        4: [[]] "j" | "`k`"
        4: [[]] "l_m_n"
    "#]],
    );
}

#[test]
fn nothing_but_words_is_no_target() {
    check(
        "[[]] [[|words]] [[ ]] [[#]] [[Note|]] [[Note#]]",
        expect![[r#"
        1: [[]] "" # "" -> nothing
        1: [[]] "Note" | ""
        1: [[]] "Note" # ""
    "#]],
    );
}

#[test]
fn a_backslash_takes_a_link_its_meaning() {
    check(
        "\\[[no]] [\\[no]] \\\\[[yes]] \\![[link]] !\\[[no]] \\[no](a.md) [no\\](a.md)",
        expect![[r#"
        1: [[]] "yes"
        1: [[]] "link"
    "#]],
    );
}

#[test]
fn an_exclamation_mark_makes_an_embed() {
    check(
        "![[A]] !![[B]] ![t](c.md) ! [[D]] ![[A#^b]]![[C|10]]",
        expect![[r#"
        1: ![[]] "A"
        1: ![[]] "B"
        1: ![]() "c.md" | "t"
        1: [[]] "D"
        1: ![[]] "A" # "^b"
        1: ![[]] "C" | "10"
    "#]],
    );
}

#[test]
fn links_are_none_in_code_comments_math_and_html() {
    check(
        "`[[no]]` ``[[no]] ` `` $[[no]]$ <b a='[[no]]'> <!-- [[no]] --> %%[[no]]%%\n\n    [[no]]\n\n<div>[[no]]</div>\n\n$$\n[[no]]\n$$\n\n%%\n[[no]]\n%%\n\n~~~\n[no](no.md)\n~~~\n\n- ```\n  [[no]]\n  ```\n\n[[yes]]",
        expect![[r#"
            23: [[]] "yes"
        "#]],
    );
}

#[test]
fn links_are_found_wherever_text_is() {
    check(
        "# [[a]]\n\n> [[b]]\n\n> [!note] [[c]]\n> [[d]]\n\n- [ ] [[e]]\n  - [[f]]\n\n| [[g]] |\n|---|\n| [[h]] |\n\n**[[i]]** ~~[[j]]~~ ==[[k]]== ^[[[l]]]\n\n[^1]: [[m]]\n\n<b>[[n]]</b> ([[o]])\"[[p]]\"",
        expect![[r#"
            1: h1 "[[a]]"
            1: [[]] "a"
            3: [[]] "b"
            5: [[]] "c"
            6: [[]] "d"
            8: [[]] "e"
            9: [[]] "f"
            11: [[]] "g"
            13: [[]] "h"
            15: [[]] "i"
            15: [[]] "j"
            15: [[]] "k"
            15: [[]] "l"
            17: [[]] "m"
            19: [[]] "n"
            19: [[]] "o"
            19: [[]] "p"
        "#]],
    );
}

#[test]
fn markdown_destinations_are_decoded() {
    check(
        "[a](Three%20laws.md) [b](<Three laws.md>) [c](a%23b.md#c%20d) [d](caf%C3%A9.md) [e](bad%zz.md) [f](x.md \"t\") [g](n\\(1\\).md) [h](a&amp;b.md) [i](#H) [j](two words.md)",
        expect![[r#"
            1: []() "Three laws.md" | "a"
            1: []() "Three laws.md" | "b"
            1: []() "a#b.md" # "c d" | "c"
            1: []() "café.md" | "d"
            1: []() "bad%zz.md" | "e"
            1: []() "x.md" | "f"
            1: []() "n(1).md" | "g"
            1: []() "a&b.md" | "h"
            1: []() "" # "H" | "i" -> nothing
        "#]],
    );
}

#[test]
fn references_lead_where_their_definition_says() {
    check(
        "[a][r] [r] ![p][r]\n\n[r]: Note.md#Part \"t\"\n[R]: second.md\n[s]: <a b.md>\n[w]: https://a.example\n[^f]: no definition",
        expect![[r#"
            3: []: "Note.md" # "Part"
            5: []: "a b.md"
        "#]],
    );
}

#[test]
fn a_subpath_may_name_a_footnote() {
    check(
        "[[Note#[^1]]] ([[#[^a b]|words]]) ![[#[^1]]] [[Note#[^1]]]] [[Note#[^1]]\n\n# 1\n\n[^1]: one\n[^a b]: two",
        expect![[r#"
            3: h1 "1"
            1: [[]] "Note" # "[^1]"
            1: [[]] "" # "[^a b]" | "words" -> footnote "a b"
            1: ![[]] "" # "[^1]" -> footnote "1"
            1: [[]] "Note" # "[^1]"
            1: [[]] "Note" # "[^1"
        "#]],
    );
}

#[test]
fn a_subpath_names_headings_or_a_block_or_a_footnote() {
    let note = note::parse(&note::NoteText::from_str("[[#A# B]] [[#^b]] [[#[^c]]] [[#[^c] d]]"));
    let named: Vec<_> =
        note.links.iter().map(|link| (link.heading_chain(), link.block_id(), link.footnote())).collect();
    assert_eq!(
        named,
        [
            (Some(vec!["A", " B"]), None, None),
            (None, Some("b"), None),
            (None, None, Some("c")),
            (Some(vec!["[^c] d"]), None, None),
        ]
    );
}

#[test]
fn properties_hold_wikilinks_between_quotes() {
    check(
        "---\na: \"[[A]]\"\nb: see [[B#C|d]] and ![[E]]\nc: ['[[F]]', \"x [[G]]\"]\nd: [[no]]\ne: '[no](no.md)'\nf: {g: \"[[H]]\"}\n\"[[no]]\": x\n# [[no]]\n---\n",
        expect![[r#"
            2: property "A"
            3: property "B" # "C" | "d"
            3: property "E"
            4: property "F"
            4: property "G"
            7: property "H"
        "#]],
    );
}
