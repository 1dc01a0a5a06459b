// `brood pr` and `brood issue diff`, as a shell runs them: real pushes through a fake ssh, and fakes of gh
// and glab that record what they are called with.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Shell, shell } from "#test/support/cli.ts";
import { freshRepository } from "#test/support/repository.ts";
import { freshFolder } from "#test/support/stores.ts";
import { git } from "#test/support/test-daemon.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** the server's repositories, and what the programs wrote down */
const [root, bin, notes] = [freshFolder(), freshFolder(), freshFolder()];
let sh: Shell;
let web: string;
let lab: string;

const note = (name: string): string => {
	const file = path.join(notes, name);
	return existsSync(file) ? readFileSync(file, "utf8") : "";
};

/** Opens one pull request, and finds it from then on. `login-PROGRAM` has the exit code of `auth status`. */
const forge = (program: string, field: string, page: string): string => `#!/bin/sh
printf '%s\\n' "$@" >> ${notes}/argv-${program}
printf '%s\\n' "[$GH_TOKEN$GH_ENTERPRISE_TOKEN$GITLAB_TOKEN]" >> ${notes}/tokens-${program}
printf '%s\\n' -- "$PWD" >> ${notes}/argv-${program}
[ "$1 $2" = "auth status" ] && exit "$(cat ${notes}/login-${program} 2>/dev/null || echo 0)"
case "$*" in
*"--method POST"*)
  cat > ${notes}/body-${program}
  [ -e ${notes}/fails ] && { echo '{"message":"Validation Failed"}'; echo "${program}: Validation Failed (HTTP 422)" >&2; exit 1; }
  touch ${notes}/open-${program}
  echo '{"${field}":"${page}"}' ;;
*) if [ -e ${notes}/open-${program} ]; then echo '[{"${field}":"${page}"}]'; else echo '[]'; fi ;;
esac
`;

function program(name: string, text: string): void {
	writeFileSync(path.join(bin, name), text);
	chmodSync(path.join(bin, name), 0o755);
}

/** A repository whose `origin` is on a server. */
function project(address: string): string {
	const folder = freshRepository({ "a.txt": "a\n" });
	const name = address.replace(/^.*\.com[:/]/, "");
	git(root, "clone", "--quiet", "--bare", folder, path.join(root, name));
	git(folder, "remote", "add", "origin", address);
	return folder;
}

/** The subject of the newest commit of a branch on the server; empty if there is none. */
const there = (repository: string, branch: string): string =>
	git(path.join(root, repository), "for-each-ref", "--format=%(subject)", `refs/heads/${branch}`);

beforeAll(async () => {
	program("ssh", `#!/bin/sh\nfor command; do :; done\ncd ${root}; exec sh -c "$(echo "$command" | sed "s,'/,',")"\n`);
	const tokens = { GH_TOKEN: "github's", GH_ENTERPRISE_TOKEN: "theirs", GITLAB_TOKEN: "theirs" };
	sh = shell(freshFolder(), undefined, { PATH: `${bin}:${process.env["PATH"]}`, ...tokens });
	[web, lab] = [project("git@github.com:acme/web.git"), project("ssh://git@gitlab.example.com/group/sub/lab.git")];
	await sh.brood("project", "add", web, "--name", "web");
	await sh.brood("project", "add", lab, "--name", "lab");
	for (const [name, slug] of [
		["ann", "web"],
		["bob", "web"],
		["cat", "lab"],
	] as const)
		await sh.brood("agent", "add", name, "--project", slug, "--type", "scripted");
});
afterAll(async () => await sh[Symbol.asyncDispose]());
beforeEach(() => {
	rmSync(notes, { recursive: true });
	mkdirSync(notes);
	program("gh", forge("gh", "html_url", "https://github.com/acme/web/pull/7"));
	program("glab", forge("glab", "web_url", "https://gitlab.example.com/group/sub/lab/-/merge_requests/3"));
});

