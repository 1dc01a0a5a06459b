// A diff for people: the files with their line counts, and as much of the patch as fits.
import type { ChangedFile, Diff, OmittedFile } from "#contract/workspace.ts";
import type { DiffExtent } from "#engine/ports/workspace-requests.ts";
import { displayName, toFileName } from "../format/names.ts";
import type { Git } from "../run/git.ts";

const bytesMaxDefault = 1024 * 1024;
const filesMax = 20_000;
const omittedMax = 1000;
/** per megabyte of a patch; after these no more files are added: git looks up each by name */
const perMegabyte = { lines: 20_000, files: 1000 };

const shape = [
	"--no-color",
	"--find-renames",
	"--src-prefix=a/",
	"--dst-prefix=b/",
	"--submodule=short",
	"--no-relative",
];

export interface DiffTree {
	git: Git;
	folder: string;
	environment?: Record<string, string>;
	omitted?: readonly OmittedFile[];
}

/**
 * `names`: only the files and their line counts, which costs git a fraction of the patch. `path`: the patch of one
 * file, whole, however long it is. `from`: the files from this one on, in git's order.
 */
export async function renderDiff(
	shown: DiffTree,
	from: readonly string[],
	against: string,
	what: DiffExtent = "patch",
): Promise<Diff> {
	const { git, folder, environment = {}, omitted = [] } = shown;
	const all = await changedFiles(shown, from);
	const page = pageOf(all, what);
	const bytesMax = (typeof what === "object" && !("path" in what) ? what.bytesMax : undefined) ?? bytesMaxDefault;
	const drawn = what === "names" ? [] : page.listed.slice(0, page.isOne ? 1 : fitting(page.listed, bytesMax));
	// many names take git longer than drawing everything, and a name that is not UTF-8 cannot be an argument
	const isAll = drawn.length > perMegabyte.files || drawn.length === all.length || !drawn.every(isNameable);
	const text = await patchOf(git, folder, from, environment, isAll ? null : drawn);
	const parts = isAll ? partsOf(text).slice(page.start, page.start + drawn.length) : partsOf(text);
	const { patch, whole } = page.isOne ? { patch: parts.join(""), whole: drawn.length } : fittingParts(parts, bytesMax);
	const next = { file: pathAt(all, page.end), patch: pathAt(all, page.start + whole) };
	return {
		against,
		files: page.listed.map(({ raw: _, ...file }) => file),
		total: totalOf(all),
		patch,
		next: page.isOne ? { file: null, patch: null } : next,
		truncated: !page.isOne && (next.file !== null || next.patch !== null || omitted.length > omittedMax),
		omitted: page.isOne
			? []
			: [
					...omitted.slice(0, omittedMax),
					...beyond(omitted.length - omittedMax, `at most ${omittedMax} files that are not shown are listed`),
				],
	};
}

/** lists that are kept: whoever reads a long diff asks for it part by part */
const listsMax = 4;
const lists = new Map<string, ListedFile[]>();

/**
 * Read once for all parts of a diff between two objects. Files in a folder are read each time: they may have changed.
 */
async function changedFiles(
	{ git, folder, environment = {} }: DiffTree,
	from: readonly string[],
): Promise<ListedFile[]> {
	const key =
		from.length === 2 && from.every((id) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id))
			? [folder, ...from].join(" ")
			: null;
	const known = key === null ? undefined : lists.get(key);
	const files =
		known ?? filesOf((await git(folder, ["diff", ...shape, "--numstat", "-z", ...from, "--"], { environment })).bytes);
	if (key === null) return files;
	lists.delete(key);
	lists.set(key, files);
	const [oldest] = lists.keys();
	if (lists.size > listsMax && oldest !== undefined) lists.delete(oldest);
	return files;
}

/** A review must not leave out a file without saying so. */
const beyond = (count: number, reason: string): OmittedFile[] =>
	count > 0 ? [{ path: `and ${count} more`, reason }] : [];

interface FilePage {
	listed: readonly ListedFile[];
	start: number;
	end: number;
	/** one file was asked for */
	isOne: boolean;
}

