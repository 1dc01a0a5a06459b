// The limits and their defaults; `config.yaml` may change each of them.
export interface Limits {
	/** largest text of a prompt or an item, in UTF-8 bytes */
	textBytesMax: number;
	/** largest body of a mail, in UTF-8 bytes */
	mailBytesMax: number;
	/** unread mail of one agent */
	mailboxLengthMax: number;
	/** prompts in one agent's queue */
	queueLengthMax: number;
	/** pending approvals of one agent */
	approvalsPendingMax: number;
	/** living agents below one agent; agent 0 is exempt */
	descendantsMax: number;
	/** how many events a reader may lag behind before its stream is cut */
	backlogEventsMax: number;
	/** readers of the event stream at one time */
	readersMax: number;
	/** commands waiting for the store before further ones are refused */
	commandsWaitingMax: number;
	/** their total size in bytes */
	bytesWaitingMax: number;
	/** turns that run at one time; by default computed from the machine */
	turnsMax: number;
	/** idle agents that keep their processes, and the memory of these; by default computed from the machine */
	idleProcessesMax: number;
	idleBytesMax: number;
	/** how long an idle agent keeps its process */
	idleProcessMs: number;
	/** the cool-down after a usage limit without a reset time */
	coolDownMs: number;
	/** how long a turn may be silent before it is shown as such */
	silentTurnMs: number;
	/** how long a receipt answers a retry */
	receiptsKeptMs: number;
}

export const limits: Limits = {
	textBytesMax: 1024 * 1024,
	mailBytesMax: 64 * 1024,
	mailboxLengthMax: 10_000,
	queueLengthMax: 1000,
	approvalsPendingMax: 32,
	descendantsMax: 32,
	backlogEventsMax: 10_000,
	readersMax: 200,
	commandsWaitingMax: 10_000,
	bytesWaitingMax: 64 * 1024 * 1024,
	turnsMax: 64,
	idleProcessesMax: 24,
	idleBytesMax: 1024 ** 3,
	idleProcessMs: 10 * 60 * 1000,
	coolDownMs: 15 * 60 * 1000,
	silentTurnMs: 10 * 60 * 1000,
	receiptsKeptMs: 7 * 24 * 60 * 60 * 1000,
};

/** The size of a text as stored; computed by hand, for the contract also runs where there is no Buffer. */
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