const workspace = async (agent: string): Promise<string> =>
	(await sh.json("agent", "status", agent)).data.workspace.path;

async function work(agent: string, file: string, message: string): Promise<void> {
	writeFileSync(path.join(await workspace(agent), file), `${file}\n`);
	expect((await sh.brood("commit", agent, `--message=${message}`)).code).toBe(0);
}

test("an agent's branch is pushed and opened by gh; what the agent wrote is not an argument; again, it is updated", async () => {
	expect(await sh.json("pr", "web/ann")).toMatchObject({ code: 1, error: { code: "AGENT_NO_COMMIT" } });
	writeFileSync(path.join(await workspace("web/ann"), "b.txt"), "b\n");
	expect(await sh.json("pr", "web/ann")).toMatchObject({ code: 1, error: { code: "WORKTREE_DIRTY" } });
	await work("web/ann", "b.txt", "--web=@/etc/passwd -d\n\n--title=evil");
	expect((await sh.brood("pr", "web/ann", "--dry-run")).out).toContain("  | --web=@/etc/passwd -d\n  | --title=evil");
	expect(note("argv-gh")).toBe("");
	expect(there("acme/web.git", "brood/ann")).toBe("");

	const opened = await sh.brood("pr", "web/ann");
	expect(opened).toMatchObject({ code: 0, err: "" });
	expect(opened.out).toBe("pushed brood/ann (1 commit) to origin\nopened https://github.com/acme/web/pull/7\n");
	expect(there("acme/web.git", "brood/ann")).toBe("--web=@/etc/passwd -d");
	const calls = note("argv-gh").split("\n--\n/\n").filter(Boolean);
	expect(calls.map((call) => call.split("\n"))).toEqual([
		["auth", "status", "--hostname", "github.com"],
		["api", "--hostname", "github.com", "repos/acme/web/pulls?state=open&head=acme%3Abrood%2Fann&base=main"],
		["api", "--hostname", "github.com", "--method", "POST", "repos/acme/web/pulls", "--input", "-"],
	]);
	const body = {
		title: "--web=@/etc/passwd -d",
		body: "--title=evil",
		head: "acme:brood/ann",
		base: "main",
		draft: false,
	};
	expect(JSON.parse(note("body-gh"))).toEqual(body);
	expect(new Set(note("tokens-gh").trim().split("\n"))).toEqual(new Set(["[github's]"]));

	await work("web/ann", "c.txt", "More");
	const { data } = await sh.json("pr", "web/ann");
	expect(data).toMatchObject({
		url: "https://github.com/acme/web/pull/7",
		alreadyOpen: true,
		pushed: true,
		commits: 2,
	});
	expect(there("acme/web.git", "brood/ann")).toBe("More");
	const { data: events } = await sh.json("events", "--kind", "workspace.pushed");
	expect(events).toHaveLength(2);
});

test("who is not logged in is told before anything is pushed; --link does without; so does a machine without gh", async () => {
	await work("web/bob", "d.txt", "Add d");
	writeFileSync(path.join(notes, "login-gh"), "1");
	const refused = await sh.brood("pr", "web/bob");
	expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("try: gh auth login --hostname github.com")]);
	expect(there("acme/web.git", "brood/bob")).toBe("");
	const linked = await sh.brood("pr", "web/bob", "--link");
	expect(linked.out).toContain("https://github.com/acme/web/compare/main...brood/bob?expand=1&title=Add%20d\n");
	expect(there("acme/web.git", "brood/bob")).toBe("Add d");
	rmSync(path.join(bin, "gh"));
	expect((await sh.brood("pr", "web/bob")).out).toContain(
		"open the pull request here: https://github.com/acme/web/compare/",
	);
	// a password in the address is never shown
	git(web, "remote", "set-url", "origin", "https://ann:secret@github.com/acme/web.git");
	const { data } = await sh.json("pr", "web/bob", "--dry-run");
	expect([data.link, JSON.stringify(data)]).toEqual([
		linked.out.trim().split(" ").at(-1),
		expect.not.stringContaining("secret"),
	]);
	git(web, "remote", "remove", "origin");
	expect(await sh.json("pr", "web/bob")).toMatchObject({ code: 1, error: { code: "NOT_FOUND" } });
	git(web, "remote", "add", "origin", path.join(root, "acme/web.git"));
	expect((await sh.brood("pr", "web/bob")).out).toContain("origin is a folder on this machine");
});

