// The home's `config.yaml`. Everything is optional; unknown fields are refused with their path.
import { z } from "zod";
import { EnvList } from "./environment.ts";
import { AgentType } from "./ids.ts";
import { IssuesConfig } from "./issues-config.ts";
import { type Limits, limits } from "./limits.ts";
import { logLevels } from "./log.ts";
import { NodeName } from "./node.ts";
import { NotifyConfig } from "./notice.ts";
import { RetentionConfig } from "./retention.ts";

const LimitsConfig = z.strictObject(mapLimits(() => z.int().positive().optional()));

/** What keeps an agent's processes together, strongest first. */
export const ContainmentLevel = z.enum(["bubblewrap", "namespace", "groups"]);
export type ContainmentLevel = z.infer<typeof ContainmentLevel>;

const File = z.string().regex(/^\/[^\0]{0,4095}$/, "an absolute path");

/** The certificate of the listener for other machines. */
export const TlsConfig = z.strictObject({
	/** PEM, with the certificates between it and its root */
	cert: File,
	/** PEM, readable by its owner only */
	key: File,
	/** the names under which people reach the listener; those of the certificate if absent */
	names: z.array(z.string().min(1).max(253)).min(1).max(50).optional(),
});
export type TlsConfig = z.infer<typeof TlsConfig>;

const HomeConfigFields = z.strictObject({
	port: z.int().min(0).max(65_535).optional(),
	/** where people on other machines connect, as `address:port`; needs `tls` */
	listen: z
		.string()
		.regex(/^(\[[0-9A-Fa-f:.]+\]|[^\s:[\]]+):\d{1,5}$/, "an address and a port, like 0.0.0.0:4180")
		.optional(),
	tls: TlsConfig.optional(),
	/** the PostgreSQL database that the daemons of several machines share; a file in the home if absent */
	database: z.string().min(1).max(2000).optional(),
	/** the name of this machine among those that share the database; the host's name if absent */
	node: z.strictObject({ name: NodeName }).optional(),
	/** the type of agent 0 on a new store */
	agentZero: z.strictObject({ type: AgentType }).optional(),
	/** `auto` for the strongest available, or exactly this one */
	containment: z.enum(["auto", ...ContainmentLevel.options]).optional(),
	/** variables for all agents and projects' commands, as NAME or NAME=value */
	env: EnvList.optional(),
	limits: LimitsConfig.optional(),
	/** the lowest level that is logged */
	log: z.strictObject({ level: z.enum(logLevels) }).optional(),
	/** how a person is notified */
	notify: NotifyConfig.optional(),
	retention: RetentionConfig.optional(),
	/** workflows for every project; each is checked when an issue uses it */
	presets: z.record(z.string(), z.unknown()).optional(),
	/** the default for every project */
	issues: IssuesConfig.optional(),
});

/** Tokens never cross a network in the clear. */
export const HomeConfig = HomeConfigFields.refine(({ listen, tls }) => listen === undefined || tls !== undefined, {
	path: ["listen"],
	error: "needs `tls`: other machines are served over TLS only",
}).refine(({ listen, tls }) => tls === undefined || listen !== undefined, { path: ["tls"], error: "needs `listen`" });
export type HomeConfig = z.infer<typeof HomeConfig>;

function mapLimits<T>(make: () => T): Record<keyof Limits, T> {
	return Object.fromEntries(Object.keys(limits).map((name) => [name, make()])) as Record<keyof Limits, T>;
}
