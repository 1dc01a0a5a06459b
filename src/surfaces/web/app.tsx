// The frame around every page.
import { useState } from "react";
import { Route, Switch, useLocation } from "wouter";
import { agentsThatNeedYou } from "#views/overviews.ts";
import { pages } from "./pages.ts";
import { Broken } from "./shell/broken.tsx";
import { useGlobalKeys } from "./shell/keyboard.ts";
import { LostBanner } from "./shell/lost-banner.tsx";
import { Nav } from "./shell/nav.tsx";
import { Notifier } from "./shell/notifier.tsx";
import { Palette } from "./shell/palette.tsx";
import { Shortcuts } from "./shell/shortcuts.tsx";
import { SignedOut } from "./shell/signed-out.tsx";
import { useSeen } from "./store/hooks.ts";
import { paths } from "./ui/paths.ts";
import { Empty } from "./ui/placeholder.tsx";
import { Toasts } from "./ui/toasts.tsx";

export function App() {
	const { connection } = useSeen();
	const [location] = useLocation();
	const [isOpen, setOpen] = useState<"palette" | "shortcuts" | null>(null);
	useGlobalKeys({
		palette: () => setOpen("palette"),
		shortcuts: () => setOpen("shortcuts"),
		next: useNextThatNeedsYou(),
	});
	if (connection.state === "refused") return <SignedOut refusal={connection.refusal} />;
	return (
		<div className="app">
			<a className="skip" href="#main">
				Skip to content
			</a>
			<Nav onPalette={() => setOpen("palette")} />
			<main id="main" className="main" tabIndex={-1}>
				<LostBanner />
				<Broken location={location}>
					<Switch>
						{pages.map(({ pattern, page: Page }) => (
							<Route key={pattern} path={pattern}>
								{(params) => <Page params={textsOf(params)} />}
							</Route>
						))}
						<Route>
							<Empty title="There is no such page." isPage>
								Use “Go to …” to search for an agent or a page.
							</Empty>
						</Route>
					</Switch>
				</Broken>
			</main>
			{isOpen === "shortcuts" && <Shortcuts onClose={() => setOpen(null)} />}
			{isOpen === "palette" && <Palette onClose={() => setOpen(null)} />}
			<Notifier />
			<Toasts />
		</div>
	);
}

const textsOf = (params: Readonly<Record<string | number, string | undefined>>): Record<string, string> =>
	Object.fromEntries(Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/** Goes round through the agents that ask, have failed or are yours to finish. */
function useNextThatNeedsYou(): () => void {
	const [location, go] = useLocation();
	const { inbox } = useSeen();
	const waiting = [...agentsThatNeedYou(inbox)];
	return () => {
		const at = waiting.findIndex((agent) => location === paths.agent(agent));
		const next = waiting[(at + 1) % waiting.length];
		if (next !== undefined) go(paths.agent(next));
	};
}
