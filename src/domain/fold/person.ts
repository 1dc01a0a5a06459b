// What events do to the rows of persons.
import type { PersonName } from "#contract/ids.ts";
import type { Changes } from "./change.ts";

const byName = (event: { data: { name: PersonName } }): PersonName[] => [event.data.name];

export const personChanges = {
	// also somebody who was removed and comes back
	"person.added": {
		keys: byName,
		make: ({ data, at, actor }) => ({ ...data, createdAt: at, createdBy: actor, rotatedAt: null, removedAt: null }),
	},
	"person.configured": {
		keys: byName,
		change: (row, { data, at }) => ({
			...row,
			...data,
			rotatedAt: data.tokenHash === row.tokenHash ? row.rotatedAt : at,
		}),
	},
	"person.removed": { keys: byName, change: (row, { at }) => ({ ...row, removedAt: at }) },
} satisfies Changes<"person">;
