// The name of an agent that is made for a task: the task's first words.
const lengthMax = 24;
const fillers = new Set(["a", "an", "the", "please"]);

/** Undefined if the task has no words that a name can be made of. */
export function taskName(task: string): string | undefined {
	const words = task
		.slice(0, 1000)
		.normalize("NFKD")
		.replace(/\p{M}/gu, "")
		.toLowerCase()
		.split(/[^a-z0-9]+/)
		.filter((word) => word !== "" && !fillers.has(word));
	let name = "";
	for (const word of words) {
		const longer = name === "" ? word.slice(0, lengthMax) : `${name}-${word}`;
		if (longer.length > lengthMax) break;
		name = longer;
	}
	return name === "" || name === "init" ? undefined : name;
}
