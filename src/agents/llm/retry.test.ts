import { APICallError } from "ai";
import { expect, test } from "vitest";
import { LimitMet } from "../acp-agent.ts";
import { withRetries } from "./retry.ts";

const busy = (headers: Record<string, string>) =>
	new APICallError({
		message: "busy",
		url: "http://localhost",
		requestBodyValues: {},
		statusCode: 429,
		isRetryable: false,
		responseHeaders: headers,
	});

test.each(["1e30", "9".repeat(400), "-5", "soon"])(
	"a limit that ends in %s seconds is a limit still, which ends at a time that there is",
	async (seconds) => {
		const met = await withRetries(new AbortController().signal, () =>
			Promise.reject(busy({ "retry-after": seconds })),
		).catch((error: unknown) => error);
		if (!(met instanceof LimitMet)) throw new Error(`not a limit: ${String(met)}`);
		expect(Date.parse(met.data.limit.resetAt)).toBeGreaterThan(performance.timeOrigin + performance.now());
	},
);
