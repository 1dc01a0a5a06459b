// What upkeep removes in and around the home.
import path from "node:path";
import type { KeyFiles } from "#adapters/driver/key-files.ts";
import { sweepAgentFolders, sweepBlobs, sweepVendors } from "#adapters/system/home-space.ts";
import { sweepTemporary } from "#adapters/system/temporary.ts";
import type { AgentState } from "#contract/agent.ts";
import { AgentId, Handle, ProjectSlug } from "#contract/ids.ts";
import { dayMs } from "#contract/retention.ts";
import type { Sweeper } from "#engine/upkeep.ts";

/** Remove what dead processes and deleted agents left. */
export function sweepersOf(home: string, keyFiles: KeyFiles): Sweeper[] {
	return [
		({ now }) => sweepTemporary(now),
		({ now }) => sweepBlobs(path.join(home, "blobs"), now),
		async ({ now, reads }) => await keyFiles.sweep(await reads.subscriptions(), now),
		async ({ now, retention, reads }) => {
			const isExpired = ({ endReason, endedAt }: AgentState): boolean =>
				endReason === "deleted" && (endedAt ?? now) < now - retention.trashDays * dayMs;
			// only agents that have a folder there are looked up: of deleted ones there are more and more
			await sweepAgentFolders(path.join(home, "agent-folders"), async (project, name) => {
				const [slug, handle] = [ProjectSlug.nullable().safeParse(project), Handle.safeParse(name)];
				const agent = slug.success && handle.success && (await reads.agentByHandle(slug.data, handle.data));
				return agent ? isExpired(agent) : false;
			});
			await sweepVendors(path.join(home, "vendors"), async (names) =>
				(await reads.agentsWith(names.flatMap((name) => AgentId.safeParse(name).data ?? [])))
					.filter(isExpired)
					.map(({ id }) => id),
			);
		},
	];
}
