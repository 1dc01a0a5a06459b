// How our own agents reach the daemon: over HTTP, with the token of their process.

/** Answers in words for the transcript; rejects with the daemon's own sentence. `self` in a path stands for the caller. */
export async function askDaemon(path: string, body: object): Promise<string> {
	const { BROOD_URL: url, BROOD_TOKEN: token, BROOD_AGENT: self = "" } = process.env;
	if (url === undefined || token === undefined) throw new Error("This agent was not started by a daemon.");
	const response = await fetch(`${url}/api/agents/${path.replace(/^self\b/, self)}`, {
		method: "POST",
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		body: JSON.stringify(body),
	});
	const answer: { data?: { id?: unknown; handle?: unknown }; error?: { code: string; message: string } } = JSON.parse(await response.text());
	if (answer.error !== undefined) throw new Error(`${answer.error.code}: ${answer.error.message}`);
	return [answer.data?.handle, answer.data?.id].filter((part) => part !== undefined).join(" ");
}
