// For every route that changes something: what is asked, what else would be another payload, and what happens to the
// same thing afterwards, so that an answer that is worked out again would be another one.
import path from "node:path";
import { expect } from "vitest";
import { EventId, PersonName, SubscriptionName } from "#contract/ids.ts";
import { routes } from "#contract/routes.ts";
import type { Agent } from "#contract/wire.ts";
import { freshRepository } from "#test/support/repository.ts";
import { bodies, type Case, type Changing, type Make, reason } from "./key-case.ts";
import { type KeyWorld, next, project, Subjects } from "./key-subjects.ts";
import { moving } from "./moving-key-cases.ts";
import { issues, workspaces } from "./work-key-cases.ts";

export const changing = Object.entries(routes).flatMap(([name, { method }]) => (method === "get" ? [] : [name]));

const agents = {
	agentAdd: async (c) => ({
		body: { name: `n${next()}`, type: "human" },
		other: { body: { name: `n${next()}`, type: "human" } },
		after: async () => await c.agent(),
	}),
	agentAddTo: async (c) => {
		const name = `n${next()}`;
		const after = async () => await c.client.ask("pause", { params: { agent: name }, query: { project }, body: {} });
		return bodies({ params: { project } }, { name, type: "human" }, { name: "other", type: "human" }, after);
	},
	fork: async (c) => {
		const [parent, name] = [await c.agent(), `n${next()}`];
		const after = async () => await c.client.ask("pause", { params: { agent: name }, query: { project }, body: {} });
		return bodies(c.of(parent), { name, fresh: true }, {}, after);
	},
	kill: async (c) => {
		const agent = await c.agent();
		const after = async () => await c.client.ask("reap", { ...c.of(agent), body: {} });
		return bodies(c.of(agent), { reason: "over" }, {}, after);
	},
	agentDelete: async (c) => {
		const agent = await c.worker();
		const after = async () => await c.client.ask("reap", { ...c.of(agent), body: {} });
		return bodies(c.of(agent), { force: true, deleteBranch: true }, {}, after);
	},
	configure: async (c) => {
		const agent = await c.agent();
		return bodies(c.of(agent), { budget: { tokens: 100 } }, { budget: { tokens: 200 } }, c.changed(agent));
	},
	interrupt: async (c) => {
		const agent = await c.atWork();
		return bodies(c.of(agent), { reason: "stop" }, {}, c.changed(agent));
	},
	pause: async (c) => {
		const agent = await c.agent();
		const after = async () => await c.client.ask("resume", { ...c.of(agent), body: {} });
		return bodies(c.of(agent), { reason: "lunch" }, {}, after);
	},
	resume: async (c) => {
		const { agent } = await c.paused();
		const after = async () => await c.client.ask("pause", { ...c.of(agent), body: {} });
		return bodies(c.of(agent), { reason: "on" }, {}, after);
	},
	recover: async (c) => {
		const agent = await c.worker();
		return { ...c.of(agent), body: {}, other: { ...c.of(agent), query: { project } }, after: c.changed(agent) };
	},
	reap: async (c) => {
		const agent = await c.agent();
		await c.client.ask("kill", { ...c.of(agent), body: {} });
		return { ...c.of(agent), body: {}, other: { ...c.of(agent), query: { project } } };
	},
} satisfies Partial<Record<Changing, Make>>;

