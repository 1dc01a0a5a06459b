// Detects the containment level: the kernel's namespaces where they work, our marks and sessions elsewhere.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { ContainmentLevel } from "#contract/config.ts";
import { expected } from "#contract/log.ts";
import { containedCommand } from "../system/containment.ts";
import type { SandboxMounts } from "../system/mounts.ts";
import { environmentFor } from "./environment.ts";

/** Strongest first. */
const byKernel = ["bubblewrap", "namespace"] as const;
const probeMs = 10_000;

/** The level in force, or why the one that was asked for is not to be had. */
export type DetectedContainment = { level: ContainmentLevel } | { reason: string };

/** Finds out by trying, with what an agent would get of this environment. */
export async function detectContainment(
	asked: ContainmentLevel | "auto",
	environment: NodeJS.ProcessEnv,
): Promise<DetectedContainment> {
	for (const level of byKernel) {
		if (asked !== "auto" && asked !== level) continue;
		const reason = await failure(level, environment);
		if (reason === null) return { level };
		if (asked === level) return { reason };
	}
	return { level: "groups" };
}

/** Null if a command really runs inside, as this user and with a /proc of its own. */
async function failure(level: (typeof byKernel)[number], environment: NodeJS.ProcessEnv): Promise<string | null> {
	try {
		const { said, errors } = await probe({ level, script: look }, environment);
		const [self, own, user, namespace] = said.split(" ");
		const inside =
			self === "2" &&
			own === "2" &&
			user === String(process.getuid?.()) &&
			namespace !== readlinkSync("/proc/self/ns/pid");
		return inside ? null : errors || `it does not contain anything (${said})`;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

interface Probe {
	level: ContainmentLevel;
	script: string;
	args?: readonly string[];
	mounts?: SandboxMounts;
}

/** What a script says inside of a wall. Rejects if it cannot be started. */
export async function probe(
	{ level, script, args: words = [], mounts }: Probe,
	environment: NodeJS.ProcessEnv,
): Promise<{ said: string; errors: string }> {
	const { command, args, pipes } = containedCommand(
		level,
		{ command: "/bin/sh", args: ["-c", script, "sh", ...words] },
		mounts ?? null,
	);
	const child = spawn(command, [...args], {
		env: environmentFor({}, environment),
		stdio: [...pipes.stdio],
		detached: true,
		timeout: probeMs,
	});
	for (const pipe of child.stdio) pipe?.on("error", expected("its exit says whether it worked"));
	const [said, errors] = await Promise.all([
		heard(child.stdio[pipes.output]),
		heard(child.stderr),
		once(child, "close"),
	]);
	return { said: said.trim(), errors: errors.trim() };
}

const heard = async (stream: unknown): Promise<string> => (stream instanceof Readable ? await text(stream) : "");
const look = 'read -r own rest </proc/self/stat; echo "$$ $own $(id -u) $(readlink /proc/self/ns/pid)"';
