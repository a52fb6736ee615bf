import type { Table } from 'dexie';
import type { BeaconState } from '../../../shared/beacon';
import type { Play, PlayOutcome } from '../../../shared/play';
import type { SequenceEntry } from '../../../shared/proof-sequence';
import type { RecordsCommands } from '../../../shared/records';
import { recordsCommandsOn } from '../commands';
import { openDatabase, type RecordsDatabase } from '../database';
import { exampleBeacon } from './example-beacon';
import { examplePlay } from './example-play';

export const START = Date.UTC(2026, 10, 20, 9, 30);
const untouched = { flight: null, recency: null, sourceMix: null };
let databases = 0;

export const storedPlay = (id: string, at: number, overrides: Partial<Play> = {}) =>
  examplePlay({ id, at, ...overrides });

/** What a receiver of segments knows: each row once, by its epoch and number. */
class Receiver {
  readonly rows = new Map<string, { readonly text: string; readonly entry: SequenceEntry }>();

  /** Throws when a known row comes again with other content. */
  take(entries: readonly SequenceEntry[]): void {
    for (const entry of entries) {
      const key = `${entry.epoch}/${entry.seq}`;
      const text = JSON.stringify(entry);
      const known = this.rows.get(key);
      if (known && known.text !== text) throw new Error(`${key} was\n${known.text}\nand is now\n${text}`);
      this.rows.set(key, { text, entry });
    }
  }

  entries(): SequenceEntry[] {
    return [...this.rows.values()]
      .map(({ entry }) => entry)
      .sort((a, b) => a.epoch - b.epoch || a.seq - b.seq);
  }
}

/** Books that settle, correct and prune plays and ship them, and die in between; time passes with every play. */
export class SequenceWorld {
  database: RecordsDatabase;
  commands: RecordsCommands;
  now = START;
  plays = 0;
  #beacons = 0;
  #moves = 0;
  #ranMs = 0;
  #copy: ReadonlyArray<readonly [string, readonly unknown[]]> | null = null;
  /** Rows that arrived. */
  readonly received = new Receiver();
  readonly delivered: Array<{ epoch: number; first: number; last: number }> = [];
  /** Segments that the receiver refused. Later manifests of their epoch name them. */
  readonly refused: { readonly epoch: number; readonly first: number; readonly last: number }[] = [];
  /** Numbers that were pruned before the database went back. Manifests of then name them. */
  readonly prunedBefore: { readonly epoch: number; readonly first: number; readonly last: number }[] = [];

  constructor(name = `sequence-${databases++}`) {
    this.database = openDatabase(name);
    this.commands = recordsCommandsOn(this.database);
  }

