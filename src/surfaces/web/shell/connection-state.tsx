// Whether what is on screen is current. Screens keep their last known state; this says how old it is.
import { useSeen } from "../store/hooks.ts";
import { Age } from "../ui/age.tsx";

export function ConnectionState() {
	const { connection } = useSeen();
	switch (connection.state) {
		case "live":
			return <span className="connection tone-ok">● live</span>;
		case "connecting":
			return <span className="connection tone-off">◌ connecting</span>;
		case "lost":
			return connection.isUnreadable ? (
				<span className="connection tone-bad" role="status">
					✗ unreadable answers
				</span>
			) : (
				<span className="connection tone-bad" role="status">
					✗ {connection.refusal === null ? "no daemon" : "refused"} for{" "}
					<Age at={new Date(connection.since).toISOString()} />
				</span>
			);
		default:
			return <span className="connection tone-bad">✗ refused</span>;
	}
}
