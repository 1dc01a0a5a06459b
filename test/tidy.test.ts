// Style is a test: the import table, lengths, banned calls with their replacement, dead files, stale generated files.
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { bannedIn } from "#tools/banned.ts";
import { folders, layers, programs, roots } from "#tools/folders.ts";
import { generated } from "#tools/generate.ts";
import { castsIn, importsOf, loadedWith, longFunctions, trackedFiles, wideLines } from "#tools/source.ts";

const files = trackedFiles();
const sources = files.filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"));
const inSrc = sources.filter((file) => file.startsWith("src/") && !isTest(file));
const text = (file: string): string => readFileSync(file, "utf8");

function isTest(file: string): boolean {
	return file.startsWith("test/") || file.endsWith(".test.ts");
}

test("tidy sees the tree", () => {
	expect(inSrc.length).toBeGreaterThan(30);
	expect(sources.filter(isTest).length).toBeGreaterThan(5);
});

test("every file of src imports only what its folder may", () => {
	const wrong = inSrc.flatMap((file) =>
		importsOf(file, text(file)).flatMap((imported) => complaint(file, imported) ?? []),
	);
	expect(wrong).toEqual([]);
});

test("the import rule notices an import that is not allowed", () => {
	expect(complaint("src/domain/agent/decide.ts", "#engine/ports.ts")).toBe(
		"src/domain/agent/decide.ts must not import #engine/ports.ts",
	);
	expect(complaint("src/domain/agent/decide.ts", "../../engine/ports.ts")).toBe(
		"src/domain/agent/decide.ts must not import ../../engine/ports.ts",
	);
	expect(complaint("src/engine/publish.ts", "node:fs")).toBe("src/engine/publish.ts must not import node:fs");
	expect(complaint("src/adapters/system/clock.ts", "#engine/dispatch.ts")).toBe(
		"src/adapters/system/clock.ts must not import #engine/dispatch.ts",
	);
	expect(complaint("src/domain/agent/decide.ts", "#contract/agent.ts")).toBeNull();
});

test("tools import neither tests nor benches, and tests no benches: top-level folders have no cycle", () => {
	const wrong = sources.flatMap((file) => importsOf(file, text(file)).flatMap((each) => upwards(file, each) ?? []));
	expect(wrong).toEqual([]);
	expect(upwards("tools/a.ts", "#test/b.ts")).toBe("tools/a.ts must not import #test/b.ts");
	expect(upwards("test/a/b.ts", "../../bench/c.ts")).toBe("test/a/b.ts must not import ../../bench/c.ts");
	expect(upwards("bench/a.ts", "#test/b.ts")).toBeNull();
});

/** Each may import those before it. */
const topLevel = ["tools", "test", "bench"];

function upwards(file: string, imported: string): string | null {
	const [from, to] = [file, resolved(file, imported) ?? ""].map((each) =>
		topLevel.indexOf(each.split("/", 1)[0] ?? ""),
	);
	return from !== undefined && to !== undefined && from !== -1 && to > from
		? `${file} must not import ${imported}`
		: null;
}

function complaint(file: string, imported: string): string | null {
	const inner = file.slice("src/".length);
	if (roots.includes(inner)) return null;
	const [folder, rule] = Object.entries(folders).find(([name]) => inner.startsWith(`${name}/`)) ?? [];
	if (folder === undefined || rule === undefined) return `${file} is in no folder of the import table`;
	const wrong = `${file} must not import ${imported}`;
	const target = imported.startsWith(".")
		? path.posix.join(path.posix.dirname(inner), imported)
		: imported.startsWith("#")
			? imported.slice(1)
			: null;
	if (target === null) {
		const allowed = rule.mayUse.some((name) => (name === "node:*" ? imported.startsWith("node:") : imported === name));
		return allowed ? null : wrong;
	}
	const reachable = [folder, ...rule.mayImport].some((name) => target === name || target.startsWith(`${name}/`));
	return reachable ? null : wrong;
}

