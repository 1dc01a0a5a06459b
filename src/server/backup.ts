// A backup gets its name last: whoever finds the file finds all of it, also after a crash.
import { existsSync, linkSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { RequestContext, RouteRequest } from "./request-context.ts";

export async function backUp(
	context: RequestContext,
	asked: RouteRequest<"backup">,
): Promise<{ file: string; bytes: number } | Refusal> {
	const { file } = asked.body;
	const { engine } = context;
	const by = context.by(asked);
	const [part, blobs, folder] = [`${file}.part`, `${file}.blobs`, path.dirname(file)];
	const again = "begun" in by && by.begun !== null;
	// none of these was there when it was begun
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
		// a name that somebody else took meanwhile is theirs
		linkSync(part, file);
		return { file, bytes };
	} finally {
		rmSync(part, { force: true });
	}
}
