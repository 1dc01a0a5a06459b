// The routes of the daemon itself.
import { existsSync, linkSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import type { ContainmentLevel } from "#contract/config.ts";
import { isActive } from "#contract/node.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import { shellWord } from "#contract/shell-word.ts";
import { contractVersion } from "#contract/version.ts";
import type { Problem, Status } from "#contract/wire.ts";
import type { Engine } from "#engine/engine.ts";
import type { Handlers, RequestContext, RouteRequest } from "../request-context.ts";

/** What `status` reports about the daemon's process. */
export interface About {
	pid: number;
	url: string;
	remoteUrl: string | null;
	version: string;
	home: string;
	containment: ContainmentLevel;
}

/** `rotateToken` returns the file with the new token. */
export function daemonHandlers(context: RequestContext, about: About, rotateToken: () => string) {
	const { engine } = context;
	const counts = new Counts(context);
	return {
		status: async () => ({
			...about,
			contract: contractVersion,
			store: engine.storeKind,
			...(await counts.read()),
			problems: [
				...databaseAway(engine.nodes),
				...(engine.nodes.isDatabaseAway ? [] : writesNothing(engine)),
				...engine.degraded.map(({ name, reason }) => ({
					what: name,
					text: `this part of the daemon failed again and again and is tried again every minute: ${reason}`,
					fix: "brood logs --level warn",
				})),
				...(engine.nodes.isDatabaseAway ? [] : await engine.problems.again()).map(({ project, text, fix }) => ({
					what: `project ${project}`,
					text: text.replace(`${project}: `, ""),
					fix,
				})),
			],
		}),
		backup: (request) => backUp(context, request),
		tokenRotate: async () => ({ file: rotateToken() }),
	} satisfies Partial<Handlers>;
}

type Numbers = Pick<Status, "agents" | "turns" | "lastEvent" | "nodeName" | "nodes">;

/**
 * The numbers of `brood status`. A daemon that is asked how it is must answer, also while the database does not: what
 * changes all the time is unknown then, the rest is what was read last.
 */
class Counts {
	readonly #context: Pick<RequestContext, "engine" | "reads">;
	#last: Numbers = { agents: null, turns: null, lastEvent: 0, nodeName: null, nodes: 1 };

	constructor(context: Pick<RequestContext, "engine" | "reads">) {
		this.#context = context;
	}

	async read(): Promise<Numbers> {
		const { engine, reads } = this.#context;
		if (engine.nodes.isDatabaseAway) return { ...this.#last, agents: null, turns: null };
		const [agents, turns, lastEvent, nodes] = await Promise.all([
			reads.livingAgentCount(),
			reads.openTurns(),
			reads.lastEvent(),
			reads.nodes(),
		]);
		const own = nodes.find(({ id }) => id === engine.nodes.self);
		const active = nodes.filter(isActive).length;
		this.#last = { agents, turns: turns.length, lastEvent, nodeName: own?.name ?? null, nodes: active };
		return this.#last;
	}
}

/** a commit takes milliseconds, and a batch that another node holds up two seconds at most */
const writesNothingMsMax = 5000;

/** A database may answer reads and keep each COMMIT waiting. */
function writesNothing({ writesNothingMs, storeKind }: Engine): Problem[] {
	if (writesNothingMs < writesNothingMsMax) return [];
	const isShared = storeKind === "postgres";
	return [
		{
			what: isShared ? "database" : "store",
			text: `nothing was written for ${Math.round(writesNothingMs / 1000)} s: the ${isShared ? "database" : "disk"} answers no COMMIT, and commands are refused until it does`,
			fix: isShared ? "brood doctor says what it waits for; the daemon goes on by itself" : "see that the disk answers",
		},
	];
}

function databaseAway({ database, suspendedSince }: Engine["nodes"]): Problem[] {
	const unansweredMs = database?.unansweredMs ?? null;
	if (unansweredMs === null) return [];
	const frozen = suspendedSince === null ? "" : "; the processes of all agents are frozen until it does";
	return [
		{
			what: "database",
			text: `the database has not answered for ${Math.round(unansweredMs / 1000)} s${frozen}`,
			fix: "see that PostgreSQL runs and that this machine reaches it; the daemon goes on by itself",
		},
	];
}

/** A backup gets its name last, so that a file with that name is complete, even after a crash. */
async function backUp(
	context: RequestContext,
	request: RouteRequest<"backup">,
): Promise<{ file: string; bytes: number } | Refusal> {
	const { file } = request.body;
	const { engine } = context;
	if (engine.storeKind === "postgres")
		return refuse("CONFLICT", "This store is a PostgreSQL database, with everything in it: use pg_dump.");
	const by = context.requester(request);
	const [part, blobs, folder] = [`${file}.part`, `${file}.blobs`, path.dirname(file)];
	const again = "begun" in by && by.begun !== null;
	// the first attempt found none of these files
	if (again && existsSync(file)) return { file, bytes: statSync(file).size };
	if (again) rmSync(part, { force: true });
	const taken = again ? undefined : [file, blobs, part].find((each) => existsSync(each));
	if (taken !== undefined)
		return refuse("PATH_EXISTS", `${taken} exists; a backup never overwrites anything.`, { details: { file: taken } });
	if (!existsSync(folder))
		return refuse("VALIDATION_ERROR", `There is no folder ${folder}.`, {
			suggestions: [`mkdir -p ${shellWord(folder)}`],
		});
	if ("begun" in by) await engine.receipts.begin(by, { step: "backup" });
	try {
		const bytes = await engine.backup(part, { blobs, again });
		// fails if another program has taken the name meanwhile
		linkSync(part, file);
		return { file, bytes };
	} finally {
		rmSync(part, { force: true });
	}
}
