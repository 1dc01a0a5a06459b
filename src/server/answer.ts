// Answers one route of the contract: authenticates the caller, parses the request, and carries it out here or at the
// node that has the files and processes.
import { z } from "zod";
import { ErrandAnswer, ErrandRequest, ErrandResult } from "#contract/errand.ts";
import { IdempotencyKey } from "#contract/ids.ts";
import { type PageRequest, pageMax, slicePage } from "#contract/page.ts";
import { isRefusal, type Refusal, refusalCodes, refuse } from "#contract/refusal.ts";
import { isEnough, isList, leastRole, Paging, queryOf, scope } from "#contract/routes/route.ts";
import { type Route, type RouteName, routes } from "#contract/routes.ts";
import { validationMessage } from "#contract/validation-message.ts";
import { PageText } from "#engine/loop/context-pages.ts";
import { faultRefusal } from "#engine/loop/fault.ts";
import { doneWithin } from "#engine/loop/time-limits.ts";
import type { Ids } from "#engine/ports/clock.ts";
import { atNode } from "./ask-route.ts";
import { authenticated, type Guard, unauthorized } from "./auth.ts";
import type { HttpRequest, HttpResponse } from "./exchange.ts";
import { fingerprintOf, type Idempotency, type KeyedRequest } from "./idempotency.ts";
import { otherNodeFor } from "./node-for-request.ts";
import type { HandledRoute, Handlers, RequestContext, RouteRequest } from "./request-context.ts";

export interface AnswerParts {
	guard: Guard;
	ids: Ids;
	handlers: Handlers;
	context: RequestContext;
	idempotency: Idempotency;
	/** reports an unexpected error of a handler; the caller is not told its text */
	failed(error: unknown, request: string): void;
}

/** how often it is looked at whether a command is answered at all */
const lookMs = 1000;

export const bodyBytesMax = 4 * 1024 * 1024;
export const tooLarge = refuse("TOO_LARGE", `A request has at most ${bodyBytesMax} bytes.`);

interface RouteMatch {
	name: string;
	route: Route;
	params: Readonly<Record<string, string>>;
}

/** A request as it was sent, by a caller who was authenticated. */
interface AuthenticatedRequest extends Pick<AuthenticatedCaller, "actor" | "role" | "browser"> {
	name: RouteName;
	route: Route;
	params: Readonly<Record<string, string>>;
	query: string;
	body: string;
	key: string | null;
	gone?: AbortSignal;
}

export async function answer(
	parts: AnswerParts,
	{ name, route, params }: RouteMatch,
	request: HttpRequest,
): Promise<HttpResponse> {
	const caller = authenticated(request.headers, parts.guard);
	if (caller === null) return refused(unauthorized);
	const forbidden = notFor(caller, route);
	if (forbidden !== null) return refused(forbidden);
	const outside = await parts.context.outsideTurn(caller.actor);
	if (!isRouteName(name)) throw new Error(`${name} is not a route`);
	const body = route.body === undefined ? "" : await request.text(bodyBytesMax);
	if (body === null) return refused(outside ?? tooLarge);
	const { actor, role, browser } = caller;
	const { query, headers, gone } = request;
	const asked: AuthenticatedRequest = {
		...{ actor, role, browser },
		name,
		route,
		params,
		query,
		body,
		key: headers.get("idempotency-key") ?? null,
		gone,
	};
	const given = parsed(asked);
	if (isRefusal(given)) return refused(outside ?? given);
	const away = outside === null ? await otherNodeFor(parts.context, route, given) : null;
	if (away === null) return await carriedOut(parts, asked, given, outside);
	// a retry may be answered after the node that carried it out is gone
	const known = await earlierAnswer(parts, asked, given);
	if (known !== null) return shown(known, asked);
	const unanswered = async (refusal: Refusal): Promise<HttpResponse> =>
		refusal.code === "NODE_DOWN" && isAnsweredFromRows(route, refusal)
			? await carriedOut(parts, asked, given, outside)
			: refused(refusal);
	if (isRefusal(away)) return await unanswered(away);
	const errand = { route: name, params, query, body, actor, role, key: given.key };
	const done = await parts.context.engine.errands.ask(away, JSON.stringify(errand), gone);
	if (isRefusal(done)) return await unanswered(done);
	const answer = ErrandAnswer.parse(JSON.parse(done.answer));
	const { error } = answer.status < 400 ? {} : ErrandResult.parse(JSON.parse(answer.body));
	return error === undefined ? { ...answer, headers: jsonHeaders } : refused(atNode(error, away));
}

