// Records two sessions of the terminal in tmux, as text: `npm run record`. The pages are in docs/recordings. The second
// one runs the real Claude Code against a model of our own on the loopback.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { adaptersIn, install } from "#test/agents/install.ts";
import { kits } from "#test/agents/kits.ts";
import { FakeModel } from "#test/support/fake-model/server.ts";
import { TmuxRecording } from "./tmux-recording.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = path.join(root, "docs/recordings");
const made = "Recorded by `npm run record` in tmux, 100 columns wide; ages and ids differ from run to run.\n";

for (const [name, record] of Object.entries({ terminal: first, "terminal-claude": withClaude })) {
	if (process.argv.length > 2 && !process.argv.includes(name)) continue;
	const folder = mkdtempSync(path.join(os.tmpdir(), "brood-record-"));
	const repository = path.join(folder, "shop");
	mkdirSync(repository);
	const env = {
		BROOD_HOME: path.join(folder, "home"),
		BROOD_PORT: "0",
		HOME: folder,
		PATH: process.env["PATH"] ?? "",
	};
	const brood = (...args: string[]): string =>
		execFileSync(path.join(root, "bin/brood"), args, { cwd: repository, env, encoding: "utf8" });
	try {
		using tmux = new TmuxRecording({ name: path.basename(folder), folder: repository, env });
		const page = await record(tmux, { folder, home: env.BROOD_HOME, brood });
		mkdirSync(pages, { recursive: true });
		writeFileSync(path.join(pages, `${name}.md`), page);
	} finally {
		brood("down", "--now");
		rmSync(folder, { recursive: true, force: true });
	}
}

interface RecordingParts {
	folder: string;
	home: string;
	brood(...args: string[]): string;
}

/** Paths of this machine, as they would be on another. */
function hide(folder: string): (text: string) => string {
	return (text) => text.replaceAll(folder, "~").replaceAll(root, "~/brood/");
}