test("a folder inside a folder imports only those below it", () => {
	const wrong = inSrc.flatMap((file) =>
		importsOf(file, text(file)).flatMap((imported) => upward(file, resolved(file, imported)) ?? []),
	);
	expect(wrong).toEqual([]);
	for (const [folder, names] of Object.entries(layers)) {
		const there = new Set(
			inSrc.flatMap((file) => /^([^/]+)\//.exec(file.replace(`src/${folder}/`, "\0").split("\0")[1] ?? "")?.[1] ?? []),
		);
		expect([...there].toSorted()).toEqual([...names].toSorted());
	}
});

test("the order of folders notices an import from below", () => {
	const [low, high] = ["src/adapters/git/run/git.ts", "src/adapters/git/verbs/commit.ts"];
	expect(upward(low, high)).toBe(`${low} must not import ${high}: adapters/git/run is below adapters/git/verbs`);
	expect(upward(high, low)).toBeNull();
	expect(upward("src/adapters/git/workspaces.ts", low)).toBeNull();
	expect(upward(low, "src/adapters/git/workspaces.ts")).toBe(
		`${low} must not import src/adapters/git/workspaces.ts: it stands above every folder of adapters/git`,
	);
});

function upward(file: string, target: string | null): string | null {
	for (const [folder, names] of Object.entries(layers)) {
		const [from, to] = [file, target ?? ""].map((name) =>
			name.startsWith(`src/${folder}/`) ? name.slice(`src/${folder}/`.length).split("/") : null,
		);
		if (from === null || to === null || from === undefined || to === undefined || from.length === 1) continue;
		if (to.length === 1) return `${file} must not import ${target}: it stands above every folder of ${folder}`;
		const [low, high] = [names.indexOf(from[0] ?? ""), names.indexOf(to[0] ?? "")];
		if (low < high) return `${file} must not import ${target}: ${folder}/${from[0]} is below ${folder}/${to[0]}`;
	}
	return null;
}

test("nothing in src imports itself through others, neither a file nor a folder", () => {
	const edges = new Map(
		inSrc.map((file) => [file, importsOf(file, text(file)).flatMap((imported) => resolved(file, imported) ?? [])]),
	);
	expect(circlesIn(edges)).toEqual([]);
});

test("the search for circles finds them between files, between folders and between a folder and a file beside it", () => {
	const found = (edges: Record<string, string[]>): string[] => circlesIn(new Map(Object.entries(edges)));
	expect(found({ "src/a/x.ts": ["src/a/y.ts"], "src/a/y.ts": ["src/a/x.ts"] })).toEqual(["src/a: x.ts → y.ts → x.ts"]);
	const folders = {
		"src/a/x.ts": ["src/b/x.ts"],
		"src/b/x.ts": ["src/b/y.ts"],
		"src/b/y.ts": [],
		"src/b/z.ts": ["src/c/x.ts"],
		"src/c/x.ts": ["src/a/y.ts"],
		"src/a/y.ts": [],
	};
	expect(found(folders)).toEqual(["src: a → b → c → a"]);
	expect(found({ "src/a.ts": ["src/a/x.ts"], "src/a/x.ts": ["src/b.ts"], "src/b.ts": [] })).toEqual([]);
	expect(
		found({
			"src/a.ts": ["src/a/x.ts"],
			"src/a/x.ts": ["src/a/y.ts", "src/b.ts"],
			"src/a/y.ts": [],
			"src/b.ts": ["src/a/y.ts"],
		}),
	).toEqual(["src: a → b.ts → a"]);
});

/**
 * In every folder, its files and its folders are looked at as one thing each; a circle among them is told with its
 * shortest road.
 */
function circlesIn(edges: ReadonlyMap<string, readonly string[]>): string[] {
	const levels = new Map<string, Map<string, Set<string>>>();
	for (const [file, targets] of edges) {
		for (const target of targets) {
			const [from, to] = [file.split("/"), target.split("/")];
			const apart = from.findIndex((part, at) => part !== to[at]);
			const [level, one, other] = [from.slice(0, apart).join("/"), from[apart], to[apart]];
			if (apart < 1 || one === undefined || other === undefined) continue;
			const graph = levels.get(level) ?? new Map<string, Set<string>>();
			levels.set(level, graph.set(one, (graph.get(one) ?? new Set()).add(other)));
		}
	}
	return [...levels].flatMap(([level, graph]) => {
		const circles = [...graph.keys()]
			.toSorted()
			.flatMap((start) => [shortestBack(graph, start)].filter((road) => road !== null));
		// each circle once, from its first name on
		return circles
			.filter((road) => road.every((name) => name >= (road[0] ?? "")))
			.map((road) => `${level}: ${road.join(" → ")}`);
	});
}

function shortestBack(graph: ReadonlyMap<string, ReadonlySet<string>>, start: string): string[] | null {
	const seen = new Set<string>();
	for (let roads = [[start]]; roads.length > 0; ) {
		const further: string[][] = [];
		for (const road of roads) {
			for (const next of graph.get(road.at(-1) ?? "") ?? []) {
				if (next === start) return [...road, start];
				if (!seen.has(next)) further.push([...road, next]);
				seen.add(next);
			}
		}
		roads = further;
	}
	return null;
}

test("events are looked for under kinds that exist", () => {
	const kinds = new Set(
		inSrc.flatMap((file) =>
			file.startsWith("src/contract/")
				? [...text(file).matchAll(/\b(?:event|textEvent|literal)\(\s*"(\w+\.\w+)"/g)].map(([, kind]) => kind)
				: [],
		),
	);
	expect(kinds.size).toBeGreaterThan(80);
	const unknown = (source: string): string[] =>
		[...source.matchAll(/\bkind\)? (?:===|!==) "(\w+\.\w+)"|"(\w+\.\w+)"[^[\]\n]*\]\.includes\((?:\w+\.)?kind\)/g)]
			.map(([, one, listed]) => one ?? listed ?? "")
			.filter((kind) => !kinds.has(kind));
	expect(inSrc.flatMap((file) => unknown(text(file)).map((kind) => `${file}: ${kind}`))).toEqual([]);
	expect(unknown('event.kind === "issue.raedy"')).toEqual(["issue.raedy"]);
	expect(unknown('["issue.raedy", "turn.ended"].includes(event.kind)')).toEqual(["issue.raedy"]);
});

