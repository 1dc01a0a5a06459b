// Whether a tab of the dashboard is on the screen, of all that this browser has open.

/** longer does not wait a tab for the others to answer */
const answerMs = 250;

const channel = "BroadcastChannel" in globalThis ? new BroadcastChannel("brood.looked-at") : null;

channel?.addEventListener("message", ({ data }) => {
	if (data === "is somebody looked at?" && !document.hidden) channel.postMessage("I am");
});

export async function isLookedAt(): Promise<boolean> {
	if (!document.hidden || channel === null) return !document.hidden;
	return await new Promise((resolve) => {
		const hear = ({ data }: MessageEvent): void => {
			if (data === "I am") answer(true);
		};
		const answer = (isSo: boolean): void => {
			channel.removeEventListener("message", hear);
			resolve(isSo);
		};
		channel.addEventListener("message", hear);
		setTimeout(() => answer(false), answerMs);
		channel.postMessage("is somebody looked at?");
	});
}
