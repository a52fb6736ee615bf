import { randomUUID } from 'node:crypto';
import type { WebContents, WebPreferences } from 'electron';
import { type GuestKind, guestAnswer } from '../beacons/guest-page';
import type { GuestListener } from '../beacons/js-guests';
import type { EgressPolicy } from '../egress/egress-policy';
import { GUEST_BUDGET } from '../egress/egress-proxy';
import { watchMemory } from './guest-memory';
import { UNTRUSTED_PAGE } from './lock-down';
import { type Excess, GUEST_BOUNDS } from './memory-bounds';
import { killNoisyRenderer } from './noise';
import { crashByMain, frameProcesses, killProcess } from './page-processes';
import { createPartitionPool } from './partition-pool';
import {
  endDrawn,
  type Guest,
  type GuestListParts,
  watchBanner,
  watchBeacon,
  watchDrawn,
  watchPage,
} from './watch-guests';

/** Most guests at a time; each has a process (rule 17). */
const MOST_GUESTS = 8;
/**
 * A page that the stage does not hold by then is closed, ms. A banner may wait longer, for its slot: it has no process
 * until then, and gives way when another guest needs its place.
 */
const UNATTACHED_PAGE_MS = 15_000;

/** All guests: opens, admits, watches and ends them. */
export class GuestList {
  /** In the order in which they were opened. */
  readonly #guests = new Set<Guest>();
  readonly #pool: ReturnType<typeof createPartitionPool>;
  readonly #lookAtMemory: () => void;

  constructor(private readonly parts: GuestListParts) {
    const { stage, userAgent, lockDown, schedule, log } = parts;
    this.#pool = createPartitionPool({
      ...{ name: 'guest', size: MOST_GUESTS, userAgent, leaves: 'hosts' },
      onFull: () => this.#makeRoom(),
      ...{ schedule, log },
    });
    this.#lookAtMemory = watchMemory(() => this.#watched(), GUEST_BOUNDS, schedule);
    lockDown.admitGuests((owner, params) => (stage.owns(owner) ? this.#admit(params) : null));
  }

  get all(): readonly Guest[] {
    return [...this.#guests];
  }

  *#watched() {
    const { log } = this.parts;
    for (const guest of this.#guests) {
      if (guest.contents === null) continue;
      yield {
        processes: guest.visit.processes,
        end(excess: Excess) {
          log.warn('a guest took too much memory; it was ended', { kind: guest.kind, ...excess });
          closeGuest(guest);
        },
      };
    }
  }

  /** Frees a partition: ends a lingering guest or, if there is none, a guest that the stage has not attached. */
  #makeRoom(): void {
    const lingering = this.all.find(({ endLingering }) => endLingering !== null);
    if (lingering) {
      lingering.endLingering?.();
      return;
    }
    const unattached = this.all.find(({ kind, contents }) => kind !== 'beacon' && contents === null);
    if (unattached) this.forget(unattached);
  }

  forget(guest: Guest): void {
    this.#guests.delete(guest);
    guest.visit.leave();
  }

  async open(
    kind: GuestKind,
    id: string,
    content: string,
    listener: GuestListener,
    more: Partial<Pick<Guest, 'banner' | 'scriptFailed' | 'attached'>> = {},
  ): Promise<Guest> {
    const { egressPolicy, schedule, log } = this.parts;
    const host = `${randomUUID()}.localhost`;
    const visit = await this.#pool.enter({
      egressPolicy: kind === 'page' ? NO_NETWORK : withoutGuests(egressPolicy),
      purpose: 'guest',
      ownSite: { host, answer: (url) => guestAnswer(url, kind, content, listener) },
      onRefused: (hostname) => listener.held(`the egress policy: ${hostname}`),
      budget: GUEST_BUDGET,
      onFlood() {
        log.warn('a guest flooded the network; it was ended', { kind });
        if (guest.contents) crashByMain(guest.contents);
      },
    });
    const guest: Guest = {
      id,
      kind,
      url: `http://${host}/`,
      visit,
      listener,
      banner: more.banner ?? null,
      scriptFailed: more.scriptFailed ?? null,
      attached: more.attached ?? (() => {}),
      contents: null,
      endLingering: null,
    };
    this.#guests.add(guest);
    // A page that is replaced before the stage attaches it has no element whose removal would close it.
    if (kind === 'page')
      schedule(UNATTACHED_PAGE_MS, () => {
        if (guest.contents === null) this.forget(guest);
      });
    return guest;
  }

  /** Removes the pages and banners at these addresses from the stage and kills their processes, even if they hang. */
  readonly endDrawn = (urls: readonly string[], detail: string): void => {
    for (const { kind, url, contents } of this.all)
      if (kind !== 'beacon' && contents !== null && urls.includes(url))
        endDrawn(this.parts.stage, url, contents, detail);
  };

  #admit({ src, partition }: Record<string, string>): WebPreferences | null {
    const guest = this.all.find(({ url, contents }) => url === src && contents === null);
    if (!guest || partition !== guest.visit.partition) return null;
    return { ...UNTRUSTED_PAGE, autoplayPolicy: 'document-user-activation-required', partition };
  }

  /** A guest was attached to the kiosk window. */
  readonly attached = (contents: WebContents): void => {
    const guest = this.all.find((each) => each.visit.session === contents.session && each.contents === null);
    if (!guest) {
      // The guest was closed after it was admitted.
      contents.close();
      return;
    }
    guest.contents = contents;
    guest.visit.hold(contents);
    this.#lookAtMemory();
    contents.setAudioMuted(true);
    const measure = killNoisyRenderer(contents, this.parts.schedule, this.parts.log);
    contents.once('destroyed', () => this.forget(guest));
    contents.on('render-process-gone', (_event, { reason }) => guest.listener.crashed(reason));
    if (guest.kind !== 'page') this.parts.lockDown.letFramesBrowse(contents);
    if (guest.kind !== 'beacon') watchDrawn(this.parts, guest, contents);
    if (guest.kind === 'page') watchPage(this.parts, guest, contents);
    if (guest.kind === 'beacon') watchBeacon(guest, contents);
    if (guest.banner) watchBanner(this.parts, guest, guest.banner, contents, measure);
    guest.attached();
  };
}

/** Kills its process, and those of its frames of other sites, which outlive its page. */
export function closeGuest({ contents }: Guest): void {
  if (contents === null) return;
  const processes = frameProcesses(contents);
  crashByMain(contents);
  for (const pid of processes) killProcess(pid);
}

/** Hosts of guests belong to those guests alone: no name server is asked for them. */
const withoutGuests = (egressPolicy: EgressPolicy): EgressPolicy => ({
  async resolve(url, purpose) {
    if (!/\.localhost\.?$/.test(url.hostname)) return egressPolicy.resolve(url, purpose);
    return { ok: false, code: 'fenced', message: `${url.hostname} is not a host of this page` };
  },
});

/** Pages have no network (rule 13): refuses every address without looking up its name. */
const NO_NETWORK: EgressPolicy = {
  resolve: async ({ hostname }) => ({
    ok: false,
    code: 'fenced',
    message: `${hostname} was asked for by a page, which has no network`,
  }),
};
