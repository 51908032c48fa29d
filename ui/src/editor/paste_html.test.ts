import { describe, expect, it } from "vitest";
import { markdown_of } from "./paste_html";

describe("copied HTML", () => {
  it.each<[string, string | null]>([
    ["<p>a <b>b</b> <i>c</i> <a href='https://x.example/'>d</a></p>", "a **b** *c* [d](https://x.example/)"],
    ["<h2>Head <em>line</em></h2><p>one</p><p>two</p>", "## Head *line*\n\none\n\ntwo"],
    ["<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n\t- b\n- c"],
    ["<ol start=3><li>a</li><li><p>b</p></li></ol>", "3. a\n4. b"],
    ["<ul><li><input type=checkbox checked> a</li><li><input type=checkbox> b</li></ul>", "- [x] a\n- [ ] b"],
    ["<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"],
    ["<pre><code class='language-js'>const a = `x`;\n</code></pre>", "```js\nconst a = `x`;\n```"],
    ["<table><tr><th>a</th><th>b</th></tr><tr><td>1|2</td><td><b>3</b></td></tr></table>", "| a | b |\n| --- | --- |\n| 1\\|2 | **3** |"],
    ["<p>x <code>a`b</code></p>", "x `` a`b ``"],
    ["<p>2 * 3 [a] <b> b </b>$5</p>", "2 \\* 3 \\[a\\] **b** \\$5"],
    ["<p>snake_case and _x_</p><hr>", "snake_case and \\_x\\_\n\n---"],
    ["<p>a<br>b <s>c</s></p>", "a\nb ~~c~~"],
    ["<a href='javascript:alert(1)'>a</a> <b>b</b>", "a **b**"],
    ["<a href='#part'>a</a> <b>b</b>", "a **b**"],
    ["<p><img src='https://x.example/a b.png' alt='pic'> <img src='data:x'></p>", "![pic](<https://x.example/a%20b.png>)"],
    ["<p><a href='https://x.example/a_b'>https://x.example/a_b</a></p>", "https://x.example/a_b"],
    ["<script>alert(1)</script><style>b{}</style><p>a <b>b</b></p>", "a **b**"],
    ["<b style='font-weight:normal' id='docs-internal-guid-1'><p>a</p></b>", null],
    ["<meta charset=utf-8><div style='color:#fff;font-family:monospace'><div><span>const a</span></div></div>", null],
    ["just words", null],
    ["<p>plain</p><p>words</p>", null],
  ])("%j becomes %j", (html, text) => expect(markdown_of(html)).toBe(text));
});
