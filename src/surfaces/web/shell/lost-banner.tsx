import { useSeen } from "../store/hooks.ts";
import type { Connection } from "../store/seen.ts";
import { Age } from "../ui/age.tsx";

/** Says that nothing on the page is current while the daemon does not answer, or not in a way that can be read. */
export function LostBanner() {
	const { connection, isLoaded } = useSeen();
	if (connection.state !== "lost") return null;
	return (
		<div className="banner banner-bad" role="alert">
			{saidOf(connection)} <Age at={new Date(connection.since).toISOString()} />.{" "}
			{isLoaded ? "You see its last known state." : "Nothing has been loaded yet."} <Remedy {...connection} />
		</div>
	);
}

type Lost = Extract<Connection, { state: "lost" }>;

function saidOf({ isUnreadable, refusal }: Lost): string {
	if (refusal !== null) return "The daemon has refused to answer for";
	return isUnreadable ? "The daemon's answers could not be read for" : "The daemon has not answered for";
}

function Remedy({ isUnreadable, refusal }: Lost) {
	if (refusal !== null)
		return (
			<>
				It says: {refusal.message} It is asked again until it answers.
				{refusal.suggestions.map((each) => (
					<code key={each}> {each}</code>
				))}
			</>
		);
	if (isUnreadable)
		return (
			<>
				Load the page again; if that does not help, look into <code>brood logs</code>.
			</>
		);
	return (
		<>
			If it was restarted on another port, run <code>brood ui</code>; otherwise <code>brood up</code>.
		</>
	);
}
