// What the table of commands holds beyond what the compiler does.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { AgentPause, AgentResume } from "#contract/agent-commands.ts";
import { Command } from "#contract/command.ts";
import { AgentId } from "#contract/ids.ts";
import { PromptMove } from "#contract/prompt.ts";
import { decidePause } from "#domain/agent/decide.ts";
import { decideMovePrompt } from "#domain/prompt.ts";
import type { Definition } from "#engine/commands/define.ts";
import { onAgent } from "#engine/commands/on-agent.ts";
import { commands } from "#engine/commands/table.ts";

const definitions = Object.values<Definition>(commands);

test("every command of the contract is defined under its own name, with its own schema", () => {
	expect(Object.keys(commands).sort()).toEqual(Command.options.map((schema) => schema.shape.type.value).sort());
	expect(Object.entries<Definition>(commands).filter(([name, { type }]) => name !== type)).toEqual([]);
	const schemas = new Set<z.ZodType>(Command.options);
	expect(definitions.filter(({ schema }) => !schemas.has(schema))).toEqual([]);
	expect(definitions.length).toBeGreaterThan(80);
});

test("no command is defined in two files: of two, the table would take the later one", async () => {
	const defined = new Map<string, string[]>();
	for (const file of readdirSync("src/engine/commands")) {
		const exported: object = await import(path.resolve("src/engine/commands", file));
		const named = Object.entries(exported).filter(([name]) => name.endsWith("Definitions"));
		const names = named.flatMap(([, each]) => Object.keys(each));
		defined.set(file, names);
	}
	expect(twice(defined)).toEqual([]);
	expect(new Set([...defined.values()].flat())).toEqual(new Set(Object.keys(commands)));
	const control = new Map([...defined, ["z.ts", ["issue.delete"]]]);
	expect(twice(control)).toEqual(["issue.delete: issue.ts, z.ts"]);
});

/** The commands that more than one file defines. */
const twice = (defined: ReadonlyMap<string, readonly string[]>): string[] =>
	[...new Set([...defined.values()].flat())].flatMap((name) => {
		const files = [...defined].flatMap(([file, names]) => (names.includes(name) ? [file] : []));
		return files.length > 1 ? [`${name}: ${files.join(", ")}`] : [];
	});

test("a text without a bound of its own is measured", () => {
	const unbounded = definitions.filter(({ schema }) => hasUnboundedText(schema)).map(({ type }) => type);
	const measured = definitions.filter((definition) => measures(definition)).map(({ type }) => type);
	expect(unbounded.filter((type) => !measured.includes(type) && !ownWords.includes(type))).toEqual([]);
	expect(unbounded).toContain("prompt.queue");
	expect(hasUnboundedText(z.object({ text: z.array(z.string().optional()) }))).toBe(true);
	expect(hasUnboundedText(z.object({ text: z.string().max(5), name: z.string().regex(/^x$/), at: z.int() }))).toBe(
		false,
	);
});

/** Paths, branches, names of snapshots and refusals, which the daemon writes itself. */
const ownWords: readonly string[] = [
	"agent.provision",
	"agent.upload",
	"agent.move",
	"workspace.drift",
	"workspace.record",
	"session.open",
	"issue.return",
	"issue.merge",
];

test("a definition without a part, or with the parts of two commands, does not compile", () => {
	// each of these is only looked at by the compiler
	const people = { allowedActors: "people", startsWork: false } as const;
	const decide = (): [] => [];
	const unlisted = z.strictObject({ type: z.literal("agent.unlisted"), agent: AgentId });
	const wrong = [
		// @ts-expect-error nobody may send it
		() => onAgent({ schema: AgentPause, startsWork: false, decide: decidePause }),
		// @ts-expect-error nobody knows whether it starts work
		() => onAgent({ schema: AgentPause, allowedActors: "people", decide: decidePause }),
		// @ts-expect-error nothing decides it
		() => onAgent({ schema: AgentPause, ...people }),
		// @ts-expect-error its decider has to see the queue
		() => onAgent({ schema: PromptMove, ...people, decide: decideMovePrompt }),
		// @ts-expect-error what is loaded is not what its decider has to see
		() => onAgent({ schema: PromptMove, ...people, load: async () => 1, decide: decideMovePrompt }),
		// @ts-expect-error its schema is not among the commands of the contract
		() => onAgent({ schema: unlisted, ...people, decide }),
		() => {
			const table: { "agent.pause": Definition<"agent.pause"> } = {
				// @ts-expect-error it is defined under the name of another
				"agent.pause": onAgent({ schema: AgentResume, ...people, decide }),
			};
			return table;
		},
	];
	expect(wrong).toHaveLength(7);
});

test("docs/internals/adding-a-command.md shows the code as it is, in six files", () => {
	const page = readFileSync("docs/internals/adding-a-command.md", "utf8");
	const shown = [...page.matchAll(/```ts (\S+)\n(.*?)```/gs)].map(([, file = "", code = ""]) => ({ file, code }));
	expect(new Set(shown.map(({ file }) => file)).size).toBe(6);
	expect(shown.filter(({ file, code }) => !readFileSync(file, "utf8").includes(code))).toEqual([]);
});

/** Whether it looks at its command to measure something; what it looks for is not there. */
function measures({ type, texts }: Definition): boolean {
	try {
		return texts(Object({ type })).length > 0;
	} catch {
		return true;
	}
}

/** A string that may have any length, anywhere in what is said. */
function hasUnboundedText(schema: z.ZodType): boolean {
	const unbounded = (node: unknown): boolean => {
		if (typeof node !== "object" || node === null) return false;
		const isText = Reflect.get(node, "type") === "string";
		return (
			(isText && !["maxLength", "pattern", "enum", "const"].some((bound) => bound in node)) ||
			Object.values(node).some(unbounded)
		);
	};
	return unbounded(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
}
