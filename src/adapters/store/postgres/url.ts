// Which addresses of a database are accepted. Over a network, whoever answers has to prove that it is the database:
// all nodes trust what it says.
import { userInfo } from "node:os";

const socketOrLoopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/;

/**
 * The address with everything that `pg` would take from the environment or from a default and that matters here: the
 * host, the user, and `sslmode=verify-full` where that is needed; or what is wrong with it, without any of its secrets.
 */
export function databaseAddress(
	text: string,
	environment: NodeJS.ProcessEnv = {},
): { url: string } | { problem: string } {
	const parsed = URL.canParse(text) ? new URL(text) : null;
	if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol))
		return { problem: "it has to be a URL that begins with postgres://" };
	const { searchParams } = parsed;
	// of several, `pg` takes the last
	const last = (name: string): string | null => searchParams.getAll(name).at(-1) ?? null;
	const named = last("host") || decodeURIComponent(parsed.hostname);
	const host = named || environment["PGHOST"] || "localhost";
	const mode = last("sslmode");
	const user = last("user") || parsed.username || environment["PGUSER"] || environment["USER"];
	if (named === "" && host !== "localhost") searchParams.set("host", host);
	if (!user) searchParams.set("user", userInfo().username);
	if (host.startsWith("/") || socketOrLoopback.test(host) || mode === "disable" || mode === "verify-full")
		return { url: named === host && user ? text : parsed.href };
	if (mode !== null)
		return {
			problem: `sslmode=${mode} does not make sure that ${host} is your database: use sslmode=verify-full, or sslmode=disable if the network is yours alone`,
		};
	searchParams.set("sslmode", "verify-full");
	return { url: parsed.href };
}
