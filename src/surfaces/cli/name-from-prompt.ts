// The name of an agent that `brood run` makes: the first words of its prompt.
const lengthMax = 24;
const fillers = new Set(["a", "an", "the", "please"]);

/** Undefined if the prompt has no words that a name can be made of. */
export function nameFromPrompt(prompt: string): string | undefined {
	const words = prompt
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
