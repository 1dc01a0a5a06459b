// Finds a Chromium, or installs Debian's where that is possible, so that `npm test` alone works on a fresh machine.
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import path from "node:path";

/** Debian's shell without a window first: its processes take a third less CPU than those of the whole browser. */
const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Its path; empty if there is none and it cannot be installed. */
export function chromiumProgram(): string {
	const found = onPath();
	if (found !== null || process.getuid?.() !== 0) return found ?? "";
	const aptGet = (...args: string[]): void => void spawnSync("apt-get", args, { stdio: "ignore", timeout: 300_000 });
	aptGet("update");
	aptGet("install", "-y", "--no-install-recommends", "chromium-headless-shell");
	if (onPath() === null) aptGet("install", "-y", "--no-install-recommends", "chromium");
	return onPath() ?? "";
}

function onPath(): string | null {
	for (const folder of (process.env["PATH"] ?? "").split(":"))
		for (const name of names) {
			const file = path.join(folder, name);
			try {
				accessSync(file, constants.X_OK);
				return file;
			} catch {}
		}
	return null;
}
