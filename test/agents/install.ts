// The programs of other makers, installed with npm when they are first needed.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { vendors } from "#adapters/driver/vendors.ts";
import type { Kit } from "./kits.ts";

export const adaptersIn = path.resolve("node_modules/.cache/agents");

/** Installed once for all runs, and again when the pinned version has changed. */
export function install(type: Kit["type"]): void {
	const vendor = vendors[type];
	if (vendor === undefined) throw new Error(`no vendor ${type}`);
	const prefix = path.join(adaptersIn, type);
	const manifest = path.join(prefix, "node_modules", vendor.package, "package.json");
	if (existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === vendor.version) return;
	mkdirSync(prefix, { recursive: true });
	const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"];
	execFileSync("npm", ["install", "--prefix", prefix, ...options, `${vendor.package}@${vendor.version}`], { stdio: "pipe" });
}
