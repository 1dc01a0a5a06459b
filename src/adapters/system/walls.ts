// Containment of processes that are not ours: agents, and the commands of projects.
//
// Both stronger levels put them into a PID namespace with a /proc of its own. They cannot see a process outside, so
// they cannot read the daemon's environment, and when the namespace's first process goes, everything in it goes, whatever
// it did to its parents, its session or its environment:
//
//     the daemon
//      └─ outside   bwrap or unshare: the process that we started; the kernel kills it when the daemon dies
//          └─ 1     a reaper; the kernel kills it, and all the rest, when the one outside dies
//              └─ 2 the program; when it ends, the reaper ends
//
// That alone is no sandbox: the file system, the network and the user are the same inside. With mounts it is one.
import { existsSync, realpathSync, statSync } from "node:fs";
import type { ContainmentLevel } from "#contract/config.ts";
import { leadsOut } from "./private-places.ts";
import { callFilterFile } from "./system-calls.ts";

export interface Command {
	command: string;
	args: readonly string[];
}

/** What is to be seen of the file system: all of it, read-only, but for these. Later ones are laid over earlier ones. */
export interface Room {
	/** empty inside, whatever is in them: secrets, and what belongs to somebody else */
	hidden: readonly string[];
	/** to be seen although something around them is hidden */
	readable: readonly string[];
	writable: readonly string[];
	/** inside of something writable, and not writable all the same */
	fixed: readonly string[];
	/** what is to be seen at another place than where it is; a folder in that place cannot be moved or removed from inside */
	bound?: readonly Bound[];
	/** variables that say where things are inside */
	environment?: Readonly<Record<string, string>>;
	/** nothing is kept from it: only what is bound makes it differ from the machine */
	open?: boolean;
}

export interface Bound {
	from: string;
	to: string;
	writable: boolean;
}

/** How to start it, and which of its pipes is for what. */
export interface Contained extends Command {
	pipes: { stdio: readonly ("pipe" | "ignore" | number)[]; output: number; lifeline: number | null };
}

/** The command line that runs a program inside; `groups` needs nothing, and only bubblewrap supports mounts. */
export function contained(level: ContainmentLevel, { command, args }: Command, room: Room | null = null): Contained {
	if (room !== null && level !== "bubblewrap") throw new Error(`${level} cannot mount anything`);
	if (level === "groups") return { command, args, pipes: { stdio: ["pipe", "pipe", "pipe"], output: 1, lifeline: null } };
	const isClosed = room !== null && room.open !== true;
	const wall = room === null ? walls[level]() : ([...(isClosed ? filtered : bubblewrap), ...mountsOf(room), "--"] as const);
	const [first, ...rest] = [...wall, "/bin/sh", "-c", lifeline, "sh", command, ...args];
	const filter = isClosed ? [callFilterFile()] : [];
	return { command: first, args: rest, pipes: { stdio: ["pipe", "ignore", "pipe", "pipe", "pipe", ...filter], output: 4, lifeline: 3 } };
}

const bubblewrap = ["bwrap", "--die-with-parent", "--new-session", "--unshare-pid"] as const;
/** Whoever reads a file that was handed down moves on in it for everybody who has it, so it is opened anew. */
const filtered = ["/bin/sh", "-c", 'exec "$@" 5</proc/self/fd/5', "sh", ...bubblewrap, "--seccomp", "5"] as const;

