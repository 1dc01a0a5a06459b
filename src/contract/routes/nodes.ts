// The nodes that share a database.
import { z } from "zod";
import { Node } from "../node-wire.ts";
import { Problem } from "../wire.ts";
import { get, post, remove } from "./route.ts";

export const nodeRoutes = {
	nodes: get("/api/nodes", "list the nodes that share this database", { answer: z.array(Node) }),
	database: get("/api/database", "check how the database that nodes share is set up", {
		answer: z.object({
			roundTripMs: z.int().nullable(),
			clockOffsetMs: z.int().nullable(),
			problems: z.array(Problem),
		}),
	}),
	nodeDrain: post("/api/nodes/:node/drain", "start no more turns at a node; running ones go on", {
		role: "admin",
		answer: Node,
	}),
	nodeResume: post("/api/nodes/:node/resume", "start turns again at a drained node", { role: "admin", answer: Node }),
	nodeFall: post(
		"/api/nodes/:node/fall",
		"report that a silent node's machine is off; its open turns are interrupted",
		{ role: "admin", answer: Node },
	),
	nodeRemove: remove("/api/nodes/:node", "remove a stopped node without living agents", {
		role: "admin",
		answer: Node,
	}),
};
