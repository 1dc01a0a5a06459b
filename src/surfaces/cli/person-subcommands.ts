// People who use this daemon with tokens of their own.
import { Argument, type Command, Option } from "@commander-js/extra-typings";
import type { Client } from "#client/client.ts";
import type { Person } from "#contract/wire.ts";
import { call } from "./call.ts";
import { subcommand } from "./options.ts";

const roles = ["viewer", "member", "admin"] as const;

export function personSubcommands(program: Command): void {
	const person = program.command("person").description("give other people tokens of their own, each with a role");
	subcommand(person, "add", "add a person and print their token, once")
		.argument("<name>", "the person's name, like anna")
		.addOption(
			new Option(
				"--role <role>",
				"viewers read, members work with agents, admins do everything; default: member",
			).choices(roles),
		)
		.addHelpText(
			"after",
			"\nExamples:\n  brood person add anna\n  brood person add display --role viewer\n\nWith the token, on another machine:\n  BROOD_URL=https://brood.example.org:4180 BROOD_TOKEN=… brood ps",
		)
		.action((name, { role, ...options }) =>
			withToken(options, (client, tokenHash, key) =>
				client.call("personAdd", { body: { name, role, tokenHash }, key }),
			),
		);
	subcommand(person, "list", "list people and their roles").action((options) =>
		call("persons", options, {}, async (all) => (await tableOf(all)) || "nobody has a token of their own"),
	);
	subcommand(person, "role", "change what a person may do")
		.argument("<name>", "the person's name")
		.addArgument(new Argument("<role>", "viewer, member or admin").choices(roles))
		.action((name, role, options) =>
			call("personConfigure", options, { params: { person: name }, body: { role } }, (changed) => tableOf([changed])),
		);
	endSubcommands(person);
}

function endSubcommands(person: Command): void {
	subcommand(person, "rotate", "replace a person's token; the old one is refused at once")
		.argument("<name>", "the person's name")
		.action((name, options) =>
			withToken(options, (client, tokenHash, key) =>
				client.call("personConfigure", { params: { person: name }, body: { tokenHash }, key }),
			),
		);
	subcommand(person, "remove", "remove a person; their token is refused at once")
		.argument("<name>", "the person's name")
		.action((name, options) =>
			call("personRemove", options, { params: { person: name } }, (gone) => `${gone.name} is removed`),
		);
}

/** The token is made here and printed here: the daemon gets only its hash. */
async function withToken(
	options: { json?: boolean | undefined },
	send: (client: Client, tokenHash: string, key: string) => Promise<Person>,
): Promise<void> {
	const { act } = await import("./act.ts");
	const { createHash, randomBytes } = process.getBuiltinModule("node:crypto");
	const token = randomBytes(32).toString("base64url");
	const tokenHash = createHash("sha256").update(token).digest("hex");
	await act(
		options,
		async ({ client, key }) => ({ ...(await send(client, tokenHash, key)), token }),
		({ name, role }) =>
			`${name} is ${role === "admin" ? "an" : "a"} ${role}. The token is shown only this once:\n  ${token}`,
	);
}

async function tableOf(persons: readonly Person[]): Promise<string> {
	const { table } = await import("./print.ts");
	const rows = persons.map(({ name, role, createdAt, rotatedAt }) => [name, role, createdAt, rotatedAt ?? "-"]);
	return table(["PERSON", "ROLE", "ADDED", "TOKEN REPLACED"], rows);
}
