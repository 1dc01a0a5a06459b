// A repository that configures programs in every known way: none runs under any verb. The control is plain git, where
// each one does.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Git, GitFailed, makeGit } from "#adapters/git/run/git.ts";
import { neutralFor } from "#adapters/git/run/neutral.ts";
import { layTrap, makeVictim, plainGit, type Trap, traps, verbs } from "#test/support/hostile.ts";

const base = mkdtempSync(path.join(os.tmpdir(), "brood-hostile-"));
const victim = path.join(base, "victim");
const home = path.join(base, "home");
let count = 0;

beforeAll(() => {
	makeVictim(victim);
	mkdirSync(home);
	writeFileSync(path.join(home, ".gitconfig"), "[user]\n\tname = u\n\temail = u@v\n[advice]\n\tdetachedHead = false\n");
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const fresh = (): string => path.join(base, `${++count}`, "repository");
const ours = (environment: Record<string, string> = {}): Git =>
	makeGit({ environment: { ...process.env, HOME: home, ...environment } });

async function everyVerb(git: Git, folder: string): Promise<string[]> {
	const done: string[] = [];
	for (const { args, input } of verbs) {
		const places = args.map((arg) => arg.replace(/^\.\.\/([A-Z]+)$/, `../$1-${count}`));
		const ended = await git(folder, places, { timeoutMs: 20_000, ...(input === undefined ? {} : { input }) }).catch(
			(error: unknown) => error,
		);
		if (!(ended instanceof GitFailed)) done.push(args.join(" "));
	}
	return done;
}

describe.each(traps)("$name", (trap: Trap) => {
	test("goes off in plain git and never in ours", async () => {
		const open = fresh();
		const control = layTrap(victim, open, [trap]);
		plainGit(open, trap.trigger, {
			...(trap.input === undefined ? {} : { input: trap.input }),
			...(trap.environment ? { environment: trap.environment } : {}),
		});
		expect(control.fired()).toHaveLength(1);

		const guarded = fresh();
		const trapped = layTrap(victim, guarded, [trap]);
		await ours(trap.environment)(guarded, trap.trigger, {
			timeoutMs: 20_000,
			...(trap.input === undefined ? {} : { input: trap.input }),
		}).catch(() => {});
		expect(trapped.fired()).toEqual([]);
	});
});

/** With these, the verbs that would meet them are refused, and so are kept from meeting others. */
const refused = ["uploadpack of a remote", "receivepack of a remote", "trailer command"];
const environment = { GIT_EXTERNAL_DIFF: "../differ.sh", PATH: `.:${process.env["PATH"] ?? ""}` };

test.each([
	{ title: "all traps", laid: traps, doneMin: 40 },
	{
		title: "all traps that no verb is refused for",
		laid: traps.filter(({ name }) => !refused.includes(name)),
		doneMin: 50,
	},
])("$title at once under every verb", { timeout: 60_000 }, async ({ laid, doneMin }) => {
	const folder = fresh();
	const trapped = layTrap(victim, folder, laid);
	const done = await everyVerb(ours(environment), folder);
	expect(trapped.fired()).toEqual([]);
	// it did not get there by failing
	expect(done.length).toBeGreaterThan(doneMin);
});

test("the same in plain git sets most of them off", { timeout: 60_000 }, () => {
	const folder = fresh();
	const open = layTrap(victim, folder, traps);
	for (const { args, input } of verbs)
		plainGit(folder, args, { environment, ...(input === undefined ? {} : { input }) });
	expect(open.fired().length).toBeGreaterThan(12);
});

test.each(["add -A", "merge --no-edit other", "stash", "rm inner", "add inner"])(
	"git %s does not run what a repository inside brings",
	async (line) => {
		const inner = traps.filter(({ name }) => name.startsWith("inner"));
		const [open, guarded] = [fresh(), fresh()];
		const control = layTrap(victim, open, inner);
		plainGit(open, line.split(" "));
		const trapped = layTrap(victim, guarded, inner);
		await ours()(guarded, line.split(" ")).catch(() => {});
		expect({ plain: control.fired(), ours: trapped.fired() }).toEqual({
			plain: ["inner-filter", "inner-fsmonitor"],
			ours: [],
		});
	},
);

test("what the user configured for everything keeps working", async () => {
	const folder = fresh();
	const own = path.join(base, "filters");
	mkdirSync(own);
	const script = path.join(own, "up.sh");
	writeFileSync(script, "#!/bin/sh\ntr a-z A-Z\n", { mode: 0o755 });
	writeFileSync(
		path.join(own, ".gitconfig"),
		`[user]\n\tname = Own Name\n\temail = own@name\n[filter "trap"]\n\tclean = ${script}\n\tsmudge = tr A-Z a-z\n\trequired = true\n[include]\n\tpath = more\n`,
	);
	writeFileSync(path.join(own, "more"), '[credential]\n\thelper = "!echo password=from-the-user; :"\n');
	const sneaky: Trap = {
		name: "the same name as a filter of the user",
		lay: ({ config, program }) => {
			config("filter.trap.clean", program);
			config("filter.trap.required", "false");
			config("credential.helper", `!${program}`);
		},
		trigger: [],
	};
	const trapped = layTrap(victim, folder, [sneaky]);
	const git = makeGit({ environment: { ...process.env, HOME: own } });
	await git(folder, ["add", "a.trap"]);
	await git(folder, ["commit", "-qm", "filtered"]);
	const away = path.join(base, "away-filtered");
	await git(folder, ["worktree", "add", "-q", "--detach", away, "HEAD"]);
	expect({
		stored: (await git(folder, ["cat-file", "blob", "HEAD:a.trap"])).text,
		checkedOut: readFileSync(path.join(away, "a.trap"), "utf8"),
		author: (await git(folder, ["log", "-1", "--format=%an <%ae>"])).text,
		password: /password=.*/.exec(
			(await git(folder, ["credential", "fill"], { input: "protocol=https\nhost=a.invalid\nusername=x\n\n" })).text,
		)?.[0],
		fired: trapped.fired(),
	}).toEqual({
		stored: "ONE\nCHANGED\nTHREE",
		checkedOut: "one\nchanged\nthree\n",
		author: "Own Name <own@name>",
		password: "password=from-the-user",
		fired: [],
	});
});

test("a merge driver of the repository is replaced by git's own merge", async () => {
	const folder = fresh();
	const trap = traps.find(({ name }) => name === "merge driver");
	layTrap(victim, folder, trap === undefined ? [] : [trap]);
	const git = ours();
	await git(folder, ["checkout", "-q", "--", "a.trap"]);
	await git(folder, ["merge", "--no-edit", "other"], { answers: [1] });
	expect(readFileSync(path.join(folder, "a.trap"), "utf8")).toMatch(
		/^one\n<{7} .*\nmain\n={7}\nother\n>{7} .*\nthree\n$/,
	);
});

test("a working tree that is somewhere else, and programs for trailers, are refused", async () => {
	const folder = fresh();
	const elsewhere = path.join(base, "elsewhere");
	mkdirSync(elsewhere);
	const lay: Trap["lay"] = ({ config }) => {
		config("core.worktree", elsewhere);
		config("trailer.x.cmd", "true");
	};
	layTrap(victim, folder, [{ name: "elsewhere", lay, trigger: [] }]);
	await expect(ours()(folder, ["status"])).rejects.toThrow(/working tree is .*elsewhere/);
	expect(plainGit(folder, ["rev-parse", "--show-toplevel"]).trim()).toBe(elsewhere);
	plainGit(folder, ["config", "--unset", "core.worktree"]);
	await expect(ours()(folder, ["commit", "--allow-empty", "-m", "x", "--trailer", "x: y"])).rejects.toThrow(/trailers/);
});

test.each(["http.sslCAInfo", "http.https://127.0.0.1:1/.sslCAPath", "http.proxySSLCAInfo", "http.sslCipherList"])(
	"a repository that chooses by %s which servers are believed is not fetched from or pushed to, unless the user set the same",
	async (key) => {
		const folder = fresh();
		layTrap(victim, folder, [{ name: key, lay: ({ config }) => config(key, "/dev/null"), trigger: [] }]);
		const own = path.join(base, `authority-${count}`);
		mkdirSync(own);
		const said = async (git: Git, verb: string): Promise<string> =>
			String(await git(folder, [verb, "https://127.0.0.1:1/x.git"]).catch((error: unknown) => error));
		for (const verb of ["fetch", "push", "ls-remote"])
			expect(await said(ours({ HOME: own }), verb)).toMatch(/own configuration sets http\..*git config --global/);
		// nothing listens there: a connection is refused
		plainGit(folder, ["config", "--file", path.join(own, ".gitconfig"), key, ""]);
		expect(await said(ours({ HOME: own }), "ls-remote")).toMatch(/127\.0\.0\.1:1/);
		expect(await said(ours({ HOME: own }), "ls-remote")).not.toMatch(/own configuration/);
	},
);

test("git never searches the parents of the given folder for a repository", async () => {
	const folder = fresh();
	layTrap(victim, folder, []);
	const inside = path.join(folder, "deeper");
	mkdirSync(inside);
	await expect(ours()(inside, ["status"])).rejects.toThrow(/not a git repository/);
	expect(plainGit(inside, ["rev-parse", "--show-toplevel"]).trim()).toBe(folder);
});

test("a file of configuration that changes is read again", async () => {
	const folder = fresh();
	const trapped = layTrap(victim, folder, []);
	const git = ours();
	await git(folder, ["status"]);
	for (const trap of traps.filter(({ name }) => name === "filter clean")) {
		trap.lay({
			folder,
			canary: "",
			program: `touch ${folder}-canaries/late`,
			config: (key, value) => void plainGit(folder, ["config", key, value]),
		});
	}
	await git(folder, ["add", "-A"]);
	expect({ fired: trapped.fired(), late: existsSync(`${folder}-canaries/late`) }).toEqual({ fired: [], late: false });
});

test("keys of git-lfs that name programs are known, harmless ones are left alone", () => {
	expect(["lfs.customtransfer.x.path", "lfs.extension.x.clean", "hook.x.command"].map(neutralFor)).toEqual([
		"false",
		"false",
		"true",
	]);
	expect(
		["core.autocrlf", "remote.origin.url", "branch.main.merge", "user.name", "filter.x.other"].map(neutralFor),
	).toEqual([null, null, null, null, null]);
});
