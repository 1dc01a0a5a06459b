// `sandbox: on`: what an agent, and what a project's own commands, cannot see, change or leave running.
import { spawn } from "node:child_process";
import {
	closeSync,
	constants,
	existsSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Agent } from "#contract/wire.ts";
import { at } from "#test/support/in-workspace.ts";
import { makeWorld } from "#test/support/make-world.ts";
import { available, configure, hasSandboxes } from "#test/support/processes.ts";
import { testProgram } from "#test/support/programs.ts";
import { freshFolder } from "#test/support/stores.ts";
import { git, longTimeout, params, TestDaemon } from "#test/support/test-daemon.ts";
import { agreed, identity } from "#test/support/world.ts";
import { verbThatEndsHolds } from "#views/agent-actions.ts";

/** Processes of the whole machine with these words in their command line. */
const running = (words: string): number =>
	readdirSync("/proc").filter((name) => {
		try {
			return (
				/^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ").includes(words)
			);
		} catch {
			return false;
		}
	}).length;

let serial = process.pid * 1000;
/** an unusual duration of `sleep`, to recognize the process by */
const unique = (): string => String(++serial);

describe.runIf(hasSandboxes)("an agent in a sandbox", () => {
	let shop: TestDaemon;
	let outside: string;
	beforeAll(async () => {
		shop = await TestDaemon.open();
		outside = freshFolder();
	});
	afterAll(async () => await shop[Symbol.asyncDispose]());

	const sandboxed = async (request: object = {}): Promise<{ agent: Agent; repository: string; slug: string }> => {
		const { slug, repository, add } = await shop.project({ "a.txt": "one\n" });
		mkdirSync(path.join(shop.home, "projects", slug), { recursive: true });
		writeFileSync(path.join(shop.home, "projects", slug, "config.yaml"), "sandbox: on\n");
		return { agent: await add(request), repository, slug };
	};
	/** What a command says inside, and how it ended. */
	const inside = async (agent: Agent, command: string): Promise<string> => {
		await shop.turn(agent, `run (${command}) 2>&1; echo "exit $?"`);
		const results = (await shop.items(agent)).filter((item) => item.kind === "tool_result");
		return results.at(-1)?.text ?? "";
	};

	test("whose files nobody can finish reading keeps no approve of another waiting", { timeout: 120_000 }, async () => {
		const { agent: worker, slug, repository } = await sandboxed({ name: "worker" });
		const add = async (name: string): Promise<Agent> =>
			await shop.client.ask("agentAddTo", { params: { project: slug }, body: { type: "scripted", name } });
		const [stuck, idle] = [await add("stuck"), await add("idle")];
		await shop.turn(worker, "write b.txt two\ncommit Two");
		const text = "run mkdir sub && mkfifo sub/.gitignore && touch sub/a && echo made";
		await shop.client.call("prompt", { ...params(stuck), body: { text } });
		await expect.poll(async () => (await shop.items(stuck)).map((item) => item.text), longTimeout).toContain("made\n");
		const { merged, synced } = await shop.client.call("approve", { ...params(worker), body: {} });
		// unblocks the readers of the pipe, so that the daemon can stop
		const pipe = at(stuck, "sub/.gitignore");
		const end = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
		rmSync(pipe);
		closeSync(end);
		expect(git(repository, "rev-parse", "main")).toBe(merged.commit);
		const became = new Map(synced.map((each) => [each.handle, [each.updated, each.text]]));
		expect(became.get("stuck")).toEqual([false, "its workspace is still being checked"]);
		// the control: another one is brought up to date meanwhile
		expect(became.get("idle")?.[0]).toBe(true);
		expect(readFileSync(at(idle, "b.txt"), "utf8")).toBe("two\n");
	});

	test.each(["worktree", "clone", "none"])("works, commits and speaks to the daemon (%s)", async (workspace) => {
		const { agent, repository } = await sandboxed({ workspace });
		if (workspace === "none") return expect(await inside(agent, "echo x > x && cat x")).toContain("exit 0");
		const turn = await shop.turn(
			agent,
			"write b.txt two\nrun git add b.txt && git commit -qm 'By itself'\nwrite c.txt three\ncommit Through Brood\nsend 0 hello",
		);
		expect(turn.state).toBe("completed");
		expect(git(repository, "log", "-2", "--format=%s", agent.workspace?.branch ?? "")).toBe("Through Brood\nBy itself");
		expect((await shop.client.call("snapshots", params(agent))).length).toBeGreaterThan(0);
	});

	test("finds every way out closed", async () => {
		const { agent, repository, slug } = await sandboxed();
		const { agent: other } = await sandboxed();
		const secret = path.join(outside, "file");
		writeFileSync(secret, "as it was");
		symlinkSync(outside, at(agent, "way-out"));
		const home = shop.home;
		const ways: Record<string, string> = {
			"write beside it": `echo x > '${secret}'`,
			"write through a link": "echo x > way-out/new",
			"swap a link for a folder": `rm way-out && ln -s '${repository}/.git' way-out && echo x >> way-out/config`,
			"write into /etc": "echo x > /etc/brood-probe",
			"write into the user's home": "echo x > ~/.brood-probe",
			"make a configuration that is not there": "git config --global alias.brood-probe status",
			"change the repository's configuration": `git --git-dir='${repository}/.git' config core.editor evil`,
			"lay a hook": `mkdir -p '${repository}/.git/hooks' && echo x > '${repository}/.git/hooks/post-commit'`,
			"move base": `git commit -qm x --allow-empty && (git push -q brood HEAD:main || git --git-dir='${repository}/.git' update-ref refs/heads/main HEAD)`,
			"write an object": `echo x | git --git-dir='${repository}/.git' hash-object -w --stdin`,
			"take an object away": `find '${repository}/.git/objects' -type f -delete || rm -rf '${repository}/.git/objects'; ! git --git-dir='${repository}/.git' cat-file -e main`,
			"move its own git folder": "mv .git .git-other",
			"take its own git folder away":
				"rm -rf .git && mkdir .git && echo x > .git/config && test $(ls .git | wc -l) = 1",
			"read the owner's token": `cat '${home}/token'`,
			"read the store": `head -c 1 '${home}/brood.db'`,
			"read another agent's files": `cat '${at(other, "a.txt")}'`,
			"change its own project's settings": `echo 'sandbox: off' > '${home}/projects/${slug}/config.yaml'`,
			"see the daemon": `kill -0 ${process.pid}`,
			"read the daemon's environment": `cat /proc/${process.pid}/environ`,
			"mount over it": "mount -t tmpfs none /mnt",
			"make it writable again": "mount -o remount,rw /",
			// opened and never written to: these are the machine's own
			"say what the kernel runs": ": >> /proc/sys/kernel/core_pattern",
			"press the kernel's keys": ": >> /proc/sysrq-trigger",
			"change a setting of the machine":
				"for file in /proc/sys/vm/* /proc/sys/kernel/* /sys/kernel/* /sys/power/*; do (: >> $file) 2>/dev/null && exit 0; done; exit 1",
			"write to a disk": "sh -c 'for disk in /dev/vda /dev/sda /dev/nvme0n1; do test -b $disk && exit 0; done; exit 1'",
			"ask the system's other programs":
				"test -S /run/docker.sock || test -S /run/dbus/system_bus_socket || test -S /run/systemd/private",
			"become another": "setpriv --reuid 12345 --clear-groups true",
		};
		const script = Object.entries(ways).map(
			([name, command]) => `if (${command}) >/dev/null 2>&1; then echo "OPEN: ${name}"; fi`,
		);
		writeFileSync(at(agent, "probe.sh"), `${script.join("\n")}\necho all tried\n`);
		expect(await inside(agent, "sh probe.sh")).toBe("all tried\nexit 0\n");
		await inside(agent, `echo x > '${repository}/a.txt'; rm -rf '${home}'`);
		expect([readFileSync(path.join(repository, "a.txt"), "utf8"), git(repository, "status", "--short")]).toEqual([
			"one\n",
			"",
		]);
		// what was written where it is hidden was written nowhere
		expect(readFileSync(path.join(home, "projects", slug, "config.yaml"), "utf8")).toBe("sandbox: on\n");
		expect([readFileSync(secret, "utf8"), readdirSync(outside), existsSync(path.join(home, "token"))]).toEqual([
			"as it was",
			["file"],
			true,
		]);
	});

	test("is started anew when its project changes its mind", async () => {
		const { agent, slug } = await sandboxed();
		const look = `test -e '${shop.home}/token' && echo seen`;
		expect(await inside(agent, look)).not.toContain("seen");
		writeFileSync(path.join(shop.home, "projects", slug, "config.yaml"), "sandbox: off\n");
		expect(await inside(agent, look)).toContain("seen");
	});

	test("starts no turn where it was made without one, and `recover`, which it is told, ends that", async () => {
		const { slug, add } = await shop.project();
		const agent = await add();
		mkdirSync(path.join(shop.home, "projects", slug), { recursive: true });
		writeFileSync(path.join(shop.home, "projects", slug, "config.yaml"), "sandbox: on\n");
		await shop.client.call("prompt", { ...params(agent), body: { text: "run echo ran > ran" } });
		await expect.poll(async () => (await shop.now(agent)).label, longTimeout).toBe("error");
		const held = await shop.now(agent);
		expect([verbThatEndsHolds(held), held.queueLength, existsSync(at(agent, "ran"))]).toEqual(["recover", 1, false]);
		await shop.client.call("recover", { ...params(agent), body: {} });
		await expect.poll(() => existsSync(at(agent, "ran")), longTimeout).toBe(true);
	});
});

