// Loaded into a daemon before its own program: SIGWINCH makes something fail that nobody caught, in three ways, one
// after the other.
import { EventEmitter } from "node:events";

const ways = [
	() => void Promise.reject(new Error("nobody waits for this promise")),
	() => {
		throw new Error("nobody catches this, with a token: Bearer very-secret-word");
	},
	() => void new EventEmitter().emit("error", new Error("nobody listens to this")),
];
let at = 0;
process.on("SIGWINCH", () => setImmediate(() => ways[at++ % ways.length]?.()));
