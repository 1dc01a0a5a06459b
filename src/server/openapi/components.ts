// What operations have in common: a parameter, a body or an answer that two of them describe alike stands among the
// components, once, and both refer to it. The parameters that all operations of a path begin with stand at the path.
import { z } from "zod";
import type { JsonSchema } from "./schemas.ts";

const Part = z.record(z.string(), z.unknown());
const Operation = z.looseObject({
	operationId: z.string(),
	parameters: z.array(Part).optional(),
	requestBody: Part.optional(),
	responses: z.record(z.string(), Part),
});
type Operation = z.infer<typeof Operation>;

const kinds = ["parameters", "requestBodies", "responses"] as const;
type Kind = (typeof kinds)[number];

type Operations = Record<string, Record<string, JsonSchema>>;
/** With the parameters that its operations share. */
type Paths = Record<string, Record<string, JsonSchema | JsonSchema[]>>;

/** The operations with references to what they share, and the components that these lead to. */
export function shareParts(paths: Operations): { paths: Paths; components: Record<string, JsonSchema> } {
	const names = namesOfShared(paths);
	const components = kinds.map((kind) => {
		const shared = [...names]
			.filter(([, each]) => each.kind === kind)
			.map(([, { name, part }]) => [name, part] as const);
		return [kind, Object.fromEntries(shared.toSorted(([one], [other]) => (one < other ? -1 : 1)))];
	});
	const withReferences = mapOperations(paths, (operation) =>
		mapParts(operation, (kind, part) => {
			const shared = names.get(keyOf(kind, part));
			return shared === undefined ? part : { $ref: `#/components/${kind}/${shared.name}` };
		}),
	);
	return { paths: mapValues(withReferences, hoisted), components: Object.fromEntries(components) };
}

const mapValues = <V, W>(record: Record<string, V>, change: (value: V) => W): Record<string, W> =>
	Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));

/** A path with several operations says once what all of them begin with. */
function hoisted(operations: Record<string, JsonSchema>): Record<string, JsonSchema | JsonSchema[]> {
	const lists = Object.values(operations).map((operation) => Operation.parse(operation).parameters ?? []);
	const [first = [], ...others] = lists;
	const differs = first.findIndex((part, at) =>
		others.some((list) => JSON.stringify(list[at]) !== JSON.stringify(part)),
	);
	const common = differs < 0 ? first : first.slice(0, differs);
	if (others.length === 0 || common.length === 0) return operations;
	const rest = mapValues(operations, (operation) => {
		const { parameters = [], ...others } = Operation.parse(operation);
		return { ...others, ...(parameters.length > common.length && { parameters: parameters.slice(common.length) }) };
	});
	return { parameters: common, ...rest };
}

interface Shared {
	kind: Kind;
	part: JsonSchema;
	name: string;
}

const keyOf = (kind: Kind, part: JsonSchema): string => `${kind} ${JSON.stringify(part)}`;

/**
 * Two parts may want one name, like the parameters `after` of lists and of the event stream: the more frequent one gets
 * it.
 */
function namesOfShared(paths: Operations): Map<string, Shared> {
	const uses = new Map<string, Omit<Shared, "name"> & { by: string[] }>();
	mapOperations(paths, (operation) =>
		mapParts(operation, (kind, part) => {
			const key = keyOf(kind, part);
			const { by } = uses.get(key) ?? { by: [] };
			uses.set(key, { kind, part, by: [...by, operation.operationId] });
			return part;
		}),
	);
	const taken = new Set<string>();
	const shared = new Map<string, Shared>();
	for (const [key, { kind, part, by }] of [...uses].toSorted((one, other) => other[1].by.length - one[1].by.length)) {
		if (by.length < 2) break;
		const wanted = wantedNames(part);
		const free = wanted.find((each) => !taken.has(`${kind} ${each}`));
		const name = free ?? `${by[0] ?? ""}${capital(wanted[0] ?? "")}`;
		taken.add(`${kind} ${name}`);
		shared.set(key, { kind, part, name });
	}
	return shared;
}

const Parameter = z.object({ name: z.string(), in: z.string() });

const capital = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;

/**
 * `agent`, else `agentQuery`, for a parameter; `Agent` or `AgentList` for an answer; none for what is called after its
 * operation.
 */
function wantedNames(part: JsonSchema): string[] {
	const { name, in: location } = Parameter.safeParse(part).data ?? {};
	if (name !== undefined && location !== undefined) {
		const short = name.replaceAll("-", "");
		return [short, `${short}${capital(location)}`];
	}
	const shape = JSON.stringify(part);
	if (shape.includes('"properties":{"error":')) return ["Refused"];
	const [, list, noun] =
		/"data":(\{"type":"array","items":)?\{"\$ref":"#\/components\/schemas\/(\w+)"/.exec(shape) ?? [];
	return noun === undefined ? [] : [`${noun}${list === undefined ? "" : "List"}`];
}

function mapOperations(paths: Operations, change: (operation: Operation) => Operation): Operations {
	const each = (methods: Record<string, JsonSchema>) =>
		Object.entries(methods).map(([method, operation]) => [method, change(Operation.parse(operation))]);
	return Object.fromEntries(Object.entries(paths).map(([path, methods]) => [path, Object.fromEntries(each(methods))]));
}

function mapParts(operation: Operation, change: (kind: Kind, part: JsonSchema) => JsonSchema): Operation {
	const { parameters, requestBody, responses, ...rest } = operation;
	const changed = Object.entries(responses).map(([status, part]) => [status, change("responses", part)]);
	return {
		...rest,
		...(parameters && { parameters: parameters.map((part) => change("parameters", part)) }),
		...(requestBody && { requestBody: change("requestBodies", requestBody) }),
		responses: Object.fromEntries(changed),
	};
}
