// A project's repositories at other nodes. Those that are internal are what nodes ask each other.
import { z } from "zod";
import { AgentId } from "../ids.ts";
import { HomeNodeBase, Site } from "../project.ts";
import { BranchName } from "../project-config.ts";
import { Project, Synced } from "../wire.ts";
import { CommitId, Merged } from "../workspace.ts";
import { get, post, remove } from "./route.ts";
import { workspaceRoutes } from "./workspaces.ts";

const node = z.string().min(1).max(64);

export const siteRoutes = {
	sites: get("/api/projects/:project/sites", "list a project's repositories at other nodes", { answer: z.array(Site) }),
	siteAdd: post(
		"/api/projects/:project/sites",
		"add a repository of the project at another node, for agents that are moved there",
		{ at: "node", body: z.strictObject({ node, path: z.string() }), answer: Site },
	),
	siteRemove: remove("/api/projects/:project/sites/:node", "forget a repository at another node; no file is touched", {
		answer: Site,
	}),
	projectMove: post(
		"/api/projects/:project/move",
		"make another node the project's home node: its merges, issues and settings are there from then on",
		{
			at: "node",
			/** `force`: from a home node that is down, without what its base had since the last sync */
			body: z.strictObject({ to: node, force: z.boolean().default(false) }),
			answer: Project,
		},
	),
	siteSync: post(
		"/api/projects/:project/sites/sync",
		"update a project's agents at one node to the base of its home node",
		{
			at: "node",
			body: z.strictObject({ node }),
			answer: z.array(Synced),
			internal: true,
		},
	),
	siteMerge: post("/api/projects/:project/merge", "merge the reviewed commit of an agent that is at another node", {
		at: "project",
		body: workspaceRoutes.approve.body.extend({ agent: AgentId, commit: CommitId }),
		role: "admin",
		answer: Merged,
		internal: true,
	}),
	projectBase: get(
		"/api/projects/:project/base",
		"read the base at the project's home node, for a repository elsewhere",
		{
			at: "project",
			role: "admin",
			query: z.strictObject({
				base: BranchName.optional(),
				/** commits that the caller has, with commas */
				have: z
					.string()
					.max(10_000)
					.transform((text) => text.split(",").filter((each) => each !== ""))
					.pipe(z.array(CommitId).max(100)),
				/** whether to send what they lack */
				bundle: z.stringbool(),
			}),
			answer: HomeNodeBase,
			internal: true,
		},
	),
};
