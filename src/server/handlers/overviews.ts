// The inbox, the tree and the boards: the server folds nothing for them, it shows one snapshot of the store with the
// views that a client's mirror has.
import type { ProjectSlug } from "#contract/ids.ts";
import { isRefusal, type Refusal } from "#contract/refusal.ts";
import type { Credential } from "#contract/subscription.ts";
import { Mirrored, type Surroundings } from "#views/mirrored.ts";
import type { Handlers, RequestContext } from "../request-context.ts";
import { unjournaled } from "../unjournaled.ts";

export function overviewHandlers(
	context: RequestContext,
	problem: (credential: Credential) => string | null,
): Pick<Handlers, "inbox" | "tree" | "board"> {
	const { engine, reads } = context;
	const seen = async (): Promise<Surroundings> => ({
		...{ now: engine.now(), monotonic: engine.scheduler.monotonic(), turnsMax: engine.turnsMax },
		...(await unjournaled(engine, problem)),
	});
	const snapshot = async (boards: readonly ProjectSlug[]): Promise<Mirrored> =>
		new Mirrored(await reads.mirrored({ boards, threads: [], itemsMax: 0, isPart: false }), { boards, threads: [] });
	const refusal = async (project: ProjectSlug | undefined): Promise<Refusal | null> =>
		project === undefined ? null : await context.unknownProject(project);
	return {
		inbox: async ({ query: { project } }) => {
			const boards = project === undefined ? (await reads.projects()).map(({ slug }) => slug) : [project];
			return (await refusal(project)) ?? (await snapshot(boards)).inbox(await seen(), { project });
		},
		tree: async ({ query: { project } }) =>
			(await refusal(project)) ?? { rows: (await snapshot([])).tree(await seen(), { project }) },
		board: async ({ params }) => {
			const project = await context.projectNamed(params["project"]);
			if (isRefusal(project)) return project;
			return { columns: (await snapshot([project.slug])).board(project.slug) };
		},
	};
}
