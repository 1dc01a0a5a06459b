// People with tokens of their own: what each role may do, and the listener for other machines.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { connect } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Client } from "#client/client.ts";
import type { CommandInput } from "#contract/command.ts";
import { human, PersonName } from "#contract/ids.ts";
import type { PersonRole, PersonState } from "#contract/person.ts";
import { type Route, type RouteName, routes } from "#contract/routes.ts";
import { Persons } from "#server/persons.ts";
import { openRemoteListener } from "#server/remote-listener.ts";
import { type Daemon, startDaemon, startEngine } from "#src/main.ts";
import { apiApp, ask, host } from "#test/support/api-app.ts";
import { shell } from "#test/support/cli.ts";
import { freshFolder } from "#test/support/stores.ts";
import { tlsFile } from "#test/support/tls.ts";

const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

/** What only an admin may do; everything else that changes something is for members. */
const adminOnly: readonly RouteName[] = [
	...(["personAdd", "personConfigure", "personRemove"] as const),
	...(["subscriptionAdd", "subscriptionConfigure", "subscriptionCool", "subscriptionRemove"] as const),
	...(["setup", "backup", "tokenRotate"] as const),
	...(["nodeDrain", "nodeResume", "nodeFall", "nodeRemove"] as const),
	// what nodes ask each other
	...(["siteMerge", "projectBase"] as const),
];
/** What a viewer may do although it changes something: their own browsers. */
const forViewers: readonly RouteName[] = ["browserLink", "browserSignOut"];

describe("a role", () => {
	const person = (role: PersonRole): PersonState => ({
		...{ name: PersonName.parse(role), role, tokenHash: hashOf(role) },
		...{ createdAt: 1, createdBy: "human" as PersonState["createdBy"], rotatedAt: null, removedAt: null },
	});
	const all = (["viewer", "member", "admin"] as const).map(person);

	test("opens the routes that it is meant for, and no others", async () => {
		await using engine = await startEngine({ memory: true });
		const app = apiApp(engine, {
			token: "owner",
			tokens: { agentOf: () => undefined },
			hosts: [host],
			persons: {
				named: (name) => all.find((each) => each.name === name),
				withHash: (hash) => all.find(({ tokenHash }) => tokenHash === hash),
			},
		});
		const isRefused = async (role: PersonRole, { method, path: place }: Route): Promise<boolean> => {
			const headers = { host, authorization: `Bearer ${role}` };
			const where = place.replaceAll(/:\w+/g, "none");
			const answer = await ask(app, { method: method.toUpperCase(), path: where, headers });
			const { error }: { error?: { code: string; details: object } } = JSON.parse(answer);
			return error?.code === "FORBIDDEN" && "needed" in error.details;
		};
		const rows = await Promise.all(
			Object.entries<Route>(routes).map(async ([name, route]) => [
				name,
				await isRefused("viewer", route),
				await isRefused("member", route),
				await isRefused("admin", route),
			]),
		);
		const expected = Object.entries<Route>(routes).map(([name, { method }]) => {
			const [forAdmins, forAll] = [adminOnly, forViewers].map((list) => list.some((each) => each === name));
			return [name, forAdmins || (method !== "get" && !forAll), forAdmins, false];
		});
		expect(rows).toEqual(expected);
		expect(rows.length).toBeGreaterThan(100);
	});
});

/** A home whose daemon other machines can reach, as far as this machine is one. */
function remoteHome(keyMode = 0o600): string {
	const home = freshFolder();
	const [cert, key] = [tlsFile("cert"), tlsFile("key")];
	chmodSync(key, keyMode);
	writeFileSync(path.join(home, "config.yaml"), `listen: 127.0.0.1:0\ntls: { cert: ${cert}, key: ${key} }\n`);
	return home;
}

