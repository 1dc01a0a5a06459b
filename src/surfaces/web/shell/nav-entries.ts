// The entries of the navigation, each with the key that follows `g`.

import type { IconName } from "../ui/icon.tsx";
import { paths } from "../ui/paths.ts";

export interface NavEntry {
	name: string;
	href: string;
	key: string;
	icon: IconName;
	/** shown on a phone's bottom bar */
	phone?: true;
}

export const navEntries: readonly NavEntry[] = [
	{ name: "Overview", href: paths.overview(), key: "o", icon: "overview", phone: true },
	{ name: "Inbox", href: paths.inbox(), key: "i", icon: "inbox", phone: true },
	{ name: "Agents", href: paths.tree(), key: "t", icon: "fork", phone: true },
	{ name: "Issues", href: paths.issues(), key: "b", icon: "board", phone: true },
	{ name: "Subscriptions", href: paths.subscriptions(), key: "s", icon: "slots" },
	{ name: "Journal", href: paths.journal(), key: "j", icon: "journal" },
	{ name: "Settings", href: paths.settings(), key: "e", icon: "settings" },
];