const isAnsweredFromRows = ({ fromRows }: Route, { details }: Refusal): boolean =>
	fromRows === "not active" || (fromRows === "removed" && details["state"] === "removed");

/** Carries out what another node was asked; the caller was authenticated there. */
export async function carryOut(parts: AnswerParts, request: string): Promise<string> {
	const { status, body } = await errandAnswer(parts, ErrandRequest.parse(JSON.parse(request)));
	return JSON.stringify({ status, body: String(body) } satisfies ErrandAnswer);
}

async function errandAnswer(parts: AnswerParts, { route: name, ...rest }: ErrandRequest): Promise<HttpResponse> {
	try {
		if (!isRouteName(name)) throw new Error(`${name} is not a route`);
		const asked: AuthenticatedRequest = { ...rest, browser: null, name, route: routes[name] };
		const outside = await parts.context.outsideTurn(rest.actor);
		const given = parsed(asked);
		return isRefusal(given) ? refused(outside ?? given) : await carriedOut(parts, asked, given, outside);
	} catch (error) {
		return refused(failureRefusal(parts, error, `${name} for another node`));
	}
}

/** The refusal for an error: that of a known fault, else INTERNAL_ERROR, and the error is reported. */
export function failureRefusal(parts: Pick<AnswerParts, "failed">, error: unknown, request: string): Refusal {
	const known = faultRefusal(error);
	if (known !== null) return known;
	parts.failed(error, request);
	return refuse("INTERNAL_ERROR", "Something went wrong inside the daemon; its log says what.", {
		suggestions: ["brood logs --level error"],
	});
}

type AuthenticatedCaller = NonNullable<ReturnType<typeof authenticated>>;

