// The base that a project's settings name counts for issues too, whatever branch was checked out when it was added.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "vitest";
import { git, refusal, TestDaemon } from "#test/support/test-daemon.ts";

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

test.concurrent("an agent of another base has the project's while it works on an issue, and its own again", async ({
	expect,
}) => {
	await using shop = await TestDaemon.open();
	const { slug, repository, add } = await shop.project({ "a.txt": "one\n" });
	git(repository, "checkout", "--quiet", "-b", "release");
	writeFileSync(path.join(repository, "release.txt"), "only there\n");
	git(repository, "add", "release.txt");
	git(repository, "commit", "--quiet", "-m", "release.txt");
	git(repository, "checkout", "--quiet", "main");
	const agent = await add({ name: "worktree", from: "release" });
	const { number } = await shop.client.call("issueAdd", {
		params: { project: slug },
		body: { title: "Paint it", body: "write paint.txt red\ncommit Paint", preset: "lean" },
	});
	const where = { params: { issue: `${slug}#${number}` } };
	// one that stays on its branch would bring the commit of release along
	const clone = await add({ name: "clone", workspace: "clone", from: "release" });
	expect(await refusal(shop.client.call("issueAssign", { ...where, body: { agent: clone.id } }))).toMatchObject({
		code: "CONFLICT",
		message: `clone stays on its own branch, which began at release; issues of ${slug} are merged into main.`,
	});
	await shop.client.call("issueAssign", { ...where, body: { agent: agent.id } });
	const shown = async () => await shop.client.call("issue", where);
	await expect.poll(async () => (await shown()).waiting).toBe("approval");
	expect((await shop.now(agent)).workspace).toMatchObject({ base: "main", branch: `issue/${number}-paint-it` });
	const { files } = await shop.client.call("issueDiff", where);
	expect(files.map(({ path: file }) => file)).toEqual(["paint.txt"]);
	await shop.client.call("issueApprove", { ...where, body: {} });
	await expect.poll(async () => (await shown()).stage).toBe("DONE");
	expect(git(repository, "ls-tree", "--name-only", "main").split("\n")).toEqual(["a.txt", "paint.txt"]);
	await expect.poll(async () => (await shop.now(agent)).issue).toBe(null);
	const { workspace } = await shop.now(agent);
	expect(workspace).toMatchObject({ base: "release", branch: "brood/worktree" });
	expect(git(workspace?.path ?? "", "rev-parse", "HEAD")).toBe(git(repository, "rev-parse", "release"));
});
