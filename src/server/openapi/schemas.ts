// The schemas of the contract as JSON Schema, each named one once: requests in the form that is sent, answers in the
// form that is read.
import { z } from "zod";
import { Policy } from "#contract/approval.ts";
import { Browser } from "#contract/browser.ts";
import * as ids from "#contract/ids.ts";
import { IssueNumber, IssuePriority } from "#contract/issue.ts";
import * as issueWire from "#contract/issue-wire.ts";
import { Json } from "#contract/json.ts";
import { NodeId } from "#contract/node.ts";
import { Node } from "#contract/node-wire.ts";
import { AgentSelector, Preset, PresetName, Stage, StageName } from "#contract/preset.ts";
import { Site } from "#contract/project.ts";
import { BranchName, RepositorySettings } from "#contract/project-config.ts";
import { PullRequest } from "#contract/pull-request.ts";
import { RefusalCodeSchema, RefusalSchema } from "#contract/refusal-schema.ts";
import { UsageRow } from "#contract/routes/usage.ts";
import { Space } from "#contract/space.ts";
import { Delta } from "#contract/stream.ts";
import { Credential, Quiet } from "#contract/subscription.ts";
import { Budget, BudgetRequest, Cost, Spent, Usage } from "#contract/usage.ts";
import * as wire from "#contract/wire.ts";
import {
	BranchStatus,
	ChangedFile,
	CommitId,
	Committed,
	Diff,
	Health,
	HealthProblem,
	Merged,
	MergePreview,
	OmittedFile,
	RemoteStatus,
	Workspace,
} from "#contract/workspace.ts";
import { LeaseStep } from "#contract/workspace-step.ts";

/** Every noun of the wire, and what several of them share. */
const named: Record<string, unknown> = {
	...{ ...ids, ...wire, ...issueWire, Refusal: RefusalSchema, RefusalCode: RefusalCodeSchema, Json },
	...{ Policy, LeaseStep, IssueNumber, IssuePriority, AgentSelector, Preset, PresetName, Stage, StageName },
	...{ RepositorySettings, BranchName, PullRequest, UsageRow, Space, Delta },
	...{ Browser, Credential, Quiet, Budget, BudgetRequest, Cost, Spent, Usage },
	...{ BranchStatus, ChangedFile, CommitId, Committed, Diff, Health, HealthProblem, OmittedFile, Merged, MergePreview },
	...{ RemoteStatus, Workspace, Node, NodeId, Site },
};

const registry = z.registry<{ id: string }>();
// the prefix tells a noun of the wire from an event or command in the source; here there is only the wire
for (const [name, schema] of Object.entries(named))
	if (schema instanceof z.ZodType) registry.add(schema, { id: name.replace(/^Wire(?=[A-Z])/, "") });

/** A part of a JSON Schema document. */
export interface JsonSchema {
	[keyword: string]: unknown;
}

type Form = "input" | "output";

const prefix = "#/components/schemas/";

/** Collects the named schemas that a document refers to. */
export class Schemas {
	readonly #kept: Record<Form, Record<string, JsonSchema>> = { input: {}, output: {} };

	/** What a caller sends. */
	sent(schema: z.core.$ZodType): JsonSchema {
		return this.#schema(schema, "input");
	}

	/** What a caller is answered, or a parameter as it is meant: a number, where the URL has its digits. */
	read(schema: z.core.$ZodType): JsonSchema {
		return this.#schema(schema, "output");
	}

	/**
	 * The components, and the rest of the document with their final names. A name ends in `Input` only where the
	 * two forms differ.
	 */
	resolved<T extends object>(rest: T): { schemas: Record<string, JsonSchema>; rest: T } {
		const { input, output } = this.#kept;
		const apart = formsApart(input, output);
		const rename = <V>(value: V): V => renamed(value, apart);
		const inputs = Object.entries(input).map(
			([id, schema]) => [apart.has(id) ? `${id}Input` : id, rename(schema)] as const,
		);
		const outputs = Object.entries(output).map(([id, schema]) => [id, rename(schema)] as const);
		const sorted = [...inputs, ...outputs].toSorted(([one], [other]) => (one < other ? -1 : 1));
		const schemas = Object.fromEntries(sorted);
		return { schemas: extended(schemas, schemas), rest: extended(rename(rest), schemas) };
	}

	#schema(schema: z.core.$ZodType, form: Form): JsonSchema {
		const made = z.toJSONSchema(schema, {
			io: form,
			metadata: registry,
			unrepresentable: "any",
			override: (each) => simplify(each, form),
		});
		const { $schema: _, $defs = {}, ...rest } = made;
		for (const [id, each] of Object.entries($defs)) this.#kept[form][id] = pointed(each, form);
		return pointed(rest, form);
	}
}

