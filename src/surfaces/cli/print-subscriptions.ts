// Prints subscriptions.
import type { Credential } from "#contract/subscription.ts";
import type { Subscription } from "#contract/wire.ts";
import { spentLine } from "#views/usage-lines.ts";
import { details, table } from "./print.ts";

export function subscriptionTable(all: readonly Subscription[]): string {
	const rows = all.map(({ name, type, used, maxConcurrent, fallback, coolingUntil }) => {
		return [
			name,
			type,
			`${used}/${maxConcurrent}`,
			fallback ?? "-",
			coolingUntil === null ? "-" : `until ${coolingUntil}`,
		];
	});
	return (
		table(["SUBSCRIPTION", "TYPE", "SLOTS", "FALLBACK", "COOLING"], rows) || "no subscriptions: agents need no slots"
	);
}

export function subscriptionDetails({
	credential,
	credentials = [],
	quiet,
	spent,
	used,
	...plain
}: Subscription): string {
	const lines: [string, string | number | null][] = [
		...Object.entries(plain),
		["slots used", used],
		["usage", spentLine(spent)],
		["credential", credentialText(credential)],
		...credentials.map((each): [string, string] => [`credential at ${each.node}`, credentialText(each.credential)]),
		["quiet", quiet && `${quiet.from}-${quiet.to} ${quiet.zone}`],
	];
	return details(lines);
}

const credentialText = (credential: Credential): string =>
	credential === null ? "your own login" : "envFile" in credential ? credential.envFile : credential.configDir;
