// What people are shown: every command of the CLI, found from the parser itself, in a home full of words that a
// terminal would obey.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { Client } from "#client/client.ts";
import { ProjectSlug, system } from "#contract/ids.ts";
import { asJson, inline, visible } from "#contract/visible.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { program } from "#surfaces/cli/program.ts";
import { at } from "#test/support/in-workspace.ts";
import { freshRepository } from "#test/support/repository.ts";
import { done } from "#test/support/say.ts";
import { freshFolder } from "#test/support/stores.ts";

/** Hides, fills the clipboard, clears the screen, turns letters around, and begins lines of its own. */
const evil = "\u{1b}[8mx\u{1b}]52;c;eA==\u{7}\r\u{9b}2J\u{7f}\u{202e}\u{2066}\u{85}\u{2028}\nforged line\ty";
/** on a line that a `scripted` agent reads */
const evilLine = "\u{1b}[8mx\u{1b}]52;c;eA==\u{7}\u{9b}2J\u{202e}";
/** where a line, or a name of git's, is all that is allowed */
const evilName = "a\u{202e}b\u{2066}c";

/** Written down apart from the code that is tested. */
const orders = (text: string): string[] =>
	[...text].filter((character) => {
		const code = character.codePointAt(0) ?? 0;
		if ((code < 0x20 && character !== "\n" && character !== "\t") || (code >= 0x7f && code < 0xa0)) return true;
		return (
			(code >= 0x20_28 && code <= 0x20_2e) ||
			(code >= 0x20_66 && code <= 0x20_69) ||
			[0x20_0e, 0x20_0f, 0x6_1c].includes(code)
		);
	});

describe("texts of agents and repositories", () => {
	const anything = fc.string({
		unit: fc.oneof(
			fc.constantFrom("\u{1b}", "\u{9b}", "\r", "\n", "\u{202e}", "\u{7f}", "\u{e0041}"),
			fc.string({ unit: "binary", maxLength: 1 }),
		),
	});

	test("are shown with their control sequences escaped", () => {
		expect(visible("a\u{1b}[8mb\u{1b}]52;c;eA==\u{7}\rc\u{9b}2J\u{202e}d\u{7f}")).toBe(
			"a␛[8mb␛]52;c;eA==␇␍c<U+009B>2J<U+202E>d␡",
		);
		expect(inline("one\ntwo\tthree")).toBe("one␊two␉three");
		expect(visible("läuft – 日本語 👩‍💻\tok\n")).toBe("läuft – 日本語 👩‍💻\tok\n");
	});

	test("contain no control sequence after escaping, on one line or on several", () => {
		fc.assert(
			fc.property(anything, (text) => {
				expect(orders(visible(text))).toEqual([]);
				expect(inline(text)).not.toMatch(/[\n\t]/);
				expect(visible(visible(text))).toBe(visible(text));
			}),
		);
		expect(orders(evil)).toHaveLength(10);
	});

	test("are unchanged in JSON, with control characters escaped", () => {
		fc.assert(
			fc.property(fc.jsonValue({ stringUnit: "binary" }), anything, (value, text) => {
				const both = [value, text.toWellFormed()];
				expect(JSON.parse(asJson(both))).toEqual(JSON.parse(JSON.stringify(both)));
				expect(orders(asJson(both))).toEqual([]);
			}),
		);
	});
});

interface Node {
	commands: readonly Node[];
	name(): string;
	options: readonly {
		long?: string | undefined;
		mandatory: boolean;
		required: boolean;
		argChoices?: readonly string[] | undefined;
	}[];
	registeredArguments: readonly { name(): string; required: boolean; argChoices?: readonly string[] | undefined }[];
}
interface Leaf {
	path: string[];
	node: Node;
}
const leaves = (node: Node, above: string[] = []): Leaf[] =>
	node.commands.length === 0
		? [{ path: above, node }]
		: node.commands.flatMap((each) => leaves(each, [...above, each.name()]));