test("without bubblewrap a turn that needs a sandbox does not start, and says why", async () => {
	await using shop = await TestDaemon.open((home) => configure(home, "groups"));
	const { slug, add } = await shop.project();
	const agent = await add();
	writeFileSync(path.join(shop.home, "projects", slug, "config.yaml"), "sandbox: on\n");
	await shop.client.call("prompt", { ...params(agent), body: { text: "run touch ran" } });
	await expect.poll(async () => (await shop.now(agent)).label, longTimeout).toBe("error");
	expect(await shop.now(agent)).toMatchObject({
		queueLength: 1,
		holds: [{ kind: "error", reason: expect.stringMatching(/sandbox: on.*needs bubblewrap/) }],
	});
	expect(existsSync(at(agent, "ran"))).toBe(false);
});

describe.each(available)("a project's command with %s", (containment) => {
	test("leaves nothing running, also what left its session, and keeps its answer", async () => {
		const world = makeWorld({ containment });
		const time = unique();
		// without the kernel's help only its own group is found
		const away = containment === "groups" ? "" : "setsid";
		world.configure(`setup: (${away} sleep ${time} >/dev/null 2>&1 &) ; echo said; echo wrong >&2; exit 7\n`);
		const answer = await world.workspaces.provision({ project: world.project, agent: identity("a"), kind: "worktree" });
		expect(answer).toMatchObject({
			code: "CONFLICT",
			details: { exit: 7, output: expect.stringMatching(/^(said\nwrong|wrong\nsaid)\n$/) },
		});
		expect(running(`sleep ${time}`)).toBe(0);
	});

	test("that is cancelled may tidy up, and is gone", async () => {
		const world = makeWorld({ containment });
		const time = unique();
		world.configure(`setup: "trap 'echo tidied; exit 0' TERM; sleep ${time} & echo up; wait"\n`);
		const stop = new AbortController();
		const live = { signal: stop.signal, line: (text: string) => (text === "up" ? stop.abort() : undefined) };
		const answer = await world.workspaces.provision(
			{ project: world.project, agent: identity("a"), kind: "worktree" },
			live,
		);
		expect(answer).toMatchObject({ code: "CONFLICT", details: { exit: null, output: "up\ntidied\n" } });
		await expect.poll(() => running(`sleep ${time}`), longTimeout).toBe(0);
	});

	test.runIf(containment !== "groups")("dies with whoever runs it", async () => {
		const world = makeWorld();
		const time = unique();
		world.configure(`setup: "setsid -f sleep ${time}; env -i sleep ${time}"\n`);
		const program = testProgram("workspace");
		const place = path.join(world.home, "projects/p/agents/a");
		const child = spawn(process.execPath, [program, world.root, "provision", "0", place, containment], {
			stdio: "ignore",
		});
		onTestFinished(() => void child.kill("SIGKILL"));
		await expect.poll(() => running(`sleep ${time}`), longTimeout).toBeGreaterThanOrEqual(2);
		child.kill("SIGKILL");
		await expect.poll(() => running(`sleep ${time}`), longTimeout).toBe(0);
	});
});

describe.runIf(hasSandboxes)("a project's command in a sandbox", () => {
	test("does its work in its tree and nowhere else", async () => {
		const world = makeWorld({ containment: "bubblewrap" });
		const outside = freshFolder();
		world.configure(
			`sandbox: on\nsetup: echo made > made.log; echo x > '${outside}/x'; test ! -e '${world.home}/projects/p/config.yaml'\n`,
		);
		const made = agreed(
			await world.workspaces.provision({ project: world.project, agent: identity("a"), kind: "worktree" }),
		);
		expect([readFileSync(path.join(made.workspace.path, "made.log"), "utf8"), readdirSync(outside)]).toEqual([
			"made\n",
			[],
		]);
	});

	test("is not run where there is none", async () => {
		const world = makeWorld({ containment: "groups" });
		world.configure("sandbox: on\nsetup: 'true'\n");
		const answer = await world.workspaces.provision({ project: world.project, agent: identity("a"), kind: "worktree" });
		expect(answer).toMatchObject({ code: "CONFLICT", details: { output: expect.stringMatching(/needs bubblewrap/) } });
	});
});
