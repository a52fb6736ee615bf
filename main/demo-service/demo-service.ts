import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../shared/clock';
import { type Beacon, createCollector } from './collector';
import { controlEndpoint, refuseForeign } from './control';
import { deliver, deliverError } from './delivery';
import { type DemoAd, type DemoAdInput, DemoAds } from './demo-ad';
import { demoPlaylist } from './demo-playlist';
import { demoRoutes } from './demo-routes';
import { createFaultSwitches, type Faults, type FaultsInput } from './faults';
import { type Answer, bareAnswer, jsonAnswer, type ServiceRequest } from './http-answer';
import { DEMO_REGISTRATION, type KioskSettings, kioskSettings, type Registration } from './kiosk-settings';
import { startListener } from './listener';
import { mediaEntry, ownFolder, readMediaFolder } from './media-endpoint';
import { createRequestLog, type LoggedRequest } from './request-log';
import type { KioskAddress } from './simulator/kiosk-relay';
import { createSimulator } from './simulator/simulator-endpoint';
import { createIssuedTokens } from './token-endpoint';

const HOST = '127.0.0.1';
const MAX_BODY_BYTES = 8 * 1024 * 1024;

export interface DemoServiceOptions extends Partial<Registration> {
  /** 0 (the default) asks for a free port; one that is taken gives way to a free one, unless it is required. */
  readonly port?: number;
  /** Rejects if the port is taken (default false). */
  readonly requiresPort?: boolean;
  readonly tokenLifetimeSeconds?: number;
  /** `none` for a deployment whose ads request needs no token. */
  readonly adsAuthentication?: 'bearer' | 'none';
  /** The `type` of the metadata extension. */
  readonly extensionType?: string;
  readonly clock?: Clock;
  /** The folder with the creatives; the project's own by default. */
  readonly mediaDir?: string;
  /** How many of the latest beacons and requests are remembered. */
  readonly keep?: number;
  readonly kiosk?: KioskAddress;
  /**
   * True beside a demo kiosk (default false). Its settings then use online delivery and event times in
   * beacons, and it sends online ads only once the store simulator switches them on.
   */
  readonly embedded?: boolean;
}

