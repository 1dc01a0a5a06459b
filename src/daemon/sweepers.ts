// What upkeep removes in and around the home.
import path from "node:path";
import type { KeyFiles } from "#adapters/driver/key-files.ts";
import { sweepBlobs, sweepScratch, sweepVendors } from "#adapters/system/home-space.ts";
import { sweepTemporary } from "#adapters/system/temporary.ts";
import { dayMs } from "#contract/retention.ts";
import type { Sweeper } from "#engine/upkeep.ts";

/** Remove what dead processes and deleted agents left. */
export function sweepersOf(home: string, keyFiles: KeyFiles): Sweeper[] {
	return [
		({ now }) => sweepTemporary(now),
		({ now }) => sweepBlobs(path.join(home, "blobs"), now),
		async ({ now, reads }) => await keyFiles.sweep(await reads.subscriptions(), now),
		async ({ now, retention, reads }) => {
			const expired = now - retention.trashDays * dayMs;
			const deleted = (await reads.agents({ life: "ended" })).filter(
				({ endReason, endedAt }) => endReason === "deleted" && (endedAt ?? now) < expired,
			);
			await sweepScratch(path.join(home, "scratch"), deleted);
			await sweepVendors(path.join(home, "vendors"), deleted);
		},
	];
}
