// Bundles the dashboard into a folder of static files: `index.html`, and the rest under names that change with their
// content. Nothing is inlined, so that the content security policy needs no exception.
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { build } from "vite";

const root = path.join(import.meta.dirname, "../src/surfaces/web");

export async function buildWeb(folder: string): Promise<void> {
	await build({
		root,
		configFile: false,
		publicDir: false,
		logLevel: "error",
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
