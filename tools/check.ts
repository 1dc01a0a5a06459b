// The checks without the tests: format, lint, types, unused code. Each uses little more than one core, so two run side
// by side; what one prints is printed when it ends.
import { spawn } from "node:child_process";

const lanes = [
	["format", "types"],
	["lint", "unused"],
];

const codes = await Promise.all(
	lanes.map(async (scripts) => {
		let failed = false;
		for (const script of scripts) failed = !(await passes(script)) || failed;
		return failed;
	}),
);
process.exitCode = codes.includes(true) ? 1 : 0;

async function passes(script: string): Promise<boolean> {
	const child = spawn("npm", ["run", "-s", script], { stdio: ["ignore", "pipe", "pipe"] });
	const printed: string[] = [];
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding("utf8").on("data", (text) => printed.push(text));
	const { promise, resolve } = Promise.withResolvers<number | null>();
	child.on("close", resolve);
	const code = await promise;
	process.stdout.write(printed.join(""));
	if (code !== 0) console.error(`npm run ${script} failed`);
	return code === 0;
}
