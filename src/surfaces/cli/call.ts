// A command that calls one route and prints the answer. It is loaded with the parser, the rest only when the command runs.
import type { Answer, Input } from "#client/client.ts";
import type { RouteName } from "#contract/routes.ts";
import type { Options } from "./act.ts";

type RouteInput<N extends RouteName> = Omit<Input<N>, "key">;

/** `input` may be a function, whose errors are then printed as the command's own. */
export async function call<N extends RouteName>(
	route: N,
	options: Options,
	input: RouteInput<N> | (() => RouteInput<N> | Promise<RouteInput<N>>),
	show: (answer: Answer<N>) => string | Promise<string>,
): Promise<void> {
	const { act } = await import("./act.ts");
	await act(
		options,
		async ({ client, key, query }) => {
			const { query: own, ...rest } = typeof input === "function" ? await input() : input;
			return await client.ask(route, { ...rest, key, query: Object.assign({ ...query }, own) });
		},
		show,
	);
}
