// What a test lets the model answer, in no vendor's words.

export interface ToolCall {
	name: string;
	/** the group that the tool is in, where a format has groups */
	namespace?: string;
	input: Readonly<Record<string, unknown>>;
	/** for tools that take a text of their own form instead of JSON, such as patches */
	freeform?: string;
}

export type Answer = {
	/** only for a request that has these words in it */
	to?: string;
} & (
	| { text?: string; thought?: string; calls?: readonly ToolCall[] }
	/** says nothing, not even that it has begun, until the caller goes away */
	| { hang: true; text?: string }
	| { status: number; headers?: Readonly<Record<string, string>>; code?: string; message?: string }
);

export interface Said {
	text: string | null;
	thought: string | null;
	calls: readonly ToolCall[];
}

/** One piece of a stream of server-sent events. */
export interface Piece {
	event?: string;
	data: unknown;
}

/** How one vendor's wire format looks. */
export interface Wire {
	name: "anthropic" | "responses" | "chat" | "gemini";
	/** whether this request is asked in this format */
	asks(url: URL): boolean;
	/** whether the caller offers tools: what does not is a side call, such as for a title */
	offersTools(body: object): boolean;
	model(body: object, url: URL): string;
	/** the pieces of an answer; `n` makes ids unique */
	stream(said: Said, about: { model: string; n: number }): Piece[];
	/** the body of an answer in one part, where the format has one */
	whole(said: Said, about: { model: string; n: number }): unknown;
	failure(about: { status: number; code: string; message: string }): unknown;
}

export const usage = { input: 120, output: 30 } as const;

/** A field of something that came over the wire. */
export function field(value: unknown, ...names: readonly string[]): unknown {
	return names.reduce(
		(inner: unknown, name) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined),
		value,
	);
}

export const filled = (value: unknown): boolean => Array.isArray(value) && value.length > 0;
