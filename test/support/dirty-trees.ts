// Working trees in every kind of disorder: templates in the middle of something, and random changes on top.
import { execFileSync } from "node:child_process";
import {
	chmodSync,
	cpSync,
	existsSync,
	lstatSync,
	lutimesSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { type IndexEntry, parseIndex } from "#adapters/git/format/index-file.ts";

export const states = [
	"clean",
	"detached",
	"merge",
	"rebase",
	"pick",
	"revert",
	"bisect",
	"unborn",
	"submodule",
] as const;
export type State = (typeof states)[number];

/** Each character is one byte. */
export type ByteName = string;

export type Change =
	| { kind: "write"; name: ByteName; text: string }
	| { kind: "chmod"; name: ByteName; mode: number }
	| { kind: "link"; name: ByteName; target: string }
	| { kind: "delete"; name: ByteName }
	| { kind: "rename"; name: ByteName; to: ByteName };

export interface Disorder {
	state: State;
	changes: Change[];
	stage: "nothing" | "everything" | ByteName[];
	later: Change[];
	intent: ByteName[];
	emptyFolder: boolean;
	nested: boolean;
	ignored: boolean;
	pipe: boolean;
}

const utf8 = (text: string): ByteName => Buffer.from(text).toString("latin1");
const names: ByteName[] = [
	...["a.txt", "dir/c.txt", "dir/d.sh", "link", "dos.crlf", "sp ace.txt", "dir", "a.txt/below"],
	...[
		"-dash",
		"--force",
		"new\nline",
		"tab\there",
		'qu"ote',
		"back\\slash",
		" lead",
		"trail ",
		"glob*[x]?",
		":(top)x",
		"deep/er/file",
		".gitattributes",
	],
	...["\xff\xfe.bin", "dir/\x80\x81", "\xc3(/inside.txt", utf8("ünï/côdé.txt"), utf8("日本"), "git~1", "staged-only"],
];

const name = fc.constantFrom(...names);
const text = fc.oneof(
	fc.constant(""),
	fc.constant("dos\r\nlines\r\n"),
	fc.constant("\0binary\xff"),
	fc.string({ maxLength: 40 }),
	fc.constant("x".repeat(9000)),
);
export const change: fc.Arbitrary<Change> = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ kind: fc.constant("write" as const), name, text }) },
	fc.record({ kind: fc.constant("chmod" as const), name, mode: fc.constantFrom(0o755, 0o644) }),
	fc.record({
		kind: fc.constant("link" as const),
		name,
		target: fc.constantFrom("a.txt", "nowhere", "dir", "../outside"),
	}),
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), name }) },
	fc.record({ kind: fc.constant("rename" as const), name, to: name }),
);

export const disorder: fc.Arbitrary<Disorder> = fc.record({
	state: fc.constantFrom(...states),
	changes: fc.array(change, { maxLength: 8 }),
	stage: fc.oneof(
		fc.constant("nothing" as const),
		fc.constant("everything" as const),
		fc.uniqueArray(name, { maxLength: 4 }),
	),
	later: fc.array(change, { maxLength: 5 }),
	intent: fc.uniqueArray(name, { maxLength: 2 }),
	emptyFolder: fc.boolean(),
	nested: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
	ignored: fc.boolean(),
	pipe: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
});

const environment = {
	...process.env,
	...{
		GIT_AUTHOR_NAME: "a",
		GIT_AUTHOR_EMAIL: "a@b",
		GIT_COMMITTER_NAME: "a",
		GIT_COMMITTER_EMAIL: "a@b",
		GIT_CONFIG_GLOBAL: "/dev/null",
		GIT_CONFIG_NOSYSTEM: "1",
	},
	...{ GIT_EDITOR: ":", GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z", GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z" },
};

export function git(folder: string, args: readonly string[], more: { input?: Buffer; mayFail?: boolean } = {}): Buffer {
	try {
		return execFileSync("git", args, {
			cwd: folder,
			env: environment,
			input: more.input ?? "",
			stdio: ["pipe", "pipe", "pipe"],
		});
	} catch (error) {
		if (more.mayFail === true) return Buffer.alloc(0);
		throw error;
	}
}

/** A folder in memory where there is one: thousands of trees that nobody keeps need no disk. */
export function scratch(name: string): string {
	return mkdtempSync(path.join(existsSync("/dev/shm") ? "/dev/shm" : os.tmpdir(), `brood-${name}-`));
}

/** One repository per state, made once and copied. */
export function makeTemplates(base: string): void {
	for (const state of states) {
		const folder = path.join(base, state);
		mkdirSync(folder, { recursive: true });
		git(folder, ["init", "-q", "-b", "main", "--template="]);
		mkdirSync(path.join(folder, ".git", "info"));
		writeFileSync(path.join(folder, ".git", "info", "exclude"), "*.ignored\nignored-folder/\n");
		if (state !== "unborn") history(folder);
		begin(folder, state);
	}
}

