// The HTTP app: every route of the contract behind one guard, one parser and one error format.
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
import type { HttpAnswer, HttpRequest } from "./exchange.ts";
import { fingerprintOf, type Idempotency } from "./idempotency.ts";
import { openApi } from "./openapi/document.ts";
import type { HandledRoute, Handlers, RequestContext, RouteRequest } from "./request-context.ts";
import { Router } from "./router.ts";
import { isPage, webFile } from "./web-files.ts";

export interface AppParts {
	guard: Guard;
	ids: Ids;
	handlers: Handlers;
	context: Pick<RequestContext, "routeCommand" | "outsideTurn">;
	once: Idempotency;
	/** answers an agent over MCP; its tools call `app` with the agent's own token */
	mcp(call: { request: HttpRequest; body: string; self: string; token: string }, app: App): Promise<HttpAnswer>;
	/** the folder with the dashboard's files */
	web(): Promise<string>;
	version: string;
	/** reports an unexpected error of a handler; the caller is not told its text */
	failed(error: unknown, request: string): void;
}

const bodyBytesMax = 4 * 1024 * 1024;

export type App = (request: HttpRequest) => Promise<HttpAnswer>;

type Answering = (request: HttpRequest, params: Readonly<Record<string, string>>) => HttpAnswer | Promise<HttpAnswer>;

export function appOf(parts: AppParts): App {
	const router = routerOf(parts, (request) => app(request));
	const app: App = async (request) => {
		const found = router.find(request.method, request.path);
		try {
			return found === null ? await unknown(parts, request) : await found.value(request, found.params);
		} catch (error) {
			const known = faultRefusal(error);
			if (known !== null) return refused(known);
			// the caller has left, and nothing went wrong here
			if (isCutOff(error)) return refused(refuse("VALIDATION_ERROR", "The request ended before its body did."));
			parts.failed(error, `${request.method} ${found?.pattern ?? request.path}`);
			return refused(
				refuse("INTERNAL_ERROR", "Something went wrong inside the daemon; its log says what.", {
					suggestions: ["brood logs --level error"],
				}),
			);
		}
	};
	return app;
}

function routerOf(parts: AppParts, app: App): Router<Answering> {
	const { guard } = parts;
	const router = new Router<Answering>();
	router.add("get", "/api/health", () => json({ status: "ok", boot: guard.browsers.boot }));
	router.add("get", "/api/proof", ({ query }) => {
		const proof = proofFor(queryIn(query)["nonce"], guard);
		return proof === null
			? refused(refuse("VALIDATION_ERROR", "nonce: 22 to 128 characters of base64url"))
			: json({ data: { proof } });
	});
	router.add("post", "/api/enter", (request) => enter(parts, request));
	router.add("get", "/api/openapi.json", ({ headers }) =>
		authenticated(headers, guard) === null ? refused(unauthorized) : json(openApi(parts.version)),
	);
	for (const method of ["get", "post", "delete"])
		router.add(method, "/mcp", (request) => answerMcp(parts, request, app));
	for (const [name, route] of Object.entries<Route>(routes)) {
		for (const { method, path } of [route, ...(route.alias ? [route.alias] : [])])
			router.add(method, path, (request, params) => answer(parts, { name, route, params }, request));
	}
	return router;
}

/** No route: a page, or nothing. Without a token nobody learns which routes there are. */
async function unknown(parts: AppParts, { method, path, headers }: HttpRequest): Promise<HttpAnswer> {
	if (["GET", "HEAD"].includes(method) && isPage(path) && isForUs(headers, parts.guard))
		return await webFile(path, parts.web);
	return refused(
		authenticated(headers, parts.guard) === null ? unauthorized : refuse("NOT_FOUND", "There is nothing here."),
	);
}

async function answerMcp(parts: AppParts, request: HttpRequest, app: App): Promise<HttpAnswer> {
	const caller = authenticated(request.headers, parts.guard);
	if (caller === null) return refused(unauthorized);
	const self = agentOf(caller.actor);
	if (self === null)
		return refused(refuse("FORBIDDEN", "These tools are for agents; people have the API and the command line."));
	const token = request.headers.get("authorization")?.slice("Bearer ".length) ?? "";
	const body = await request.text(bodyBytesMax);
	return body === null ? refused(tooLarge) : await parts.mcp({ request, body, self, token }, app);
}