  async reserve(): Promise<string> {
    this.now += 10_000;
    this.#ranMs += 10_000;
    const id = `p${this.plays++}`;
    const reserved = { outcome: 'reserved' as const, shownAt: null, viewedMs: 0, endReason: null };
    const play = storedPlay(id, this.now, reserved);
    await this.commands.reservePlay({ play, ...untouched, ranMs: this.#ranMs });
    return id;
  }

  async settle(id: string, outcome: PlayOutcome = 'completed'): Promise<void> {
    const at = this.now;
    const shownAt = outcome === 'given-back' ? null : at + 20;
    const settlement = { outcome, shownAt, viewedMs: 7_900, presentedFrames: 1, droppedFrames: 0 };
    await this.commands.settlePlay({
      id,
      settlement: { ...settlement, stalls: 0, endReason: 'ended' },
      ...untouched,
      now: at + 8_000,
    });
  }

  /** A version that does not number plays stores one in the same database. */
  async playByOlderVersion(): Promise<void> {
    this.now += 10_000;
    this.#ranMs += 10_000;
    const row = await this.database.environments.get('store');
    const { key = 'store', playCount = 0, sourceMix = null, ...rest } = row ?? {};
    await this.database.plays.add(storedPlay(`p${this.plays++}`, this.now));
    await this.database.environments.put({
      key,
      sourceMix,
      ...rest,
      playCount: playCount + 1,
      ranMs: this.#ranMs,
    });
  }

  async fire(playId: string): Promise<void> {
    const beacon = exampleBeacon({ id: `b${this.#beacons++}`, eventAt: this.now, playId });
    await this.commands.storeBeacons({ beacons: [beacon] });
  }

  /** Ends the oldest waiting beacons. */
  async endBeacons(most: number, state: BeaconState = 'sent'): Promise<number> {
    const waiting = (await this.database.beacons.toArray()).filter((row) => row.state === 'waiting');
    const ended = waiting.slice(0, most);
    await this.commands.settleBeacons({
      settled: ended.map(({ id }) => ({
        id,
        state,
        attempts: 1,
        dueAt: this.now,
        lastError: null,
        finishedAt: this.now,
      })),
    });
    return ended.length;
  }

  async moveClock(by: number, back: number): Promise<void> {
    const after = this.now - back;
    this.now += by;
    const id = `m${this.#moves++}`;
    await this.commands.movePlays({ environment: 'store', id, after, by, parts: 0, ranMs: this.#ranMs });
  }

  /** Another process takes over. */
  async restart(): Promise<void> {
    this.database.close();
    this.database = openDatabase(this.database.name);
    this.commands = recordsCommandsOn(this.database);
    await this.commands.openBooks({ environment: 'store', stillOpen: [] });
  }

  async copyDatabase(): Promise<void> {
    const tables = this.database.tables;
    this.#copy = await Promise.all(tables.map(async (table) => [table.name, await table.toArray()] as const));
  }

  /** Sets the database back to the copy, as after a disk was restored from an image. */
  async goBack(): Promise<boolean> {
    const copy = this.#copy;
    if (copy === null) return false;
    // As main does from its snapshot, so that no epoch begins twice.
    const { epoch, dropped } = await this.position();
    this.prunedBefore.push(...dropped);
    for (const table of this.database.tables) await table.clear();
    for (const [name, rows] of copy) await (this.database.table(name) as Table).bulkAdd([...rows]);
    await this.restart();
    await this.commands.beginEpoch({ now: Math.max(this.now, epoch + 1), forgetWaiting: false });
    return true;
  }

  /**
   * Reads up to `rows` rows and stores them as a segment; returns how many.
   *
   * @param fails `window-dies`: the window dies after the first page, and a beacon ends before the reader goes on with
   * the next window; `not-stored`: the segment is not stored in the end
   */
  async storeSegment(rows: number, fails: 'window-dies' | 'not-stored' | null = null): Promise<number> {
    const { pending, readFrom } = await this.commands.proofPosition({});
    if (pending) return 0;
    let [after, more] = [readFrom, true];
    const entries: SequenceEntry[] = [];
    while (more && entries.length < rows) {
      const limit = Math.min(3, rows - entries.length);
      const page = await this.commands.readSequence({ after, limit, now: this.now });
      const [next] = page.entries;
      const before = entries.at(-1);
      if (!next || (before && (next.epoch !== before.epoch || next.seq !== before.seq + 1))) break;
      entries.push(...page.entries);
      after = entries.at(-1) ?? after;
      more = page.more;
      if (fails === 'window-dies' && entries.length === page.entries.length) {
        await this.restart();
        await this.endBeacons(1);
      }
    }
    const [first, last] = [entries[0], entries.at(-1)];
    if (!first || !last || fails === 'not-stored') return 0;
    const bytes = new TextEncoder().encode(JSON.stringify(entries));
    const facts = { epoch: first.epoch, first: first.seq, last: last.seq, count: entries.length };
    const digest = String(bytes.length).padStart(64, '0');
    await this.commands.storeSegment({ ...facts, digest, madeAt: this.now, bytes });
    return entries.length;
  }

  /** The pending segment is delivered or set aside; returns whether there was one. */
  async settleSegment(how: 'delivered' | 'set-aside'): Promise<boolean> {
    const { pending } = await this.commands.proofPosition({});
    if (!pending) return false;
    await this.#deliver(pending, how);
    return true;
  }

  /** Tries the segments again that were set aside. */
  async retrySetAside(): Promise<void> {
    const { setAside } = await this.commands.proofPosition({});
    for (const segment of setAside) await this.#deliver(segment, 'delivered');
  }

  async #deliver(segment: { epoch: number; first: number; last: number }, how: 'delivered' | 'set-aside') {
    const { epoch, first, last } = segment;
    const status = how === 'delivered' ? 200 : 400;
    if (how === 'delivered') {
      const bytes = await this.commands.readSegment({ epoch, first });
      if (!bytes) throw new Error(`segment ${first} of epoch ${epoch} has no bytes`);
      this.received.take(JSON.parse(new TextDecoder().decode(bytes)));
      this.delivered.push({ epoch, first, last });
    } else this.refused.push({ epoch, first, last });
    await this.commands.settleSegment({ epoch, first, how, at: this.now, status });
  }

  /** How far plays are delivered and numbered, and where they are numbered now (0: in no epoch yet). */
  async position() {
    const rows = await this.database.sequences.toArray();
    const { epoch = 0, last = 0 } = rows.findLast((row) => row.epoch > 0) ?? {};
    const isNumbering = rows.some(({ numberedTo }) => numberedTo !== undefined);
    return { ...(await this.commands.proofPosition({})), epoch, last, isNumbering };
  }

  async numberAll(limit = 2): Promise<void> {
    while (!(await this.commands.numberPlays({ limit })).done);
  }

  /** Numbers, ends and delivers everything, with no other changes. */
  async finish(): Promise<void> {
    await this.numberAll();
    await this.settleSegment('delivered');
    while ((await this.endBeacons(100)) > 0);
    this.now += 3_600_000;
    while ((await this.storeSegment(50)) > 0) await this.settleSegment('delivered');
    await this.retrySetAside();
  }
}
