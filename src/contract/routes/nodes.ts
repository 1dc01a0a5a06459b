// The nodes that share a database.
import { z } from "zod";
import { Node } from "../node-wire.ts";
import { Problem } from "../wire.ts";
import { get, none, post, remove } from "./route.ts";

export const nodeRoutes = {
	nodes: get("/api/nodes", "the nodes that share this database, and how each is", { answer: z.array(Node) }),
	database: get("/api/database", "how the database that nodes share is set up; no problems where there is one node", {
		answer: z.object({ tripMs: z.int().nullable(), clockOffsetMs: z.int().nullable(), problems: z.array(Problem) }),
	}),
	nodeDrain: post("/api/nodes/:node/drain", "start no more turns at a node; those that run go on", {
		role: "admin",
		body: none,
		answer: Node,
	}),
	nodeResume: post("/api/nodes/:node/resume", "start turns again at a node that was drained", {
		role: "admin",
		body: none,
		answer: Node,
	}),
	nodeFall: post(
		"/api/nodes/:node/fall",
		"say that a silent node is dead: its machine is off; its open turns are interrupted",
		{ role: "admin", body: none, answer: Node },
	),
	nodeRemove: remove("/api/nodes/:node", "take a stopped node without living agents off the list", {
		role: "admin",
		answer: Node,
	}),
};
