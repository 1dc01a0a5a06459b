// The ways in which an agent once left its sandbox: all of them through git folders that it wrote and that git, the
// daemon's or a person's, read outside. Each is tried twice: as it worked, in a worktree of the repository whose git
// folder the agent can write (the control, which has to succeed), and in a workspace of today, with everything that the
// daemon does there afterwards.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { makeWorld } from "#test/support/make-world.ts";
import { hasSandboxes } from "#test/support/processes.ts";
import { inside, runInSandbox } from "#test/support/sandbox.ts";
import { freshFolder } from "#test/support/stores.ts";
import { identity, type World, write } from "#test/support/world.ts";

/** What an agent wants: to change a file outside, to read one, or to run something. */
interface Prey {
	victim: string;
	secret: string;
	/** a program that leaves this file when it runs outside */
	trap: string;
	proof: string;
}

interface Way {
	/** run by the agent in its tree; `$git` is its git folder, `$project` the project's */
	plant: string;
	/** what happened outside afterwards; answers whether the agent got what it wanted */
	before(place: { world: World; tree: string; git: string; project: string; prey: Prey }): boolean | Promise<boolean>;
}

/** how long a git that hangs is waited for; any other may take its time on a busy machine */
const hangMs = 5000;
const plainGit = (world: World, folder: string, ...args: string[]) => gitWithin(60_000, world, folder, ...args);
const gitWithin = (timeout: number, world: World, folder: string, ...args: string[]) =>
	spawnSync("git", args, {
		cwd: folder,
		env: { PATH: process.env["PATH"] ?? "", HOME: world.root, GIT_CONFIG_NOSYSTEM: "1" },
		encoding: "utf8",
		timeout,
	});
const changed = ({ victim }: Prey): boolean => readFileSync(victim, "utf8") !== "";

const ways: Readonly<Record<string, Way>> = {
	"a link at COMMIT_EDITMSG": {
		plant: 'rm -f "$git/COMMIT_EDITMSG"; ln -s "$victim" "$git/COMMIT_EDITMSG"',
		before: ({ world, tree, prey }) => {
			write(tree, "n.txt", "n\n");
			plainGit(world, tree, "add", "n.txt");
			plainGit(world, tree, "commit", "-qm", "message");
			return changed(prey);
		},
	},
	"a link at logs/HEAD": {
		plant: 'mkdir -p "$git/logs"; rm -f "$git/logs/HEAD"; ln -s "$victim" "$git/logs/HEAD"',
		before: ({ world, tree, prey }) => {
			plainGit(world, tree, "commit", "-q", "--allow-empty", "-m", "message");
			return changed(prey);
		},
	},
	"a link at MERGE_RR": {
		plant: 'rm -f "$git/MERGE_RR"; ln -s "$victim" "$git/MERGE_RR"',
		before: ({ world, tree, prey }) => {
			plainGit(world, tree, "-c", "rerere.enabled=true", "merge", "-q", "other");
			return changed(prey);
		},
	},
	"a link at ORIG_HEAD": {
		plant: 'rm -f "$git/ORIG_HEAD"; ln -s "$secret" "$git/ORIG_HEAD"',
		// what an operation left was read like this, and went into a snapshot that the agent can read
		before: async ({ git }) => (await readFile(path.join(git, "ORIG_HEAD"), "utf8")) === "secret",
	},
	"another commondir": {
		plant:
			'cp -r "$project" /tmp/fake; mv /tmp/fake "$git/fake"; printf "[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = %s\\n" "$trap" > "$git/fake/config"; echo "$git/fake" > "$git/commondir"',
		before: ({ world, tree, prey }) => {
			plainGit(world, tree, "status");
			return existsSync(prey.proof);
		},
	},
	"an include.path in the configuration": {
		plant:
			'printf "[core]\\n\\tfsmonitor = %s\\n" "$trap" > evil.config; printf "[include]\\n\\tpath = %s\\n" "$PWD/evil.config" >> "$config"',
		before: ({ world, tree, prey }) => {
			plainGit(world, tree, "status");
			return existsSync(prey.proof);
		},
	},
	"a loose object that is another": {
		plant:
			'object=$(find "$project/objects" -type f -path "*/??/*" | head -1); chmod u+w "$object" "$(dirname "$object")"; printf garbage > "$object"',
		before: ({ world }) => plainGit(world, world.repository, "fsck").status !== 0,
	},
	"the store of objects, deleted": {
		plant: 'rm -rf "$project/objects"/??',
		before: ({ world }) => plainGit(world, world.repository, "fsck").status !== 0,
	},
	"a pipe as commondir": {
		plant: 'rm -f "$git/commondir"; mkfifo "$git/commondir"',
		before: ({ world, tree }) => gitWithin(hangMs, world, tree, "status").error !== undefined,
	},
};

