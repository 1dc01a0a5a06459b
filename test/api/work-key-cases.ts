// The cases of keys for issues and workspaces.
import { bodies, type Changing, type Make } from "./key-case.ts";
import { project, type Subjects } from "./key-subjects.ts";

const verb =
	(body: object, other: object): Make =>
	async (c) => {
		const { params, after } = await c.issue();
		return bodies({ params }, body, other, after);
	};

export const issues = {
	issueAdd: async (c) =>
		bodies({ params: { project } }, { title: "new" }, { title: "newer" }, async () => await c.issue()),
	issueEdit: verb({ title: "other" }, { title: "another" }),
	issueDelete: async (c) => {
		const [{ params }, other] = [await c.issue(), await c.issue()];
		return { params, other: { params: other.params } };
	},
	issueStart: async (c) => ({ ...(await verb({}, {})(c)), other: { params: { issue: `${project}#1` }, body: {} } }),
	issueAssign: async (c) => {
		const { params, after } = await c.issue();
		const agent = (await c.agent()).handle;
		return bodies({ params }, { agent }, { agent, now: true }, after);
	},
	issueUnassign: async (c) => {
		const [{ params, after }, agent] = [await c.issue(), await c.agent()];
		await c.client.ask("issueAssign", { params, body: { agent: agent.handle } });
		await c.turnOf(agent);
		await c.client.ask("interrupt", { ...c.of(agent), body: {} });
		return { params, body: {}, other: { params: { issue: `${project}#1` }, body: {} }, after };
	},
	issueMove: verb({ stage: "IN_PROGRESS" }, { stage: "DONE" }),
	issueDepend: async (c) => {
		const { params, after } = await c.issue();
		const on = (await c.issue()).issue.number;
		return bodies({ params }, { on }, { on: 1 }, after);
	},
	issueUndepend: async (c) => {
		const [{ params, after }, on] = [await c.issue(), (await c.issue()).issue.number];
		await c.client.ask("issueDepend", { params, body: { on } });
		return { params: { ...params, on: String(on) }, other: { params: { ...params, on: "1" } }, after };
	},
	issueComment: async (c) => {
		const { params } = await c.issue();
		const say = async (text: string) => await c.client.ask("issueComment", { params, body: { text } });
		await say("before");
		return bodies({ params }, { text: "this" }, { text: "that" }, async () => await say("after"));
	},
	issueDocument: async (c) => {
		const { params } = await c.issue();
		const body = { name: "notes.md", text: "words" };
		const after = async () => await c.client.ask("issueDocument", { params, body: { ...body, text: "other words" } });
		return bodies({ params }, body, { ...body, text: "no words" }, after);
	},
	issueMessage: async (c) => {
		const { params } = await c.issue();
		const body = { stage: "IN_PROGRESS", text: "mind the step" };
		const after = async () => await c.client.ask("issueComment", { params, body: { text: "x" } });
		return bodies({ params }, body, { ...body, text: "no" }, after);
	},
	issueApprove: async (c) => {
		const body = { empty: true };
		return { ...(await gated(c)), body, other: { ...(await gated(c)), body } };
	},
	issueReject: async (c) => {
		const { params } = await gated(c);
		return bodies({ params }, { reason: "no" }, { reason: "never" });
	},
	issueRetry: async (c) => {
		const { params, after } = await c.issue();
		await c.client.ask("issueEscalate", { params, body: { reason: "look" } });
		return { params, body: {}, other: { params: { issue: `${project}#1` }, body: {} }, after };
	},
	issueEscalate: async (c) => {
		const { params } = await c.issue();
		const after = async () => await c.client.ask("issueRetry", { params, body: {} });
		return bodies({ params }, { reason: "look" }, { reason: "look away" }, after);
	},
	workComplete: async (c) => {
		const { params, after } = await c.issue();
		return { params, body: { summary: "done" }, other: { params, body: { summary: "not" } }, after, refused: true };
	},
} satisfies Partial<Record<Changing, Make>>;

/** An issue that waits for a person. */
async function gated(c: Subjects): Promise<{ params: { issue: string } }> {
	const { params } = await c.issue();
	await c.client.ask("issueMove", { params, body: { stage: "IN_PROGRESS" } });
	await c.client.ask("issueMove", { params, body: { stage: "IN_REVIEW" } });
	return { params };
}

export const workspaces = {
	commit: async (c) => {
		const agent = await c.worker();
		return bodies(c.of(agent), { message: "work" }, { message: "play" }, async () => c.write(agent));
	},
	sync: async (c) => {
		const agent = await c.settler();
		await c.ahead(agent);
		return bodies(c.of(agent), {}, { strategy: "merge" }, async () => await c.ahead(agent));
	},
	syncProject: async (c) => {
		const agent = await c.settler();
		await c.ahead(agent);
		const params = { project: agent.project ?? "" };
		return {
			params,
			body: {},
			other: { params: { project: "none" }, body: {} },
			after: async () => await c.ahead(agent),
		};
	},
	release: async (c) => {
		const agent = await c.settler();
		await c.ahead(agent);
		return {
			...c.of(agent),
			body: {},
			other: { ...c.of(agent), query: { project } },
			after: async () => await c.ahead(agent),
		};
	},
	approve: async (c) => {
		const agent = await c.settler();
		await c.committed(agent);
		return bodies(c.of(agent), { strategy: "merge" }, {}, async () => await c.committed(agent));
	},
	check: async (c) => {
		const agent = await c.settler();
		await c.committed(agent);
		return {
			...c.of(agent),
			body: {},
			other: { ...c.of(agent), query: { project } },
			after: async () => await c.committed(agent),
		};
	},
	issueCheck: async (c) => {
		const { params, after } = await c.issue();
		return { params, body: {}, other: { params, query: { project }, body: {} }, after, refused: true };
	},
	review: async (c) => {
		const agent = await c.agent();
		const body = { comments: [{ path: "a.ts", from: 1, to: 2, text: "why?" }] };
		return bodies(c.of(agent), body, { ...body, summary: "more" }, c.changed(agent));
	},
	pullRequest: async (c) => {
		const agent = await c.settler();
		await c.committed(agent);
		await c.remote(agent);
		return bodies(c.of(agent), {}, { title: "Another" }, async () => await c.committed(agent));
	},
	issuePullRequest: async (c) => {
		const { params, after } = await c.issue();
		return { params, body: {}, other: { params, body: { title: "Another" } }, after, refused: true };
	},
	restore: async (c) => {
		const agent = await c.worker();
		await c.client.ask("fork", { ...c.of(agent), body: { workspace: "worktree", type: "human" } });
		c.write(agent);
		const [first] = await c.client.ask("snapshots", c.of(agent));
		const body = { snapshot: first?.id };
		return bodies(c.of(agent), body, { snapshot: "99" }, async () => c.write(agent));
	},
} satisfies Partial<Record<Changing, Make>>;
