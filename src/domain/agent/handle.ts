// Handles: the given name, or four hexadecimal digits and a slug (`47fa-font-replacement`).
import { Handle } from "#contract/ids.ts";

const slugLengthMax = 40;

/** Lower-case words of a title, joined by dashes; empty if nothing usable is left. */
export function slug(title: string): string {
	const words = title
		.normalize("NFKD")
		.replace(/\p{M}/gu, "")
		.toLowerCase()
		.split(/[^a-z0-9]+/)
		.filter((word) => word !== "");
	let text = "";
	for (const word of words) {
		const longer = text === "" ? word.slice(0, slugLengthMax) : `${text}-${word}`;
		if (longer.length > slugLengthMax) break;
		text = longer;
	}
	return text;
}

/** Handles to try in turn: each clash takes one more digit of the salt, so that there is always a free one. */
export function candidateHandles(request: { name?: Handle | undefined; title: string; salt: string }): Handle[] {
	if (request.name !== undefined) return [request.name];
	const text = slug(request.title) || "agent";
	const widths = [4, 5, 6, 8, 12].filter((width) => width <= request.salt.length);
	return widths.map((width) => Handle.parse(`${request.salt.slice(0, width)}-${text}`));
}