test("lines are at most 120 wide, but for what is in a string: that stays whole, to be found by searching", () => {
	const wide = (source: string): string[] => wideLines("x.ts", source, 120);
	expect(sources.flatMap((file) => wideLines(file, text(file), 120))).toEqual([]);
	const [most, more] = ["w".repeat(115), "w".repeat(116)];
	expect([wide(`\t// ${most}`), wide(`\n\t// ${more}`)]).toEqual([[], ["x.ts:2"]]);
	for (const fine of [`say("${more}");`, `say(\`${more}\n${more} \${name}\`);`, `/${more}/.test(name);`])
		expect([fine, wide(fine)]).toEqual([fine, []]);
	for (const wrong of [`${more}("a");`, `say(\`\${${more}}\`);`, `say("a"); // ${more}`])
		expect([wrong, wide(wrong)]).toEqual([wrong, ["x.ts:1"]]);
});

test("files are at most 300 lines long, tests 500", () => {
	const lines = (file: string): number => text(file).split("\n").length - 1;
	const long = sources.filter((file) => lines(file) > (isTest(file) ? 500 : 300));
	expect(long).toEqual([]);
});

test("functions are at most 70 lines long", () => {
	expect(sources.filter((file) => !isTest(file)).flatMap((file) => longFunctions(file, text(file), 70))).toEqual([]);
	const long = `export function long() {\n${"\tcall();\n".repeat(80)}}\n`;
	expect(longFunctions("src/x.ts", long, 70)).toEqual(["src/x.ts:1 has a function of 82 lines"]);
});

