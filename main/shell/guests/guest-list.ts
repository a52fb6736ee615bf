import { randomUUID } from 'node:crypto';
import type { WebContents } from 'electron';
import type { GuestListener } from '../../beacons/js-guests';
import { refusal } from '../../egress/checked-target';
import type { EgressPolicy } from '../../egress/egress-policy';
import { GUEST_BUDGET } from '../../egress/egress-proxy';
import type { LockDown } from '../lock-down';
import { type GuestKind, guestAnswer } from './guest-page';
import { GUEST_BOUNDS } from './page-bounds';
import { createPartitionPool, type Visit } from './partition-pool';
import { endDrawn, type WatchParts } from './watch-guests';
import type { PageWatch } from './watch-pages';

/** Most guests at a time; each has a process (rule 17). */
const MAX_GUESTS = 8;

interface Guest {
  /** Given by the caller of `open`. */
  readonly id: string;
  readonly kind: GuestKind;
  readonly url: string;
  readonly visit: Visit;
  readonly listener: GuestListener;
  contents: WebContents | null;
  /** The kiosk page may not attach it any more. */
  readonly takeBack: () => void;
  /** Tells a guest that has run to end soon; null: it still runs, or was told. */
  giveUpPlace: (() => void) | null;
}

/** @param measure takes messages of the guest that reach main in ways of their own; see `add` of a visit */
type OnAttached = (contents: WebContents, guest: Guest, measure: (word: string) => void) => void;

export interface GuestListParts extends WatchParts {
  readonly pageWatch: PageWatch;
  readonly lockDown: Pick<LockDown, 'admitGuest' | 'letFramesBrowse'>;
  readonly egressPolicy: EgressPolicy;
  /** Sent with every request of a guest (rule 19). */
  readonly userAgent: string;
}

export class GuestList {
  /** In the order in which they were opened. */
  readonly #guests = new Set<Guest>();
  readonly #pool: ReturnType<typeof createPartitionPool>;

  constructor(private readonly parts: GuestListParts) {
    const { userAgent, pageWatch, schedule, log } = parts;
    this.#pool = createPartitionPool({
      name: 'guest',
      size: MAX_GUESTS,
      userAgent,
      leaves: 'hosts',
      bounds: GUEST_BOUNDS,
      pageWatch,
      onFull: () => this.#makeRoom(),
      schedule,
      log,
    });
  }

  get all(): readonly Guest[] {
    return [...this.#guests];
  }

  /** Frees a partition soon: ends a guest that has run or, if there is none, a banner that waits for its slot. */
  #makeRoom(): void {
    const hasRun = this.all.find(({ giveUpPlace }) => giveUpPlace !== null);
    if (hasRun) {
      hasRun.giveUpPlace?.();
      hasRun.giveUpPlace = null;
      return;
    }
    const unattached = this.all.find(({ kind, contents }) => kind === 'banner' && contents === null);
    if (unattached) this.forget(unattached);
  }

  /** Whether the kiosk page has not attached the guest at this address yet: it has no process. */
  readonly isWaiting = (url: string): boolean =>
    this.all.some((guest) => guest.url === url && guest.contents === null);

  forget(guest: Guest): void {
    this.#guests.delete(guest);
    guest.takeBack();
    guest.visit.leave();
  }

  /** @param onAttached called when the kiosk page has attached the guest, before its page is loaded */
  async open(
    kind: GuestKind,
    id: string,
    content: string,
    listener: GuestListener,
    onAttached: OnAttached,
  ): Promise<Guest> {
    const { stage, lockDown, egressPolicy, log } = this.parts;
    // The stage takes one page at a time. One that it never attached has no element whose removal would close it.
    for (const before of kind === 'page' ? this.all : [])
      if (before.kind === 'page' && before.contents === null) this.forget(before);
    const host = `${randomUUID()}.localhost`;
    const visit = await this.#pool.enter({
      egressPolicy: kind === 'page' ? NO_NETWORK : withoutGuests(egressPolicy),
      purpose: 'guest',
      ownSite: { host, answer: (url) => guestAnswer(url, kind, content, listener) },
      onRefused: (hostname) => listener.blocked(`the egress policy: ${hostname}`),
      budget: GUEST_BUDGET,
      onFlood() {
        log.warn('a guest flooded the network; it was ended', { kind });
        visit.kill();
      },
      onExcess(excess) {
        log.warn('a guest took too much memory; it was ended', { kind, ...excess });
        visit.kill();
      },
    });
    const url = `http://${host}/`;
    const takeBack = lockDown.admitGuest({
      owns: stage.owns,
      url,
      visit,
      preferences: { autoplayPolicy: 'document-user-activation-required' },
      onAttached: (contents) => onAttached(contents, guest, this.#attached(guest, contents)),
    });
    const guest: Guest = { id, kind, url, visit, listener, takeBack, contents: null, giveUpPlace: null };
    this.#guests.add(guest);
    return guest;
  }

  /** Removes the pages and banners at these addresses from the stage and kills their processes, even if they hang. */
  readonly endDrawn = (urls: readonly string[], detail: string): void => {
    for (const guest of this.all)
      if (guest.kind !== 'beacon' && guest.contents !== null && urls.includes(guest.url))
        endDrawn(this.parts.stage, guest, detail);
  };

  /** Returns what measures its messages; see `add` of a visit. */
  #attached(guest: Guest, contents: WebContents): (word: string) => void {
    guest.contents = contents;
    contents.once('destroyed', () => this.forget(guest));
    contents.on('render-process-gone', (_event, { reason }) => guest.listener.crashed(reason));
    if (guest.kind !== 'page') this.parts.lockDown.letFramesBrowse(contents);
    return guest.visit.add(contents);
  }
}

/** Hosts of guests belong to those guests alone: no name server is asked for them. */
const withoutGuests = (egressPolicy: EgressPolicy): EgressPolicy => ({
  async resolve(url, purpose) {
    if (!/\.localhost\.?$/.test(url.hostname)) return egressPolicy.resolve(url, purpose);
    return refusal('fenced', `${url.hostname} is not a host of this page`);
  },
});

/** Pages have no network (rule 13): refuses every address without looking up its name. */
const NO_NETWORK: EgressPolicy = {
  resolve: async ({ hostname }) =>
    refusal('fenced', `${hostname} was asked for by a page, which has no network`),
};
