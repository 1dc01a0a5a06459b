// How our own agents reach the daemon: over HTTP, with the token of their process.

interface Answer {
	data?: { id?: unknown; handle?: unknown; state?: unknown; commit?: unknown };
	error?: { code: string; message: string };
}

/** Answers in words for the transcript; rejects with the daemon's own sentence. `self` in a path stands for the caller. */
export async function askDaemon(path: string, body: object): Promise<string> {
	const data = await call("POST", `agents/${path.replace(/^self\b/, process.env["BROOD_AGENT"] ?? "")}`, body);
	return [data?.handle, data?.id, data?.commit].filter((part) => part !== undefined).join(" ");
}

/** Says that the work on the caller's own issue is complete. */
export async function completeWork(summary: string): Promise<string> {
	await call("POST", "issues/mine/work-complete", { summary });
	return "reported";
}

/** Waits inside the turn for as long as it takes; answers with how it ended. */
export async function waitThere(wish: { agents?: string[]; children?: boolean; timeoutMs?: number }, signal: AbortSignal): Promise<string> {
	let wait = await call("POST", "waits", wish);
	while (wait?.state === "open" && !signal.aborted) wait = await call("GET", `waits/${wait.id}?block=true`, null, signal);
	return String(wait?.state);
}

async function call(method: "GET" | "POST", path: string, body: object | null, signal?: AbortSignal): Promise<Answer["data"]> {
	const { BROOD_URL: url, BROOD_TOKEN: token } = process.env;
	if (url === undefined || token === undefined) throw new Error("This agent was not started by a daemon.");
	const response = await fetch(`${url}/api/${path}`, {
		method,
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		...(body !== null && { body: JSON.stringify(body) }),
		...(signal !== undefined && { signal }),
	});
	const answer: Answer = JSON.parse(await response.text());
	if (answer.error !== undefined) throw new Error(`${answer.error.code}: ${answer.error.message}`);
	return answer.data;
}
