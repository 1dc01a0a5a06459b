// The composition root: which adapters an engine and a daemon are made of.
import path from "node:path";
import { driverByType } from "#adapters/driver/by-type.ts";
import { type DetectedContainment, detectContainment } from "#adapters/driver/detect-containment.ts";
import { environmentFor } from "#adapters/driver/environment.ts";
import { KeyFiles } from "#adapters/driver/key-files.ts";
import type { DriverOptions } from "#adapters/driver/options.ts";
import type { AgentProgram } from "#adapters/driver/programs.ts";
import { VendorSetup } from "#adapters/driver/vendor-setup.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { ConfigError, readConfig } from "#adapters/system/config.ts";
import { homeIdOf, homeToken, makeHome, tieToJournal } from "#adapters/system/home.ts";
import { randomIds } from "#adapters/system/ids.ts";
import { folderIssueWork } from "#adapters/system/issue-work.ts";
import { type FileLog, fileLog, secretsOf } from "#adapters/system/log.ts";
import { machineIdle, machineTurns } from "#adapters/system/machine.ts";
import { watchdogFor } from "#adapters/system/watchdog.ts";
import type { ContainmentLevel } from "#contract/config.ts";
import { limits as defaultLimits, type Limits } from "#contract/limits.ts";
import { retention as retentionDefaults } from "#contract/retention.ts";
import { Engine } from "#engine/engine.ts";
import type { EngineDependencies } from "#engine/parts.ts";
import { noIssueWork } from "#engine/ports/issue-work.ts";
import { noLog } from "#engine/ports/log.ts";
import type { Store } from "#engine/ports/store.ts";
import { ProcessTokens } from "#engine/tokens.ts";
import { GitRecorder } from "#engine/workspaces/git-recorder.ts";
import type { Listener, LocalListener } from "#server/listen.ts";
import { Persons } from "#server/persons.ts";
import { announce, listenIn, lockedHome } from "./daemon/home.ts";
import { nodeOf } from "./daemon/node.ts";
import { startNotices } from "./daemon/notices.ts";
import { openStore, type StoreLocation, storeOf } from "./daemon/open-store.ts";
import { ownPrograms, typesHere } from "./daemon/own-programs.ts";
import { processesIn } from "./daemon/processes.ts";
import { remoteListenerIn } from "./daemon/remote.ts";
import { hiddenIn } from "./daemon/sandboxes.ts";
import { type ServeParts, serve, streamOf } from "./daemon/serve.ts";
import { sweepersOf } from "./daemon/sweepers.ts";
import { workspacesIn } from "./daemon/workspaces.ts";
import { version } from "./version.ts";

/** The engine alone: it records and decides, but runs no turns. */
export async function startEngine(
	location: StoreLocation,
	overrides: Partial<Limits> = {},
	{ driver = null, workspaces = null, issueWork = noIssueWork, log = noLog, opened, ...more }: EngineOptions = {},
	agentZeroType = "scripted",
): Promise<Engine> {
	const wanted = { ...defaultLimits, ...overrides };
	const { store, limits, ...texts } = await openStore(location, wanted, more.node?.node ?? null);
	opened?.(store);
	return await Engine.start({
		store,
		driver,
		workspaces,
		issueWork,
		limits,
		clock: systemClock,
		ids: randomIds,
		agentZeroType,
		log,
		...texts,
		...more,
	});
}

type EngineOptions = Partial<
	Pick<
		EngineDependencies,
		"driver" | "workspaces" | "issueWork" | "log" | "retention" | "sweepers" | "node" | "watchdog"
	>
> & { opened?(store: Store): void };

export interface DaemonOptions {
	home: string;
	limits?: Partial<Limits>;
	/** agent types beside our own */
	programs?: Readonly<Record<string, AgentProgram>>;
	/** how long an idle agent keeps its process */
	idleProcessMs?: number;
	/** 0 for any that is free */
	port?: number;
	/** a file in the home if there is none */
	log?: FileLog;
	/** the command that starts the next daemon, if this one stands still and is killed; none if somebody else does */
	successor?: readonly string[];
}

export interface Daemon extends AsyncDisposable {
	readonly engine: Engine;
	readonly url: string;
	/** the owner's token, as it was at the start */
	readonly token: string;
	readonly containment: ContainmentLevel;
	/** settles when the home is no longer this daemon's; the process has to exit */
	readonly lost: Promise<Error>;
}

