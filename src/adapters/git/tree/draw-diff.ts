// A diff for people: the files with their line counts, and as much of the patch as fits.
import type { ChangedFile, Diff, LeftOut } from "#contract/workspace.ts";
import type { DiffExtent } from "#engine/ports/workspace-requests.ts";
import { displayName } from "../format/names.ts";
import type { Git } from "../run/git.ts";

const patchMax = 1024 * 1024;
const filesMax = 5000;
const leftMax = 1000;
/** after this many changed lines no more files are added to the patch */
const linesMax = 20_000;

const shape = [
	"--no-color",
	"--find-renames",
	"--src-prefix=a/",
	"--dst-prefix=b/",
	"--submodule=short",
	"--no-relative",
];

export interface Canvas {
	git: Git;
	folder: string;
	environment?: Record<string, string>;
	left?: readonly LeftOut[];
}

/**
 * `names`: only the files and their line counts, which costs git a fraction of the patch. `path`: the patch of one file,
 * whole, however long it is.
 */
export async function drawDiff(
	{ git, folder, environment = {}, left = [] }: Canvas,
	from: readonly string[],
	against: string,
	what: DiffExtent = "patch",
): Promise<Diff> {
	const { bytes } = await git(folder, ["diff", ...shape, "--numstat", "-z", ...from, "--"], { environment });
	const all = filesOf(bytes);
	if (typeof what === "object") return await oneFile({ git, folder, environment }, from, against, pick(all, what.path));
	const listed = all.slice(0, filesMax);
	const drawn = what === "names" ? [] : listed.slice(0, fitting(listed));
	const isWhole = what === "patch" && drawn.length === all.length;
	const text = await patchOf(git, folder, from, environment, isWhole ? null : drawn);
	const patch = text.length <= patchMax ? text : text.slice(0, text.lastIndexOf("\n", patchMax) + 1);
	return {
		against,
		files: listed.map(({ raw: _, ...file }) => file),
		patch,
		truncated: drawn.length < all.length || patch.length < text.length || left.length > leftMax,
		omitted: [
			...beyond(all.length - filesMax, `a diff lists at most ${filesMax} changed files`),
			...left.slice(0, leftMax),
			...beyond(left.length - leftMax, `at most ${leftMax} files that are not shown are listed`),
		],
	};
}

/** A review must not leave out a file without saying so. */
const beyond = (count: number, reason: string): LeftOut[] => (count > 0 ? [{ path: `and ${count} more`, reason }] : []);

const pick = (files: readonly ListedFile[], path: string): ListedFile[] => files.filter((file) => file.path === path);

async function oneFile(
	{ git, folder, environment = {} }: Canvas,
	from: readonly string[],
	against: string,
	files: readonly ListedFile[],
): Promise<Diff> {
	const patch = await patchOf(git, folder, from, environment, files);
	return { against, files: files.map(({ raw: _, ...file }) => file), patch, truncated: false, omitted: [] };
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

function fitting(files: readonly ChangedFile[]): number {
	let lines = 0;
	const at = files.findIndex((file) => {
		lines += (file.added ?? 0) + (file.deleted ?? 0);
		return lines > linesMax;
	});
	// at least one, whose beginning is shown
	return at < 0 ? files.length : Math.max(1, at);
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
