// The program that does git's work inside of a sandbox, beside the agent and behind the same walls.
import { areInside } from "#adapters/driver/inside.ts";
import { broughtBy } from "#adapters/driver/trust.ts";
import { serveRoom } from "#adapters/git/sandbox/serve.ts";

serveRoom({ input: process.stdin, output: process.stdout, environment: process.env, broughtBy, areInside });
