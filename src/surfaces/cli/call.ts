// A command that calls one route and prints the answer. It is loaded with the parser, the rest only when the command
// runs.
import type { Input } from "#client/input.ts";
import type { AnswerOf, RouteName } from "#contract/routes.ts";
import type { CliContext, Options } from "./act.ts";

type RouteInput<N extends RouteName> = Omit<Input<N>, "key">;

/** `input` may be a function; its errors are printed like the command's own. */
export async function call<N extends RouteName>(
	route: N,
	options: Options,
	input: RouteInput<N> | ((cli: CliContext) => RouteInput<N> | Promise<RouteInput<N>>),
	show: (answer: AnswerOf<N>) => string | Promise<string>,
): Promise<void> {
	const [{ act }, { agentNamed, scopeOf }, { routePaths }] = await Promise.all([
		import("./act.ts"),
		import("./directory-project.ts"),
		import("#client/route-paths.ts"),
	]);
	const changes = !routePaths[route].startsWith("GET ");
	await act(
		options,
		async (cli) => {
			const { query: own, params, ...rest } = typeof input === "function" ? await input(cli) : input;
			const { agent }: { agent?: string } = Object(params);
			const { agent: filter }: { agent?: string } = Object(own);
			const scope = agent === undefined ? cli.query : await scopeOf(cli, [agent]);
			const query = Object.assign({ ...scope }, own, filter && { agent: await agentNamed(cli, filter) });
			return await cli.client.ask(route, {
				...rest,
				...(params && { params }),
				...(changes && { key: cli.key }),
				query,
			});
		},
		show,
	);
}
