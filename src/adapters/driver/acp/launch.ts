// Starts a program that speaks the Agent Client Protocol, and talks to it. Its messages are passed on unchanged.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import {
	type Cost,
	client,
	methods,
	type PromptResponse,
	type RequestPermissionRequest,
	type RequestPermissionResponse,
	type SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import type { ContainmentLevel } from "#contract/config.ts";
import { expected } from "#contract/log.ts";
import { messageOf } from "#contract/message-of.ts";
import type { ApprovalChoice, OpenSession } from "#engine/ports/driver.ts";
import { startContained } from "../../system/contained-process.ts";
import { type CommandLine, upText } from "../../system/containment.ts";
import type { SandboxMounts } from "../../system/mounts.ts";
import { messageStream } from "./messages.ts";
import { initialize, openSession, type SessionRequest } from "./open.ts";
import { hasOutputOpen } from "./output.ts";
import { costSince } from "./usage.ts";

export interface Launch extends CommandLine {
	containment: ContainmentLevel;
	/** unrestricted if absent */
	mounts?: SandboxMounts | null;
	/** null for the handshake alone */
	session: SessionRequest | null;
	folder: string;
	environment: Readonly<Record<string, string>>;
	/** matches a log line about a request that the model's provider refused; the first group is the provider's message */
	limitLogPattern?: RegExp;
	/** called for an invalid message */
	bad?(what: string): void;
	/** cancels the start */
	signal: AbortSignal;
}

export interface PromptHandlers {
	update(update: SessionUpdate): void;
	/** its log says that the provider refused a request; it may retry by itself */
	providerError(text: string): void;
	/** resolves when more can be taken */
	drained(): Promise<void>;
	/** null if nobody will answer */
	ask(request: RequestPermissionRequest): Promise<ApprovalChoice | null>;
}

export interface Launched {
	readonly pid: number;
	/** resolves with the reason when the process has ended */
	readonly ended: Promise<string>;
	/** the program's name and version, and its open session */
	readonly programVersion: string | null;
	readonly session: OpenSession | null;
	/** One prompt at a time. Rejects if the process ends or answers with an error. */
	prompt(text: string, on: PromptHandlers): Promise<PromptResponse>;
	/** the part of the session's total cost that is new */
	costOf(total: Cost | null): Cost | null;
	cancel(): void;
	/** Asks it to close its session, if it can. Never rejects, and has a short timeout. */
	close(): Promise<void>;
	/** false once it has ended or closed its output */
	isConnected(): boolean;
}

const startMs = 60_000;
const closeMs = 1000;
/** how often the output of a process in `unshare` is checked */
const pollMs = 2000;
/** the end of standard error, for the reason of a failure */
const errorTailMax = 2000;
const errorLineMax = 64 * 1024;

export async function launch(wanted: Launch): Promise<Launched> {
	const { containment, session: request, signal } = wanted;
	const { child, stdout, lifeline, outputNumber, connection, ended, outputClosed, gone, current } = connect(wanted);
	let present = true;
	void gone.then(() => {
		present = false;
	});
	const opening = initialize(connection).then(async (info) => ({
		info,
		session: request && (await openSession(connection, info, request)),
	}));
	const up = Promise.race([opening, gone.then((how) => Promise.reject(new Error(how))), tooLong(signal)]);
	const { info, session } = await up.catch((error: unknown) => exitReason(error, stdout, ended));
	const sessionId = session?.sessionId ?? "";
	current.sessionId = sessionId;
	lifeline?.end(upText);
	return {
		pid: child.pid ?? 0,
		ended,
		programVersion: info.programVersion,
		session,
		async prompt(text, on) {
			current.handlers = on;
			const asked = connection.agent.request(methods.agent.session.prompt, {
				sessionId,
				prompt: [{ type: "text", text }],
			});
			// with unshare, a closed output is not noticed
			const look =
				containment === "namespace"
					? setInterval(() => hasOutputOpen(child.pid ?? 0, outputNumber) || outputClosed.resolve(), pollMs)
					: undefined;
			try {
				return await Promise.race([asked, gone.then((how) => Promise.reject(new Error(how)))]);
			} finally {
				clearInterval(look);
				current.handlers = null;
			}
		},
		costOf: costSince(session === null || session.how === "new" ? 0 : (request?.costBefore ?? 0)),
		cancel: () =>
			void connection.agent
				.notify(methods.agent.session.cancel, { sessionId })
				.catch(expected("a process that does not listen is ended soon after")),
		async close() {
			if (!present || session?.capabilities.includes("close") !== true) return;
			const closed = connection.agent
				.request(methods.agent.session.close, { sessionId })
				.catch(expected("it is ended either way"));
			await Promise.race([closed, gone, pause(closeMs, undefined, { ref: false })]);
		},
		isConnected: () => present,
	};
}

