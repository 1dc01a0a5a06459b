// Subscriptions: slots, cool-downs, and what they are limited to.
import { useState } from "react";
import { counted } from "#contract/counted.ts";
import type { Spent } from "#contract/usage.ts";
import type { Subscription } from "#contract/wire.ts";
import { money } from "#views/usage-lines.ts";
import { useAct, useNow, useRead, useSeen } from "../../store/hooks.ts";
import { useOpenTurns } from "../../store/open-turns.ts";
import { momentOf } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Empty, Loading } from "../../ui/placeholder.tsx";
import { RefusedNote } from "../../ui/refused-note.tsx";
import { Meter } from "../overview/slots.tsx";
import { AddSubscription } from "./add-subscription.tsx";

export function SubscriptionsPage() {
	const { subscriptions, isLoaded } = useSeen();
	const [isAdding, setAdding] = useState(false);
	const usage = useRead("usage", { query: { by: "subscription" } }, useOpenTurns());
	const costs = new Map((usage.data ?? []).map(({ name, spent }) => [name, spent.costs]));
	if (!isLoaded) return <Loading what="the subscriptions" isPage />;
	return (
		<>
			<header className="page-header">
				<h1>Subscriptions</h1>
				<span className="meta">concurrent turns per plan or key</span>
				<span className="spread" />
				<Button kind="primary" onClick={() => setAdding(true)}>
					Add a subscription
				</Button>
			</header>
			<RefusedNote read={usage} what="The costs" />
			{subscriptions.length === 0 ? (
				<Empty title="No subscriptions.">
					Agents use your own logins, with no limit on concurrent turns but that of the machine. Add a subscription to
					limit the turns of a plan or key.
				</Empty>
			) : (
				<div className="page-table">
					<table className="table table-stacked">
						<thead>
							<tr>
								<th scope="col">Name</th>
								<th scope="col">Type</th>
								<th scope="col">Slots</th>
								<th scope="col">State</th>
								<th scope="col">Fallback</th>
								<th scope="col">Quiet hours</th>
								<th scope="col" className="right">
									Cost
								</th>
								<th scope="col">
									<span className="sr-only">Actions</span>
								</th>
							</tr>
						</thead>
						<tbody>
							{subscriptions.map((each) => (
								<Row key={each.name} subscription={each} costs={costs.get(each.name) ?? []} />
							))}
						</tbody>
					</table>
				</div>
			)}
			{isAdding && <AddSubscription onClose={() => setAdding(false)} />}
		</>
	);
}

function Row({ subscription, costs }: { subscription: Subscription; costs: Spent["costs"] }) {
	const act = useAct();
	const [isRemoving, setRemoving] = useState(false);
	const now = useNow(1000);
	const { name, type, used, maxConcurrent, coolingUntil, problem, fallback, quiet } = subscription;
	const isCooling = coolingUntil !== null && Date.parse(coolingUntil) > now;
	const state = problem ?? (isCooling ? `cools down until ${momentOf(coolingUntil)}` : "ready");
	const params = { subscription: name };
	return (
		<tr>
			<th scope="row">{name}</th>
			<td data-label="Type">{type}</td>
			<td data-label="Slots">
				<Meter used={used} max={maxConcurrent} />
			</td>
			<td data-label="State" className={problem !== null ? "tone-bad" : isCooling ? "tone-wait" : "tone-ok"}>
				{state}
			</td>
			<td data-label="Fallback">{fallback ?? "none"}</td>
			<td data-label="Quiet hours">{quiet === null ? "none" : `${quiet.from}–${quiet.to}`}</td>
			<td data-label="Cost" className="right">
				{costs.length === 0 ? "–" : money({ costs })}
			</td>
			<td className="right">
				<span className="row-actions">
					<Button
						about={name}
						why={isCooling ? null : "It does not cool down."}
						onClick={() => act("subscriptionCool", { params, body: { until: null } }, `${name} starts turns again.`)}
					>
						End the cool-down
					</Button>
					<Button
						kind="danger"
						about={name}
						why={used > 0 ? `${counted(used, "open turn")} ${used === 1 ? "uses" : "use"} it.` : null}
						onClick={() => setRemoving(true)}
					>
						Remove
					</Button>
					{isRemoving && <Remove subscription={subscription} onClose={() => setRemoving(false)} />}
				</span>
			</td>
		</tr>
	);
}

function Remove({ subscription: { name, type }, onClose }: { subscription: Subscription; onClose(): void }) {
	const act = useAct();
	const bound = useSeen().agents.filter(({ subscription, life }) => subscription === name && life !== "ended");
	const names = bound.map(({ project, handle }) => (project === null ? handle : `${project}/${handle}`));
	return (
		<Confirm
			title={`Remove ${name}?`}
			verb="Remove"
			run={() => act("subscriptionRemove", { params: { subscription: name } }, `${name} was removed.`)}
			onClose={onClose}
		>
			{names.length === 0
				? "No agent is bound to it."
				: `${counted(names.length, "agent")} ${names.length === 1 ? "is" : "are"} bound to it: ${names.join(", ")}.`}{" "}
			Turns then use any other subscription of type {type} that fits.
		</Confirm>
	);
}
