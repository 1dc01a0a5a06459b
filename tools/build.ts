// Bundles the program into dist/: one launcher, chunks that are loaded on demand, the dashboard, no dependencies. `npm
// pack` runs it.
import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { vendorTypes } from "#contract/agent-type.ts";
import { bundleAll } from "#tools/bundle.ts";
import { buildWeb } from "#tools/web.ts";

rmSync("dist", { recursive: true, force: true });
for (const { fileName, code } of await bundleAll({ minify: true })) {
	const file = path.join("dist/lib", fileName);
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, code);
}
// Old syntax on purpose: this file has to parse on any Node to say that it is too old. The compile cache is a folder
// that only the user can write, whatever the umask is: in a shared one another user could put code for us to run.
writeFileSync(
	"dist/brood.cjs",
	`#!/usr/bin/env node
"use strict";
var env = process.env;
if (Number(process.versions.node.split(".")[0]) >= 24) {
	var cache = env.XDG_CACHE_HOME || (env.HOME && env.HOME + "/.cache");
	if (cache) {
		try {
			var fs = require("node:fs");
			fs.mkdirSync(cache + "/brood", { recursive: true, mode: 0o700 });
			var found = fs.lstatSync(cache + "/brood");
			if (found.isDirectory() && found.uid === process.getuid() && (found.mode & 0o022) === 0)
				require("node:module").enableCompileCache(cache + "/brood");
		} catch (_) {}
	}
	require("./lib/cli.cjs");
} else {
	console.error("brood needs Node 24 or newer; this is " + process.version + ".");
	process.exit(1);
}
`,
);
chmodSync("dist/brood.cjs", 0o755);
// the locks that `brood setup` installs from, next to the chunk that reads them
for (const type of vendorTypes)
	cpSync(`src/adapters/driver/vendors/${type}/lock.json`, `dist/lib/vendors/${type}/lock.json`);
await buildWeb("dist/web");
