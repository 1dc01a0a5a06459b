// Our programs, and those of the tests, bundled as a release is. From the source a daemon loads four hundred files and
// takes three times as much of a core to start.
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { vendorTypes } from "#contract/agent-type.ts";
import { bundleAll } from "#tools/bundle.ts";

const cache = path.resolve("node_modules/.cache/programs");
/** of the tests' own programs, those that cannot be bundled: they name files of the checkout */
const notBundled = ["describe-client.ts"];

/** The bundle's folder, named after its content: another run at the same time may have another source. */
export async function bundlePrograms(): Promise<string> {
	const own = readdirSync("test/programs").filter((file) => !notBundled.includes(file));
	const tests = Object.fromEntries(own.map((file) => [`test-${path.parse(file).name}`, `test/programs/${file}`]));
	const files = await bundleAll({ minify: false, more: tests });
	const hash = createHash("sha256");
	for (const { fileName, code } of files) hash.update(`${fileName}\0${code}\0`);
	const folder = path.join(cache, hash.digest("hex").slice(0, 16));
	if (existsSync(folder)) return folder;
	mkdirSync(cache, { recursive: true });
	const fresh = mkdtempSync(`${folder}-`);
	mkdirSync(path.join(fresh, "cli"));
	for (const { fileName, code } of files) writeFileSync(path.join(fresh, fileName), code);
	for (const type of vendorTypes)
		cpSync(`src/adapters/driver/vendors/${type}/lock.json`, path.join(fresh, `vendors/${type}/lock.json`));
	mkdirSync(path.join(fresh, "bin"));
	const launcher = `#!/bin/sh\nexec ${process.execPath} ${path.join(folder, "cli.cjs")} "$@"\n`;
	writeFileSync(path.join(fresh, "bin/brood"), launcher, { mode: 0o755 });
	try {
		renameSync(fresh, folder);
	} catch {
		rmSync(fresh, { recursive: true });
	}
	return folder;
}