test("a rejected push and a refusal of the forge are told, and nothing is forced", async () => {
	await work("lab/cat", "e.txt", "Add e");
	writeFileSync(path.join(notes, "fails"), "");
	const failed = await sh.brood("pr", "lab/cat", "--draft", "--title", "Mine");
	expect([failed.code, failed.err]).toEqual([
		1,
		expect.stringMatching(/was pushed, but glab could not open[\s\S]*HTTP 422/),
	]);
	expect(JSON.parse(note("body-glab"))).toEqual({
		title: "Draft: Mine",
		description: "",
		source_branch: "brood/cat",
		target_branch: "main",
	});
	expect(note("argv-glab")).toContain("projects/group%2Fsub%2Flab/merge_requests\n--input\n-\n");
	// the repository names the server, so it gets no token that the environment has for another one
	expect(new Set(note("tokens-glab").trim().split("\n"))).toEqual(new Set(["[github's]"]));
	const folder = await workspace("lab/cat");
	git(folder, "-c", "user.name=c", "-c", "user.email=c@localhost", "commit", "--quiet", "--amend", "--message=Other e");
	const rejected = await sh.json("pr", "lab/cat");
	expect(rejected).toMatchObject({
		code: 1,
		error: { code: "CONFLICT", message: expect.stringContaining("Brood never does") },
	});
	expect(there("group/sub/lab.git", "brood/cat")).toBe("Add e");
});

test("an issue's diff is what its branch changes, by every name, before and after the merge; its pull request has its words", async () => {
	const body = "write f.txt font\ncommit Use Inter\nwork_complete ok";
	await sh.brood("issue", "add", "--project", "lab", "--body", body, "--", "-draft the font");
	expect((await sh.brood("issue", "diff", "lab#1")).out).toBe("no commits yet\n");
	expect(await sh.json("pr", "lab#1")).toMatchObject({ code: 1, error: { code: "AGENT_NO_COMMIT" } });
	await sh.brood("agent", "add", "dora", "--project", "lab", "--type", "scripted");
	await sh.brood("issue", "assign", "lab#1", "lab/dora");
	expect(
		(await sh.brood("issue", "wait", "lab#1", "--for", "stage", "--stage", "IN_REVIEW", "--timeout", "30")).code,
	).toBe(0);
	const there1 = sh.within(lab);
	const all = await Promise.all([
		sh.brood("issue", "diff", "lab#1"),
		sh.brood("diff", "lab#1"),
		there1.brood("diff", "#1"),
		there1.brood("issue", "diff", "1"),
	]);
	expect(new Set(all.map(({ out }) => out)).size).toBe(1);
	expect(all[0]?.out).toContain("\n+font\n");
	expect((await sh.brood("diff", "lab#1", "--stat")).out).toMatch(/\+1 +-0 +f\.txt/);
	const { data } = await sh.json("pr", "lab#1");
	expect(data).toMatchObject({ title: "-draft the font", url: expect.stringContaining("/merge_requests/3") });
	expect(JSON.parse(note("body-glab")).description).toBe(`${body}\n\n- Use Inter`);
	expect(note("argv-glab")).not.toContain("draft the font");
	expect((await sh.brood("approve", "lab#1")).code).toBe(0);
	expect((await sh.brood("issue", "diff", "lab#1")).out).toContain("\n+font\n");
	expect(await sh.json("pr", "lab#1")).toMatchObject({ code: 1, error: { code: "CONFLICT" } });
});
