// The mirror: what a client folds for itself is what the server answers, whatever happened, and however often the line
// broke.
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Address, Client, fromResponse, type Received, type Send } from "#client/client.ts";
import { Mirror } from "#client/mirror.ts";
import { AgentId, ProjectSlug } from "#contract/ids.ts";
import type { Inbox, TreeRow } from "#contract/overviews.ts";
import type { MirroredRows } from "#contract/rows.ts";
import type { Agent } from "#contract/wire.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";
import { boardOf } from "#views/overviews.ts";

const long = process.env["BROOD_TORTURE"] !== undefined;
const web = ProjectSlug.parse("web");
const now = (): number => performance.timeOrigin + performance.now();

let home = freshFolder();
let daemon: Daemon;
let where: Address;
/** lines that are open, and can be cut */
const lines = new Set<() => void>();

/** As a browser has it, but that a stream can be broken from outside. */
const send: Send = async (url, request) => {
	const sent = fromResponse(await fetch(url, request));
	return url.includes("/api/events") ? { ...sent, chunks: breakable(sent) } : sent;
};

async function* breakable(sent: Received): AsyncGenerator<Uint8Array> {
	const broken = Promise.withResolvers<never>();
	broken.promise.catch(() => {});
	const cut = (): void => broken.reject(new Error("the line was cut"));
	lines.add(cut);
	const chunks = sent.chunks[Symbol.asyncIterator]();
	try {
		for (;;) {
			const next = await Promise.race([chunks.next(), broken.promise]);
			if (next.done === true) return;
			yield next.value;
		}
	} finally {
		lines.delete(cut);
	}
}

const client = (): Client => new Client(where, send, { find: () => where });

async function start(): Promise<void> {
	daemon = await startDaemon({ home });
	where = { url: daemon.url, token: daemon.token };
}

