// Which addresses of a database are accepted. Over a network, whoever answers has to prove that it is the database:
// all nodes trust what it says.

const socketOrLoopback = /^(|localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/;

/** The address with `sslmode=verify-full` where that is needed, or what is wrong with it, without any of its secrets. */
export function databaseAddress(text: string): { url: string } | { problem: string } {
	const parsed = URL.canParse(text) ? new URL(text) : null;
	if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol))
		return { problem: "it has to be a URL that begins with postgres://" };
	const host = parsed.searchParams.get("host") ?? parsed.hostname;
	const mode = parsed.searchParams.get("sslmode");
	if (host.startsWith("/") || socketOrLoopback.test(host) || mode === "disable" || mode === "verify-full")
		return { url: text };
	if (mode !== null)
		return {
			problem: `sslmode=${mode} does not make sure that ${host} is your database: use sslmode=verify-full, or sslmode=disable if the network is yours alone`,
		};
	parsed.searchParams.set("sslmode", "verify-full");
	return { url: parsed.href };
}