/** Everything: the engine, the agents' processes and the HTTP server. One daemon per home. */
export async function startDaemon({
	home,
	limits = {},
	programs = {},
	idleProcessMs,
	port = 0,
	log: given,
	successor = [],
}: DaemonOptions): Promise<Daemon> {
	await using parts = new AsyncDisposableStack();
	makeHome(home);
	const config = await readConfig(home);
	const log = given ?? parts.use(fileLog({ home, clock: systemClock, secrets: secretsOf(process.env) }));
	log.setLevel(config.log?.level ?? "info");
	const failed = (error: unknown, request?: string): void =>
		log.error("http", "A request failed inside", request === undefined ? {} : { request }, error);
	const finding = detectContainment(config.containment ?? "auto", process.env);
	parts.use(await lockedHome(home));
	const location = storeOf(home, config, process.env);
	const server = parts.use(await listenIn(home, config.port ?? port, failed));
	const remote = await remoteListenerIn(home, config, failed);
	if (remote !== null) parts.use(remote);
	const containment = inForce(await finding, home);
	const [allPrograms, adapters] = [{ ...ownPrograms, ...programs }, path.join(home, "adapters")];
	const [tokens, token] = [new ProcessTokens(randomIds), homeToken(home, randomIds.secret())];
	const gitRecorder = new GitRecorder(log);
	const homeId = homeIdOf(home, randomIds.key());
	const { retention = retentionDefaults } = config;
	const hidden = hiddenIn(process.env);
	// the home id finds processes that projects' commands leave behind, as it does for agents
	const workspaces = parts.use(
		workspacesIn(home, {
			...{ record: (run) => gitRecorder.add(run), homeId, containment, retention, log, hides: hidden.all },
			environment: process.env,
		}),
	);
	const up = Promise.withResolvers<Engine>();
	const inForceLimits = limitsInForce(config.limits ?? {}, limits);
	const processes = processesIn(home, {
		programs: allPrograms,
		url: () => server.url,
		idle: idleOf(inForceLimits, idleProcessMs),
		engine: up.promise,
		credentialFiles: hidden.credentialFiles,
		environment: process.env,
		...{ homeId, containment, workspaces, tokens, log },
	});
	const keyFiles = new KeyFiles(home, () => randomIds.salt());
	const engineParts = {
		...{ driver: driverByType(processes), issueWork: issueWorkIn(home), opened: hidden.opened },
		sweepers: sweepersOf(home, keyFiles),
		...{ workspaces, log, retention },
		node: nodeOf(homeId, config, typesHere(allPrograms, adapters, process.env["PATH"])),
		watchdog: parts.use(watchdogFor({ home, homeId, log, successor, processes, environment: process.env })),
	};
	const engine = parts.use(await startEngine(location, inForceLimits, engineParts, config.agentZero?.type));
	if ("url" in location) tieToJournal(home, engine.agentZero.id);
	up.resolve(engine);
	parts.use(startNotices(engine, config.notify, process.env));
	// disposed before the engine, so that the last git commands are still recorded
	parts.use(gitRecorder);
	gitRecorder.connect((request) => engine.dispatch(request));
	const about = { pid: process.pid, url: server.url, remoteUrl: remote?.url ?? null, version, home, containment };
	const setup = new VendorSetup({ adapters, homeId, containment, environment: process.env });
	const known = { token, tokens, about, setup, keyFiles, own: allPrograms, searchPath: process.env["PATH"], failed };
	const { lost } = await openToClients(parts, engine, { here: server, remote }, { ...known, limits: inForceLimits });
	const all = parts.move();
	return { engine, url: server.url, token, containment, lost, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Answers requests from now on, and lets clients find the daemon. What it opens is closed with `parts`. */
async function openToClients(
	parts: AsyncDisposableStack,
	engine: Engine,
	listeners: { here: LocalListener; remote: Listener | null },
	{ limits, ...known }: Omit<ServeParts, "stream" | "persons"> & { limits: Limits },
): Promise<Pick<Daemon, "lost">> {
	const { here, remote } = listeners;
	const stream = parts.use(await streamOf(engine, limits));
	// a stream of somebody whose token was replaced or removed does not go on
	const persons = parts.use(await Persons.of(engine, () => stream.cutAll()));
	// from then on nobody is told of a store that is closing: a client whose connection broke asks the next daemon
	parts.defer(async () => void (await Promise.all([here.close(), remote?.close()])));
	const guard = serve(listeners, engine, { ...known, stream, persons });
	const announced = { url: here.url, socket: here.socket, token: () => guard.token };
	return parts.use(await announce(known.about.home, announced));
}

const idleOf = (limits: Limits, idleProcessMs = limits.idleProcessMs): DriverOptions["idle"] => ({
	idleProcessMs,
	countMax: limits.idleProcessesMax,
	bytesMax: limits.idleBytesMax,
});

/** The machine's defaults, overridden by the configuration, and that by the caller. */
function limitsInForce(configured: { [K in keyof Limits]?: number | undefined }, given: Partial<Limits>): Limits {
	const set: Partial<Limits> = Object.fromEntries(
		Object.entries(configured).filter(([, value]) => value !== undefined),
	);
	return { ...defaultLimits, turnsMax: machineTurns(), ...machineIdle(), ...set, ...given };
}

/** Never a weaker containment than configured. */
function inForce(found: DetectedContainment, home: string): ContainmentLevel {
	if ("level" in found) return found.level;
	throw new ConfigError(
		`${path.join(home, "config.yaml")}: the containment that it asks for does not work here: ${found.reason}`,
	);
}

const issueWorkIn = (home: string) => folderIssueWork({ home, environment: environmentFor({}, process.env) });
