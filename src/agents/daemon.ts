// How our own agents reach the daemon: over HTTP, with the token of their process.

/** Answers in words for the transcript; rejects with the daemon's own sentence. */
export async function askDaemon(verb: "fork" | "send", body: object): Promise<string> {
	const { BROOD_URL: url, BROOD_TOKEN: token } = process.env;
	if (url === undefined || token === undefined) throw new Error("This agent was not started by a daemon.");
	const response = await fetch(`${url}/api/agent/${verb}`, {
		method: "POST",
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		body: JSON.stringify(body),
	});
	const answer: { data?: unknown; error?: { code: string; message: string } } = JSON.parse(await response.text());
	if (answer.error !== undefined) throw new Error(`${answer.error.code}: ${answer.error.message}`);
	return JSON.stringify(answer.data);
}
