// How long things are kept that nothing refers to any more. `retention` in `config.yaml` may change each default.
import { z } from "zod";

/** fractions are for trying it out */
const days = z.number().positive().max(36_500);
const whole = (max: number) => z.int().min(1).max(max);

export const RetentionConfig = z.strictObject({
	trashDays: days.default(14).describe("how long a removed folder stays in the trash"),
	snapshotDays: days.default(14).describe("how long every snapshot is kept; those of a deleted agent go afterwards"),
	snapshotsKept: whole(100_000).default(20).describe("the newest snapshots of a living agent stay, however old"),
	snapshotsMax: whole(1_000_000).default(1000).describe("an agent never has more, however young"),
	upkeepMinutes: whole(10_080).default(10).describe("how often the daemon looks for what has expired"),
	packing: z
		.enum(["on", "off"])
		.default("on")
		.describe("whether the daemon packs refs and objects of the projects' repositories"),
});
export type Retention = z.infer<typeof RetentionConfig>;

export const retention: Retention = RetentionConfig.parse({});

export const dayMs = 24 * 60 * 60 * 1000;
