// Go anywhere and do something by typing.
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { type Choice, useChoices } from "./palette-choices.ts";
import { ranked } from "./ranked.ts";

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
		void choice.run();
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
				aria-label="Agent, issue, page or action"
				placeholder="Agent, issue, page or action"
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
