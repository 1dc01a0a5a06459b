// How long things are kept that nobody refers to any more. The defaults; `retention` in `config.yaml` may change each
// of them.
import { z } from "zod";

/** fractions are for trying it out */
const days = z.number().positive().max(36_500);

export const RetentionConfig = z.strictObject({
	trashDays: days.optional().describe("how long a removed folder stays in the trash"),
	snapshotDays: days.optional().describe("how long every snapshot is kept; those of a deleted agent go afterwards"),
	snapshotsKept: z
		.int()
		.min(1)
		.max(100_000)
		.optional()
		.describe("the newest snapshots of a living agent stay, however old"),
	snapshotsMax: z.int().min(1).max(1_000_000).optional().describe("an agent never has more, however young"),
	upkeepMinutes: z.int().min(1).max(10_080).optional().describe("how often the daemon looks for what has expired"),
	packing: z
		.enum(["on", "off"])
		.optional()
		.describe("whether the daemon packs refs and objects of the projects' repositories"),
});
export type RetentionConfig = z.infer<typeof RetentionConfig>;

export interface Retention {
	trashDays: number;
	snapshotDays: number;
	snapshotsKept: number;
	snapshotsMax: number;
	upkeepMinutes: number;
	packing: "on" | "off";
}

export const retention: Retention = {
	trashDays: 14,
	snapshotDays: 14,
	snapshotsKept: 20,
	snapshotsMax: 1000,
	upkeepMinutes: 10,
	packing: "on",
};

export const dayMs = 24 * 60 * 60 * 1000;

/** What is said, and the defaults for the rest. */
export function retentionFrom(config: RetentionConfig = {}): Retention {
	return {
		trashDays: config.trashDays ?? retention.trashDays,
		snapshotDays: config.snapshotDays ?? retention.snapshotDays,
		snapshotsKept: config.snapshotsKept ?? retention.snapshotsKept,
		snapshotsMax: config.snapshotsMax ?? retention.snapshotsMax,
		upkeepMinutes: config.upkeepMinutes ?? retention.upkeepMinutes,
		packing: config.packing ?? retention.packing,
	};
}
