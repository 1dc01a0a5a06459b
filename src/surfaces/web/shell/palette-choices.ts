// What the palette offers: pages, forms, what can be done with the agent on the screen, agents, issues, themes.
import { useMemo } from "react";
import { useLocation } from "wouter";
import type { Agent } from "#contract/wire.ts";
import { whyNot } from "#views/agent-actions.ts";
import { styleOf } from "#views/state-style.ts";
import { useAct, useSeen } from "../store/hooks.ts";
import { paths } from "../ui/paths.ts";
import { stateText } from "../ui/state.tsx";
import { navEntries } from "./nav-entries.ts";
import { setTheme, theme, themes } from "./theme.ts";

export interface Choice {
	id: string;
	name: string;
	what: string;
	glyph: string;
	tone: string;
	run(): unknown;
}

const additions = [
	["Add an agent", paths.agentAdd()],
	["Add a project", paths.projectAdd()],
] as const;

export function useChoices(): Choice[] {
	const seen = useSeen();
	const [, go] = useLocation();
	const actions = useAgentActions();
	return useMemo(
		() => [
			...navEntries.map(({ name, href }) => ({
				...{ id: href, name, what: "page", glyph: "→", tone: "off" },
				run: () => go(href),
			})),
			...additions.map(([name, href]) => ({
				...{ id: href, name, what: "action", glyph: "+", tone: "off" },
				run: () => go(href),
			})),
			...actions,
			...seen.agents.map((agent) => ({
				...{ id: agent.id, name: agent.project === null ? agent.handle : `${agent.project}/${agent.handle}` },
				...{ what: stateText(agent), ...styleOf(agent) },
				run: () => go(paths.agentBox(agent.id)),
			})),
			...seen.projects
				.flatMap(({ slug }) => seen.issues(slug))
				.map(({ project, number, title, stage }) => ({
					...{
						id: `${project}#${number}`,
						name: `${project}#${number} ${title}`,
						what: stage,
						glyph: "▤",
						tone: "off",
					},
					run: () => go(paths.issue(project, number)),
				})),
			...themes.map((each) => ({
				...{ id: `theme ${each}`, name: `Theme: ${each}`, what: each === theme() ? "now" : "action" },
				...{ glyph: "◐", tone: "off", run: () => setTheme(each) },
			})),
		],
		[seen, go, actions],
	);
}

const verbs = { pause: "Pause", resume: "Resume", recover: "Recover", interrupt: "Interrupt" } as const;

/** Of the agent whose page is open: what is possible now. */
function useAgentActions(): readonly Choice[] {
	const seen = useSeen();
	const act = useAct();
	const [location, go] = useLocation();
	const agent = seen.agents.find(({ id }) => isPageOf(location, id));
	return useMemo(() => {
		if (agent === undefined) return [];
		const { id, handle } = agent;
		const about = { what: "action", glyph: "⚡", tone: "off" };
		const possible = Object.entries(verbs).flatMap(([verb, name]) =>
			isVerb(verb) && whyNot(agent, verb) === null
				? [
						{
							...{ id: `${verb} ${id}`, name: `${name} ${handle}`, ...about },
							run: () => act(verb, { params: { agent: id }, body: {} }),
						},
					]
				: [],
		);
		const review = { id: `review ${id}`, name: `Review ${handle}`, ...about, run: () => go(paths.review(id)) };
		return agent.workspace === null ? possible : [...possible, review];
	}, [agent, act, go]);
}

const isVerb = (verb: string): verb is keyof typeof verbs => verb in verbs;

const isPageOf = (location: string, id: Agent["id"]): boolean =>
	location === paths.agent(id) || location === paths.review(id);
