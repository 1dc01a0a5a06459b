// How a daemon shows that it is the one that a client means, before the client says a secret or listens to what it
// says: it signs the client's random nonce with the home's token. The address that the client called is signed along,
// so that a program on another port cannot pass the question on to the daemon and the answer back.

/** What is signed, with HMAC-SHA-256 and the token as the key. `host` is `address:port`. */
export const proofText = (host: string, nonce: string): string => `brood door 1\n${host}\n${nonce}`;

export const nonceRule = /^[A-Za-z0-9_-]{22,128}$/;
