// The worker that runs git inside of an agent's sandbox.
import { checkFiles } from "#adapters/driver/check-files.ts";
import { findAutorunFiles } from "#adapters/driver/trust.ts";
import { serveSandbox } from "#adapters/git/sandbox/serve.ts";

serveSandbox({ input: process.stdin, output: process.stdout, environment: process.env, findAutorunFiles, checkFiles });