async function first(tmux: TmuxRecording, { folder, brood }: RecordingParts): Promise<string> {
	await asProject(tmux, () =>
		tmux.frame(
			"An empty directory becomes a repository; `brood`, which does not know it as a project, offers to add it.",
		),
	);
	await tmux.shows("F1 keys");
	tmux.frame("Then it opens, at the root of all agents.");
	tmux.enter("/add opus-1 --type scripted");
	await tmux.shows("[opus-1 ○ idle]");
	tmux.enter("write greet.js export const greet = (name) => 'Hello ' + name");
	await tmux.shows("wrote greet.js");
	tmux.frame("A first agent, and its first prompt. `scripted` agents do what each line says; they need no account.");
	await threeForks(tmux);
	tmux.enter("send try-a Your version is the better one: keep it.");
	await tmux.shows(/^⏵ .*send/m);
	await tmux.shows(/\[\S*try-c ○ idle\]/);
	tmux.frame("try-c sends a mail to try-a, as an agent does in its turn.");
	tmux.press("C-Right");
	await tmux.shows(/\[\S*try-a/);
	await tmux.shows(/mail \d+ from try-c/);
	await tmux.shows(/\[\S*try-a ○ idle\]/);
	tmux.frame("The mail woke the idle try-a: its turn begins with what try-c wrote.");
	brood("agent", "configure", "try-a", "--policy", "ask");
	tmux.enter("ask May I push this branch?");
	await tmux.shows("asks,");
	tmux.frame("It asks. The question is above the input, with the keys that answer it.");
	// with Alt, a letter answers also in the middle of typing
	await tmux.read();
	tmux.press("M-n");
	await tmux.shows("denied");
	await killedAndRestarted(tmux, brood);
	return tmux.page(`# From an empty directory to three forks\n\n${made}`, hide(folder));
}

async function threeForks(tmux: TmuxRecording): Promise<void> {
	for (const [name, prompt] of [
		["try-a", "write greet.js export const greet = () => 'A'"],
		["try-b", "write greet.js export const greet = () => 'B'"],
		["try-c", "run cat greet.js"],
	]) {
		tmux.enter(`/fork "${prompt}" --name ${name}`);
		await tmux.shows(new RegExp(`\\[\\S*${name} ○ idle\\]`));
		await tmux.shows(/^⏵ /m);
		if (name !== "try-c") tmux.press("C-Up");
		if (name !== "try-c") await tmux.shows("[opus-1");
	}
	tmux.frame("Three forks, each with the conversation and the files of its parent, and a tree of its own.");
}

async function killedAndRestarted(tmux: TmuxRecording, brood: RecordingParts["brood"]): Promise<void> {
	tmux.enter("/fork --name helper");
	await tmux.shows(/\[\S*helper ○/);
	tmux.press("C-Up");
	await tmux.shows(/\[\S*try-a/);
	tmux.press("C-Up");
	await tmux.shows("[opus-1");
	tmux.enter("/kill try-a --cascade");
	await tmux.shows("ended");
	tmux.enter("/agents");
	await tmux.shows("2 dead");
	tmux.frame("`/kill try-a --cascade` ended the agent and the one below it; `/agents` shows the tree.");
	// Esc and a letter at once would be Alt with the letter
	tmux.press("Escape");
	await tmux.shows(/^>/m);
	tmux.type("typed, and not sent");
	await tmux.shows("> typed, and not sent");
	brood("restart");
	tmux.press("C-l");
	await tmux.shows("[opus-1 ○ idle]");
	await tmux.shows("> typed, and not sent");
	// not the banner of a daemon that is gone
	await tmux.shows("F1 keys");
	tmux.frame("The daemon was restarted behind the screen: thread, tree and unsent text are there.");
	tmux.press("C-c");
	tmux.type("and this one too");
	await tmux.shows("> and this one too");
	tmux.press("C-z");
	await tmux.shows("Stopped");
	tmux.enter("kill %1");
	tmux.enter("clear; brood");
	await tmux.shows("> and this one too");
	await tmux.shows("[opus-1 ○ idle]");
	tmux.frame("The terminal was suspended with Ctrl+Z, ended by a signal, and opened again: it is where it was.");
}

/** An empty directory becomes a repository and a project; `offered` is called while that is asked. */
async function asProject(tmux: TmuxRecording, offered = (): void => {}): Promise<void> {
	tmux.enter(
		`export PATH=${root}bin:$PATH GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=you ` +
			"GIT_CONFIG_KEY_1=user.email GIT_CONFIG_VALUE_1=you@example.org; clear",
	);
	tmux.enter("ls -A");
	tmux.enter("git init -q -b main");
	tmux.enter("git commit -q --allow-empty -m begin");
	tmux.enter("brood");
	await tmux.shows("is not a project yet");
	offered();
	tmux.enter("y");
	await tmux.shows("[init ○ idle]");
}

async function withClaude(tmux: TmuxRecording, { folder, home, brood }: RecordingParts): Promise<string> {
	const kit = kits.claude;
	await install(kit.type);
	await using model = await FakeModel.start();
	const own = path.join(folder, "claude-home");
	kit.prepareFolder(model.url, own);
	const variables = Object.entries(kit.variables(model.url, own)).map(([name, value]) => `${name}=${value}`);
	const file = path.join(folder, "variables");
	writeFileSync(file, variables.join("\n"), { mode: 0o600 });
	mkdirSync(home, { recursive: true, mode: 0o700 });
	symlinkSync(adaptersIn, path.join(home, "adapters"));
	await asProject(tmux);
	brood("subscription", "add", "fake", "--type", "claude", "--max-concurrent", "2", "--env-file", file);
	const greeting = "export function greet(name) {\n\t// for people\n\treturn 'Hello, ' + name;\n}\n";
	tmux.enter(`/add opus-1 --type claude --model ${kit.model}`);
	await tmux.shows("[opus-1 ○ idle]");
	const { data } = JSON.parse(brood("agent", "status", "opus-1", "--json"));
	model.say(
		{ text: "I will write the file first.", calls: [kit.write(path.join(data.workspace.path, "greet.js"), greeting)] },
		{
			text: 'Done. It is used like this:\n\n```js\nimport { greet } from "./greet.js"; // the new file\nconsole.log(greet("you"));\n```\n\n- **one** function\n- no dependencies',
		},
	);
	tmux.enter("write a function that greets somebody");
	await tmux.shows(/asks,|no dependencies/);
	tmux.frame(
		"Claude Code, in its worktree, wants to write a file. The question is read to its end before it can be allowed.",
	);
	// a long question is read part by part
	while (tmux.screen().includes("asks,")) {
		await tmux.read();
		tmux.press("M-y");
		await pause(1000);
	}
	await tmux.shows("no dependencies");
	tmux.frame("Allowed. The edit is one row with its counts; the message has markdown and code in colours.");
	tmux.press("C-o");
	tmux.press("Enter");
	await tmux.shows("for people");
	tmux.frame("`Ctrl+O` and Enter open the call: the edit as a diff.");
	tmux.press("C-o");
	model.say({ text: "As the fork I know the function greet already." });
	tmux.enter('/fork "what have we written?" --name second');
	await tmux.shows("know the function greet already");
	tmux.frame("A fork of it: its Claude Code has the whole conversation, and the tree with the uncommitted file.");
	tmux.enter("/diff");
	await tmux.shows("1 file");
	tmux.frame("`/diff` of the fork, which has the file without having written it.");
	tmux.press("Escape");
	return tmux.page(
		`# Claude Code in the terminal\n\n${made}The model behind Claude Code is a script; Claude Code is the real one.\n`,
		hide(folder),
	);
}
