import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { markdown_support } from "./syntax";

/** The pieces of a text that the grammar calls by one of the names. */
function found(text: string, ...names: string[]): string[] {
  const state = EditorState.create({ doc: text, extensions: [EditorState.lineSeparator.of("\n"), markdown_support()] });
  const pieces: string[] = [];
  ensureSyntaxTree(state, text.length, 5000)!.iterate({ enter: (node) => void (names.includes(node.name) && pieces.push(text.slice(node.from, node.to))) });
  return pieces;
}

// The same texts are read by the engine's parser; both must agree.
describe("tags", () => {
  it("are read as the engine reads them", () => {
    const text =
      "#a #b/c #1984 #y1984 x#no #one#two #ünï #日本 #🎉 #a-b_c, (#no) [[#no]] [x]( #no) \\#no #end/\n#\n# h #in-heading\n\n- #item\n`#no` #a.b https://x.y/#no\n";
    expect(found(text, "Hashtag")).toEqual(["#a", "#b/c", "#y1984", "#one", "#two", "#ünï", "#日本", "#🎉", "#a-b_c", "#end", "#in-heading", "#item", "#a"]);
  });
  it.each([
    ["*#c*", []],
    ["#1/2", []],
    ["#1984a", ["#1984a"]],
    ["a\u00a0#b", ["#b"]],
    ["#a\u2014b", ["#a"]],
    ["> #q", ["#q"]],
    ["| #cell |\n|---|\n| #two |", ["#cell", "#two"]],
  ])("of %j", (text, tags) => expect(found(text, "Hashtag")).toEqual(tags));
});

describe("the grammar", () => {
  it.each<[string, string, string[]]>([
    ["Wikilink", "[[a]] ![[b#c|d]] [[Sq]uare]] [[a [[Inner]] c]]", ["[[a]]", "![[b#c|d]]", "[[Sq]uare]]", "[[Inner]]"]],
    ["Wikilink", "`[[no]]` \\[[no]] [[]] [[a", []],
    ["WikilinkTarget", "| [[a\\|b]] |\n|---|", ["a"]],
    ["WikilinkAlias", "[[a|b|c]] [[a|[x](y)]]", ["b|c", "[x](y)"]],
    ["InlineMath", "$a_b$ and $$c$$ costs $5 and $6", ["$a_b$", "$$c$$"]],
    ["InlineMath", "$ a$ $a $ \\$a$ `$a$` $\\$$", ["$\\$$"]],
    ["InlineMath", "$a$1", []],
    ["InlineMath", "$\\frac{1$ and $\\{$ and $}{$", ["$\\{$"]],
    ["Emphasis", "$a_b$ and $c_d$ *x*", ["*x*"]],
    ["MathBlock", "$$\na < b\n\n\\frac{1}{2}\n$$\nafter", ["$$\na < b\n\n\\frac{1}{2}\n$$"]],
    ["MathBlock", "text\n$$\nx\n$$", ["$$\nx\n$$"]],
    ["MathBlock", "> $$\n> x\n> $$\n> y", ["$$\n> x\n> $$"]],
    ["MathBlock", "> $$\n> x\n\noutside", ["$$\n> x"]],
    ["HiddenComment", "a %%b%% c %%%% d", ["%%b%%"]],
    ["HiddenCommentBlock", "%%\na\n\nb\n%%\nc", ["%%\na\n\nb\n%%"]],
    ["HiddenCommentBlock", "%%one line%%\n\nc", []],
    ["FootnoteRef", "a[^1] b[^long-name] [^no name]", ["[^1]", "[^long-name]"]],
    ["FootnoteLabel", "[^1]: word\n[^2]: two words\n\n[x]: url", ["[^1]:", "[^2]:"]],
    ["InlineFootnote", "a^[in *line* [[Note]]] b", ["^[in *line* [[Note]]]"]],
    ["BlockId", "para ^p1\n\n- item ^i1\n\nx^no ^no no", ["^p1", "^i1"]],
    ["Frontmatter", "---\na: 1\n---\n# A", ["---\na: 1\n---"]],
    ["Frontmatter", "---\nnever closed\n\n# A", []],
    ["Highlight", "==a== = = x==y==z ==no ==", ["==a==", "==y=="]],
    ["Subscript", "H~2~O and x^2^", []],
  ])("finds %s in %j", (name, text, pieces) => expect(found(text, name)).toEqual(pieces));

  it("reads code in its language once that is loaded", async () => {
    const { languages } = await import("@codemirror/language-data");
    await languages.find((one) => one.name === "JavaScript")!.load();
    const text = "```js\nconst a = 1;\n```";
    const state = EditorState.create({ doc: text, extensions: [markdown_support()] });
    expect(ensureSyntaxTree(state, text.length, 5000)!.resolveInner(text.indexOf("a ="), 1).name).toBe("VariableDefinition");
  });
});
