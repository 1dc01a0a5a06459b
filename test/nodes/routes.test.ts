// Every route of the contract, asked at a node that has none of the files: it touches nothing of its own machine, and
// exactly the routes that say so are carried out at the other node.
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { NodeId } from "#contract/node.ts";
import { type Route, type RouteName, routes } from "#contract/routes.ts";
import { type IssueWork, noIssueWork } from "#engine/ports/issue-work.ts";
import type { Workspaces } from "#engine/ports/workspaces.ts";
import { startEngine } from "#src/main.ts";
import { apiApp, ask, host } from "#test/support/api-app.ts";
import { apiWorld } from "#test/support/api-world.ts";
import { freshDatabase } from "#test/support/stores.ts";
import { requestOf } from "../api/requests.ts";

const asNode = (name: string) => ({
	...{ node: NodeId.parse(name), name, startId: randomUUID(), types: ["scripted"], version: "1", schema: 1 },
});

/** Notes every call of a port, and does nothing. */
function noted<T extends object>(calls: string[]): T {
	// biome-ignore lint/suspicious/noExplicitAny: it stands for a port of which every call is a mistake
	const none: any = {};
	return new Proxy<T>(none, {
		get: (_, name) =>
			name === "then"
				? undefined
				: async () => {
						calls.push(String(name));
						return null;
					},
	});
}

const names = Object.keys(routes).filter((name): name is RouteName => Object.hasOwn(routes, name));
/** They are about the node that is asked. */
const own: readonly RouteName[] = [
	...(["projectAdd", "space", "backup", "setup", "vendors", "tokenRotate"] as const),
	...(["subscriptionAdd", "subscriptionConfigure"] as const),
	// they name a node that does not exist
	...(["agentMove", "siteAdd", "siteSync", "projectMove"] as const),
];

test("a route that needs another node's files says so, and no other route touches this node's", {
	timeout: 60_000,
}, async () => {
	const url = await freshDatabase();
	await using world = await apiWorld(() => startEngine({ url }, {}, { node: asNode("there"), issueWork: noIssueWork }));
	const calls: string[] = [];
	await using here = await startEngine(
		{ url },
		{},
		{ node: asNode("here"), workspaces: noted<Workspaces>(calls), issueWork: noted<IssueWork>(calls) },
	);
	const sent: string[] = [];
	world.engine.errands.serve(async (request) => {
		sent.push(JSON.parse(request).route);
		return JSON.stringify({ status: 418, body: JSON.stringify({ data: null }) });
	});
	const app = apiApp(here, { token: "person", tokens: { agentOf: () => undefined }, hosts: [host] });
	const headers = { host, "content-type": "application/json", authorization: "Bearer person" };
	const wrong: string[] = [];
	for (const name of names.filter((each) => !own.includes(each))) {
		calls.length = sent.length = 0;
		const { method, path, body } = requestOf(name, world);
		await ask(app, { method, path, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
		const route: Route = routes[name];
		if (calls.length > 0) wrong.push(`${name} calls ${calls.join(", ")} here`);
		if (sent.length !== (route.at === undefined ? 0 : 1)) wrong.push(`${name}: at ${route.at}, sent ${sent.length}`);
	}
	expect(wrong).toEqual([]);
});
