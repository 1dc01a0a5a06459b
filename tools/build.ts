// Bundles everything that runs into dist/: one launcher, chunks that are loaded when they are needed, no dependencies.

import { chmodSync, copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { rolldown } from "rolldown";
import { vendorTypes } from "#contract/agent-type.ts";

const { name, version, description, license }: Record<"name" | "version" | "description" | "license", string> =
	JSON.parse(readFileSync("package.json", "utf8"));
rmSync("dist", { recursive: true, force: true });
const bundle = await rolldown({
	input: {
		cli: "src/surfaces/cli/bin.ts",
		daemon: "src/daemon.ts",
		"store-thread": "src/store-thread.ts",
		"sandbox-worker": "src/sandbox-worker.ts",
		scripted: "src/agents/scripted.ts",
		shell: "src/agents/shell.ts",
		llm: "src/agents/llm.ts",
	},
	platform: "node",
	external: ["pg-native"],
});
await bundle.write({
	dir: "dist/lib",
	format: "esm",
	minify: true,
	sourcemap: false,
	entryFileNames: "[name].mjs",
	chunkFileNames: "[name]-[hash].mjs",
});
// old syntax on purpose: this file has to parse on any Node to say that it is too old
writeFileSync(
	"dist/brood.cjs",
	`#!/usr/bin/env node
"use strict";
var major = Number(process.versions.node.split(".")[0]);
if (major >= 24) { require("node:module").enableCompileCache(require("node:path").join(require("node:os").tmpdir(), "brood-compile-" + (process.getuid ? process.getuid() : "user"))); import("./lib/cli.mjs"); }
else { console.error("brood needs Node 24 or newer; this is " + process.version + "."); process.exit(1); }
`,
);
chmodSync("dist/brood.cjs", 0o755);
const published = {
	name,
	version,
	description,
	license,
	type: "module",
	bin: { brood: "./brood.cjs" },
	engines: { node: ">=24" },
};
writeFileSync("dist/package.json", `${JSON.stringify(published, null, "\t")}\n`);
// what `brood setup` installs: next to the chunk that reads it
for (const type of vendorTypes)
	cpSync(`src/adapters/driver/vendors/${type}/lock.json`, `dist/lib/vendors/${type}/lock.json`);
for (const file of ["README.md", "LICENSE"]) copyFileSync(file, `dist/${file}`);
