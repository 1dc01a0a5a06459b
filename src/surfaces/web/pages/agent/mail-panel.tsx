import { useState } from "react";
import type { Agent } from "#contract/wire.ts";
import { whyNot } from "#views/agent-actions.ts";
import { useDraft } from "../../store/drafts.ts";
import { useAct, useSeen } from "../../store/hooks.ts";
import { ActorName } from "../../ui/actor-name.tsx";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/placeholder.tsx";

export function MailPanel({ agent }: { agent: Agent }) {
	const mails = useSeen().mail(agent.id).toReversed();
	return (
		<>
			<SendMail agent={agent} />
			{mails.length === 0 && <Empty title="No mail." />}
			<ul className="rows">
				{mails.map(({ id, from, body, state, urgent, sentAt }) => (
					<li key={id} className="mail">
						<p className="meta">
							<ActorName actor={from} /> · {state}
							{urgent && " · urgent"} · <Age at={sentAt} suffix=" ago" />
						</p>
						<p className="mail-body">{body}</p>
					</li>
				))}
			</ul>
		</>
	);
}

function SendMail({ agent }: { agent: Agent }) {
	const act = useAct();
	const [body, setBody] = useDraft(`mail ${agent.id}`);
	const [urgent, setUrgent] = useState(false);
	const send = async (): Promise<void> => {
		const sent = await act("send", { params: { agent: agent.id }, body: { body, urgent } }, "Mail sent");
		if (sent !== null) setBody("");
	};
	const why = whyNot(agent, "prompt") ?? (body.trim() === "" ? "Write the mail first." : null);
	return (
		<div className="side-form">
			<textarea
				className="textarea"
				rows={2}
				aria-label={`Mail to ${agent.handle}`}
				placeholder={`Mail to ${agent.handle}`}
				value={body}
				onChange={(event) => setBody(event.target.value)}
			/>
			<div className="bar">
				<label className="check">
					<input type="checkbox" checked={urgent} onChange={(event) => setUrgent(event.target.checked)} /> urgent: stops
					the turn as soon as no tool call is open
				</label>
				<span className="spread" />
				<Button why={why} onClick={send}>
					Send mail
				</Button>
			</div>
		</div>
	);
}
