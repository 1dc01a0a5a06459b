// Turns at work, slots of subscriptions in use, and cool-downs.
import { Link } from "wouter";
import type { Subscription } from "#contract/wire.ts";
import { useNow, useSeen } from "../../store/hooks.ts";
import { momentOf } from "../../ui/age.tsx";
import { paths } from "../../ui/paths.ts";

export function Slots() {
	const { subscriptions, places } = useSeen();
	return (
		<section className="panel" aria-labelledby="slots">
			<h2 id="slots" className="panel-title">
				Capacity
			</h2>
			<ul className="rows">
				<li className="row">
					<span className="row-name">all turns</span>
					<Meter {...places} what="turns at work" />
				</li>
				{subscriptions.map((each) => (
					<li key={each.name}>
						<Link href={paths.subscriptions()} className="row row-link">
							<span className="row-name clip">{each.name}</span>
							<Meter used={each.used} max={each.maxConcurrent} />
							<Cooling subscription={each} />
						</Link>
					</li>
				))}
			</ul>
			{subscriptions.length === 0 && (
				<p className="meta panel-note">
					No subscriptions: agents use your own logins. <code>brood subscription add</code> limits how many run at once.
				</p>
			)}
		</section>
	);
}

/** at most so many slots are drawn one by one */
const drawnMax = 16;

export function Meter({ used, max, what = "slots in use" }: { used: number; max: number; what?: string }) {
	return (
		<span className="meter" role="img" aria-label={`${used} of ${max} ${what}`}>
			{max <= drawnMax && (
				<span className="meter-slots" aria-hidden="true">
					{Array.from({ length: max }, (_, at) => (
						// biome-ignore lint/suspicious/noArrayIndexKey: slots have no identity
						<span key={at} className={at < used ? "slot slot-used" : "slot"} />
					))}
				</span>
			)}
			<span aria-hidden="true" className="meta">
				{used}/{max}
			</span>
		</span>
	);
}

function Cooling({ subscription: { coolingUntil, problem } }: { subscription: Subscription }) {
	const now = useNow(1000);
	if (problem !== null) return <span className="tone-bad clip">{problem}</span>;
	if (coolingUntil === null || Date.parse(coolingUntil) <= now) return null;
	const minutes = Math.ceil((Date.parse(coolingUntil) - now) / 60_000);
	return (
		<span className="tone-wait clip">
			cools down until {momentOf(coolingUntil)} ({minutes} min)
		</span>
	);
}
