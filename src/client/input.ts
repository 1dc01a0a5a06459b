// What a call of a route is given: the names in its path, its query, its body.
import type { z } from "zod";
import type { RouteName, Routes } from "#contract/routes.ts";

type InputOf<N extends RouteName, K extends "query" | "body"> = Routes[N] extends {
	[P in K]: infer S extends z.ZodType;
}
	? z.input<S>
	: never;

/** Which part of a list. */
type PartOf<N extends RouteName> = Routes[N] extends { method: "get"; answer: z.ZodArray }
	? { after?: number; limit?: number }
	: unknown;

export interface Input<N extends RouteName> {
	params?: Readonly<Record<string, string>>;
	query?: InputOf<N, "query"> & PartOf<N>;
	body?: InputOf<N, "body">;
	/** the idempotency key: a retry with it never doubles an effect */
	key?: string;
	/** aborting gives the request up: a fork that waits for its moment is not made */
	signal?: AbortSignal;
}

/** Of a route that is only known at run time. */
export interface AnyInput {
	params?: Readonly<Record<string, string>>;
	query?: unknown;
	body?: unknown;
	key?: string;
	signal?: AbortSignal;
}
