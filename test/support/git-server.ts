// A git server over HTTP, as a forge is one: hooks run there, and it may ask for a password.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface GitServer extends AsyncDisposable {
	readonly url: string;
	/** answers every request with 401 while it is set */
	locked: boolean;
	/** called before each push is taken */
	beforePush: (() => void) | null;
	/** called before the next fetch is answered */
	beforeFetch: (() => Promise<void>) | null;
}

/** Serves the bare repositories below a folder. */
export async function serveGit(root: string): Promise<GitServer> {
	const state: Pick<GitServer, "locked" | "beforePush" | "beforeFetch"> = {
		locked: false,
		beforePush: null,
		beforeFetch: null,
	};
	const http = createServer((request, response) => {
		if (state.locked) {
			response.writeHead(401, { "WWW-Authenticate": 'Basic realm="git"' }).end();
			return;
		}
		if (request.method === "POST" && request.url?.endsWith("/git-receive-pack") === true) {
			const hook = state.beforePush;
			state.beforePush = null;
			hook?.();
		}
		if (request.url?.endsWith("?service=git-upload-pack") === true && state.beforeFetch !== null) {
			const hook = state.beforeFetch;
			state.beforeFetch = null;
			void hook().then(() => backend(root, request, response));
		} else backend(root, request, response);
	});
	http.listen(0, "127.0.0.1");
	await once(http, "listening");
	const { port } = http.address() as AddressInfo;
	return Object.assign(state, {
		url: `http://127.0.0.1:${port}`,
		async [Symbol.asyncDispose]() {
			http.closeAllConnections();
			http.close();
		},
	});
}

/** Takes every connection, and never answers. */
export async function silentServer(): Promise<AsyncDisposable & { url: string }> {
	const http = createServer(() => {});
	http.listen(0, "127.0.0.1");
	await once(http, "listening");
	return {
		url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/x.git`,
		async [Symbol.asyncDispose]() {
			http.closeAllConnections();
			http.close();
		},
	};
}

function backend(root: string, request: IncomingMessage, response: ServerResponse): void {
	const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
	const child = spawn("git", ["http-backend"], {
		env: {
			PATH: process.env["PATH"] ?? "",
			GIT_PROJECT_ROOT: root,
			GIT_HTTP_EXPORT_ALL: "1",
			GIT_CONFIG_NOSYSTEM: "1",
			REMOTE_USER: "somebody",
			REMOTE_ADDR: "127.0.0.1",
			PATH_INFO: pathname,
			QUERY_STRING: search.slice(1),
			REQUEST_METHOD: request.method ?? "GET",
			CONTENT_TYPE: request.headers["content-type"] ?? "",
			HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
			GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
		},
		stdio: ["pipe", "pipe", "ignore"],
	});
	request.pipe(child.stdin);
	let head = Buffer.alloc(0);
	child.stdout.on("data", (chunk: Buffer) => {
		if (response.headersSent) return void response.write(chunk);
		head = Buffer.concat([head, chunk]);
		const end = head.indexOf("\r\n\r\n");
		if (end < 0) return;
		const fields = head.subarray(0, end).toString().split("\r\n");
		const headers = fields.map((line): [string, string] => {
			const at = line.indexOf(":");
			return [line.slice(0, at), line.slice(at + 1).trim()];
		});
		const status = headers.find(([name]) => name === "Status")?.[1] ?? "200";
		response.writeHead(Number.parseInt(status, 10), Object.fromEntries(headers.filter(([name]) => name !== "Status")));
		response.write(head.subarray(end + 4));
	});
	child.on("close", () => response.end());
}
