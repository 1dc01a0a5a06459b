// Finds a Chromium, or installs Debian's.
import { findProgram, installPackages } from "./debian-packages.ts";

/** Debian's shell without a window first: its processes take a third less CPU than those of the whole browser. */
const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Its path; empty if there is none and it cannot be installed. */
export function chromiumProgram(): string {
	for (const name of ["chromium-headless-shell", "chromium"]) if (findProgram(names) === null) installPackages([name]);
	return findProgram(names) ?? "";
}
