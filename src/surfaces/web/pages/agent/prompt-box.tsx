// Where a person writes to an agent. A draft is kept per agent until it is sent.
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Agent } from "#contract/wire.ts";
import { whyNot } from "#views/agent-actions.ts";
import { isFree } from "../../shell/keyboard.ts";
import { useAct } from "../../store/hooks.ts";
import { Button } from "../../ui/button.tsx";

export function PromptBox({ agent }: { agent: Agent }) {
	const act = useAct();
	const [text, setText] = useDraft(agent.id);
	const latest = useRef(text);
	latest.current = text;
	const why = whyNot(agent, "prompt");
	const isEmpty = text.trim() === "";
	const send = async (more: { front?: boolean; now?: boolean } = {}): Promise<void> => {
		if (isEmpty || why !== null) return;
		// at once: a second Enter sends nothing, and what is typed meanwhile stays
		setText("");
		const sent = await act("prompt", { params: { agent: agent.id }, body: { text, ...more } });
		if (sent === null) setText([text, latest.current].filter(Boolean).join("\n"));
	};
	const press = (event: KeyboardEvent): void => {
		// on a touch screen Enter is the only way to begin a line
		const isTouch = matchMedia("(pointer: coarse)").matches;
		if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing || (isTouch && !event.ctrlKey)) return;
		event.preventDefault();
		void send();
	};
	const box = useRef<HTMLTextAreaElement>(null);
	useEffect(() => {
		const write = (event: globalThis.KeyboardEvent): void => {
			if (event.key !== "p" || !isFree(event)) return;
			event.preventDefault();
			box.current?.focus();
		};
		addEventListener("keydown", write);
		return () => removeEventListener("keydown", write);
	}, []);
	const needed = why ?? (isEmpty ? "Enter a prompt first." : null);
	return (
		<form className="prompt-box" onSubmit={(event) => event.preventDefault()}>
			<textarea
				ref={box}
				className="textarea prompt-text"
				aria-label={`Prompt for ${agent.handle}`}
				placeholder={why ?? `Prompt ${agent.handle}`}
				readOnly={why !== null}
				rows={1}
				value={text}
				onChange={(event) => setText(event.target.value)}
				onKeyDown={press}
			/>
			<div className="bar prompt-actions">
				<span className="meta prompt-hint">Enter sends, Shift+Enter starts a new line</span>
				<span className="spread" />
				<Button kind="quiet" why={needed} onClick={() => send({ front: true })} title="Ahead of all queued prompts">
					To the front
				</Button>
				<Button kind="primary" why={needed} onClick={() => send()}>
					{agent.turn === null && agent.holds.length === 0 ? "Send" : "Queue"}
				</Button>
			</div>
		</form>
	);
}

function useDraft(agent: string): [string, (text: string) => void] {
	const key = `brood.draft.${agent}`;
	const [text, setText] = useState(() => sessionStorage.getItem(key) ?? "");
	return [
		text,
		(next) => {
			setText(next);
			if (next === "") sessionStorage.removeItem(key);
			else sessionStorage.setItem(key, next);
		},
	];
}
