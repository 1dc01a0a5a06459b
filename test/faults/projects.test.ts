// A project that is broken is a problem of its own: it is named with what to do about it, and every other project
// works, at the start of the daemon and while it runs.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Shell, shell } from "#test/support/cli.ts";
import { freshRepository } from "#test/support/repository.ts";

/** What happens to a project, what is said of it then, and how it is undone. */
interface Breakage {
	breaks(repository: string, home: string): void;
	mends(repository: string, home: string): void;
	/** in `project list` and `doctor` */
	says: RegExp;
	fix: RegExp;
	/** the code that `agent health` has for it */
	code: string;
}

const gitConfig = (repository: string): string => path.join(repository, ".git", "config");
const own = (home: string, slug: string): string => path.join(home, "projects", slug, "config.yaml");
const mended = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";

const makePipe = "mkfifo";
function pipeAt(file: string): void {
	rmSync(file);
	execFileSync(makePipe, [file]);
}

const breakages: Record<string, Breakage> = {
	gone: {
		breaks: (repository) => renameSync(repository, `${repository}.away`),
		mends: (repository) => renameSync(`${repository}.away`, repository),
		says: /its folder .* is gone/,
		fix: /brood project remove gone/,
		code: "REPOSITORY_UNUSABLE",
	},
	misconfigured: {
		breaks: (repository) => writeFileSync(gitConfig(repository), "[core\nnonsense"),
		mends: (repository) => writeFileSync(gitConfig(repository), mended),
		says: /git cannot use its repository .*bad config line 1/,
		fix: /git -C .* status/,
		code: "REPOSITORY_UNUSABLE",
	},
	headless: {
		breaks: (repository) => writeFileSync(path.join(repository, ".git", "HEAD"), "\0\0\0"),
		mends: (repository) => writeFileSync(path.join(repository, ".git", "HEAD"), "ref: refs/heads/main\n"),
		says: /git cannot use its repository .*not a git repository/,
		fix: /git -C .* status/,
		code: "REPOSITORY_UNUSABLE",
	},
	piped: {
		breaks: (repository) => pipeAt(path.join(repository, ".git", "HEAD")),
		mends: (repository) => {
			rmSync(path.join(repository, ".git", "HEAD"));
			writeFileSync(path.join(repository, ".git", "HEAD"), "ref: refs/heads/main\n");
		},
		says: /git cannot use its repository .*HEAD is not a regular file/,
		fix: /git -C .* status/,
		code: "REPOSITORY_UNUSABLE",
	},
	emptied: {
		breaks: (repository) =>
			renameSync(path.join(repository, ".git", "objects"), path.join(repository, ".git", "objects.away")),
		mends: (repository) =>
			renameSync(path.join(repository, ".git", "objects.away"), path.join(repository, ".git", "objects")),
		says: /git cannot use its repository/,
		fix: /git -C .* status/,
		code: "REPOSITORY_UNUSABLE",
	},
	baseless: {
		breaks: (repository) =>
			writeFileSync(path.join(repository, ".git", "refs", "heads", "main"), `${"1".repeat(40)}\n`),
		mends: (repository) => rmSync(path.join(repository, ".git", "refs", "heads", "main")),
		says: /its base branch main/,
		fix: /^echo [0-9a-f]{40} > \S+\/refs\/heads\/main$/,
		code: "REPOSITORY_UNUSABLE",
	},
	misspelt: {
		breaks: (_, home) => writeFileSync(own(home, "misspelt"), "base: main\nsetpu: npm ci\n"),
		mends: (_, home) => rmSync(own(home, "misspelt")),
		says: /config\.yaml:2:1: .*setpu/,
		fix: /misspelt\/config\.yaml/,
		code: "PROJECT_CONFIG",
	},
	unparsable: {
		breaks: (_, home) => writeFileSync(own(home, "unparsable"), "a: [1\nb: }\n"),
		mends: (_, home) => rmSync(own(home, "unparsable")),
		says: /config\.yaml:\d+:\d+: /,
		fix: /unparsable\/config\.yaml/,
		code: "PROJECT_CONFIG",
	},
	blocked: {
		breaks: (_, home) => mkdirSync(own(home, "blocked")),
		mends: (_, home) => rmSync(own(home, "blocked"), { recursive: true }),
		says: /config\.yaml: it is not a file/,
		fix: /blocked\/config\.yaml/,
		code: "PROJECT_CONFIG",
	},
};

const slugs = Object.keys(breakages);
const repositories = new Map([...slugs, "sound"].map((slug) => [slug, freshRepository({ "file.txt": "one\n" })]));
let sh: Shell;

/** whatever JSON.parse gives */
type Parsed = ReturnType<typeof JSON.parse>;

