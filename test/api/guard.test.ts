// Nobody without the token changes or learns anything, whatever the request looks like.
import { createHash } from "node:crypto";
import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Route, routes } from "#contract/routes.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { contentsOf } from "#test/support/golden.ts";
import { spawn } from "#test/support/say.ts";
import { freshFolder } from "#test/support/stores.ts";

let daemon: Daemon;
beforeAll(async () => {
	daemon = await startDaemon({ home: freshFolder() });
	await spawn(daemon.engine, daemon.engine.agentZero.id, { name: "secret-agent" });
	while ((await daemon.engine.reads.agents({ life: "provisioning" })).length > 0);
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

interface Answered {
	status: number;
	body: string;
	headers: Record<string, unknown>;
}

async function ask(
	method: string,
	path: string,
	headers: Record<string, string | string[]>,
	body?: string,
): Promise<Answered> {
	const url = new URL(path, daemon.url);
	return await new Promise((resolve, reject) => {
		const out = request(
			{ host: url.hostname, port: url.port, path: url.pathname + url.search, method, headers },
			(response) => {
				let text = "";
				response.setEncoding("utf8").on("data", (chunk) => {
					text += chunk;
					// a stream that was let in would never end by itself
					if (text.length > 100_000) out.destroy();
				});
				response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }));
			},
		);
		out.on("error", reject);
		out.end(body);
	});
}

const fingerprint = async (): Promise<string> =>
	createHash("sha256")
		.update(JSON.stringify(await contentsOf(daemon.engine)))
		.digest("hex");

const places: { method: string; path: string }[] = [
	...Object.values<Route>(routes).map(({ method, path }) => ({
		method: method.toUpperCase(),
		path: path.replace(":project", "web").replace(":agent", "secret-agent").replace(":mail", "1"),
	})),
	{ method: "GET", path: "/api/events" },
	{ method: "GET", path: "/api/openapi.json" },
	{ method: "GET", path: "/api/nothing-here" },
	{ method: "GET", path: "/api/agents/secret-agent/../../health/../agents" },
];

test("every way of asking without the token is turned away alike, and leaves everything as it was", async () => {
	const { token } = daemon;
	const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
	const host = new URL(daemon.url).host;
	const strangers: [name: string, headers: Record<string, string | string[]>, query?: string][] = [
		["nothing", {}],
		["a wrong token", bearer("x".repeat(43))],
		["an empty one", bearer("")],
		["almost the token", bearer(`${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`)],
		["the token and more", bearer(`${token}x`)],
		["the token in the query", {}, `token=${token}&access_token=${token}`],
		["the token without its scheme", { authorization: token }],
		["another scheme", { authorization: `Basic ${token}` }],
		["a lower-case scheme", { authorization: `bearer ${token}` }],
		["the header twice", { authorization: [`Bearer ${token}`, `Bearer ${token}x`] }],
		["a cookie", { cookie: `token=${token}` }],
		["a page of another origin", { ...bearer(token), origin: "http://evil.example" }],
		["a page on another port", { ...bearer(token), origin: "http://127.0.0.1:1" }],
		["no origin to speak of", { ...bearer(token), origin: "null" }],
		["a name that points here", { ...bearer(token), host: "evil.example" }],
		["a name that points here, on our port", { ...bearer(token), host: `evil.example:${host.split(":")[1]}` }],
		["a rebinding page", { ...bearer(token), host: "evil.example", origin: "http://evil.example" }],
	];
	const before = await fingerprint();
	let asked = 0;
	for (const { method, path } of places) {
		for (const [name, headers, query] of strangers) {
			const answer = await ask(
				method,
				query === undefined ? path : `${path}?${query}`,
				headers,
				method === "POST" ? "{}" : undefined,
			);
			expect([answer.status, JSON.parse(answer.body).error.code], `${name} at ${method} ${path}`).toEqual([
				401,
				"UNAUTHORIZED",
			]);
			expect(answer.body).not.toMatch(/secret-agent|scripted/);
			expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
			asked++;
		}
		for (const other of ["PUT", "PATCH", "OPTIONS"]) {
			const answer = await ask(other, path, {}, other === "OPTIONS" ? undefined : "x".repeat(100_000));
			expect([answer.status, JSON.parse(answer.body).error.code], `${other} ${path}`).toEqual([401, "UNAUTHORIZED"]);
			asked++;
		}
	}
	expect(asked).toBeGreaterThan(500);
	expect(await fingerprint()).toBe(before);
});

test("the right token is let in: the control", async () => {
	const authorization = `Bearer ${daemon.token}`;
	for (const headers of [{ authorization }, { authorization, origin: daemon.url }]) {
		const answer = await ask("GET", "/api/agents", headers);
		expect([answer.status, answer.body]).toEqual([200, expect.stringContaining("secret-agent")]);
	}
	expect(JSON.parse((await ask("GET", "/api/health", {})).body)).toEqual({
		status: "ok",
		proofNonce: expect.any(String),
	});
});

test("with the token, nonsense is refused in a sentence and changes nothing", async () => {
	const headers = { authorization: `Bearer ${daemon.token}` };
	const before = await fingerprint();
	const code = async (method: string, path: string, body?: string, more: Record<string, string> = {}) =>
		JSON.parse((await ask(method, path, { ...headers, ...more }, body)).body).error?.code;
	expect(await code("POST", "/api/agents", "{ not json")).toBe("VALIDATION_ERROR");
	expect(await code("POST", "/api/agents", '{"sudo":true}')).toBe("VALIDATION_ERROR");
	expect(await code("POST", "/api/agents", '{"name":"-x"}')).toBe("VALIDATION_ERROR");
	expect(await code("POST", "/api/agents", "{}", { "idempotency-key": "no spaces please" })).toBe("VALIDATION_ERROR");
	expect(
		await code("POST", "/api/agents/secret-agent/queue", JSON.stringify({ text: "x".repeat(5 * 1024 * 1024) })),
	).toBe("TOO_LARGE");
	expect(await code("GET", "/api/agents/..%2f..%2fetc")).toBe("AGENT_NOT_FOUND");
	expect(await code("GET", "/api/agents/%00")).toBe("AGENT_NOT_FOUND");
	expect(await code("GET", "/api/agents?project=../x")).toBe("VALIDATION_ERROR");
	expect(await code("PUT", "/api/agents")).toBe("NOT_FOUND");
	expect(await code("DELETE", "/api/agents/secret-agent/mail/NaN")).toBe("NOT_FOUND");
	expect(await fingerprint()).toBe(before);
});
