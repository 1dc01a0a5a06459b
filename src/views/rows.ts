// All rows as maps. Folding every event of a journal gives exactly the rows of the store.
import type { KeyOf, RowKind, StateOf } from "#domain/fold/change.ts";
import { type Folded, fold, type RowTables } from "#domain/fold/fold.ts";

export { type Folded, type RowName, touched } from "#domain/fold/fold.ts";

export type RowMaps = { readonly [R in RowKind]: Map<KeyOf<R>, StateOf<R>> };

export const noRows = (): RowMaps => ({
	...{
		agent: new Map(),
		project: new Map(),
		subscription: new Map(),
		person: new Map(),
		node: new Map(),
		prompt: new Map(),
		turn: new Map(),
		turnLease: new Map(),
	},
	...{ approval: new Map(), wait: new Map(), mail: new Map(), issue: new Map(), run: new Map(), entry: new Map() },
});

/** Skips rows that do not exist: a reader that started in the middle of the journal has only some. */
export const foldInto = (rows: RowTables, event: Folded): void => fold(event, rows, () => {});
