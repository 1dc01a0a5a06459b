// A key holds on every route that changes something: the same request again is answered word for word as the first
// time, while that is still running, after it, and by the next daemon when the first was killed; and nothing happens
// again.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Client } from "#client/client.ts";
import { type Route, routes } from "#contract/routes.ts";
import { Receipts } from "#engine/loop/receipts.ts";
import { startDaemon } from "#src/main.ts";
import { apiWorld } from "#test/support/api-world.ts";
import { KillableDaemon } from "#test/support/killable-daemon.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";
import type { Asking, Changing } from "./key-case.ts";
import { caseFor, changing, isChanging, known } from "./key-cases.ts";
import type { KeyWorld } from "./key-subjects.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

interface Answer {
	status: number;
	text: string;
}

interface Address {
	url: string;
	token: string;
}

async function send(
	{ url, token }: Address,
	name: Changing,
	{ params = {}, query, body }: Asking,
	key: string,
): Promise<Answer> {
	const route: Route = routes[name];
	const place = route.path.replace(/:(\w+)/g, (_, part: string) => encodeURIComponent(params[part] ?? ""));
	const search =
		query === undefined
			? ""
			: `?${new URLSearchParams(Object.entries(query).map(([each, value]) => [each, String(value)]))}`;
	const headers = { authorization: `Bearer ${token}`, "idempotency-key": key, "content-type": "application/json" };
	const answer = await fetch(url + place + search, {
		method: route.method,
		headers,
		...(body !== undefined && { body: JSON.stringify(body) }),
	});
	return { status: answer.status, text: await answer.text() };
}

/** What people did, by the journal: reactors go on meanwhile. Each look goes on where the last one ended. */
class Deeds {
	#after = 0;
	#count = 0;

