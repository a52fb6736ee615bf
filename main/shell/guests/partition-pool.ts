import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { app, type Session, session as sessions, type WebContents } from 'electron';
import type { Log } from '../../../shared/log';
import { type EgressProxy, startEgressProxy } from '../../egress/egress-proxy';
import { limitedLog } from '../../limited-log';
import type { Schedule } from '../../schedule';
import { frameProcesses, killByMain, killProcess } from '../page-processes';
import { clearUntilDone, type Left } from './clear-session';
import { fenceSession, fenceWebRtc } from './fenced-session';
import { killNoisyRenderer } from './noise';
import type { MemoryBounds } from './page-bounds';
import { logInAtProxy } from './proxy-login';
import type { PageWatch, WatchedPages } from './watch-pages';

/** A process that still runs this long after its page is gone is killed, ms. */
const END_GRACE_MS = 1_000;
const LOOK_AGAIN_MS = 50;
/** Chromium goes on to send what ended pages had queued: wait until none came for this long, ms. */
const QUIET_MS = 100;
/** Longest wait for that, ms. */
const LATE_REQUESTS_MS = 5_000;

/** What differs between visits: their egress proxies, and what to do when one takes too much memory. */
type VisitOptions = Omit<Parameters<typeof startEgressProxy>[0], 'password' | 'schedule' | 'log'> &
  Pick<WatchedPages, 'onExcess'>;

type PartitionPool = ReturnType<typeof createPartitionPool>;
/** The use of a partition by one ad or one shopper. */
export type Visit = Readonly<Awaited<ReturnType<PartitionPool['enter']>>>;

/**
 * A fixed number of in-memory partitions, each used by one visit at a time (rule 17); they are reused because new
 * sessions leak. Each visit has its own egress proxy, so that the port identifies the visit of a request and no
 * answer comes after its end. A partition is reused once the visit's contents and processes are gone, no late request
 * comes any more, and its storage, caches, credentials and connections are cleared.
 */
export function createPartitionPool(options: {
  /** Partitions are named `NAME-1` to `NAME-SIZE`. */
  readonly name: string;
  readonly size: number;
  readonly userAgent: string;
  readonly leaves: Left;
  /** How much memory the pages of one visit may take together. */
  readonly bounds: MemoryBounds;
  readonly pageWatch: PageWatch;
  /** Called for each session before its first visit. */
  readonly prepare?: (session: Session) => void;
  /** Called when a visit has to wait because all partitions are taken: end what can be ended. */
  readonly onFull?: () => void;
  readonly schedule: Schedule;
  readonly log: Log;
}) {
  const { schedule, log } = options;
  /** For the proxies of all visits together: each page may ask for 200 hosts that it must not reach. */
  const proxyLog = limitedLog({ log, clock: { monotonic: () => performance.now() } });
  const wait = (ms: number) => new Promise<void>((done) => void schedule(ms, done));
  const free: string[] = [];
  const waiting: ((partition: string) => void)[] = [];
  let made = 0;

  function take(): Promise<string> {
    const partition = free.pop();
    if (partition !== undefined) return Promise.resolve(partition);
    if (made < options.size) {
      const name = `${options.name}-${made + 1}`;
      const session = sessions.fromPartition(name);
      session.setUserAgent(options.userAgent);
      options.prepare?.(session);
      made += 1;
      return Promise.resolve(name);
    }
    const turn = new Promise<string>((resolve) => waiting.push(resolve));
    options.onFull?.();
    return turn;
  }

  function giveBack(partition: string): void {
    const next = waiting.shift();
    if (next) next(partition);
    else free.push(partition);
  }

  /** A process may outlive its page, for example in an endless loop. */
  async function awaitEnd(processes: ReadonlySet<number>): Promise<void> {
    const deadline = performance.now() + END_GRACE_MS;
    for (let pids = living(processes); pids.length > 0; pids = living(processes)) {
      if (performance.now() >= deadline) for (const pid of pids) killProcess(pid);
      await wait(LOOK_AGAIN_MS);
    }
  }

  /** Late requests would count as the next visit's. */
  async function awaitQuiet(proxy: EgressProxy): Promise<void> {
    const deadline = performance.now() + LATE_REQUESTS_MS;
    let before: number;
    do {
      before = proxy.received();
      await wait(QUIET_MS);
    } while (proxy.received() !== before && performance.now() < deadline);
  }

  return {
    /** Waits for a free partition. Rejects when the visit's proxy cannot be opened, or Chromium does not use it in time. */
    async enter({ onExcess, ...proxyOptions }: VisitOptions) {
      const partition = await take();
      const session = sessions.fromPartition(partition);
      const password = randomUUID();
      const proxy = await startEgressProxy({ ...proxyOptions, password, schedule, log: proxyLog }).catch(
        (error) => {
          giveBack(partition);
          throw error;
        },
      );
      const forgetLogin = logInAtProxy(proxy.port, password);
      const closeProxy = () => proxy.close().finally(forgetLogin);
      try {
        await fenceSession(session, proxy.port, schedule);
      } catch (error) {
        await closeProxy();
        giveBack(partition);
        throw error;
      }
      /** Ids of all processes behind its pages and their frames, those that have ended included. */
      const processes = new Set<number>();
      const pages: WebContents[] = [];
      const kill = () => {
        pages.forEach(note);
        pages.forEach(killByMain);
        for (const pid of living(processes)) killProcess(pid);
      };
      const onBlocked = () => {
        log.warn('pages blocked the kiosk; their processes were killed', { partition });
        kill();
        // Chromium goes on with what a dead page has asked until the page is closed.
        for (const page of pages) if (!page.isDestroyed()) page.close();
      };
      const watched = options.pageWatch.add({ processes, bounds: options.bounds, onExcess, onBlocked });
      let hasLeft = false;
      const note = (contents: WebContents) => {
        for (const pid of frameProcesses(contents)) processes.add(pid);
        watched.grew();
      };
      return {
        partition,
        session,
        /**
         * These contents are part of the visit: the partition is not handed on before they are gone. They are silent,
         * and killed when they send main too many messages; messages that reach main in other ways are to be passed
         * to the returned function.
         */
        add(contents: WebContents) {
          fenceWebRtc(contents);
          contents.setAudioMuted(true);
          contents.on('frame-created', () => note(contents));
          contents.on('did-frame-navigate', () => note(contents));
          pages.push(contents);
          return killNoisyRenderer(contents, schedule, log);
        },
        /** Kills all its processes, even those that hang. No creative is blamed for that. */
        kill,
        /** Ends the visit: its proxy answers nothing any more. May be called again. */
        leave() {
          if (hasLeft) return;
          hasLeft = true;
          watched.left();
          proxy.refuseAll();
          void (async () => {
            await Promise.all(pages.map((each) => each.isDestroyed() || once(each, 'destroyed')));
            await awaitEnd(processes);
            await awaitQuiet(proxy);
            await closeProxy();
            await clearUntilDone(session, options.leaves, options);
            giveBack(partition);
          })();
        },
      };
    },
  };
}

/** Those of these processes that still run. */
const living = (processes: ReadonlySet<number>): readonly number[] =>
  app.getAppMetrics().flatMap(({ pid, type }) => (type === 'Tab' && processes.has(pid) ? [pid] : []));
