// The title of the tab, and notifications in the browser, for questions, errors and turns of human agents that come
// while the page is not looked at. Only one tab shows each: the browser replaces notifications with the same tag.
import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import type { AgentId, EventId } from "#contract/ids.ts";
import { inline } from "#contract/visible.ts";
import { useSeen, useStore } from "../store/hooks.ts";
import { lineOf } from "../store/last-line.ts";
import type { Store } from "../store/store.ts";
import { paths } from "../ui/paths.ts";
import { isLookedAt } from "./looked-at.ts";
import { isNotifying } from "./notifications.ts";
import { pageTitle } from "./page-title.ts";

export function Notifier() {
	const store = useStore();
	const seen = useSeen();
	const { inbox, isLoaded } = seen;
	const [location, go] = useLocation();
	const title = [pageTitle(location, (id) => seen.agent(id)), "Brood"].filter(Boolean).join(" · ");
	const known = useRef<Set<string> | null>(null);
	useEffect(() => {
		if (!isLoaded) return;
		const calls: Call[] = [
			...inbox.approvals.map(({ id, handles, title }) => ({
				tag: `approval ${id}`,
				title: `${handles.at(-1)} asks`,
				body: title,
			})),
			...inbox.errors.map(({ id, handle, holds }) => ({
				tag: `error ${id} ${holds[0]?.at ?? ""}`,
				title: `${handle} has an error`,
				body: holds[0]?.reason ?? "",
			})),
			...inbox.humanAgents.map(({ id, handle, turn }) => ({
				tag: `turn ${id} ${turn?.id ?? ""}`,
				title: `${handle} waits for you`,
				body: () => (turn === null ? "" : promptOf(store, id, turn.id)),
			})),
		];
		const before = known.current;
		known.current = new Set(calls.map(({ tag }) => tag));
		// what waited before the page was opened is not new
		if (before === null || !document.hidden || !isNotifying()) return;
		const fresh = calls.filter((call) => !before.has(call.tag));
		const show = (): void => {
			focus();
			go(paths.inbox());
		};
		if (fresh.length > 0) void notify(fresh, show);
	}, [store, inbox, isLoaded, go]);
	const waiting = inbox.approvals.length + inbox.errors.length + inbox.humanAgents.length;
	useEffect(() => {
		document.title = waiting === 0 ? title : `(${waiting}) ${title}`;
	}, [title, waiting]);
	return null;
}

interface Call {
	tag: string;
	title: string;
	/** or what reads it */
	body: string | (() => Promise<string> | string);
}

async function notify(calls: readonly Call[], show: () => void): Promise<void> {
	if (await isLookedAt()) return;
	for (const { tag, title, body } of calls) {
		const text = inline(typeof body === "string" ? body : await body()).slice(0, 300);
		new Notification(inline(title), { tag, body: text.toWellFormed() }).addEventListener("click", show);
	}
}

/** a prompt is looked for this often: it is handed over a moment after its turn began */
const triesMax = 5;

/** What is asked in a turn, as the inbox says it; empty if that cannot be read. */
async function promptOf({ client, subscribe }: Store, agent: AgentId, turn: EventId): Promise<string> {
	for (let tries = 0; tries < triesMax; tries++) {
		const { promise: changed, resolve } = Promise.withResolvers<void>();
		const stop = subscribe(resolve);
		try {
			const { items } = await client.call("turn", { params: { agent, turn: String(turn) } });
			const prompt = items.find(({ kind }) => kind === "user");
			if (prompt !== undefined) return lineOf("user", prompt.text) ?? "";
			await changed;
		} catch {
			// that the agent waits is said all the same
			return "";
		} finally {
			stop();
		}
	}
	return "";
}
