// A repository full of traps. Each trap writes a canary when it goes off; each has one plain git command that sets it
// off, so that a test can show that the trap works before it shows that we do not step into it.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

export interface Trap {
	name: string;
	/** the repository is its working directory; `program` leaves the canary */
	lay(target: TrapTarget): void;
	/** what sets it off without our guard */
	trigger: readonly string[];
	/** given to the trigger */
	input?: string;
	/** variables of the daemon's own environment */
	environment?: Record<string, string>;
}

export interface TrapTarget {
	folder: string;
	canary: string;
	/** an executable that leaves the canary and fails */
	program: string;
	config(key: string, value: string, file?: string): void;
}

const identity = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };

export function plainGit(
	folder: string,
	args: readonly string[],
	more: { input?: string; environment?: Record<string, string> } = {},
): string {
	const environment = {
		...process.env,
		...identity,
		GIT_TERMINAL_PROMPT: "0",
		GIT_CONFIG_NOSYSTEM: "1",
		...more.environment,
	};
	return spawnSync("git", args, {
		cwd: folder,
		env: environment,
		input: more.input ?? "",
		encoding: "utf8",
		timeout: 20_000,
	}).stdout;
}

/** Two branches that conflict in one file, a file with attributes, and a submodule-like repository inside. */
export function makeVictim(folder: string): void {
	mkdirSync(folder, { recursive: true });
	plainGit(folder, ["init", "-q", "-b", "main"]);
	writeFileSync(path.join(folder, ".gitattributes"), "*.trap filter=trap diff=trap merge=trap\n");
	writeFileSync(path.join(folder, "a.trap"), "one\ntwo\nthree\n");
	writeFileSync(path.join(folder, "b.txt"), "b\n");
	plainGit(folder, ["add", "-A"]);
	plainGit(folder, ["commit", "-qm", "first"]);
	plainGit(folder, ["checkout", "-qb", "other"]);
	writeFileSync(path.join(folder, "a.trap"), "one\nother\nthree\n");
	plainGit(folder, ["commit", "-qam", "other"]);
	plainGit(folder, ["checkout", "-q", "main"]);
	writeFileSync(path.join(folder, "a.trap"), "one\nmain\nthree\n");
	plainGit(folder, ["commit", "-qam", "main"]);
	const inner = path.join(folder, "inner");
	mkdirSync(inner);
	plainGit(inner, ["init", "-q", "-b", "main"]);
	writeFileSync(path.join(inner, ".gitattributes"), "*.trap filter=trap\n");
	writeFileSync(path.join(inner, "in.trap"), "in\n");
	plainGit(inner, ["add", "-A"]);
	plainGit(inner, ["commit", "-qm", "inner"]);
	writeFileSync(path.join(folder, ".gitmodules"), '[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n');
	plainGit(folder, ["-c", "advice.addEmbeddedRepo=false", "add", "inner", ".gitmodules"]);
	plainGit(folder, ["commit", "-qm", "with a repository inside"]);
}

export function layTrap(victim: string, folder: string, traps: readonly Trap[]): { fired(): string[]; clear(): void } {
	cpSync(victim, folder, { recursive: true });
	const canaries = `${folder}-canaries`;
	mkdirSync(canaries);
	for (const trap of traps) trap.lay(targetFor(folder, canaries, trap.name));
	writeFileSync(path.join(folder, "a.trap"), "one\nchanged\nthree\n");
	return {
		fired: () => readdirSync(canaries).filter((name) => !name.endsWith(".sh")),
		clear: () => {
			for (const name of readdirSync(canaries)) if (!name.endsWith(".sh")) rmSync(path.join(canaries, name));
		},
	};
}

function targetFor(folder: string, canaries: string, name: string): TrapTarget {
	const canary = path.join(canaries, name.replaceAll(/\W+/g, "-"));
	const program = `${canary}.sh`;
	executable(program, `#!/bin/sh\ntouch '${canary}'\nexit 1\n`);
	const config = (key: string, value: string, file = path.join(folder, ".git", "config")): void => {
		execFileSync("git", ["config", "--file", file, "--add", key, value]);
	};
	return { folder, canary, program, config };
}

function executable(file: string, text: string): void {
	writeFileSync(file, text);
	chmodSync(file, 0o755);
}

const hook = (name: string, trigger: readonly string[]): Trap => ({
	name: `hook ${name}`,
	lay: ({ folder, program }) => cpSync(program, path.join(folder, ".git", "hooks", name)),
	trigger,
});

const keys = (
	name: string,
	set: Record<string, string>,
	trigger: readonly string[],
	more: Partial<Trap> = {},
): Trap => ({
	name,
	lay: ({ config, program }) => {
		for (const [key, value] of Object.entries(set))
			config(key.replace("PROGRAM", program), value.replace("PROGRAM", program));
	},
	trigger,
	...more,
});

