// Judges from samples whether something grows without bound. The first third of a run is warm-up. Of the rest, the peak
// of the second half is compared with the peak of the first half: what goes up and down around a level (a rotated log,
// objects that are packed now and then) has about the same peaks in both, and unbounded growth has higher ones. A
// relative and an absolute margin are allowed, so that noise is not taken for growth.
export interface Rule {
	name: string;
	unit: "MB" | "bytes" | "";
	/** relative margin */
	share: number;
	/** absolute margin, in the unit of the samples */
	floor: number;
	/** why it is bounded */
	because: string;
}

export interface Judged extends Rule {
	first: number;
	last: number;
	/** the peaks that were compared */
	earlier: number;
	later: number;
	grows: boolean;
}

export const samplesMin = 9;

export function judge(rule: Rule, samples: readonly number[]): Judged {
	if (samples.length < samplesMin)
		throw new Error(`${samples.length} samples are too few to judge by: at least ${samplesMin} are needed`);
	const third = Math.floor(samples.length / 3);
	const rest = samples.slice(third);
	const middle = Math.floor(rest.length / 2);
	const [earlier, later] = [Math.max(...rest.slice(0, middle)), Math.max(...rest.slice(middle))];
	const grows = later > earlier * (1 + rule.share) + rule.floor;
	return { ...rule, first: samples[0] ?? 0, last: samples.at(-1) ?? 0, earlier, later, grows };
}
