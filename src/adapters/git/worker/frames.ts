// The frames that leave a sandbox: length, kind, request id, then the bytes.
export const frameKinds = { answer: 1, fault: 2, bytes: 3 } as const;
export type FrameKind = (typeof frameKinds)[keyof typeof frameKinds];

export interface Frame {
	kind: FrameKind;
	id: number;
	bytes: Buffer;
}

const headLength = 9;
/** packs are sent in chunks */
const frameBytesMax = 32 * 1024 * 1024;

export function frameOf({ kind, id, bytes }: Frame): Buffer {
	const head = Buffer.alloc(headLength);
	head.writeUInt32BE(bytes.length, 0);
	head.writeUInt8(kind, 4);
	head.writeUInt32BE(id, 5);
	return Buffer.concat([head, bytes]);
}

/** Joins chunks into frames. Throws at anything else. */
export class Frames {
	#chunks: Buffer[] = [];
	#length = 0;

	*put(chunk: Buffer): Generator<Frame> {
		this.#chunks.push(chunk);
		this.#length += chunk.length;
		while (this.#length >= headLength) {
			const head = this.#peek();
			const length = head.readUInt32BE(0);
			const kind = kindOf(head.readUInt8(4));
			if (length > frameBytesMax) throw new Error(`a frame of ${length} bytes`);
			if (this.#length < headLength + length) return;
			const all = Buffer.concat(this.#chunks);
			const rest = all.subarray(headLength + length);
			this.#chunks = rest.length === 0 ? [] : [rest];
			this.#length = rest.length;
			yield { kind, id: head.readUInt32BE(5), bytes: all.subarray(headLength, headLength + length) };
		}
	}

	#peek(): Buffer {
		const [first] = this.#chunks;
		if (first !== undefined && first.length >= headLength) return first;
		this.#chunks = [Buffer.concat(this.#chunks)];
		return this.#chunks[0] ?? Buffer.alloc(0);
	}
}

function kindOf(number: number): FrameKind {
	const found = Object.values(frameKinds).find((kind) => kind === number);
	if (found === undefined) throw new Error(`a frame of kind ${number}`);
	return found;
}
