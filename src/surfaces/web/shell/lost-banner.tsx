import { useSeen } from "../store/hooks.ts";
import { Age } from "../ui/age.tsx";

/** Says that nothing on the page is current while the daemon does not answer. */
export function LostBanner() {
	const { connection, isLoaded } = useSeen();
	if (connection.state !== "lost") return null;
	return (
		<div className="banner banner-bad" role="alert">
			The daemon has not answered for <Age at={new Date(connection.since).toISOString()} />.{" "}
			{isLoaded ? "You see its last known state." : "Nothing has been loaded yet."} If it was restarted on another port,
			run <code>brood ui</code>; otherwise <code>brood up</code>.
		</div>
	);
}
