import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Clock } from '../../shared/clock';
import { createCollector } from './collector';
import { controlEndpoint, refuseForeign } from './control';
import { deliver, deliverError } from './delivery';
import { type DemoAd, type DemoAdInput, DemoAds } from './demo-ad';
import { demoPlaylist } from './demo-playlist';
import { demoRoutes } from './demo-routes';
import { createFaultSwitches, type FaultsInput } from './faults';
import { type Answer, bareAnswer, type ServiceRequest } from './http-answer';
import { DEMO_REGISTRATION, kioskSettings, type Registration } from './kiosk-settings';
import { startListener } from './listener';
import { mediaEntry, ownFolder, readMediaFolder } from './media-endpoint';
import { createRequestLog } from './request-log';
import type { KioskAddress } from './simulator/kiosk-relay';
import { createSimulator } from './simulator/simulator-endpoint';
import { createIssuedTokens } from './token-endpoint';

const HOST = '127.0.0.1';

export interface DemoServiceOptions extends Partial<Registration> {
  /** 0 (the default) asks for a free port; one that is taken gives way to a free one, unless it is required. */
  readonly port?: number;
  /** Rejects if the port is taken (default false). */
  readonly requiresPort?: boolean;
  readonly tokenLifetimeSeconds?: number;
  /** `none` for a deployment whose ads request needs no token. */
  readonly adsAuthentication?: 'bearer' | 'none';
  readonly clock?: Clock;
  /** How many of the latest beacons and requests are remembered. */
  readonly keep?: number;
  readonly kiosk?: KioskAddress;
  /**
   * True beside a demo kiosk (default false). Its settings then use online delivery and event times in
   * beacons, and it sends online ads only once the store simulator switches them on.
   */
  readonly embedded?: boolean;
}

export type DemoService = Awaited<ReturnType<typeof startDemoService>>;

export type { KioskAddress };

const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/**
 * Starts the embedded ad service on loopback. It speaks the real protocol over
 * real sockets and is for demonstrations and tests only: its secrets are public.
 */
export async function startDemoService(options: DemoServiceOptions = {}) {
  const { clock = systemClock, port = 0, requiresPort = false } = options;
  const registration: Registration = { ...DEMO_REGISTRATION, ...options };
  const authentication = options.adsAuthentication ?? 'bearer';
  const startedAt = clock.now();
  const switches = createFaultSwitches();
  const tokens = createIssuedTokens(
    () => clock.now(),
    () => randomBytes(24).toString('base64url'),
    options.tokenLifetimeSeconds ?? 43_199,
  );
  const media = readMediaFolder(ownFolder('creatives'));
  const simulator = createSimulator(ownFolder(join('simulator', 'page')));
  let playlist: DemoAd[] | null = null;
  let onlineAds: DemoAd[] | null = null;
  let nativeAds: readonly unknown[] | null = null;
  let kiosk: KioskAddress | null = options.kiosk ?? null;
  let fillsOnline = options.embedded !== true;

  const shownTime = (): number => clock.now() + switches.clockOffsetMs();
  const currentPlaylist = (): readonly DemoAd[] =>
    playlist ?? demoPlaylist(shownTime(), startedAt + switches.clockOffsetMs());

  const listener = await startListener(HOST, port, requiresPort, (request, response) => {
    answer(request, response).catch((error: unknown) => deliverError(response, error));
  });
  const origin = `http://${HOST}:${listener.port}`;
  const collector = createCollector(clock.now, () => origin, options.keep ?? 200_000);
  const log = createRequestLog(clock.now, options.keep ?? 20_000);

  const routes = demoRoutes({
    registration,
    tokens,
    authentication,
    origin,
    collector,
    media,
    shownTime,
    currentPlaylist,
    onlineAds: () => (fillsOnline ? onlineAds : []),
    nativeAds: () => nativeAds,
  });

  const controls = {
    faults: () => switches.current(),
    /** Replaces all faults; `{}` removes them. Throws a ZodError for invalid input. */
    setFaults: (faults: FaultsInput) => switches.set(faults),
    ads: () => currentPlaylist(),
    /** Replaces the playlist; null restores the built-in one. */
    setAds(ads: readonly DemoAdInput[] | null): void {
      playlist = ads === null ? null : DemoAds.parse(ads);
    },
    fillsOnline: () => fillsOnline,
    setFillsOnline: (fills: boolean) => {
      fillsOnline = fills;
    },
    beacons: () => collector.beacons(),
    clearBeacons: () => collector.clear(),
    /** Every request to the service's interface: not those to `/control` or the simulator. */
    requests: () => log.requests(),
    clearRequests: () => log.clear(),
    /** Every token out stops working. */
    revokeTokens: () => tokens.revokeAll(),
    goDownFor: listener.goDownFor,
  };

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await read(incoming);
    const stamp = { date: new Date(clock.now()), ageSeconds: null };
    const send = (plain: Answer) => deliver(response, request.method, plain, null, stamp);

    const route = routes.find(({ fits }) => fits(request.path));
    if (route === undefined) {
      const refused = refuseForeign(request, listener.port);
      if (refused !== null) return send(refused);
      if (request.path.startsWith('/control/')) return send(controlEndpoint(request, controls));
      if (/^\/simulator(\/|$)/.test(request.path)) return send(await simulator(request, kiosk));
      return send(bareAnswer(404));
    }
    const fault = switches.take(route.group, request.target);
    const right = route.answer(request);
    if (route.group === 'collector') collector.record(request, fault?.kind ?? null);
    log.note(request, route.group, right.status, fault?.kind ?? null);
    const { dateless, ageSeconds } = switches.current();
    await deliver(response, request.method, right, fault, {
      date: dateless === true ? null : new Date(shownTime()),
      ageSeconds: ageSeconds ?? null,
    });
  }

  return {
    origin,
    port: listener.port,
    settings: () => kioskSettings(origin, registration, authentication, options.embedded),
    ...controls,
    /** The ads for online requests; null: the playlist. */
    setOnlineAds(ads: readonly DemoAdInput[] | null): void {
      onlineAds = ads === null ? null : DemoAds.parse(ads);
    },
    /** Native ads to send as they are; null restores the built-in ones. */
    setNativeAds(ads: readonly unknown[] | null): void {
      nativeAds = ads;
    },
    /** Adds or replaces `/media/<name>`; returns its URL. */
    setMedia(name: string, body: Buffer, type: string): string {
      media.set(name, mediaEntry(body, type, clock.now()));
      return `${origin}/media/${encodeURIComponent(name)}`;
    },
    removeMedia: (name: string): void => void media.delete(name),
    setKiosk(address: KioskAddress | null): void {
      kiosk = address;
    },
    /** Closes the listening socket and destroys all connections, until `comeBack` opens the same port. */
    goDown: listener.goDown,
    comeBack: listener.comeBack,
    close: listener.goDown,
  };
}

async function read(incoming: IncomingMessage): Promise<ServiceRequest> {
  const target = incoming.url ?? '/';
  // The dot keeps a second slash from beginning a host name.
  const { pathname, searchParams } = new URL(`.${target}`, `http://${HOST}`);
  return {
    method: incoming.method ?? 'GET',
    path: pathname,
    query: searchParams,
    target,
    headers: incoming.headers,
    body: await buffer(incoming),
  };
}
