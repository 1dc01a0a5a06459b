// Every command by its name. A command of the contract without a definition here does not compile.
import type { Command } from "#contract/command.ts";
import { agentCommands } from "./agent.ts";
import { approvalCommands } from "./approval.ts";
import { contextCommands } from "./context.ts";
import type { Definition } from "./define.ts";
import { issueCommands } from "./issue.ts";
import { issueWorkCommands } from "./issue-work.ts";
import { killCommands } from "./kill.ts";
import { mailCommands } from "./mail.ts";
import { nodeCommands } from "./node.ts";
import { personCommands } from "./person.ts";
import { projectCommands } from "./project.ts";
import { promptCommands } from "./prompt.ts";
import { spawnCommands } from "./spawn.ts";
import { subscriptionCommands } from "./subscription.ts";
import { turnCommands } from "./turn.ts";
import { turnEndCommands } from "./turn-end.ts";
import { waitCommands } from "./wait.ts";
import { workspaceCommands } from "./workspace.ts";

type Table = { [T in Command["type"]]: Definition<T> };

export const commands: Table = {
	...agentCommands,
	...spawnCommands,
	...killCommands,
	...contextCommands,
	...promptCommands,
	...turnCommands,
	...turnEndCommands,
	...workspaceCommands,
	...approvalCommands,
	...waitCommands,
	...mailCommands,
	...projectCommands,
	...issueCommands,
	...issueWorkCommands,
	...subscriptionCommands,
	...personCommands,
	...nodeCommands,
};

/** What the engine knows of a command, whichever it is. */
export const definitionOf = ({ type }: Pick<Command, "type">): Definition => commands[type];
