// A gate runs on the commit that would be merged, in a tree made for it: never in a person's checkout, whatever lies
// there.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "vitest";
import { sandboxModes } from "#test/support/processes.ts";
import { longTimeout, TestDaemon } from "#test/support/test-daemon.ts";

const command = "pwd >&2; test ! -e only-here.txt && grep -q good work.txt";
const preset = {
	stages: [
		{ name: "TODO", next: "BUILD" },
		{ name: "BUILD", next: "DONE", prompt: "{{body}}", gate: { command } },
		{ name: "DONE", final: true },
	],
};

const kinds = ["clone", "worktree"].flatMap((workspace) =>
	sandboxModes.map((sandbox) => [workspace, sandbox] as const),
);

// its own `expect`: the global one polls only for whichever test vitest calls the current one
test.concurrent.for(kinds)("an agent in a %s, sandbox %s", { timeout: 120_000 }, async (kind, { expect }) => {
	const [workspace, sandbox] = kind;
	await using shop = await TestDaemon.open();
	const { slug, repository, add } = await shop.project({ "a.txt": "one\n" });
	mkdirSync(path.join(shop.home, "projects", slug), { recursive: true });
	writeFileSync(
		path.join(shop.home, "projects", slug, "config.yaml"),
		JSON.stringify({ sandbox, presets: { gated: preset } }),
	);
	// what the person has in their checkout would let the gate pass, or keep it from passing, for the wrong reason
	writeFileSync(path.join(repository, "work.txt"), "good\n");
	writeFileSync(path.join(repository, "only-here.txt"), "mine\n");
	const agent = await add({ workspace });
	const build = async (words: string) => {
		const issue = await shop.client.call("issueAdd", {
			params: { project: slug },
			body: { title: words, body: `write work.txt ${words}\ncommit ${words}`, preset: "gated" },
		});
		const where = { params: { issue: `${slug}#${issue.number}` } };
		await shop.client.call("issueAssign", { ...where, body: { agent: agent.id } });
		const now = async () => await shop.client.call("issue", where);
		await expect
			.poll(async () => (await now()).stage === "DONE" || (await now()).messages.length > 0, {
				...longTimeout,
				timeout: 60_000,
			})
			.toBe(true);
		return await now();
	};
	const bad = await build("bad");
	expect(bad).toMatchObject({
		stage: "BUILD",
		messages: [{ text: expect.stringContaining(path.join(shop.home, "projects", slug, "scratch")) }],
	});
	expect(bad.messages[0]?.text).not.toContain(repository);
});
