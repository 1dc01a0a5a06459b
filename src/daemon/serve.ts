// Serves routes, the event stream and MCP once the daemon is up.
import path from "node:path";
import { credentialProblem } from "#adapters/driver/credential.ts";
import type { KeyFiles } from "#adapters/driver/key-files.ts";
import { type AgentProgram, missingProgram, programsFrom, programTypes } from "#adapters/driver/programs.ts";
import type { VendorSetup } from "#adapters/driver/vendor-setup.ts";
import { systemClock } from "#adapters/system/clock.ts";
import { type BrowserFile, browserFile, replaceToken } from "#adapters/system/home.ts";
import { homeSpace } from "#adapters/system/home-space.ts";
import { randomIds } from "#adapters/system/ids.ts";
import type { Limits } from "#contract/limits.ts";
import type { Engine } from "#engine/engine.ts";
import { bySystem } from "#engine/ports/dispatch.ts";
import { webFolder } from "#local/programs.ts";
import { carryOut } from "#server/answer.ts";
import { type AppParts, appOf } from "#server/app.ts";
import { askRoute } from "#server/ask-route.ts";
import type { Guard } from "#server/auth.ts";
import { Browsers } from "#server/browsers.ts";
import { EventStream } from "#server/event-stream.ts";
import type { About } from "#server/handlers/daemon.ts";
import type { Vendors } from "#server/handlers/vendors.ts";
import { handlersOf } from "#server/handlers.ts";
import { Idempotency } from "#server/idempotency.ts";
import type { Listener } from "#server/listen.ts";
import type { Persons } from "#server/persons.ts";
import { RequestContext } from "#server/request-context.ts";
import { serveEvents } from "#server/serve-events.ts";
import { unjournaled } from "#server/unjournaled.ts";
import { version } from "#src/version.ts";
import { ownPrograms, typesHere } from "./own-programs.ts";

/** Returns the guard of this machine's listener, which has the owner's token. */
export function serve(
	listeners: { here: Listener; remote: Listener | null },
	engine: Engine,
	{ token, tokens, stream, persons, about, setup, keyFiles, own, searchPath, failed }: ServeParts,
): Guard {
	const types = [...new Set([...Object.keys(own), ...programTypes, "human"])];
	const adapters = path.join(about.home, "adapters");
	const find = programsFrom({ own, adapters });
	const context = new RequestContext(engine, {
		types,
		blockingTypes: Object.keys(ownPrograms),
		missing: (agent) => missingProgram(find, agent, searchPath),
	});
	const here = localListener(about.home, listeners.here, { token, tokens, persons });
	const remote = listeners.remote && remoteListener(about.home, listeners.remote, persons);
	const rotateToken = (): string => rotate(about.home, here.guard, stream);
	const space = async (): ReturnType<typeof homeSpace> => await homeSpace(about.home);
	// loaded on the first request: few daemons need it
	const mcp: AppParts["mcp"] = async (call, app) =>
		await (await import("#surfaces/mcp/http.ts")).answerMcp(call, { url: listeners.here.url, app });
	const idempotency = new Idempotency(engine);
	for (const { listener, guard } of [here, ...(remote === null ? [] : [remote])]) {
		const handlers = handlersOf(context, about, {
			...{ credentialProblem, keyFiles, rotateToken, space },
			vendors: announcing(engine, setup, () => typesHere(own, adapters, searchPath)),
			browsers: { all: guard.browsers, cutStreams: () => stream.cutAll() },
			personsChanged: () => persons.reload(),
		});
		const app = { guard, handlers, context, mcp, idempotency, version, failed, ids: randomIds, web: webFolder };
		if (guard === here.guard) {
			engine.errands.serve((request) => carryOut(app, request));
			engine.cycle?.sites.askWith((node, errand) => askRoute(engine.errands, node, errand));
		}
		listener.open({
			app: appOf(app),
			raw: (request, response) => serveEvents({ stream, guard, context }, request, response),
		});
	}
	return here.guard;
}

/** A listener and what it accepts. */
interface GuardedListener {
	listener: Listener;
	guard: Guard;
}

export interface ServeParts extends Pick<Guard, "token" | "tokens"> {
	stream: EventStream;
	persons: Persons;
	about: About;
	setup: VendorSetup;
	keyFiles: KeyFiles;
	/** our own agents' programs, and those of tests */
	own: Readonly<Record<string, AgentProgram>>;
	/** the daemon's PATH */
	searchPath: string | undefined;
	failed(error: unknown, request?: string): void;
}

/** What was installed here is known to every node at once. */
const announcing = (engine: Engine, setup: VendorSetup, types: () => string[]): Vendors => ({
	all: () => setup.all(),
	async install(type) {
		const installed = await setup.install(type);
		const node = engine.node?.node;
		if (node !== undefined) await engine.dispatch(bySystem({ type: "node.equip", node, types: types() }));
		return installed;
	},
});

/** In one step: the old token is refused as soon as the new one exists. */
function rotate(home: string, guard: Guard, stream: EventStream): string {
	const fresh = randomIds.secret();
	const file = replaceToken(home, fresh);
	guard.token = fresh;
	guard.browsers.signOutAll();
	stream.cutAll();
	return file;
}

/** The listener of this machine: it accepts every kind of token. */
const localListener = (
	home: string,
	listener: Listener,
	known: Pick<Guard, "token" | "tokens" | "persons">,
): GuardedListener => ({
	listener,
	guard: guardOf(listener, browserFile(home, "here"), { ...known, scheme: "http" }),
});

/** The listener for other machines: persons only. */
const remoteListener = (home: string, listener: Listener, persons: Persons): GuardedListener => ({
	listener,
	guard: guardOf(listener, browserFile(home, "remote"), {
		token: "",
		tokens: { agentOf: () => undefined },
		persons,
		scheme: "https",
	}),
});

/** What authenticates requests, with the browsers that the last daemon had signed in. */
function guardOf({ url, hosts }: Listener, file: BrowserFile, rest: Omit<Guard, "browsers" | "hosts">): Guard {
	const browsers = new Browsers({
		kept: file.read(),
		keep: (text) => file.write(text),
		now: () => systemClock.now(),
		fresh: () => randomIds.secret(),
		token: (person) => (person === null ? guard.token : (guard.persons.named(person)?.tokenHash ?? null)),
		url,
	});
	const guard: Guard = { ...rest, hosts, browsers };
	return guard;
}

export const streamOf = async (engine: Engine, { readersMax }: Limits): Promise<EventStream> =>
	new EventStream(engine, {
		last: await engine.reads.lastEvent(),
		readersMax,
		unjournaled: () => unjournaled(engine, credentialProblem),
	});
