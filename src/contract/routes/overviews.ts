// The inbox, the tree and the boards. Each is one thing that is looked at whole, so they have no pages.
import { z } from "zod";
import { BoardColumn, Inbox, TreeRow } from "../overviews.ts";
import { get, scope } from "./route.ts";

export const overviewRoutes = {
	inbox: get(
		"/api/inbox",
		"list what needs a person: approvals, errors, turns of human agents, reviews, usage limits, nodes that are down",
		{
			query: scope,
			answer: Inbox,
		},
	),
	tree: get("/api/tree", "list all agents but reaped ones, each before its children", {
		query: scope,
		answer: z.object({ rows: z.array(TreeRow) }),
	}),
	board: get(
		"/api/projects/:project/board",
		"list the open issues of a project by stage, and the 100 that were done last",
		{ answer: z.object({ columns: z.array(BoardColumn) }) },
	),
};
