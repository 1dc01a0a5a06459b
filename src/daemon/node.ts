// This daemon as a node: under which name it joins, and what starts the next one if it stands still.
import { schemaVersion } from "#adapters/store/sql/migrations.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { machineName } from "#adapters/system/machine.ts";
import type { HomeConfig } from "#contract/config.ts";
import { NodeId } from "#contract/node.ts";
import type { NodeIdentity } from "#engine/parts.ts";
import { daemonNode } from "#local/programs.ts";
import { version } from "#src/version.ts";

/** Every start is another `boot`. */
export const nodeOf = (mark: string, { node }: HomeConfig, programs: object): NodeIdentity => ({
	...{ node: NodeId.parse(mark), name: node?.name ?? machineName(), boot: randomIds.key(), version },
	...{ schema: schemaVersion, types: Object.keys(programs).sort() },
});

/** With the variables that Node needs for the daemon, which this one has removed from its own. */
export const successorOf = (command: readonly string[], environment: NodeJS.ProcessEnv) => ({
	successor: command.length === 0 ? [] : [...command, "--again"],
	environment: { ...daemonNode.environment, ...environment },
});