test("banned calls are not used", () => {
	expect(sources.flatMap((file) => bannedIn(file, text(file)))).toEqual([]);
	expect(bannedIn("src/domain/x.ts", "const now = Date.now();")).toEqual([
		"src/domain/x.ts: Date.now → time arrives with the command (Clock port)",
	]);
});

test("no failure is swallowed without a word", () => {
	const swallows = [
		...[
			"work().catch(() => {});",
			"work().catch((error) => {});",
			"work().catch(() => undefined);",
			"work().catch(\n\t() => {},\n);".replace(",\n)", ")"),
		],
		...[
			"void work().then(done, () => {});",
			'pipe.on("error", () => {});',
			"try { work(); } catch {}",
			"try {\n\twork();\n} catch (error) {\n}",
		],
	];
	for (const text of swallows) expect([text, bannedIn("src/engine/x.ts", text).length]).toEqual([text, 1]);
	const fine = [
		...[
			'work().catch(expected("why"));',
			'work().catch(caught(log, "x", "It failed"));',
			"work().catch(() => null);",
			"work().then(() => {});",
		],
		...["try {\n\twork();\n} catch {\n\t// nobody is left in it\n}"],
	];
	for (const text of fine) expect([text, bannedIn("src/engine/x.ts", text)]).toEqual([text, []]);
});

test("git is run in one place and destroys in one place", () => {
	const said = (file: string, line: string): string | undefined =>
		bannedIn(file, line)[0]?.split(":")[1]?.split("→")[0]?.trim();
	expect(said("src/adapters/git/x.ts", 'spawn("git", args);')).toBe("running git");
	for (const args of [
		'"reset", "-q", "--hard"',
		'"clean", "-fd"',
		'"worktree", "remove", "x"',
		'"branch", "-D", "x"',
		'"checkout", "-f"',
		'"update-ref", "-d", "x"',
		'"stash"',
	]) {
		expect([args, said("src/adapters/git/x.ts", `await git(folder, [${args}]);`)]).toEqual([
			args,
			"a git verb that destroys",
		]);
		expect(said("src/adapters/git/snapshot/destroy.ts", `await git(folder, [${args}]);`)).toBeUndefined();
	}
	expect(said("src/adapters/git/x.ts", "await rm(folder, { recursive: true });")).toBe("removing a folder beside git");
});

test("nothing is cast outside the contract", () => {
	expect(
		inSrc.filter((file) => !file.startsWith("src/contract/")).flatMap((file) => castsIn(file, text(file))),
	).toEqual([]);
	expect(castsIn("src/x.ts", "const a = [1] as const;\nconst b = a as unknown;")).toEqual([
		"src/x.ts:2 casts to unknown",
	]);
});

test("names say what is in a file", () => {
	const vague = /(^|[/-])(utils?|helpers?|common|types|misc|manager|service|lib)(\.|\/|$)/;
	expect(files.filter((file) => vague.test(file) && file !== "tools/types.ts")).toEqual([]);
});

