// Writes the lock of each vendor's agent: the whole tree that `brood setup` installs, with the digest of every package.
// Run it after a change of a version in src/adapters/driver/vendors: `npm run lock:adapters [type]`.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { lockFile, manifestOf } from "#adapters/driver/install.ts";
import { vendors } from "#adapters/driver/vendors/vendors.ts";

const [only] = process.argv.slice(2);
for (const type of Object.keys(vendors).filter((each) => only === undefined || each === only)) {
	const folder = mkdtempSync(path.join(os.tmpdir(), "brood-lock-"));
	writeFileSync(path.join(folder, "package.json"), manifestOf(type));
	execFileSync(
		"npm",
		["install", "--prefix", folder, "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"],
		{ stdio: "inherit" },
	);
	const made = path.join(folder, "package-lock.json");
	execFileSync(process.execPath, [path.join(import.meta.dirname, "fix-lock.ts"), made], { stdio: "inherit" });
	const lock: { packages: Record<string, { resolved?: string }> } = JSON.parse(readFileSync(made, "utf8"));
	// the registry's address is left out: the digest is what counts
	for (const entry of Object.values(lock.packages)) delete entry.resolved;
	writeFileSync(lockFile(type), `${JSON.stringify(lock, null, "\t")}\n`);
	rmSync(folder, { recursive: true });
}
