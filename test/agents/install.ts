// The programs of vendors, installed with npm when they are first needed.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { installLocked, lockOf, manifestOf } from "#adapters/driver/install.ts";
import { vendors } from "#adapters/driver/vendors/vendors.ts";
import type { Kit } from "./kits.ts";

export const adaptersIn = path.resolve("node_modules/.cache/agents");

/** Installed once for all runs, and again when the pinned version has changed. */
export async function install(type: Kit["type"]): Promise<void> {
	const vendor = vendors[type];
	if (vendor === undefined) throw new Error(`no vendor ${type}`);
	const prefix = path.join(adaptersIn, type);
	const manifest = path.join(prefix, "node_modules", vendor.package, "package.json");
	if (existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === vendor.version) return;
	rmSync(prefix, { recursive: true, force: true });
	mkdirSync(prefix, { recursive: true });
	await installLocked(
		prefix,
		{ manifest: manifestOf(type), lock: lockOf(type) },
		Object.fromEntries(
			Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
		),
	);
}
