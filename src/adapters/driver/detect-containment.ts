// Detects the containment level: the kernel's namespaces where they work, an environment variable and process sessions
// elsewhere.
import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { ContainmentLevel } from "#contract/config.ts";
import { messageOf } from "#contract/message-of.ts";
import { startContained } from "../system/contained-process.ts";
import type { SandboxMounts } from "../system/mounts.ts";
import { signalGroup } from "../system/process-group.ts";
import { environmentFor } from "./environment.ts";

/** Strongest first. */
const byKernel = ["bubblewrap", "namespace"] as const;
const probeMs = 10_000;

/** The level in force, or why the configured one is not available. */
export type DetectedContainment = { level: ContainmentLevel } | { reason: string };

/** Tries each level, with an agent's environment. */
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

/** Null if a command runs inside, as this user and with its own /proc. */
async function failure(level: (typeof byKernel)[number], environment: NodeJS.ProcessEnv): Promise<string | null> {
	try {
		const { output, errors } = await probe({ level, script: probeScript }, environment);
		const [self, own, user, namespace] = output.split(" ");
		const inside =
			self === "2" &&
			own === "2" &&
			user === String(process.getuid?.()) &&
			namespace !== readlinkSync("/proc/self/ns/pid");
		return inside ? null : errors || `it does not contain anything (${output})`;
	} catch (error) {
		return messageOf(error);
	}
}

interface Probe {
	level: ContainmentLevel;
	script: string;
	args?: readonly string[];
	mounts?: SandboxMounts;
}

/** The output of a script under containment. Rejects if it cannot be started. */
export async function probe(
	{ level, script, args: words = [], mounts }: Probe,
	environment: NodeJS.ProcessEnv,
): Promise<{ output: string; errors: string }> {
	const { child, output } = startContained({
		...{ containment: level, mounts: mounts ?? null, environment: environmentFor({}, environment) },
		...{ command: "/bin/sh", args: ["-c", script, "sh", ...words] },
	});
	const limit = setTimeout(() => signalGroup(child.pid, "SIGKILL"), probeMs);
	try {
		const [said, errors] = await Promise.all([text(output), textOf(child.stderr), once(child, "close")]);
		return { output: said.trim(), errors: errors.trim() };
	} finally {
		clearTimeout(limit);
	}
}

const textOf = async (stream: unknown): Promise<string> => (stream instanceof Readable ? await text(stream) : "");
const probeScript = 'read -r own rest </proc/self/stat; echo "$$ $own $(id -u) $(readlink /proc/self/ns/pid)"';
