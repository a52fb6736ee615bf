import type { Log } from '../../shared/log';
import { type Play, type PlayCreative, type PlayDecision, type Settlement, UNSEEN } from '../../shared/play';
import type { Basics } from '../basics';
import type { BooksChange, Entry } from '../decisions/decider';
import { messageOf } from '../describe-error';
import { limitedLog } from '../limited-log';
import type { DrawnFile } from '../media/quarantine';
import { type Records, RecordsError } from '../records/records-client';
import type { OnlineSlots } from './online-slots';
import type { PlayerFact } from './player-fact';
import { type SlotAd, type SlotEvent, type SlotFacts, showingOf, UNCHANGED } from './slot-ad';
import type { LoopEffect } from './slot-loop-state';

/** A play on the books that is not settled yet. */
interface OpenPlay {
  readonly play: Play;
  readonly ad: SlotAd;
  readonly entry: Entry;
}

type Effect<Do extends LoopEffect<SlotAd>['do']> = Extract<LoopEffect<SlotAd>, { do: Do }>;

export interface OpenPlaysParts extends Pick<Basics, 'clock' | 'newId' | 'log'> {
  /** `records/books.ts`, which passes the commands on to the records window. */
  readonly books: Records;
  /** Online delivery, which is told when slots begin and end; null when it is off. */
  readonly online: Pick<OnlineSlots, 'slotBegan' | 'slotEnded'> | null;
  /** Whose books the plays go to (rule 26). */
  readonly environment: string;
  readonly tell: (fact: PlayerFact) => void;
  /** Why an ad may play now, to be stored with its play (rule 29). */
  readonly decision: (facts: SlotFacts) => PlayDecision;
}

/** The plays between reservation and settlement, by slot; their events are passed on to the ad and the books. */
export class OpenPlays {
  readonly #open = new Map<number, OpenPlay>();
  /**
   * Of the slot shown last and the one prepared last. By slot, not by ad, because another ad with the same creative may
   * take the place of a prepared one.
   */
  readonly #drawn = new Map<number, Pick<SlotAd, 'drawn' | 'guestErrors'> & { readonly isVideo: boolean }>();
  #lastShown: number | null = null;
  /** For errors of the books, which may last. */
  readonly #booksLog: Log;
  readonly #storing = new Set<Promise<unknown>>();
  #onQuiet: (() => void) | null = null;

  constructor(private readonly parts: OpenPlaysParts) {
    this.#booksLog = limitedLog(parts);
  }

  /** The stage prepares an ad's creative. */
  prepared(slot: number, { drawn, guestErrors }: SlotAd, isVideo: boolean): void {
    for (const earlier of this.#drawn.keys()) if (earlier !== this.#lastShown) this.#drawn.delete(earlier);
    this.#drawn.set(slot, { drawn, guestErrors, isVideo });
  }

  drawnIn(slot: number): readonly DrawnFile[] {
    return this.#drawn.get(slot)?.drawn ?? [];
  }

  /** Puts a play on the books before its first frame (rule 8); calls `answer` with whether it is stored. */
  reserve({ slot, choice: ad, at, durationMs }: Effect<'reserve'>, answer: (stored: boolean) => void): void {
    const { tell } = this.parts;
    const entry = ad.enter(at);
    if (!entry) {
      answer(false);
      return;
    }
    const { frequencyCaps: _caps, audience: _, ids, durationMs: stated, ...facts } = ad.facts;
    const play: Play = {
      ...facts,
      creative: shownCreative(this.drawnIn(slot), ad.facts),
      decision: this.parts.decision(ad.facts),
      id: this.parts.newId(),
      environment: this.parts.environment,
      at,
      durationMs: durationMs ?? stated,
      ...UNSEEN,
    };
    this.#store(
      this.parts.books.run('reservePlay', { play, ...entry.books }).then(
        () => {
          this.#open.set(slot, { play, ad, entry });
          tell({ kind: 'reserved', play, facts: ad.facts });
          answer(true);
        },
        (error: unknown) => {
          const mayBeStored = error instanceof RecordsError && error.mayBeDone;
          const books = mayBeStored ? entry.makeVoid() : null;
          if (!mayBeStored) entry.rollBack();
          this.#booksLog.error('a play could not be reserved; it is not shown', { error });
          tell({ kind: 'books-failing', error: messageOf(error) });
          answer(false);
          return books && this.#makeVoid(play, books);
        },
      ),
    );
  }

