// How a page shows that it has the second secret without sending it. Whoever listens on the daemon's port while the
// daemon is down gets the requests of open tabs; a proof is for one start of the daemon, so it opens nothing
// afterwards. The dashboard imports this, so it loads nothing.

/** The header with the proof. */
export const proofHeader = "x-brood-proof";

/** What is signed, with the secret's digest as the key: the daemon has no more than that. */
export const browserProofText = (proofNonce: string, host: string): string => `brood browser ${proofNonce} ${host}`;

export const browserProof = (proofNonce: string, signature: string): string => `${proofNonce}.${signature}`;
