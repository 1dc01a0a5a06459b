// A backup gets its name last, so that a file with that name is complete, even after a crash.
import { existsSync, linkSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { RequestContext, RouteRequest } from "./request-context.ts";

export async function backUp(
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
		return refuse("VALIDATION_ERROR", `There is no folder ${folder}.`, { suggestions: [`mkdir -p ${folder}`] });
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
