// What a page of the dashboard sends instead of its second secret, computed apart from the code that is tested.
import { createHash, createHmac } from "node:crypto";

export function proofOf(secret: string, proofNonce: string, host: string): string {
	const key = createHash("sha256").update(secret).digest("base64url");
	return `${proofNonce}.${createHmac("sha256", key).update(`brood browser ${proofNonce} ${host}`).digest("base64url")}`;
}
