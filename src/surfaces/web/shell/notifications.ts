// Whether this browser shows notifications: the person's choice, and the browser's permission.
const key = "brood.notify";

export const isNotifying = (): boolean =>
	"Notification" in globalThis && Notification.permission === "granted" && localStorage.getItem(key) === "on";

/** Answers whether they are on now, and if not, why. */
export async function switchTo(on: boolean): Promise<{ on: boolean; why: string | null }> {
	if (!on) {
		localStorage.removeItem(key);
		return { on: false, why: null };
	}
	if (!("Notification" in globalThis)) return { on: false, why: "This browser has no notifications." };
	const permission = await Notification.requestPermission();
	if (permission !== "granted")
		return { on: false, why: "The browser refused: allow notifications for this page in its settings." };
	localStorage.setItem(key, "on");
	return { on: true, why: null };
}