/** The refusal for a caller who may not call the route at all. */
function notFor({ actor, role }: AuthenticatedCaller, route: Route): Refusal | null {
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

/**
 * A request that changes something under a key is carried out once. An agent whose turn is over may still get the
 * answer of its earlier request.
 */
async function carriedOut(
	parts: AnswerParts,
	asked: AuthenticatedRequest,
	request: RouteRequest<never>,
	outside: Refusal | null,
): Promise<HttpResponse> {
	const { name, route } = asked;
	// each handler takes exactly what its route's schemas have parsed
	const { command } = route;
	const handler: (request: RouteRequest<never>) => Promise<object> =
		command === undefined ? handlerOf(parts.handlers, name) : (each) => parts.context.routeCommand(each, command);
	const keyed = keyedRequest(parts, asked, request);
	if (keyed === null) {
		const refusal = outside ?? (await unknownProject(parts, route, request));
		return shown(refusal ?? (await handler({ ...request, key: null })), asked);
	}
	if (outside !== null) return shown((await parts.idempotency.answered(keyed)) ?? outside, asked);
	const result = parts.idempotency.answer(keyed, (earlier, fingerprint) =>
		handler({ ...request, earlier, fingerprint }),
	);
	return shown(await orUnknown(parts.context, keyed, result), asked);
}

/**
 * The result; a refusal while the store does not say whether the request's command was written. The request goes on:
 * one with the same key gets its result.
 */
async function orUnknown({ engine }: RequestContext, keyed: KeyedRequest, result: Promise<object>): Promise<object> {
	while (!(await doneWithin(lookMs, result)))
		if (engine.isUnanswered(keyed))
			return refuse(
				"STORE_UNAVAILABLE",
				"The store does not answer: it is not known whether this was done. It may still be done when the store answers; look before you repeat it. A request with the same key is done only once.",
				{ suggestions: ["brood status", "brood doctor"] },
			);
	return await result;
}

/**
 * The refusal for a list of an unknown project. With a name in the path, the project only says where that is looked up
 * first; an agent sees its own project, whichever it names.
 */
async function unknownProject(
	{ context }: AnswerParts,
	{ path }: Route,
	{ query, role }: RouteRequest<never>,
): Promise<Refusal | null> {
	if (path.includes(":") || role === null) return null;
	return await context.unknownProject(scope.strip().parse(query).project);
}

/** Null where nothing is remembered: no key, or nothing that changes anything. */
function keyedRequest(
	{ ids }: AnswerParts,
	{ name, route }: AuthenticatedRequest,
	{ actor, key, params, query, body }: RouteRequest<never>,
): KeyedRequest | null {
	if (route.method === "get" || key === null) return null;
	return { route: name, actor, key, fingerprint: fingerprintOf([name, params, query, body], ids.digest) };
}

async function earlierAnswer(
	parts: AnswerParts,
	asked: AuthenticatedRequest,
	request: RouteRequest<never>,
): Promise<object | null> {
	const keyed = keyedRequest(parts, asked, request);
	return keyed === null ? null : await parts.idempotency.answered(keyed);
}

function shown(result: object, { route, query }: AuthenticatedRequest): HttpResponse {
	if (isRefusal(result)) return refused(result);
	const paging = Paging.parse(queryIn(query));
	return result instanceof PageText
		? { status: 200, headers: jsonHeaders, body: answeredText(result, paging) }
		: json(answered(result, route, paging));
}

/**
 * Lists are whole, up to `pageMax` rows, unless a limit is given. Then, and wherever something is missing, `next` is
 * what `after` has to be for the next page.
 */
function answered(result: object, route: Route, { limit, after }: z.infer<typeof Paging>): object {
	if (!isList(route)) return { data: result };
	// what a command has changed is at hand already
	const page: { data?: unknown; next?: unknown } = Array.isArray(result)
		? slicePage(result, pageOf({ limit, after }))
		: result;
	const whole = limit === undefined && after === undefined && page.next === null;
	return whole ? { data: page.data } : page;
}

/** The same for a list that is JSON already. */
function answeredText({ text, next }: PageText, { limit, after }: z.infer<typeof Paging>): string {
	const whole = limit === undefined && after === undefined && next === null;
	return whole ? `{"data":${text}}` : `{"data":${text},"next":${next}}`;
}

const pageOf = ({ limit = pageMax, after = 0 }: z.infer<typeof Paging>): PageRequest => ({ limit, after });

function parsed(asked: AuthenticatedRequest): RouteRequest<never> | Refusal {
	const { route, params, actor, role, browser, gone } = asked;
	const key = IdempotencyKey.nullable().safeParse(asked.key);
	if (!key.success) return refuse("VALIDATION_ERROR", validationMessage(key.error));
	const query = queryOf(route).safeParse(queryIn(asked.query));
	if (!query.success) return refuse("VALIDATION_ERROR", validationMessage(query.error));
	const body = (route.body ?? z.strictObject({})).safeParse(jsonOf(asked.body === "" ? "{}" : asked.body));
	if (!body.success) return refuse("VALIDATION_ERROR", validationMessage(body.error));
	// biome-ignore lint/suspicious/noExplicitAny: the schemas of the route have just given it its type
	const request: any = {
		...{ params, actor, role, browser, gone, query: query.data, body: body.data, key: key.data },
		page: pageOf(Paging.parse(queryIn(asked.query))),
		earlier: null,
	};
	return request;
}

/** Of a parameter that is there twice the first one counts. */
export const queryIn = (query: string): Record<string, string> =>
	Object.fromEntries([...new URLSearchParams(query)].toReversed());

export function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

const isRouteName = (name: string): name is RouteName => Object.hasOwn(routes, name);

const jsonHeaders = { "content-type": "application/json" };

export const json = (body: object, headers: Readonly<Record<string, string>> = {}, status = 200): HttpResponse => ({
	status,
	headers: { ...jsonHeaders, ...headers },
	body: JSON.stringify(body),
});

export const refused = (refusal: Refusal): HttpResponse =>
	json({ error: refusal }, {}, refusalCodes[refusal.code].status);
