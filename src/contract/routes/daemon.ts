// The daemon itself and its projects.
import { z } from "zod";
import { AgentId, ProjectSlug } from "../ids.ts";
import { MirroredRows, Unjournaled } from "../rows.ts";
import { Space } from "../space.ts";
import { Clocks } from "../stream.ts";
import { Project, Status, VendorAgent } from "../wire.ts";
import { get, post, remove } from "./route.ts";

const List = z
	.string()
	.max(10_000)
	.default("")
	.transform((text) => text.split(",").filter((each) => each !== ""));

export const daemonRoutes = {
	rows: get(
		"/api/rows",
		"return all rows that a screen shows, as of one event; the event stream continues from there",
		{
			internal: true,
			query: z.strictObject({
				/** the projects whose issues are shown, with commas */
				boards: List.pipe(z.array(ProjectSlug)),
				/** the ids of the agents whose threads are shown, with commas */
				threads: List.pipe(z.array(AgentId)),
				items: z.coerce.number().int().nonnegative().max(10_000).default(200),
				/** true: only the rows of these projects and agents, for a client that has the others */
				part: z.stringbool().default(false),
			}),
			answer: z.object({
				/** identifies the store */
				journalId: z.string(),
				clocks: Clocks,
				rows: MirroredRows,
				unjournaled: Unjournaled,
			}),
		},
	),
	status: get("/api/status", "show the daemon's version, address, agents and problems", { answer: Status }),
	vendors: get("/api/vendors", "list vendors' agents, and which are installed", { answer: z.array(VendorAgent) }),
	setup: post(
		"/api/vendors/:type",
		"install the adapter for a vendor's agent at the supported version and check that it starts",
		{
			role: "admin",
			answer: VendorAgent,
		},
	),
	backup: post("/api/backup", "write a consistent copy of the store", {
		role: "admin",
		body: z.strictObject({ file: z.string().regex(/^\/[^\0]{0,4095}$/, "an absolute path") }),
		answer: z.object({ file: z.string(), bytes: z.int() }),
	}),
	tokenRotate: post(
		"/api/token/rotate",
		"replace the token; the old one is refused at once, and its event streams end",
		{ role: "admin", answer: z.object({ file: z.string() }) },
	),
	space: get("/api/space", "show disk usage of the home and of each project", { answer: Space }),
	projects: get("/api/projects", "list projects; `check` looks at each repository first", {
		query: z.strictObject({ check: z.stringbool().default(false) }),
		answer: z.array(Project),
	}),
	project: get("/api/projects/:project", "show one project", { answer: Project }),
	projectAdd: post("/api/projects", "add a project: a folder with a repository, or a URL that is cloned", {
		body: z.strictObject({ slug: ProjectSlug, path: z.string(), base: z.string().optional() }),
		answer: Project,
	}),
	projectRemove: remove("/api/projects/:project", "remove a project; its folder is not touched", { answer: Project }),
};
