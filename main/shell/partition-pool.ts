import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { app, type Session, session as sessions, type WebContents } from 'electron';
import type { Log } from '../../shared/log';
import { startEgressProxy } from '../egress/egress-proxy';
import type { Schedule } from '../schedule';
import { clearSession, type Left } from './clear-session';
import { fenceSession, fenceWebRtc, logInAtProxy } from './fenced-session';
import { denyPermissions } from './lock-down';
import { frameProcesses, killProcess } from './page-processes';

/** A process that still runs this long after its page is gone is killed, ms. */
const END_GRACE_MS = 1_000;
const LOOK_AGAIN_MS = 50;
/** Wait before clearing is tried again after an error, ms. */
const CLEAR_AGAIN_MS = 1_000;

/** What differs between the egress proxies of visits. */
type ProxyOptions = Omit<Parameters<typeof startEgressProxy>[0], 'password' | 'schedule' | 'log'>;

type PartitionPool = ReturnType<typeof createPartitionPool>;
/** The use of a partition by one ad or one shopper. */
export type Visit = Readonly<Awaited<ReturnType<PartitionPool['enter']>>>;

/**
 * A fixed number of in-memory partitions, each used by one visit at a time (rule 17); they are reused because new
 * sessions leak. Each visit has its own egress proxy, so that the port identifies the visit of a request and no
 * answer comes after its end. A partition is reused once the visit's contents and processes are gone and its storage,
 * caches, credentials and connections are cleared.
 */
export function createPartitionPool(options: {
  /** Partitions are named `NAME-1` to `NAME-SIZE`. */
  readonly name: string;
  readonly size: number;
  readonly userAgent: string;
  /** What a visit may leave behind. */
  readonly leaves: Left;
  /** Called for each session before its first visit. */
  readonly prepare?: (session: Session) => void;
  /** Called when a visit has to wait because all partitions are taken: end what can be ended. */
  readonly onFull?: () => void;
  readonly schedule: Schedule;
  readonly log: Log;
}) {
  const { schedule, log } = options;
  const wait = (ms: number) => new Promise<void>((done) => void schedule(ms, done));
  /** The last one used is used next, so that fewer are created. */
  const free: string[] = [];
  const waiting: ((partition: string) => void)[] = [];
  let made = 0;

  function take(): Promise<string> {
    const partition = free.pop();
    if (partition !== undefined) return Promise.resolve(partition);
    if (made < options.size) {
      made += 1;
      const name = `${options.name}-${made}`;
      const session = sessions.fromPartition(name);
      session.setUserAgent(options.userAgent);
      denyPermissions(session);
      options.prepare?.(session);
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
    const living = () =>
      app.getAppMetrics().flatMap(({ pid, type }) => (type === 'Tab' && processes.has(pid) ? [pid] : []));
    const deadline = performance.now() + END_GRACE_MS;
    for (let pids = living(); pids.length > 0; pids = living()) {
      if (performance.now() >= deadline) for (const pid of pids) killProcess(pid);
      await wait(LOOK_AGAIN_MS);
    }
  }

  async function clearUntilDone(session: Session): Promise<void> {
    for (;;) {
      try {
        await clearSession(session, options.leaves);
        return;
      } catch (error) {
        log.warn('a partition could not be cleared; it is tried again', { error });
        await wait(CLEAR_AGAIN_MS);
      }
    }
  }

  return {
    /** Waits for a free partition. Rejects when the visit's proxy cannot be opened. */
    async enter(proxyOptions: ProxyOptions) {
      const partition = await take();
      const session = sessions.fromPartition(partition);
      const password = randomUUID();
      let closeProxy = async (): Promise<void> => {};
      try {
        const proxy = await startEgressProxy({ ...proxyOptions, password, schedule, log });
        const forgetLogin = logInAtProxy(proxy.port, password);
        closeProxy = () => proxy.close().finally(forgetLogin);
        await fenceSession(session, proxy.port);
      } catch (error) {
        await closeProxy();
        giveBack(partition);
        throw error;
      }
      const processes = new Set<number>();
      const gone: Promise<unknown>[] = [];
      let hasLeft = false;
      return {
        partition,
        session,
        /** Process ids of all frames of its contents, those of contents that have gone included. */
        processes: (): ReadonlySet<number> => processes,
        /** These contents are part of the visit: the partition is not handed on before they are gone. */
        hold(contents: WebContents) {
          fenceWebRtc(contents);
          const note = () => {
            for (const pid of frameProcesses(contents)) processes.add(pid);
          };
          contents.on('frame-created', note);
          contents.on('did-frame-navigate', note);
          if (!contents.isDestroyed()) gone.push(once(contents, 'destroyed'));
        },
        /** Ends the visit: its proxy answers nothing any more. May be called again. */
        leave() {
          if (hasLeft) return;
          hasLeft = true;
          void (async () => {
            await closeProxy();
            await Promise.all(gone);
            await awaitEnd(processes);
            await clearUntilDone(session);
            giveBack(partition);
          })();
        },
      };
    },
  };
}