/** Where a schema of one form is referred to, until it is known whether the forms differ. */
const marked = (id: string, form: Form): string => `${prefix}${form}:${id}`;

function pointed(value: JsonSchema, form: Form): JsonSchema {
	return mapRefs(value, (ref) => marked(ref.slice("#/$defs/".length), form));
}

function renamed<V>(value: V, apart: ReadonlySet<string>): V {
	return mapRefs(value, (ref) => {
		const [form, id = ""] = ref.slice(prefix.length).split(":", 2);
		if (id === "") return ref;
		return `${prefix}${id}${form === "input" && apart.has(id) ? "Input" : ""}`;
	});
}

/** Those whose two forms differ, in themselves or in what they refer to. */
function formsApart(input: Record<string, JsonSchema>, output: Record<string, JsonSchema>): ReadonlySet<string> {
	const apart = new Set<string>();
	const both = Object.keys(input).filter((id) => output[id] !== undefined);
	for (let before = -1; before !== apart.size; ) {
		before = apart.size;
		for (const id of both)
			if (JSON.stringify(renamed(input[id], apart)) !== JSON.stringify(renamed(output[id], apart))) apart.add(id);
	}
	return apart;
}

function mapRefs<V>(value: V, change: (ref: string) => string): V {
	return JSON.parse(JSON.stringify(value), (key, each: unknown) =>
		key === "$ref" && typeof each === "string" ? change(each) : each,
	);
}

const ObjectSchema = z.looseObject({
	type: z.literal("object"),
	properties: z.record(z.string(), z.unknown()),
	required: z.array(z.string()).default([]),
	additionalProperties: z.undefined().optional(),
});
type ObjectSchema = z.infer<typeof ObjectSchema>;

/** An object that has all fields of a named one and more of its own is described as that one and its own fields. */
function extended<V>(value: V, schemas: Record<string, JsonSchema>): V {
	const bases = Object.entries(schemas)
		.flatMap(([id, schema]) => {
			const whole = ObjectSchema.safeParse(schema).data;
			return whole === undefined ? [] : [{ id, whole, size: Object.keys(whole.properties).length }];
		})
		.filter(({ size }) => size > 3)
		.toSorted((one, other) => other.size - one.size);
	return JSON.parse(JSON.stringify(value), (_, each: unknown) => {
		const whole = ObjectSchema.safeParse(each).data;
		const base = whole && bases.find((one) => hasMore(whole, one.whole));
		if (whole === undefined || base === undefined) return each;
		const own = Object.entries(whole.properties).filter(([name]) => base.whole.properties[name] === undefined);
		const required = whole.required.filter((name) => !base.whole.required.includes(name));
		const { properties: _all, required: _names, ...rest } = whole;
		return {
			allOf: [
				{ $ref: `${prefix}${base.id}` },
				{ ...rest, properties: Object.fromEntries(own), ...(required.length > 0 && { required }) },
			],
		};
	});
}

function hasMore(whole: ObjectSchema, base: ObjectSchema): boolean {
	const names = Object.keys(base.properties);
	return (
		Object.keys(whole.properties).length > names.length &&
		names.every((name) => JSON.stringify(whole.properties[name]) === JSON.stringify(base.properties[name])) &&
		base.required.every((name) => whole.required.includes(name))
	);
}

/** Leaves out what tells a reader nothing, and what an answer may have one day. */
function simplify(
	{ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema },
	form: Form,
): void {
	// any JSON value: every schema validator knows what that is
	if (registry.get(zodSchema)?.id === "Json")
		for (const keyword of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, keyword);
	if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) Reflect.deleteProperty(jsonSchema, "maximum");
	if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) Reflect.deleteProperty(jsonSchema, "minimum");
	// its format says the same in one word
	if (jsonSchema.format === "date-time") Reflect.deleteProperty(jsonSchema, "pattern");
	if (form === "output" && jsonSchema.additionalProperties === false)
		Reflect.deleteProperty(jsonSchema, "additionalProperties");
	// generators of clients take a field that has a default for one that is always there, also where it is sent
	if (form === "input" && jsonSchema.default !== undefined) {
		jsonSchema.description = `default: ${JSON.stringify(jsonSchema.default)}`;
		Reflect.deleteProperty(jsonSchema, "default");
	}
	if (jsonSchema.properties && Object.keys(jsonSchema.properties).length === 0 && jsonSchema.additionalProperties)
		Reflect.deleteProperty(jsonSchema, "properties");
	// the keys of every JSON object are texts
	if (JSON.stringify(jsonSchema.propertyNames) === '{"type":"string"}')
		Reflect.deleteProperty(jsonSchema, "propertyNames");
}