function pageOf(all: readonly ListedFile[], what: DiffExtent): FilePage {
	const isOne = typeof what === "object" && "path" in what;
	const start = typeof what !== "object" ? 0 : startOf(all, isOne ? what.path : (what.from ?? ""), isOne);
	const end = isOne ? Math.min(start + 1, all.length) : start + filesMax;
	return { listed: all.slice(start, end), start, end, isOne };
}

/** A file that is gone since the page before was read: the one that comes after it. */
function startOf(all: readonly ListedFile[], path: string, isOne: boolean): number {
	const at = all.findIndex((file) => file.path === path);
	const after = at < 0 && !isOne ? all.findIndex((file) => file.path > path) : at;
	return after < 0 ? all.length : after;
}

const pathAt = (all: readonly ListedFile[], at: number): string | null => all[at]?.path ?? null;

const totalOf = (all: readonly ChangedFile[]): Diff["total"] => ({
	files: all.length,
	added: all.reduce((sum, { added }) => sum + (added ?? 0), 0),
	deleted: all.reduce((sum, { deleted }) => sum + (deleted ?? 0), 0),
});

/** The patch of each file. Lines of files begin with a sign, so that only a header begins like this. */
function partsOf(text: string): string[] {
	if (text === "") return [];
	const parts: string[] = [];
	let header = "";
	for (const part of text.split(/(?<=^|\n)(?=diff --git )/)) {
		const own = part.slice(0, part.indexOf("\n"));
		// a file that became a link has two parts
		if (own === header) parts.push((parts.pop() ?? "") + part);
		else parts.push(part);
		header = own;
	}
	return parts;
}

/** The files that fit; of the first one its beginning, if it alone is too long. */
function fittingParts(parts: readonly string[], bytesMax: number): { patch: string; whole: number } {
	let bytes = 0;
	const at = parts.findIndex((part) => {
		bytes += part.length;
		return bytes > bytesMax;
	});
	const whole = at < 0 ? parts.length : at;
	const [first = ""] = parts;
	return whole > 0 || parts.length === 0
		? { patch: parts.slice(0, whole).join(""), whole }
		: { patch: first.slice(0, first.lastIndexOf("\n", bytesMax) + 1), whole };
}

async function patchOf(
	git: Git,
	folder: string,
	from: readonly string[],
	environment: Record<string, string>,
	only: readonly { raw: readonly string[] }[] | null,
): Promise<string> {
	if (only?.length === 0) return "";
	const names = only?.flatMap(({ raw }) => raw.map((name) => Buffer.from(name, "latin1").toString())) ?? [];
	return (
		await git(folder, ["--literal-pathspecs", "diff", ...shape, "--patch", ...from, "--", ...names], { environment })
	).bytes.toString();
}

const isNameable = ({ raw }: ListedFile): boolean => raw.every((name) => typeof toFileName(name) === "string");

function fitting(files: readonly ChangedFile[], bytesMax: number): number {
	const megabytes = bytesMax / bytesMaxDefault;
	const drawable = Math.ceil(perMegabyte.files * megabytes);
	let lines = 0;
	const at = files.findIndex((file) => {
		lines += (file.added ?? 0) + (file.deleted ?? 0);
		return lines > perMegabyte.lines * megabytes;
	});
	// at least one, whose beginning is shown
	return Math.min(drawable, at < 0 ? files.length : Math.max(1, at));
}

type ListedFile = ChangedFile & { raw: readonly string[] };

function filesOf(bytes: Buffer): ListedFile[] {
	const records = bytes.toString("latin1").split("\0");
	const files: ListedFile[] = [];
	for (let at = 0; at < records.length; at++) {
		const [added, deleted, ...words] = (records[at] ?? "").split("\t");
		if (added === undefined || deleted === undefined || words.length === 0) continue;
		const name = words.join("\t");
		const raw = name === "" ? [records[++at] ?? "", records[++at] ?? ""] : [name];
		const lines = (text: string): number | null => (text === "-" ? null : Number(text));
		files.push({
			path: displayName(raw.at(-1) ?? ""),
			from: raw.length === 2 ? displayName(raw[0] ?? "") : null,
			added: lines(added),
			deleted: lines(deleted),
			raw,
		});
	}
	return files;
}
