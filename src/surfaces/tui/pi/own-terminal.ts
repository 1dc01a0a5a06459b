// The process's own terminal. Node writes to a terminal synchronously, so that one reader that stalls would stop the
// whole program: here the writes wait on their own, and the screen knows whether they do.
import { ProcessTerminal } from "@earendil-works/pi-tui";

export class OwnTerminal extends ProcessTerminal {
	#waiting = 0;
	onTaken: () => void = () => {};

	get isBehind(): boolean {
		return this.#waiting > 0;
	}

	override start(input: (data: string) => void, resize: () => void): void {
		const handle: unknown = Reflect.get(process.stdout, "_handle");
		const block: unknown = Reflect.get(Object(handle), "setBlocking");
		// without it, writes are synchronous as before
		if (typeof block === "function") Reflect.apply(block, handle, [false]);
		super.start(input, resize);
	}

	override write(data: string): void {
		this.#waiting++;
		process.stdout.write(data, () => {
			this.#waiting--;
			if (this.#waiting === 0) this.onTaken();
		});
	}
}
