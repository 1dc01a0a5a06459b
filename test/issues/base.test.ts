// The base that a project's settings name counts for issues too, whatever branch was checked out when it was added.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "vitest";
import { git, TestDaemon } from "#test/support/test-daemon.ts";

const places = ["config.yaml", ".brood.yaml", "no file"] as const;

// its own `expect`: the global one polls only for whichever test vitest calls the current one
test.concurrent.for(places)("an issue is merged into base, which is named in %s", async (place, { expect }) => {
	await using shop = await TestDaemon.open();
	const { slug, repository, add } = await shop.project({ "a.txt": "one\n" });
	const commit = (file: string, text: string): void => {
		writeFileSync(path.join(repository, file), text);
		git(repository, "add", file);
		git(repository, "commit", "--quiet", "-m", file);
	};
	git(repository, "branch", "develop");
	if (place === ".brood.yaml") commit(place, "base: develop\n");
	if (place === "config.yaml") {
		const folder = path.join(shop.home, "projects", slug);
		mkdirSync(folder, { recursive: true });
		writeFileSync(path.join(folder, place), "base: develop\n");
	}
	// what only develop has is no work of the issue, and must not reach main
	git(repository, "checkout", "--quiet", "develop");
	commit("develop.txt", "only there\n");
	git(repository, "checkout", "--quiet", "main");
	const before = { main: git(repository, "rev-parse", "main"), develop: git(repository, "rev-parse", "develop") };
	const agent = await add();
	const { number } = await shop.client.call("issueAdd", {
		params: { project: slug },
		body: { title: "Paint it", body: "write paint.txt red\ncommit Paint", preset: "lean" },
	});
	const where = { params: { issue: `${slug}#${number}` } };
	await shop.client.call("issueAssign", { ...where, body: { agent: agent.id } });
	const shown = async () => await shop.client.call("issue", where);
	await expect.poll(async () => (await shown()).waiting).toBe("approval");
	const { files } = await shop.client.call("issueDiff", where);
	expect(files.map(({ path: file }) => file)).toEqual(["paint.txt"]);
	await shop.client.call("issueApprove", { ...where, body: {} });
	await expect.poll(async () => (await shown()).stage).toBe("DONE");
	const [target, other] = place === "no file" ? (["main", "develop"] as const) : (["develop", "main"] as const);
	expect(git(repository, "rev-parse", target)).toBe((await shown()).mergedCommit);
	expect(git(repository, "show", `${target}:paint.txt`)).toBe("red");
	expect(git(repository, "rev-parse", other)).toBe(before[other]);
});
