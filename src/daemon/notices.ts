// Notifies the person of events in the journal, as `notify:` in the home's config.yaml says. A notice may be lost
// with the daemon; the inbox lists everything that still needs a person.
import { Notifier } from "#adapters/system/notifier.ts";
import type { Event } from "#contract/event.ts";
import type { AgentId } from "#contract/ids.ts";
import { type NotifyConfig, noticeKinds } from "#contract/notice.ts";
import type { Engine } from "#engine/engine.ts";
import { eventsWhere } from "#engine/loop/event-pages.ts";
import { caught } from "#engine/ports/log.ts";
import { type NoticeTrigger, noticeOf, noticeTriggerOf } from "#views/notices.ts";

export function startNotices(
	engine: Engine,
	config: NotifyConfig | undefined,
	environment: NodeJS.ProcessEnv,
): Disposable {
	const stack = new DisposableStack();
	if (config?.desktop !== true && config?.command === undefined) return stack;
	const notifier = stack.use(new Notifier({ config, environment, log: engine.log }));
	const wanted = config.on ?? noticeKinds;
	let isOver = false;
	const follow = () => engine.publisher.follow({ items: () => false });
	let reader = follow();
	stack.defer(() => {
		isOver = true;
		reader[Symbol.dispose]();
	});
	const tellOf = async (events: readonly Event[]): Promise<void> => {
		const triggers = events.flatMap((event) => noticeTriggerOf(event) ?? []);
		for (const trigger of once(triggers.filter(({ kind }) => wanted.includes(kind))))
			await tell(engine, notifier, trigger).catch(caught(engine.log, "notify", "A notice could not be sent"));
	};
	const watch = async (): Promise<void> => {
		// recovery was before anybody could follow
		const early = await eventsWhere(
			engine.reads,
			{ after: engine.recoveredAfter },
			(event) => noticeTriggerOf(event) !== null,
		).catch((error: unknown): Event[] => {
			engine.log.warn("notify", "The notices of the start could not be read", {}, error);
			return [];
		});
		const told = new Set(early.map(({ id }) => id));
		await tellOf(early);
		while (!isOver) {
			const events = await reader.next();
			// cut off from the events: the inbox lists what was missed
			if (events === null && !isOver) reader = follow();
			await tellOf((events ?? []).filter(({ id }) => !told.has(id)));
		}
	};
	void watch().catch(caught(engine.log, "notify", "Notices have stopped"));
	return stack;
}

/** One error notice per agent: a failed turn often sets a hold as well. */
const once = (triggers: readonly NoticeTrigger[]): readonly NoticeTrigger[] => [
	...new Map(
		triggers.map(
			(trigger) => [trigger.kind === "error" ? `${trigger.event.agent}` : trigger.event.id, trigger] as const,
		),
	).values(),
];

async function tell({ reads }: Engine, notifier: Notifier, trigger: NoticeTrigger): Promise<void> {
	const id: AgentId | null = trigger.event.agent;
	const [agent = null, issue = null] = [
		id === null ? null : await reads.agent(id),
		trigger.issue === null ? null : await reads.issue(trigger.issue),
	];
	// no notice for a turn on an issue, which ends in a review, or while more prompts are queued
	const isPart = trigger.kind === "done" && id !== null && (agent?.issue != null || (await hasMore(reads, id)));
	if (!isPart) notifier.notify(noticeOf(trigger, { agent, issue }));
}

const hasMore = async (reads: Engine["reads"], agent: AgentId): Promise<boolean> =>
	(await reads.queueEnds(agent)).length > 0;
