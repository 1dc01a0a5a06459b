// Bundles the dashboard into a folder of static files: `index.html`, and the rest under names that change with their
// content. Nothing is inlined, so that the content security policy needs no exception.
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { build, type Plugin } from "vite";

const root = path.join(import.meta.dirname, "../src/surfaces/web");

/** Zod tries out `new Function`, which the policy reports, unless it is told not to before the first schema is made. */
const withoutEval: Plugin = {
	name: "without-eval",
	transform: {
		filter: { id: /zod\/v4\/core\/core\.js$/ },
		handler(code) {
			const told = code.replace("__zod_globalConfig = {})", "__zod_globalConfig = { jitless: true })");
			if (told === code) throw new Error("zod keeps its configuration elsewhere now; change this plugin");
			return told;
		},
	},
};

export async function buildWeb(folder: string): Promise<void> {
	await build({
		root,
		configFile: false,
		publicDir: false,
		logLevel: "error",
		plugins: [withoutEval],
		build: {
			outDir: path.resolve(folder),
			emptyOutDir: true,
			assetsInlineLimit: 0,
			modulePreload: { polyfill: false },
			target: "baseline-widely-available",
			chunkSizeWarningLimit: 1000,
			rolldownOptions: { output: { chunkFileNames: "assets/[name]-[hash].js" } },
		},
	});
	if (!existsSync(path.join(folder, "index.html")) || readdirSync(path.join(folder, "assets")).length < 3)
		throw new Error("the dashboard was not built");
}
