import { expect, test } from "vitest";
import { jsx, jsxs } from "./jsx-runtime.ts";

test("text of elements has no characters that hide or reverse it; what a person edits stays as it is", () => {
	const [bare, shown] = ["a\u202eb\u200b\u001b[8m\n", "a<U+202E>b<U+200B>␛[8m\n"];
	expect(Object(jsx("p", { children: bare })).props).toEqual({ children: shown });
	const inner = jsx("b", { children: 1 });
	expect(Object(jsxs("p", { title: bare, children: [bare, 2, inner, null] })).props).toEqual({
		title: bare,
		children: [shown, 2, inner, null],
	});
	expect(Object(jsx("textarea", { value: bare })).props).toEqual({ value: bare });
});