export interface DemoService {
  readonly origin: string;
  readonly port: number;
  settings(): KioskSettings;
  beacons(): readonly Beacon[];
  clearBeacons(): void;
  /** Every request to the service's interface: not those to `/control` or the simulator. */
  requests(): readonly LoggedRequest[];
  clearRequests(): void;
  faults(): Faults;
  /** Replaces all faults; `{}` removes them. Throws a ZodError for invalid input. */
  setFaults(faults: FaultsInput): void;
  /** Replaces the playlist; null restores the built-in one. */
  setAds(ads: readonly DemoAdInput[] | null): void;
  /** The ads for online requests; null: the playlist. */
  setOnlineAds(ads: readonly DemoAdInput[] | null): void;
  /** Native ads to send as they are; null restores the built-in ones. */
  setNativeAds(ads: readonly unknown[] | null): void;
  /** Adds or replaces `/media/<name>`; returns its URL. */
  setMedia(name: string, body: Buffer, type: string): string;
  removeMedia(name: string): void;
  /** Every token out stops working. */
  revokeTokens(): void;
  setKiosk(kiosk: KioskAddress | null): void;
  /** Closes the listening socket and destroys all connections, until `comeBack` opens the same port. */
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

export type { KioskAddress };

const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/**
 * Starts the embedded ad service on loopback. It speaks the real protocol over
 * real sockets and is for demonstrations and tests only: its secrets are public.
 */
export async function startDemoService(options: DemoServiceOptions = {}): Promise<DemoService> {
  const { clock = systemClock, port = 0, requiresPort = false } = options;
  const registration = registrationOf(options);
  const authentication = options.adsAuthentication ?? 'bearer';
  const startedAt = clock.now();
  const switches = createFaultSwitches();
  const tokens = createIssuedTokens(
    () => clock.now(),
    () => randomBytes(24).toString('base64url'),
    options.tokenLifetimeSeconds ?? 43_199,
  );
  const media = readMediaFolder(options.mediaDir ?? ownFolder('creatives'));
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
    extensionType: options.extensionType ?? 'service-metadata',
    onlineAds: () => (fillsOnline ? onlineAds : []),
    nativeAds: () => nativeAds,
  });

  const outages = createOutages(listener);
  const controls = {
    faults: () => switches.current(),
    setFaults: (faults: FaultsInput) => switches.set(faults),
    ads: () => currentPlaylist(),
    setAds: (ads: DemoAd[] | null) => {
      playlist = ads;
    },
    fillsOnline: () => fillsOnline,
    setFillsOnline: (fills: boolean) => {
      fillsOnline = fills;
    },
    beacons: () => collector.beacons(),
    clearBeacons: () => collector.clear(),
    requests: () => log.requests(),
    clearRequests: () => log.clear(),
    revokeTokens: () => tokens.revokeAll(),
    goDownFor: outages.goDownFor,
  };

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(incoming);
    if (body === 'gone') return;
    const stamp = { date: new Date(clock.now()), ageSeconds: null };
    const send = (plain: Answer) => deliver(response, incoming.method ?? 'GET', plain, null, stamp);
    if (body === 'too-large') return send(jsonAnswer(413, { error: 'the body is too large' }));
    const request = toRequest(incoming, body);
    if (request === null) return send(bareAnswer(400));

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
    setAds: (ads) => {
      playlist = ads === null ? null : DemoAds.parse(ads);
    },
    setOnlineAds: (ads) => {
      onlineAds = ads === null ? null : DemoAds.parse(ads);
    },
    setNativeAds: (ads) => {
      nativeAds = ads;
    },
    setMedia(name, body, type) {
      media.set(name, mediaEntry(body, type, clock.now()));
      return `${origin}/media/${encodeURIComponent(name)}`;
    },
    removeMedia: (name) => void media.delete(name),
    setKiosk: (address) => {
      kiosk = address;
    },
    goDown: outages.goDown,
    comeBack: outages.comeBack,
    close: outages.goDown,
  };
}

async function readBody(incoming: IncomingMessage): Promise<Buffer | 'too-large' | 'gone'> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of incoming) {
      const bytes = z.instanceof(Buffer).parse(chunk);
      length += bytes.length;
      if (length > MAX_BODY_BYTES) return 'too-large';
      chunks.push(bytes);
    }
  } catch {
    return 'gone';
  }
  return Buffer.concat(chunks);
}

function toRequest(incoming: IncomingMessage, body: Buffer): ServiceRequest | null {
  const target = incoming.url ?? '/';
  if (!URL.canParse(target, `http://${HOST}`)) return null;
  const { pathname, searchParams } = new URL(target, `http://${HOST}`);
  return {
    method: incoming.method ?? 'GET',
    path: pathname,
    query: searchParams,
    target,
    headers: incoming.headers,
    body,
  };
}

/** Takes the service down and up again, on command or after a time in ms. */
function createOutages(listener: Awaited<ReturnType<typeof startListener>>) {
  let returning: NodeJS.Timeout | undefined;
  return {
    goDown() {
      clearTimeout(returning);
      return listener.goDown();
    },
    comeBack() {
      clearTimeout(returning);
      return listener.comeBack();
    },
    goDownFor(ms: number) {
      clearTimeout(returning);
      // Waits until the answer to this request was sent.
      setImmediate(() => {
        void listener.goDown();
        returning = setTimeout(() => void listener.comeBack(), ms);
      });
    },
  };
}

function registrationOf(options: Partial<Registration>): Registration {
  return {
    clientId: options.clientId ?? DEMO_REGISTRATION.clientId,
    clientSecret: options.clientSecret ?? DEMO_REGISTRATION.clientSecret,
    projectId: options.projectId ?? DEMO_REGISTRATION.projectId,
    playerid: options.playerid ?? DEMO_REGISTRATION.playerid,
    key: options.key ?? DEMO_REGISTRATION.key,
    apptoken: options.apptoken ?? DEMO_REGISTRATION.apptoken,
    zoneid: options.zoneid ?? DEMO_REGISTRATION.zoneid,
  };
}
