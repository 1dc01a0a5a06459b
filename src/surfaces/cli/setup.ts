// Installs a vendor's agent.
import { act } from "./act.ts";

export async function setup(type: string, options: { json?: true | undefined }): Promise<void> {
	await act(
		options,
		({ client, key }) => client.call("setup", { key, params: { type }, body: {} }),
		({ title, package: name, installed, loggedIn, login }) =>
			`${title} is set up (${name} ${installed}).${loggedIn ? "" : `\nIt does not look logged in: ${login}.`}`,
	);
}
