// What a browser has to load before it shows anything, and what the files say about themselves.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { webFolder } from "#test/support/programs.ts";

const initialMax = 300_000;

test("the initial script is at most 300 kB, compressed", { timeout: 120_000 }, async () => {
	const folder = await webFolder();
	const html = readFileSync(path.join(folder, "index.html"), "utf8");
	const first = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, file = ""]) => file);
	const loaded = new Set<string>();
	const load = (file: string): void => {
		if (loaded.has(file)) return;
		loaded.add(file);
		const text = readFileSync(path.join(folder, file), "utf8");
		// static imports only; what is imported on demand is not part of the beginning
		for (const [, name = ""] of text.matchAll(
			/(?:^|[;}\n])(?:import|export)[^;"'()]*?(?:from)?["']\.\/([^"']+\.js)["']/g,
		))
			load(`/assets/${name}`);
	};
	for (const file of first) load(file);
	const bytes = [...loaded].reduce((sum, file) => sum + gzipSync(readFileSync(path.join(folder, file))).length, 0);
	expect(first.length).toBeGreaterThan(0);
	expect(bytes).toBeGreaterThan(50_000);
	expect(bytes).toBeLessThanOrEqual(initialMax);
	// pages and languages are loaded when they are needed
	expect(readdirSync(path.join(folder, "assets")).filter((file) => file.endsWith(".js")).length).toBeGreaterThan(
		loaded.size + 5,
	);
	expect(html).not.toMatch(/<script>|<style|https?:\/\//);
});
