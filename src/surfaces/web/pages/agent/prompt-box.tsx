// Where a person writes to an agent. A draft is kept per agent until it is sent.
import { type KeyboardEvent, useEffect, useRef } from "react";
import type { Agent } from "#contract/wire.ts";
import { whyNot } from "#views/agent-actions.ts";
import { isHumanAgentsTurn } from "#views/state-style.ts";
import { isFree, isSendKey } from "../../shell/keyboard.ts";
import { useDraft } from "../../store/drafts.ts";
import { useAct, useTicks } from "../../store/hooks.ts";
import { onItsWay, usePendingPrompts } from "../../store/pending-prompts.ts";
import { Button } from "../../ui/button.tsx";

export function PromptBox({ agent }: { agent: Agent }) {
	const act = useAct();
	const [text, setText] = useDraft(agent.id);
	const pending = usePendingPrompts(agent.id);
	const why = whyNot(agent, "prompt");
	const isEmpty = text.trim() === "";
	const send = async (more: { front?: boolean; now?: boolean } = {}): Promise<void> => {
		if (isEmpty || why !== null) return;
		// at once: a second Enter sends nothing, and what is typed meanwhile stays
		setText("");
		await onItsWay(agent.id, text, act("prompt", { params: { agent: agent.id }, body: { text, ...more } }));
	};
	// the text is the answer of whoever the agent stands for
	const isAnswer = isHumanAgentsTurn(agent);
	const finish = async (failed: boolean): Promise<void> => {
		if (isEmpty) return;
		const body = { message: text.trim(), failed };
		if ((await act("turnFinish", { params: { agent: agent.id }, body })) !== null) setText("");
	};
	const press = (event: KeyboardEvent): void => {
		if (!isSendKey(event)) return;
		event.preventDefault();
		void (isAnswer ? finish(false) : send());
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
	useEffect(() => {
		if (location.hash === "#box") box.current?.focus();
	}, []);
	const needed = why ?? (isEmpty ? "Enter a prompt first." : null);
	return (
		<form className="prompt-box" onSubmit={(event) => event.preventDefault()}>
			{pending.map((each) => (
				<Sending key={each.id} text={each.text} />
			))}
			<textarea
				ref={box}
				className="textarea prompt-text"
				aria-label={`Prompt for ${agent.handle}`}
				placeholder={why ?? `${isAnswer ? "Answer for" : "Prompt"} ${agent.handle}`}
				readOnly={why !== null}
				rows={1}
				value={text}
				onChange={(event) => setText(event.target.value)}
				onKeyDown={press}
			/>
			<div className="bar prompt-actions">
				<span className="meta prompt-hint">
					Enter {isAnswer ? "finishes the turn" : "sends"}, Shift+Enter starts a new line
				</span>
				<span className="spread" />
				{isAnswer && <Finish why={isEmpty ? "Enter the answer first." : null} onFinish={finish} />}
				<Button kind="quiet" why={needed} onClick={() => send({ front: true })} title="Before the rest of the queue">
					To the front
				</Button>
				<Button kind={isAnswer ? "quiet" : "primary"} why={needed} onClick={() => send()}>
					{agent.turn === null && agent.holds.length === 0 ? "Send" : "Queue"}
				</Button>
			</div>
		</form>
	);
}

/** mostly it is there before anybody could read it */
const unseenMs = 300;

function Sending({ text }: { text: string }) {
	const isShown = useTicks(unseenMs) > 0;
	return (
		<p className="prompt-sending meta" role="status">
			{isShown && (
				<>
					<span className="tone-wait">sending…</span> {text}
				</>
			)}
		</p>
	);
}

function Finish({ why, onFinish }: { why: string | null; onFinish(failed: boolean): Promise<void> }) {
	return (
		<>
			<Button kind="primary" why={why} onClick={() => onFinish(false)} title="The text is the answer to the prompt">
				Finish the turn
			</Button>
			<Button kind="quiet" why={why} onClick={() => onFinish(true)} title="The text says why it was not done">
				Fail it
			</Button>
		</>
	);
}
