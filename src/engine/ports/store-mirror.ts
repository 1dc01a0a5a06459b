// The store's one read of many kinds of rows at one moment: a part of the port in `store.ts`.

import type { MirrorRequest } from "#contract/mirror-request.ts";
import type { MirroredRows } from "#contract/rows.ts";

export interface MirrorReads {
	/** all read at one moment */
	mirrored(request: MirrorRequest): Promise<MirroredRows>;
}
