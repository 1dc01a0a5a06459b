import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { InlineMarkdown, Markdown } from "./markdown.tsx";

const html = (text: string): string =>
	renderToStaticMarkup(createElement(Markdown, { text })).replaceAll(/<\/?(span|div)\b[^>]*>/g, "");

test("an item of a task list has one box", () => {
	const items = '<ul><li class="prose-task">☐ todo</li><li class="prose-task">☑ done</li></ul>';
	expect(html("- [ ] todo\n- [x] done")).toBe(items);
	expect(html("- [ ] todo\n\n- [x] done").replaceAll(/<\/?p>/g, "")).toBe(items);
});

test("a numbered list begins where its text does", () => {
	expect(html("3. three\n4. four")).toBe('<ol start="3"><li>three</li><li>four</li></ol>');
	expect(html("0. zero")).toBe('<ol start="0"><li>zero</li></ol>');
});

test("columns are aligned as the table says", () => {
	expect(html("| a | b | c |\n|:-:|--:|---|\n| 1 | 2 | 3 |").match(/<td.*?<\/td>/g)).toEqual([
		'<td style="text-align:center">1</td>',
		'<td style="text-align:right">2</td>',
		"<td>3</td>",
	]);
});

test("the address of a link that is defined elsewhere is not shown", () => {
	expect(html("see [it][ref]\n\n[ref]: https://a.b/c")).toMatch(/^<p>see <a [^>]*>it<\/a><\/p>$/);
});

test("characters that are named or numbered are shown, but not in code, where they are escaped, or if nobody knows them", () => {
	expect(html("&copy; 2026 &mdash; R&amp;D &euro;5 &alpha; &#65;&#x42; &#0; &unknown; &copy")).toBe(
		"<p>© 2026 — R&amp;D €5 α AB \u{FFFD} &amp;unknown; &amp;copy</p>",
	);
	expect(html("`&copy; &amp; <` \\&copy; &amp;copy;")).toBe(
		"<p><code>&amp;copy; &amp;amp; &lt;</code> &amp;copy; &amp;copy;</p>",
	);
	expect(html("    &lt;")).toContain("&amp;lt;");
	expect(html("[a](https://a.b/?c=1&amp;d=2)")).toContain('href="https://a.b/?c=1&amp;d=2"');
});

test("a line has no blocks", () => {
	const line = createElement(InlineMarkdown, { text: "# read `a.ts` &amp; **go**" });
	expect(renderToStaticMarkup(line).replaceAll(/<\/?span>/g, "")).toBe(
		"# read <code>a.ts</code> &amp; <strong>go</strong>",
	);
});
