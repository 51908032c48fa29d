//! Block ids: where they stand and what they name.

use expect_test::expect;

use super::{check, check_view};

#[test]
fn an_id_stands_at_the_end_of_a_paragraph_or_item() {
    check(
        "a ^a1\n\nb\nc ^b-2\n\n- d ^D\n  - e ^e\n  f\n- [ ] g ^g\n1. h\n   i ^i\n\n- j\n\n  k ^k\n",
        expect![[r#"
        1: ^a1 is "a"
        4: ^b-2 is "b\nc"
        6: ^D is "d"
        7: ^e is "e ^e\n  f"
        9: ^g is "g"
        11: ^i is "h\n   i"
        15: ^k is "k"
    "#]],
    );
}

#[test]
fn an_id_on_a_line_of_its_own_names_what_stands_before_it() {
    check(
        "- a\n- b\n\n^list\n\n> c\n\n^quote\n\n> [!note] d\n> e\n\n^callout\n\n| f |\n|---|\n| g |\n\n^table\n\n```\nh\n```\n^code\n\n$$\ni\n$$\n^math\n\n---\n\n^rule\n\nj\n^para\n",
        expect![[r#"
            4: ^list is "- a\n- b"
            8: ^quote is "> c"
            13: ^callout is "> [!note] d\n> e"
            19: ^table is "| f |\n|---|\n| g |"
            24: ^code is "```\nh\n```"
            29: ^math is "$$\ni\n$$"
            33: ^rule is "---"
            36: ^para is "j"
        "#]],
    );
}

#[test]
fn an_id_inside_a_quote_or_a_table_names_the_whole() {
    check(
        "> a\n> b ^quote\n\n> [!note] c\n> d\n> ^callout\n\n| e |\n|---|\n| f ^table |\n\n- > g ^inner\n\n> - h ^item\n>\n> i ^all\n",
        expect![[r#"
            2: ^quote is "> a\n> b ^quote"
            6: ^callout is "> [!note] c\n> d\n> ^callout"
            10: ^table is "| e |\n|---|\n| f ^table |"
            12: ^inner is "> g ^inner"
            14: ^item is "h"
            16: ^all is "> - h ^item\n>\n> i ^all"
        "#]],
    );
}

#[test]
fn an_id_may_end_any_line_with_text_of_a_block() {
    check(
        "1. a ^one\n   b\n2. c\n\nd ^two\ne ^three\n\nf\n^no\ng\n",
        expect![[r#"
        1: ^one is "a ^one\n   b"
        5: ^two is "d ^two\ne ^three"
        6: ^three is "d ^two\ne"
    "#]],
    );
}

#[test]
fn an_id_alone_in_an_item_names_the_item() {
    check(
        "- a\n- ^b\n- [ ] ^c\n",
        expect![[r#"
        2: ^b is "^b"
        3: ^c is "^c"
    "#]],
    );
}

#[test]
fn letters_digits_and_dashes_behind_a_blank_make_an_id() {
    check(
        "a^no\n\nb ^no_no\n\nc ^no.\n\nd ^né\n\ne ^ no\n\nf ^no g\n\nh ^1\n\ni ^-\n\n`j ^no`\n\n*k ^no*\n\nl %%^no%%\n\n$m ^no$\n\n![[n.png]]^n\n\n[[o]]^o\n\n[p](p.md)^no\n",
        expect![[r#"
            25: ![[]] "n.png"
            27: [[]] "o"
            29: []() "p.md" | "p"
            13: ^1 is "h"
            15: ^- is "i"
            25: ^n is "![[n.png]]"
            27: ^o is "[[o]]"
        "#]],
    );
}

#[test]
fn links_find_ids_in_any_case() {
    check(
        "a ^Some-Id\n\n# H ^head\n\n[[#^some-id]] [[#^SOME-ID]] [[#^HEAD]] [[#^other]]",
        expect![[r#"
        3: h1 "H" ^head
        5: [[]] "" # "^some-id" -> line 1
        5: [[]] "" # "^SOME-ID" -> line 1
        5: [[]] "" # "^HEAD" -> line 3
        5: [[]] "" # "^other" -> nothing
        1: ^Some-Id is "a"
        3: ^head is "H"
    "#]],
    );
}

#[test]
fn a_block_is_embedded_whole() {
    check_view(
        "![[#^i]]\n\n- [x] a ^i\n  - b\n- c",
        expect![[r##"
        <div class="internal-embed markdown-embed" data-href="#^i" data-path="Self.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="#^i" data-path="Self.md" href="#">^i</a></div><div class="embed-content"><ul><li class="task-list-item is-checked" data-task="x" data-note="Self.md" data-note-line="3"><input class="task-list-item-checkbox" type="checkbox" data-note="Self.md" data-note-line="3" checked=""> a <span class="block-anchor" data-block-id="i"></span><ul><li>b</li></ul></li></ul></div></div>
        <ul data-line="3"><li class="task-list-item is-checked" data-task="x" data-line="3"><input class="task-list-item-checkbox" type="checkbox" data-line="3" checked=""> a <span class="block-anchor" data-block-id="i" id="^i"></span><ul data-line="4"><li data-line="4">b</li></ul></li><li data-line="5">c</li></ul>"##]],
    );
    check_view(
        "![[#^q]]\n\n> a\n>\n> b ^q",
        expect![[r##"
        <div class="internal-embed markdown-embed" data-href="#^q" data-path="Self.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="#^q" data-path="Self.md" href="#">^q</a></div><div class="embed-content"><blockquote><p>a</p>
        <p>b <span class="block-anchor" data-block-id="q"></span></p>
        </blockquote></div></div>
        <blockquote data-line="3"><p data-line="3">a</p>
        <p data-line="5">b <span class="block-anchor" data-block-id="q" id="^q"></span></p>
        </blockquote>"##]],
    );
    check_view(
        "![[#^m]]\n\n$$\na\n$$\n^m",
        expect![[r##"
        <div class="internal-embed markdown-embed" data-href="#^m" data-path="Self.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="#^m" data-path="Self.md" href="#">^m</a></div><div class="embed-content"><div class="math block">a</div>
        </div></div>
        <div class="math block" data-line="3">a</div>
        <span class="block-anchor" data-block-id="m" id="^m"></span>"##]],
    );
    check_view(
        "![[#^h]]\n\n# A ^h\n\na\n\n# B",
        expect![[r##"
        <div class="internal-embed markdown-embed" data-href="#^h" data-path="Self.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="#^h" data-path="Self.md" href="#">^h</a></div><div class="embed-content"><h1 data-heading="a">A <span class="block-anchor" data-block-id="h"></span></h1><p>a</p>
        </div></div>
        <h1 data-line="3" data-heading="a" id="heading-0">A <span class="block-anchor" data-block-id="h" id="^h"></span></h1><p data-line="5">a</p>
        <h1 data-line="7" data-heading="b" id="heading-1">B</h1>"##]],
    );
    check_view(
        "![[Other#^box]]",
        expect![[r##"
        <div class="internal-embed markdown-embed" data-href="Other#^box" data-path="Other.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="Other#^box" data-path="Other.md" href="#">Other &gt; ^box</a></div><div class="embed-content"><div class="callout" data-callout="tip" data-callout-type="tip"><div class="callout-title"><div class="callout-title-inner">Held</div></div><div class="callout-content"><p>in <span class="block-anchor" data-block-id="box"></span></p>
        </div></div>
        </div></div>"##]],
    );
    check_view(
        "![[#[^1]]]\n\n[^1]: Foot\n    note",
        expect![[r##"
        <div class="internal-embed markdown-embed" data-href="#[^1]" data-path="Self.md" data-line="1"><div class="embed-title"><a class="internal-link" data-href="#[^1]" data-path="Self.md" href="#">[^1]</a></div><div class="embed-content"><p>Foot<br>
        note</p>
        </div></div>"##]],
    );
}
