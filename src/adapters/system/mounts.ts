// The file system of a sandbox, as arguments for bubblewrap.
import { existsSync, statSync } from "node:fs";
import { hidingOf, isBelow, overlaps, realOf, resolvedPaths, temporary } from "./hiding.ts";

/**
 * The whole file system is visible, read-only, except for these. Of hidden and readable paths the inner one counts;
 * writable, bound and fixed paths are mounted over both, in this order.
 */
export interface SandboxMounts {
	/** empty inside: secrets, and files of other agents */
	hidden: readonly string[];
	/** visible although a folder around them is hidden; only paths that we choose */
	readable: readonly string[];
	/** likewise, for paths that a repository names: never a hidden path, or a folder around one */
	alternates?: readonly string[];
	writable: readonly string[];
	/** read-only inside a writable path */
	fixed: readonly string[];
	/** mounted at another path; a mount point cannot be moved or removed from inside */
	bound?: readonly BindMount[];
	/** variables with paths inside */
	environment?: Readonly<Record<string, string>>;
	/** no restrictions: only `bound` applies */
	open?: boolean;
}

export interface BindMount {
	from: string;
	to: string;
	writable: boolean;
}

/** `/run` is empty because of its sockets; these are needed to resolve host names and start programs. */
const runtime = [
	"/run/systemd/resolve",
	"/run/resolvconf",
	"/run/NetworkManager/resolv.conf",
	"/run/nscd",
	"/run/current-system",
	"/run/wrappers",
];

/** Settings of the whole machine, which root may write without any capability. */
const kernel = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr", "driver"].map(
	(name) => `/proc/${name}`,
);

export function mountsOf(sandbox: SandboxMounts): string[] {
	const { hidden, readable, writable, fixed, bound = [], open = false } = sandbox;
	const binds = bound.flatMap(({ from, to, writable: may }) => [may ? "--bind" : "--ro-bind", from, to]);
	if (open) return ["--dev-bind", "/", "/", ...binds, "--proc", "/proc"];
	// root would keep the capabilities to undo all of it
	const mounts = ["--cap-drop", "ALL", "--unshare-ipc", "--ro-bind", "/", "/", "--dev", "/dev"];
	for (const folder of temporary) if (isFolder(folder)) mounts.push("--tmpfs", folder);
	for (const location of runtime) mounts.push("--ro-bind-try", location, location);
	const view = viewOf(sandbox);
	mounts.push(...view.mounts);
	for (const [location, target] of linksIn(resolvedPaths(hidden), readable)) mounts.push("--symlink", target, location);
	for (const location of real(writable)) mounts.push("--bind", location, location);
	mounts.push(...binds);
	for (const location of real(fixed)) mounts.push("--ro-bind", location, location);
	// a write there must fail, not be lost
	const over = [...real(writable), ...bound.map(({ to }) => to)];
	for (const location of view.emptied)
		if (!over.includes(location) && !isBelow(location, over)) mounts.push("--remount-ro", location);
	mounts.push("--proc", "/proc");
	for (const location of kernel) mounts.push("--ro-bind-try", location, location);
	// the names of the user's keys
	for (const location of ["/proc/keys", "/proc/key-users"])
		if (existsSync(location)) mounts.push("--ro-bind", "/dev/null", location);
	return mounts;
}

interface Layer {
	location: string;
	mounts: readonly string[];
}

/** Hidden and readable paths, outer ones first, so that the inner one counts. */
function viewOf({ hidden, readable, alternates = [] }: SandboxMounts): { mounts: string[]; emptied: string[] } {
	const shown = [...real(readable), ...mayBeSeen(alternates, hidden)];
	const { around, alone } = hidingOf(hidden, shown);
	const emptied = around.map(({ folder }) => folder);
	const layers: Layer[] = [
		...around.map(({ folder, back }) => ({ location: folder, mounts: ["--tmpfs", folder, ...back] })),
		...alone.map((location) => ({
			location,
			mounts: isFolder(location) ? ["--tmpfs", location] : ["--ro-bind", "/dev/null", location],
		})),
		...shown
			.filter((location) => !emptied.includes(location))
			.map((location) => ({ location, mounts: ["--ro-bind", location, location] })),
	];
	const depth = ({ location }: Layer): number => location.split("/").length;
	return {
		mounts: layers.toSorted((a, b) => depth(a) - depth(b)).flatMap(({ mounts }) => mounts),
		emptied: [...emptied, ...alone.filter(isFolder)],
	};
}

/** Paths that a repository may name: none that is hidden, or private to each sandbox. */
export function mayBeSeen(alternates: readonly string[], hidden: readonly string[]): string[] {
	const closed = resolvedPaths(hidden);
	return real(alternates).filter(
		(location) =>
			!overlaps(location, closed) && !temporary.some((each) => each === location || isBelow(each, [location])),
	);
}

/** Existing paths, with links resolved: a link may be broken inside. */
function real(locations: readonly string[]): string[] {
	return locations.flatMap((location) => realOf(location) ?? []);
}

/** Readable paths that are links in a hidden folder, to make again inside. */
function linksIn(hidden: readonly string[], readable: readonly string[]): [string, string][] {
	return readable.flatMap((location) => {
		const [target] = real([location]);
		return target === undefined || target === location || !isBelow(location, hidden) ? [] : [[location, target]];
	});
}

const isFolder = (location: string): boolean => statSync(location, { throwIfNoEntry: false })?.isDirectory() === true;