const queue = {
	prompt: async (c) => {
		const { agent, prompts } = await c.paused();
		const after = async () =>
			await c.client.ask("promptRemove", { params: { agent: agent.id, prompt: String(prompts[0]) } });
		return bodies(c.of(agent), { text: "three" }, { text: "four" }, after);
	},
	promptEdit: async (c) => {
		const { agent, prompts } = await c.paused();
		const params = { agent: agent.id, prompt: String(prompts[1]) };
		const after = async () => await c.client.ask("promptMove", { params, body: { to: 1 } });
		return bodies({ params }, { text: "new" }, { text: "newer" }, after);
	},
	promptMove: async (c) => {
		const { agent, prompts } = await c.paused();
		const params = { agent: agent.id, prompt: String(prompts[1]) };
		return bodies({ params }, { to: 1 }, { to: 2 }, async () => await c.client.ask("queueClear", c.of(agent)));
	},
	promptRemove: async (c) => {
		const { agent, prompts } = await c.paused();
		const params = { agent: agent.id, prompt: String(prompts[1]) };
		return {
			params,
			query: { reason: "no" },
			other: { params, ...reason },
			after: async () => await c.client.ask("queueClear", c.of(agent)),
		};
	},
	queueClear: async (c) => {
		const { agent } = await c.paused();
		const after = async () => await c.client.ask("prompt", { ...c.of(agent), body: { text: "later" } });
		return { ...c.of(agent), query: { reason: "no" }, other: { ...c.of(agent), ...reason }, after };
	},
	turnRetry: async (c) => {
		const agent = await c.atWork();
		await c.client.ask("interrupt", { ...c.of(agent), body: {} });
		const params = { agent: agent.id, turn: "last" };
		const after = async () => await c.client.ask("queueClear", c.of(agent)).catch(() => {});
		return { params, body: {}, other: { params: { ...params, turn: "1" }, body: {} }, after };
	},
	turnFinish: async (c) => {
		const agent = await c.atWork();
		const after = async () => {
			await c.client.ask("prompt", { ...c.of(agent), body: { text: "more" } });
			await expect.poll(async () => (await c.client.ask("turns", c.of(agent))).length, { timeout: 20_000 }).toBe(2);
		};
		return bodies(c.of(agent), { message: "done" }, { message: "not done" }, after);
	},
	clear: async (c) => {
		const agent = await c.agent();
		return { ...c.of(agent), body: {}, other: { ...c.of(agent), query: { project } } };
	},
	mark: async (c) => {
		const agent = await c.agent();
		return bodies(c.of(agent), { name: "here" }, { name: "there" });
	},
	rewind: async (c) => {
		const agent = await c.agent();
		await c.client.ask("mark", { ...c.of(agent), body: { name: "here" } });
		return bodies(c.of(agent), { name: "here" }, { name: "there" });
	},
} satisfies Partial<Record<Changing, Make>>;

const messaging = {
	approvalAnswer: async (c) => {
		const agent = await c.agent({ type: "scripted", prompt: "ask may I" });
		const asked = async () => (await c.client.ask("approvals", { query: { agent: agent.id } }))[0];
		await expect.poll(async () => await asked(), { timeout: 20_000 }).toBeDefined();
		const params = { approval: String((await asked())?.id) };
		return bodies({ params }, { allow: true }, { allow: false });
	},
	waitOpen: async (c) => {
		const agent = await c.agent();
		const body = { agents: [agent.id], for: "mail", timeoutMs: 10_000_000 };
		return {
			body,
			other: { body: { ...body, mode: "any" } },
			after: async () => await c.client.ask("send", { ...c.of(agent), body: { body: "x" } }),
		};
	},
	waitCancel: async (c) => {
		const [agent, other] = [await c.agent(), await c.agent()];
		const open = async (each: Agent) =>
			String((await c.client.ask("waitOpen", { body: { agents: [each.id], for: "ended" } })).id);
		const after = async () => await c.client.ask("pause", { ...c.of(agent), body: {} });
		return { params: { wait: await open(agent) }, other: { params: { wait: await open(other) } }, after };
	},
	send: async (c) => {
		const { agent } = await c.paused();
		const after = async () => await c.client.ask("mailRead", { ...c.of(agent), body: {} });
		return bodies(c.of(agent), { body: "hello" }, { body: "good day" }, after);
	},
	mailRead: async (c) => {
		const { agent } = await c.paused();
		for (const body of ["one", "two"]) await c.client.ask("send", { ...c.of(agent), body: { body } });
		const after = async () => await c.client.ask("send", { ...c.of(agent), body: { body: "three" } });
		return bodies(c.of(agent), {}, { mail: EventId.parse(1) }, after);
	},
	mailDelete: async (c) => {
		const { agent } = await c.paused();
		const mail = async () => String((await c.client.ask("send", { ...c.of(agent), body: { body: "x" } })).id);
		return {
			params: { agent: agent.id, mail: await mail() },
			other: { params: { agent: agent.id, mail: await mail() } },
		};
	},
} satisfies Partial<Record<Changing, Make>>;

