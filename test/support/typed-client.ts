// A program of somebody who has only the API document: types generated from it, a fetch that knows them, nothing of
// ours.
import { execFile } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { runProgram } from "./process.ts";
import { freshFolder } from "./stores.ts";

const run = promisify(execFile);

/** Answers come typed, and errors by their codes. */
const program = `
import createClient from "openapi-fetch";
import type { components, paths } from "./brood.ts";

const [baseUrl = "", token = ""] = process.argv.slice(2);
const brood = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } });

type Refused = components["schemas"]["Refusal"];
const inWords = ({ code, message }: Refused): string => {
	switch (code) {
		case "AGENT_NOT_FOUND":
			return "no such agent";
		case "CONFLICT":
			return "another request under this key";
		default:
			return message;
	}
};

const header = { "Idempotency-Key": "typed-1" };
const made = await brood.POST("/api/agents", { params: { header }, body: { name: "typed", type: "scripted", workspace: "none" } });
if (made.error) throw new Error(inWords(made.error.error));
const { handle, queueLength, lineage }: components["schemas"]["Agent"] = made.data.data;
const listed = await brood.GET("/api/agents", { params: { query: { reaped: true } } });
const handles: string[] = listed.data?.data.map((agent) => agent.handle) ?? [];
const twice = await brood.POST("/api/agents", { params: { header }, body: { name: "other", type: "scripted" } });
const missing = await brood.GET("/api/agents/{agent}", { params: { path: { agent: "nobody" } } });
console.log(JSON.stringify({ handle, queueLength, lineage, handles, twice: twice.error && inWords(twice.error.error), missing: missing.error && inWords(missing.error.error) }));
`;

/** Each of these lines is wrong, and the generated types say so. */
export const mistakes = [
	`brood.GET("/api/agent", {});`,
	`brood.GET("/api/agents/{agent}", {});`,
	`brood.POST("/api/agents", { body: { name: 5 } });`,
	`brood.POST("/api/agents/{agent}/queue", { params: { path: { agent: "a" } }, body: {} });`,
	`if (made.error?.error.code === "AGENT_NOT_THERE") process.exit(1);`,
	`made.data?.data.status;`,
	`const limit: string = missing.data?.data.queueLength ?? "";`,
	`brood.GET("/api/search", { params: { query: { limit: 5 } } });`,
];

/** A folder with the program, its types, and the compiler's verdict on the program and on the program with mistakes. */
export async function typedClient(document: string) {
	const folder = freshFolder();
	// not a declaration file: those are not checked
	symlinkSync(path.resolve("node_modules"), path.join(folder, "node_modules"));
	const generated = await runProgram("describe-client", [path.resolve(document), path.join(folder, "brood.ts")]);
	if (generated.code !== 0) throw new Error(generated.errors);
	writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
	writeFileSync(path.join(folder, "right.ts"), program);
	writeFileSync(path.join(folder, "wrong.ts"), [program.trimEnd(), ...mistakes].join("\n"));
	const mistakesFrom = program.trimEnd().split("\n").length + 1;
	return {
		/** the lines that do not compile */
		errors: async (): Promise<string[]> => {
			const options = [
				"--noEmit",
				"--strict",
				"--skipLibCheck",
				"--target",
				"esnext",
				"--module",
				"nodenext",
				"--types",
				"node",
				"--allowImportingTsExtensions",
			];
			const compiled = await run("tsc", [...options, "right.ts", "wrong.ts"], { cwd: folder }).catch(
				(failed: { stdout: string }) => failed,
			);
			return [
				...new Set(
					[...compiled.stdout.matchAll(/^(\S+?)\((\d+),\d+\): error/gm)].map(([, file, line]) => `${file}:${line}`),
				),
			];
		},
		mistakesFrom,
		run: async (url: string, token: string): Promise<unknown> =>
			JSON.parse((await run(process.execPath, ["right.ts", url, token], { cwd: folder })).stdout),
	};
}
