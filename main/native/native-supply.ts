import type { NativeAd } from '../../shared/native';
import type { Basics } from '../basics';
import type { Context } from '../decisions/audience';
import { type BackOff, backOffMs } from '../egress/back-off';
import { limitedLog } from '../limited-log';
import type { ServiceError, ServiceErrorCode, ServiceFailure } from '../service/service-error';
import type { NativeAnswer, NativeClient } from './native-client';
import {
  adToShow,
  canBeReached,
  INITIAL_PACING,
  type Moment,
  type NativePacing,
  nextRequestAt,
  type PacingEvent,
  type PacingRules,
  sessionAt,
  stepPacing,
  stillFresh,
} from './native-pacing';

export interface NativeSupplyOptions extends Pick<Basics, 'clock' | 'schedule' | 'random' | 'log'> {
  readonly client: NativeClient;
  /** Resolves when everything that the clock was told so far is in force. */
  readonly settled: () => Promise<void>;
  /** The current values of the sensors, read at each request. */
  readonly context: () => Context;
  /** `native.refreshSeconds` (null: from the session's length) and `native.sessionIdleSeconds`, in ms. */
  readonly rules: PacingRules;
  /** Called with every answer, for the status, trusted time and metrics. */
  readonly tell: (answer: NativeAnswer | ServiceFailure) => void;
  /**
   * False while the stage is held or a sensor reports that nobody is there: then nothing is requested (rule
   * 19).
   */
  readonly mayRequest: () => boolean;
  /**
   * Called when the held ads may have changed: their media are to be downloaded, and other media can be removed.
   */
  readonly onHeld: (ads: readonly NativeAd[]) => void;
}

export type NativeSupply = ReturnType<typeof createNativeSupply>;

const BACK_OFF: BackOff = { minMs: 5_000, maxMs: 5 * 60_000 };

/** Errors after which it is unknown whether the service can be reached: its ads are not shown meanwhile. */
const NOT_REACHED: ReadonlySet<ServiceErrorCode> = new Set<ServiceErrorCode>([
  'unreachable-name',
  'unreachable-connection',
  'proxy-unreachable',
  'proxy-auth',
  'proxy-refused',
  'tls',
  'unknown-ca',
  'certificate-date',
  'certificate-name',
  'timeout',
  'redirect',
  'truncated',
  'web-page',
  'server-error',
  'insecure-address',
]);

/**
 * The native ads at hand, in memory only: none outlives the process (rule 16). Makes requests in advance, paced by rule
 * 19, with back-off after errors.
 */
export function createNativeSupply(options: NativeSupplyOptions) {
  const { client, clock, schedule, log, rules } = options;
  const limited = limitedLog({ log, clock });
  let pacing: NativePacing = INITIAL_PACING;
  let isRunning = false;
  let cancelTimer = (): void => {};
  let lastResult: NativeAnswer['kind'] | null = null;
  /** The remarks that were last said in a warning, each in a line. */
  let lastSaid = '';
  /** How many requests failed in a row. */
  let failures = 0;
  const stopping = new AbortController();
  const moment = (): Moment => ({ wall: clock.now(), monotonic: clock.monotonic() });

  const happened = (...events: readonly PacingEvent[]): void => {
    const before = pacing.held;
    const at = moment();
    pacing = events.reduce((state, event) => stepPacing(state, event, at, rules), pacing);
    if (pacing.held !== before) options.onHeld(pacing.held.map(({ ad }) => ad));
    plan();
  };

  const plan = (): void => {
    cancelTimer();
    if (!isRunning) return;
    const at = moment();
    const due = nextRequestAt(pacing, at, rules);
    if (due === null) return;
    // A request that is due waits for the next `look`.
    if (due <= at.monotonic && !options.mayRequest()) return;
    if (due <= at.monotonic) void request();
    else cancelTimer = schedule(due - at.monotonic, plan);
  };

  const request = async (): Promise<void> => {
    happened({ type: 'requested' });
    const answer = await client.request(options.context(), stopping.signal);
    // Its wrappers were cut off, which is no error of its ads.
    if (stopping.signal.aborted) return;
    options.tell(answer);
    // Otherwise ads of an answer that sets the clock forward would seem to be old.
    await options.settled();
    if (stopping.signal.aborted) return;
    if (answer.kind === 'error') failed(answer.error);
    else succeeded(answer);
  };

  const succeeded = (answer: NativeAnswer): void => {
    if (failures > 0) log.info('native requests work again', { result: answer.kind });
    failures = 0;
    lastResult = answer.kind;
    const { leftOut, remarks } = answer;
    const said = remarks.join('\n');
    if (leftOut > 0 && said !== lastSaid) {
      // The service counts these ads as delivered.
      lastSaid = said;
      limited.warn('native ads of an answer cannot be used', { leftOut, remarks });
    } else if (said !== '') log.debug('native answer with remarks', { remarks });
    happened({ type: 'answered', ads: answer.ads, spread: options.random() });
  };

  const failed = (error: ServiceError): void => {
    failures += 1;
    const retryInMs = backOffMs(failures, BACK_OFF, options.random, error.retryAfterMs);
    log.warn('native request failed', { ...error, failures, retryInMs: Math.round(retryInMs) });
    happened({ type: 'failed', reached: !NOT_REACHED.has(error.code), retryInMs });
  };

  return {
    /** Starts with an immediate request, if `mayRequest` allows it. */
    start(): void {
      isRunning = true;
      plan();
    },
    /** Cancels a request that is under way; from then on `next` returns null. */
    stop(): void {
      isRunning = false;
      cancelTimer();
      stopping.abort();
    },
    /**
     * The ad to show now, or null (rules 16 and 19). It returns the same ad until that is on the screen or
     * dropped, so it can be called again at the slot. `isReady` returns whether the ad's media are verified on disk.
     */
    next: (isReady: (ad: NativeAd) => boolean) =>
      isRunning ? adToShow(pacing, moment(), rules, isReady) : null,
    presented: (instance: string) => happened({ type: 'presented', instance }),
    leftScreen: (instance: string) => happened({ type: 'left-screen', instance }),
    confirmed: (instance: string) => happened({ type: 'dropped', instance }),
    /** Drops ads in one step. @param whys the reason for each, by instance */
    dropped(whys: ReadonlyMap<string, string>): void {
      for (const [instance, why] of whys) log.info('a native ad was dropped', { instance, why });
      happened(...[...whys.keys()].map((instance) => ({ type: 'dropped', instance }) as const));
    },
    touched: () => happened({ type: 'touched' }),
    sessionLeft: () => happened({ type: 'session-left' }),
    /** A shopper is at the screen, or was within the idle time. */
    inSession: () => sessionAt(pacing, moment(), rules) !== null,
    /** A genuine click on an ad: the next request follows at once. */
    engaged: () => happened({ type: 'engaged' }),
    /** To be called when `mayRequest` may have changed, or the clock was set: a request that is due is made at once. */
    look: plan,
    /** For the status. `lastResult`: of the last request that did not fail; null: there was none. */
    state() {
      const at = moment();
      return { held: stillFresh(pacing, at).length, reachable: canBeReached(pacing, at), lastResult };
    },
  };
}
