/**
 * How to name the credentials of a subscription at a node. Not with `--env-file`: an installed release does not get to
 * see it if there is no such file on the machine where it is typed, because Node takes it for its own.
 */
export const credentialHint = (subscription: string, node: string): string =>
	`brood subscription configure ${subscription} --node ${node} --config-dir FOLDER (or --variables FILE)`;

/** What is wrong with a subscription at a node at which none of its credentials were named: no file there is. */
export const noCredentialsHere = "It has no credentials at this node: they are files of another one.";