/** They start, end or install something, or speak a protocol; what they print goes through the same functions. */
const others = ["up", "down", "demo", "setup", "mcp"];
const last = [
	"kill",
	"delete",
	"remove",
	"reap",
	"clear",
	"restore",
	"rewind",
	"release",
	"deny",
	"allow",
	"read",
	"approve",
];

const home = freshFolder();
let daemon: Daemon;
const known: Record<string, string> = {};

async function full(): Promise<void> {
	const client = new Client(daemon);
	const repository = freshRepository();
	const slug = ProjectSlug.parse("web");
	await client.call("projectAdd", { body: { slug, path: repository } });
	const agent = await client.ask("agentAddTo", {
		params: { project: slug },
		body: { type: "scripted", name: "victim" },
	});
	const params = { agent: agent.id };
	const folder = at(agent);
	writeFileSync(path.join(folder, `new\u{1b}[8m\r\n${evilName}.txt`), evil);
	execFileSync("git", ["add", "-A"], { cwd: folder });
	execFileSync("git", ["-c", `user.name=${evilName}`, "-c", "user.email=a@b", "commit", "-qm", evil], { cwd: folder });
	writeFileSync(path.join(folder, `more\u{1b}[8m${evilName}.txt`), evil);
	await client.call("prompt", { params, body: { text: `say ${evilLine}\nfail ${evilLine}` } });
	await expect
		.poll(async () => (await client.call("turns", { params })).at(-1)?.state, { timeout: 30_000 })
		.toBe("failed");
	await client.call("pause", { params, body: { reason: evil } });
	known["prompt"] = String((await client.call("prompt", { params, body: { text: evil } })).id);
	known["mail"] = String((await client.call("send", { params, body: { body: evil } })).id);
	await done(
		daemon.engine,
		{ type: "item.append", agent: agent.id, kind: "system", text: evil, data: { evil } },
		{ as: system },
	);
	await client.call("mark", { params, body: { name: evilName } });
	const asker = await client.ask("agentAddTo", {
		params: { project: slug },
		body: { type: "scripted", name: "asker", prompt: `ask ${evilLine}` },
	});
	const asked = async () => (await client.call("approvals", {}))[0]?.id;
	await expect.poll(asked, { timeout: 30_000 }).toBeDefined();
	known["approval"] = String(await asked());
	const { number } = await client.call("issueAdd", {
		params: { project: slug },
		body: { title: evilName, body: evil },
	});
	const issue = { issue: `web#${number}` };
	await client.call("issueComment", { params: issue, body: { text: evil } });
	await client.call("issueMessage", { params: issue, body: { stage: "IN_PROGRESS", text: evil } });
	await client.call("issueDocument", { params: issue, body: { name: "notes", text: evil } });
	await done(daemon.engine, {
		type: "issue.escalate",
		issueId: (await client.call("issue", { params: issue })).id,
		reason: evil,
	});
	await client
		.call("subscriptionAdd", {
			body: {
				name: "plan",
				type: "claude",
				maxConcurrent: 1,
				credential: { configDir: path.join(freshFolder(), evilName) },
			},
		})
		.catch(() => {});
	await done(
		daemon.engine,
		{ type: "git.record", runs: [{ folder: evil, args: [evil], exit: 1, durationMs: 1 }] },
		{ as: system },
	);
	mkdirSync(path.join(home, "logs"), { recursive: true });
	writeFileSync(
		path.join(home, "daemon.log"),
		`{"at":"now","level":"error","source":"x","text":${JSON.stringify(evil)}}\n${evil}\n`,
		{ flag: "a" },
	);
	Object.assign(known, {
		agent: "victim",
		agents: "victim",
		"agent|issue": "victim",
		project: "web",
		issue: issue.issue,
		turn: "last",
		snapshot: (await client.call("snapshots", { params }))[0]?.id ?? "none",
	});
	expect(asker.handle).toBe("asker");
}

