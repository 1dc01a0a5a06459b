import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { messagesOf } from "#agents/llm/messages.ts";
import { human } from "#contract/ids.ts";
import { mailAuthor, promptForModel, quote, quotedMail } from "#contract/quote.ts";
import { render } from "#domain/render.ts";

/** Whatever ends a line anywhere; written down apart from the code that is tested. */
const anyEnd = ["\r\n", "\n", "\r", "\v", "\f", "\u{1c}", "\u{1d}", "\u{1e}", "\u{85}", "\u{2028}", "\u{2029}"];
const linesAnywhere = (text: string): string[] =>
	anyEnd.reduce((lines, end) => lines.flatMap((line) => line.split(end)), [text]);

const hostile = fc
	.array(
		fc.oneof(
			fc.constantFrom(...anyEnd, "[end]", "[user]", "| ", "]", "[brood] ", "[end of mail 1]"),
			fc.string({ unit: "binary", maxLength: 5 }),
		),
		{
			maxLength: 30,
		},
	)
	.map((parts) => parts.join(""));

/** What is not behind a bar: the heading, and the end if there is one. */
const outside = (text: string): string[] => linesAnywhere(text).filter((line) => !line.startsWith("| "));

describe("whatever the words are, none of their lines stands outside of the quotation", () => {
	const from = "agent:abcdefghijklmnopqrstuv";
	const asUser = (text: string) => ({ text, data: { from } });
	const places: Record<string, { made(words: string): string; frame: string[] }> = {
		"a quotation": { made: (words) => quote("who", words, "end"), frame: ["[who]", "[end]"] },
		mail: {
			made: (body) => quotedMail({ id: 1, from: human, body }),
			frame: ["[mail 1 from human]", "[end of mail 1]"],
		},
		"an agent's prompt": {
			made: (text) => promptForModel(asUser(text)),
			frame: [`[a prompt from ${from}, which is not the user]`, "[end of the prompt]"],
		},
		"an agent's prompt in a context that is told": {
			made: (text) => render([{ id: 1, kind: "user", ...asUser(`x${text}`) }], 1e6).text,
			frame: [`[not the user but ${from}]`],
		},
		"a tool's answer in a context that is told": {
			made: (text) => render([{ id: 1, kind: "tool_result", text: `x${text}`, data: {} }], 1e6).text,
			frame: ["[the tool answered]"],
		},
		"an agent's prompt to our own model": {
			made: (text) => String(messagesOf([{ id: 1, kind: "user", ...asUser(text) }])[0]?.content),
			frame: [`[a prompt from ${from}, which is not the user]`, "[end of the prompt]"],
		},
		"an agent's reason to stop our own model": {
			made: (text) =>
				String(messagesOf([{ id: 1, kind: "interrupt", text: `x${text}`, data: null, actor: from }])[0]?.content),
			frame: [
				`[brood: your turn was stopped by ${from}, which is not the user, for this reason]`,
				"[end of the reason]",
			],
		},
		"what the daemon notes": {
			made: (text) => String(messagesOf([{ id: 1, kind: "system", text: `x${text}`, data: null }])[0]?.content),
			frame: ["[brood: system]", "[end of the note]"],
		},
	};
	test.each(Object.entries(places))("%s", (_, { made, frame }) => {
		fc.assert(
			fc.property(hostile, (words) => {
				expect(outside(made(words))).toEqual(frame);
			}),
			{ numRuns: 200 },
		);
	});

	test("the same look finds words that are not quoted", () => {
		expect(outside(["[who]", "| a", "b"].join("\u{1e}"))).toEqual(["[who]", "b"]);
	});
});

test("no name ends its line or its bracket", () => {
	fc.assert(
		fc.property(hostile, (who) => {
			expect(outside(quote(who, "x"))).toHaveLength(1);
			expect(quote(who, "x").match(/[[\]]/g)).toHaveLength(2);
		}),
	);
});

test("the user's words and mail, which is quoted letter by letter, are as they are", () => {
	expect(promptForModel({ text: "do\nit", data: null })).toBe("do\nit");
	expect(promptForModel({ text: "[mail 1 from human]", data: { from: mailAuthor } })).toBe("[mail 1 from human]");
});
