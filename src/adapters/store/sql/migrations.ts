// The tables, and every later change to them as a numbered step. A step that has been released never changes; until the
// first release there is one, which is changed in place (`npm run golden` then makes the stored homes of the tests
// anew).
import { hash } from "node:crypto";
import type { Dialect } from "./prepared.ts";

export interface Migration {
	version: number;
	name: string;
	/** the oldest program that may still write afterwards, by its version; unchanged if absent */
	writesFrom?: number;
	sql(dialect: Dialect): string[];
}

export const migrations: readonly Migration[] = [
	{
		version: 1,
		name: "the first release",
		sql: (dialect) => [
			...[journal, work, issues, errands].flatMap((tables) => tables(types[dialect])),
			...nodes[dialect],
			...appendOnly[dialect],
			...searching[dialect],
		],
	},
];

/** The version that this program writes, and the newest that it can read. */
export const schemaVersion = migrations.length;

/** The name that a step is recorded under tells which statements it had. */
export const recordedName = ({ name, sql }: Migration, dialect: Dialect): string =>
	`${name} (${hash("sha256", sql(dialect).join("\n")).slice(0, 12)})`;

/** Whether all recorded steps that this program knows had its statements; until the first release a step may change. */
export const isSameSchema = (recorded: readonly { version: number; name: string }[], dialect: Dialect): boolean =>
	migrations
		.filter(({ version }) => recorded.some((step) => step.version === version))
		.every((known) => recorded.some(({ name }) => name === recordedName(known, dialect)));

/** The databases' names for the same types: 64-bit keys, and text compared byte by byte. */
const types = {
	sqlite: {
		key: "integer primary key",
		int: "integer",
		text: "text",
		changing: [
			"create index agent_held on agent (seq) where held = 1",
			"create index agent_leased on agent (seq) where leased = 1",
		],
	},
	postgres: {
		key: "bigint generated always as identity primary key",
		int: "bigint",
		text: 'text collate "C"',
		// PostgreSQL writes all indexes of a row anew if a column of one changes: what changes often is looked for among
		// the agents that live or have a folder, which have an index
		changing: [],
	},
};

type Types = (typeof types)[Dialect];

const journal = ({ key, int, text, changing }: Types): string[] => [
	`create table migration (version ${int}, name ${text}, at ${int}, writes_from ${int} not null default 1)`,
	`create table agent (
		seq ${key}, id ${text} not null unique, project ${text}, handle ${text} not null, life ${text} not null,
		supervisor ${text}, lineage ${int} references agent (seq), fork_point ${int},
		held ${int} not null default 0, leased ${int} not null default 0, stray ${int} not null default 0,
		folder ${text},
		state ${text} not null)`,
	// a handle is never used twice in a project, even after its agent has ended
	"create unique index agent_handle on agent (handle, (coalesce(project, '')))",
	// Each index of a new agent is a page more to commit: one finds those that live, and all that a project ever had.
	"create index agent_life on agent (life, (coalesce(project, '')), seq)",
	"create index agent_supervisor on agent (supervisor) where life in ('provisioning', 'live')",
	...changing,
	"create index agent_stray on agent (seq) where stray = 1",
	// an agent that was deleted has no folder
	"create index agent_folder on agent ((coalesce(project, '')), folder) where folder is not null",
	"create index agent_shown on agent (seq) where life <> 'reaped'",
	// whose usage counts for whom
	"create index agent_lineage on agent (lineage) where lineage is not null",
	"create index agent_fresh on agent (supervisor) where lineage is null",
	// the one writer gives the ids, without gaps
	`create table event (
		id ${int} primary key, agent ${int} references agent (seq), turn ${int}, kind ${text} not null, text ${text},
		data ${text}, at ${int} not null, actor ${text} not null, command ${text} not null)`,
	"create index event_agent on event (agent, id)",
	// few items are of these kinds: finding the latest clear is cheap, and other items do not touch the index
	"create index event_control on event (agent, id) where kind in ('clear', 'mark', 'rewind')",
	// a report per request of a model: what was used since a moment is found without walking the journal
	"create index event_usage on event (at, id) where kind = 'usage'",
	`create table project (slug ${text} primary key, state ${text} not null)`,
	`create table person (name ${text} primary key, state ${text} not null)`,
	`create table receipt (
		actor ${text} not null, key ${text} not null, fingerprint ${text} not null, outcome ${text} not null,
		answer ${text}, at ${int} not null, constraint receipt_of_actor primary key (actor, key))`,
	// upkeep drops the oldest first; without this index it would read every receipt inside the writer's transaction
	"create index receipt_age on receipt (at)",
];

