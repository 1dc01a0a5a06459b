// Reads the data of items, which comes from agents' programs, and of events whatever their kind is: no field is sure.

/** What readers look for; a misspelt field does not compile. */
interface LooseData {
	/** of `tool_call` and `tool_result` */
	call?: unknown;
	tool?: unknown;
	input?: unknown;
	output?: unknown;
	status?: unknown;
	/** the files that an edit changed, where its input does not say it: a path and its `FileEdit` each */
	changes?: unknown;
	/** of `final` */
	state?: unknown;
	commit?: unknown;
	reason?: unknown;
	/** who wrote a prompt, if not the user */
	from?: unknown;
	/** the blob that has the whole of a long text */
	blob?: unknown;
	/** which rows it is about */
	issueId?: unknown;
	project?: unknown;
	slug?: unknown;
}

/** No fields if the data is not an object. */
export const looseData = (data: unknown): Readonly<LooseData> =>
	typeof data === "object" && data !== null ? data : {};
