// Subscriptions as this node can use them: paths of credentials mean one machine.
import { noCredentialsHere } from "#contract/credential-hint.ts";
import type { NodeId } from "#contract/node.ts";
import { type Credential, credentialAt, type SubscriptionState } from "#contract/subscription.ts";

/** What is wrong with the files of a credential, or null; their content is never read here. */
export type CredentialProblem = (credential: Credential) => string | null;

/** The credentials of a subscription at this node, and why they cannot be used. */
export function credentialsHere(
	state: SubscriptionState,
	node: NodeId | null,
	problem: CredentialProblem,
): { credential: Credential; problem: string | null } {
	const credential = credentialAt(state, node);
	if (credential !== undefined) return { credential, problem: problem(credential) };
	return { credential: state.credential, problem: noCredentialsHere };
}
