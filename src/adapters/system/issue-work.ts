// What issues need besides git: a folder for their documents, the files that configure them, and a shell for the
// commands of gates.
import { spawn } from "node:child_process";
import { mkdir, readdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ProjectSlug } from "#contract/ids.ts";
import { documentPath, issueFolders } from "#contract/issue.ts";
import { ProjectConfig, sharedConfig } from "#contract/project-config.ts";
import { type IssueWork, noIssueWork, type WrittenIssueConfig } from "#engine/ports/issue-work.ts";
import { ConfigError, readConfig, readSettings } from "./config.ts";
import { codeOf } from "./errors.ts";
import { signalGroup } from "./process-group.ts";

export interface FolderOptions {
	home: string;
	/** variables for a gate's command */
	environment: Readonly<Record<string, string>>;
	/** a command that takes longer is killed and fails */
	gateMs?: number;
}

const filesMax = 1000;
const outputMax = 1024 * 1024;

export function folderIssueWork({ home, environment, gateMs = 30 * 60_000 }: FolderOptions): IssueWork {
	const folderOf = ({ project, number }: { project: ProjectSlug; number: number }): string =>
		path.join(home, "projects", project, "issues", String(number));
	return {
		...noIssueWork,
		async folder(issue, documents = []) {
			const folder = folderOf(issue);
			for (const { name, text } of documents) await keep(folder, documentPath(name), text);
			for (const part of issueFolders) await mkdir(path.join(folder, part), { recursive: true, mode: 0o700 });
			return folder;
		},
		async artifacts(issue) {
			const folder = folderOf(issue);
			const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
			const files = found
				.filter((entry) => entry.isFile())
				.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
			return files.sort().slice(0, filesMax);
		},
		written: (project) => written(home, project),
		gate: ({ project, command }, signal) =>
			shell(command, { cwd: project.path, environment, signal, timeoutMs: gateMs }),
	};
}

/** A document whose name conflicts with another's folder, or with a link there, is only available through the API. */
async function keep(folder: string, name: string, text: string): Promise<void> {
	const file = path.join(folder, name);
	const location = path.dirname(file);
	try {
		await mkdir(location, { recursive: true, mode: 0o700 });
		// an agent may have put a link in the place of a folder
		if ((await realpath(location)) !== path.join(await realpath(folder), path.dirname(name))) return;
		await rm(`${file}.new`, { force: true });
		// to a new file first: an agent may have put a pipe or a link there
		await writeFile(`${file}.new`, text, { mode: 0o600, flag: "wx" });
		await rename(`${file}.new`, file);
	} catch (error) {
		if (!["ENOTDIR", "EISDIR", "EEXIST"].includes(codeOf(error) ?? "")) throw error;
	}
}

/** The project's configuration overrides the home's. */
async function written(home: string, project: ProjectSlug): Promise<WrittenIssueConfig | { wrong: string }> {
	try {
		const file = path.join(home, "projects", project, "config.yaml");
		const [own, shared] = [await readSettings(ProjectConfig, file), await readConfig(home)];
		return {
			presets: { ...shared.presets, ...own.presets },
			issues: { ...shared.issues, ...own.issues },
			shared: sharedConfig(own),
		};
	} catch (error) {
		if (error instanceof ConfigError) return { wrong: error.message };
		throw error;
	}
}

interface ShellOptions {
	cwd: string;
	environment: Readonly<Record<string, string>>;
	signal: AbortSignal;
	timeoutMs: number;
}

/** Keeps only the end of its output. */
async function shell(
	command: string,
	{ cwd, environment, signal, timeoutMs }: ShellOptions,
): Promise<{ exit: number; output: string }> {
	const child = spawn("/bin/sh", ["-c", command], {
		cwd,
		env: environment,
		stdio: ["ignore", "pipe", "pipe"],
		detached: true,
	});
	let output = "";
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding("utf8").on("data", (chunk: string) => {
			output = (output + chunk).slice(-outputMax);
		});
	const end = (): void => signalGroup(child.pid, "SIGKILL");
	const timer = setTimeout(() => {
		output += `\nThe command took longer than ${timeoutMs / 1000} s and was ended.`;
		end();
	}, timeoutMs);
	signal.addEventListener("abort", end, { once: true });
	try {
		return await new Promise((resolve, reject) => {
			child.once("error", reject);
			// processes that it left running would keep its output open
			child.once("exit", end);
			child.once("close", (code) => resolve({ exit: code ?? 1, output }));
		});
	} finally {
		clearTimeout(timer);
		signal.removeEventListener("abort", end);
	}
}
