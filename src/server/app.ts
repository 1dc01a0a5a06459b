// The HTTP app: every route of the contract behind one guard, one parser and one error format.
import { SignInRequest } from "#contract/browser.ts";
import { agentOf } from "#contract/ids.ts";
import { refuse } from "#contract/refusal.ts";
import { type Route, routes } from "#contract/routes.ts";
import {
	type AnswerParts,
	answer,
	bodyBytesMax,
	failureRefusal,
	json,
	jsonOf,
	queryIn,
	refused,
	tooLarge,
} from "./answer.ts";
import { authenticated, isForUs, maySignIn, proofFor, unauthorized } from "./auth.ts";
import type { HttpRequest, HttpResponse } from "./exchange.ts";
import { openApi } from "./openapi/document.ts";
import { Router } from "./router.ts";
import { isPage, webFile } from "./web-files.ts";

export interface AppParts extends AnswerParts {
	/** answers an agent over MCP; its tools call `app` with the agent's own token */
	mcp(call: { request: HttpRequest; body: string; self: string; token: string }, app: App): Promise<HttpResponse>;
	/** the folder with the dashboard's files */
	web(): Promise<string>;
	version: string;
}

export type App = (request: HttpRequest) => Promise<HttpResponse>;

type AnswerRequest = (
	request: HttpRequest,
	params: Readonly<Record<string, string>>,
) => HttpResponse | Promise<HttpResponse>;

export function appOf(parts: AppParts): App {
	const router = routerOf(parts, (request) => app(request));
	const app: App = async (request) => {
		const found = router.find(request.method, request.path);
		try {
			return found === null ? await unknown(parts, request) : await found.value(request, found.params);
		} catch (error) {
			// the caller has left, and nothing went wrong here
			if (isCutOff(error)) return refused(refuse("VALIDATION_ERROR", "The request ended before its body did."));
			return refused(failureRefusal(parts, error, `${request.method} ${found?.pattern ?? request.path}`));
		}
	};
	return app;
}

function routerOf(parts: AppParts, app: App): Router<AnswerRequest> {
	const { guard } = parts;
	const router = new Router<AnswerRequest>();
	// takes a fifth of a second on the one thread that answers everybody, and is the same for as long as the daemon runs
	let document: HttpResponse | undefined;
	router.add("get", "/api/health", () => json({ status: "ok", proofNonce: guard.browsers.proofNonce }));
	router.add("get", "/api/proof", ({ query }) => {
		const proof = proofFor(queryIn(query)["nonce"], guard);
		return proof === null
			? refused(refuse("VALIDATION_ERROR", "nonce: 22 to 128 characters of base64url"))
			: json({ data: { proof } });
	});
	router.add("post", "/api/sign-in", (request) => signIn(parts, request));
	router.add("get", "/api/openapi.json", ({ headers }) => {
		if (authenticated(headers, guard) === null) return refused(unauthorized);
		document ??= json(openApi(parts.version));
		return document;
	});
	for (const method of ["get", "post", "delete"])
		router.add(method, "/mcp", (request) => answerMcp(parts, request, app));
	for (const [name, route] of Object.entries<Route>(routes)) {
		for (const { method, path } of [route, ...(route.alias ? [route.alias] : [])])
			router.add(method, path, (request, params) => answer(parts, { name, route, params }, request));
	}
	return router;
}

/** No route: a page, or nothing. Without a token nobody learns which routes there are. */
async function unknown(parts: AppParts, { method, path, headers }: HttpRequest): Promise<HttpResponse> {
	if (["GET", "HEAD"].includes(method) && isPage(path) && isForUs(headers, parts.guard))
		return await webFile(path, parts.web);
	return refused(
		authenticated(headers, parts.guard) === null ? unauthorized : refuse("NOT_FOUND", "There is no such address."),
	);
}

async function answerMcp(parts: AppParts, request: HttpRequest, app: App): Promise<HttpResponse> {
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
async function signIn({ guard }: AppParts, { headers, text }: HttpRequest): Promise<HttpResponse> {
	if (!maySignIn(headers, guard)) return refused(unauthorized);
	const request = SignInRequest.safeParse(jsonOf((await text(1000)) ?? ""));
	const name = headers.get("user-agent") ?? "a browser";
	const signedIn = request.success ? guard.browsers.signIn(request.data.code, name) : null;
	if (signedIn === null)
		return refused(refuse("UNAUTHORIZED", "This link was used already or is too old; `brood ui` makes a new one."));
	const { cookie, secret, expiresAt } = signedIn;
	return json({ data: { secret, expiresAt } }, { "set-cookie": cookie, "cache-control": "no-store" });
}