beforeAll(async () => {
	await start();
	await client().call("projectAdd", { body: { slug: "web", path: freshRepository() } });
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

interface Mirrored {
	mirror: Mirror;
	/** those that are prompted, asked and ended */
	agents: Agent[];
	/** has files, and works on issues */
	worker: Agent;
}

/** What the mirror shows, and what the server answers. When an agent will be free is told anew with every moment. */
async function both({ mirror }: Mirrored) {
	const [view, seen, asked] = [mirror.view, mirror.viewInput, client()];
	const threads = [...shown.threads];
	const each = async <T>(ask: (agent: AgentId) => Promise<T> | T) =>
		await Promise.all(threads.map(async (id) => await ask(id)));
	const answered = {
		agents: (await asked.call("agents")).map(timeless),
		projects: await asked.call("projects"),
		subscriptions: await asked.call("subscriptions"),
		approvals: await asked.call("approvals"),
		tree: (await asked.call("tree")).rows.map(timelessRow),
		inbox: await inbox(asked),
		boards: await Promise.all(
			shown.boards.map(async (project) => (await asked.call("board", { params: { project } })).columns),
		),
		issues: await Promise.all(shown.boards.map((project) => asked.call("issuesOf", { params: { project } }))),
		queues: await each((agent) => asked.call("queue", { params: { agent } })),
		mails: await each((agent) => asked.call("mail", { params: { agent } })),
		turns: await each((agent) => asked.call("turns", { params: { agent } })),
		threads: await each((agent) => asked.call("items", { params: { agent } })),
		...byKind(await loadedRows(asked)),
	};
	const mirrored = {
		agents: view.agents(seen).map(timeless),
		projects: view.projects(seen),
		subscriptions: view.subscriptions(seen),
		approvals: view.approvals(),
		tree: view.tree(seen).map(timelessRow),
		inbox: timelessInbox(view.inbox(seen)),
		boards: shown.boards.map((slug) => {
			const project = view.rows.project.get(slug);
			return project === undefined ? [] : boardOf(view.issues(slug), project);
		}),
		issues: shown.boards.map((project) => view.issues(project)),
		queues: await each((agent) => view.queue(agent)),
		mails: await each((agent) => view.mail(agent)),
		turns: await each((agent) => view.turns(agent)),
		threads: await each((agent) => [...mirror.thread(agent)]),
		...byKind({
			prompts: [...view.rows.prompt.values()],
			turns: [...view.rows.turn.values()],
			approvals: [...view.rows.approval.values()],
			waits: [...view.rows.wait.values()],
			mails: [...view.rows.mail.values()],
			issues: [...view.rows.issue.values()],
			runs: [...view.rows.run.values()],
			turnLeases: [...view.rows.turnLease.values()],
		}),
	};
	return { mirrored, answered };
}

/** What a mirror would begin with now. */
const loadedRows = async (asked: Client) =>
	(
		await asked.call("rows", {
			query: { boards: shown.boards.join(","), threads: shown.threads.join(","), items: 500 },
		})
	).rows;

/** Without texts, which are loaded only for the threads that are shown. */
const byKind = (rows: Pick<MirroredRows, (typeof comparedKinds)[number]>) =>
	Object.fromEntries(comparedKinds.map((kind) => [`rows: ${kind}`, rows[kind].map(textless).toSorted(byId)]));

const textless = <R extends object>(row: R) => ({
	...row,
	...("textEvent" in row && { text: "" }),
	...("to" in row && { body: "" }),
});
const byId = (a: object, b: object): number => idOf(a) - idOf(b);
const idOf = (row: object): number => Number("id" in row ? row.id : "turn" in row ? row.turn : 0);

const comparedKinds = ["prompts", "turns", "approvals", "waits", "mails", "issues", "runs", "turnLeases"] as const;

const timeless = ({ availableAt: _, ...agent }: Agent) => agent;
const timelessRow = ({ depth, agent }: TreeRow) => ({ depth, agent: timeless(agent) });
const timelessInbox = ({ errors, ...rest }: Inbox) => ({ ...rest, errors: errors.map(timeless) });
/** A mirror knows the issues of the boards that it shows; the server knows all. */
async function inbox(asked: Client) {
	const { reviews, ...rest } = timelessInbox(await asked.call("inbox"));
	return { ...rest, reviews: reviews.filter(({ project }) => shown.boards.includes(project)) };
}

const plain = (value: unknown): { mirrored: Record<string, unknown>; answered: Record<string, unknown> } =>
	JSON.parse(JSON.stringify(value));

let shown: { boards: ProjectSlug[]; threads: AgentId[] } = { boards: [], threads: [] };

async function agree(world: Mirrored): Promise<void> {
	await expect
		.poll(
			async () => {
				const last = await daemon.engine.reads.lastEvent();
				if (world.mirror.at < last || world.mirror.state !== "live")
					return `at ${world.mirror.at} of ${last}, ${world.mirror.state}`;
				const { mirrored, answered } = plain(await both(world));
				const wrong = Object.keys(answered).filter((name) => !isDeepStrictEqual(mirrored[name], answered[name]));
				return wrong.length === 0
					? "the same"
					: wrong
							.map((name) => `${name}: ${JSON.stringify(mirrored[name])} is not ${JSON.stringify(answered[name])}`)
							.join("\n");
			},
			{ timeout: 20_000 },
		)
		.toBe("the same");
}

type Step = (world: Mirrored) => Promise<unknown>;
const of = ({ agents }: Mirrored, at: number): string => agents[at % agents.length]?.id ?? "";
/** What is refused is a step as well: nothing happened. */
const said = async (call: Promise<unknown>): Promise<unknown> => await call.catch(() => null);

type Steps = (one: number, two: number, params: (world: Mirrored) => { agent: string }) => Step[];

const ofAgentsAndQueues: Steps = (_, two, params) => [
	async (world) => {
		const made = await said(
			client().call("fork", { params: params(world), body: { fresh: two > 4, type: "scripted", workspace: "none" } }),
		);
		if (made !== null) world.agents.push((await client().call("agents")).at(-1) ?? expect.unreachable());
		const last = world.agents.at(-1);
		if (last !== undefined)
			await said(client().call("pause", { params: { agent: last.id }, body: { reason: "so that nothing runs" } }));
	},
	(world) =>
		said(
			client().call("prompt", {
				params: params(world),
				body: { text: `say ${two}`, front: two > 6, priority: two % 3 },
			}),
		),
	(world) => said(client().call("prompt", { params: params(world), body: { text: `say ${two}` } })),
	async (world) => {
		const [first] = await client().call("queue", { params: params(world) });
		if (first !== undefined)
			await said(
				client().call("promptEdit", {
					params: { ...params(world), prompt: String(first.id) },
					body: { text: `say edited ${two}` },
				}),
			);
	},
	async (world) => {
		const last = (await client().call("queue", { params: params(world) })).at(-1);
		if (last !== undefined)
			await said(
				client().call("promptMove", { params: { ...params(world), prompt: String(last.id) }, body: { to: 1 } }),
			);
	},
	(world) => said(client().call("queueClear", { params: params(world) })),
];

const ofMailAndIssues: Steps = (one, two, params) => [
	(world) => said(client().call("send", { params: params(world), body: { body: `letter ${two}` } })),
	(world) => said(client().call("mailRead", { params: params(world), body: {} })),
	async (world) => {
		const [mail] = await client().call("mail", { params: params(world) });
		if (mail !== undefined)
			await said(client().call("mailDelete", { params: { ...params(world), mail: String(mail.id) } }));
	},
	(world) => said(client().call("mark", { params: params(world), body: { name: `mark ${two}` } })),
	async (world) =>
		world.agents.length > 3
			? await said(client().call("kill", { params: params(world), body: { cascade: two > 6 } }))
			: null,
	() =>
		said(
			client().call("issueAdd", {
				params: { project: "web" },
				body: { title: `issue ${two}`, ...(two > 7 && { dependsOn: [1] }) },
			}),
		),
	() => said(client().call("issueComment", { params: { issue: `web#${1 + one}` }, body: { text: "words" } })),
	() => said(client().call("issueEscalate", { params: { issue: `web#${1 + one}` }, body: { reason: `look ${two}` } })),
	() =>
		said(
			client().call("issueMove", {
				params: { issue: `web#${1 + one}` },
				body: { stage: two > 4 ? "IN_REVIEW" : "IN_PROGRESS" },
			}),
		),
	() =>
		said(
			client().call(two > 4 ? "subscriptionAdd" : "subscriptionCool", {
				params: { subscription: `plan-${one}` },
				body:
					two > 4
						? { name: `plan-${one}`, type: "scripted", maxConcurrent: 2 }
						: { until: new Date(now() + 3_600_000).toISOString() },
			} as never),
		),
	async (world) => {
		const open = [of(world, one), of(world, two)].map((id) => AgentId.parse(id));
		shown = { boards: two > 4 ? [web] : [], threads: one === 9 ? [] : [...new Set(open)] };
		void world.mirror.show(shown);
	},
];

const cutLine: Step = async () => {
	for (const cut of lines) cut();
};

const restart: Step = async () => {
	await daemon[Symbol.asyncDispose]();
	await start();
};

/** Work on issues: assigned, done, approved; and agents that are gone. */
const ofWork: Steps = (one, two, params) => [
	() =>
		said(
			client().call("issueAdd", {
				params: { project: "web" },
				body: { title: `work ${two}`, body: `write f${two}.txt hello\nsay done` },
			}),
		),
	async ({ worker }) => {
		const issue = (await client().call("issuesOf", { params: { project: "web" } })).find(
			({ stage, assignee }) => stage === "TODO" && assignee === null,
		);
		if (issue !== undefined)
			await said(
				client().call("issueAssign", { params: { issue: `web#${issue.number}` }, body: { agent: worker.id } }),
			);
	},
	async () => {
		const issue = (await client().call("issuesOf", { params: { project: "web" } })).find(
			({ stage }) => stage === "IN_REVIEW",
		);
		if (issue !== undefined)
			await said(client().call("issueApprove", { params: { issue: `web#${issue.number}` }, body: {} }));
	},
	(world) => said(client().call("reap", { params: params(world), body: {} })),
	() => said(client().call("issueDelete", { params: { issue: `web#${1 + one}` } })),
];

/** Turns that run, ask, wait and are stopped, while everything else happens. */
const ofTurns: Steps = (_, two, params) => [
	(world) => {
		const text = `say one\nask May I ${two}?\nsay two`;
		return said(client().call("prompt", { params: params(world), body: { text, now: true } }));
	},
	(world) => {
		const text = `send init letter ${two}\nrun echo ${two}\nwait children 1`;
		return said(client().call("prompt", { params: params(world), body: { text, now: true } }));
	},
	async () => {
		const [asked] = await client().call("approvals");
		const body = { allow: two > 4, reason: `because of ${two}` };
		if (asked !== undefined)
			await said(client().call("approvalAnswer", { params: { approval: String(asked.id) }, body }));
	},
	(world) => said(client().call("interrupt", { params: params(world), body: { resume: two > 6 } })),
	(world) => said(client().call("resume", { params: params(world), body: {} })),
	(world) => said(client().call("waitOpen", { body: { agents: [params(world).agent], timeoutMs: 100 * two } })),
];

const allSteps: Steps = (one, two, params) =>
	[ofAgentsAndQueues, ofMailAndIssues, ofTurns, ofWork].flatMap((steps) => steps(one, two, params));

const stepNamed = (what: number, one: number, two: number): Step => {
	const params = (world: Mirrored) => ({ agent: of(world, one) });
	return allSteps(one, two, params)[what] ?? expect.unreachable();
};
const stepCount = allSteps(0, 0, () => ({ agent: "" })).length;

const anyStep: fc.Arbitrary<Step> = fc
	.tuple(fc.nat(stepCount - 1), fc.nat(9), fc.nat(9))
	.map(([what, one, two]) => stepNamed(what, one, two));

/** Any steps after work on an issue has begun, and in each program a cut and a restart. */
const anyProgram: fc.Arbitrary<Step[]> = fc
	.tuple(fc.array(anyStep, { minLength: 6, maxLength: long ? 40 : 14 }), ...([fc.nat(40), fc.nat(40)] as const))
	.map(([steps, ...places]) => {
		const program = [...steps];
		for (const [at, step] of [cutLine, restart].entries())
			program.splice((places[at] ?? 0) % (program.length + 1), 0, step);
		return [beginWork, ...program];
	});

const beginWork: Step = async (world) => {
	const first = stepCount - ofWork(0, 0, () => ({ agent: "" })).length;
	for (const what of [first, first + 1]) await stepNamed(what, 0, 1)(world);
	const begun = async () =>
		(await client().call("issuesOf", { params: { project: "web" } })).some(
			({ runs, assignee }) => assignee === world.worker.id && runs.length > 0,
		);
	await expect.poll(begun, { timeout: 30_000 }).toBe(true);
};

/** A mirror that runs beside the work. */
async function mirroring(work: (world: Mirrored) => Promise<void>): Promise<void> {
	const mirror = new Mirror(client(), { now, pause: async () => await new Promise((resume) => setTimeout(resume, 5)) });
	const stop = new AbortController();
	shown = { boards: [], threads: [] };
	const running = mirror.run(stop.signal);
	const agent = await client().call("agentAddTo", {
		params: { project: "web" },
		body: { type: "scripted", workspace: "none" },
	});
	await client().call("pause", { params: { agent: agent.id }, body: { reason: "so that nothing runs" } });
	const worker = await client().call("agentAddTo", { params: { project: "web" }, body: { type: "scripted" } });
	try {
		await work({ mirror, agents: [agent], worker });
	} finally {
		for (const { id } of [agent, worker])
			await said(client().call("kill", { params: { agent: id }, body: { cascade: true } }));
		stop.abort();
		await running;
	}
}

test("is what the server answers, after any steps, cuts, restarts and changes of what is shown", {
	timeout: long ? 3_600_000 : 120_000,
}, async () => {
	let [effective, first] = [0, await daemon.engine.reads.lastEvent()];
	const begun = first;
	await fc.assert(
		fc.asyncProperty(anyProgram, async (program) => {
			await mirroring(async (world) => {
				for (const [at, step] of program.entries()) {
					await step(world);
					const last = await daemon.engine.reads.lastEvent();
					if (last > first) effective++;
					first = last;
					if (at % 4 === 3) await agree(world);
				}
				await agree(world);
			});
		}),
		// the daemon goes on from program to program: a shorter one would begin elsewhere
		{ numRuns: long ? 60 : 3, endOnFailure: true },
	);
	const kinds = new Set((await daemon.engine.reads.events({ after: begun, limit: 100_000 })).map(({ kind }) => kind));
	expect(effective).toBeGreaterThan(long ? 600 : 15);
	expect([...kinds]).toEqual(
		expect.arrayContaining(["run.started", "issue.assigned", "agent.spawned", "prompt.queued"]),
	);
	expect(kinds.size).toBeGreaterThan(long ? 60 : 20);
});

test("control: a mirror that forgets runs, or keeps waits that have ended, is found out", {
	timeout: 120_000,
}, async () => {
	await mirroring(async (world) => {
		shown = { boards: [web], threads: [] };
		await world.mirror.show(shown);
		await agree(world);
		const { fold } = world.mirror.view;
		const forgotten = ["run.started", "wait.ended"];
		world.mirror.view.fold = (event) =>
			forgotten.includes(event.kind) ? undefined : Reflect.apply(fold, world.mirror.view, [event]);
		await beginWork(world);
		await said(client().call("waitOpen", { body: { agents: [of(world, 0)], timeoutMs: 1 } }));
		const found = async () => {
			const { mirrored, answered } = plain(await both(world));
			return Object.keys(answered).filter((name) => !isDeepStrictEqual(mirrored[name], answered[name]));
		};
		await expect
			.poll(found, { timeout: 30_000 })
			.toEqual(expect.arrayContaining(["issues", "rows: waits", "rows: runs"]));
	});
});

test("control: a mirror that folds one kind of event wrongly is found out", { timeout: 60_000 }, async () => {
	await mirroring(async (world) => {
		await agree(world);
		const { fold } = world.mirror.view;
		world.mirror.view.fold = (event) =>
			event.kind === "mail.sent" ? undefined : Reflect.apply(fold, world.mirror.view, [event]);
		await client().call("send", { params: { agent: of(world, 0) }, body: { body: "unseen" } });
		await expect.poll(async () => world.mirror.at >= (await daemon.engine.reads.lastEvent())).toBe(true);
		const { mirrored, answered } = await both(world);
		expect(mirrored.agents).not.toEqual(answered.agents);
		expect(mirrored.projects).toEqual(answered.projects);
	});
});

test("has the words of a running turn before they are an item, and its items in time; another store is begun anew", {
	timeout: 120_000,
}, async () => {
	await mirroring(async (world) => {
		const agent = AgentId.parse(of(world, 0));
		shown = { boards: [web], threads: [agent] };
		void world.mirror.show(shown);
		const { number } = await client().call("issueAdd", { params: { project: "web" }, body: { title: "look at it" } });
		await client().call("issueEscalate", { params: { issue: `web#${number}` }, body: { reason: "look" } });
		await agree(world);
		const { answered } = await both(world);
		expect(answered.inbox.reviews.length).toBeGreaterThan(0);
		expect(answered.boards.flat().flatMap(({ issues }) => issues).length).toBeGreaterThan(0);
		expect(answered.tree.map(({ depth }) => depth)).toContain(1);
		const heard: string[] = [];
		const watching = setInterval(() => heard.push(...world.mirror.messages(agent).map(({ text }) => text)), 1);
		await client().call("prompt", {
			params: { agent },
			body: { text: "say first words\nrun sleep 0.3\nsay last words", now: true },
		});
		await expect
			.poll(async () => (await client().call("turns", { params: { agent } })).at(-1)?.state, { timeout: 30_000 })
			.toBe("completed");
		clearInterval(watching);
		await agree(world);
		expect(heard.join(" ")).toContain("words");
		expect(world.mirror.messages(agent)).toEqual([]);
		expect(world.mirror.thread(agent).at(-1)?.kind).toBe("final");
		const before = world.mirror.at;
		await daemon[Symbol.asyncDispose]();
		home = freshFolder();
		await start();
		await client().call("projectAdd", { body: { slug: "web", path: freshRepository() } });
		shown = { boards: [web], threads: [] };
		await expect.poll(() => world.mirror.state === "live" && world.mirror.at < before, { timeout: 20_000 }).toBe(true);
		await agree(world);
	});
});
