// The resources of a daemon at one moment, measured from outside: /proc, du, git, and file sizes.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Rule } from "#test/support/soak-verdict.ts";

const mb = 1024 * 1024;
const diskUse = "du";
const count = "find";

export interface Sample {
	daemonMemory: number;
	treeMemory: number;
	descriptors: number;
	threads: number;
	processes: number;
	log: number;
	bytesPerEvent: number;
	daemonLog: number;
	objects: number;
	looseObjects: number;
	refs: number;
	trash: number;
	homeFiles: number;
	home: number;
	temporary: number;
}

export const rules: Readonly<Record<keyof Sample, Rule>> = {
	daemonMemory: {
		name: "memory of the daemon",
		unit: "MB",
		share: 0.25,
		floor: 40 * mb,
		because: "nothing is kept in it but what is open",
	},
	treeMemory: {
		name: "memory of all its processes",
		unit: "MB",
		share: 0.25,
		floor: 150 * mb,
		because: "idle agents' processes are limited and ended",
	},
	descriptors: {
		name: "file descriptors",
		unit: "",
		share: 0.2,
		floor: 25,
		because: "each is closed by whoever opened it",
	},
	threads: { name: "threads", unit: "", share: 0.1, floor: 6, because: "fixed" },
	processes: { name: "processes", unit: "", share: 0.25, floor: 15, because: "two or three for each warm agent" },
	log: { name: "write-ahead log", unit: "MB", share: 0.2, floor: 4 * mb, because: "begun again after 8 MiB" },
	bytesPerEvent: {
		name: "database by event",
		unit: "bytes",
		share: 0.2,
		floor: 200,
		because: "the journal is kept for good; what grows is told by event",
	},
	daemonLog: { name: "daemon.log", unit: "MB", share: 0.25, floor: 2 * mb, because: "rotated" },
	objects: {
		name: "repository",
		unit: "MB",
		share: 0.25,
		floor: 6 * mb,
		because: "packed; objects of expired snapshots are removed",
	},
	looseObjects: { name: "loose objects", unit: "", share: 0.35, floor: 1500, because: "packed from 2,000 on" },
	refs: { name: "refs of Brood", unit: "", share: 0.25, floor: 60, because: "snapshots expire" },
	trash: { name: "trash", unit: "MB", share: 0.3, floor: 3 * mb, because: "emptied after trashDays" },
	homeFiles: { name: "files in the home", unit: "", share: 0.25, floor: 400, because: "workspaces and trash" },
	home: { name: "home without the database", unit: "MB", share: 0.25, floor: 8 * mb, because: "workspaces and trash" },
	temporary: { name: "temporary folders", unit: "", share: 0.2, floor: 8, because: "gone with what they were for" },
};

export interface Subject {
	pid: number;
	home: string;
	repository: string;
	/** the number of events in the journal */
	events: number;
}

export function takeSample({ pid, home, repository, events }: Subject): Sample {
	const tree = [pid, ...descendants(pid)];
	const status = read(`/proc/${pid}/status`);
	const size = (name: string): number => statSync(path.join(home, name), { throwIfNoEntry: false })?.size ?? 0;
	const database = size("brood.db");
	const packed = execFileSync("git", ["count-objects", "-v"], {
		cwd: repository,
		encoding: "utf8",
		stdio: ["ignore", "pipe", "ignore"],
	});
	const counted = (name: string): number => Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(packed)?.[1] ?? 0);
	return {
		daemonMemory: memoryOf(pid),
		treeMemory: tree.reduce((sum, each) => sum + memoryOf(each), 0),
		descriptors: list(`/proc/${pid}/fd`).length,
		threads: Number(/^Threads:\s+(\d+)/m.exec(status)?.[1] ?? 0),
		processes: tree.length,
		log: size("brood.db-wal"),
		bytesPerEvent: events === 0 ? 0 : database / events,
		daemonLog: list(home)
			.filter((name) => name.startsWith("daemon.log"))
			.reduce((sum, name) => sum + size(name), 0),
		objects: diskBytes(path.join(repository, ".git")),
		looseObjects: counted("count"),
		refs:
			execFileSync("git", ["for-each-ref", "--format=x", "refs/brood"], { cwd: repository, encoding: "utf8" }).split(
				"\n",
			).length - 1,
		trash: diskBytes(path.join(home, "trash")),
		homeFiles: lines(count, [home, "-type", "f"]),
		home: diskBytes(home) - database - size("brood.db-wal"),
		temporary: list(os.tmpdir()).filter((name) => new RegExp(`^brood-\\w+-${pid}-`).test(name)).length,
	};
}

/** Files may disappear while they are counted. */
function quietly(program: string, args: readonly string[]): string {
	try {
		return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 256 * mb });
	} catch (error) {
		return error instanceof Error && "stdout" in error ? String(error.stdout) : "";
	}
}

const lines = (program: string, args: readonly string[]): number => quietly(program, args).split("\n").length - 1;
const diskBytes = (folder: string): number => Number(quietly(diskUse, ["-sk", folder]).split("\t")[0] ?? 0) * 1024;

function descendants(pid: number): number[] {
	const parents = new Map<number, number[]>();
	for (const name of list("/proc").filter((each) => /^\d+$/.test(each))) {
		// a program's name may contain anything, also brackets
		const parent = Number(/^.*\) \S (\d+) /s.exec(read(`/proc/${name}/stat`))?.[1] ?? 0);
		parents.set(parent, [...(parents.get(parent) ?? []), Number(name)]);
	}
	const below = (each: number): number[] => (parents.get(each) ?? []).flatMap((child) => [child, ...below(child)]);
	return below(pid);
}

const memoryOf = (pid: number): number => Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;

function read(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch {
		return "";
	}
}

function list(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}
