// The HTTP app: every route of the contract behind one guard, one parser and one error format.
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { z } from "zod";
import { EnterRequest } from "#contract/browser.ts";
import { agentOf, Key } from "#contract/ids.ts";
import { type PageRequest, pageMax, slicePage } from "#contract/page.ts";
import { isRefusal, type Refusal, refusalCodes, refuse } from "#contract/refusal.ts";
import { isEnough, isList, leastRole, Paging, queryOf } from "#contract/routes/route.ts";
import { type Route, type RouteName, routes } from "#contract/routes.ts";
import { validationMessage } from "#contract/validation-message.ts";
import { PageText } from "#engine/loop/context-pages.ts";
import { faultRefusal } from "#engine/loop/fault.ts";
import type { Ids } from "#engine/ports/clock.ts";
import { authenticated, type Guard, isForUs, mayEnter, proofFor } from "./auth.ts";
import { fingerprintOf, type Idempotency } from "./idempotency.ts";
import { openApi } from "./openapi/document.ts";
import type { HandledRoute, Handlers, RequestContext, RouteRequest } from "./request-context.ts";
import { isPage, webFile } from "./web-files.ts";

export interface AppParts {
	guard: Guard;
	ids: Ids;
	handlers: Handlers;
	context: Pick<RequestContext, "routeCommand" | "outsideTurn">;
	once: Idempotency;
	/** answers an agent over MCP; its tools call `routes` with the agent's own token */
	mcp(
		call: { request: Request; self: string; token: string },
		routes: (request: Request) => Response | Promise<Response>,
	): Promise<Response>;
	/** the folder with the dashboard's files */
	web(): Promise<string>;
	version: string;
	/** reports an unexpected error of a handler; the caller is not told its text */
	failed(error: unknown, request: string): void;
}

const bodyBytesMax = 4 * 1024 * 1024;

export function appOf(parts: AppParts): Hono {
	const app = new Hono();
	app.get("/api/health", (context) => context.json({ status: "ok", boot: parts.guard.browsers.boot }));
	app.get("/api/proof", (context) => {
		const proof = proofFor(context.req.query("nonce"), parts.guard);
		return proof === null
			? refused(context, refuse("VALIDATION_ERROR", "nonce: 22 to 128 characters of base64url"))
			: context.json({ data: { proof } });
	});
	app.post("/api/enter", (context) => enter(parts, context));
	for (const place of ["/api/*", "/mcp"]) {
		app.use(place, async (context, next) => {
			if (authenticated(context.req.raw.headers, parts.guard) === null) return refused(context, unauthorized);
			return await next();
		});
		app.use(
			place,
			bodyLimit({
				maxSize: bodyBytesMax,
				onError: (context) => refused(context, refuse("TOO_LARGE", `A request has at most ${bodyBytesMax} bytes.`)),
			}),
		);
	}
	app.all("/mcp", async (context) => {
		const caller = authenticated(context.req.raw.headers, parts.guard);
		const self = caller && agentOf(caller.actor);
		if (self === null)
			return refused(
				context,
				refuse("FORBIDDEN", "These tools are for agents; people have the API and the command line."),
			);
		const token = context.req.header("authorization")?.slice("Bearer ".length) ?? "";
		return await parts.mcp({ request: context.req.raw, self, token }, app.fetch);
	});
	app.get("/api/openapi.json", (context) => context.json(openApi(parts.version)));
	for (const [name, route] of Object.entries<Route>(routes)) {
		for (const { method, path } of [route, ...(route.alias ? [route.alias] : [])])
			app.on(method, path, (context) => answer(parts, context, name, route));
	}
	app.get("*", async (context, next) =>
		isPage(context.req.path) && isForUs(context.req.raw.headers, parts.guard)
			? await webFile(context.req.path, parts.web)
			: await next(),
	);
	app.notFound((context) =>
		authenticated(context.req.raw.headers, parts.guard) === null
			? refused(context, unauthorized)
			: refused(context, refuse("NOT_FOUND", "There is nothing here.")),
	);
	app.onError((error, context) => {
		const known = faultRefusal(error);
		if (known !== null) return refused(context, known);
		// the caller has left, and nothing went wrong here
		if (isCutOff(error)) return refused(context, refuse("VALIDATION_ERROR", "The request ended before its body did."));
		parts.failed(error, `${context.req.method} ${context.req.routePath}`);
		return refused(
			context,
			refuse("INTERNAL_ERROR", "Something went wrong inside the daemon; its log says what.", {
				suggestions: ["brood logs --level error"],
			}),
		);
	});
	return app;
}

/** Node's error for a caller that left in the middle of its request. */
const isCutOff = (error: Error): boolean =>
	error.message === "aborted" && "code" in error && error.code === "ECONNRESET";

/** A page exchanges the code of its link for a cookie and the second secret. */
async function enter({ guard }: AppParts, context: Context): Promise<Response> {
	if (!mayEnter(context.req.raw.headers, guard)) return refused(context, unauthorized);
	const request = EnterRequest.safeParse(jsonOf((await context.req.text()).slice(0, 1000)));
	const name = context.req.header("user-agent") ?? "a browser";
	const entered = request.success ? guard.browsers.enter(request.data.code, name) : null;
	if (entered === null)
		return refused(
			context,
			refuse("UNAUTHORIZED", "This link was used already or is too old; `brood ui` makes a new one."),
		);
	const { cookie, secret, expiresAt } = entered;
	return context.json({ data: { secret, expiresAt } }, 200, { "set-cookie": cookie, "cache-control": "no-store" });
}

