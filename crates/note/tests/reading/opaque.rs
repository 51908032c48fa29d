//! What Markdown does not look into: code, HTML, comments, math and properties.

use expect_test::expect;

use super::check;

#[test]
fn fences_of_backticks_and_tildes() {
    check(
        "```\n# no\n```\n# a\n~~~\n# no\n```\n~~~\n# b\n````md\n```\n# no\n```\n````\n# c\n~~~ a`b ~ c\n# no\n~~~~\n# d\n  ```js {1} title=\"x\"\n# no\n  ```\n# e\n",
        expect![[r#"
            4: h1 "a"
            9: h1 "b"
            15: h1 "c"
            19: h1 "d"
            23: h1 "e"
        "#]],
    );
}

#[test]
fn what_is_no_fence() {
    check(
        "``\n# a\n``\n\n```a`b\n# b\n\n``` c ```\n# c\n\n~~ ~\n# d\n\n    ```\n# e\n\n\\```\n# f\n",
        expect![[r#"
        2: h1 "a"
        6: h1 "b"
        9: h1 "c"
        12: h1 "d"
        15: h1 "e"
        18: h1 "f"
    "#]],
    );
}

#[test]
fn what_does_not_close_a_fence() {
    check(
        "````\n```\n# no\n~~~~\n# no\n    ````\n# no\n```` x\n# no\n````  \n# a\n",
        expect![[r#"
        11: h1 "a"
    "#]],
    );
}

#[test]
fn a_fence_that_is_never_closed_hides_the_rest_of_what_it_stands_in() {
    check(
        "> ```\n> # no\n\n# a\n\n- ```\n  # no\n\n# b\n\n```\n# no\n\n[[no]] #no ^no\n",
        expect![[r#"
        4: h1 "a"
        9: h1 "b"
        problem: code fence on line 11 is not closed
    "#]],
    );
}

#[test]
fn indented_code() {
    check(
        "    # no\n\n\t[[no]]\n\n- a\n\n      #no in list\n\ntext\n    [[yes]] goes on\n",
        expect![[r#"
        10: [[]] "yes"
    "#]],
    );
}

#[test]
fn html_blocks_that_end_with_their_own_end() {
    check(
        "<script>\n\n# no\n</script>\n# a\n<PRE># no\n\n# no</pre> tail\n# b\n<style>\n\n# no\n</style>\n# c\n<textarea>\n\n# no\n</textarea>\n# d\n<!-- \n\n# no\n--> # no\n# e\n<? x\n\n# no\n?>\n# f\n<!DOCTYPE x\n\n# no\n>\n# g\n<![CDATA[\n\n# no\n]]>\n# h\n",
        expect![[r#"
            5: h1 "a"
            9: h1 "b"
            14: h1 "c"
            19: h1 "d"
            24: h1 "e"
            29: h1 "f"
            34: h1 "g"
            39: h1 "h"
        "#]],
    );
}

#[test]
fn html_blocks_that_end_with_a_blank_line() {
    check(
        "<div>\n# no\n[[no]] #no\n</div>\n# no\n\n# a\n<custom a='b'>\n# no\n\n# b\n</custom>\n# no\n\ntext\n<custom>\n# c\n<details><summary>\n# no\n\n# d\n<b>x</b>\n# e\n",
        expect![[r#"
            7: h1 "a"
            11: h1 "b"
            17: h1 "c"
            21: h1 "d"
            23: h1 "e"
        "#]],
    );
}

#[test]
fn comments_hide_what_is_in_them() {
    check(
        "a %%[[no]]%% [[b]]\n\n%%\n# no\n\n[[no]] #no\n%%\n# c\n\n> %%\n> [[no]]\n> %%\n> [[d]]\n\n- %% [[no]] %%\n- [[e]]\n\n%% [[no]]\n\n# no %%\n\n# f\n",
        expect![[r#"
            8: h1 "c"
            22: h1 "f"
            1: [[]] "b"
            13: [[]] "d"
            16: [[]] "e"
        "#]],
    );
}

#[test]
fn only_two_percent_signs_open_a_comment() {
    check(
        "%%%% [[a]] %%%%\n\n%%% [[b]] %%%\n\n100% [[c]] 5%\n\n\\%% [[d]] %%\n\n`%%` [[e]]\n\n```\n%%\n```\n[[f]]\n",
        expect![[r#"
            1: [[]] "a"
            3: [[]] "b"
            5: [[]] "c"
            7: [[]] "d"
            9: [[]] "e"
            14: [[]] "f"
        "#]],
    );
}

#[test]
fn a_comment_inside_a_line_ends_in_its_paragraph() {
    check(
        "a %% b\n\n[[c]] %% d\n\n%% never\n\n[[no]]\n",
        expect![[r#"
        3: [[]] "c"
        problem: comment on line 5 is not closed
    "#]],
    );
}

#[test]
fn a_comment_ends_with_the_quote_or_item_it_begins_in() {
    check(
        "> %% open\n> [[no]]\n\n# a\n\n- %% open\n  [[no]]\n\n  [[no]]\n- [[b]]\n\n> - %% open\n>   [[no]]\n> - [[c]]\n\n%%\n# no\n%%\n# d\n",
        expect![[r#"
            4: h1 "a"
            19: h1 "d"
            10: [[]] "b"
            14: [[]] "c"
            problem: comment on line 1 is not closed
        "#]],
    );
    check(
        "> %%\n[[no]]\n%%\n\n- %%\n[[no]]\n%%\n- [[a]]\n\n# b\n",
        expect![[r#"
        10: h1 "b"
        8: [[]] "a"
    "#]],
    );
    check(
        "> [!tip]\n> %%\n> [[no]]\n> %%\n> a ^all\n\n- %%\n  c\n  %%\n\n    [[b]] ^d\n",
        expect![[r#"
            11: [[]] "b"
            5: ^all is "> [!tip]\n> %%\n> [[no]]\n> %%\n> a ^all"
            11: ^d is "[[b]]"
        "#]],
    );
}

#[test]
fn a_comment_begins_a_line_behind_marks_of_blocks_only() {
    check(
        "> - 1. %% [[no]]\n>\n>   [[yes]] %%\n\n*%% [[a]]\n\n1.%% [[b]]\n\nc %% [[d]]\n\n\t%% code\n\n[[e]]\n",
        expect![[r#"
            3: [[]] "yes"
            5: [[]] "a"
            7: [[]] "b"
            9: [[]] "d"
            13: [[]] "e"
            problem: comment on line 1 is not closed
        "#]],
    );
}

#[test]
fn what_is_indented_like_code_is_code_unless_a_list_or_a_paragraph_holds_it() {
    let each = [
        // Code: nothing is hidden, whatever follows.
        "a\n\n    %%\n\n[[b]]\n",
        "a\n\n\t%%\n\n[[b]]\n\n    %%\n",
        "a\n\n    %% [[no]] %%\n\n[[b]]\n",
        "a\n\n    $$\n    [[no]]\n    $$\n\n[[b]]\n",
        ">     %%\n>\n> [[b]]\n",
        "- a\n\n      %%\n\n[[b]]\n",
        // A comment or a block of math in a list item, or in a paragraph that goes on.
        "1. a\n\n    %%\n    [[no]]\n    %%\n\n[[b]]\n",
        "- a\n  - c\n\n    $$\n    [[no]]\n    $$\n\n[[b]]\n",
        "a\n    %% [[no]]\n%%\n\n[[b]]\n",
    ];
    for text in each {
        let note = note::parse(&note::NoteText::from_str(text));
        let links: Vec<&str> = note.links.iter().map(|link| link.target.as_str()).collect();
        assert_eq!(links, ["b"], "{text:?}");
    }
}

#[test]
fn percent_signs_in_html_hide_nothing() {
    check(
        "<div>\n%%\n#no\n%%\n</div>\n\n# a\n\n- <div>\n  %%\n\n  [[b]]\n\n<b>x</b> %%[[no]]%% [[c]]\n",
        expect![[r#"
            7: h1 "a"
            12: [[]] "b"
            14: [[]] "c"
        "#]],
    );
}

#[test]
fn a_comment_wins_over_code_that_begins_in_it_and_the_other_way_round() {
    check(
        "%%\n```\n%%\n# a\n\n```\n%%\n```\n# b\n\n`x %%` [[c]] %%[[no]]%% `y`\n",
        expect![[r#"
        4: h1 "a"
        9: h1 "b"
        11: [[]] "c"
    "#]],
    );
}

#[test]
fn math_hides_what_is_in_it() {
    check(
        "$$\n# no\n\n[[no]] #no\n$$\n# a\n\n$[[no]]$ $$[[no]]$$ $5 [[b]] $6\n\n> $$\n> # no\n> $$\n\n- $$\n  [[no]]\n  $$\n\n$$ is money [[c]]\n",
        expect![[r#"
            6: h1 "a"
            8: [[]] "b"
            18: [[]] "c"
        "#]],
    );
}

#[test]
fn properties_are_no_text() {
    check(
        "---\n# no\na: |\n  # no\n  ===\n---\n# a\n---\n# b\n",
        expect![[r#"
        7: h1 "a"
        9: h1 "b"
    "#]],
    );
}
