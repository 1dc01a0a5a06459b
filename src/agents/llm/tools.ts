// The model's tools: for its workspace, and those that all agents have for other agents. Every agent is offered the
// same ones, so that a fork's prompt begins with the same bytes as its parent's.
import { jsonSchema, type ToolSet } from "ai";
import { z } from "zod";
import type { ToolContext } from "#client/tools/tool.ts";
import { refusalText, type ToolName, toolNames, tools, useTool } from "#client/tools.ts";
import { messageOf } from "#contract/message-of.ts";
import { isRefusal } from "#contract/refusal.ts";
import { validationMessage } from "#contract/validation-message.ts";
import { runShell } from "../run-shell.ts";
import type { ReportedCall } from "../turn-reporter.ts";
import { editFile, findFiles, findText, readFile, writeFile } from "./files.ts";

interface ToolRun {
	signal: AbortSignal;
	toolContext: ToolContext;
	soFar(output: string): void;
}

interface OwnTool<I extends z.ZodObject = z.ZodObject> {
	description: string;
	input: I;
	kind: ReportedCall["kind"];
	/** needs an approval, unless the agent's policy allows it */
	asks: boolean;
	title(input: z.infer<I>): string;
	run(input: z.infer<I>, doing: ToolRun): Promise<string>;
}

const own = <I extends z.ZodObject>(made: OwnTool<I>): OwnTool<I> => made;
const Path = z.string().min(1).max(4096).describe("a path inside your workspace");
const commandMs = { usual: 120_000, longest: 600_000 };
/** A longer output is truncated in the middle. */
const outputMax = { begin: 20_000, end: 10_000 };

const workspaceTools = {
	bash: own({
		description: "Run a shell command in your workspace.",
		input: z.strictObject({
			command: z.string().min(1),
			timeoutMs: z.int().positive().max(commandMs.longest).default(commandMs.usual),
		}),
		kind: "execute",
		asks: true,
		title: ({ command }) => command,
		run: async ({ command, timeoutMs }, { signal, soFar }) =>
			await runShell(command, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]), soFar),
	}),
	read: own({
		description: "Read a text file; each line has its number and a tab before it.",
		input: z.strictObject({
			path: Path,
			offset: z.int().positive().optional().describe("the first line"),
			limit: z.int().positive().optional(),
		}),
		kind: "read",
		asks: false,
		title: ({ path }) => `read ${path}`,
		run: async (input) => readFile(input),
	}),
	write: own({
		description: "Write a whole file; what was in it is replaced.",
		input: z.strictObject({ path: Path, content: z.string() }),
		kind: "edit",
		asks: true,
		title: ({ path }) => `write ${path}`,
		run: async (input) => writeFile(input),
	}),
	edit: own({
		description: "Replace a text in a file. It has to occur exactly once, unless all are meant.",
		input: z.strictObject({ path: Path, old: z.string().min(1), new: z.string(), all: z.boolean().default(false) }),
		kind: "edit",
		asks: true,
		title: ({ path }) => `edit ${path}`,
		run: async (input) => editFile(input),
	}),
	glob: own({
		description: "Find files by name, such as src/**/*.ts.",
		input: z.strictObject({ pattern: z.string().min(1).max(1000) }),
		kind: "search",
		asks: false,
		title: ({ pattern }) => `glob ${pattern}`,
		run: findFiles,
	}),
	grep: own({
		description: "Find lines in files by an extended regular expression.",
		input: z.strictObject({
			pattern: z.string().min(1).max(1000),
			path: Path.optional(),
			glob: z.string().max(200).optional().describe("only files named like this"),
		}),
		kind: "search",
		asks: false,
		title: ({ pattern }) => `grep ${pattern}`,
		run: async (input, { signal }) => await findText(input, signal),
	}),
};

const isWorkspaceTool = (name: string): name is keyof typeof workspaceTools => Object.hasOwn(workspaceTools, name);
const isShared = (name: string): name is ToolName => Object.hasOwn(tools, name);

/** Without validation by the library: the input is recorded as it is, and checked when the tool runs. */
const offer = ({ description, input }: { description: string; input: z.ZodObject }): ToolSet[string] => ({
	description,
	inputSchema: jsonSchema(() => {
		const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
		return schema;
	}),
});

/** As sent to the provider. */
export const offered: ToolSet = Object.fromEntries([
	...Object.entries(workspaceTools).map(([name, each]) => [name, offer(each)] as const),
	...toolNames.map((name) => [name, offer(tools[name])] as const),
]);

/** How a call is shown, and whether it needs an approval. */
export function callOf(name: string, input: Readonly<Record<string, unknown>>): ReportedCall {
	const shown = { input: { tool: name, input } };
	if (!isWorkspaceTool(name)) return { title: name, kind: "other", ...shown };
	const { kind, asks } = workspaceTools[name];
	const { path } = input;
	return { title: titleOf(name, input), kind, asks, ...shown, ...(typeof path === "string" && { paths: [path] }) };
}

function titleOf(name: keyof typeof workspaceTools, input: Readonly<Record<string, unknown>>): string {
	const parsed = workspaceTools[name].input.safeParse(input);
	// an entry takes what its own schema has parsed
	const title: (input: never) => string = workspaceTools[name].title;
	return parsed.success ? Reflect.apply(title, undefined, [parsed.data]) : name;
}

export async function carryOut(name: string, input: unknown, doing: ToolRun): Promise<string> {
	if (isWorkspaceTool(name)) {
		const parsed = workspaceTools[name].input.safeParse(input);
		if (!parsed.success) throw new Error(validationMessage(parsed.error));
		const run: (input: never, doing: ToolRun) => Promise<string> = workspaceTools[name].run;
		return shortened(
			await Reflect.apply(run, undefined, [parsed.data, doing]).catch((error: unknown) =>
				Promise.reject(new Error(shortened(messageOf(error)))),
			),
		);
	}
	if (!isShared(name)) throw new Error(`There is no tool ${name}.`);
	const answer = await useTool(name, input, doing.toolContext);
	if (isRefusal(answer)) throw new Error(refusalText(answer));
	return shortened(answer.text);
}

function shortened(text: string): string {
	const { begin, end } = outputMax;
	if (text.length <= begin + end) return text;
	return `${text.slice(0, begin).toWellFormed()}\n[truncated: ${text.length - begin - end} characters]\n${text.slice(-end).toWellFormed()}`;
}