function preyIn(folder: string): Prey {
	const prey = {
		victim: path.join(folder, "victim"),
		secret: path.join(folder, "secret"),
		trap: path.join(folder, "trap.sh"),
		proof: path.join(folder, "proof"),
	};
	// what git would read there first must not be anything that it minds
	writeFileSync(prey.victim, "");
	writeFileSync(prey.secret, "secret");
	writeFileSync(prey.trap, `#!/bin/sh\ntouch '${prey.proof}'\n`);
	chmodSync(prey.trap, 0o755);
	return prey;
}

const script = (plant: string, names: Readonly<Record<string, string>>): string =>
	`${Object.entries(names)
		.map(([name, value]) => `${name}='${value}'`)
		.join("; ")}; ${plant}`;

/** What would keep the others from being tried is tried by itself. */
const together: readonly (readonly string[])[] = [
	Object.keys(ways).filter((name) => !name.includes("commondir")),
	...Object.keys(ways)
		.filter((name) => name.includes("commondir"))
		.map((name) => [name]),
];

describe.runIf(hasSandboxes)("a way out of the sandbox", () => {
	test.each(Object.entries(ways))(
		"was open where an agent could write the project's git folder: %s",
		async (_, { plant, before }) => {
			const world = makeWorld();
			const prey = preyIn(freshFolder());
			world.git(world.repository, "branch", "other");
			const tree = path.join(world.root, "tree");
			world.git(world.repository, "worktree", "add", "-q", "-b", "mine", tree);
			world.commit(tree, { "a.txt": "mine\n" });
			world.git(world.repository, "checkout", "-q", "other");
			world.commit(world.repository, { "a.txt": "theirs\n" });
			const [git, project] = [world.git(tree, "rev-parse", "--absolute-git-dir"), path.join(world.repository, ".git")];
			// the mounts of an earlier version: its own tree, its git folder, and the repository's
			const mounts = { hidden: [], readable: [path.dirname(prey.victim)], writable: [tree, project], fixed: [] };
			const said = runInSandbox(
				mounts,
				tree,
				script(plant, { ...prey, git, project, config: path.join(project, "config") }),
				{ HOME: world.root },
			);
			expect(said).toBe("exit 0\n");
			expect(await before({ world, tree, git, project, prey })).toBe(true);
		},
	);

	test("is tried, each of the nine", () => {
		expect([together.flat().sort(), together.flat().length]).toEqual([Object.keys(ways).sort(), 9]);
	});

	// git waits up to ten seconds for a commondir that cannot be read, since another git may be writing it
	test.each(together)("is closed: %s", { timeout: 120_000 }, async (...names) => {
		const world = makeWorld({ containment: "bubblewrap" });
		world.configure("sandbox: on\n");
		const checkout = await world.agent("a");
		await inside(world, checkout, "echo mine > a.txt; git commit -qam mine");
		world.commit(world.repository, { "a.txt": "theirs\n" });
		const tree = checkout.workspace.path;
		const [git, project] = [path.join(tree, ".git"), path.join(world.repository, ".git")];
		const objects = (): string =>
			execFileSync("sh", ["-c", "find . -type f | sort | xargs sha256sum"], {
				cwd: path.join(project, "objects"),
				encoding: "utf8",
			});
		const [store, config] = [objects(), readFileSync(path.join(project, "config"), "utf8")];
		const preys = names.map(() => preyIn(freshFolder()));
		const plants = names.map(
			(name, at) =>
				`(${script(ways[name]?.plant ?? "exit 1", { ...preys[at], git, project, config: path.join(git, "config") })})`,
		);
		await inside(world, checkout, plants.join("; "));
		expect([objects(), readFileSync(path.join(project, "config"), "utf8")]).toEqual([store, config]);
		await everything(world, checkout);
		// what a person's own git finds in the tree is nothing
		plainGit(world, tree, "status");
		for (const prey of preys)
			expect([readFileSync(prey.victim, "utf8"), existsSync(prey.proof), readdirSync(git)]).toEqual(["", false, []]);
		expect(plainGit(world, world.repository, "fsck", "--strict").status).toBe(0);
		expect(plainGit(world, world.repository, "log", "--all", "-p", "--", "operation").stdout).not.toContain("secret");
	});
});

/** What the daemon does in a workspace; whatever it thinks of it is not the question here. */
async function everything(world: World, checkout: Checkout): Promise<void> {
	const { workspaces } = world;
	await workspaces.health(checkout);
	await workspaces.takeSnapshot(checkout, { reason: "end of turn" }).catch(() => null);
	await workspaces.commit(checkout, { message: "work" }).catch(() => null);
	await workspaces.sync(checkout, "merge").catch(() => null);
	await workspaces
		.provisionFrom({ project: world.project, agent: identity("child"), kind: "worktree", parent: checkout })
		.catch(() => null);
	await workspaces.recover(checkout).catch(() => null);
	await workspaces.remove(checkout, { force: true }).catch(() => null);
	mkdirSync(path.join(checkout.workspace.path, ".git"), { recursive: true });
}