describe("the listener for other machines", () => {
	const home = remoteHome();
	const ca = tlsFile("cert");
	let daemon: Daemon;
	let remote = "";
	beforeAll(async () => {
		daemon = await startDaemon({ home });
		remote = (await new Client(daemon).call("status")).remoteUrl ?? "";
	});
	afterAll(async () => await daemon[Symbol.asyncDispose]());

	const add = async (name: string, role: PersonRole, token = `${name}-token`): Promise<string> => {
		await new Client(daemon).ask("personAdd", { body: { name, role, tokenHash: hashOf(token) } });
		return token;
	};
	const asked = (token: string, { at = "/api/me", host: named = new URL(remote).host } = {}): Promise<number> =>
		new Promise((resolve, reject) => {
			const headers = { host: named, ...(token !== "" && { authorization: `Bearer ${token}` }) };
			const out = request(
				new URL(at, remote),
				{ ca: readFileSync(ca), headers, servername: "localhost" },
				(response) => {
					response.resume();
					resolve(response.statusCode ?? 0);
				},
			);
			out.on("error", reject).end();
		});
	const from = (token: string, more: Record<string, string> = {}) =>
		shell(freshFolder(), freshFolder(), { BROOD_URL: remote, BROOD_TOKEN: token, BROOD_CA: ca, ...more });

	test("is told by `status` under a name of its certificate", () => {
		expect(remote).toMatch(/^https:\/\/localhost:\d+$/);
	});

	test("a person works through it with the command line, and what they do carries their name", async () => {
		const [anna, ben] = [await add("anna", "viewer"), await add("ben", "member")];
		expect((await from(anna).json("agent", "list")).data.map(({ handle }: { handle: string }) => handle)).toEqual([
			"init",
		]);
		const adding = ["agent", "add", "helper", "--type", "scripted", "--workspace", "none"];
		expect(await from(anna).json(...adding)).toMatchObject({
			code: 1,
			error: { code: "FORBIDDEN", details: { role: "viewer", needed: "member" } },
		});
		expect(await from(ben).json(...adding)).toMatchObject({ code: 0, data: { createdBy: "human:ben" } });
		expect(await from(ben).json("person", "list")).toMatchObject({
			code: 0,
			data: [{ name: "anna" }, { name: "ben" }],
		});
		expect(await from(ben).json("person", "remove", "anna")).toMatchObject({ error: { details: { needed: "admin" } } });
	});

	test("neither the owner's token nor a wrong one nor another host's name opens it", async () => {
		const token = await add("cleo", "admin");
		expect(await asked(token)).toBe(200);
		expect(await asked(daemon.token)).toBe(401);
		expect(await asked("wrong")).toBe(401);
		expect(await asked("")).toBe(401);
		expect(await asked(token, { host: "evil.example" })).toBe(401);
		// the control: on this machine the owner's token is good, and so is a person's
		for (const good of [daemon.token, token])
			expect(await new Client({ url: daemon.url, token: good }).call("me")).toMatchObject({ role: "admin" });
	});

	test("a token that was replaced or removed is refused at once, and its event stream ends", async () => {
		const token = await add("dora", "member");
		const stream = new Client({ url: daemon.url, token }).stream({ after: 0 }, new AbortController().signal);
		expect(await stream.next()).toMatchObject({ done: false });
		expect((await shell(home).brood("person", "add", "amy", "--role", "admin")).out).toMatch(/^amy is an admin\. /);
		const { data } = await shell(home).json("person", "rotate", "dora");
		expect(await asked(token)).toBe(401);
		expect(await asked(data.token)).toBe(200);
		while (!(await stream.next()).done);
		expect((await shell(home).json("person", "remove", "dora")).code).toBe(0);
		expect(await asked(data.token)).toBe(401);
	});

	test("a link signs a person's browser in, with a cookie that only TLS carries, until the person is removed", async () => {
		const token = await add("eva", "viewer");
		const { data } = await from(token).json("ui", "--no-open");
		expect(data.url).toMatch(new RegExp(`^${remote}/sign-in#`));
		const body = JSON.stringify({ code: new URL(data.url).hash.slice(1) });
		const headers = { origin: remote, "content-type": "application/json" };
		const cookie = await new Promise((resolve, reject) => {
			const out = request(
				new URL("/api/sign-in", remote),
				{ method: "POST", ca: readFileSync(ca), headers },
				(response) => {
					response.resume();
					resolve(String(response.headers["set-cookie"]));
				},
			);
			out.on("error", reject).end(body);
		});
		expect(cookie).toMatch(/HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/);
		expect((await from(token).json("ui", "list")).data).toMatchObject([{ person: "eva" }]);
		const cleo = await add("gus", "admin");
		await shell(home).json("person", "remove", "eva");
		expect((await from(cleo).json("ui", "list")).data).toEqual([]);
	});

	test("the command line says whom it does not trust, and sends no token unencrypted to another machine", async () => {
		const token = await add("fred", "member");
		const untrusted = await from(token, { BROOD_CA: path.join(import.meta.dirname, "../../package.json") }).json("ps");
		expect(untrusted.error).toMatchObject({ code: "UNAUTHORIZED", message: expect.stringMatching(/BROOD_CA/) });
		const clear = await from(token, { BROOD_URL: "http://brood.example:4180" }).json("ps");
		expect(clear.error).toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringMatching(/unencrypted/) });
	});
});

