// A limit on everything, and the refusal that names it. The defaults; `config.yaml` may change each of them.
export interface Limits {
	/** largest text of a prompt or an item, in UTF-8 bytes */
	textBytesMax: number;
	/** largest body of a mail, in UTF-8 bytes */
	mailBytesMax: number;
	/** unread mail of one agent */
	mailboxLengthMax: number;
	/** prompts in one agent's queue */
	queueLengthMax: number;
	/** questions of one agent that nobody has answered */
	approvalsOpenMax: number;
	/** living agents below one agent; agent 0, whose descendants are all there are, is exempt */
	descendantsMax: number;
	/** events that a reader may lag behind before it is cut and told where to resume */
	backlogEventsMax: number;
	/** readers of the event stream at one time */
	watchersMax: number;
	/** commands waiting for the store before further ones are refused */
	commandsWaitingMax: number;
	/** and how many bytes they may have together */
	bytesWaitingMax: number;
	/** turns that are at work at one time; the daemon works it out from the machine if nothing is set */
	turnsMax: number;
	/**
	 * idle agents that keep their processes, and the memory that these may have together; the daemon works both out from
	 * the machine
	 */
	idleProcessesMax: number;
	idleBytesMax: number;
	/** how long an idle agent keeps its process */
	idleParkMs: number;
	/** how long a subscription cools down whose agent did not say until when */
	coolDownMs: number;
	/** a turn of which nothing was heard for so long is shown to people */
	silentTurnMs: number;
	/** how long a receipt answers a retry */
	receiptsKeptMs: number;
}

export const limits: Limits = {
	textBytesMax: 1024 * 1024,
	mailBytesMax: 64 * 1024,
	mailboxLengthMax: 10_000,
	queueLengthMax: 1000,
	approvalsOpenMax: 32,
	descendantsMax: 32,
	backlogEventsMax: 10_000,
	watchersMax: 200,
	commandsWaitingMax: 10_000,
	bytesWaitingMax: 64 * 1024 * 1024,
	turnsMax: 64,
	idleProcessesMax: 24,
	idleBytesMax: 1024 ** 3,
	idleParkMs: 10 * 60 * 1000,
	coolDownMs: 15 * 60 * 1000,
	silentTurnMs: 10 * 60 * 1000,
	receiptsKeptMs: 7 * 24 * 60 * 60 * 1000,
};

/** The size of a text as it is stored; worked out here because the contract runs where there is no Buffer. */
export function utf8Bytes(text: string): number {
	let bytes = text.length;
	for (let i = 0; i < text.length; i++) {
		const unit = text.charCodeAt(i);
		if (unit >= 0x800) bytes += 2;
		else if (unit >= 0x80) bytes += 1;
		// a surrogate pair is four bytes, not twice three
		if (unit >= 0xd800 && unit <= 0xdbff && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) i += 1;
	}
	return bytes;
}
