// What events do to the rows of projects and subscriptions.
import type { ProjectSlug, SubscriptionName } from "#contract/ids.ts";
import type { NodeId } from "#contract/node.ts";
import { defaultWorkSettings, type Site } from "#contract/project.ts";
import { nothingSpent } from "#contract/usage.ts";
import { withSpent } from "../usage.ts";
import type { Changes } from "./change.ts";
import { usedIn } from "./used.ts";

const bySlug = (event: { data: { slug: ProjectSlug } }): ProjectSlug[] => [event.data.slug];

const byProject = (event: { data: { project: ProjectSlug } }): ProjectSlug[] => [event.data.project];

const without = (sites: readonly Site[] = [], node: NodeId): Site[] => sites.filter((each) => each.node !== node);

export const projectChanges = {
	"project.added": {
		keys: bySlug,
		make: ({ data, at }) => ({
			...defaultWorkSettings,
			...data,
			node: data.node ?? null,
			approved: [],
			addedAt: at,
			removedAt: null,
		}),
	},
	"project.configured": { keys: bySlug, change: (row, { data }) => ({ ...row, ...data.settings }) },
	"project.approved": {
		keys: bySlug,
		change: (row, { data }) => ({ ...row, approved: [...row.approved, data.fingerprint] }),
	},
	"site.added": {
		keys: byProject,
		change: (row, { data: { node, path } }) => ({ ...row, sites: [...without(row.sites, node), { node, path }] }),
	},
	"project.moved": {
		keys: bySlug,
		change: (row, { data: { node, path, from } }) => ({
			...row,
			node,
			path,
			sites: [...without(without(row.sites, node), from.node), from],
		}),
	},
	"site.removed": { keys: byProject, change: (row, { data }) => ({ ...row, sites: without(row.sites, data.node) }) },
	"project.removed": { keys: bySlug, change: (row, { at }) => ({ ...row, removedAt: at }) },
} satisfies Changes<"project">;

const byName = (event: { data: { name: SubscriptionName } }): SubscriptionName[] => [event.data.name];

export const subscriptionChanges = {
	"subscription.added": {
		keys: byName,
		make: ({ data, at, actor }) => ({
			...data,
			coolingUntil: null,
			spent: nothingSpent,
			createdAt: at,
			createdBy: actor,
			removedAt: null,
		}),
	},
	"subscription.configured": { keys: byName, change: (row, { data }) => ({ ...row, ...data }) },
	"subscription.coolDownChanged": { keys: byName, change: (row, { data }) => ({ ...row, coolingUntil: data.until }) },
	"subscription.removed": { keys: byName, change: (row, { at }) => ({ ...row, removedAt: at }) },
	usage: {
		keys: (event) => [usedIn(event)?.subscription ?? []].flat(),
		change: (row, event) => ({ ...row, spent: withSpent(row.spent, usedIn(event)?.usage ?? {}) }),
		ifThere: true,
	},
} satisfies Changes<"subscription">;
