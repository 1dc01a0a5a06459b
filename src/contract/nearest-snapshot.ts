// What is left where a snapshot is gone.

/** The snapshot whose number is nearest to the missing one's, and the sentence that names it. */
export function nearestSnapshot<S extends { id: string }>(
	all: readonly S[],
	missing: number,
): { nearest: S | undefined; sentence: string } {
	const distance = ({ id }: S): number => Math.abs(Number(id) - missing);
	const [nearest] = all.toSorted((a, b) => distance(a) - distance(b));
	const sentence =
		nearest === undefined ? "No snapshot of that workspace is left." : `The nearest one is ${nearest.id}.`;
	return { nearest, sentence };
}
