// Type-checks everything once, and each pure folder again with only the platform that it may use.
import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);
const projects = [".", ...globSync("src/*/tsconfig.json"), "src/surfaces/web"];
if (projects.length < 4) throw new Error("the pure folders have lost their tsconfig.json");

// the compiler collects garbage half of its time otherwise, in a process that soon ends
const env = { GOGC: "400", ...process.env };
const failures: string[] = [];
// Two at a time, since the machine may be small, and each with one checker: several check what they share several
// times.
for (let at = 0; at < projects.length; at += 2) {
	await Promise.all(
		projects.slice(at, at + 2).map((project) =>
			run("tsc", ["-p", project, "--pretty", "--checkers", "1"], { env }).catch((error: { stdout?: string }) => {
				failures.push(error.stdout ?? String(error));
			}),
		),
	);
}
if (failures.length > 0) {
	console.error(failures.join("\n"));
	process.exitCode = 1;
}
