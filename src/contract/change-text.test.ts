import { expect, test } from "vitest";
import { changeText } from "./change-text.ts";

const branch = "brood/opus-1";
const trailers = "\n\nBrood-Agent: opus-1\nBrood-Turn: 12\n";

test("one commit says what the pull request says, without Brood's trailers", () => {
	const message = `Parse leap days\n\nThe parser took February for a\nshort month.\n\nCo-authored-by: Ann <ann@example.org>\nBrood-Agent: opus-1\n`;
	expect(changeText({ issue: null, messages: [message], branch })).toEqual({
		title: "Parse leap days",
		body: "The parser took February for a\nshort month.\n\nCo-authored-by: Ann <ann@example.org>",
	});
	expect(changeText({ issue: null, messages: [`Parse leap days${trailers}`], branch }).body).toBe("");
});

test("several commits are listed, below the first one's title", () => {
	const messages = [`Parse leap days${trailers}`, "Test them", "Document them\n\nAt length."];
	expect(changeText({ issue: null, messages, branch })).toEqual({
		title: "Parse leap days",
		body: "- Parse leap days\n- Test them\n- Document them",
	});
	const many = Array.from({ length: 60 }, (_, at) => `Step ${at}`);
	expect(changeText({ issue: null, messages: many, branch }).body.split("\n").at(-1)).toBe("- and 10 more");
});

test("an issue's words come first; its commits only if they say more", () => {
	const issue = { title: "Fix the\tdate parser", body: "It fails for 29 February.\n" };
	expect(changeText({ issue, messages: ["Fix the date parser\n\nBrood-Issue: web#3"], branch })).toEqual({
		title: "Fix the date parser",
		body: "It fails for 29 February.",
	});
	expect(changeText({ issue, messages: ["Parse leap days", "Test them"], branch }).body).toBe(
		"It fails for 29 February.\n\n- Parse leap days\n- Test them",
	);
	expect(changeText({ issue: null, messages: [], branch })).toEqual({ title: branch, body: "" });
});
