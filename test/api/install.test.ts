// A release as a user meets it: packed from the checkout, installed globally by npm, upgraded under a running daemon,
// and uninstalled.
import { execFile, execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, onTestFailed, test, vi } from "vitest";
import { version } from "#src/version.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";

const run = promisify(execFile);
const newer = "99.0.0";
const packages = freshFolder();
let [first, second] = ["", ""];

beforeAll(async () => {
	first = await pack(process.cwd());
	second = await pack(await withVersion(first, newer));
}, 120_000);

test("a packed checkout is the bundle: small, without sources, and without dependencies", async () => {
	const names = (await run("tar", ["-tzf", first])).stdout.split("\n");
	expect(statSync(first).size).toBeLessThan(2_000_000);
	expect(names).toEqual(expect.arrayContaining(["package/dist/brood.cjs", "package/dist/lib/daemon.mjs"]));
	expect(names.filter((name) => /^package\/(src|test|tools|bench|node_modules)\//.test(name))).toEqual([]);
	const { dependencies, optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
	expect({ dependencies, optionalDependencies }).toEqual({});
});

const nodes: [name: string, node: () => Promise<string>][] = [
	[`Node ${process.versions.node}`, async () => process.execPath],
	...(process.env["BROOD_TORTURE"] === undefined ? [] : [["Node 24", nodeOf("24")] satisfies (typeof nodes)[number]]),
];

test.each(nodes)(
	"on %s it installs, works, is upgraded without losing a turn, and leaves nothing",
	async (_, node) => {
		const repository = freshRepository();
		const user = await userWith(await node(), repository);
		onTestFailed(async () => void (await user.brood("down")));
		await user.install(first);
		expect((await user.brood("--version")).stdout).toBe(`${version}\n`);
		// nobody else can put code into the cache of compiled code, and one where somebody could is not used
		const cache = path.join(user.prefix, ".cache/brood");
		expect(statSync(cache).mode & 0o777).toBe(0o700);
		rmSync(cache, { recursive: true });
		mkdirSync(cache);
		chmodSync(cache, 0o777);
		await user.brood("--version");
		expect(readdirSync(cache)).toEqual([]);
		const old20 = path.join(user.prefix, "old.cjs");
		writeFileSync(old20, 'Object.defineProperty(process.versions, "node", { value: "20.1.0" });');
		const tooOld = user.brood("--version", { NODE_OPTIONS: `--require=${old20}` });
		await expect(tooOld).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("needs Node 24 or newer") });
		await user.brood("project", "add", repository, "--name", "app");
		await user.brood("agent", "add", "one", "--type", "scripted");
		expect((await user.brood("prompt", "one", "say it works", "--wait")).stdout).toBe("it works\n");
		await user.brood("prompt", "one", "write new.txt hello", "--wait");

		const gate = path.join(user.home, "gate");
		await run("mkfifo", [gate]);
		const late = `run cat ${gate}; node ${askTools(user.prefix)}`;
		const [old] = await user.json("prompt", "one", late).then(() => user.json("status"));
		await user.install(second);
		const busy = await user.brood("ps");
		expect(busy.stderr).toContain(`still brood ${version}: 1 turn is open`);
		expect((await user.json("status"))[0]).toMatchObject({ version, pid: old.pid });
		await writeFile(gate, "opened");
		await user.brood("wait", "one");
		// what the old daemon had not loaded yet is gone, and it says so
		const answers = (await user.json("log", "one"))[0].map(({ text }: { text: string | null }) => text);
		expect(answers.join("\n")).toContain("409 Brood was upgraded while this daemon was running");
		// the old daemon stops and starts the new one by itself, once no turn is open
		await vi.waitFor(() => expect(readFileSync(path.join(user.home, "daemon.json"), "utf8")).toContain(newer), 20_000);
		expect((await user.json("status"))[0]).toMatchObject({ version: newer });
		expect((await user.json("turn", "list", "one"))[0].map(({ state }: { state: string }) => state)).toEqual([
			"completed",
			"completed",
			"completed",
		]);

		const refs = (): string =>
			execFileSync("git", ["for-each-ref", "--format=%(refname)", "refs/brood"], { cwd: repository, encoding: "utf8" });
		const worktrees = (): string =>
			execFileSync("git", ["worktree", "list", "--porcelain"], { cwd: repository, encoding: "utf8" });
		expect(refs()).toContain("refs/brood/snapshots/");
		expect(worktrees()).toContain(user.home);
		// as the tip of an agent in a sandbox, with a commit that no branch has
		const plain = (...args: string[]): string =>
			execFileSync("git", args, { cwd: repository, encoding: "utf8" }).trim();
		const only = plain("commit-tree", "-m", "Only here", "-p", "HEAD", "HEAD^{tree}");
		const [{ id }] = (await user.json("agent", "list"))[0].filter(({ handle }: { handle: string }) => handle === "one");
		plain("update-ref", `refs/brood/work/${id}/brood%2Fboxed`, only);
		// an agent of another home that has the same repository, and what somebody else keeps in this one
		const foreign = "refs/brood/snapshots/AAAAAAAAAAAAAAAAAAAAAA/1";
		plain("update-ref", foreign, "HEAD");
		const precious = path.join(user.home, "precious");
		writeFileSync(precious, "not Brood's");
		await expect(user.brood("uninstall", "--all")).rejects.toMatchObject({ code: 2 });
		expect((await user.brood("uninstall", "--keep-data", "--yes")).stdout).toContain(`${user.home} stays`);
		await expect(user.brood("uninstall", "--all", "--yes")).rejects.toMatchObject({
			code: 1,
			stderr: expect.stringMatching(/^WORKTREE_DIRTY: .* nothing was removed: [\w-]+\/one \(1 file\)\.\n/),
		});
		expect(readdirSync(user.home)).toContain("brood.db");
		const { stdout } = await user.brood("uninstall", "--all", "--yes", "--discard");
		expect(stdout).toMatch(
			/removed .*, but for what is not Brood's: gate, precious\n.*removed \d+ refs? and 1 worktree; 1 ref of another home and all branches stay\n/,
		);
		expect({ home: readdirSync(user.home), refs: refs() }).toEqual({
			home: ["gate", "precious"],
			refs: `${foreign}\n`,
		});
		await expect(user.brood("up")).rejects.toMatchObject({
			stderr: expect.stringContaining("is not a home of Brood, and has other things in it (gate, precious)"),
		});
		expect(worktrees()).not.toContain(user.home);
		expect(execFileSync("git", ["branch"], { cwd: repository, encoding: "utf8" })).toContain("brood/one");
		expect(plain("rev-parse", "brood/boxed")).toBe(only);
		await user.npm("uninstall", "-g", "brood");
		expect(readdirSync(path.join(user.prefix, "bin"))).toEqual(["node"]);
	},
	90_000,
);

/** A program with which an agent asks for its tools over HTTP. */
function askTools(folder: string): string {
	const file = path.join(folder, "ask.mjs");
	writeFileSync(
		file,
		`const { BROOD_URL: url, BROOD_TOKEN: token } = process.env;
		const answer = await fetch(url + "/mcp", { headers: { authorization: "Bearer " + token } });
		console.log(answer.status, (await answer.json()).error.message);`,
	);
	return file;
}

async function pack(folder: string): Promise<string> {
	const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", packages], {
		cwd: folder,
		maxBuffer: 64 * 1024 * 1024,
	});
	const name = /"filename":\s*"([^"]+)"/.exec(stdout)?.[1] ?? "";
	return path.join(packages, name);
}

