// Opens a link in the person's browser, where there is a screen to open it on.
import { spawn } from "node:child_process";

/** False where nothing can be opened; whether a window really appears is not known. */
export async function openBrowser(url: string, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
	const program = programFor(env);
	if (program === null || !process.stdout.isTTY) return false;
	return await new Promise((resolve) => {
		const child = spawn(program, [url], { detached: true, stdio: "ignore" });
		child.on("error", () => resolve(false));
		child.on("spawn", () => {
			child.unref();
			resolve(true);
		});
	});
}

function programFor({ DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME }: NodeJS.ProcessEnv): string | null {
	if (process.platform === "darwin") return "open";
	if (WSL_DISTRO_NAME !== undefined) return "wslview";
	return DISPLAY === undefined && WAYLAND_DISPLAY === undefined ? null : "xdg-open";
}
