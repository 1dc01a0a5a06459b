// Asks another node for a route, on behalf of somebody, and reads its answer.
import { ErrandAnswer, type ErrandRequest, ErrandResult } from "#contract/errand.ts";
import type { NodeState } from "#contract/node.ts";
import { isRefusal, type Refusal, refuse } from "#contract/refusal.ts";
import type { Errands } from "#engine/errands.ts";
import type { RouteErrand } from "#engine/ports/ask-route.ts";

export async function askRoute(
	errands: Pick<Errands, "ask">,
	node: NodeState,
	{ query = {}, body = {}, ...request }: RouteErrand,
	gone?: AbortSignal,
): Promise<{ data: unknown } | Refusal> {
	const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
	const as = { query: pairs.join("&"), body: JSON.stringify(body), key: null };
	const answered = await errands.ask(node, JSON.stringify({ ...request, ...as } satisfies ErrandRequest), gone);
	if (isRefusal(answered)) return answered;
	const { error, data } = ErrandResult.parse(JSON.parse(ErrandAnswer.parse(JSON.parse(answered.answer)).body));
	return error === undefined ? { data } : atNode(error, node);
}

/** A refusal of another node that names a path of its machine says which machine that is. */
export function atNode({ code, message, details, suggestions }: Refusal, { name }: Pick<NodeState, "name">): Refusal {
	const hasPath = (text: string): boolean => /(^|[\s'"(])\/[^\s/]/.test(text);
	// the node that was asked may have asked a third one
	if ("nodeName" in details || ![message, ...suggestions].some(hasPath)) return { code, message, details, suggestions };
	return refuse(code, `At node ${name}: ${message}`, {
		details: { ...details, nodeName: name },
		suggestions: suggestions.map((each) => (hasPath(each) ? `at node ${name}: ${each}` : each)),
	});
}