test("a listener without TLS, or with a key that others can read, is not opened", async () => {
	const open = freshFolder();
	writeFileSync(path.join(open, "config.yaml"), "listen: 0.0.0.0:0\n");
	await expect(startDaemon({ home: open })).rejects.toThrow(/over TLS only/);
	await expect(startDaemon({ home: remoteHome(0o644) })).rejects.toThrow(/readable by others; run `chmod 600/);
});

test("a caller that does not begin the handshake is cut off, and holds no place", async () => {
	const failed = (error: unknown): void => expect.fail(String(error));
	const [cert, key] = [readFileSync(tlsFile("cert"), "utf8"), readFileSync(tlsFile("key"), "utf8")];
	const options = { listen: "127.0.0.1:0", cert, key, handshakeMs: 1, failed };
	await using listener = await openRemoteListener(options);
	const silent = connect(Number(new URL(listener.url).port), "127.0.0.1");
	await once(silent, "close");
	expect(silent.bytesRead).toBe(0);
});

test("whoever was removed stays out while the store does not answer", async () => {
	await using engine = await startEngine({ memory: true });
	let away = false;
	const persons = async () => {
		if (away) throw new Error("the store does not answer");
		return await engine.reads.persons();
	};
	const reads = { ...engine.reads, persons };
	const changes: PromiseWithResolvers<void>[] = [];
	await using known = await Persons.of({ reads, publisher: engine.publisher }, () => changes.shift()?.resolve());
	const change = async (command: CommandInput): Promise<void> => {
		const changed = Promise.withResolvers<void>();
		changes.push(changed);
		await engine.dispatch({ actor: human, key: null, command });
		await changed.promise;
	};
	const [anna, ben] = [PersonName.parse("anna"), PersonName.parse("ben")];
	for (const name of [anna, ben])
		await engine.dispatch({
			...{ actor: human, key: null },
			command: { type: "person.add", name, role: "member", tokenHash: hashOf(name) },
		});
	await change({ type: "person.configure", name: anna, role: "admin" });
	expect(known.withHash(hashOf("anna"))?.role).toBe("admin");
	away = true;
	await change({ type: "person.remove", name: anna });
	expect([known.withHash(hashOf("anna")), known.named(ben)]).toEqual([undefined, undefined]);
	away = false;
	await change({ type: "agent.spawn", parent: engine.agentZero.id, context: "fresh" });
	expect([known.withHash(hashOf("anna")), known.named(ben)?.name]).toEqual([undefined, ben]);
});
