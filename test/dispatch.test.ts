// What the compiler holds of commands: a command that nobody knows, or that lacks something, is none. Vitest does not
// look at types; `npm run types` fails as soon as one of the lines that must not compile does.
import { expect, test } from "vitest";
import type { CommandInput, CommandWithout } from "#contract/command.ts";

test("a misspelt command, or one that lacks a part, does not compile", () => {
	const commands: CommandInput[] = [
		{ type: "issue.prepare", issueId: 1 },
		// @ts-expect-error there is no such command
		{ type: "issue.raedy", issueId: 1 },
		// @ts-expect-error it has to say which issue
		{ type: "issue.prepare" },
		// @ts-expect-error an issue is named by its number
		{ type: "issue.prepare", issueId: "1" },
		// @ts-expect-error it has no such part
		{ type: "issue.prepare", issueId: 1, branhc: "x" },
	];
	const unaddressed: CommandWithout<"issueId">[] = [
		{ type: "issue.prepare" },
		// @ts-expect-error it is not about an issue
		{ type: "agent.pause" },
	];
	expect([commands.length, unaddressed.length]).toEqual([5, 2]);
});