/** The same release under another version, and with other names for its chunks, as every change gives them. */
async function withVersion(file: string, other: string): Promise<string> {
	const folder = freshFolder();
	await run("tar", ["-xzf", file, "-C", folder]);
	const root = path.join(folder, "package");
	const programs = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => /\.[cm]js$/.test(name));
	const chunks = programs.map((name) => path.basename(name)).filter((name) => /-[\w-]{8}\.[cm]js$/.test(name));
	const renamed = (text: string): string =>
		chunks.reduce((said, name) => said.replaceAll(name, name.replace(/(?=\.[cm]js$)/, "x")), text);
	expect(chunks.length).toBeGreaterThan(20);
	for (const name of programs) {
		const at = path.join(root, name);
		const code = renamed(readFileSync(at, "utf8").replaceAll(version, other));
		rmSync(at);
		writeFileSync(path.join(root, renamed(name)), code, { mode: 0o755 });
	}
	const json = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
	writeFileSync(path.join(root, "package.json"), JSON.stringify({ ...json, version: other, scripts: {} }));
	return root;
}

/** The program of another Node, from the registry. */
function nodeOf(major: string): () => Promise<string> {
	return async () => {
		const folder = freshFolder();
		const name = `node-${process.platform}-${process.arch}`;
		await run("npm", ["install", "--prefix", folder, `${name}@${major}`]);
		return path.join(folder, "node_modules", name, "bin/node");
	};
}

async function userWith(node: string, cwd: string) {
	const [prefix, home] = [freshFolder(), path.join(freshFolder(), "home")];
	mkdirSync(path.join(prefix, "bin"));
	symlinkSync(node, path.join(prefix, "bin/node"));
	const env = {
		PATH: `${path.join(prefix, "bin")}:${process.env["PATH"]}`,
		HOME: prefix,
		BROOD_HOME: home,
		BROOD_PORT: "0",
	};
	const npm = async (...args: string[]) =>
		await run("npm", [...args, "--prefix", prefix, "--offline"], { env: { ...process.env, ...env } });
	const brood = async (...args: (string | Record<string, string>)[]) => {
		const words = args.filter((each) => typeof each === "string");
		const more = args.filter((each) => typeof each !== "string");
		return await run(path.join(prefix, "bin/brood"), words, { env: Object.assign({}, env, ...more), cwd });
	};
	return {
		prefix,
		home,
		npm,
		brood,
		install: async (file: string) => await npm("install", "-g", file),
		json: async (...words: string[]) => {
			const { stdout } = await brood(...words, "--json");
			return [JSON.parse(stdout).data];
		},
	};
}