const unauthorized = refuse("UNAUTHORIZED", "This needs the daemon's token.");

async function answer(parts: AppParts, context: Context, name: string, route: Route): Promise<Response> {
	const caller = authenticated(context.req.raw.headers, parts.guard);
	if (caller === null) return refused(context, unauthorized);
	const forbidden = notFor(caller, route);
	if (forbidden !== null) return refused(context, forbidden);
	const outside = await parts.context.outsideTurn(caller.actor);
	if (!isRouteName(name)) throw new Error(`${name} is not a route`);
	const request = await parsed(context, route, caller);
	if (isRefusal(request)) return refused(context, outside ?? request);
	// each handler takes exactly what its route's schemas have parsed
	const { command } = route;
	const handler: (request: RouteRequest<never>) => Promise<object> =
		command === undefined ? handlerOf(parts.handlers, name) : (each) => parts.context.routeCommand(each, command);
	const result = await carriedOut(parts, { name, outside, changes: route.method !== "get" }, request, handler);
	if (isRefusal(result)) return refused(context, result);
	const paging = Paging.parse(context.req.query());
	if (result instanceof PageText)
		return context.body(answeredText(result, paging), 200, { "content-type": "application/json" });
	return context.json(answered(result, route, paging));
}

type Caller = NonNullable<ReturnType<typeof authenticated>>;

/** The refusal for a caller who may not call the route at all. */
function notFor({ actor, role }: Caller, route: Route): Refusal | null {
	if (role === null) return route.agents === true ? null : refuse("FORBIDDEN", "This is not for agents.");
	if (isEnough(role, route)) return null;
	return refuse("FORBIDDEN", `This needs the role ${leastRole(route)}; ${actor} has the role ${role}.`, {
		details: { role, needed: leastRole(route) },
	});
}

function handlerOf(handlers: Handlers, name: RouteName): (request: RouteRequest<never>) => Promise<object> {
	const isHandled = (each: RouteName): each is HandledRoute => Object.hasOwn(handlers, each);
	if (!isHandled(name)) throw new Error(`${name} has no handler`);
	return handlers[name];
}

interface RequestKind {
	name: RouteName;
	outside: Refusal | null;
	changes: boolean;
}

/**
 * A request that changes something under a key is carried out once. An agent whose turn is over may still get the
 * answer of its earlier request.
 */
async function carriedOut(
	parts: AppParts,
	{ name, outside, changes }: RequestKind,
	request: RouteRequest<never>,
	handler: (request: RouteRequest<never>) => Promise<object>,
): Promise<object> {
	const { actor, key, params, query, body } = request;
	if (!changes || key === null) return outside ?? (await handler({ ...request, key: null }));
	const keyed = { route: name, actor, key, fingerprint: fingerprintOf([name, params, query, body], parts.ids.digest) };
	if (outside !== null) return (await parts.once.answered(keyed)) ?? outside;
	return await parts.once.answer(keyed, (earlier, fingerprint) => handler({ ...request, earlier, fingerprint }));
}

/**
 * Lists are whole, up to `pageMax` rows, unless a limit is given. Then, and wherever something is missing, `next` is what
 * `after` has to be for the next page.
 */
function answered(result: object, route: Route, { limit, after }: z.infer<typeof Paging>): object {
	if (!isList(route)) return { data: result };
	// what a command has changed is at hand already
	const page = Array.isArray(result) ? slicePage(result, pageOf({ limit, after })) : result;
	const whole = limit === undefined && after === undefined && Reflect.get(page, "next") === null;
	return whole ? { data: Reflect.get(page, "data") } : page;
}

/** The same for a list that is JSON already. */
function answeredText({ text, next }: PageText, { limit, after }: z.infer<typeof Paging>): string {
	const whole = limit === undefined && after === undefined && next === null;
	return whole ? `{"data":${text}}` : `{"data":${text},"next":${next}}`;
}

const pageOf = ({ limit = pageMax, after = 0 }: z.infer<typeof Paging>): PageRequest => ({ limit, after });

async function parsed(context: Context, route: Route, caller: Caller): Promise<RouteRequest<never> | Refusal> {
	const key = Key.nullable().safeParse(context.req.header("idempotency-key") ?? null);
	if (!key.success) return refuse("VALIDATION_ERROR", validationMessage(key.error));
	const query = queryOf(route).safeParse(context.req.query());
	if (!query.success) return refuse("VALIDATION_ERROR", validationMessage(query.error));
	const text = route.body === undefined ? "" : await context.req.text();
	const body = (route.body ?? z.strictObject({})).safeParse(jsonOf(text === "" ? "{}" : text));
	if (!body.success) return refuse("VALIDATION_ERROR", validationMessage(body.error));
	// biome-ignore lint/suspicious/noExplicitAny: the schemas of the route have just given it its type
	const request: any = {
		params: context.req.param(),
		query: query.data,
		body: body.data,
		page: pageOf(Paging.parse(context.req.query())),
		actor: caller.actor,
		role: caller.role,
		key: key.data,
		earlier: null,
		gone: context.req.raw.signal,
	};
	return request;
}

function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

const isRouteName = (name: string): name is RouteName => Object.hasOwn(routes, name);

function refused(context: Context, refusal: Refusal): Response {
	return context.json({ error: refusal }, refusalCodes[refusal.code].status);
}
