import { expect, test } from "vitest";
import { withNodeNames } from "./event-nodes.ts";

const names = new Map([
	["1f", "studio"],
	["2f", "attic"],
]);
const named = (kind: string, data: unknown) => withNodeNames({ kind, data }, (id) => names.get(id)).data;

test("an event names nodes by name, also inside its fields, and one that nobody knows by id", () => {
	expect(named("project.moved", { slug: "1f", node: "1f", from: { node: "2f", path: "/web" } })).toEqual({
		...{ slug: "1f", node: "studio" },
		from: { node: "attic", path: "/web" },
	});
	expect(named("subscription.changed", { credentials: [{ node: "2f" }, { node: "3f" }], node: null })).toEqual({
		...{ credentials: [{ node: "attic" }, { node: "3f" }], node: null },
	});
	expect(named("node.fell", { node: "1f", replacedBy: "2f" })).toEqual({ node: "studio", replacedBy: "attic" });
	expect(named("agent.ended", { askedNode: "1f", note: "2f" })).toEqual({ askedNode: "studio", note: "2f" });
});
