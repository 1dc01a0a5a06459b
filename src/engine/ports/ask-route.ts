// Asks another node for a route of the contract, on behalf of somebody. The server does it: it knows what requests look
// like.
import type { ErrandRequest } from "#contract/errand.ts";
import type { NodeState } from "#contract/node.ts";
import type { Refusal } from "#contract/refusal.ts";

export interface RouteErrand extends Pick<ErrandRequest, "route" | "params" | "actor" | "role"> {
	query?: Readonly<Record<string, string>>;
	body?: object;
}

export type AskRoute = (node: NodeState, errand: RouteErrand) => Promise<{ data: unknown } | Refusal>;
