// The ACP handshake: identity, capabilities and a session (resumed, forked or new). We offer neither `fs` nor
// `terminal`: no tool of an agent runs inside the daemon.
import {
	type AgentCapabilities,
	type ClientConnection,
	type ContentBlock,
	methods,
	type NewSessionResponse,
	PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk/unstable";
import type { SessionCapability } from "#contract/session.ts";
import type { OpenSession } from "#engine/ports/driver.ts";

/** A program that offers tools to the agent, started by the agent's own program. */
export interface ToolServer {
	name: string;
	command: string;
	args: readonly string[];
	env: Readonly<Record<string, string>>;
}

export interface SessionRequest {
	folder: string;
	toolServers: readonly ToolServer[];
	/** the session to resume */
	resume: string | null;
	/** the session to fork */
	copyOf: string | null;
	/** the cost of that session, as last reported */
	costBefore: number;
	systemPrompt: string | null;
	model: string | null;
	mode: string | null;
	/** the program's other options, by its own names */
	options: Readonly<Record<string, string>>;
}

/** A model, mode or option that the program does not have: a retry would not help. */
export class UnsupportedSetting extends Error {}

export interface AgentInfo {
	capabilities: SessionCapability[];
	programVersion: string | null;
}

export async function initialize({ agent }: ClientConnection): Promise<AgentInfo> {
	const { agentCapabilities = {}, agentInfo } = await agent.request(methods.agent.initialize, {
		protocolVersion: PROTOCOL_VERSION,
		clientCapabilities: {},
	});
	return {
		capabilities: sessionCapabilitiesOf(agentCapabilities),
		programVersion: agentInfo ? `${agentInfo.name} ${agentInfo.version}`.slice(0, 200) : null,
	};
}

function sessionCapabilitiesOf({ loadSession, sessionCapabilities: can = {} }: AgentCapabilities): SessionCapability[] {
	const offered: [SessionCapability, boolean][] = [
		["load", loadSession === true],
		["resume", can.resume != null],
		["fork", can.fork != null],
		["close", can.close != null],
		["systemPrompt", can.systemPrompt != null],
	];
	return offered.flatMap(([capability, there]) => (there ? capability : []));
}

export async function openSession(
	connection: ClientConnection,
	info: AgentInfo,
	request: SessionRequest,
): Promise<OpenSession> {
	const { capabilities, programVersion } = info;
	const instructed = request.systemPrompt === null || capabilities.includes("systemPrompt");
	const params = sessionParams(request, capabilities);
	const opened =
		(await attempt(request.resume, () => resumed(connection, capabilities, request.resume ?? "", params))) ??
		(await attempt(capabilities.includes("fork") ? request.copyOf : null, () =>
			copied(connection, request.copyOf ?? "", params),
		)) ??
		(await fresh(connection, params));
	const modes = opened.modes?.availableModes ?? [];
	if (
		request.mode !== null &&
		opened.modes?.currentModeId !== request.mode &&
		modes.some(({ id }) => id === request.mode)
	)
		await connection.agent.request(methods.agent.session.setMode, {
			sessionId: opened.sessionId,
			modeId: request.mode,
		});
	if (request.model !== null) await chooseModel(connection, opened, request.model);
	for (const [name, value] of Object.entries(request.options)) await choose(connection, opened, name, value);
	const { sessionId } = opened;
	return { sessionId, folder: request.folder, capabilities, programVersion, how: opened.how, instructed };
}

type SessionParams = ReturnType<typeof sessionParams>;
type Opened = NewSessionResponse & { how: OpenSession["how"] };

function sessionParams(
	{ folder, toolServers, systemPrompt }: SessionRequest,
	capabilities: readonly SessionCapability[],
) {
	const content: ContentBlock[] = systemPrompt === null ? [] : [{ type: "text", text: systemPrompt }];
	return {
		cwd: folder,
		mcpServers: toolServers.map(({ name, command, args, env }) => ({
			...{ name, command, args: [...args] },
			env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
		})),
		...(content.length > 0 &&
			capabilities.includes("systemPrompt") && { systemPrompt: { mode: "append" as const, content } }),
	};
}

/** A session that the vendor lost is not an error: the journal is the truth, and a new session is seeded from it. */
async function attempt(session: string | null, open: () => Promise<Opened | null>): Promise<Opened | null> {
	return session === null ? null : await open().catch(() => null);
}

/** `load` sends the whole conversation again, which we ignore; `resume` does not. */
async function resumed(
	{ agent }: ClientConnection,
	capabilities: readonly SessionCapability[],
	sessionId: string,
	params: SessionParams,
): Promise<Opened | null> {
	const { resume, load } = methods.agent.session;
	const method = capabilities.includes("resume") ? resume : capabilities.includes("load") ? load : null;
	return method && { ...(await agent.request(method, { sessionId, ...params })), sessionId, how: "resumed" };
}

async function copied({ agent }: ClientConnection, sessionId: string, params: SessionParams): Promise<Opened> {
	return { ...(await agent.request(methods.agent.session.fork, { sessionId, ...params })), how: "forked" };
}

async function fresh({ agent }: ClientConnection, params: SessionParams): Promise<Opened> {
	return { ...(await agent.request(methods.agent.session.new, params)), how: "new" };
}

/** By its id or its name. A model that the program does not have is an error, never silently another one. */
async function chooseModel(
	{ agent }: ClientConnection,
	{ sessionId, configOptions, how, ...rest }: Opened,
	model: string,
): Promise<void> {
	// a resumed session that lists no models keeps its own
	if (how !== "new" && configOptions == null && !("models" in rest)) return;
	const option = configOptions?.find(({ category, type }) => category === "model" && type === "select");
	if (option?.type === "select") {
		const choices = option.options.flatMap((each) => ("options" in each ? each.options : each));
		const choice = choices.find(({ value, name }) => value === model || name === model);
		if (choice === undefined)
			throw new UnsupportedSetting(
				`it has no model ${model}; choose one of ${choices.map(({ value }) => value).join(", ")}`,
			);
		if (option.currentValue !== choice.value)
			await agent.request(methods.agent.session.setConfigOption, {
				sessionId,
				configId: option.id,
				value: choice.value,
			});
		return;
	}
	// older programs have a list of models beside the session
	if ("models" in rest) await agent.request("session/set_model", { sessionId, modelId: model });
	else throw new UnsupportedSetting(`it cannot be told to use the model ${model}`);
}

/** A mode is an option in newer programs, and something of its own in others. */
async function choose(
	{ agent }: ClientConnection,
	{ sessionId, configOptions, modes, how }: Opened,
	name: string,
	value: string,
): Promise<void> {
	// a resumed session that lists no options keeps them
	if (how !== "new" && configOptions == null && modes == null) return;
	const option = configOptions?.find(({ id }) => id === name);
	if (option?.type === "select") {
		const values = option.options
			.flatMap((each) => ("options" in each ? each.options : each))
			.map((each) => each.value);
		if (!values.includes(value))
			throw new UnsupportedSetting(`its option ${name} cannot be ${value}; choose one of ${values.join(", ")}`);
		await agent.request(methods.agent.session.setConfigOption, { sessionId, configId: name, value });
	} else if (option?.type === "boolean") {
		await agent.request(methods.agent.session.setConfigOption, {
			sessionId,
			configId: name,
			type: "boolean",
			value: value === "true",
		});
	} else if (name === "mode" && modes?.availableModes.some(({ id }) => id === value) === true) {
		await agent.request(methods.agent.session.setMode, { sessionId, modeId: value });
	} else {
		const names = [
			...(configOptions ?? []).map(({ id }) => id),
			...(modes?.availableModes ?? []).map(({ id }) => `mode=${id}`),
		];
		throw new UnsupportedSetting(
			`it has no option ${name}=${value}${names.length === 0 ? "" : `, but ${names.join(", ")}`}`,
		);
	}
}