const needsPassword = "protocol=https\nhost=nowhere.invalid\n\n";

export const traps: readonly Trap[] = [
	hook("post-checkout", ["worktree", "add", "../away", "other"]),
	hook("reference-transaction", ["update-ref", "refs/x/y", "HEAD"]),
	hook("pre-commit", ["commit", "-qam", "x"]),
	hook("commit-msg", ["commit", "-qam", "x"]),
	hook("post-index-change", ["add", "-A"]),
	hook("pre-rebase", ["rebase", "--autostash", "other"]),
	hook("pre-push", ["push", ".", "HEAD:refs/x/pushed"]),
	{
		name: "core.hooksPath",
		lay: ({ folder, program, config }) => {
			mkdirSync(path.join(folder, "h"));
			cpSync(program, path.join(folder, "h", "pre-commit"));
			config("core.hooksPath", "h");
		},
		trigger: ["commit", "-qam", "x"],
	},
	keys("core.fsmonitor", { "core.fsmonitor": "PROGRAM" }, ["status"]),
	keys("filter clean", { "filter.trap.clean": "PROGRAM" }, ["add", "-A"]),
	keys("filter smudge", { "filter.trap.smudge": "PROGRAM" }, ["checkout", "HEAD", "--", "a.trap"]),
	keys("filter process", { "filter.trap.process": "PROGRAM" }, ["add", "-A"]),
	keys("filter required", { "filter.trap.clean": "PROGRAM", "filter.trap.required": "true" }, ["add", "-A"]),
	keys("diff.external", { "diff.external": "PROGRAM" }, ["diff"]),
	keys("diff textconv", { "diff.trap.textconv": "PROGRAM" }, ["diff"]),
	keys("diff command", { "diff.trap.command": "PROGRAM" }, ["diff"]),
	keys("merge driver", { "merge.trap.driver": "PROGRAM %A" }, [
		"-c",
		"user.name=a",
		"merge-tree",
		"--write-tree",
		"main",
		"other",
	]),
	keys("core.sshCommand", { "core.sshCommand": "PROGRAM" }, ["fetch", "ssh://nowhere.invalid/x"]),
	keys("core.gitProxy", { "core.gitProxy": "PROGRAM" }, ["fetch", "git://nowhere.invalid/x"]),
	keys("uploadpack of a remote", { "remote.evil.url": ".", "remote.evil.uploadpack": "PROGRAM" }, ["fetch", "evil"]),
	keys("receivepack of a remote", { "remote.evil.url": ".", "remote.evil.receivepack": "PROGRAM" }, [
		"push",
		"evil",
		"HEAD:refs/x/p",
	]),
	keys("ext remote", { "remote.evil.url": "ext::PROGRAM", "protocol.ext.allow": "always" }, ["fetch", "evil"]),
	keys("ext through insteadOf", { "url.ext::PROGRAM .insteadOf": "https://", "protocol.ext.allow": "always" }, [
		"fetch",
		"https://nowhere.invalid/x",
	]),
	keys("everything allowed", { "url.ext::PROGRAM .insteadOf": "https://", "protocol.allow": "always" }, [
		"fetch",
		"https://nowhere.invalid/x",
	]),
	keys("credential helper", { "credential.helper": "!PROGRAM" }, ["credential", "fill"], { input: needsPassword }),
	keys(
		"credential helper of an address",
		{ "credential.https://nowhere.invalid.helper": "!PROGRAM" },
		["credential", "fill"],
		{ input: needsPassword },
	),
	keys("core.askPass", { "core.askPass": "PROGRAM" }, ["credential", "fill"], { input: needsPassword }),
	keys("core.editor", { "core.editor": "PROGRAM" }, ["commit", "--allow-empty"]),
	keys("sequence.editor", { "sequence.editor": "PROGRAM" }, ["rebase", "--autostash", "-i", "HEAD~1"]),
	{
		name: "alternateRefsCommand",
		lay: ({ folder, config, program }) => {
			config("core.alternateRefsCommand", program);
			cpSync(path.join(folder, ".git"), `${folder}-alternate/.git`, { recursive: true });
			writeFileSync(path.join(folder, ".git", "objects", "info", "alternates"), `${folder}-alternate/.git/objects\n`);
		},
		trigger: ["fetch", "./inner", "main"],
	},
	keys("gpg.program", { "commit.gpgSign": "true", "gpg.program": "PROGRAM" }, ["commit", "-qam", "x"]),
	keys("key command", { "commit.gpgSign": "true", "gpg.format": "ssh", "gpg.ssh.defaultKeyCommand": "PROGRAM" }, [
		"commit",
		"-qam",
		"x",
	]),
	keys("trailer command", { "trailer.evil.command": "PROGRAM" }, ["commit", "-qam", "x", "--trailer", "evil=1"]),
	{
		name: "submodule update",
		lay: ({ folder, config, program }) => {
			config("submodule.inner.update", `!${program}`);
			config("submodule.inner.url", "./inner");
			plainGit(path.join(folder, "inner"), ["commit", "-q", "--allow-empty", "-m", "ahead"]);
		},
		trigger: ["submodule", "update", "inner"],
	},
	keys("archive command", { "tar.evil.command": "PROGRAM" }, ["archive", "--format=evil", "HEAD"]),
	{
		name: "included file",
		lay: ({ folder, config, program }) => {
			config("core.fsmonitor", program, path.join(folder, "more.config"));
			config("filter.trap.clean", program, path.join(folder, "more.config"));
			config("includeIf.onbranch:main.path", "../more.config");
		},
		trigger: ["add", "-A"],
	},
	{
		name: "config of a worktree",
		lay: ({ folder, config, program }) => {
			config("extensions.worktreeConfig", "true");
			config("filter.trap.clean", program, path.join(folder, ".git", "config.worktree"));
		},
		trigger: ["add", "-A"],
	},
	{
		name: "inner fsmonitor",
		lay: ({ folder, config, program }) =>
			config("core.fsmonitor", program, path.join(folder, "inner", ".git", "config")),
		trigger: ["status"],
	},
	{
		name: "inner filter",
		lay: ({ folder, config, program }) => {
			config("filter.trap.clean", program, path.join(folder, "inner", ".git", "config"));
			writeFileSync(path.join(folder, "inner", "in.trap"), "ni\n");
		},
		trigger: ["status"],
	},
	{
		name: "program on a relative path",
		lay: ({ folder, program }) => cpSync(program, path.join(folder, "ssh")),
		trigger: ["fetch", "ssh://nowhere.invalid/x"],
		environment: { PATH: `.:${process.env["PATH"] ?? ""}` },
	},
	{
		name: "variables of the daemon",
		lay: ({ folder, program }) => cpSync(program, path.join(folder, "..", "differ.sh")),
		trigger: ["diff"],
		environment: { GIT_EXTERNAL_DIFF: "../differ.sh" },
	},
];

