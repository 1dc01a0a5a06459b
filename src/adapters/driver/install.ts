// Installs the packages of a vendor's agent, exactly those that this release was tested with: its lock has the digest
// of every package, which npm checks. Install scripts do not run.
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { CommandLine } from "../system/containment.ts";
import type { Vendor } from "./vendors/vendor.ts";
import { vendors } from "./vendors/vendors.ts";

export interface Lock {
	packages: Readonly<
		Record<
			string,
			{
				version?: string;
				integrity?: string;
				resolved?: string;
				os?: readonly string[];
				cpu?: readonly string[];
				libc?: readonly string[];
			}
		>
	>;
}

const installMs = 10 * 60_000;
const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];

/** Next to the source in a checkout, next to the bundle in a release. */
export const lockFile = (type: string): string =>
	fileURLToPath(new URL(`./vendors/${type}/lock.json`, import.meta.url));

export const lockOf = (type: string): Lock => JSON.parse(readFileSync(lockFile(type), "utf8"));

export function manifestOf(type: string): string {
	const vendor = vendors[type];
	if (vendor === undefined) throw new Error(`no vendor ${type}`);
	return JSON.stringify({
		name: `brood-adapter-${type}`,
		private: true,
		dependencies: { [vendor.package]: vendor.version },
	});
}

/** Into an empty folder. Rejects if a package does not match the lock. */
export async function installLocked(
	folder: string,
	locked: { manifest: string; lock: Lock },
	environment: Readonly<Record<string, string>>,
): Promise<void> {
	const unknown = withoutDigest(locked.lock);
	if (unknown.length > 0)
		throw new Error(`this release of Brood has no checksum of ${unknown.join(", ")}, which this machine needs`);
	writeFileSync(path.join(folder, "package.json"), locked.manifest);
	writeFileSync(path.join(folder, "package-lock.json"), JSON.stringify(locked.lock));
	await new Promise<void>((resolve, reject) => {
		execFile(
			"npm",
			["ci", "--prefix", folder, ...options],
			{ env: { ...environment }, timeout: installMs, maxBuffer: 16 * 1024 * 1024 },
			(error, _, words) => (error === null ? resolve() : reject(new Error(words.trim() || error.message))),
		);
	});
}

interface Machine {
	platform: string;
	arch: string;
	libc: string | null;
}

/** Packages that npm would install on this machine without checking a digest. */
export function withoutDigest({ packages }: Lock, { platform, arch, libc }: Machine = thisMachine()): string[] {
	const fits = (list: readonly string[] | undefined, name: string | null): boolean =>
		list === undefined || name === null || list.includes(name);
	return Object.entries(packages).flatMap(([name, entry]) => {
		const needed = name !== "" && fits(entry.os, platform) && fits(entry.cpu, arch) && fits(entry.libc, libc);
		return needed && entry.integrity === undefined ? [name] : [];
	});
}

function thisMachine(): Machine {
	const { platform, arch } = process;
	const header: unknown = Reflect.get(Object(process.report.getReport()), "header");
	const isGlibc = Reflect.get(Object(header), "glibcVersionRuntime") !== undefined;
	return { platform, arch, libc: platform !== "linux" ? null : isGlibc ? "glibc" : "musl" };
}

export const installedIn = (adapters: string, type: string): string => path.join(adapters, type);

/** How to start it, or null if it is not there. */
export function adapterCommand(adapters: string, type: string): CommandLine | null {
	const vendor = vendors[type];
	if (vendor === undefined || installedVersion(adapters, type) === null) return null;
	return vendor.start(path.join(installedIn(adapters, type), "node_modules"));
}

export function installedVersion(adapters: string, type: string): string | null {
	const vendor = vendors[type];
	if (vendor === undefined) return null;
	const file = path.join(installedIn(adapters, type), "node_modules", vendor.package, "package.json");
	if (!existsSync(file)) return null;
	const { version }: { version?: unknown } = JSON.parse(readFileSync(file, "utf8"));
	return typeof version === "string" ? version : null;
}

/** Whether there is a login file; only a turn can tell whether it is still valid. */
export function looksLoggedIn({ login }: Vendor, home: string): boolean {
	return login.files.some((file) => {
		if (typeof file === "string") return existsSync(path.join(home, file));
		const found = path.join(home, file.name);
		return existsSync(found) && file.has.test(readFileSync(found, "utf8"));
	});
}
