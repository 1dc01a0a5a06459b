// How a browser enters the dashboard: by a link, once, and then with two secrets that live in different places.
import { writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Client } from "#client/client.ts";
import { proofHeader } from "#contract/browser-proof.ts";
import { type Daemon, startDaemon } from "#src/main.ts";
import { proofOf } from "#test/support/browser-proof.ts";
import { freshFolder } from "#test/support/stores.ts";

const home = freshFolder();
let daemon: Daemon;
beforeAll(async () => {
	daemon = await startDaemon({ home });
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

interface Answer {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	data: Record<string, unknown>;
	code: unknown;
}

/** Not `fetch`, which would set headers of its own. */
async function ask(
	method: string,
	place: string,
	headers: Record<string, string> = {},
	body?: object,
): Promise<Answer> {
	const { hostname: host, port } = new URL(daemon.url);
	return await new Promise((resolve, reject) => {
		const out = httpRequest({ host, port, path: place, method, headers }, (response) => {
			let text = "";
			response.setEncoding("utf8").on("data", (chunk) => {
				text += chunk;
				if (response.headers["content-type"] === "text/event-stream") out.destroy();
			});
			response.on("close", () => {
				const { data = {}, error } = text.startsWith("{") ? JSON.parse(text) : {};
				resolve({ status: response.statusCode ?? 0, headers: response.headers, data, code: error?.code });
			});
		});
		out.on("error", reject);
		out.end(body === undefined ? undefined : JSON.stringify(body));
	});
}

const page = (): Record<string, string> => ({ origin: daemon.url, "sec-fetch-site": "same-origin" });
const client = (): Client => new Client(daemon);

async function code(): Promise<string> {
	const { url } = await client().call("browserLink", { body: {} });
	expect(url).toMatch(new RegExp(`^${daemon.url}/sign-in#[A-Za-z0-9_-]{43}$`));
	return new URL(url).hash.slice(1);
}

interface Browser {
	cookie: string;
	/** the second secret, and the proof of it for the daemon that signed it in */
	secret: string;
	proof: string;
}

/** The proof for the daemon that runs now. */
async function provenBy<B extends { secret: string }>(browser: B): Promise<B & { proof: string }> {
	const { proofNonce } = Object(await (await fetch(`${daemon.url}/api/health`)).json());
	return { ...browser, proof: proofOf(browser.secret, proofNonce, new URL(daemon.url).host) };
}

/** What a browser has after it came by a link. */
async function signedIn(): Promise<Browser> {
	const entered = await ask("POST", "/api/sign-in", { ...page(), "user-agent": "Test/1" }, { code: await code() });
	expect(entered.status).toBe(200);
	const [cookie = ""] = String(entered.headers["set-cookie"]).split(";");
	return await provenBy({ cookie, secret: String(entered.data["secret"]) });
}

const both = ({ cookie, proof }: Browser) => ({ cookie, [proofHeader]: proof });
const status = async (headers: Record<string, string>): Promise<number> =>
	(await ask("GET", "/api/agents", headers)).status;

test("a link signs one browser in, once, with a cookie that no script can read", async () => {
	const once = await code();
	const entered = await ask("POST", "/api/sign-in", page(), { code: once });
	const port = new URL(daemon.url).port;
	expect(entered.headers["set-cookie"]).toEqual([
		expect.stringMatching(
			new RegExp(`^brood_${port}=[A-Za-z0-9_-]{43}; Path=/api; HttpOnly; SameSite=Strict; Max-Age=1209600$`),
		),
	]);
	const again = await ask("POST", "/api/sign-in", page(), { code: once });
	expect([again.status, again.code, again.headers["set-cookie"]]).toEqual([401, "UNAUTHORIZED", undefined]);
	expect((await ask("POST", "/api/sign-in", page(), { code: "x".repeat(43) })).status).toBe(401);
});

test("neither secret opens anything alone, nor with a page of another port; both do: the control", async () => {
	const browser = await signedIn();
	const other = await signedIn();
	const { cookie, secret, proof } = browser;
	const elsewhere = { ...both(browser), origin: "http://127.0.0.1:1" };
	const refused: Record<string, string>[] = [
		{ cookie },
		{ [proofHeader]: proof },
		{ cookie, [proofHeader]: secret },
		{ cookie: other.cookie, [proofHeader]: proof },
		{ cookie, [proofHeader]: proof.toUpperCase() },
		{ cookie: cookie.replace("brood_", "other_"), [proofHeader]: proof },
		elsewhere,
		{ ...both(browser), "sec-fetch-site": "same-site" },
		{ ...both(browser), "sec-fetch-site": "cross-site" },
		{ ...both(browser), host: "evil.example" },
		{ ...both(browser), authorization: "Bearer x" },
	];
	for (const headers of refused) {
		expect([headers, await status(headers)]).toEqual([headers, 401]);
		expect((await ask("POST", "/api/agents/init/mail", headers, { body: "hello" })).status).toBe(401);
		expect((await ask("GET", "/api/events", headers)).status).toBe(401);
	}
	for (const headers of [both(browser), { ...both(browser), ...page() }]) {
		expect(await status(headers)).toBe(200);
		expect((await ask("GET", "/api/events", headers)).status).toBe(200);
		expect((await ask("POST", "/api/agents/init/mail", headers, { body: "hello" })).status).toBe(200);
	}
	// another server on this machine may have put a cookie of the same name before ours
	const doubled = `${cookie.split("=")[0]}=${"x".repeat(43)}; ${cookie}`;
	expect(await status({ cookie: doubled, [proofHeader]: proof })).toBe(200);
});

test("nobody but a page of ours may exchange a code, and one that was refused so can still be used", async () => {
	const unused = await code();
	const { origin = "", ...rest } = page();
	for (const headers of [
		{},
		rest,
		{ origin: "http://127.0.0.1:1" },
		{ origin: "null" },
		{ origin, "sec-fetch-site": "same-site" },
		{ origin, host: "localhost" },
	])
		expect([headers, (await ask("POST", "/api/sign-in", headers, { code: unused })).status]).toEqual([headers, 401]);
	expect((await ask("POST", "/api/sign-in", page(), { code: unused })).status).toBe(200);
});

test("a key holds as for other callers, and what a browser does a person did", async () => {
	const headers = { ...both(await signedIn()), ...page(), "idempotency-key": "browser-1" };
	const [first, second] = [
		await ask("POST", "/api/agents/init/mail", headers, { body: "once" }),
		await ask("POST", "/api/agents/init/mail", headers, { body: "once" }),
	];
	expect(second.data).toEqual(first.data);
	expect(first.data["from"]).toBe("human");
});

test("browsers are listed, signed out, and outlive the daemon on its port", async () => {
	const [stays, goes] = [await signedIn(), await signedIn()];
	const all = await client().call("browsers");
	const id = all.at(-1)?.id ?? "";
	expect(all.at(-1)).toEqual({
		id: expect.stringMatching(/^[0-9a-f]{12}$/),
		name: "Test/1",
		signedInAt: expect.any(String),
		expiresAt: expect.any(String),
		person: null,
	});
	expect(await client().call("browserSignOut", { params: { browser: id } })).toEqual(all.at(-1));
	expect([await status(both(stays)), await status(both(goes))]).toEqual([200, 401]);
	const { url } = daemon;
	await daemon[Symbol.asyncDispose]();
	daemon = await startDaemon({ home });
	expect(daemon.url).toBe(url);
	// who listened on the port meanwhile has what an open tab sent: it opens nothing
	expect([await status(both(stays)), await status({ ...both(stays), [proofHeader]: stays.secret })]).toEqual([
		401, 401,
	]);
	expect([await status(both(await provenBy(stays))), await status(both(await provenBy(goes)))]).toEqual([200, 401]);
});

test("a stream that is being opened when its browser is signed out does not begin", async () => {
	/** what the stream answers if `meanwhile` happens between its authentication and its first bytes */
	const opened = async (browser: Browser, meanwhile: () => Promise<unknown>): Promise<unknown> => {
		const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		const { engine } = daemon;
		const found = await engine.queries.resolve("init", null);
		const slow = vi.spyOn(engine.queries, "resolve").mockImplementationOnce(async () => {
			asked.resolve();
			await held.promise;
			return found;
		});
		const answer = ask("GET", "/api/events?agent=init", both(browser));
		await asked.promise;
		await meanwhile();
		held.resolve();
		const { headers } = await answer;
		slow.mockRestore();
		return headers["content-type"];
	};
	// the control: a stream that nobody cuts
	expect(await opened(await signedIn(), async () => {})).toBe("text/event-stream");
	const browser = await signedIn();
	const id = (await client().call("browsers")).at(-1)?.id ?? "";
	const signOut = async () => await client().call("browserSignOut", { params: { browser: id } });
	expect(await opened(browser, signOut)).toBeUndefined();
	expect(await status(both(browser))).toBe(401);
});

test("a rotated token signs every browser out and ends links", async () => {
	const [browser, unused] = [await signedIn(), await code()];
	expect(await status(both(browser))).toBe(200);
	await client().call("tokenRotate", { body: {} });
	expect(await status(both(browser))).toBe(401);
	expect((await ask("POST", "/api/sign-in", page(), { code: unused })).status).toBe(401);
	await daemon[Symbol.asyncDispose]();
	daemon = await startDaemon({ home });
	expect(await status(both(await provenBy(browser)))).toBe(401);
});

test("a damaged file signs everybody out and stops nothing", async () => {
	const browser = await signedIn();
	await daemon[Symbol.asyncDispose]();
	writeFileSync(path.join(home, "browsers.json"), '{"links": 3');
	daemon = await startDaemon({ home });
	expect(await status(both(await provenBy(browser)))).toBe(401);
	expect(await status(both(await signedIn()))).toBe(200);
});
