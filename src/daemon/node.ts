// This daemon as a node.
import { schemaVersion } from "#adapters/store/sql/migrations.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { machineName } from "#adapters/system/machine.ts";
import type { HomeConfig } from "#contract/config.ts";
import { NodeId } from "#contract/node.ts";
import type { NodeIdentity } from "#engine/parts.ts";
import { version } from "#src/version.ts";

/** Every start is another `startId`. */
export const nodeOf = (homeId: string, { node }: HomeConfig, types: readonly string[]): NodeIdentity => ({
	...{ node: NodeId.parse(homeId), name: node?.name ?? machineName(), startId: randomIds.key(), version },
	...{ schema: schemaVersion, types: [...types] },
});