/** Node's error for a caller that left in the middle of its request. */
const isCutOff = (error: unknown): boolean =>
	error instanceof Error && error.message === "aborted" && "code" in error && error.code === "ECONNRESET";

/** A page exchanges the code of its link for a cookie and the second secret. */
async function enter({ guard }: AppParts, { headers, text }: HttpRequest): Promise<HttpAnswer> {
	if (!mayEnter(headers, guard)) return refused(unauthorized);
	const request = EnterRequest.safeParse(jsonOf((await text(1000)) ?? ""));
	const name = headers.get("user-agent") ?? "a browser";
	const entered = request.success ? guard.browsers.enter(request.data.code, name) : null;
	if (entered === null)
		return refused(refuse("UNAUTHORIZED", "This link was used already or is too old; `brood ui` makes a new one."));
	const { cookie, secret, expiresAt } = entered;
	return json({ data: { secret, expiresAt } }, { "set-cookie": cookie, "cache-control": "no-store" });
}

const unauthorized = refuse("UNAUTHORIZED", "This needs the daemon's token.");
const tooLarge = refuse("TOO_LARGE", `A request has at most ${bodyBytesMax} bytes.`);

interface FoundRoute {
	name: string;
	route: Route;
	params: Readonly<Record<string, string>>;
}

async function answer(parts: AppParts, found: FoundRoute, request: HttpRequest): Promise<HttpAnswer> {
	const { name, route } = found;
	const caller = authenticated(request.headers, parts.guard);
	if (caller === null) return refused(unauthorized);
	const forbidden = notFor(caller, route);
	if (forbidden !== null) return refused(forbidden);
	const outside = await parts.context.outsideTurn(caller.actor);
	if (!isRouteName(name)) throw new Error(`${name} is not a route`);
	const given = await parsed(request, found, caller);
	if (isRefusal(given)) return refused(outside ?? given);
	// each handler takes exactly what its route's schemas have parsed
	const { command } = route;
	const handler: (request: RouteRequest<never>) => Promise<object> =
		command === undefined ? handlerOf(parts.handlers, name) : (each) => parts.context.routeCommand(each, command);
	const result = await carriedOut(parts, { name, outside, changes: route.method !== "get" }, given, handler);
	if (isRefusal(result)) return refused(result);
	const paging = Paging.parse(queryIn(request.query));
	return result instanceof PageText
		? { status: 200, headers: jsonHeaders, body: answeredText(result, paging) }
		: json(answered(result, route, paging));
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

async function parsed(
	{ headers, query: asked, text, gone }: HttpRequest,
	{ route, params }: FoundRoute,
	caller: Caller,
): Promise<RouteRequest<never> | Refusal> {
	const key = Key.nullable().safeParse(headers.get("idempotency-key") ?? null);
	if (!key.success) return refuse("VALIDATION_ERROR", validationMessage(key.error));
	const query = queryOf(route).safeParse(queryIn(asked));
	if (!query.success) return refuse("VALIDATION_ERROR", validationMessage(query.error));
	const sent = route.body === undefined ? "" : await text(bodyBytesMax);
	if (sent === null) return tooLarge;
	const body = (route.body ?? z.strictObject({})).safeParse(jsonOf(sent === "" ? "{}" : sent));
	if (!body.success) return refuse("VALIDATION_ERROR", validationMessage(body.error));
	// biome-ignore lint/suspicious/noExplicitAny: the schemas of the route have just given it its type
	const request: any = {
		params,
		query: query.data,
		body: body.data,
		page: pageOf(Paging.parse(queryIn(asked))),
		actor: caller.actor,
		role: caller.role,
		key: key.data,
		earlier: null,
		gone,
	};
	return request;
}

/** Of a parameter that is there twice the first one counts. */
const queryIn = (query: string): Record<string, string> =>
	Object.fromEntries([...new URLSearchParams(query)].toReversed());

function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

const isRouteName = (name: string): name is RouteName => Object.hasOwn(routes, name);

const jsonHeaders = { "content-type": "application/json" };

const json = (body: object, headers: Readonly<Record<string, string>> = {}, status = 200): HttpAnswer => ({
	status,
	headers: { ...jsonHeaders, ...headers },
	body: JSON.stringify(body),
});

const refused = (refusal: Refusal): HttpAnswer => json({ error: refusal }, {}, refusalCodes[refusal.code].status);
