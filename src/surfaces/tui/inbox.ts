// Everything that needs a person, as rows.

import type { AgentId } from "#contract/ids.ts";
import { ageOf } from "#views/age.ts";
import { withLocalTimes } from "#views/local-times.ts";
import { fallenNodeHint } from "#views/overviews.ts";
import type { Style } from "#views/paint.ts";
import { stateText } from "./agent-text.ts";
import type { Seen } from "./model.ts";

export interface InboxRow {
	style: Style;
	glyph: string;
	text: string;
	agent: AgentId | null;
	/** what to do, where it is not an agent */
	hint: string;
}

export function inboxRows(seen: Seen): InboxRow[] {
	const { approvals, errors, humanAgents, reviews, limits, nodes } = seen.inbox;
	return [
		...approvals.map(
			({ agent, title, handles, askedAt }): InboxRow => ({
				...{ style: "wait", glyph: "◆", agent, hint: "" },
				text: `${handles.join("/")}  ${title}  ${ageOf(askedAt, seen.now)}`,
			}),
		),
		...errors.map(
			(agent): InboxRow => ({
				...{ style: "bad", glyph: "✗", agent: agent.id, hint: "" },
				text: `${agent.handle}  ${stateText(agent, seen.now)}`,
			}),
		),
		...humanAgents.map(
			({ id, handle, turn }): InboxRow => ({
				...{ style: "wait", glyph: "◆", agent: id, hint: "" },
				text: `${handle}  waits for you: /finish there ends its turn  ${turn === null ? "" : ageOf(turn.startedAt, seen.now)}`,
			}),
		),
		...reviews.map(
			({ project, number, title, stage, attention }): InboxRow => ({
				...{ style: "wait", glyph: "▤", agent: null },
				text: `${project}#${number}  ${title}  ${attention?.reason ?? stage}`,
				hint: `brood issue show ${project}#${number}`,
			}),
		),
		...limits.map(
			({ name, coolingUntil }): InboxRow => ({
				...{ style: "wait", glyph: "⧗", agent: null },
				text: `${name}  cools down until ${withLocalTimes(coolingUntil ?? "", seen.now)}`,
				hint: `brood subscription show ${name}`,
			}),
		),
		...nodes.map(
			(node): InboxRow => ({
				...{ style: "bad", glyph: "✗", agent: null },
				text: `node ${node.name}  stopped answering${node.agents.length === 0 ? "" : `; its agents: ${node.agents.map(({ handle }) => handle).join(", ")}`}`,
				hint: fallenNodeHint(node),
			}),
		),
	];
}
