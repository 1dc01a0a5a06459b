// The API document, judged by tools that are not ours, and by what a real daemon answers.
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { randomIds } from "#adapters/system/ids.ts";
import { refusalCodes } from "#contract/refusal.ts";
import { ProcessTokens } from "#engine/tokens.ts";
import { type Daemon, startDaemon, startEngine } from "#src/main.ts";
import { apiApp, host } from "#test/support/api-app.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";
import { mistakes, typedClient } from "#test/support/typed-client.ts";

const Reference = z.looseObject({ $ref: z.string().optional() });
const Operation = z.looseObject({
	operationId: z.string(),
	parameters: z.array(Reference).default([]),
	responses: z.record(z.string(), Reference),
});
const Document = z.looseObject({
	paths: z.record(
		z.string(),
		// a path has the parameters that its operations share
		z
			.record(z.string(), z.unknown())
			.transform(({ parameters: _, ...operations }) => z.record(z.string(), Operation).parse(operations)),
	),
	components: z.looseObject({
		schemas: z.record(z.string(), z.looseObject({})),
		responses: z.record(z.string(), Reference),
	}),
});
const text = readFileSync("openapi.json", "utf8");
const document = Document.parse(JSON.parse(text));
const CodesOfStatus = z.object({ "x-status": z.int(), description: z.string(), enum: z.array(z.string()) });
const codesOfStatus = z.array(CodesOfStatus).parse(document.components.schemas["RefusalCode"]?.["oneOf"]);

const verdict = async (words: string) => (await new Validator().validate(JSON.parse(words))).valid;

test("an independent validator takes the document for OpenAPI 3.1", async () => {
	const judged = await new Validator().validate(JSON.parse(text));
	expect(judged).toEqual({ valid: true });
	expect(Object.keys(document.components.schemas).length).toBeGreaterThan(50);
	// controls: a reference to nothing, a parameter that is nowhere, a response without a description
	expect(await verdict(text.replace('#/components/schemas/Agent"', '#/components/schemas/Agnet"'))).toBe(false);
	expect(await verdict(text.replace('"in": "path"', '"in": "nowhere"'))).toBe(false);
	expect(await verdict(text.replace('"description": "done",', ""))).toBe(false);
});

test("the document is made once, however often it is asked for", async () => {
	await using engine = await startEngine({ memory: true });
	const app = apiApp(engine, { token: "person", tokens: new ProcessTokens(randomIds), hosts: [host] });
	const get = (path: string) =>
		app({
			...{
				method: "GET",
				path,
				query: "",
				headers: new Map([
					["host", host],
					["authorization", "Bearer person"],
				]),
			},
			text: async () => "",
			gone: new AbortController().signal,
		});
	const first = await get("/api/openapi.json");
	expect(first.status).toBe(200);
	expect(await get("/api/openapi.json")).toBe(first);
	// control: another answer is made for each request
	expect(await get("/api/health")).not.toBe(await get("/api/health"));
});

test("every reference leads somewhere, and every component is used", () => {
	const used = new Set([...text.matchAll(/"#\/components\/(\w+\/\w+)"/g)].map(([, name]) => name));
	const there = Object.entries(document.components)
		.filter(([kind]) => kind !== "securitySchemes")
		.flatMap(([kind, parts]) => Object.keys(z.looseObject({}).parse(parts)).map((name) => `${kind}/${name}`));
	expect([...used].filter((name) => !there.includes(name ?? ""))).toEqual([]);
	expect(there.filter((name) => !used.has(name))).toEqual([]);
});

test("nothing of size is described twice, and an operation takes about a kilobyte", () => {
	expect(repeated(document)).toEqual([]);
	// control: the same answer in two operations
	const answer = { type: "object", properties: { name: { type: "string" }, size: { type: "integer" } } };
	const twice = { paths: { one: answer, other: { ...answer } } };
	expect(repeated(twice, 60)).toEqual([JSON.stringify(answer)]);
	const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length;
	expect(operations).toBeGreaterThan(100);
	// as it is served
	expect(JSON.stringify(JSON.parse(text)).length / operations).toBeLessThan(1_024);
});