  /** @param at when its first frame was presented, ms since the epoch */
  shown(slot: number, durationMs: number, at: number): void {
    this.#lastShown = slot;
    const found = this.#open.get(slot);
    if (!found) return;
    const { ad } = found;
    this.#open.set(slot, { ...found, play: { ...found.play, durationMs } });
    const showing = showingOf(ad.facts, durationMs, at);
    const { drawn, isVideo: moving } = this.#drawn.get(slot) ?? { drawn: [], isVideo: false };
    this.parts.tell({ kind: 'showing', showing, files: ad.files, drawn, moving });
    this.parts.online?.slotBegan(at + durationMs);
    this.happened(slot, 'shown', at);
  }

  happened(slot: number, event: SlotEvent, at: number): void {
    const found = this.#open.get(slot);
    if (found) found.ad.happened(event, found.play.id, at);
  }

  failed({ slot, choice: ad, code, detail }: Effect<'failed'>): void {
    const { adId, mediaUrl } = ad.facts;
    this.parts.log.warn('a creative could not be shown', { ad: adId, url: mediaUrl, code, detail });
    const { drawn } = this.#drawn.get(slot) ?? ad;
    ad.failed(code, detail, this.#open.get(slot)?.play.id ?? null, drawn);
  }

  /** @param at when it ended, ms since the epoch */
  settle(effect: Effect<'settle'>, at: number): void {
    const { tell } = this.parts;
    const found = this.#open.get(effect.slot);
    if (!found) return;
    if (effect.outcome === 'completed') this.happened(effect.slot, 'complete', at);
    found.ad.over?.();
    // The play of the next slot can become void while this one runs.
    if (effect.shownAt !== null) this.parts.online?.slotEnded();
    this.#open.delete(effect.slot);
    const guestErrors = this.#drawn.get(effect.slot)?.guestErrors ?? [];
    const { outcome, shownAt, endReason, report } = effect;
    const settlement: Settlement = {
      ...UNSEEN,
      ...report,
      viewedMs: Math.round(report?.viewedMs ?? 0),
      outcome,
      shownAt,
      endReason,
      durationMs: found.play.durationMs,
      ...(guestErrors.length === 0 ? {} : { guestErrors: [...guestErrors] }),
    };
    const books = (outcome === 'given-back' ? found.entry.makeVoid() : null) ?? UNCHANGED;
    const { id } = found.play;
    tell({ kind: 'settled', play: { ...found.play, ...settlement }, drawn: this.drawnIn(effect.slot) });
    this.#store(
      this.parts.books.run('settlePlay', { id, settlement, ...books }).then(
        () => {},
        // It stays reserved on disk and counts, until the books settle it again (`settleAgain`) or the next start does.
        (error: unknown) => this.#booksLog.error('a play could not be settled', { play: id, error }),
      ),
    );
  }

  /** Makes a play void whose reservation may be stored although no answer confirmed it. */
  async #makeVoid(play: Play, books: BooksChange): Promise<void> {
    const settlement = { ...UNSEEN, outcome: 'given-back', endReason: 'not-confirmed' } as const;
    try {
      await this.parts.books.run('settlePlay', { id: play.id, settlement, ...books });
    } catch (error) {
      const wasNeverStored = error instanceof RecordsError && error.code === 'conflict';
      if (!wasNeverStored) this.#booksLog.error('a play could not be made void', { play: play.id, error });
    }
  }

  /** Resolves when no play is open and everything is stored, which is checked only when `tellIfQuiet` is called. */
  quiet(): Promise<void> {
    return new Promise((resolve) => {
      this.#onQuiet = resolve;
    });
  }

  tellIfQuiet(): void {
    if (this.#open.size === 0 && this.#storing.size === 0) this.#onQuiet?.();
  }

  #store(work: Promise<unknown>): void {
    this.#storing.add(work);
    void work.finally(() => {
      this.#storing.delete(work);
      this.tellIfQuiet();
    });
  }
}

const NO_IDS = { universalAdId: null, adServingId: null, creativeId: null };

/** The file to record as shown: of a card, its picture or banner, not the other files that it is drawn with. */
function shownCreative(
  drawn: readonly DrawnFile[],
  { mediaUrl, ids = NO_IDS }: Pick<SlotFacts, 'mediaUrl' | 'ids'>,
): PlayCreative {
  const isShown = drawn.find(({ name }) => name === mediaUrl) ?? drawn.find(({ guest }) => guest !== null);
  const file = mediaUrl === '' ? undefined : (isShown ?? drawn[0]);
  return { ...ids, sha256: file?.sha256 ?? null, mediaType: file?.type ?? null };
}
