use expect_test::expect;

use super::*;

#[test]
fn strikethrough_and_highlight() {
    check(
        "~~a~~ ~b~ ==c== ==d **e** f== **==g==** a == b == \\==h== ==i",
        expect![[
            r#"<p data-line="1"><del>a</del> ~b~ <mark>c</mark> <mark>d <strong>e</strong> f</mark> <strong><mark>g</mark></strong> a == b == ==h== ==i</p>"#
        ]],
    );
    check("==a **b== c**", expect![[r#"<p data-line="1">==a <strong>b== c</strong></p>"#]]);
    check("`==a==` ===b=== x==y==z", expect![[r#"<p data-line="1"><code>==a==</code> ===b=== x<mark>y</mark>z</p>"#]]);
}

#[test]
fn comments_are_hidden() {
    check("a %%b%% c", expect![[r#"<p data-line="1">a  c</p>"#]]);
    check(
        "a\n%%b%%\nc",
        expect![[r#"
        <p data-line="1">a</p>
        <p data-line="3">c</p>"#]],
    );
    check("%%\n# b\n\n- c\n%%\n\nd", expect![[r#"<p data-line="7">d</p>"#]]);
    check(
        "%%only%%\n\n> %%\n> a\n> %%\n> b",
        expect![[r#"
        <blockquote data-line="3"><p data-line="6">b</p>
        </blockquote>"#]],
    );
    check("a\n\n%%\nnever closed\n\nb", expect![[r#"<p data-line="1">a</p>"#]]);
    check("`%%a%%` %%%%", expect![[r#"<p data-line="1"><code>%%a%%</code> %%%%</p>"#]]);
}

#[test]
fn block_ids_become_places() {
    check(
        "text ^id\n\n- item ^li\n\n> quote\n\n^q",
        expect![[r#"
        <p data-line="1">text <span class="block-anchor" data-block-id="id" id="^id"></span></p>
        <ul data-line="3"><li data-line="3">item <span class="block-anchor" data-block-id="li" id="^li"></span></li></ul><blockquote data-line="5"><p data-line="5">quote</p>
        </blockquote><span class="block-anchor" data-block-id="q" id="^q"></span>"#]],
    );
}

#[test]
fn footnotes() {
    check(
        "a[^1] b[^note] c[^1] d[^none]\n\n[^note]: N *n*[^2]\n[^1]: One\n\n    two\n[^2]: T\n[^unused]: U",
        expect![[r##"
        <p data-line="1">a<sup class="footnote-ref" id="fnref-1"><a class="footnote-link" href="#fn-1" data-footnote="1">1</a></sup> b<sup class="footnote-ref" id="fnref-2"><a class="footnote-link" href="#fn-2" data-footnote="2">2</a></sup> c<sup class="footnote-ref" id="fnref-1-2"><a class="footnote-link" href="#fn-1" data-footnote="1">1</a></sup> d[^none]</p>
        <section class="footnotes"><ol><li id="fn-1" data-footnote="1" data-line="4"><p data-line="4">One</p>
        <p data-line="6">two <a class="footnote-backref" href="#fnref-1">↩</a></p></li>
        <li id="fn-2" data-footnote="2" data-line="3"><p data-line="3">N <em>n</em><sup class="footnote-ref" id="fnref-3"><a class="footnote-link" href="#fn-3" data-footnote="3">3</a></sup> <a class="footnote-backref" href="#fnref-2">↩</a></p></li>
        <li id="fn-3" data-footnote="3" data-line="7"><p data-line="7">T <a class="footnote-backref" href="#fnref-3">↩</a></p></li>
        </ol></section>"##]],
    );
    check(
        "a^[in *line* [[Note]]] b^[x [y](Note.md) ^[z]] ^[] \\^[no]",
        expect![[r##"
        <p data-line="1">a<sup class="footnote-ref" id="fnref-1"><a class="footnote-link" href="#fn-1" data-footnote="1">1</a></sup> b<sup class="footnote-ref" id="fnref-2"><a class="footnote-link" href="#fn-2" data-footnote="2">2</a></sup> ^[] ^[no]</p>
        <section class="footnotes"><ol><li id="fn-1" data-footnote="1" data-line="1">in <em>line</em> <a class="internal-link" data-href="Note" data-path="Note.md" href="#">Note</a> <a class="footnote-backref" href="#fnref-1">↩</a></li>
        <li id="fn-2" data-footnote="2" data-line="1">x <a class="internal-link" data-href="Note.md" data-path="Note.md" href="#">y</a> <sup class="footnote-ref" id="fnref-3"><a class="footnote-link" href="#fn-3" data-footnote="3">3</a></sup> <a class="footnote-backref" href="#fnref-2">↩</a></li>
        <li id="fn-3" data-footnote="3" data-line="1">z <a class="footnote-backref" href="#fnref-3">↩</a></li>
        </ol></section>"##]],
    );
}

#[test]
fn math() {
    check(
        "$a_b$ and $$c$$ costs $5 and $6",
        expect![[r#"
            <p data-line="1"><span class="math inline">a_b</span> and </p><div class="math block" data-line="1">c</div>
            <p data-line="1">costs $5 and $6</p>"#]],
    );
    check(
        "$$\na < b\n\n\\frac{1}{2}\n$$\nafter",
        expect![[r#"
        <div class="math block" data-line="1">a &lt; b

        \frac{1}{2}</div>
        <p data-line="6">after</p>"#]],
    );
    check(
        "> $$\n> x\n> $$\n> y",
        expect![[r#"
            <blockquote data-line="1"><div class="math block" data-line="1">x</div>
            <p data-line="4">y</p>
            </blockquote>"#]],
    );
    check(
        "$$\n  x\n> 0\n$$",
        expect![[r#"
        <div class="math block" data-line="1">x
        &gt; 0</div>"#]],
    );
    check("text\n$$\nx\n$$", expect![[r#"<p data-line="1">text</p><div class="math block" data-line="2">x</div>"#]]);
}

#[test]
fn html_of_the_note() {
    check(
        "<div>\n**not bold** [[Note]]\n</div>\n\n*a* <u>x **y**</u> <br> <b>open",
        expect![[r#"
            <div class="html-block" data-line="1"><div>
            **not bold** [[Note]]
            </div></div>
            <p data-line="5"><em>a</em> <u>x <strong>y</strong></u> <br> open</p>"#]],
    );
    check(
        "<div>\n\n**bold**\n\n</div>",
        expect![[r#"
        <div class="html-block" data-line="1"><div>
        </div></div>
        <p data-line="3"><strong>bold</strong></p>"#]],
    );
    check(
        "a <span style=\"color:red;position:fixed;background:url(x)\" onclick=\"x\">b</span> Vec<T> <!-- c --> d",
        expect![[r#"<p data-line="1">a <span style="color:red">b</span> Vec&lt;T&gt;  d</p>"#]],
    );
    check(
        "<img src=\"https://x.example/i.png\" onerror=alert(1)>\n\n<iframe src=\"https://x.example\"></iframe>",
        expect![[r#"
        <div class="html-block" data-line="1"><span class="remote-image" role="button" tabindex="0" data-src="https://x.example/i.png" title="https://x.example/i.png">Load image from x.example</span></div>
        <div class="html-block" data-line="3"><span class="remote-frame" role="button" tabindex="0" data-src="https://x.example" title="https://x.example">Load frame from x.example</span></div>"#]],
    );
    check(
        "> <div>a\n> b</div>\n\nc <span>d\ne</span>",
        expect![[r#"
            <blockquote data-line="1"><div class="html-block" data-line="1"><div>a
            b</div></div>
            </blockquote><p data-line="4">c <span>d<br>
            e</span></p>"#]],
    );
    check(
        "<u>a **b** [[Note]]</u> <a href=\"https://x.example\">x [[Note]]</a> [[Note]] <kbd>k <i>l</kbd> m</i> n",
        expect![[
            r##"<p data-line="1"><u>a <strong>b</strong> <a class="internal-link" data-href="Note" data-path="Note.md" href="#">Note</a></u> <a class="external-link" href="https://x.example" data-external="https://x.example" rel="noopener nofollow">x Note</a> <a class="internal-link" data-href="Note" data-path="Note.md" href="#">Note</a> <kbd>k <i>l</i></kbd> m n</p>"##
        ]],
    );
    check(
        "<span>a *b</span> c* ^[<a href=x>y] [[Note]]</a> [[Note]] <A HREF=z>^[[[Note]]</A>] [[Note]]\n\n[[Note]]",
        expect![[r##"
        <p data-line="1">a <em>b c</em> <sup class="footnote-ref" id="fnref-1"><a class="footnote-link" href="#fn-1" data-footnote="1">1</a></sup> <a class="internal-link" data-href="Note" data-path="Note.md" href="#">Note</a> <a class="internal-link" data-href="Note" data-path="Note.md" href="#">Note</a> <a class="internal-link" data-href="z" href="#"><sup class="footnote-ref" id="fnref-2">2</sup> Note</a></p>
        <p data-line="3"><a class="internal-link" data-href="Note" data-path="Note.md" href="#">Note</a></p>
        <section class="footnotes"><ol><li id="fn-1" data-footnote="1" data-line="1"><a class="internal-link" data-href="x" href="#">y</a> <a class="footnote-backref" href="#fnref-1">↩</a></li>
        <li id="fn-2" data-footnote="2" data-line="1"><a class="internal-link" data-href="Note" data-path="Note.md" href="#">Note</a> <a class="footnote-backref" href="#fnref-2">↩</a></li>
        </ol></section>"##]],
    );
    check(
        "a <table><tr><td>**b**</td></tr></table> c",
        expect![[
            r#"<p data-line="1">a </p><table><tbody><tr><td>**b**</td></tr></tbody></table><p data-line="1">c</p>"#
        ]],
    );
    check("a <div>b</div> c", expect![[r#"<p data-line="1">a </p><div>b</div><p data-line="1">c</p>"#]]);
    check("<script>alert(1)</script>\n\n<style>p{}</style>\n\nx", expect![[r#"<p data-line="5">x</p>"#]]);
    check("&lt;b&gt; &amp; <&>", expect![[r#"<p data-line="1">&lt;b&gt; &amp; &lt;&amp;&gt;</p>"#]]);
}