async function api(method: string, place: string, body?: object): Promise<Parsed> {
	const { url }: { url: string } = JSON.parse(readFileSync(path.join(sh.home, "daemon.json"), "utf8"));
	const headers = {
		authorization: `Bearer ${readFileSync(path.join(sh.home, "token"), "utf8").trim()}`,
		"content-type": "application/json",
	};
	return await (
		await fetch(`${url}/api/${place}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
	).json();
}

beforeAll(async () => {
	sh = shell();
	await sh.brood("up");
	for (const [slug, repository] of repositories) await api("POST", "projects", { slug, path: repository });
	await Promise.all(
		[...repositories.keys()].map((slug) =>
			api("POST", `projects/${slug}/agents`, { name: `of-${slug}`, agentType: "scripted" }),
		),
	);
	for (const slug of ["gone", "sound"]) await api("POST", `projects/${slug}/configure`, { auto: true, agentsMax: 1 });
	await sh.brood("down");
	for (const slug of slugs) breakages[slug]?.breaks(repositories.get(slug) ?? "", sh.home);
	// what a daemon starts with
	await sh.brood("up");
}, 120_000);
afterAll(async () => await sh[Symbol.asyncDispose]());

test("the daemon starts, and a project that is sound works", async () => {
	const status = await sh.json("status");
	expect([status.code, status.data?.agents]).toEqual([0, slugs.length + 2]);
	expect(status.data.problems.map(({ what }: Parsed) => what).sort()).toEqual(
		slugs.map((slug) => `project ${slug}`).sort(),
	);
	const turn = await sh.json("prompt", "of-sound", "say hello", "--wait");
	expect([turn.code, turn.data?.state]).toEqual([0, "completed"]);
});

test("project list, doctor and agents' health name each, with what to do", async () => {
	const projects = (await api("GET", "projects?check=true")).data;
	const doctor = await sh.json("doctor");
	for (const [slug, { says, fix, code }] of Object.entries(breakages)) {
		const problem = { code, text: expect.stringMatching(says), fix: expect.stringMatching(fix) };
		expect(projects.find((each: Parsed) => each.slug === slug)).toMatchObject({ slug, problem });
		const { name, ...found } = doctor.data.findings.find((each: Parsed) => each.name === `project ${slug}`) ?? {};
		expect([name, found]).toEqual([`project ${slug}`, { ok: false, text: problem.text, fix: problem.fix }]);
		expect([slug, (await api("GET", `agents/of-${slug}/health`)).data.issues]).toEqual([
			slug,
			expect.arrayContaining([problem]),
		]);
	}
	expect(projects.find((each: Parsed) => each.slug === "sound")).toMatchObject({ problem: null });
	expect(doctor.code).toBe(1);
	const { out } = await sh.brood("project", "list");
	expect(out).toMatch(/^PROJECT +PATH +PROBLEM$/m);
	expect(out).toMatch(/^gone .*is gone \(put it back/m);
});

test("what needs a broken project is refused with a sentence, and never as an internal error", async () => {
	const codes = new Set<string>();
	for (const slug of slugs) {
		for (const [method, place, body] of [
			["GET", `projects/${slug}/settings`],
			["POST", `projects/${slug}/issues`, { title: "Words" }],
			["GET", `projects/${slug}/presets`],
			["GET", `agents/of-${slug}/diff`],
			["POST", `agents/of-${slug}/sync`, {}],
			["POST", `projects/${slug}/gc`, { dryRun: true }],
		] as const) {
			const { error } = await api(method, place, body);
			expect([slug, place, error]).not.toMatchObject([slug, place, { code: "INTERNAL_ERROR" }]);
			if (error !== undefined) codes.add(error.code);
		}
	}
	expect([...codes].sort()).toEqual(expect.arrayContaining(["REPOSITORY_UNUSABLE", "VALIDATION_ERROR"]));
});

test("what is mended while the daemon runs works again, and what breaks then is named", async () => {
	for (const slug of slugs) if (slug !== "baseless") breakages[slug]?.mends(repositories.get(slug) ?? "", sh.home);
	await expect
		.poll(async () => (await api("GET", "status")).data.problems.map(({ what }: Parsed) => what), { timeout: 30_000 })
		.toEqual(["project baseless"]);
	const withProblems = async (): Promise<string[]> =>
		(await api("GET", "projects?check=true")).data
			.filter(({ problem }: Parsed) => problem !== null)
			.map(({ slug }: Parsed) => slug);
	expect(await withProblems()).toEqual(["baseless"]);
	for (const slug of ["misspelt", "gone"]) {
		const turn = await sh.json("prompt", `of-${slug}`, "say hello", "--wait");
		expect([slug, turn.code, turn.data?.state]).toEqual([slug, 0, "completed"]);
	}
	breakages["gone"]?.breaks(repositories.get("gone") ?? "", sh.home);
	expect((await withProblems()).sort()).toEqual(["baseless", "gone"]);
	const { data: issue } = await api("POST", "projects/sound/issues", { title: "Another" });
	expect(issue).toMatchObject({ project: "sound", title: "Another" });
});

test.each([
	["names a commit that is not there", `${"1".repeat(40)}\n`],
	["is garbage", "garbage\n"],
	["is empty, as after a power cut", ""],
])("a base branch whose ref %s is back after the command that is suggested", async (_, ref) => {
	const repository = repositories.get("sound") ?? "";
	writeFileSync(path.join(repository, ".git", "refs", "heads", "main"), ref);
	const problem = async (): Promise<Parsed> =>
		(await api("GET", "projects?check=true")).data.find(({ slug }: Parsed) => slug === "sound").problem;
	const { fix } = await problem();
	execFileSync("sh", ["-c", fix]);
	expect(await problem()).toBeNull();
});

test("a repository that git can never finish reading keeps neither the daemon nor another project waiting", async () => {
	await sh.brood("down");
	const ref = path.join(repositories.get("piped") ?? "", ".git", "refs", "heads", "main");
	pipeAt(ref);
	await sh.brood("up");
	const { data } = await api("GET", "status");
	expect(data.problems.find(({ what }: Parsed) => what === "project piped")).toMatchObject({
		text: expect.stringMatching(/git has not answered/),
	});
	const turn = await sh.json("prompt", "of-sound", "say hello", "--wait");
	expect([turn.code, turn.data?.state]).toEqual([0, "completed"]);
});
