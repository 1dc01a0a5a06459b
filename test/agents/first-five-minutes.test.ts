// docs/user/first-five-minutes.md: what a person types and sees, from `npm ci` to a merged change by the real Claude
// Code, with a fake model behind it. `BROOD_RECORD=1 npm run test:agents first-five-minutes` records it again, with a
// real `npm ci` of a fresh clone; without that, the rest is run and compared with the page.
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { FakeModel } from "#test/support/fake-model/server.ts";
import { freshFolder } from "#test/support/stores.ts";
import { git } from "#test/support/test-daemon.ts";
import { adaptersIn, install } from "./install.ts";
import { kits } from "./kits.ts";

const page = path.resolve("docs/user/first-five-minutes.md");
const recording = process.env["BROOD_RECORD"] === "1";

const steps = [
	{
		before: "Install, in your clone of this repository. The Node that Brood uses comes along:",
		where: "brood",
		command: "npm ci",
	},
	{ before: "", where: "brood", command: 'export PATH="$PATH:$PWD/bin"' },
	{
		before:
			"Go to your own repository. One of its tests fails. Give it to Claude Code, which you have installed and logged in to; it may edit files in its own worktree without asking:",
		where: "src/app",
		command: "brood run 'fix the failing test' --name fixer --policy auto-edit",
	},
	{ before: "Look at what it did:", where: "src/app", command: "brood diff fixer" },
	{ before: "Keep it:", where: "src/app", command: "brood commit fixer -m 'Add instead of subtracting'" },
	{
		before: "And merge it into your branch. Until now nothing in your checkout has changed:",
		where: "src/app",
		command: "brood approve fixer",
	},
] as const;

const head = `# The first five minutes

Recorded by a test with the real Claude Code, and a model that answers from a script. Six commands lead from a fresh clone to a merged change.`;
const foot =
	"What next: `brood run '…'` again for a second agent beside it, `brood ps` for all of them, `brood fork fixer '…'` to try something else from\nhere. [All commands](commands.md).";

test("six commands lead from a clone to a merged change, as the page shows", { timeout: 600_000 }, async () => {
	await using model = await FakeModel.start();
	const person = freshFolder();
	const app = repository(person);
	const workspace = path.join(person, ".brood/projects/app/agents/fixer/sum.js");
	await atHome(person, model.url);
	model.say(
		{ text: "I will look at the code first.", calls: [{ name: "Read", input: { file_path: workspace } }] },
		{
			text: "`sum` subtracts. I will fix it.",
			calls: [{ name: "Edit", input: { file_path: workspace, old_string: "a - b", new_string: "a + b" } }],
		},
		{ text: "Fixed: `sum` subtracted instead of adding." },
	);
	const shown: string[] = [];
	try {
		for (const { before, where, command } of steps) {
			const out = await typed(person, where, command);
			const told = `${where === "brood" ? "~/brood" : "~/src/app"} $ ${command}\n${out}`.trimEnd();
			shown.push([...(before === "" ? [] : [before]), `\`\`\`\n${told}\n\`\`\``].join("\n\n"));
		}
	} finally {
		await typed(person, "src/app", "brood down --now || true");
	}
	expect(readFileSync(path.join(app, "sum.js"), "utf8")).toContain("a + b");
	expect(git(app, "log", "-1", "--format=%an")).toBe("You");
	expect(steps.length).toBeLessThanOrEqual(6);
	const text = `${[head, ...shown, foot].join("\n\n")}\n`;
	if (recording) writeFileSync(page, text);
	expect(comparable(text)).toEqual(comparable(readFileSync(page, "utf8")));
});

/** A person with the real Claude Code and a login of their own, which leads to the fake model. */
async function atHome(person: string, model: string): Promise<void> {
	const { HOME: _, CLAUDE_CONFIG_DIR: __, ...env } = kits.claude.variables(model, person);
	mkdirSync(path.join(person, ".claude"), { recursive: true });
	writeFileSync(path.join(person, ".claude/settings.json"), JSON.stringify({ env }));
	writeFileSync(path.join(person, ".claude.json"), JSON.stringify({ hasCompletedOnboarding: true }));
	writeFileSync(path.join(person, ".gitconfig"), "[user]\n\tname = You\n\temail = you@example.org\n");
	if (recording) {
		git(person, "clone", "--quiet", path.resolve("."), "brood");
		// npm as this machine is set up for it
		const settings = path.join(os.homedir(), ".npmrc");
		if (existsSync(settings)) copyFileSync(settings, path.join(person, ".npmrc"));
		return;
	}
	symlinkSync(path.resolve("."), path.join(person, "brood"));
	await install("claude");
	mkdirSync(path.join(person, ".brood"), { mode: 0o700 });
	symlinkSync(adaptersIn, path.join(person, ".brood/adapters"));
}

function repository(person: string): string {
	const app = path.join(person, "src/app");
	mkdirSync(app, { recursive: true });
	writeFileSync(path.join(app, "sum.js"), "export const sum = (a, b) => a - b;\n");
	const check =
		'import test from "node:test";\nimport { equal } from "node:assert";\nimport { sum } from "./sum.js";\n';
	writeFileSync(path.join(app, "sum.test.js"), `${check}test("sum", () => equal(sum(2, 2), 4));\n`);
	git(app, "init", "--quiet", "--initial-branch=main");
	git(app, "add", "--all");
	git(app, "-c", "user.name=You", "-c", "user.email=you@example.org", "commit", "--quiet", "--message=begin");
	return app;
}

/** What a command prints on both streams, without what differs from machine to machine. */
async function typed(person: string, where: string, command: string): Promise<string> {
	if (command === "npm ci" && !recording) return "";
	const env = {
		...Object.fromEntries(
			Object.entries(process.env).filter(([name]) =>
				/^npm_config_|_proxy$|^NODE_EXTRA_CA_CERTS$|^SSL_CERT_/i.test(name),
			),
		),
		PATH: `${process.env["PATH"]}:${path.join(person, "brood/bin")}`,
		HOME: person,
		BROOD_PORT: "0",
		LANG: "C.UTF-8",
	};
	const { promise, resolve, reject } = Promise.withResolvers<string>();
	execFile("bash", ["--norc", "-c", `{ ${command}; } 2>&1`], { cwd: path.join(person, where), env }, (error, out) =>
		error === null ? resolve(out.replaceAll(person, "/home/you")) : reject(new Error(`${command}: ${out}`)),
	);
	return (await promise).replace(/^npm (warn|notice).*\n/gm, "");
}

/** Without what npm prints, how long something took, and names that are made from content. */
const comparable = (text: string): string[] =>
	text
		.replace(/(\$ npm ci\n)[\s\S]*?(?=```)/, "$1")
		.replaceAll(/^(Installing the adapter|Installed in) .*\n/gm, "")
		.replaceAll(/\b[0-9a-f]{7,40}\b/g, "0000000")
		.split("\n");