beforeAll(async () => {
	daemon = await startDaemon({ home });
	vi.stubEnv("BROOD_HOME", home);
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
	vi.unstubAllEnvs();
	await daemon[Symbol.asyncDispose]();
});

const plain: Record<string, string> = {
	path: "/nowhere",
	node: "elsewhere",
	file: "/nowhere/else",
	name: "other",
	text: "forged",
	title: "A title",
	stage: "IN_PROGRESS",
	on: "1",
	position: "1",
};
Object.assign(plain, {
	"on|off": "off",
	fingerprint: "0".repeat(64),
	subscription: "plan",
	shell: "bash",
	words: "agent",
	paths: ".",
	prompt: "x",
	type: "claude",
	browser: "b1",
});

/** What stands for each argument of a command: something that is there, or the words. */
function argsOf({ path: words, node }: Leaf, hostile: boolean): string[] {
	const value = ({ name, choices }: { name: string; choices: readonly string[] | undefined }): string => {
		const usual = known[name] ?? plain[name] ?? choices?.[0];
		if (usual === undefined) throw new Error(`say what stands for <${name}> of ${words.join(" ")}`);
		if (hostile && name === "file") return path.join(freshFolder(), evil);
		return hostile && choices === undefined ? evil : usual;
	};
	const needed = node.registeredArguments.map((each) => value({ name: each.name(), choices: each.argChoices }));
	const options = node.options.filter(
		({ mandatory, long }) =>
			mandatory || (hostile && ["--reason", "--agent", "--against", "--branch", "--commit"].includes(long ?? "")),
	);
	const flags = options.flatMap(({ long = "", required, argChoices }) =>
		required ? [long, argChoices?.[0] ?? (hostile ? evil : "1")] : [long],
	);
	const timeout = node.options.some(({ long }) => long === "--timeout") ? ["--timeout", "0"] : [];
	return [...words, ...flags, ...timeout, ...needed];
}

async function printed(args: string[]): Promise<string> {
	const out: string[] = [];
	const take = (chunk: string | Uint8Array): boolean => out.push(String(chunk)) > 0;
	vi.spyOn(process.stdout, "write").mockImplementation(take);
	vi.spyOn(process.stderr, "write").mockImplementation(take);
	vi.spyOn(process, "exit").mockImplementation(() => {
		throw new Error("exit");
	});
	process.argv = ["node", "brood", ...args];
	await program()
		.parseAsync()
		.catch((error: unknown) => expect(String(error)).toContain("exit"));
	vi.restoreAllMocks();
	process.exitCode = 0;
	return out.join("");
}

test("every command of the CLI escapes hostile texts, and none of them can imitate a line of its output", {
	timeout: 120_000,
}, async () => {
	await full();
	const all = leaves(program()).filter(({ path: [first = ""] }) => !others.includes(first));
	const rank = ({ path: words }: Leaf): number => (last.includes(words.at(-1) ?? "") ? 1 : 0);
	const wrong: object[] = [];
	let [told, shown] = [0, 0];
	for (const leaf of all.toSorted((a, b) => rank(a) - rank(b))) {
		for (const [hostile, json] of [
			[true, false],
			[true, true],
			[false, true],
			[false, false],
		] as const) {
			const isJson = json && leaf.node.options.some(({ long }) => long === "--json");
			const out = await printed([...argsOf(leaf, hostile), ...(isJson ? ["--json"] : [])]);
			const forged = isJson ? [] : out.split("\n").filter((line) => line.startsWith("forged line"));
			if (orders(out).length + forged.length > 0)
				wrong.push({ command: leaf.path.join(" "), hostile, orders: orders(out), forged });
			if (isJson) JSON.parse(out);
			told++;
			if (/␛\[8m|\\u001b\[8m/.test(out)) shown++;
		}
	}
	expect(wrong).toEqual([]);
	// the words were really there
	expect(told).toBeGreaterThan(250);
	expect(shown).toBeGreaterThan(80);
});