	async count(client: Client): Promise<number> {
		const { events } = await client.ask("journal", { query: { after: this.#after, limit: 10_000 } });
		this.#after = events.at(-1)?.id ?? this.#after;
		this.#count += events.filter(({ actor }) => actor === "human").length;
		return this.#count;
	}
}

async function worldAt(at: Address): Promise<KeyWorld> {
	const client = new Client(at);
	const repository = freshRepository();
	await client.ask("projectAdd", { body: { slug: "web", path: repository } });
	await client.ask("issueAdd", { params: { project: "web" }, body: { title: "first" } });
	return { client, repository, scratch: freshFolder() };
}

test("every route that changes something has a case", () => {
	expect(known.toSorted()).toEqual(changing.toSorted());
	expect(known.length).toBeGreaterThan(55);
});

describe("a daemon that is killed", () => {
	let daemon: KillableDaemon;
	let world: KeyWorld;
	const deeds = new Deeds();
	const given = new Map<Changing, { asked: Asking; key: string; answer: Answer }>();
	beforeAll(async () => {
		daemon = await KillableDaemon.start();
		const { repository, scratch } = await worldAt(daemon);
		world = {
			repository,
			scratch,
			get client() {
				return daemon.client;
			},
		};
	});
	afterAll(async () => await daemon[Symbol.asyncDispose]());

	test.each(changing.filter(isChanging))("%s: the same key is the same answer", async (name) => {
		const { other, after, refused, alone, ...asked } = await caseFor(name, world);
		const key = `${`${name}-${randomUUID()}-`.padEnd(199, "k")}1`;
		const [first, meanwhile] = await Promise.all([
			send(daemon, name, asked, key),
			alone ? null : send(daemon, name, asked, key),
		]);
		expect([first.status < 300, first.text], first.text).toEqual([refused !== true, expect.anything()]);
		expect(meanwhile ?? first).toEqual(first);
		await after?.();
		const before = await deeds.count(world.client);
		expect(await send(daemon, name, asked, key)).toEqual(first);
		const taken = { status: 409, text: expect.stringContaining("idempotency key was used before") };
		if (other !== undefined) expect(await send(daemon, name, { ...asked, ...other }, key)).toMatchObject(taken);
		expect(
			await send(daemon, name === "reap" ? "clear" : "reap", { params: { agent: "init" }, body: {} }, key),
		).toMatchObject(taken);
		expect(await send(daemon, name, asked, key)).toEqual(first);
		expect(await deeds.count(world.client)).toBe(before);
		// the control: under another key it is another request, and a key is compared to its end
		if (name === "mark") expect(await send(daemon, name, asked, `${key.slice(0, -1)}2`)).not.toEqual(first);
		given.set(name, { asked, key, answer: first });
	});

	test("answers all of them in the same words after kill -9", async () => {
		expect(given.size).toBe(changing.length);
		await daemon.kill();
		await daemon.start();
		const before = await deeds.count(world.client);
		for (const [name, { asked, key, answer }] of given)
			expect([name, await send(daemon, name, asked, key)]).toEqual([name, answer]);
		expect(await deeds.count(world.client)).toBe(before);
	});
});

describe("a key of an agent's process", () => {
	const mail = (key: string, body = "hello") => ({
		method: "POST",
		path: "/api/agents/descendant/mail",
		body: { body },
		key,
	});

	test("belongs to its agent: the same key of another agent or of a person is independent, and reveals no answer", async () => {
		await using world = await apiWorld();
		const key = randomUUID();
		const callers = ["own", "ancestor", "person"] as const;
		const first = await Promise.all(
			callers.map((caller) => world.ask(caller, { ...mail(key, caller), path: `${mail(key).path}?project=web` })),
		);
		expect(first.map(({ code }) => code)).toEqual(["ok", "ok", "ok"]);
		expect(new Set(first.map(({ data }) => Reflect.get(Object(data), "id"))).size).toBe(3);
		for (const [at, caller] of callers.entries())
			expect(await world.ask(caller, { ...mail(key, caller), path: `${mail(key).path}?project=web` })).toEqual(
				first[at],
			);
		// the control: of one and the same agent it is one key, whichever of its processes asks
		expect(await world.ask("own", { ...mail(key, "else"), path: `${mail(key).path}?project=web` })).toMatchObject({
			code: "CONFLICT",
		});
	});

	test("still gets its answer when the turn is over, and nothing else does", async () => {
		await using world = await apiWorld();
		const key = randomUUID();
		const first = await world.ask("own", mail(key));
		await world.endTurn();
		expect(await world.ask("own", mail(key))).toEqual(first);
		for (const other of [mail(randomUUID()), mail(key, "other words"), { ...mail(key), body: { wrong: true } }])
			expect(await world.ask("own", other)).toMatchObject({ code: "TURN_NOT_OPEN" });
	});
});

/** Nothing in the store is changed by these, and the second time changes nothing. */
const doneAgain: readonly Changing[] = ["gc", "warm", "syncProject", "siteSync", "setup", "tokenRotate"];

describe("a daemon that dies before it has stored its answer", () => {
	// what a request did is in the store, the words of its answer are not
	test("does nothing again, and says that it was done", async () => {
		const forgetful = vi.spyOn(Receipts.prototype, "answered").mockResolvedValue();
		await using daemon = await startDaemon({ home: freshFolder() });
		const world = await worldAt(daemon);
		const deeds = new Deeds();
		let looked = 0;
		for (const name of changing.filter(isChanging)) {
			if (doneAgain.includes(name)) continue;
			const { other: _, after: _after, refused: _refused, alone: _alone, ...asked } = await caseFor(name, world);
			const key = randomUUID();
			const first = await send(daemon, name, asked, key);
			const before = await deeds.count(world.client);
			const again = await send(daemon, name, asked, key);
			expect([name, again.status, again.text.slice(0, 9)], again.text).toEqual([
				name,
				first.status,
				first.text.slice(0, 9),
			]);
			expect([name, await deeds.count(world.client)]).toEqual([name, before]);
			looked++;
		}
		expect(forgetful).toHaveBeenCalled();
		expect(looked).toBe(changing.length - doneAgain.length);
		forgetful.mockRestore();
	});
});
