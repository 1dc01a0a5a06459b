// Which agent somebody means who names none.
import { Refused } from "#client/client.ts";
import { type Refusal, refuse } from "#contract/refusal.ts";
import type { Adapter } from "#contract/wire.ts";
import type { CliContext } from "./act.ts";

/** The project's own type, or the vendor whose program the user is logged in to. */
export async function chooseVendor(
	{ client }: CliContext,
	project: string | undefined,
	say: (text: string) => void,
): Promise<string> {
	const chosen = project === undefined ? null : (await client.call("project", { params: { project } })).agentType;
	if (chosen !== null) return chosen;
	const all = await client.call("adapters");
	const [first, ...others] = all.filter(({ loggedIn }) => loggedIn);
	if (first === undefined) throw new Refused(noVendor(all));
	const also = others.map(({ type }) => `brood run ${type} …`);
	say(`Using ${first.title}.${also.length === 0 ? "" : ` You are logged in to others as well: ${also.join(", ")}`}`);
	return first.type;
}

const noVendor = (all: readonly Adapter[]): Refusal =>
	refuse(
		"SETUP_FAILED",
		[
			"No coding agent is logged in on this machine. Install one and log in:",
			...all.map(({ type, title, login }) => `  ${title} (${type}): ${login}`),
		].join("\n"),
		{ suggestions: ["brood doctor", "brood demo"] },
	);
