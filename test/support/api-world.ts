// The HTTP app without a daemon: an engine in memory, tokens that a test gives out, and no processes. Cheap
// enough to have one for every request.
import { randomIds } from "#adapters/system/ids.ts";
import type { AgentState } from "#contract/agent.ts";
import { system } from "#contract/ids.ts";
import type { Engine } from "#engine/engine.ts";
import { ProcessTokens } from "#engine/tokens.ts";
import { startEngine } from "#src/main.ts";
import { apiApp, ask, host } from "./api-app.ts";
import { done, openTurn, spawn } from "./say.ts";
import { settled } from "./settled.ts";

const personToken = "person";

export const callers = [
	"person",
	"own",
	"peer",
	"ancestor",
	"descendant",
	"stranger",
	"betweenTurns",
	"revoked",
	"none",
] as const;
export type Caller = (typeof callers)[number];

export interface ApiRequest {
	method: string;
	path: string;
	body?: unknown;
	key?: string;
}

export interface ApiWorld extends AsyncDisposable {
	engine: Engine;
	/** the agent that every request is about */
	subject: AgentState;
	/** things that belong to it */
	prompt: number;
	mail: number;
	wait: number;
	turn: number;
	item: number;
	approval: number;
	ask(caller: Caller, request: ApiRequest): Promise<{ code: string; data: unknown }>;
	/** the subject's turn is over */
	endTurn(): Promise<unknown>;
	use(caller: Caller, tool: string, input: object): Promise<{ code: string; data: unknown }>;
}

const memoryEngine = (): Promise<Engine> => startEngine({ memory: true });

/**
 * In the project `web`: ancestor ─ subject ─ descendant, a peer and one whose turn has ended; a stranger in `api`. All
 * of them but that one are in the middle of a turn.
 */
export async function apiWorld(open: () => Promise<Engine> = memoryEngine): Promise<ApiWorld> {
	const engine = await open();
	const tokens = new ProcessTokens(randomIds);
	for (const slug of ["web", "api"]) await done(engine, { type: "project.add", slug, path: `/srv/${slug}` });
	const add = (name: string, project = "web", by = engine.agentZero.id) =>
		spawn(engine, by, { name, project, workspace: "none" });
	const ancestor = await add("ancestor");
	const subject = await add("subject", "web", ancestor.id);
	const agents = {
		ancestor,
		own: subject,
		descendant: await add("descendant", "web", subject.id),
		peer: await add("peer"),
		stranger: await add("stranger", "api"),
	};
	const { event: issue = 0 } = await done(engine, { type: "issue.add", project: "web", title: "An issue" });
	await done(engine, { type: "issue.add", project: "web", title: "Another issue" });
	await done(engine, { type: "issue.assign", issueId: issue, agent: subject.id });
	await settled(engine);
	await done(engine, { type: "subscription.add", name: "plan", agentType: "claude" });
	const turns: number[] = [];
	for (const { id } of Object.values(agents)) turns.push(await openTurn(engine, id));
	const betweenTurns = await add("ended");
	const given: Record<Caller, string | null> = {
		...{
			person: personToken,
			none: null,
			betweenTurns: tokens.issue(betweenTurns.id),
			revoked: tokens.issue(subject.id),
		},
		...{ own: tokens.issue(subject.id), peer: tokens.issue(agents.peer.id), ancestor: tokens.issue(ancestor.id) },
		...{ descendant: tokens.issue(agents.descendant.id), stranger: tokens.issue(agents.stranger.id) },
	};
	tokens.revoke(given.revoked ?? "");
	const app = apiApp(engine, { token: personToken, tokens, hosts: [host] });
	const send = async (
		caller: Caller,
		{ method, path, body, key }: ApiRequest,
		accept = "application/json",
	): Promise<string> => {
		const token = given[caller];
		const headers = {
			host,
			accept,
			"content-type": "application/json",
			...(token !== null && { authorization: `Bearer ${token}` }),
			...(key && { "idempotency-key": key }),
		};
		return await ask(app, { method, path, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
	};
	const { event: prompt = 0 } = await done(engine, { type: "prompt.queue", agent: subject.id, text: "later" });
	const { event: mail = 0 } = await done(engine, { type: "mail.send", to: subject.id, body: "hello" });
	const { event: item = 0 } = await done(engine, {
		type: "item.append",
		agent: subject.id,
		kind: "user",
		text: "words",
	});
	await done(engine, { type: "context.mark", agent: subject.id, name: "here" });
	const question = { title: "may I", tool: "execute", call: null, options: [] };
	const { event: approval = 0 } = await done(
		engine,
		{ type: "approval.ask", agent: subject.id, turn: turns[1], question },
		{ as: system },
	);
	const opened = JSON.parse(
		await send("own", { method: "POST", path: "/api/waits", body: { agents: ["peer"], for: "mail" } }),
	);
	return {
		...{ engine, subject, prompt, mail, item, approval, wait: opened.data.id, turn: turns[1] ?? 0 },
		async ask(caller, request) {
			const { data, error } = JSON.parse(await send(caller, request));
			return { code: error?.code ?? "ok", data };
		},
		endTurn: () =>
			done(engine, { type: "turn.end", agent: subject.id, turn: turns[1], state: "completed" }, { as: system }),
		async use(caller, name, input) {
			const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } };
			const text = await send(caller, { method: "POST", path: "/mcp", body }, "application/json, text/event-stream");
			const { error, result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
			const data = result?._meta?.["brood/data"];
			return { code: error?.code ?? (result.isError === true ? data?.code : "ok"), data };
		},
		[Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
	};
}
