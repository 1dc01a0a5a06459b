// The store's one question that answers many kinds of rows from one moment: a part of the port in `ports.ts`.
import type { MirroredRows, MirrorRequest } from "#contract/rows.ts";

export interface MirrorReads {
	/** all from one snapshot of the store */
	mirrored(request: MirrorRequest): Promise<MirroredRows>;
}
