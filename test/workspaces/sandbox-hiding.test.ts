// What is hidden in a sandbox stays hidden: whatever a repository says, whatever runs there, and whatever its owner
// does with it meanwhile.
import { once } from "node:events";
import {
	chmodSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { vendorHomes } from "#adapters/driver/vendor-mounts.ts";
import { startContained } from "#adapters/system/contained-process.ts";
import { sandboxEnvironment } from "#adapters/system/containment.ts";
import type { Checkout } from "#engine/ports/workspace-requests.ts";
import { at } from "#test/support/in-workspace.ts";
import { makeWorld } from "#test/support/make-world.ts";
import { hasSandboxes } from "#test/support/processes.ts";
import { inside, mountsFor, runInSandbox } from "#test/support/sandbox.ts";
import { TestDaemon } from "#test/support/test-daemon.ts";
import { agreed, identity, type World, write } from "#test/support/world.ts";

const below = path.join(os.homedir(), ".brood-test-");
const makeSandboxed = (options: Parameters<typeof makeWorld>[0] = {}): World => {
	const world = makeWorld({ containment: "bubblewrap", below, ...options });
	world.configure("sandbox: on\n");
	return world;
};
const alternates = (world: World): string => path.join(world.repository, ".git/objects/info/alternates");

describe.runIf(hasSandboxes)("a repository that says where its objects are", () => {
	test.each([
		[".ssh", "a folder of keys", /\.ssh, which is not a store of git objects/],
		["home", "Brood's home", /home, which is not a store of git objects/],
		["", "the user's home", /which is not a store of git objects/],
		[".ssh/store", "what looks like a store and is hidden", /\.ssh\/store, which is hidden in a sandbox/],
		["link", "a link to that", /\.ssh\/store, which is hidden in a sandbox/],
		["home/x.git/objects", "a repository in Brood's home", /which is hidden in a sandbox/],
	])("does not open %j (%s)", async (name, _, why) => {
		const world = makeSandboxed();
		const checkout = await world.agent("a");
		write(world.root, ".ssh/id_rsa", "key");
		for (const folder of [".ssh/store/pack", "home/x.git/objects", "home/x.git/refs"])
			mkdirSync(path.join(world.root, folder), { recursive: true });
		write(world.root, "home/x.git/HEAD", "ref: refs/heads/main\n");
		symlinkSync(path.join(world.root, ".ssh/store"), path.join(world.root, "link"));
		expect(await world.workspaces.problem(world.project)).toBe(null);
		writeFileSync(alternates(world), `# a comment\n${path.join("../../..", name)}\n`);
		expect(await world.workspaces.problem(world.project)).toMatchObject({
			code: "SANDBOX_IMPOSSIBLE",
			text: expect.stringMatching(why),
		});
		expect(await world.workspaces.mounts(world.project, checkout.workspace.path, checkout.workspace)).toMatchObject({
			code: "CONFLICT",
			message: expect.stringMatching(why),
		});
		expect(await world.workspaces.commit(checkout, { message: "m" })).toMatchObject({
			message: expect.stringMatching(why),
		});
		// without a sandbox nothing is hidden, so that the project has no problem
		world.configure("sandbox: off\n");
		expect(await world.workspaces.problem(world.project)).toBe(null);
	});

	test("does not open them as its own git folder either", async () => {
		const world = makeSandboxed();
		const checkout = await world.agent("a");
		renameSync(path.join(world.repository, ".git"), path.join(world.root, "home/real.git"));
		for (const put of [
			() => writeFileSync(path.join(world.repository, ".git"), `gitdir: ${world.root}/home/real.git\n`),
			() => symlinkSync(path.join(world.root, "home/real.git"), path.join(world.repository, ".git")),
		]) {
			rmSync(path.join(world.repository, ".git"), { force: true });
			put();
			const mounts = await world.workspaces.mounts(world.project, checkout.workspace.path, checkout.workspace);
			expect(mounts).toMatchObject({
				code: "CONFLICT",
				message: expect.stringMatching(/real\.git, which is hidden in a sandbox/),
			});
		}
	});

	test("borrows from real stores, also through others", async () => {
		const world = makeSandboxed();
		world.git(world.root, "clone", "-q", "--shared", "repository", "second");
		world.git(world.root, "clone", "-q", "--shared", "second", "third");
		world.commit(path.join(world.root, "third"), { "third.txt": "3\n" });
		const project = { ...world.project, path: path.join(world.root, "third") };
		const { workspace } = agreed(await world.workspaces.provision({ project, agent: identity("a"), kind: "worktree" }));
		expect(await world.workspaces.problem(project)).toBe(null);
		expect(await inside(world, { project, workspace, agent: identity("a") }, "git log --format=%s")).toBe(
			"change\nfirst\nexit 0\n",
		);
	});

	test("has no say in the mounts themselves", () => {
		const root = mkdtempSync(below);
		onTestFinished(() => rmSync(root, { recursive: true, force: true }));
		write(root, "keys/inner/key", "secret");
		mkdirSync(path.join(root, "tree"));
		const mounts = { hidden: [path.join(root, "keys")], readable: [], writable: [path.join(root, "tree")], fixed: [] };
		const said = (more: object): string =>
			runInSandbox({ ...mounts, ...more }, path.join(root, "tree"), `cat ${root}/keys/inner/key`, {});
		for (const place of ["", "keys", "keys/inner"])
			expect(said({ alternates: [path.join(root, place)] })).toMatch(/exit 1\n$/);
		// the control: what we name ourselves is seen, and what is hidden in it is not
		expect(said({ readable: [path.join(root, "keys/inner")] })).toBe("secretexit 0\n");
		expect(said({ readable: [root] })).toMatch(/exit 1\n$/);
	});
});

describe.runIf(hasSandboxes)("what a sandbox hides", () => {
	test("is hidden from the project's commands too, the files of subscriptions above all", async () => {
		const home = mkdtempSync(below);
		onTestFinished(() => rmSync(home, { recursive: true, force: true }));
		const file = path.join(home, "keys/claude.env");
		write(home, "keys/claude.env", "ANTHROPIC_API_KEY=key\n");
		write(home, "keys/plain.txt", "plain\n");
		chmodSync(file, 0o600);
		await using shop = await TestDaemon.open();
		await shop.client.call("subscriptionAdd", {
			body: { name: "rich", type: "claude", credential: { envFile: file } },
		});
		const { slug, add } = await shop.project({ "a.txt": "one\n" });
		mkdirSync(path.join(shop.home, "projects", slug), { recursive: true });
		writeFileSync(
			path.join(shop.home, "projects", slug, "config.yaml"),
			`sandbox: on\nsetup: cat ${path.dirname(file)}/* > seen.txt 2>&1 || true\n`,
		);
		// the control is beside it in the same folder
		expect(readFileSync(at(await add(), "seen.txt"), "utf8")).toBe("plain\n");
	});

	test("is all vendors' homes, for whatever runs inside", async () => {
		const root: { HOME?: string } = {};
		const world = makeSandboxed({ hides: async () => vendorHomes(root) });
		root.HOME = world.root;
		const checkout = await world.agent("a");
		for (const name of [
			".claude/.credentials.json",
			".codex/auth.json",
			".gemini/oauth_creds.json",
			".local/share/opencode/auth.json",
			".claude.json",
		]) {
			write(world.root, name, "login");
			expect(await inside(world, checkout, `cat ~/${name}`)).toMatch(/No such file or directory\nexit 1\n$/);
		}
	});

	test("stays hidden when its owner replaces it, or makes it only now", async () => {
		const world = makeSandboxed();
		const checkout = await world.agent("a");
		const private_ = [
			".git-credentials",
			".bash_history",
			".config/gh/hosts.yml",
			".cargo/credentials.toml",
			".netrc",
			".gnupg/key",
			".config/gcloud/token",
		];
		for (const name of private_.slice(0, 4)) write(world.root, name, "old secret");
		write(world.root, "open/file.txt", "old");
		const look = `cat ~/open/file.txt ${private_.map((name) => `~/${name}`).join(" ")} 2>/dev/null; echo .`;
		const mounts = await mountsFor(world, checkout);
		const script = `${look}; touch looked; until test -e go; do sleep 0.05; done; ${look}`;
		const { child, output } = startContained({
			...{ containment: "bubblewrap", mounts, folder: checkout.workspace.path },
			...{ command: "/bin/sh", args: ["-c", script] },
			environment: sandboxEnvironment({ PATH: process.env["PATH"] ?? "", HOME: world.root }, mounts),
		});
		const heard = text(output);
		await expect.poll(() => inWorkspace(checkout, "looked"), { timeout: 30_000 }).toBe("");
		for (const name of private_) {
			write(world.root, `${name}.lock`, "new secret");
			renameSync(path.join(world.root, `${name}.lock`), path.join(world.root, name));
		}
		rmSync(path.join(world.root, ".config/gh"), { recursive: true });
		write(world.root, ".config/gh/hosts.yml", "newer secret");
		writeFileSync(path.join(world.root, "open/file.txt"), "new");
		write(checkout.workspace.path, "go", "");
		await once(child, "close");
		// the control is what is not hidden
		expect(await heard).toBe("old.\nnew.\n");
	});

	test("leaves what agents build with: toolchains, settings, links; none of it can be written", async () => {
		const world = makeSandboxed();
		const checkout = await world.agent("a");
		const tools = [
			".cargo/bin/cargo",
			".local/bin/tool",
			".nvm/versions/node/bin/node",
			"go/bin/gopls",
			".local/share/pnpm/pnpm",
			".config/tool/run",
		];
		for (const name of tools) {
			write(world.root, name, `#!/bin/sh\necho ${path.basename(name)}\n`);
			chmodSync(path.join(world.root, name), 0o755);
		}
		write(world.root, ".m2/repository/a.jar", "jar");
		write(world.root, ".m2/settings.xml", "password");
		symlinkSync(".local/bin/tool", path.join(world.root, "tool"));
		// people link a history to where it is lost
		symlinkSync("/dev/null", path.join(world.root, ".history"));
		expect(
			await inside(
				world,
				checkout,
				`${[...tools, "tool"].map((name) => `~/${name}`).join("; ")}; cat ~/.m2/repository/a.jar; ls ~/.m2; echo x > /dev/null`,
			),
		).toBe("cargo\ntool\nnode\ngopls\npnpm\nrun\ntool\njarrepository\nexit 0\n");
		expect(await inside(world, checkout, "git config --global user.name")).toBe("person\nexit 0\n");
		for (const name of ["new", ".cargo/new", ".cargo/bin/new", ".config/gh", ".ssh/key", ".bashrc"])
			expect(await inside(world, checkout, `mkdir -p ~/${name}`)).toMatch(/Read-only file system\nexit 1\n$/);
	});

	test("is the sockets in the home on which somebody listens", async () => {
		const world = makeSandboxed();
		const checkout = await world.agent("a");
		mkdirSync(path.join(world.root, "service/inner"), { recursive: true });
		const socket = path.join(world.root, "service/inner/s");
		const server = net.createServer((connection) => connection.end("hello from outside"));
		onTestFinished(() => void server.close());
		await once(server.listen(socket), "listening");
		const mounts = await mountsFor(world, checkout);
		const script = `require("node:net").connect("${socket}").on("error", (error) => console.log(error.code)).on("connect", () => process.exit(console.log("connected")))`;
		const connect = (): string =>
			runInSandbox(
				{ ...mounts, readable: [...mounts.readable, path.dirname(process.execPath)] },
				checkout.workspace.path,
				`'${process.execPath}' -e '${script}'`,
				{},
			);
		expect(connect()).toBe("ENOENT\nexit 0\n");
		const outside = net.connect(socket);
		expect(await text(outside)).toBe("hello from outside");
	});
});

function inWorkspace(checkout: Checkout, name: string): string | null {
	try {
		return readFileSync(path.join(checkout.workspace.path, name), "utf8");
	} catch {
		return null;
	}
}