/** Every verb that our code uses, and some that it may use one day. */
export const verbs: readonly { args: readonly string[]; input?: string }[] = [
	...[
		"status --porcelain=v2 -z --untracked-files=all",
		"diff",
		"diff --cached HEAD~1",
		"diff --stat main other",
		"diff-files -z --name-only",
		"diff-index HEAD",
	],
	...[
		"diff-tree -r -p main other",
		"show -p main",
		"log -p --all",
		"log --show-signature -1",
		"format-patch --stdout -1",
		"blame a.trap",
	],
	...[
		"ls-files -s -z",
		"ls-files -o --exclude-standard -z",
		"check-attr -a a.trap",
		"check-ignore a.trap",
		"hash-object -w a.trap",
		"update-index --refresh",
	],
	...[
		"add -A",
		"commit -qam x --no-verify",
		"commit -qm y --allow-empty",
		"commit --allow-empty",
		"commit --allow-empty -m x --trailer evil=1",
		"write-tree",
	],
	...[
		"worktree list --porcelain",
		"worktree add ../WORK other",
		"worktree add --no-checkout --detach ../BARE HEAD",
		"worktree add -b new ../NEW HEAD",
	],
	...[
		"update-ref refs/brood/x HEAD",
		"for-each-ref",
		"rev-parse HEAD",
		"rev-list --all",
		"merge-base main other",
		"merge-tree --write-tree main other",
	],
	...[
		"merge --no-edit other",
		"merge --abort",
		"rebase other",
		"rebase --abort",
		"rebase -i HEAD~1",
		"cherry-pick other",
		"cherry-pick --abort",
		"revert --no-edit HEAD",
	],
	...[
		"checkout other",
		"switch main",
		"checkout HEAD -- a.trap",
		"read-tree -u --reset HEAD",
		"checkout-index -a -f",
		"reset --hard",
		"clean -n",
		"stash",
		"archive HEAD",
	],
	...[
		"fetch evil",
		"fetch ssh://nowhere.invalid/x",
		"fetch git://nowhere.invalid/x",
		"fetch https://nowhere.invalid/x",
		"fetch ./inner main",
		"fetch . other",
	],
	...[
		"ls-remote evil",
		"push evil HEAD:refs/x/p",
		"push . HEAD:refs/x/q",
		"clone . ../CLONE",
		"submodule status",
		"submodule update inner",
		"archive --format=evil HEAD",
	],
	...["commit -qam after", "symbolic-ref HEAD", "branch --list", "status"],
]
	.map((line): { args: string[]; input?: string } => ({ args: line.split(" ") }))
	.concat([{ args: ["credential", "fill"], input: needsPassword }]);