test("every summary is one line that begins with a verb", () => {
	const verbs =
		/^(add|allow|approve|assign|attach|begin|cancel|change|check|clear|commit|configure|delete|end|fetch|find|forget|go|hide|install|leave|let|list|make|merge|move|name|push|queue|remove|replace|report|restore|run|send|set|show|sign|start|stop|stream|take|update|wait|write) [^.\n]+( [^\n]+)?$/;
	const summaries = Object.values(document.paths).flatMap((methods) =>
		Object.values(methods).map(({ summary }) => String(summary)),
	);
	expect(summaries.filter((summary) => !verbs.test(summary))).toEqual([]);
	expect(verbs.test("the last words of each living agent")).toBe(false);
});

test("every refusal has its code in the document, under its HTTP status", () => {
	const statuses = Object.entries(refusalCodes).map(([code, { status }]) => [code, status]);
	expect(
		Object.fromEntries(
			codesOfStatus.flatMap(({ "x-status": status, enum: codes }) => codes.map((code) => [code, status])),
		),
	).toEqual(Object.fromEntries(statuses));
	expect(statuses.length).toBeGreaterThan(30);
});

describe("against a real daemon", () => {
	let daemon: Daemon;
	let wait: string;
	let ask: (path: string, body?: object) => Promise<{ status: number; answer: z.infer<typeof Answered> }>;
	const Answered = z.looseObject({ data: z.unknown().optional() });

	beforeAll(async () => {
		daemon = await startDaemon({ home: freshFolder() });
		ask = async (path, body) => {
			const headers = { authorization: `Bearer ${daemon.token}` };
			const response = await fetch(daemon.url + path, {
				headers,
				...(body && { method: "POST", body: JSON.stringify(body) }),
			});
			return { status: response.status, answer: Answered.parse(await response.json()) };
		};
		await ask("/api/projects", { slug: "web", path: freshRepository() });
		await ask("/api/projects/web/agents", { name: "one", type: "scripted", budget: { tokens: 1_000_000 } });
		await ask("/api/agents/one/queue", { text: "say hello\nrun echo hi" });
		await ask("/api/agents/one/mail", { body: "a mail" });
		await ask("/api/projects/web/issues", { title: "An issue", labels: ["small"] });
		await ask("/api/issues/web%231/comments", { text: "a comment" });
		await ask("/api/subscriptions", {
			name: "plan",
			type: "claude",
			quiet: { from: "22:00", to: "06:00", zone: "UTC" },
		});
		wait = idIn((await ask("/api/waits", { agents: ["one"] })).answer);
		await ask(`/api/waits/${wait}?block=true`);
	}, 60_000);
	afterAll(async () => await daemon[Symbol.asyncDispose]());

	test("a client that was generated from it compiles, runs, and knows errors by their codes; mistakes do not compile", async () => {
		const client = await typedClient("openapi.json");
		expect(await client.errors()).toEqual(mistakes.map((_, at) => `wrong.ts:${client.mistakesFrom + at}`));
		expect(await client.run(daemon.url, daemon.token)).toMatchObject({
			handle: "typed",
			queueLength: 0,
			handles: ["init", "one", "typed"],
			twice: "another request under this key",
			missing: "no such agent",
		});
	});

	test("what is answered has the schema of the document, and nothing beside it", async () => {
		const item = idIn((await ask("/api/agents/one/items")).answer);
		const named: Record<string, string> = {
			agent: "one",
			project: "web",
			issue: "web%231",
			turn: "last",
			subscription: "plan",
			item,
			wait,
		};
		const queries: Record<string, string> = {
			"/api/search": "?text=hello",
			"/api/agents/{agent}/divergence": "?with=one",
		};
		const fitting: string[] = [];
		for (const [path, { get }] of Object.entries(document.paths)) {
			const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
			if (get === undefined || path === "/api/events" || names.some((name) => named[name] === undefined)) continue;
			const place = path.replace(/\{(\w+)\}/g, (_, name: string) => named[name] ?? "");
			const { status, answer } = await ask(`${place}${queries[path] ?? ""}`);
			// there is nothing to merge in this world
			const usual = path.endsWith("/merge-preview") ? 409 : 200;
			expect([path, status, complaints(get, String(status), answer)]).toEqual([path, usual, null]);
			fitting.push(path);
		}
		expect(fitting.length).toBeGreaterThan(30);
		const refused = await ask("/api/agents/nobody");
		const { get } = document.paths["/api/agents/{agent}"] ?? {};
		expect([refused.status, complaints(get, "404", refused.answer)]).toEqual([404, null]);
		// controls: a refusal with a code of another status, one with a code that is none, an agent with one field more,
		// and one with a field less
		expect(complaints(document.paths["/api/agents/{agent}/kill"]?.["post"], "409", refused.answer)).not.toBeNull();
		expect(
			complaints(get, "404", { error: { ...z.looseObject({}).parse(refused.answer["error"]), code: "NONE" } }),
		).not.toBeNull();
		const agent = z.looseObject({}).parse((await ask("/api/agents/one")).answer.data);
		expect(complaints(get, "200", { data: agent })).toBeNull();
		expect(complaints(get, "200", { data: { ...agent, more: 1 } })).not.toBeNull();
		expect(complaints(get, "200", { data: { ...agent, label: undefined } })).not.toBeNull();
	});
});

