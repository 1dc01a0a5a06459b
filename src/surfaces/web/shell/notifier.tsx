// The title of the tab, and notifications in the browser, for questions, errors and turns of human agents that come
// while the page is not looked at. Only one tab shows each: the browser replaces notifications with the same tag.
import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { inline } from "#contract/visible.ts";
import { finishHint } from "#views/agent-text.ts";
import { useSeen } from "../store/hooks.ts";
import { paths } from "../ui/paths.ts";
import { isNotifying } from "./notifications.ts";
import { pageTitle } from "./page-title.ts";

export function Notifier() {
	const seen = useSeen();
	const { inbox, isLoaded } = seen;
	const [location, go] = useLocation();
	const title = [pageTitle(location, (id) => seen.agent(id)), "Brood"].filter(Boolean).join(" · ");
	const known = useRef<Set<string> | null>(null);
	useEffect(() => {
		if (!isLoaded) return;
		const calls = [
			...inbox.approvals.map(({ id, path, title }) => ({
				tag: `approval ${id}`,
				title: `${path.at(-1)} asks`,
				body: title,
			})),
			...inbox.errors.map(({ id, handle, holds }) => ({
				tag: `error ${id} ${holds[0]?.at ?? ""}`,
				title: `${handle} has a problem`,
				body: holds[0]?.reason ?? "",
			})),
			...inbox.humanAgents.map(({ id, handle, turn }) => ({
				tag: `turn ${id} ${turn?.id ?? ""}`,
				title: `${handle} waits for you`,
				body: finishHint(handle),
			})),
		];
		const before = known.current;
		known.current = new Set(calls.map(({ tag }) => tag));
		// what waited before the page was opened is not new
		if (before === null || !document.hidden || !isNotifying()) return;
		for (const { tag, title, body } of calls.filter((call) => !before.has(call.tag))) {
			const shown = new Notification(inline(title), { tag, body: inline(body).slice(0, 300) });
			shown.addEventListener("click", () => {
				focus();
				go(paths.inbox());
			});
		}
	}, [inbox, isLoaded, go]);
	const waiting = inbox.approvals.length + inbox.errors.length + inbox.humanAgents.length;
	useEffect(() => {
		document.title = waiting === 0 ? title : `(${waiting}) ${title}`;
	}, [title, waiting]);
	return null;
}
