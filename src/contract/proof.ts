// How a daemon authenticates itself before the client sends its token: it signs the client's nonce with the home's
// token. The address that the client called is signed too, so that a program on another port cannot relay the exchange.

/** What is signed, with HMAC-SHA-256 and the token as the key. `host` is `address:port`. */
export const proofText = (host: string, nonce: string): string => `brood proof 1\n${host}\n${nonce}`;

export const nonceRule = /^[A-Za-z0-9_-]{22,128}$/;