function history(folder: string): void {
	mkdirSync(path.join(folder, "dir"));
	for (const [file, content] of Object.entries({
		"a.txt": "one\ntwo\nthree\n",
		"dir/c.txt": "c\n",
		"dir/d.sh": "#!/bin/sh\n",
		"sp ace.txt": "s\n",
	})) {
		writeFileSync(path.join(folder, file), content);
	}
	writeFileSync(path.join(folder, ".gitattributes"), "*.crlf text eol=crlf\n*.txt ident\n");
	writeFileSync(path.join(folder, "dos.crlf"), "dos\r\n");
	chmodSync(path.join(folder, "dir/d.sh"), 0o755);
	symlinkSync("a.txt", path.join(folder, "link"));
	git(folder, ["add", "-A"]);
	git(folder, ["commit", "-qm", "first"]);
	for (const [branch, line] of [
		["other", "other"],
		["main", "main"],
	] as const) {
		git(folder, ["checkout", "-q", "-B", branch, branch === "other" ? "HEAD" : "other~1"]);
		writeFileSync(path.join(folder, "a.txt"), `one\n${line}\nthree\n`);
		git(folder, ["commit", "-qam", branch]);
	}
}

function begin(folder: string, state: State): void {
	if (state === "detached") git(folder, ["checkout", "-q", "HEAD~1"]);
	if (state === "merge") git(folder, ["merge", "other"], { mayFail: true });
	if (state === "rebase") git(folder, ["rebase", "other"], { mayFail: true });
	if (state === "pick") git(folder, ["cherry-pick", "other"], { mayFail: true });
	if (state === "revert") git(folder, ["revert", "--no-edit", "HEAD~1"], { mayFail: true });
	if (state === "bisect") {
		for (const line of ["4", "5", "6"]) {
			writeFileSync(path.join(folder, "dir/c.txt"), line);
			git(folder, ["commit", "-qam", line]);
		}
		git(folder, ["bisect", "start", "HEAD", "HEAD~4"]);
	}
	if (state === "submodule") {
		const source = `${folder}-source`;
		mkdirSync(source);
		git(source, ["init", "-q", "-b", "main", "--template="]);
		writeFileSync(path.join(source, "in.txt"), "in\n");
		git(source, ["add", "-A"]);
		git(source, ["commit", "-qm", "source"]);
		git(folder, ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source, "sub"]);
		git(folder, ["commit", "-qm", "with a submodule"]);
		writeFileSync(path.join(folder, "sub", "in.txt"), "changed inside\n");
		writeFileSync(path.join(folder, "sub", "new.txt"), "new inside\n");
	}
}

const at = (folder: string, file: ByteName): Buffer =>
	Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(file, "latin1")]);

const makePipe = "mkfifo";

export function makeTree(templates: string, folder: string, wanted: Disorder): void {
	cpSync(path.join(templates, wanted.state), folder, {
		recursive: true,
		verbatimSymlinks: true,
		preserveTimestamps: true,
	});
	for (const one of wanted.changes) apply(folder, one);
	if (wanted.stage === "everything") git(folder, ["add", "-A"], { mayFail: true });
	else if (wanted.stage !== "nothing") stage(folder, wanted.stage);
	for (const one of wanted.later) apply(folder, one);
	if (wanted.emptyFolder) mkdirSync(path.join(folder, "empty/inner"), { recursive: true });
	if (wanted.ignored) {
		mkdirSync(path.join(folder, "ignored-folder/deep"), { recursive: true });
		writeFileSync(path.join(folder, "ignored-folder/deep/secret"), "secret\n");
		writeFileSync(path.join(folder, "x.ignored"), "ignored\n");
	}
	if (wanted.nested) {
		const inner = path.join(folder, "nested repository");
		mkdirSync(inner);
		git(inner, ["init", "-q", "-b", "main", "--template="]);
		writeFileSync(path.join(inner, "in.txt"), "in\n");
		git(inner, ["add", "-A"]);
		git(inner, ["commit", "-qm", "inner"]);
		writeFileSync(path.join(inner, "loose.txt"), "not committed\n");
	}
	if (wanted.pipe) execFileSync(makePipe, [path.join(folder, "pipe")]);
	// changed attributes say something else about a file that did not change; git has to look at it to see that
	if (isFile(folder, "dos.crlf")) lutimesSync(path.join(folder, "dos.crlf"), 1_700_000_000, 1_700_000_000);
	const present = wanted.intent.filter((file) => isFile(folder, file));
	if (present.length > 0)
		git(folder, ["add", "-N", "--pathspec-from-file=-", "--pathspec-file-nul"], {
			input: list(present.map(literal)),
			mayFail: true,
		});
}

const list = (entries: readonly ByteName[]): Buffer =>
	Buffer.from(entries.map((entry) => `${entry}\0`).join(""), "latin1");
const literal = (entry: ByteName): ByteName => `:(literal)${entry}`;

function stage(folder: string, wanted: readonly ByteName[]): void {
	const present = wanted.filter((file) => isFile(folder, file));
	if (present.length > 0)
		git(folder, ["add", "--pathspec-from-file=-", "--pathspec-file-nul"], {
			input: list(present.map(literal)),
			mayFail: true,
		});
}

