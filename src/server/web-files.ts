// The dashboard's files. They are the same for everybody and reveal nothing, so they need no token; what a page shows
// it asks the API for. Names with a hash in them never change; the page itself is asked for again each time.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { messageOf } from "#contract/message-of.ts";
import type { HttpResponse } from "./exchange.ts";

/** Only our own scripts, styles, fonts and requests; never inside another page. */
const contentSecurityPolicy =
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const headers = {
	"content-security-policy": contentSecurityPolicy,
	"cross-origin-opener-policy": "same-origin",
	"cross-origin-resource-policy": "same-origin",
	"referrer-policy": "no-referrer",
	"x-content-type-options": "nosniff",
};

const kinds: Readonly<Record<string, string>> = {
	".css": "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".ico": "image/x-icon",
	".js": "text/javascript; charset=utf-8",
	".json": "application/json",
	".png": "image/png",
	".svg": "image/svg+xml",
	".webmanifest": "application/manifest+json",
	".woff2": "font/woff2",
};

/** Whether a path is one that a browser asks for: not the API's, and none that only an attacker writes. */
export const isPage = (wanted: string): boolean =>
	/^\/[\w%.~/-]*$/.test(wanted) && !wanted.includes("//") && !/^\/(api|mcp)(\/|$)/.test(wanted);

/** A file of the folder, or the page that every other path shows. */
export async function webFile(wanted: string, folder: () => Promise<string>): Promise<HttpResponse> {
	// no name of ours begins with a dot, so none leaves the folder
	const [name] = /^\/(?:assets\/)?\w[\w.-]*$/.exec(wanted) ?? [];
	try {
		const root = await folder();
		const found = name === undefined ? null : await contentOf(path.join(root, name));
		if (found !== null && name !== undefined && kinds[path.extname(name)] !== undefined)
			return fileAnswer(found, path.extname(name), name.startsWith("/assets/"));
		if (wanted.startsWith("/assets/")) return missing("There is no such file.\n");
		return fileAnswer(await readFile(path.join(root, "index.html")), ".html", false);
	} catch (error) {
		// a checkout without what the dashboard is built with
		const why = `The dashboard's files are missing: ${messageOf(error)}\n`;
		return missing(why);
	}
}

async function contentOf(file: string): Promise<Buffer | null> {
	return await readFile(file).catch(() => null);
}

const missing = (why: string): HttpResponse => ({
	status: 404,
	headers: { ...headers, "content-type": "text/plain; charset=utf-8" },
	body: why,
});

const fileAnswer = (content: Buffer, kind: string, forEver: boolean): HttpResponse => ({
	status: 200,
	headers: {
		...headers,
		"content-type": kinds[kind] ?? "application/octet-stream",
		"cache-control": forEver ? "public, max-age=31536000, immutable" : "no-cache",
	},
	body: content,
});
