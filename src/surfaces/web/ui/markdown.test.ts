import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Markdown } from "./markdown.tsx";

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
