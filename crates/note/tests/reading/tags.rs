//! What is a tag.

use expect_test::{Expect, expect};
use note::{NoteText, parse};

use super::check;

/// The tags of one line, as they are named.
fn check_tags(text: &str, tags: &[&str]) {
    let note = parse(&NoteText::from_str(text));
    let names: Vec<&str> = note.tags.iter().map(|tag| tag.name.as_str()).collect();
    assert_eq!(names, tags, "{text:?}");
}

#[test]
fn a_tag_is_made_of_letters_digits_dashes_and_slashes() {
    check_tags("#tag #Tag2 #a-b #a_b #a/b/c #-a #_ #a--b", &["tag", "Tag2", "a-b", "a_b", "a/b/c", "-a", "_", "a--b"]);
}

#[test]
fn a_tag_holds_something_that_is_no_digit() {
    check_tags("#1984 #y1984 #1984y #12-3 #1/2 #1_ #0", &["y1984", "1984y", "12-3", "1_"]);
}

#[test]
fn tags_of_every_script() {
    check_tags(
        "#日本語 #ünï #тег #وسم #แท็ก #태그 #हिन्दी #ﬁ #Ω",
        &["日本語", "ünï", "тег", "وسم", "แท็ก", "태그", "हिन्दी", "ﬁ", "Ω"],
    );
}

#[test]
fn tags_of_emoji_and_signs() {
    check_tags("#🎉 #a🎉b #👩🏽 #❤️ #🇩🇪 #½ #№5 #°", &["🎉", "a🎉b", "👩🏽", "❤️", "🇩🇪", "½", "№5", "°"]);
    // A joiner and the marks of the general block end a tag.
    check_tags("#👩\u{200d}💻 #a…b #c–d #e’f #g\u{2e3a}h #i\u{2e80}j", &["👩", "a", "c", "e", "g", "i\u{2e80}j"]);
}

#[test]
fn other_marks_end_a_tag() {
    for mark in "!\"$%&'()*+,.:;<=>?@[\\]^`{|}~".chars() {
        let text = format!("x #tag{mark}b");
        let note = parse(&NoteText::from_str(&text));
        let names: Vec<&str> = note.tags.iter().map(|tag| tag.name.as_str()).collect();
        assert_eq!(names, ["tag"], "{text:?}");
    }
}

#[test]
fn a_tag_begins_a_line_or_follows_a_blank() {
    check_tags("#a\n#b\n  #c\n> #d\n- #e\n- [ ] #f\n1. #g\n| #h |\n|---|\n", &["a", "b", "c", "d", "e", "f", "g", "h"]);
    check_tags(
        "x#no (#no) -#no \"#no\" /#no #a \\#no ##no x#no#no #1#no \u{a0}#b\u{3000}#c\t#d",
        &["a", "b", "c", "d"],
    );
}

#[test]
fn a_tag_may_follow_a_tag() {
    check_tags("#a#b #c/#d #e,#no #f##no [[g]]#no `h`#no", &["a", "b", "c", "d", "e", "f"]);
}

#[test]
fn tags_are_none_where_text_is_not_read() {
    check(
        "`#no` $#no$ %%#no%% <!-- #no --> <b title='#no'> [[#no]] [[a|b #no]] [t]( #no) https://a.example/ #yes <https://a.example/ #no>\n\n    #no\n\n<div>#no</div>\n\n```\n#no\n```\n\n[r]: #no\n",
        expect![[r#"
            1: [[]] "" # "no" -> nothing
            1: [[]] "a" | "b #no"
            1: []() "" # "no" | "t" -> nothing
            11: []: "" # "no" -> nothing
            1: #yes
            1: #no
        "#]],
    );
}

#[test]
fn tags_count_once_whatever_their_case_and_wherever_they_stand() {
    let check =
        |text: &str, expected: Expect| expected.assert_eq(&parse(&NoteText::from_str(text)).all_tags().join(" "));
    check(
        "---\ntags: [One, two/Three, '#four', 1984, 'a b', 'c,d', \"\"]\n---\n#one #TWO/three #five #Five",
        expect!["One two/Three four five"],
    );
    check("---\ntags: only\n---\n", expect!["only"]);
    check("---\ntags: a, b\n---\n", expect![[r#""#]]);
    check("---\ntags:\n  - a\n  - b\ntag: no\n---\n", expect!["a b"]);
    check("---\nTAGS: [a]\n---\n", expect!["a"]);
}
