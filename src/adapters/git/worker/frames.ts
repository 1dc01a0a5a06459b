// How bytes travel out of a sandbox: frames of a length, a kind, the number of the request, and as many bytes.
export const frameKinds = { answer: 1, fault: 2, bytes: 3 } as const;
export type FrameKind = (typeof frameKinds)[keyof typeof frameKinds];

export interface Frame {
	kind: FrameKind;
	id: number;
	bytes: Buffer;
}

const headLength = 9;
/** no answer is longer; packs come in pieces */
const frameBytesMax = 32 * 1024 * 1024;

export function frameOf({ kind, id, bytes }: Frame): Buffer {
	const head = Buffer.alloc(headLength);
	head.writeUInt32BE(bytes.length, 0);
	head.writeUInt8(kind, 4);
	head.writeUInt32BE(id, 5);
	return Buffer.concat([head, bytes]);
}

/** Puts pieces together. Throws at what is no frame of ours. */
export class Frames {
	#pieces: Buffer[] = [];
	#length = 0;

	*put(chunk: Buffer): Generator<Frame> {
		this.#pieces.push(chunk);
		this.#length += chunk.length;
		while (this.#length >= headLength) {
			const head = this.#peek();
			const length = head.readUInt32BE(0);
			const kind = kindOf(head.readUInt8(4));
			if (length > frameBytesMax) throw new Error(`a frame of ${length} bytes`);
			if (this.#length < headLength + length) return;
			const all = Buffer.concat(this.#pieces);
			const rest = all.subarray(headLength + length);
			this.#pieces = rest.length === 0 ? [] : [rest];
			this.#length = rest.length;
			yield { kind, id: head.readUInt32BE(5), bytes: all.subarray(headLength, headLength + length) };
		}
	}

	#peek(): Buffer {
		const [first] = this.#pieces;
		if (first !== undefined && first.length >= headLength) return first;
		this.#pieces = [Buffer.concat(this.#pieces)];
		return this.#pieces[0] ?? Buffer.alloc(0);
	}
}

function kindOf(number: number): FrameKind {
	const found = Object.values(frameKinds).find((kind) => kind === number);
	if (found === undefined) throw new Error(`a frame of kind ${number}`);
	return found;
}
