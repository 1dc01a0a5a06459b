// falcon's API, route by route, and its error codes with their statuses. What it had and Brood has not is in
// docs/internals/issues.md.
import { expect, test } from "vitest";
import { apiWorld } from "#test/support/api-world.ts";

test("whoever knows falcon's routes finds them, with its error codes", async () => {
	await using world = await apiWorld();
	const ask = async (method: string, path: string, body?: object) =>
		await world.ask("person", { method, path, ...(body && { body }) });
	const one = "/api/issues/web%231";
	const two = "/api/issues/web%232";

	expect(await ask("GET", "/api/projects")).toMatchObject({ code: "ok", data: [{ slug: "api" }, { slug: "web" }] });
	expect(await ask("GET", "/api/projects/web/agents")).toMatchObject({
		code: "ok",
		data: expect.arrayContaining([expect.objectContaining({ handle: "peer" })]),
	});
	expect((await ask("GET", "/api/projects/api/agents")).data).toMatchObject([{ handle: "stranger" }]);
	expect(await ask("GET", "/api/projects/none/agents")).toMatchObject({ code: "NOT_FOUND" });
	expect(
		await ask("POST", "/api/projects/web/agents", { name: "opus-1", agentType: "scripted", model: "opus" }),
	).toMatchObject({
		code: "ok",
		data: { handle: "opus-1", type: "scripted", model: "opus", project: "web" },
	});
	expect(await ask("PATCH", "/api/agents/opus-1?project=web", { model: "sonnet" })).toMatchObject({
		code: "ok",
		data: { model: "sonnet" },
	});
	expect(await ask("GET", "/api/agents/available?project=web")).toMatchObject({
		code: "ok",
		data: [{ handle: "ended" }, { handle: "opus-1" }],
	});
	expect(await ask("DELETE", "/api/agents/opus-1?project=web")).toMatchObject({ code: "ok", data: { life: "ended" } });

	expect(
		await ask("POST", "/api/projects/web/issues", { title: "A bug", labels: ["bug", "ux"], priority: "high" }),
	).toMatchObject({
		code: "ok",
		data: { number: 3, stage: "TODO", priority: "high" },
	});
	expect(await ask("POST", "/api/projects/web/issues", { title: "" })).toMatchObject({ code: "VALIDATION_ERROR" });
	expect((await ask("GET", "/api/projects/web/issues?label=bug&priority=high&ready=true")).data).toMatchObject([
		{ number: 3 },
	]);
	expect((await ask("GET", "/api/projects/web/labels")).data).toEqual([
		{ label: "bug", issues: 1 },
		{ label: "ux", issues: 1 },
	]);
	expect(await ask("PATCH", "/api/issues/web%233", { title: "A worse bug", labels: ["bug"] })).toMatchObject({
		code: "ok",
		data: { title: "A worse bug" },
	});
	expect(await ask("DELETE", "/api/issues/web%233")).toMatchObject({
		code: "ok",
		data: { deletedAt: expect.any(String) },
	});
	expect(await ask("GET", "/api/issues/web%233")).toMatchObject({ code: "NOT_FOUND" });

	expect(await ask("POST", `${two}/transition`, { stage: "DONE" })).toMatchObject({ code: "INVALID_TRANSITION" });
	expect(await ask("POST", `${two}/start`, {})).toMatchObject({
		code: "ok",
		data: { stage: "IN_PROGRESS", branch: "issue/2-another-issue" },
	});
	expect(await ask("POST", `${two}/assign`, { agent: "subject" })).toMatchObject({ code: "AGENT_BUSY" });
	expect(await ask("POST", `${one}/assign`, { agent: "peer" })).toMatchObject({ code: "CONFLICT" });
	expect(await ask("POST", `${two}/dependencies`, { on: 2 })).toMatchObject({ code: "CONFLICT" });

	await ask("POST", `${one}/comments`, { text: "Please" });
	await ask("POST", `${one}/documents`, { name: "specs/a.md", type: "spec", text: "A" });
	await ask("POST", `${one}/messages`, { stage: "IN_PROGRESS", text: "Look" });
	expect((await ask("GET", `${one}/comments`)).data).toMatchObject([{ text: "Please", by: "human" }]);
	expect((await ask("GET", `${one}/documents`)).data).toMatchObject([{ name: "specs/a.md", type: "spec", version: 1 }]);
	expect((await ask("GET", `${one}/messages?stage=IN_PROGRESS`)).data).toMatchObject([
		{ text: "Look", delivered: false },
	]);
	expect((await ask("GET", `${one}/messages?stage=IN_REVIEW`)).data).toEqual([]);
	expect((await ask("GET", `${one}/runs`)).data).toMatchObject([
		{ stage: "IN_PROGRESS", state: "open", handle: "subject", sessionId: null },
	]);
	expect((await ask("GET", `${one}/artifacts`)).data).toEqual({ path: "", files: [] });
	expect((await ask("GET", "/api/projects/web/presets")).data).toMatchObject([
		{ name: "lean" },
		{ name: "full-pipeline" },
		{ name: "quick-fix" },
		{ name: "docs-only" },
	]);
	expect(await ask("POST", "/api/projects/web/configure", { auto: true, agentType: "scripted" })).toMatchObject({
		code: "ok",
		data: { auto: true },
	});
	expect(await ask("GET", "/api/subscriptions")).toMatchObject({ code: "ok", data: [{ name: "plan", used: 0 }] });

	// what agents say of the issue that they work on
	const mine = async (method: string, path: string, body?: object) =>
		await world.ask("own", { method, path: `/api/issues/mine${path}`, ...(body && { body }) });
	expect((await mine("GET", "")).data).toMatchObject({ number: 1, messages: [{ text: "Look" }] });
	expect(await mine("POST", "/comments", { text: "I begin." })).toMatchObject({ code: "ok" });
	expect(await mine("POST", "/messages", { stage: "IN_PROGRESS", text: "Mind the gap." })).toMatchObject({
		code: "ok",
	});
	expect(await mine("POST", "/attention", { reason: "Which font?" })).toMatchObject({
		code: "ok",
		data: { attention: { reason: "Which font?" } },
	});
	expect(await mine("POST", "/work-complete", { summary: "Done." })).toMatchObject({ code: "ok" });
});
