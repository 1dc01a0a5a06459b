// The machines that share a database.
import type { Command } from "@commander-js/extra-typings";
import { credentialHint } from "#contract/credential-hint.ts";
import { nodeStateText } from "#contract/node-state-text.ts";
import type { Node } from "#contract/node-wire.ts";
import { call } from "./call.ts";
import { subcommand } from "./options.ts";

export function nodeSubcommands(program: Command): void {
	const node = program.command("node").description("manage the machines that share one PostgreSQL database");
	subcommand(node, "list", "list the nodes: state, last beat, turns and agents of each").action((options) =>
		call("nodes", options, {}, tableOf),
	);
	for (const [name, route, description, said] of [
		["drain", "nodeDrain", "start no more turns at a node; those that run go on", "starts no more turns"],
		["resume", "nodeResume", "start turns again at a node that was drained", "starts turns again"],
		["fall", "nodeFall", "say that a silent node's machine is off; its open turns are interrupted", "is down"],
	] as const)
		subcommand(node, name, description)
			.argument("<node>", "the node's name or id")
			.action((named, options) =>
				call(route, options, { params: { node: named }, body: {} }, ({ name: changed }) => `${changed} ${said}`),
			);
	subcommand(node, "remove", "take a stopped node without living agents off the list")
		.argument("<node>", "the node's name or id")
		.action((named, options) =>
			call("nodeRemove", options, { params: { node: named } }, ({ name }) => `${name} is removed`),
		);
}

async function tableOf(nodes: readonly Node[]): Promise<string> {
	const { table } = await import("./print.ts");
	const ms = (value: number | null): string => (value === null ? "-" : `${value} ms`);
	const rows = nodes.map((each) => [
		`${each.name}${each.self ? " *" : ""}`,
		each.silent ? "silent" : nodeStateText(each.state),
		String(each.epoch),
		each.version,
		each.beatAgeMs === null
			? "-"
			: `${(each.beatAgeMs / 1000).toFixed(1)} s ago${each.alone && !each.self ? " (alone)" : ""}`,
		ms(each.clockOffsetMs),
		ms(each.roundTripMs),
		`${each.turns}/${each.turnsMax}`,
		String(each.agents),
		each.fellAt ?? "-",
	]);
	const missing = nodes.flatMap(({ name, state, withoutCredentials }) =>
		(state === "up" ? withoutCredentials : []).map(
			(each) => `\n${name} has no credentials of ${each}: ${credentialHint(each, name)}`,
		),
	);
	const silent = nodes
		.filter((each) => each.silent && each.alone)
		.map(
			({ name }) =>
				`\n${name} may run alone, so it is not declared down by itself. If its machine is off: brood node fall ${name}`,
		);
	const listed = table(
		["NODE", "STATE", "EPOCH", "VERSION", "BEAT", "CLOCK OFFSET", "ROUND TRIP", "TURNS", "AGENTS", "LAST FALL"],
		rows,
	);
	return `${listed}${[...silent, ...missing].join("")}`;
}
