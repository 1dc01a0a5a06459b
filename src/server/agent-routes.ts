// The door for agents: what a process may ask of the daemon with its token. People come in by another one.
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { z } from "zod";
import { type Actor, type AgentId, actingAgent, Key } from "#contract/ids.ts";
import { isRefusal, type Refusal, refusalCodes, refuse } from "#contract/refusal.ts";
import type { Engine } from "#engine/engine.ts";
import type { Ids } from "#engine/ports.ts";
import type { Tokens } from "#engine/tokens.ts";

interface Parts {
	engine(): Engine;
	tokens: Tokens;
	ids: Ids;
}

type Variables = { agent: AgentId; actor: Actor };

const Fork = z.strictObject({ prompt: z.string().min(1).optional(), name: z.string().optional(), inherit: z.boolean().default(false) });
const Send = z.strictObject({ to: z.string().min(1).max(200), body: z.string() });
const bodyBytesMax = 2 * 1024 * 1024;

export function agentRoutes({ engine, tokens, ids }: Parts) {
	const routes = new Hono<{ Variables: Variables }>();
	routes.use(bodyLimit({ maxSize: bodyBytesMax, onError: (context) => answer(context, refuse("TOO_LARGE", `A request has at most ${bodyBytesMax} bytes.`)) }));
	routes.use(async (context, next) => {
		const [, token = ""] = /^Bearer (\S+)$/.exec(context.req.header("authorization") ?? "") ?? [];
		const agent = tokens.agentOf(token);
		if (agent === undefined) return answer(context, refuse("UNAUTHORIZED", "This needs the token of a living agent process."));
		context.set("agent", agent);
		context.set("actor", actingAgent(agent));
		return await next();
	});

	const say = async (context: { req: { header(name: string): string | undefined }; get(name: "actor"): Actor }, command: object) => {
		const key = Key.safeParse(context.req.header("idempotency-key"));
		return await engine().dispatch({ actor: context.get("actor"), key: key.success ? key.data : ids.key(), command });
	};

	routes.post("/fork", async (context) => {
		const body = Fork.safeParse(await context.req.json().catch(() => null));
		if (!body.success) return answer(context, refuse("VALIDATION_ERROR", z.prettifyError(body.error)));
		const { inherit, ...wish } = body.data;
		const outcome = await say(context, { type: "agent.spawn", by: context.get("agent"), context: inherit ? "inherit" : "fresh", ...wish });
		if ("refused" in outcome) return answer(context, outcome.refused);
		return context.json({ data: { id: outcome.done.agent?.id, handle: outcome.done.agent?.handle } });
	});

	routes.post("/send", async (context) => {
		const body = Send.safeParse(await context.req.json().catch(() => null));
		if (!body.success) return answer(context, refuse("VALIDATION_ERROR", z.prettifyError(body.error)));
		const sender = await engine().reads.agent(context.get("agent"));
		const to = await engine().resolve(body.data.to, sender?.project ?? null);
		if (isRefusal(to)) return answer(context, to);
		const outcome = await say(context, { type: "mail.send", to: to.id, body: body.data.body });
		if ("refused" in outcome) return answer(context, outcome.refused);
		return context.json({ data: { id: outcome.done.event, to: to.id } });
	});
	return routes;
}

/** Every refusal leaves by this function. */
function answer(context: { json(body: object, status: (typeof refusalCodes)[keyof typeof refusalCodes]["status"]): Response }, refusal: Refusal): Response {
	return context.json({ error: refusal }, refusalCodes[refusal.code].status);
}