const work = ({ int, text }: Types): string[] => {
	const id = `id ${int} primary key references event (id)`;
	const agent = `agent ${int} not null references agent (seq)`;
	return [
		`create table prompt (
			${id}, ${agent}, position ${int} not null, priority ${int} not null, not_before ${int},
			manual ${int} not null, taken ${int}, text_event ${int}, edited_by ${text}, edited_at ${int})`,
		"create index prompt_queue on prompt (agent, position)",
		"create index prompt_later on prompt (not_before) where not_before is not null",
		`create table turn (${id}, ${agent}, open ${int} not null, state ${text} not null)`,
		// the database itself enforces one open turn per agent
		"create unique index turn_open on turn (agent) where open = 1",
		"create index turn_agent on turn (agent, id)",
		`create table mail (
			${id}, ${agent}, state ${text} not null, urgent ${int} not null, delivered_in ${int}, read_at ${int},
			deleted_at ${int})`,
		"create index mail_box on mail (agent, id)",
		"create index mail_open on mail (agent) where state <> 'read' and deleted_at is null",
		"create index mail_new on mail (agent) where state = 'accepted'",
		`create table approval (${id}, ${agent}, open ${int} not null, state ${text} not null)`,
		"create index approval_open on approval (agent) where open = 1",
		`create table wait (${id}, open ${int} not null, state ${text} not null)`,
		"create index wait_open on wait (id) where open = 1",
		`create table subscription (name ${text} primary key, state ${text} not null)`,
		`create table turn_lease (
			turn ${int} primary key references event (id), ${agent}, subscription ${text}, node ${text}, at ${int} not null)`,
	];
};

const issues = ({ int, text }: Types): string[] => {
	const id = `id ${int} primary key references event (id)`;
	const issueId = `issue_id ${int} not null references issue (id)`;
	return [
		`create table issue (
			${id}, project ${text} not null, number ${int} not null, step_due ${int} not null,
			needs_person ${int} not null, open ${int} not null, done_at ${int}, state ${text} not null)`,
		// the database itself keeps two nodes from giving the same number
		"create unique index issue_number on issue (project, number)",
		"create index issue_step_due on issue (id) where step_due = 1",
		"create index issue_needs_person on issue (id) where needs_person = 1",
		"create index issue_open on issue (project, number) where open = 1",
		"create index issue_done on issue (project, done_at, number) where done_at is not null",
		`create table run (${id}, ${issueId}, turn ${int} not null, open ${int} not null, state ${text} not null)`,
		// the database itself enforces one open run per issue
		"create unique index run_open on run (issue_id) where open = 1",
		"create index run_issue on run (issue_id, id)",
		"create index run_turn on run (turn)",
		`create table entry (${id}, ${issueId}, state ${text} not null)`,
		"create index entry_issue on entry (issue_id, id)",
	];
};

/** What several nodes share. SQLite has one node, whose files are in its home. */
const nodes: Record<Dialect, string[]> = {
	sqlite: [
		"create table node (id text primary key, epoch integer not null, active integer not null, state text not null)",
		"create table beat (node text primary key, epoch integer not null, beats integer not null, alone integer not null, round_trip_ms integer, clock_offset_ms integer, phases text, at integer not null)",
	],
	postgres: [
		`create table node (
			id text collate "C" primary key, epoch bigint not null, active bigint not null, state text collate "C" not null)`,
		`create unlogged table beat (
			node text collate "C" primary key, epoch bigint not null, beats bigint not null, alone bigint not null,
			round_trip_ms bigint, clock_offset_ms bigint, phases text collate "C", at bigint not null)`,
		`create table writer (
			id text collate "C" primary key, batch bigint not null, at bigint not null) with (fillfactor = 50)`,
		// the limits that all nodes share
		'create table cluster (id bigint primary key, limits text collate "C" not null)',
		'create table blob (name text collate "C", part bigint, bytes bytea not null, primary key (name, part))',
		"create table partial (turn bigint primary key, outputs text not null)",
	],
};

const errands = ({ int, text }: Types): string[] => [
	`create table errand (
		id ${text} primary key, node ${text} not null, epoch ${int} not null, asker ${text}, request ${text} not null,
		state ${text} not null, answer ${text}, at ${int} not null)`,
	"create index errand_open on errand (node, at) where state <> 'done'",
	"create index errand_age on errand (at)",
];

/** The databases themselves keep the journal append-only. */
const appendOnly: Record<Dialect, string[]> = {
	sqlite: ["update", "delete"].map(
		(verb) =>
			`create trigger event_no_${verb} before ${verb} on event begin select raise(abort, 'the journal is append-only'); end`,
	),
	postgres: [
		"create function event_is_append_only() returns trigger language plpgsql as $$ begin raise exception 'the journal is append-only'; end $$",
		"create trigger event_append_only before update or delete or truncate on event execute function event_is_append_only()",
	],
};

/** The index has only the words of each item; its text is read from the journal. */
const searching: Record<Dialect, string[]> = {
	sqlite: [
		"create virtual table search using fts5 (words, content = '', detail = none)",
		"create table indexed (up_to integer not null)",
		"insert into indexed (up_to) values (0)",
	],
	postgres: [
		"create table search (event bigint primary key references event (id), words tsvector not null)",
		"create index search_words on search using gin (words)",
		"create table indexed (up_to bigint not null)",
		"insert into indexed (up_to) values (0)",
	],
};