const walls: Record<Exclude<ContainmentLevel, "groups">, () => readonly [string, ...string[]]> = {
	bubblewrap: () => [...bubblewrap, "--dev-bind", "/", "/", "--proc", "/proc", "--"],
	namespace: () => [
		...(["setpriv", "--pdeathsig", "KILL", "unshare"] as const),
		// root needs no user namespace, and could not become another user inside of one
		...(process.getuid?.() === 0 ? [] : ["--user", "--map-current-user"]),
		...["--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "slave", "--"],
		// a shell that waits for a child takes in every orphan as well; what follows the child keeps it from becoming it
		...["setsid", "/bin/sh", "-c", '"$@"; exit $?', "sh"],
	],
};

/** Sockets in them lead to programs outside; names are still to be looked up. */
const runtime = ["/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf", "/run/nscd", "/run/current-system", "/run/wrappers"];

/** What root may write there without any power: settings of the whole machine. */
const kernel = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr", "driver"].map((name) => `/proc/${name}`);

function mountsOf({ hidden, readable, writable, fixed, bound = [], open = false }: Room): string[] {
	const binds = bound.flatMap(({ from, to, writable: may }) => [may ? "--bind" : "--ro-bind", from, to]);
	if (open) return ["--dev-bind", "/", "/", ...binds, "--proc", "/proc"];
	// root would otherwise keep the powers to undo all of it
	const mounts = ["--cap-drop", "ALL", "--unshare-ipc", "--ro-bind", "/", "/", "--dev", "/dev"];
	for (const folder of ["/tmp", "/var/tmp", "/run"]) if (isFolder(folder)) mounts.push("--tmpfs", folder);
	for (const place of runtime) mounts.push("--ro-bind-try", place, place);
	for (const place of real(hidden)) mounts.push(...(isFolder(place) ? ["--tmpfs", place] : ["--ro-bind", "/dev/null", place]));
	for (const place of real(readable)) mounts.push("--ro-bind", place, place);
	for (const [place, target] of linksIn(real(hidden), readable)) mounts.push("--symlink", target, place);
	for (const place of real(writable)) mounts.push("--bind", place, place);
	mounts.push(...binds);
	for (const place of real(fixed)) mounts.push("--ro-bind", place, place);
	// nobody should believe that they wrote something there
	for (const place of real(hidden)) if (isFolder(place)) mounts.push("--remount-ro", place);
	mounts.push("--proc", "/proc");
	for (const place of kernel) mounts.push("--ro-bind-try", place, place);
	// the names of the user's keys
	for (const place of ["/proc/keys", "/proc/key-users"]) if (existsSync(place)) mounts.push("--ro-bind", "/dev/null", place);
	return mounts;
}

/** What is there, without links: inside, a link on the way may lead nowhere. What is not there cannot be made either. */
function real(places: readonly string[]): string[] {
	return places.flatMap((place) => {
		try {
			return [realpathSync(place)];
		} catch {
			return [];
		}
	});
}

/** Links to what is to be seen that are hidden with what is around them: whoever is told of them has to find them. */
function linksIn(hidden: readonly string[], readable: readonly string[]): [string, string][] {
	return readable.flatMap((place) => {
		const [target] = real([place]);
		const isLost = hidden.some((folder) => place.startsWith(`${folder}/`));
		return target === undefined || target === place || !isLost ? [] : [[place, target]];
	});
}

const isFolder = (place: string): boolean => statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;

// The kernel is asked for its help step by step, and a daemon that dies between two steps would leave a program that nobody
// ends. So a watcher waits inside until the daemon says that the program is up, and ends everything if it never can. The
// process number is checked first: `kill -1` is meant for this namespace only. The program's output is not the wrapper's, so that
// we hear when it is closed; bubblewrap lets go of it, unshare does not.
const lifeline = '[ $$ = 2 ] || exit 1; ((read -r up <&3 || kill -KILL -1) 2>/dev/null 4>&- &); exec "$@" 3<&- >&4 4>&-';

/** The user's own caches cannot be written, and whoever fills one from a project could spoil it for all others. */
const caches = { XDG_CACHE_HOME: "/tmp/cache", npm_config_cache: "/tmp/cache/npm" };

/** The environment of a program in a sandbox. */
export function inRoom(environment: Readonly<Record<string, string>>, room: Room | null): Record<string, string> {
	if (room === null || room.open === true) return { ...environment };
	return { ...Object.fromEntries(Object.entries(environment).filter(([name]) => !leadsOut.includes(name))), ...caches, ...room.environment };
}