const ofDaemon = {
	setup: async () => ({
		params: { type: "nonsense" },
		body: {},
		other: { params: { type: "rubbish" }, body: {} },
		refused: true,
	}),
	backup: async (c) => {
		const file = path.join(c.world.scratch, `b${next()}.db`);
		return { body: { file }, other: { body: { file: `${file}x` } } };
	},
	tokenRotate: async () => ({ body: {}, alone: true }),
	browserLink: async (c) => ({ body: {}, after: async () => await c.client.ask("browserLink", { body: {} }) }),
	browserSignOut: async () => ({
		params: { browser: "0123456789ab" },
		other: { params: { browser: "ba9876543210" } },
		refused: true,
	}),
	projectAdd: async (c) => {
		const slug = `p${next()}`;
		const after = async () =>
			await c.client.ask("projectConfigure", { params: { project: slug }, body: { agentsMax: 3 } });
		return { body: { slug, path: freshRepository() }, other: { body: { slug, path: "/nowhere" } }, after };
	},
	projectRemove: async (c) => {
		const body = { slug: `p${next()}`, path: freshRepository() };
		const add = async () => await c.client.ask("projectAdd", { body });
		await add();
		return { params: { project: body.slug }, other: { params: { project } }, after: add };
	},
	projectConfigure: async (c) =>
		bodies(
			{ params: { project } },
			{ agentsMax: 400 },
			{ agentsMax: 500 },
			async () => await c.client.ask("projectConfigure", { params: { project }, body: { agentsMax: 600 } }),
		),
	projectApprove: async () => ({
		params: { project },
		body: { fingerprint: "none" },
		other: { params: { project }, body: { fingerprint: "other" } },
		refused: true,
	}),
	warm: async () => ({ params: { project }, body: {}, other: { params: { project: "none" }, body: {} } }),
	gc: async () => bodies({ params: { project } }, {}, { dryRun: true }),
	subscriptionAdd: async (c) => {
		const name = `s${next()}`;
		const after = async () =>
			await c.client.ask("subscriptionConfigure", { params: { subscription: name }, body: { maxConcurrent: 7 } });
		return { body: { name, type: "claude", maxConcurrent: 2 }, other: { body: { name, type: "claude" } }, after };
	},
	subscriptionConfigure: async (c) => {
		const params = await subscription(c);
		const after = async () => await c.client.ask("subscriptionConfigure", { params, body: { maxConcurrent: 9 } });
		return bodies({ params }, { maxConcurrent: 3 }, { maxConcurrent: 4 }, after);
	},
	subscriptionCool: async (c) => {
		const params = await subscription(c);
		const after = async () => await c.client.ask("subscriptionCool", { params, body: { until: null } });
		return bodies({ params }, { until: "2099-01-01T00:00:00Z" }, { until: null }, after);
	},
	subscriptionRemove: async (c) => {
		const params = await subscription(c);
		return { params, other: { params: await subscription(c) } };
	},
} satisfies Partial<Record<Changing, Make>>;

async function subscription(c: Subjects): Promise<{ subscription: string }> {
	const name = SubscriptionName.parse(`s${next()}`);
	await c.client.ask("subscriptionAdd", { body: { name, type: "claude" } });
	return { subscription: name };
}

const persons = {
	personAdd: async (c) => {
		const name = `p${next()}`;
		const after = async () =>
			await c.client.ask("personConfigure", { params: { person: name }, body: { role: "viewer" } });
		const body = { name, tokenHash: tokenHash() };
		return { body, other: { body: { ...body, role: "admin" } }, after };
	},
	personConfigure: async (c) => {
		const params = await person(c);
		const after = async () => await c.client.ask("personConfigure", { params, body: { role: "member" } });
		return bodies({ params }, { role: "viewer" }, { role: "admin" }, after);
	},
	personRemove: async (c) => ({ params: await person(c), other: { params: await person(c) } }),
} satisfies Partial<Record<Changing, Make>>;

const nobody = { params: { node: "nobody" }, body: {} };
/** The only node there is: it is drained and resumed, and neither falls nor is removed while it runs. */
const nodes = {
	nodeDrain: async (c) => {
		const on = await onNode(c);
		return { ...on, other: nobody, after: async () => await c.client.ask("nodeResume", on) };
	},
	nodeResume: async (c) => {
		const on = await onNode(c);
		await c.client.ask("nodeDrain", on);
		return { ...on, other: nobody };
	},
	nodeFall: async (c) => ({ ...(await onNode(c)), other: nobody, refused: true }),
	nodeRemove: async (c) => ({ params: (await onNode(c)).params, other: { params: nobody.params }, refused: true }),
} satisfies Partial<Record<Changing, Make>>;

async function onNode(c: Subjects): Promise<{ params: { node: string }; body: object }> {
	const [own] = await c.client.call("nodes");
	return { params: { node: own?.id ?? expect.unreachable() }, body: {} };
}

const tokenHash = (): string => String(next()).padStart(64, "0");

async function person(c: Subjects): Promise<{ person: string }> {
	const name = PersonName.parse(`p${next()}`);
	await c.client.ask("personAdd", { body: { name, tokenHash: tokenHash() } });
	return { person: name };
}

const cases: Record<Changing, Make> = {
	...{ ...agents, ...moving, ...queue },
	...messaging,
	...ofDaemon,
	...nodes,
	...persons,
	...issues,
	...workspaces,
};

export const known = Object.keys(cases);
export const caseFor = async (name: Changing, world: KeyWorld): Promise<Case> => await cases[name](new Subjects(world));
export const isChanging = (name: string): name is Changing => Object.hasOwn(cases, name);
