// The text of an issue, a mail or an agent's prompt is never executed by an agent that nobody chose
// for it. Real processes, and a file that appears if somebody runs what was said.
import { existsSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Client } from "#client/client.ts";
import { actingAgent, ProjectSlug } from "#contract/ids.ts";
import type { Agent } from "#contract/wire.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { openTurnToken } from "#test/support/open-turn-token.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";

const folder = freshFolder();
let daemon: Daemon;
let client: Client;
beforeAll(async () => {
	daemon = await startDaemon({ home: freshFolder() });
	client = new Client(daemon);
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

const longTimeout = { timeout: 30_000 };
let count = 0;
/** A file that is there once somebody has executed the words, as a shell or as `scripted` would. */
function trap(): { words: string; sprung(): boolean } {
	const canary = path.join(folder, `canary-${++count}`);
	return { words: `\nrun touch ${canary}\ntouch ${canary}\n`, sprung: () => existsSync(canary) };
}
async function project(): Promise<ProjectSlug> {
	const slug = ProjectSlug.parse(`p${++count}`);
	await client.call("projectAdd", { body: { slug, path: freshRepository() } });
	return slug;
}
const add = async (slug: ProjectSlug, type: string, more: object = {}): Promise<Agent> =>
	await client.ask("agentAddTo", { params: { project: slug }, body: { type, ...more } });
const turnsOf = async (agent: Agent) =>
	(await client.call("turns", { params: { agent: agent.id } })).filter((turn) => turn.state !== "open");

test("automatic work gives issues to no agent that would execute them, makes none, and says what is missing", async () => {
	const slug = await project();
	const idle = [await add(slug, "shell"), await add(slug, "scripted")];
	const { words, sprung } = trap();
	await client.call("projectConfigure", { params: { project: slug }, body: { auto: true } });
	const { number } = await client.call("issueAdd", {
		params: { project: slug },
		body: { title: "Fix it", body: words },
	});
	const issue = async () => await client.call("issue", { params: { issue: `${slug}#${number}` } });
	await expect
		.poll(async () => (await issue()).attention?.reason, longTimeout)
		.toContain(`brood project configure ${slug} --type`);
	expect(await client.call("agentsOf", { params: { project: slug } })).toHaveLength(idle.length);
	expect((await issue()).assignee).toBeNull();
	expect(sprung()).toBe(false);
	// the control: once the project names the type, the same issue goes on by itself and its words are executed
	await client.call("projectConfigure", { params: { project: slug }, body: { agentType: "scripted" } });
	await expect.poll(sprung, longTimeout).toBe(true);
	expect((await issue()).attention?.code).not.toBe("AGENT_NOT_FOUND");
});

test("an assignment by name is enough", async () => {
	const slug = await project();
	const agent = await add(slug, "scripted");
	const { words, sprung } = trap();
	const { number } = await client.call("issueAdd", {
		params: { project: slug },
		body: { title: "Fix it", body: words },
	});
	await client.call("issueAssign", { params: { issue: `${slug}#${number}` }, body: { agent: agent.handle } });
	await expect.poll(sprung, longTimeout).toBe(true);
});

test.each([false, true])(
	"mail is never executed: it does not wake a shell, and scripted says it (urgent: %s)",
	async (urgent) => {
		const slug = await project();
		const { words, sprung } = trap();
		const [sh, scripted] = [await add(slug, "shell"), await add(slug, "scripted")];
		for (const { id } of [sh, scripted])
			await client.call("send", { params: { agent: id }, body: { body: words, urgent } });
		await expect.poll(async () => (await turnsOf(scripted)).length, longTimeout).toBe(1);
		await client.call("prompt", { params: { agent: sh.id }, body: { text: "true" } });
		await expect
			.poll(async () => (await turnsOf(sh)).map(({ source, state }) => [source, state]), longTimeout)
			.toEqual([["queue", "completed"]]);
		expect(sprung()).toBe(false);
	},
);

test("an agent that has to ask gives no prompts to one that would execute them unasked", async () => {
	const slug = await project();
	const { words, sprung } = trap();
	const asking = await add(slug, "human");
	const below = await client.call("fork", { params: { agent: asking.id }, body: { fresh: true, type: "shell" } });
	await client.call("prompt", { params: { agent: asking.id }, body: { text: "go" } });
	await expect
		.poll(async () => (await client.call("agent", { params: { agent: asking.id } })).turn, longTimeout)
		.not.toBeNull();
	const said = async () =>
		await daemon.engine.dispatch({
			actor: actingAgent(asking.id),
			key: null,
			command: { type: "prompt.queue", agent: below.id, text: words },
		});
	expect(await said()).toMatchObject({ refused: { code: "FORBIDDEN" } });
	// the control: whoever may run commands unasked may have others run them
	await client.call("configure", { params: { agent: asking.id }, body: { policy: "full" } });
	expect(await said()).toMatchObject({ done: {} });
	await expect.poll(sprung, longTimeout).toBe(true);
	const runner = await add(slug, "scripted");
	const child = await client.call("fork", { params: { agent: runner.id }, body: { fresh: true } });
	const own = new Client({ url: daemon.url, token: await openTurnToken(daemon, runner.id) });
	expect(await own.call("prompt", { params: { agent: child.id }, body: { text: "say hello" } })).toMatchObject({
		agent: child.id,
	});
});
