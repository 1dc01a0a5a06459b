// What the file system looks like in a sandbox, in bubblewrap's words.
import { existsSync, statSync } from "node:fs";
import { concrete, hidingOf, isBelow, realOf, temporary, touches } from "./hiding.ts";

/**
 * What is to be seen of the file system: all of it, read-only, but for these. Of what is hidden and what is readable
 * the inner one counts; what is writable, bound or fixed is laid over both, in this order.
 */
export interface SandboxMounts {
	/** empty inside, whatever is in them: secrets, and what belongs to somebody else */
	hidden: readonly string[];
	/** to be seen although something around them is hidden; only what we name ourselves */
	readable: readonly string[];
	/** the same, for what a repository names: never anything that is hidden, and nothing around it */
	borrowed?: readonly string[];
	writable: readonly string[];
	/** inside of something writable, and not writable all the same */
	fixed: readonly string[];
	/**
	 * what is to be seen at another place than where it is; a folder in that place cannot be moved or removed from inside
	 */
	bound?: readonly BindMount[];
	/** variables that say where things are inside */
	environment?: Readonly<Record<string, string>>;
	/** nothing is kept from it: only what is bound makes it differ from the machine */
	open?: boolean;
}

export interface BindMount {
	from: string;
	to: string;
	writable: boolean;
}

/** Sockets in them lead to programs outside; names are still to be looked up. */
const runtime = [
	"/run/systemd/resolve",
	"/run/resolvconf",
	"/run/NetworkManager/resolv.conf",
	"/run/nscd",
	"/run/current-system",
	"/run/wrappers",
];

/** What root may write there without any power: settings of the whole machine. */
const kernel = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr", "driver"].map(
	(name) => `/proc/${name}`,
);

export function mountsOf(sandbox: SandboxMounts): string[] {
	const { hidden, readable, writable, fixed, bound = [], open = false } = sandbox;
	const binds = bound.flatMap(({ from, to, writable: may }) => [may ? "--bind" : "--ro-bind", from, to]);
	if (open) return ["--dev-bind", "/", "/", ...binds, "--proc", "/proc"];
	// root would otherwise keep the powers to undo all of it
	const mounts = ["--cap-drop", "ALL", "--unshare-ipc", "--ro-bind", "/", "/", "--dev", "/dev"];
	for (const folder of temporary) if (isFolder(folder)) mounts.push("--tmpfs", folder);
	for (const place of runtime) mounts.push("--ro-bind-try", place, place);
	const view = viewOf(sandbox);
	mounts.push(...view.mounts);
	for (const [place, target] of linksIn(concrete(hidden), readable)) mounts.push("--symlink", target, place);
	for (const place of real(writable)) mounts.push("--bind", place, place);
	mounts.push(...binds);
	for (const place of real(fixed)) mounts.push("--ro-bind", place, place);
	// nobody should believe that they wrote something there
	const over = [...real(writable), ...bound.map(({ to }) => to)];
	for (const place of view.emptied)
		if (!over.includes(place) && !isBelow(place, over)) mounts.push("--remount-ro", place);
	mounts.push("--proc", "/proc");
	for (const place of kernel) mounts.push("--ro-bind-try", place, place);
	// the names of the user's keys
	for (const place of ["/proc/keys", "/proc/key-users"])
		if (existsSync(place)) mounts.push("--ro-bind", "/dev/null", place);
	return mounts;
}

interface Laid {
	place: string;
	mounts: readonly string[];
}

/** What is hidden and what is readable, outer places first: so the inner one counts. */
function viewOf({ hidden, readable, borrowed = [] }: SandboxMounts): { mounts: string[]; emptied: string[] } {
	const shown = [...real(readable), ...mayBeSeen(borrowed, hidden)];
	const { around, alone } = hidingOf(hidden, shown);
	const emptied = around.map(({ folder }) => folder);
	const laid: Laid[] = [
		...around.map(({ folder, back }) => ({ place: folder, mounts: ["--tmpfs", folder, ...back] })),
		...alone.map((place) => ({
			place,
			mounts: isFolder(place) ? ["--tmpfs", place] : ["--ro-bind", "/dev/null", place],
		})),
		...shown
			.filter((place) => !emptied.includes(place))
			.map((place) => ({ place, mounts: ["--ro-bind", place, place] })),
	];
	const depth = ({ place }: Laid): number => place.split("/").length;
	return {
		mounts: laid.toSorted((a, b) => depth(a) - depth(b)).flatMap(({ mounts }) => mounts),
		emptied: [...emptied, ...alone.filter(isFolder)],
	};
}

/** Whoever wrote the repository has no say in what is hidden, and none in what is everybody's own inside. */
export function mayBeSeen(borrowed: readonly string[], hidden: readonly string[]): string[] {
	const closed = concrete(hidden);
	return real(borrowed).filter(
		(place) => !touches(place, closed) && !temporary.some((each) => each === place || isBelow(each, [place])),
	);
}

/** What is there, without links: inside, a link on the way may lead nowhere. */
function real(places: readonly string[]): string[] {
	return places.flatMap((place) => realOf(place) ?? []);
}

/** Links to what is to be seen that are hidden with what is around them: whoever is told of them has to find them. */
function linksIn(hidden: readonly string[], readable: readonly string[]): [string, string][] {
	return readable.flatMap((place) => {
		const [target] = real([place]);
		return target === undefined || target === place || !isBelow(place, hidden) ? [] : [[place, target]];
	});
}

const isFolder = (place: string): boolean => statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
