import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { available } from "#test/support/processes.ts";
import { runInSandbox } from "#test/support/sandbox.ts";
import { vendorHomes, vendorMounts } from "./vendor-mounts.ts";

function makeHome(): { home: string; own: string; folder: string } {
	// not below /tmp, which is another one inside
	const root = mkdtempSync(path.join(os.homedir(), ".brood-test-"));
	onTestFinished(() => rmSync(root, { recursive: true, force: true }));
	const home = path.join(root, "home");
	for (const name of [".claude/commands", ".claude/projects/p", ".codex", ".config/opencode"])
		mkdirSync(path.join(home, name), { recursive: true });
	const files = {
		".claude/settings.json": '{"hooks":{}}',
		".claude/commands/deploy.md": "deploy",
		".claude/.credentials.json": "token-1",
		".claude/history.jsonl": "what I typed",
		".claude/projects/p/session.jsonl": "what I said",
		".claude.json": '{"mcpServers":{}}',
		".codex/auth.json": "another token",
	};
	for (const [name, text] of Object.entries(files)) writeFileSync(path.join(home, name), text);
	const folder = path.join(root, "folder");
	mkdirSync(folder);
	return { home, own: path.join(root, "own"), folder };
}

/** What a command says to an agent of a type; `HOME` is the user's. */
function said({ home, own, folder }: ReturnType<typeof makeHome>, type: string, command: string): string {
	const { bound = [], environment = {} } = vendorMounts({ type, own, seen: {}, home });
	const hidden = type === "acp" ? [] : vendorHomes({ HOME: home });
	return runInSandbox({ hidden, readable: [], writable: [folder], fixed: [], bound, environment }, folder, command, {
		HOME: home,
	});
}

describe.runIf(available.includes("bubblewrap"))("an agent's part of its vendor's home", () => {
	test("is seen, kept from one process to the next, and nobody else's", () => {
		const location = makeHome();
		const { home } = location;
		expect(
			said(
				location,
				"claude",
				'cat ~/.claude/settings.json ~/.claude/commands/deploy.md "$CLAUDE_CONFIG_DIR/.claude.json"',
			),
		).toBe('{"hooks":{}}deploy{"mcpServers":{}}exit 0\n');
		const evil = `echo '{"hooks":"evil"}' > ~/.claude/settings.json; echo x > ~/.claude/hooks.json; echo x > ~/.claude/commands/deploy.md; echo x > ~/.claude/commands/new.md
			echo evil > ~/.claude.json; echo evil > ~/.claude/.claude.json; mv ~/.claude ~/.claude-old; mkdir -p ~/.claude/projects/q; echo mine > ~/.claude/projects/q/session; true`;
		expect(said(location, "claude", evil)).toMatch(/exit 0\n$/);
		const read = (name: string): string => readFileSync(path.join(home, name), "utf8");
		expect([read(".claude/settings.json"), read(".claude/commands/deploy.md"), read(".claude.json")]).toEqual([
			'{"hooks":{}}',
			"deploy",
			'{"mcpServers":{}}',
		]);
		expect(
			[".claude/hooks.json", ".claude/commands/new.md", ".claude/projects/q", ".claude-old"].filter((name) =>
				existsSync(path.join(home, name)),
			),
		).toEqual([]);
		// its own session is there again, the settings are the user's again
		expect(said(location, "claude", "cat ~/.claude/projects/q/session ~/.claude/settings.json")).toBe(
			'mine\n{"hooks":{}}exit 0\n',
		);
	});

	test("has none of the user's sessions and histories, and nothing of other vendors", () => {
		const location = makeHome();
		for (const file of ["~/.claude/history.jsonl", "~/.claude/projects/p/session.jsonl", "~/.codex/auth.json"])
			expect(said(location, "claude", `test -s ${file} && cat ${file}`)).toBe("exit 1\n");
		expect(said(location, "codex", "test -s ~/.claude.json || test -s ~/.claude/.credentials.json")).toBe("exit 1\n");
		expect(said(location, "scripted", "cat ~/.codex/auth.json ~/.claude/settings.json 2>/dev/null")).toBe("exit 1\n");
		// the control: without it everything is there
		expect(said(location, "acp", "cat ~/.claude/history.jsonl ~/.codex/auth.json")).toBe(
			"what I typedanother tokenexit 0\n",
		);
	});

	test("lets its program renew the login, and nothing else of the user's", () => {
		const location = makeHome();
		expect(said(location, "claude", "printf token-2 > ~/.claude/.credentials.json")).toBe("exit 0\n");
		expect(readFileSync(path.join(location.home, ".claude/.credentials.json"), "utf8")).toBe("token-2");
	});

	test("is where all vendors' homes are hidden", () => {
		const location = makeHome();
		const seen = {
			HOME: location.home,
			CODEX_HOME: path.join(location.home, "c"),
			GEMINI_CLI_HOME: path.join(location.home, "g"),
			XDG_DATA_HOME: path.join(location.home, "d"),
		};
		const own = ["claude", "codex", "gemini", "opencode"].map(
			(type) => vendorMounts({ type, own: location.own, seen, home: location.home }).bound?.[0]?.to,
		);
		expect(own.filter((to) => to !== undefined && vendorHomes(seen).includes(to))).toHaveLength(4);
	});

	test("is made anew where the agent left a folder without end, which is removed behind the scenes", async () => {
		const location = makeHome();
		said(location, "claude", "true");
		const deep = "cd ~/.claude; rm -f settings.json; mkdir settings.json; cd settings.json";
		const script = `import os\nfor i in range(300): os.mkdir("d"); os.chdir("d")\nos.chmod(".", 0o500)`;
		expect(said(location, "claude", `${deep}; python3 -c '${script}'; chmod 500 ~/.claude/settings.json`)).toBe(
			"exit 0\n",
		);
		const removed = path.join(path.dirname(location.own), ".removed");
		vendorMounts({ type: "claude", own: location.own, seen: {}, home: location.home });
		// nothing was waited for
		expect(readdirSync(removed).length).toBe(1);
		expect(said(location, "claude", "cat ~/.claude/settings.json")).toBe('{"hooks":{}}exit 0\n');
		await expect.poll(() => readdirSync(removed), { timeout: 30_000 }).toEqual([]);
	});

	test("is not written through a link that the agent left in its own folder", () => {
		const location = makeHome();
		const victim = path.join(location.home, "victim");
		writeFileSync(victim, "as it was");
		said(location, "claude", "true");
		for (const name of ["settings.json", ".credentials.json", "commands"]) {
			said(location, "claude", `rm -rf ~/.claude/${name}`);
			symlinkSync(victim, path.join(location.own, "0", `${name}.link`));
		}
		said(
			location,
			"claude",
			`cd ~/.claude; rm -f settings.json; ln -s '${victim}' settings.json; ln -s '${victim}' other.json`,
		);
		expect(said(location, "claude", "cat ~/.claude/settings.json")).toBe('{"hooks":{}}exit 0\n');
		expect(readFileSync(victim, "utf8")).toBe("as it was");
	});
});
