// The places in the navigation, each with the key that follows `g`.
import { paths } from "../paths.ts";

export interface NavEntry {
	name: string;
	href: string;
	key: string;
	glyph: string;
	/** shown on a phone's bottom bar */
	phone?: true;
}

export const navEntries: readonly NavEntry[] = [
	{ name: "Overview", href: paths.overview(), key: "o", glyph: "◧", phone: true },
];
