// A page whose code is loaded when it is first opened. Not `lazy` of React: after a page has been shown as loading,
// React waits 300 ms before it shows the next one, however fast that is there.
import { type ComponentType, useEffect, useState } from "react";
import { messageOf } from "#contract/message-of.ts";
import { useSeen } from "../store/hooks.ts";
import { useTries } from "../store/tries.ts";
import { Loading } from "../ui/placeholder.tsx";

export interface PageProps {
	params: Readonly<Record<string, string>>;
}

type Loaded = { page: ComponentType<PageProps> } | { error: unknown };

/** `load` brings its code before it is opened. */
export type LaterPage = ComponentType<PageProps> & { load(): Promise<unknown> };

export function pageLoadedLater(code: () => Promise<ComponentType<PageProps>>): LaterPage {
	let known: Loaded | null = null;
	const load = async (): Promise<Loaded> => (known = { page: await code() });
	function Page({ params }: PageProps) {
		const [loaded, setLoaded] = useState(known);
		const [asked, setAsked] = useState(0);
		const isLive = useSeen().connection.state === "live";
		const isMissing = loaded === null || "error" in loaded;
		const tries = useTries(loaded !== null && isMissing);
		// code that could not be loaded is asked for again until it comes
		// biome-ignore lint/correctness/useExhaustiveDependencies: these begin another try
		useEffect(() => {
			if (!isMissing) return;
			let isCurrent = true;
			const take = (now: Loaded): void => {
				if (isCurrent) setLoaded(now);
			};
			load().then(take, (error: unknown) => take({ error }));
			return () => {
				isCurrent = false;
			};
		}, [isMissing, isLive, tries, asked]);
		if (loaded === null) return <Loading what="the page" />;
		if ("error" in loaded) return <NotLoaded error={loaded.error} isLive={isLive} onTry={() => setAsked(asked + 1)} />;
		return <loaded.page params={params} />;
	}
	return Object.assign(Page, { load });
}

function NotLoaded({ error, isLive, onTry }: { error: unknown; isLive: boolean; onTry(): void }) {
	// the stream stays open for a while without a network
	const isOffline = !navigator.onLine;
	return (
		<div className="notice notice-bad" role="alert">
			<h1 className="notice-title">This page could not be loaded.</h1>
			<p className="notice-text">
				{isOffline
					? "This browser is offline. The page is loaded as soon as it is back."
					: isLive
						? "The daemon did not send its code. After an upgrade of the daemon, load the dashboard again."
						: "The daemon does not answer. The page is loaded as soon as it does."}
			</p>
			<code className="notice-command">{messageOf(error)}</code>
			<p className="bar">
				<button type="button" className="button" onClick={onTry}>
					Try again
				</button>
				{isLive && !isOffline && (
					<button type="button" className="button" onClick={() => location.reload()}>
						Load the dashboard again
					</button>
				)}
			</p>
		</div>
	);
}
