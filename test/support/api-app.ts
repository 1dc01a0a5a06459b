// The HTTP app on an engine, without a daemon around it.
import { homeSpace } from "#adapters/system/home-space.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { refuse } from "#contract/refusal.ts";
import type { Engine } from "#engine/engine.ts";
import { type App, appOf } from "#server/app.ts";
import type { Guard } from "#server/auth.ts";
import { Browsers } from "#server/browsers.ts";
import { handlersOf } from "#server/handlers.ts";
import { Idempotency } from "#server/idempotency.ts";
import { RequestContext } from "#server/request-context.ts";
import { answerMcp } from "#surfaces/mcp/http.ts";

export const url = "http://127.0.0.1:1";
export const host = "127.0.0.1:1";

/** Nobody but the owner, until a test says otherwise. */
const nobody: Guard["persons"] = { named: () => undefined, withHash: () => undefined };

export interface Sent {
	method: string;
	/** with the query */
	path: string;
	headers: Readonly<Record<string, string>>;
	body?: string;
}

/** Sends a request to the app and answers its body. */
export async function ask(app: App, { method, path, headers, body = "" }: Sent): Promise<string> {
	const [name = "", query = ""] = path.split("?");
	const answer = await app({
		...{ method, path: name, query, headers: new Map(Object.entries(headers)) },
		text: async () => body,
		gone: new AbortController().signal,
	});
	return await new Response(answer.body instanceof ReadableStream ? answer.body : String(answer.body)).text();
}

export function apiApp(engine: Engine, given: Pick<Guard, "token" | "tokens" | "hosts"> & Partial<Guard>): App {
	const guard: Guard = { persons: nobody, scheme: "http", browsers: browsersIn(given), ...given };
	const context = new RequestContext(engine, { types: ["scripted", "human"], blockingTypes: [] });
	return appOf({
		guard,
		ids: randomIds,
		handlers: handlersOf(
			context,
			{ pid: 1, url, remoteUrl: null, version: "0", home: "/nowhere", containment: "groups" },
			{
				credentialProblem: () => null,
				keyFiles: { keep: (name) => `/nowhere/${name}.env`, drop: () => {} },
				rotateToken: () => "/nowhere/token",
				vendors: {
					all: () => [],
					install: async () => refuse("VALIDATION_ERROR", "There is nothing to set up here."),
				},
				space: () => homeSpace("/nowhere"),
				browsers: { all: guard.browsers, cutStreams: () => {} },
				personsChanged: async () => {},
			},
		),
		context,
		idempotency: new Idempotency(engine),
		mcp: (call, app) => answerMcp(call, { url, app }),
		web: async () => "/nowhere",
		version: "0",
		failed: () => {},
	});
}

const browsersIn = ({ token }: { token: string }): Browsers =>
	new Browsers({
		kept: null,
		keep: () => {},
		now: () => Date.now(),
		fresh: () => randomIds.secret(),
		token: () => token,
		url,
	});
