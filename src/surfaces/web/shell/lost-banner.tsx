import { useSeen } from "../store/hooks.ts";
import { Age } from "../ui/age.tsx";

/** Says that nothing on the page is current while the daemon does not answer, or not in a way that can be read. */
export function LostBanner() {
	const { connection, isLoaded } = useSeen();
	if (connection.state !== "lost") return null;
	const age = <Age at={new Date(connection.since).toISOString()} />;
	return (
		<div className="banner banner-bad" role="alert">
			{connection.isUnreadable ? "The daemon's answers could not be read for" : "The daemon has not answered for"} {age}
			. {isLoaded ? "You see its last known state." : "Nothing has been loaded yet."}{" "}
			{connection.isUnreadable ? (
				<>
					Load the page again; if that does not help, look into <code>brood logs</code>.
				</>
			) : (
				<>
					If it was restarted on another port, run <code>brood ui</code>; otherwise <code>brood up</code>.
				</>
			)}
		</div>
	);
}