/** Descriptions of objects that stand in a document more than once. */
function repeated(whole: object, lengthMin = 260): string[] {
	const seen = new Map<string, number>();
	JSON.parse(JSON.stringify(whole), (_, part: unknown) => {
		const words = JSON.stringify(part);
		if (typeof part === "object" && words.length >= lengthMin) seen.set(words, (seen.get(words) ?? 0) + 1);
		return part;
	});
	return [...seen].filter(([, times]) => times > 1).map(([words]) => words);
}

const idIn = (answer: unknown): string => /(?<="id":)\d+/.exec(JSON.stringify(answer))?.[0] ?? "";

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const Shape = z.looseObject({ properties: z.looseObject({}), required: z.array(z.string()).default([]) });
const Extension = z.object({ allOf: z.tuple([z.object({ $ref: z.string() }), Shape]) });
/** Whatever lists its fields has no others. An extension of a noun is one object with the fields of both. */
const closed = (schemas: unknown): unknown =>
	JSON.parse(JSON.stringify(schemas), (_, part: unknown) => {
		const [noun, own] = Extension.safeParse(part).data?.allOf ?? [];
		if (noun === undefined || own === undefined) {
			const shape = Shape.safeParse(part).data;
			return shape ? { additionalProperties: false, ...shape } : part;
		}
		const base = Shape.parse(document.components.schemas[noun.$ref.slice("#/components/schemas/".length)]);
		const required = [...base.required, ...own.required];
		return { ...own, properties: { ...base.properties, ...own.properties }, required };
	});
ajv.addSchema({ $id: "brood", components: { schemas: closed(document.components.schemas) } });

/**
 * What is wrong with an answer, by the document. Clients let fields pass that they do not know; the daemon may send
 * none.
 */
function complaints(operation: z.infer<typeof Operation> | undefined, status: string, answer: unknown): unknown {
	const said = operation?.responses[status] ?? operation?.responses["default"];
	const response =
		said?.$ref === undefined ? said : document.components.responses[said.$ref.slice("#/components/responses/".length)];
	const { schema } =
		z.looseObject({ content: z.record(z.string(), z.looseObject({ schema: z.looseObject({}) })) }).parse(response)
			.content["application/json"] ?? {};
	const code = /(?<="code":")\w+/.exec(JSON.stringify(answer))?.[0] ?? "";
	if (
		Number(status) >= 400 &&
		!codesOfStatus.some((each) => `${each["x-status"]}` === status && each.enum.includes(code))
	)
		return `${code} has another status than ${status}`;
	const valid = ajv.compile(
		JSON.parse(JSON.stringify(closed(schema)).replaceAll('"#/components', '"brood#/components')),
	);
	return valid(JSON.parse(JSON.stringify(answer))) ? null : valid.errors;
}
