// The persons as the listeners know them. They are read again with every event about one, whichever node recorded it,
// so that a token that was replaced or removed is refused everywhere.
import { isAbout } from "#contract/event-data.ts";
import type { PersonName } from "#contract/ids.ts";
import type { PersonState } from "#contract/person.ts";
import type { Engine } from "#engine/engine.ts";
import type { EventReader } from "#engine/loop/publish.ts";

export class Persons implements AsyncDisposable {
	readonly #engine: Pick<Engine, "reads" | "publisher">;
	readonly #changed: () => void;
	#byName = new Map<PersonName, PersonState>();
	#byHash = new Map<string, PersonState>();
	#following: EventReader;
	#closed = false;
	/** the store did not answer when somebody's token or role had changed: until it does, nobody is known */
	#unknown = false;
	readonly #ended: Promise<void>;

	/** `changed` is called when somebody's token or role is no longer what it was. */
	static async of(engine: Pick<Engine, "reads" | "publisher">, changed: () => void): Promise<Persons> {
		const persons = new Persons(engine, changed);
		await persons.reload();
		return persons;
	}

	private constructor(engine: Pick<Engine, "reads" | "publisher">, changed: () => void) {
		this.#engine = engine;
		this.#changed = changed;
		this.#following = this.#follower();
		this.#ended = this.#follow();
	}

	named(name: PersonName): PersonState | undefined {
		return this.#byName.get(name);
	}

	/** Looked up by a hash: how long that takes says nothing about the token. */
	withHash(tokenHash: string): PersonState | undefined {
		return this.#byHash.get(tokenHash);
	}

	async reload(): Promise<void> {
		const all = (await this.#engine.reads.persons()).filter(({ removedAt }) => removedAt === null);
		this.#byName = new Map(all.map((each): [PersonName, PersonState] => [each.name, each]));
		this.#byHash = new Map(all.map((each): [string, PersonState] => [each.tokenHash, each]));
	}

	#follower(): EventReader {
		return this.#engine.publisher.follow({ items: () => this.#unknown });
	}

	async #follow(): Promise<void> {
		while (!this.#closed) {
			const events = await this.#following.next();
			if (this.#closed) return;
			// this reader was cut: what it missed may be about a person
			if (events === null) this.#following = this.#follower();
			const isConcerned = events?.some((event) => isAbout(event, "person")) ?? true;
			const wasUnknown = this.#unknown;
			if (!isConcerned && !wasUnknown) continue;
			await this.#reloadOrForget();
			const isOther = events?.some((event) => isAbout(event, "person") && event.kind !== "person.added") ?? true;
			if (wasUnknown || isOther) this.#changed();
		}
	}

	async #reloadOrForget(): Promise<void> {
		try {
			await this.reload();
			this.#unknown = false;
		} catch {
			// whoever was removed must not stay: the next event, whatever it is about, loads them again
			this.#unknown = true;
			this.#byName.clear();
			this.#byHash.clear();
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#closed = true;
		this.#following[Symbol.dispose]();
		await this.#ended;
	}
}
