// Every command by its name. A command of the contract without a definition here does not compile.
import type { Command } from "#contract/command.ts";
import { agentDefinitions } from "./agent.ts";
import { approvalDefinitions } from "./approval.ts";
import { contextDefinitions } from "./context.ts";
import type { Definition } from "./define.ts";
import { issueDefinitions } from "./issue.ts";
import { issueWorkDefinitions } from "./issue-work.ts";
import { killDefinitions } from "./kill.ts";
import { mailDefinitions } from "./mail.ts";
import { nodeDefinitions } from "./node.ts";
import { personDefinitions } from "./person.ts";
import { projectDefinitions } from "./project.ts";
import { promptDefinitions } from "./prompt.ts";
import { spawnDefinitions } from "./spawn.ts";
import { subscriptionDefinitions } from "./subscription.ts";
import { turnDefinitions } from "./turn.ts";
import { turnEndDefinitions } from "./turn-end.ts";
import { waitDefinitions } from "./wait.ts";
import { workspaceDefinitions } from "./workspace.ts";

type Table = { [T in Command["type"]]: Definition<T> };

export const commands: Table = {
	...agentDefinitions,
	...spawnDefinitions,
	...killDefinitions,
	...contextDefinitions,
	...promptDefinitions,
	...turnDefinitions,
	...turnEndDefinitions,
	...workspaceDefinitions,
	...approvalDefinitions,
	...waitDefinitions,
	...mailDefinitions,
	...projectDefinitions,
	...issueDefinitions,
	...issueWorkDefinitions,
	...subscriptionDefinitions,
	...personDefinitions,
	...nodeDefinitions,
};

/** What the engine knows of a command, whichever it is. */
export const definitionOf = ({ type }: Pick<Command, "type">): Definition => commands[type];
