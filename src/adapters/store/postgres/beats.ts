// Beats: one statement, once a second, that says that this node lives and answers what is known of the others.
import { NodeId } from "#contract/node.ts";
import { Phases } from "#contract/turn.ts";
import type { Beats } from "#engine/ports/store-nodes.ts";
import { examineServer } from "./examine.ts";
import type { SideConnection } from "./side-connection.ts";

/**
 * `for share` waits for the fall of this node if it is just being committed, and then finds another epoch: without it
 * the beat would be confirmed. A beat that was on its way for long does not replace a later one. Whether the node
 * believes itself alone is kept with the beat: what it was told before, and what it is told now.
 */
const beat = `with me as (select id, epoch from node where id = $1 and epoch = $2 and active = 1 for share),
	others as (select exists (select from node where id <> $1 and state::json ->> 'state' not in ('left', 'removed')) as is_there),
	mine as (
		insert into beat (node, epoch, beats, alone, round_trip_ms, clock_offset_ms, phases, at)
		select me.id, me.epoch, $3::bigint, case when $4::boolean or not others.is_there then 1 else 0 end,
			$5::bigint, $6::bigint, $7,
			extract(epoch from clock_timestamp()) * 1000
		from me, others
		on conflict (node) do update
			set epoch = excluded.epoch, beats = excluded.beats, alone = excluded.alone,
				round_trip_ms = excluded.round_trip_ms, clock_offset_ms = excluded.clock_offset_ms,
				phases = excluded.phases, at = excluded.at
			where beat.epoch <> excluded.epoch or beat.beats < excluded.beats
	)
	select node.id, node.epoch, node.active, coalesce(beat.beats, 0) as beats, coalesce(beat.alone, 0) as alone,
		case when node.active = 1 then beat.phases end as phases,
		(select count(*) from me) as confirmed, (extract(epoch from clock_timestamp()) * 1000)::bigint as now
	from node left join beat on beat.node = node.id and beat.epoch = node.epoch
	where node.id = $1 or node.state::json ->> 'state' not in ('left', 'removed')`;

const lastBeats = `select node, epoch, alone, round_trip_ms, clock_offset_ms,
	(extract(epoch from clock_timestamp()) * 1000)::bigint - at as age from beat`;

interface LastRow {
	node: string;
	epoch: number;
	alone: number;
	round_trip_ms: number | null;
	clock_offset_ms: number | null;
	age: number;
}

interface Row {
	id: string;
	epoch: number;
	active: number;
	beats: number;
	alone: number;
	phases: string | null;
	confirmed: number;
	now: number;
}

/** A newer node may know other phases: then those of its turns are not known here. */
const phasesIn = (text: string | null): Phases => Phases.safeParse(JSON.parse(text ?? "{}")).data ?? {};

export const postgresBeats = (connection: SideConnection, setOthers: (others: boolean) => void): Beats => ({
	async beat({ node, epoch }, { beats, alone, phases, roundTripMs, clockOffsetMs }) {
		const values = [node, epoch, beats, alone, roundTripMs, clockOffsetMs, JSON.stringify(phases)];
		const rows = await connection.rows<Row>({ name: "beat", text: beat, values });
		const peers = rows
			.filter(({ id }) => id !== node)
			.map((row) => ({
				...{ node: NodeId.parse(row.id), epoch: row.epoch, beats: row.beats },
				...{ active: row.active === 1, alone: row.alone === 1 },
			}));
		setOthers(peers.some(({ active }) => active));
		return {
			confirmed: rows.some(({ confirmed }) => confirmed > 0),
			peers,
			phases: Object.assign({}, ...rows.filter(({ id }) => id !== node).map((row) => phasesIn(row.phases))),
			databaseNow: rows[0]?.now ?? null,
		};
	},
	async last() {
		const rows = await connection.rows<LastRow>({ name: "last-beats", text: lastBeats, values: [] });
		return rows.map((row) => ({
			...{ node: NodeId.parse(row.node), epoch: row.epoch, ageMs: Math.max(0, row.age), alone: row.alone === 1 },
			...{ roundTripMs: row.round_trip_ms, clockOffsetMs: row.clock_offset_ms },
		}));
	},
	examine: () => examineServer(connection),
});
