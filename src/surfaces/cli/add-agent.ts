// `brood agent add`: in the project of the directory, or without one.
import { act } from "./act.ts";
import { chooseType } from "./default-type.ts";
import { withoutEmpty } from "./options.ts";
import { printToStderr } from "./print.ts";
import { madeAgent, withExitCode } from "./print-agents.ts";
import { projectHere } from "./project-here.ts";
import { offerRepository } from "./repository.ts";
import { subscriptionWithKeys } from "./shell-keys.ts";

interface AddOptions {
	/** false with `--no-project` */
	project?: string | boolean | undefined;
	json?: boolean | undefined;
	wait: boolean;
	type?: string | undefined;
	workspace?: string | undefined;
	node?: string | undefined;
	subscription?: string | undefined;
	env?: string[] | undefined;
}

export async function addAgent(
	name: string | undefined,
	{ project: slug, json: asJson, wait, env, ...named }: AddOptions,
	budget: object,
): Promise<void> {
	const say = asJson === true ? () => {} : printToStderr;
	await act(
		{ json: asJson, ...(typeof slug === "string" && { project: slug }) },
		async (cli) => {
			const { client, key, query } = cli;
			const here = slug === false ? undefined : (query.project ?? (await projectHere(cli)));
			const offered = slug !== false && named.workspace !== "none";
			const project = here ?? (offered ? await offerRepository(cli, say) : undefined);
			const type = named.type ?? (await chooseType(cli, project, say));
			const subscription = named.subscription || (await subscriptionWithKeys(cli, type, { env, say }));
			const body = { ...withoutEmpty({ name, ...named, subscription }), wait, ...budget, type };
			return withExitCode(
				await (project === undefined
					? client.ask("agentAdd", { key, body })
					: client.ask("agentAddTo", { key, params: { project }, body })),
			);
		},
		madeAgent,
	);
}
