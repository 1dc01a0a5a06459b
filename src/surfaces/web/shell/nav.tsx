import { Link, useLocation } from "wouter";
import { inboxCount } from "#views/overviews.ts";
import icon from "../icon.svg";
import { useNeeds, useSeen } from "../store/hooks.ts";
import { Icon } from "../ui/icon.tsx";
import { paths } from "../ui/paths.ts";
import { ConnectionState } from "./connection-state.tsx";
import { navEntries } from "./nav-entries.ts";

export function Nav({ onPalette }: { onPalette(): void }) {
	const [location] = useLocation();
	const { inbox, agents, projects } = useSeen();
	// issues that wait for a review count on every page
	useNeeds({ boards: projects.map(({ slug }) => slug) });
	const waiting = inboxCount(inbox);
	const running = agents.filter(({ turn }) => turn !== null).length;
	const counts: Readonly<Record<string, number>> = { [paths.inbox()]: waiting, [paths.tree()]: running };
	return (
		<nav className="nav" aria-label="Pages">
			<Link href={paths.overview()} className="brand">
				<img src={icon} alt="" width="20" height="20" /> Brood
			</Link>
			<button type="button" className="nav-search" onClick={onPalette}>
				<span>Go to …</span> <kbd>⌘K</kbd>
			</button>
			<ul className="nav-list">
				{navEntries.map(({ name, href, icon: entry, phone }) => (
					<li key={href} className={phone === undefined ? "nav-wide" : undefined}>
						<Link href={href} className="nav-link" aria-current={currentOf(location, href)}>
							<Icon name={entry} />
							<span>{name}</span>
							{(counts[href] ?? 0) > 0 && (
								<span className={href === paths.inbox() ? "badge badge-wait" : "badge"}>{counts[href]}</span>
							)}
						</Link>
					</li>
				))}
			</ul>
			<div className="nav-foot">
				<ConnectionState />
			</div>
		</nav>
	);
}

/** A page below an entry, such as an agent's, marks that entry too. */
function currentOf(location: string, href: string): "page" | "true" | undefined {
	if (location === href) return "page";
	return href === sectionOf(location) ? "true" : undefined;
}

function sectionOf(location: string): string | null {
	const [, first, , third] = location.split("/");
	if (first === "agents") return paths.tree();
	if (first === "projects") return third === "issues" ? paths.issues() : paths.settings();
	return null;
}
