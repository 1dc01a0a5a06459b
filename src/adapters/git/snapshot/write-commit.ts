// One commit, its ref and its new blobs, written by one process.
import type { Git } from "../run/git.ts";

export type CommitFile = { path: string; bytes: Buffer } | { path: string; mode: "100644" | "040000"; id: string };

export interface WriteCommitRequest {
	ref: string;
	parents: readonly string[];
	message: string;
	at: number;
	parts: readonly CommitFile[];
	/** may replace the ref's commit */
	replace?: boolean;
}

/** Returns the id of the commit. */
export async function writeCommit(
	git: Git,
	folder: string,
	{ ref, parents, message, at, parts, replace = false }: WriteCommitRequest,
): Promise<string> {
	const who = `brood <brood@localhost> ${Math.floor(at / 1000)} +0000`;
	const [first, ...others] = parents;
	const stream = [
		`commit ${ref}\nmark :1\nauthor ${who}\ncommitter ${who}\n`,
		data(Buffer.from(message)),
		first === undefined ? "" : `from ${first}\n`,
		...others.map((parent) => `merge ${parent}\n`),
		// without it, the commit would begin with the files of its parent
		"deleteall\n",
		...parts.map((part) =>
			"bytes" in part
				? Buffer.concat([Buffer.from(`M 100644 inline ${quoted(part.path)}\n`), data(part.bytes)])
				: `M ${part.mode} ${part.id} ${quoted(part.path)}\n`,
		),
		"\nget-mark :1\ndone\n",
	];
	const input = Buffer.concat(stream.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)));
	const options = ["--quiet", ...(replace ? ["--force"] : []), "--done", "--date-format=raw"];
	return (await git(folder, ["fast-import", ...options], { input, timeoutMs: 600_000 })).text.trim();
}

const data = (bytes: Buffer): Buffer =>
	Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from("\n")]);

const quoted = (path: string): string => `"${path.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