test("words that the glossary avoids are not used for what they meant", () => {
	const names =
		/\b\w*(Sight|Wish|Stay|Ground|Tenant|LooseThreads|Manners|Ladder)\b|\b(patiently|patienceMs|distrust|steadily)\b/;
	const prose =
		/\b(the door|the wall(?! clock|-clock|$)|walls|papers|patience|other makers|another maker|let in by|clock on the wall|a hand that|stand-ins?)\b/i;
	const comment = /(^|\s)(\/\/|\/\*\*|\*) .*/;
	// tests speak in their titles as well
	const title = /\b(test|describe)\b.*\(["`].*/;
	const said = (file: string, line: string): string =>
		file.endsWith(".md") ? line : (comment.exec(line)?.[0] ?? (isTest(file) ? title.exec(line)?.[0] : null) ?? "");
	const wrong = (file: string, line: string): boolean => names.test(line) || prose.test(said(file, line));
	const pages = files.filter(
		(file) => file.endsWith(".md") && !/^(CHANGELOG|GLOSSARY)\.md$|^docs\/decisions\//.test(file),
	);
	const found = [...sources.filter((file) => file !== "test/tidy.test.ts"), ...pages].flatMap((file) =>
		text(file)
			.split("\n")
			.flatMap((line, at) => (wrong(file, line) ? [`${file}:${at + 1}`] : [])),
	);
	expect(found).toEqual([]);
	expect([
		wrong("x.ts", "interface KillSight {"),
		wrong("x.ts", "// behind the door"),
		wrong("x.md", "The door is open."),
		wrong("x.test.ts", 'test("the door opens", () => {'),
		wrong("x.ts", "const facts = 1;"),
	]).toEqual([true, true, true, true, false]);
});

test("an exported type has one name, and the name one type; the two screens have words of their own", () => {
	const declared = (file: string, source: string): [string, string][] =>
		[...source.matchAll(/^export (?:interface|type|class|const(?= [A-Z])) (\w+)/gm)].map(([, name = ""]) => [
			name,
			file,
		]);
	const twice = (all: readonly [string, string][]): string[] =>
		[...Map.groupBy(all, ([name]) => name)].flatMap(([name, found]) => {
			const where = new Set(found.map(([, file]) => file));
			return where.size > 1 ? [`${name}: ${[...where].join(", ")}`] : [];
		});
	const types = inSrc
		.filter((file) => !/^src\/surfaces\/(tui|web)\//.test(file))
		.flatMap((file) => declared(file, text(file)));
	expect(types.length).toBeGreaterThan(400);
	expect(twice(types)).toEqual([]);
	for (const other of ["interface Key {}", "const Key = z.string();"])
		expect(twice([...declared("a.ts", "export type Key = 1;"), ...declared("b.ts", `export ${other}`)])).toEqual([
			"Key: a.ts, b.ts",
		]);
});

test("every file of src is reached from a composition root or a test", () => {
	const reached = new Set<string>();
	for (const root of [...roots, ...programs]) visit(`src/${root}`, reached);
	for (const file of sources.filter((name) => name.startsWith("test/") || name.startsWith("tools/")))
		visit(file, reached);
	expect(inSrc.filter((file) => !reached.has(file))).toEqual([]);
});

test("a command of the command line loads neither zod nor fetch: they take longer to load than most commands take", () => {
	const loaded = new Set<string>();
	for (const name of ["bin", "act", "print", "connect", "prompt", "ps", "wait", "status"])
		visit(`src/surfaces/cli/${name}.ts`, loaded, loadedWith);
	expect(loaded.size).toBeGreaterThan(20);
	const heavy = (file: string): string[] =>
		loadedWith(file, text(file)).filter((name) => ["zod", "node:http"].includes(name));
	expect([...loaded].filter((file) => heavy(file).length > 0)).toEqual([]);
	expect(heavy("src/contract/wire.ts")).toEqual(["zod"]);
	expect(
		loadedWith(
			"x.ts",
			'import type { z } from "zod";\nimport { type A, b } from "./b.ts";\nexport * from "./c.ts";\nimport("./d.ts");',
		),
	).toEqual(["./b.ts", "./c.ts"]);
});

test("the thread that reads the store loads no schemas but those of ids: every idle daemon would keep them", () => {
	const loaded = new Set<string>();
	visit("src/adapters/store/sqlite/read-thread.ts", loaded, loadedWith);
	expect(loaded.size).toBeGreaterThan(20);
	const withSchemas = [...loaded].filter((file) => loadedWith(file, text(file)).includes("zod"));
	expect(withSchemas).toEqual(["src/contract/ids.ts"]);
});

/** A file and all that it needs, as far as it is ours. */
function visit(file: string, reached: Set<string>, needs = importsOf): void {
	if (reached.has(file)) return;
	reached.add(file);
	for (const imported of needs(file, text(file))) {
		const target = resolved(file, imported);
		if (target !== null && sources.includes(target)) visit(target, reached, needs);
	}
}

function resolved(file: string, imported: string): string | null {
	if (imported.startsWith(".")) return path.posix.join(path.posix.dirname(file), imported);
	const [, name, rest] = /^#(\w+)\/(.+)$/.exec(imported) ?? [];
	if (name === undefined || rest === undefined) return null;
	return ["src", "test", "tools"].includes(name) ? `${name}/${rest}` : `src/${name}/${rest}`;
}

test.each(Object.entries(generated()))("%s is what `npm run generate` writes", (file, written) => {
	expect(text(file)).toBe(written);
});

test("pages have one title, and links inside the project lead somewhere", () => {
	const pages = files.filter((file) => file.endsWith(".md"));
	expect(pages.length).toBeGreaterThan(5);
	const broken = pages.flatMap((page) => {
		const prose = text(page).replace(/```[\s\S]*?```/g, "");
		const titles = prose.match(/^# /gm)?.length ?? 0;
		const links = [...prose.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) =>
			path.posix.join(path.posix.dirname(page), link ?? ""),
		);
		return [
			...(titles === 1 ? [] : [`${page} has ${titles} titles`]),
			...links
				.filter((link) => !files.some((file) => file === link || file.startsWith(`${link.replace(/\/$/, "")}/`)))
				.map((link) => `${page} → ${link}`),
		];
	});
	expect(broken).toEqual([]);
});

test("the walks through the code pass files that exist, each once", () => {
	const named = (part: string): string[] =>
		[...part.matchAll(/`((?:surfaces|client|server|engine|adapters|domain|contract|views)\/[\w/.-]+\.ts)`/g)].map(
			([, file]) => `src/${file}`,
		);
	const page = text("ARCHITECTURE.md");
	expect(named(page).filter((file) => !files.includes(file))).toEqual([]);
	const walks = page.split("\n## ").filter((part) => part.startsWith("Walk "));
	expect(walks).toHaveLength(4);
	const all = walks.flatMap(named);
	expect(all.length).toBeGreaterThan(50);
	expect(all.filter((file, at) => all.indexOf(file) !== at)).toEqual([]);
});

test("files and identifiers that the pages about the inside name exist", () => {
	const pages = files.filter((file) => /^(docs\/internals\/.*|AGENTS|ARCHITECTURE)\.md$/.test(file));
	const known = new Set(
		files
			.filter((file) => (sources.includes(file) || file === "package.json") && file !== "test/tidy.test.ts")
			.flatMap((file) => text(file).match(/[A-Za-z_]\w+/g) ?? []),
	);
	const isThere = (name: string): boolean => {
		if (/^[\w./-]+\.(tsx?|md)$/.test(name)) return files.some((file) => file === name || file.endsWith(`/${name}`));
		const [, dotted] = /^([A-Za-z_][\w.]*)(?:\(.*\))?$/.exec(name) ?? [];
		return (dotted?.split(".") ?? []).every((part) => part.length < 3 || known.has(part));
	};
	const dead = pages.flatMap((page) =>
		[...text(page).matchAll(/`([^`\n]+)`/g)]
			.map(([, name]) => name ?? "")
			.filter((name) => !isThere(name))
			.map((name) => `${page}: ${name}`),
	);
	expect(dead).toEqual([]);
	expect(["no-file.ts", "engine/no-file.ts", "NoType.begin", "engine/engine.ts", "rowKinds"].map(isThere)).toEqual([
		...[false, false, false, true, true],
	]);
});

test("every page is linked from another one", () => {
	const pages = files.filter((file) => file.endsWith(".md") && file.startsWith("docs/"));
	const linked = new Set(
		files
			.filter((file) => file.endsWith(".md"))
			.flatMap((page) =>
				[...text(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) =>
					path.posix.join(path.posix.dirname(page), link ?? ""),
				),
			),
	);
	expect(pages.filter((page) => !linked.has(page))).toEqual([]);
});
