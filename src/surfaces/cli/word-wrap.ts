// Wraps text at spaces while it arrives: a word is returned as soon as it is complete.

export class WordWrap {
	/** null: nothing is wrapped */
	readonly #width: number | null;
	/** the characters of the current line so far */
	#column = 0;
	/** the white space before the word that is not complete yet, and this word */
	#space = "";
	#word = "";

	constructor(width: number | null) {
		this.#width = width === null ? null : Math.max(20, width);
	}

	/** What can be printed of the text so far. */
	add(text: string): string {
		if (this.#width === null) return text;
		let out = "";
		for (const [part] of text.matchAll(/\n|[^\S\n]+|\S+/g)) {
			if (part.trim() !== "") this.#word += part;
			else {
				out += this.#placed();
				if (part === "\n") out += this.#lineEnd();
				else this.#space += part;
			}
			out += this.#overlong(this.#width);
		}
		return out;
	}

	/** What is left: the last word. */
	end(): string {
		const rest = this.#placed();
		[this.#column, this.#space] = [0, ""];
		return rest;
	}

	/** The word, on the next line if there is no room for it. */
	#placed(): string {
		const word = this.#word;
		if (word === "") return "";
		this.#word = "";
		const isFitting = this.#column + this.#space.length + word.length <= (this.#width ?? 0);
		const before = isFitting || this.#column === 0 ? this.#space : this.#lineEnd();
		this.#space = "";
		this.#column += (before === "\n" ? 0 : before.length) + word.length;
		return before + word;
	}

	#lineEnd(): string {
		[this.#column, this.#space] = [0, ""];
		return "\n";
	}

	/** A word that is longer than a line is broken at the edge. */
	#overlong(width: number): string {
		let out = "";
		while (this.#word.length > width) {
			const room = width - this.#column - this.#space.length;
			if (room <= 0) {
				out += this.#lineEnd();
				continue;
			}
			// an emoji is two characters, which stay together
			const at = /[\uD800-\uDBFF]/.test(this.#word.charAt(room - 1)) ? room + 1 : room;
			const rest = this.#word.slice(at);
			this.#word = this.#word.slice(0, at);
			out += this.#placed() + this.#lineEnd();
			this.#word = rest;
		}
		return out;
	}
}

/** A whole text. */
export function wrapped(text: string, width: number | null): string {
	const wrap = new WordWrap(width);
	return wrap.add(text) + wrap.end();
}
