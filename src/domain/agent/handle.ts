// Handles: the given name, or four hexadecimal digits and a slug (`47fa-font-replacement`).
import { Handle } from "#contract/ids.ts";

const slugLengthMax = 40;
/** Latin letters that Unicode does not take apart into a plain letter and a mark */
const plainLetters: Readonly<Record<string, string>> = {
	...{ ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ħ: "h", ı: "i" },
};

/** The words of a title in lower case, joined by dashes; may be empty. */
export function slug(title: string): string {
	const words = title
		.normalize("NFKD")
		.replace(/\p{M}/gu, "")
		.toLowerCase()
		.replace(/[ßæœøłđðþħı]/g, (letter) => plainLetters[letter] ?? "")
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

/** Handles to try in turn, with more and more digits of the salt. */
export function candidateHandles(request: { name?: Handle | undefined; title: string; salt: string }): Handle[] {
	if (request.name !== undefined) return [request.name];
	const text = slug(request.title) || "agent";
	const widths = [4, 5, 6, 8, 12].filter((width) => width <= request.salt.length);
	return widths.map((width) => Handle.parse(`${request.salt.slice(0, width)}-${text}`));
}