function isFile(folder: string, file: ByteName): boolean {
	if (!parents(file).every((above) => lstatSync(at(folder, above), { throwIfNoEntry: false })?.isDirectory() === true))
		return false;
	const stat = lstatSync(at(folder, file), { throwIfNoEntry: false });
	return stat !== undefined && !stat.isDirectory();
}

const parents = (file: ByteName): ByteName[] => {
	const parts = file.split("/").slice(0, -1);
	return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
};

export function apply(folder: string, one: Change): void {
	if (one.kind === "rename") rename(folder, one.name, one.to);
	else if (one.kind === "delete") {
		if (
			parents(one.name).every(
				(above) => lstatSync(at(folder, above), { throwIfNoEntry: false })?.isDirectory() === true,
			)
		)
			rmSync(at(folder, one.name), { recursive: true, force: true });
	} else if (one.kind === "chmod") {
		if (isFile(folder, one.name) && !lstatSync(at(folder, one.name)).isSymbolicLink())
			chmodSync(at(folder, one.name), one.mode);
	} else {
		removeInTheWay(folder, one.name);
		if (one.kind === "link") symlinkSync(one.target, at(folder, one.name));
		else writeFileSync(at(folder, one.name), Buffer.from(one.text, "latin1"));
	}
}

function rename(folder: string, from: ByteName, to: ByteName): void {
	if (!isFile(folder, from) || to.startsWith(`${from}/`) || from === to || from.startsWith(`${to}/`)) return;
	removeInTheWay(folder, to);
	renameSync(at(folder, from), at(folder, to));
}

function removeInTheWay(folder: string, file: ByteName): void {
	for (const above of parents(file)) {
		const stat = lstatSync(at(folder, above), { throwIfNoEntry: false });
		if (stat !== undefined && !stat.isDirectory()) rmSync(at(folder, above));
		if (stat === undefined || !stat.isDirectory()) mkdirSync(at(folder, above));
	}
	rmSync(at(folder, file), { recursive: true, force: true });
}

/** Everything that a person or a program could tell two trees apart by. */
export interface Fingerprint {
	files: Record<string, string>;
	index: string;
	status: string;
	operation: Record<string, string>;
	head: string;
}

export function fingerprint(folder: string, without: readonly string[] = []): Fingerprint {
	const link = path.join(folder, ".git");
	const gitFolder = lstatSync(link).isDirectory() ? link : readFileSync(link, "utf8").replace("gitdir: ", "").trim();
	return {
		files: filesOf(folder, without),
		index: entriesOf(path.join(gitFolder, "index")),
		status: git(folder, ["--no-optional-locks", "status", "--porcelain=v2", "-z", "--untracked-files=all"])
			.toString("latin1")
			.split("\0")
			.filter((line) => !without.some((gone) => line.includes(` ${gone}`)))
			.join("\n"),
		operation: operationOf(gitFolder),
		head: readFileSync(path.join(gitFolder, "HEAD"), "utf8").trim(),
	};
}

/** What `git ls-files -s -z` says, without a process; the tests compare the two. */
function entriesOf(file: string): string {
	if (!existsSync(file)) return "";
	const line = ({ mode, id, stage, path: name }: IndexEntry): string =>
		`${mode.toString(8)} ${id.toString("hex")} ${stage}\t${name.toString("latin1")}\0`;
	return parseIndex(readFileSync(file), 20).entries.map(line).join("");
}

export function filesOf(folder: string, without: readonly string[] = []): Record<string, string> {
	const found: Record<string, string> = {};
	const visit = (above: ByteName): void => {
		const entries = readdirSync(above === "" ? folder : at(folder, above), { withFileTypes: true, encoding: "buffer" });
		if (entries.length === 0 && above !== "") found[`${above}/`] = "empty folder";
		for (const entry of entries) {
			const file = `${above === "" ? "" : `${above}/`}${entry.name.toString("latin1")}`;
			if (file === ".git" || file.endsWith("/.git") || without.includes(file)) continue;
			if (entry.isDirectory()) visit(file);
			else if (entry.isSymbolicLink()) found[file] = `→ ${readlinkSync(at(folder, file), "latin1")}`;
			else if (entry.isFile())
				found[file] =
					`${(lstatSync(at(folder, file)).mode & 0o100).toString(8)} ${readFileSync(at(folder, file)).toString("latin1")}`;
			else found[file] = "special";
		}
	};
	visit("");
	return found;
}

function operationOf(gitFolder: string): Record<string, string> {
	const found: Record<string, string> = {};
	const part = /^((MERGE|CHERRY_PICK|REVERT|REBASE|ORIG|BISECT|AUTO|SQUASH)_|rebase-|sequencer|refs\/bisect)/;
	for (const entry of readdirSync(gitFolder, { recursive: true, withFileTypes: true })) {
		const file = path.relative(gitFolder, path.join(entry.parentPath, entry.name));
		if (entry.isFile() && part.test(file)) found[file] = readFileSync(path.join(gitFolder, file), "latin1");
	}
	return found;
}