/** Starts the program. Its messages go to the handlers of the current prompt, if they are of the open session. */
function connect(wanted: Launch) {
	const { limitLogPattern, bad = () => {} } = wanted;
	const { child, stdin, stdout, ...pipes } = startProgram(wanted);
	const current: { handlers: PromptHandlers | null; sessionId: string | null } = { handlers: null, sessionId: null };
	const ended = endOf(child, (line) => {
		const words = limitLogPattern?.exec(line)?.[1];
		if (words !== undefined) current.handlers?.providerError(words);
	});
	let brokenBy: string | null = null;
	const stream = messageStream(stdin, stdout, {
		drained: () => current.handlers?.drained() ?? Promise.resolve(),
		bad,
		broken: (why) => {
			brokenBy = why;
		},
	});
	const connection = client({ name: "brood" })
		// outside a turn nobody can answer
		.onRequest(methods.client.session.requestPermission, async ({ params }) =>
			chosen((await current.handlers?.ask(params)) ?? null),
		)
		// updates outside a turn are ignored
		.onNotification(methods.client.session.update, async ({ params }) =>
			params.sessionId === current.sessionId ? current.handlers?.update(params.update) : undefined,
		)
		.connect(stream);
	const outputClosed = Promise.withResolvers<void>();
	const gone = Promise.race([
		ended,
		Promise.race([connection.closed, outputClosed.promise]).then(() => brokenBy ?? "it closed its standard output"),
	]);
	return { child, stdout, ...pipes, connection, ended, outputClosed, gone, current };
}

function chosen(answer: ApprovalChoice | null): RequestPermissionResponse {
	if (answer === null) return { outcome: { outcome: "cancelled" } };
	const { option: optionId, reason } = answer;
	// for our own programs; the protocol has no field for the reason
	return { outcome: { outcome: "selected", optionId }, ...(reason !== null && { _meta: { brood: { reason } } }) };
}

function startProgram({ mounts = null, ...wanted }: Launch) {
	const { child, output: stdout, outputNumber, lifeline } = startContained({ mounts, ...wanted });
	const { stdin } = child;
	if (stdin === null) throw new Error("an agent without standard input");
	return { child, stdin, stdout, lifeline, outputNumber };
}

/** Waits a moment for the exit reason, which says more than a closed pipe. */
async function exitReason(error: unknown, stdout: Readable, ended: Promise<string>): Promise<never> {
	if (!stdout.readableEnded && !stdout.destroyed) throw error;
	throw new Error(await Promise.race([ended, pause(closeMs, messageOf(error), { ref: false })]));
}

async function tooLong(signal: AbortSignal): Promise<never> {
	const limit = AbortSignal.any([signal, AbortSignal.timeout(startMs)]);
	if (!limit.aborted) await once(limit, "abort");
	throw new Error(signal.aborted ? "the start was cancelled" : `it did not answer within ${startMs / 1000} s`);
}

async function endOf(child: ChildProcess, onLine: (line: string) => void): Promise<string> {
	let tail = "";
	let line = "";
	child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
		tail = (tail + chunk).slice(-errorTailMax);
		const lines = (line + chunk).split("\n");
		line = (lines.pop() ?? "").slice(-errorLineMax);
		for (const each of lines) onLine(each);
	});
	const how = await new Promise<string>((resolve) => {
		child.once("error", (error) => resolve(`it could not be started: ${error.message}`));
		child.once("exit", (code, name) => resolve(name === null ? `it exited with ${code}` : `it was ended by ${name}`));
	});
	const errors = tail.trim();
	return errors === "" ? how : `${how}: ${errors}`;
}
