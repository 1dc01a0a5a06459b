// Picks the agent type when nobody names one.
import { type Client, Refused } from "#client/client.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { VendorAgent } from "#contract/wire.ts";
import type { CliContext } from "./act.ts";
import { envOptions, hasCredentials, keysIn, listed } from "./shell-keys.ts";

/** The project's default type, or the type of the vendor that the person is logged in to or has a key for. */
export async function chooseType(
	{ client }: CliContext,
	project: string | undefined,
	say: (text: string) => void,
): Promise<string> {
	const chosen = project === undefined ? null : (await client.call("project", { params: { project } })).agentType;
	if (chosen !== null) return chosen;
	const all = await client.call("vendors");
	const usable = all.filter(({ loggedIn }) => loggedIn);
	const subscriptions = usable.length > 0 ? [] : await client.call("subscriptions");
	const [first, ...others] = [
		() => usable,
		() => all.filter(({ type }) => hasCredentials(subscriptions, type)),
		// a vendor whose own program is here comes first: several accept the same key
		() =>
			all
				.filter((each) => keysIn(each).length > 0)
				.sort((a, b) => Number(b.loginProgram.found) - Number(a.loginProgram.found)),
	].reduce<VendorAgent[]>((found, next) => (found.length > 0 ? found : next()), []);
	if (first === undefined) throw new Refused(noVendor(all));
	const also = others.map(({ type }) => `brood run ${type} …`);
	say(`Using ${first.title}.${also.length === 0 ? "" : ` Others have credentials as well: ${also.join(", ")}`}`);
	return first.type;
}

const noVendor = (all: readonly VendorAgent[]): Refusal =>
	refuse(
		"NOT_LOGGED_IN",
		[
			"No coding agent is logged in on this machine. Install one and log in, then run this again:",
			...all.map((each) => `${each.title}: ${howToLogIn(each)}`),
		].join("\n"),
		{ suggestions: ["brood doctor", "brood demo"] },
	);

/** What to type, from the state that this machine is in. */
export function howToLogIn(
	vendor: Pick<VendorAgent, "type" | "loginProgram" | "login" | "keys" | "alongside">,
): string {
	const { type, loginProgram, login } = vendor;
	const found = keysIn(vendor);
	const key =
		found.length === 0
			? ""
			: `; or use ${listed(found)} of this shell: brood subscription add ${type}-key --type ${type} ${envOptions(found)}`;
	const install = loginProgram.found ? "" : `${loginProgram.install}, then `;
	return `${install}${login}${key}`;
}

/** The same in a sentence; null if agents of this type look logged in or have a key. */
export async function howToLogInIfNot(client: Client, type: string): Promise<string | null> {
	const vendor = (await client.call("vendors")).find((each) => each.type === type);
	if (vendor === undefined || vendor.loggedIn || hasCredentials(await client.call("subscriptions"), type)) return null;
	return `${vendor.title} does not look logged in: ${howToLogIn(vendor)}.`;
}
