// Writes what follows from something else: `npm run generate`. Generated files are committed; `test/tidy.test.ts`
// says when one is stale.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { ProjectConfig } from "#contract/project-config.ts";
import { openApi } from "#server/openapi.ts";
import { version } from "#src/version.ts";
import { folders } from "./folders.ts";
import { statesPage } from "./states-page.ts";

/** Path → the text that belongs there. */
export function generated(): Record<string, string> {
	return {
		"biome.json": biomeConfig(readFileSync("biome.json", "utf8")),
		"docs/project-config.schema.json": format("docs/project-config.schema.json", JSON.stringify(z.toJSONSchema(ProjectConfig))),
		"docs/internals/states.md": statesPage(),
		"openapi.json": format("openapi.json", JSON.stringify(openApi(version))),
	};
}

/** The import table as the linter wants it, in the place of the old one; what is written by hand stays. */
function biomeConfig(current: string): string {
	const config: { overrides: { includes: string[] }[] } = JSON.parse(current);
	const byHand = config.overrides.filter((override) => !override.includes.some((glob) => glob.startsWith("src/")));
	const table = Object.entries(folders).map(([folder, { mayImport, mayUse }]) => ({
		includes: [`src/${folder}/**`, "!**/*.test.ts"],
		linter: { rules: { style: { noRestrictedImports: { level: "error", options: { patterns: [rule(folder, mayImport, mayUse)] } } } } },
	}));
	return format("biome.json", JSON.stringify({ ...config, overrides: [...byHand, ...table] }));
}

function rule(folder: string, mayImport: readonly string[], mayUse: readonly string[]) {
	const own = folder.split("/")[0] ?? folder;
	const inside = [own, ...mayImport].map((name) => (name.endsWith(".ts") ? `!#${name}` : `!#${name}/**`));
	const outside = mayUse.flatMap((name) => (name === "node:*" ? ["!node:*", "!node:*/**"] : [`!${name}`]));
	const message = `${folder} may import only: ${[...mayImport, ...mayUse].join(", ") || "itself"}`;
	return { group: ["*", "**", "!./**", "!../**", ...inside, ...outside], message };
}

function format(file: string, text: string): string {
	return execFileSync("biome", ["format", `--stdin-file-path=${file}`], { input: text, encoding: "utf8" });
}

if (import.meta.main) for (const [file, text] of Object.entries(generated())) writeFileSync(file, text);
