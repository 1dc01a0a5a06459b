// The program of the store's threads in one file, as a release has it. An engine starts two of them, and from its four
// hundred files each takes longer to load than most tests take to run.
import { createHash } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";

const folder = path.resolve("node_modules/.cache/store-thread");

/** Named after what is in it: another run at the same time may have another source. */
export async function bundleStoreThread(): Promise<string> {
	const bundle = await rolldown({ input: "src/store-thread.ts", platform: "node" });
	const { output } = await bundle.generate({ format: "esm", codeSplitting: false });
	await bundle.close();
	const [{ code }] = output;
	const file = path.join(folder, `${createHash("sha256").update(code).digest("hex").slice(0, 16)}.mjs`);
	mkdirSync(folder, { recursive: true });
	writeFileSync(`${file}.${process.pid}`, code);
	renameSync(`${file}.${process.pid}`, file);
	return file;
}
