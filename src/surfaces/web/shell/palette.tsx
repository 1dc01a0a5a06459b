// Go anywhere by typing: to pages, agents and forms; and the themes.
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { styleOf } from "#views/state-style.ts";
import { useSeen } from "../store/hooks.ts";
import { Dialog } from "../ui/dialog.tsx";
import { paths } from "../ui/paths.ts";
import { stateText } from "../ui/state.tsx";
import { navEntries } from "./nav-entries.ts";
import { ranked } from "./ranked.ts";
import { setTheme, theme, themes } from "./theme.ts";

interface Choice {
	id: string;
	name: string;
	what: string;
	glyph: string;
	tone: string;
	run(): void;
}

const shownMax = 50;

export function Palette({ onClose }: { onClose(): void }) {
	const choices = useChoices();
	const [text, setText] = useState("");
	const [at, setAt] = useState(0);
	const found = useMemo(() => ranked(choices, text, ({ name }) => name).slice(0, shownMax), [choices, text]);
	const list = useId();
	const current = Math.min(at, found.length - 1);
	const choose = (choice: Choice | undefined): void => {
		if (choice === undefined) return;
		onClose();
		choice.run();
	};
	const press = (event: KeyboardEvent): void => {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0;
		if (step !== 0) setAt((current + step + found.length) % Math.max(1, found.length));
		else if (event.key === "Enter") choose(found[current]);
		else return;
		event.preventDefault();
	};
	return (
		<Dialog title="Go to" onClose={onClose} isAtTop>
			<input
				className="input palette-input"
				role="combobox"
				aria-expanded="true"
				aria-controls={list}
				aria-activedescendant={found[current] === undefined ? undefined : `${list}-${current}`}
				aria-label="Agent, page or action"
				placeholder="Agent, page or action"
				autoFocus
				value={text}
				onChange={(event) => {
					setText(event.target.value);
					setAt(0);
				}}
				onKeyDown={press}
			/>
			<div id={list} className="palette-list" role="listbox" aria-label="Found">
				{found.map((choice, index) => (
					<div
						key={choice.id}
						id={`${list}-${index}`}
						role="option"
						className="palette-choice"
						aria-selected={index === current}
						onClick={() => choose(choice)}
					>
						<span className={`glyph tone-${choice.tone}`} aria-hidden="true">
							{choice.glyph}
						</span>
						<span className="clip">{choice.name}</span>
						<span className="meta clip">{choice.what}</span>
					</div>
				))}
			</div>
			{found.length === 0 && <p className="meta">Nothing matches “{text}”.</p>}
		</Dialog>
	);
}

const additions = [
	["Add an agent", paths.agentAdd()],
	["Add a project", paths.projectAdd()],
] as const;

function useChoices(): Choice[] {
	const { agents } = useSeen();
	const [, go] = useLocation();
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
			...agents.map((agent) => ({
				...{ id: agent.id, name: agent.project === null ? agent.handle : `${agent.project}/${agent.handle}` },
				...{ what: stateText(agent), ...styleOf(agent) },
				run: () => go(paths.agent(agent.id)),
			})),
			...themes.map((each) => ({
				...{ id: `theme ${each}`, name: `Theme: ${each}`, what: each === theme() ? "now" : "action" },
				...{ glyph: "◐", tone: "off", run: () => setTheme(each) },
			})),
		],
		[agents, go],
	);
}
