import { type Collection, Dexie } from 'dexie';
import type { DecidingBooks } from '../../shared/books';
import type { Play } from '../../shared/play';
import {
  type RecordsCommands,
  type RecordsInput,
  type RecordsOutput,
  recordsContract,
} from '../../shared/records';
import { RpcError, type RpcPort, serveRpc } from '../../shared/rpc';
import { reserveAtOnce } from './at-once';
import { BooksConflict, beginningWith, type RecordsDatabase } from './database';
import { hourTotalsOn } from './hour-totals';
import { moveLeft, moveSome, movesSoFar } from './move-plays';
import { outboxCommandsOn } from './outbox-commands';
import { pageOfPlays } from './play-listing';
import { provenOf } from './play-totals';
import { prunePlays } from './prune-plays';
import { newEnvironment } from './rows';
import { latestNumber, noteUnnumbered, sequenceOn } from './sequence';
import { sequenceCommandsOn } from './sequence-commands';

/** The domain commands, each one transaction over the tables it touches. */
export function recordsCommandsOn(database: RecordsDatabase): RecordsCommands {
  const { environments, playlists, playlistAds, plays, playBeacons, flights, recency } = database;
  const totals = hourTotalsOn(database);
  const sequence = sequenceOn(database);
  /** Parts of counters and recency that are not stored yet, by their number. */
  const parts = new Map<number, RecordsInput<'keepPart'>>();
  /** The books that are open; null: none yet. */
  let open: string | null = null;

  const environmentRow = async (key: string) => (await environments.get(key)) ?? newEnvironment(key);

  /** Stores counters, recency and source mix (null: it stays); part of a transaction. */
  async function putBooks(
    environment: string,
    { flights: counters, recency: entries, sourceMix }: DecidingBooks,
  ): Promise<void> {
    if (sourceMix) await environments.put({ ...(await environmentRow(environment)), sourceMix });
    await Promise.all([
      flights.bulkPut(counters.map((row) => ({ ...row, environment }))),
      recency.bulkPut(entries.map((row) => ({ ...row, environment }))),
    ]);
  }

  /** Returns the play's number in the sequence. */
  async function settle(play: Play, settlement: Partial<Play>, now = play.at) {
    const settled = { ...play, ...settlement };
    const [number] = await Promise.all([
      sequence.settled(settled, now),
      plays.put(settled),
      totals.forget(play.environment, play.at, play.at),
    ]);
    return number;
  }

  const partsOf = (environment: string, version: string) =>
    beginningWith(playlistAds, '[environment+version+part]', environment, version);

  /** Null where its ads cannot be read, too. */
  async function storedPlaylist(
    environment: string,
  ): Promise<Pick<RecordsOutput<'openBooks'>, 'playlist' | 'hasPlaylist'>> {
    const row = await playlists.get(environment);
    if (!row) return { playlist: null };
    const { receivedAt, etag, lastModified, version } = row;
    // Chromium keeps large values in files of their own: a damaged one must not cost the plays.
    const parts = await partsOf(environment, version)
      .toArray()
      .catch(() => null);
    const ads = parts?.flatMap((part) => part.ads);
    return { hasPlaylist: true, playlist: ads ? { ads, receivedAt, etag, lastModified } : null };
  }

  /** A writing transaction of a command that answers nothing. */
  const write = async (work: () => Promise<unknown>) => {
    await database.write(work);
    return null;
  };

  const keptParts = (of: string) => [...parts.values()].filter(({ id }) => id === of);

  /** What all parts of a command hold. */
  function joined(kept: ReturnType<typeof keptParts>, sent: number) {
    if (kept.length !== sent)
      throw new BooksConflict(`expected ${sent} parts sent before, got ${kept.length}`);
    return { flights: kept.flatMap((part) => part.flights), recency: kept.flatMap((part) => part.recency) };
  }

  function dropParts(of: string): void {
    for (const [number, { id }] of parts) if (id === of) parts.delete(number);
  }

  const listed = async <Row extends { environment: string }>(found: Pick<Collection<Row>, 'toArray'>) =>
    (await found.toArray()).map(({ environment: _, ...rest }) => rest);

  return {
    openBooks: ({ environment, stillOpen, countsOnly }) =>
      database.write(async () => {
        // Writes only a new environment, so that an ordinary start does not wait for the disk.
        const known = await environments.get(environment);
        open = environment;
        const row = known ?? newEnvironment(environment);
        if (!known) await environments.put(row);
        if (row.ranMs !== row.numberedRanMs) await noteUnnumbered(database);
        // Also those of earlier books (rule 26), which nothing else would settle.
        const keys = await environments.toCollection().primaryKeys();
        const unsettled = await plays
          .where('[environment+outcome]')
          .anyOf(keys.map((key) => [key, 'reserved']))
          .filter((play) => !stillOpen.includes(play.id))
          .toArray();
        for (const play of unsettled) await settle(play, { outcome: 'unknown', endReason: 'process-ended' });
        const [latest, ofPlaylist, counters, entries, number] = await Promise.all([
          beginningWith(plays, '[environment+at]', environment).last(),
          countsOnly ? { playlist: null } : storedPlaylist(environment),
          countsOnly ? [] : listed(beginningWith(flights, '[environment+flightId]', environment)),
          countsOnly ? [] : listed(beginningWith(recency, '[environment+key]', environment)),
          latestNumber(database),
        ]);
        return {
          ...(number ? { sequence: number } : {}),
          ...moveLeft(row, latest?.at ?? null),
          ...ofPlaylist,
          flights: counters,
          recency: entries,
          sourceMix: row.sourceMix,
          playCount: row.playCount,
          ...(row.ranMs === undefined ? {} : { ranMs: row.ranMs }),
          unsettled: unsettled.length,
        };
      }),

    bookNames: async () => (await environments.toArray()).map(({ key }) => key),

    keepPart: async (part) => {
      for (const [number, { id }] of parts) if (id !== part.id) parts.delete(number);
      parts.set(part.part, part);
      return null;
    },

    restoreBooks: async ({ environment, id, parts: sent, sourceMix }) => {
      const counters = joined(keptParts(id), sent);
      await database.write(() => putBooks(environment, { ...counters, sourceMix }));
      dropParts(id);
      return null;
    },

    missingPlays: async ({ ids }) => {
      const stored = new Set(await plays.where('id').anyOf(ids).primaryKeys());
      return ids.filter((id) => !stored.has(id));
    },

    storeAds: (part) => write(() => playlistAds.put(part)),

    storePlaylist: (row) =>
      write(async () => {
        const { environment, version, parts } = row;
        const stored = await partsOf(environment, version).count();
        if (stored !== parts)
          throw new BooksConflict(`expected ${parts} stored parts of the playlist, got ${stored}`);
        await playlists.put(row);
        // Two ranges, because a range of keys is deleted without reading its rows: ten thousand ads in about 10 ms.
        const keys = playlistAds.where('[environment+version+part]');
        await keys.between([environment, Dexie.minKey], [environment, version]).delete();
        await keys.between([environment, version, Dexie.maxKey], [environment, Dexie.maxKey]).delete();
      }),

    renewPlaylist: ({ environment, receivedAt }) =>
      write(() => playlists.update(environment, { receivedAt })),

    reservePlay: (reservation) => reserveAtOnce(database, reservation),

    settlePlay: ({ id, settlement, now, flight, recency: entry, sourceMix }) =>
      database.write(async () => {
        const play = await plays.get(id);
        if (!play) throw new BooksConflict(`play ${id} was never reserved`);
        if (play.outcome !== 'reserved') return null;
        const [number] = await Promise.all([
          settle(play, settlement, now),
          putBooks(play.environment, {
            flights: flight ? [flight] : [],
            recency: entry ? [entry] : [],
            sourceMix,
          }),
        ]);
        return number;
      }),

    movePlays: async ({ environment, id, after, by, parts: sent, ranMs }) => {
      const kept = keptParts(id);
      const isLeft = await database.write(async () => {
        const row = await environmentRow(environment);
        if (row.lastMove === id) return moveSome(database, totals, sequence, row);
        await putBooks(environment, { ...joined(kept, sent), sourceMix: null });
        const numberedRanMs = row.ranMs === row.numberedRanMs ? { numberedRanMs: ranMs } : {};
        const reached = by > 0 ? Number.POSITIVE_INFINITY : after;
        const moving = { after, by, reached, playCount: row.playCount };
        const moved = { ...row, ranMs, ...numberedRanMs, lastMove: id, moving };
        return moveSome(database, totals, sequence, moved);
      });
      dropParts(id);
      return isLeft;
    },

    countedPlays: async (query) => {
      const ever = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
      const { rows, next } = await pageOfPlays(database, { ...query, ...ever });
      return {
        plays: rows.flatMap(({ flightId, at, outcome }) =>
          flightId === null || outcome === 'given-back' ? [] : [{ flightId, at }],
        ),
        next,
      };
    },

    forgetRecency: ({ environment, keys }) =>
      write(() => recency.bulkDelete(keys.map((key): [string, string] => [environment, key]))),

    prunePlays: (input) => prunePlays(database, totals, input),

    ...outboxCommandsOn(database, totals, sequence),
    provePlays: (query) =>
      database.transaction('r', [plays, playBeacons, environments], async () => {
        const { rows, next } = await pageOfPlays(database, query);
        const results = await playBeacons.bulkGet(rows.map(({ id }) => id));
        const moves = await movesSoFar(database, open);
        return { plays: rows.map((play, index) => ({ play, ...provenOf(results[index]) })), next, moves };
      }),
    reportPlays: totals.report,
    ...sequenceCommandsOn(database),
  };
}

export function answerCalls(port: RpcPort, commands: RecordsCommands): void {
  serveRpc(recordsContract, port, {
    commands,
    received: {},
    errorOf(error) {
      if (error instanceof BooksConflict) return new RpcError('conflict', error.message);
      return new RpcError('storage', String(error));
    },
  });
}
