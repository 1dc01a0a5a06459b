/** How to name the credentials of a subscription at a node. */
export const credentialHint = (subscription: string, node: string): string =>
	`brood subscription configure ${subscription} --node ${node} --config-dir FOLDER (or --env-file FILE)`;
