import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installLocked, type Lock, lockOf, withoutDigest } from "#adapters/driver/install.ts";
import { vendors } from "#adapters/driver/vendors/vendors.ts";

describe.each(Object.entries(vendors))("the lock of %s", (type, vendor) => {
	const { packages } = lockOf(type);

	test("is of the version that is driven, names no registry, and has the digest of every package of this machine", () => {
		expect(packages[""]).toMatchObject({ dependencies: { [vendor.package]: vendor.version } });
		expect(packages[`node_modules/${vendor.package}`]).toMatchObject({ version: vendor.version });
		expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
		expect(withoutDigest({ packages }, { platform: "linux", arch: "x64", libc: "glibc" })).toEqual([]);
		expect(JSON.stringify(packages)).not.toMatch(/https?:\/\/[^"]*(registry|npm)[^"]*\.tgz/);
	});
});

test("a package without a digest is found, where the machine would need it", () => {
	const packages = {
		"": {},
		a: { integrity: "x" },
		b: { os: ["darwin"] },
		c: { cpu: ["x64"], os: ["linux"] },
		d: { os: ["linux"], libc: ["musl"] },
	};
	expect(withoutDigest({ packages }, { platform: "linux", arch: "x64", libc: "glibc" })).toEqual(["c"]);
	expect(withoutDigest({ packages }, { platform: "darwin", arch: "arm64", libc: null })).toEqual(["b"]);
});

/** A package of one file, as npm packs it: a header, its bytes, and two empty blocks. */
function packed(json: string): Buffer {
	const header = Buffer.alloc(512);
	header.write("package/package.json", 0);
	for (const [at, value] of [
		[100, "0000644"],
		[108, "0000000"],
		[116, "0000000"],
		[124, Buffer.byteLength(json).toString(8).padStart(11, "0")],
		[136, "00000000000"],
		[148, "        "],
		[156, "0"],
		[257, "ustar\0" + "00"],
	] as const)
		header.write(value, at);
	header.write(
		`${header
			.reduce((sum, byte) => sum + byte, 0)
			.toString(8)
			.padStart(6, "0")}\0 `,
		148,
	);
	const body = Buffer.alloc(Math.ceil(Buffer.byteLength(json) / 512) * 512);
	body.write(json);
	return gzipSync(Buffer.concat([header, body, Buffer.alloc(1024)]));
}

describe("a registry", () => {
	const honest = packed(JSON.stringify({ name: "inner", version: "1.0.0" }));
	const tampered = packed(JSON.stringify({ name: "inner", version: "1.0.0", scripts: { evil: "true" } }));
	const digest = (bytes: Buffer): string => `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
	let served = honest;
	const server = createServer((request, response) => {
		const base = `http://127.0.0.1:${port()}`;
		if (request.url?.endsWith(".tgz")) return void response.end(served);
		const dist = { tarball: `${base}/inner.tgz`, integrity: digest(served) };
		response.setHeader("content-type", "application/json");
		response.end(
			JSON.stringify({
				name: "inner",
				"dist-tags": { latest: "1.0.0" },
				versions: { "1.0.0": { name: "inner", version: "1.0.0", dist } },
			}),
		);
	});
	const port = (): number => {
		const address = server.address();
		return typeof address === "object" && address !== null ? address.port : 0;
	};
	beforeAll(async () => await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve())));
	afterAll(() => void server.close());

	const install = async (): Promise<string> => {
		const home = mkdtempSync(path.join(os.tmpdir(), "brood-test-"));
		writeFileSync(path.join(home, ".npmrc"), `registry=http://127.0.0.1:${port()}/\ncache=${home}/cache\n`);
		const folder = path.join(home, "into");
		mkdirSync(folder);
		const packages: Lock["packages"] & object = {
			"": { version: "0.0.0", ...{ name: "x", dependencies: { inner: "1.0.0" } } },
			"node_modules/inner": { version: "1.0.0", integrity: digest(honest) },
		};
		const lock = { name: "x", lockfileVersion: 3, requires: true, packages };
		const manifest = JSON.stringify({ name: "x", private: true, dependencies: { inner: "1.0.0" } });
		await installLocked(folder, { manifest, lock }, { PATH: process.env["PATH"] ?? "", HOME: home });
		return readFileSync(path.join(folder, "node_modules/inner/package.json"), "utf8");
	};

	test("that gives another package than the lock knows is refused, and an honest one is not", async () => {
		expect(await install()).toContain('"inner"');
		served = tampered;
		await expect(install()).rejects.toThrow(/EINTEGRITY|integrity/);
	});
});
