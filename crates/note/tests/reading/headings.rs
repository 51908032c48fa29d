//! What is a heading, what it is called, and which one a link means.

use expect_test::expect;
use note::{strip_heading, strip_heading_for_link};

use super::check;

#[test]
fn one_to_six_hashes_and_a_blank_make_a_heading() {
    check(
        "# 1\n## 2\n### 3\n#### 4\n##### 5\n###### 6\n####### 7\n#tag\n#\ttab\n   # three blanks\n\n    # four\n\\# escaped",
        expect![[r#"
            1: h1 "1"
            2: h2 "2"
            3: h3 "3"
            4: h4 "4"
            5: h5 "5"
            6: h6 "6"
            9: h1 "tab"
            10: h1 "three blanks"
            8: #tag
        "#]],
    );
}

#[test]
fn a_title_may_be_empty_and_closed() {
    check(
        "#\n## \n### ###\n# a #\n# b ##  \n# c#\n# d \\#\n# e # f\n# g #\th\n",
        expect![[r#"
        1: h1 ""
        2: h2 ""
        3: h3 ""
        4: h1 "a"
        5: h1 "b"
        6: h1 "c#"
        7: h1 "d #" written "d \\#"
        8: h1 "e # f"
        9: h1 "g #\th"
    "#]],
    );
}

#[test]
fn an_underlined_paragraph_is_one_heading() {
    check(
        "One\n===\n\nTwo\nlines *here*\n  and there\n---\n\nthree\n= =\n\nfour\n--- -\n\n> five\n===\n\n- six\n===\n\nSeven\n\n===\n",
        expect![[r#"
            1: h1 "One"
            4: h2 "Two lines here and there" written "Two lines *here* and there"
        "#]],
    );
}

#[test]
fn headings_inside_of_anything_are_no_sections() {
    check(
        "# yes\n> # quote\n\n> [!note] # title\n> # callout\n\n- # item\n  # in it\n\n1. # number\n\n- [ ] # task\n\n| # cell |\n|---|\n| # cell |\n\n[^1]: # footnote\n\n    # in it\n",
        expect![[r#"
            1: h1 "yes"
        "#]],
    );
}

#[test]
fn headings_end_what_stands_before_them() {
    check(
        "text\n# a\n> quote\n# b\n- item\n# c\n| t |\n|---|\n# d\n[^1]: foot\n# e\n[r]: x\n# f\n***\n# g",
        expect![[r#"
            2: h1 "a"
            4: h1 "b"
            6: h1 "c"
            9: h1 "d"
            11: h1 "e"
            13: h1 "f"
            15: h1 "g"
            12: []: "x"
        "#]],
    );
}

#[test]
fn a_block_id_is_no_part_of_the_title() {
    check(
        "# A ^id\n## B ^id-2 ##\n### ^alone\n# x^2\n# C ^no_id\n\nD ^sx\n===\n",
        expect![[r#"
        1: h1 "A" ^id
        2: h2 "B" ^id-2
        3: h3 "^alone"
        4: h1 "x^2"
        5: h1 "C ^no_id"
        7: h1 "D" ^sx
        1: ^id is "A"
        2: ^id-2 is "B"
        7: ^sx is "D"
    "#]],
    );
}

#[test]
fn a_title_reads_as_it_is_shown() {
    check(
        "# **b** _i_ ~~s~~ `c` [l](u.md) ![p](q.png) <b>x</b> &lt; \\* $m$\n# a %%hidden%% b\n# a <!-- hidden --> b\n# #tag [[Link|words]]\n",
        expect![[r##"
            1: h1 "b i s c l p x < * $m$" written "**b** _i_ ~~s~~ `c` [l](u.md) ![p](q.png) <b>x</b> &lt; \\* $m$"
            2: h1 "a  b" written "a %%hidden%% b"
            3: h1 "a  b" written "a <!-- hidden --> b"
            4: h1 "#tag [[Link|words]]"
            1: []() "u.md" | "l"
            1: ![]() "q.png" | "p"
            4: [[]] "Link" | "words"
            4: #tag
        "##]],
    );
}

#[test]
fn links_are_matched_without_marks_blanks_and_case() {
    for (title, link) in [
        ("Chapter 1: Foo", "chapter 1 foo"),
        ("a, b; c. d! e? f", "A B C D E F"),
        ("(a) [b] {c} <d>", "a b c d"),
        ("\"a\" #b $c %d &e", "a b c d e"),
        ("*a* +b =c @d ^e `f` |g ~h /i \\j", "a b c d e f g h i j"),
        ("a\r\nb", "a b"),
        ("see [[X]]", "see X"),
        ("  a   b  ", "a b"),
        ("ÄÖ Straße", "äö straße"),
        ("cafe\u{301}", "CAF\u{c9}"),
    ] {
        assert_eq!(strip_heading(title), strip_heading(link), "{title:?}");
    }
    for (title, other) in
        [("it's", "its"), ("a-b", "a b"), ("a_b", "a b"), ("a — b", "a b"), ("Can I…", "Can I"), ("1", "2")]
    {
        assert_ne!(strip_heading(title), strip_heading(other), "{title:?}");
    }
}

#[test]
fn links_are_written_without_what_a_link_cannot_hold() {
    for (title, link) in [
        ("foo:#|^\\\r\n%%[[]]bar", "foo bar"),
        ("Can I…? (yes, *you* can!)", "Can I…? (yes, *you* can!)"),
        ("100% [x] %% [[y]]", "100% [x] y"),
        ("  a   b  ", "a b"),
    ] {
        assert_eq!(strip_heading_for_link(title), link, "{title:?}");
        assert_eq!(strip_heading(&strip_heading_for_link(title)), strip_heading(title), "{title:?}");
    }
}

#[test]
fn a_plain_link_means_the_first_of_equal_titles_and_a_chain_a_later_one() {
    check(
        "# A\n## Log\n# B\n## Log\n### Part\n## Part\n\n[[#Log]] [[#A#Log]] [[#B#Log]] [[#Part]] [[#B#Part]] [[#B#Log#Part]] [[#Log#A]] [[#Log-1]] [[#B#Nothing]] [[#b#LOG]] [t](#B#Log)",
        expect![[r#"
            1: h1 "A"
            2: h2 "Log"
            3: h1 "B"
            4: h2 "Log"
            5: h3 "Part"
            6: h2 "Part"
            8: [[]] "" # "Log" -> line 2
            8: [[]] "" # "A#Log" -> line 2
            8: [[]] "" # "B#Log" -> line 4
            8: [[]] "" # "Part" -> line 5
            8: [[]] "" # "B#Part" -> line 5
            8: [[]] "" # "B#Log#Part" -> line 5
            8: [[]] "" # "Log#A" -> nothing
            8: [[]] "" # "Log-1" -> nothing
            8: [[]] "" # "B#Nothing" -> nothing
            8: [[]] "" # "b#LOG" -> line 4
            8: []() "" # "B#Log" | "t" -> line 4
        "#]],
    );
}

#[test]
fn old_and_new_spellings_of_a_link_mean_the_same() {
    check(
        "# Can I do this? Yes: \"always\"\n\n[[#Can I do this? Yes \"always\"]] [[#Can I do this Yes always]] [[#Can I do this? Yes: \"always\"]] [[#can-i-do-this-yes-always]]",
        expect![[r#"
            1: h1 "Can I do this? Yes: \"always\""
            3: [[]] "" # "Can I do this? Yes \"always\"" -> line 1
            3: [[]] "" # "Can I do this Yes always" -> line 1
            3: [[]] "" # "Can I do this? Yes: \"always\"" -> line 1
            3: [[]] "" # "can-i-do-this-yes-always" -> nothing
        "#]],
    );
}
