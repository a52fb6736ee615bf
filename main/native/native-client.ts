import { startDeadline } from '../deadline';
import type { Context } from '../decisions/audience';
import { ANSWER_MS } from '../egress/http-client';
import type { Reading } from '../reading/reading';
import type { WrapperOptions } from '../service/ads-reading/wrappers';
import { type Http, type Limits, request, type ServiceRequest } from '../service/http';
import type { ServerTime } from '../service/server-time';
import { failure, type ServiceErrorCode, type ServiceFailure } from '../service/service-error';
import { looksLikeWebPage, serviceMessage } from '../service/service-message';
import { nativeUserAgent } from '../settings/native-params';
import { isSameHost } from '../settings/service-address';
import type { Settings } from '../settings/settings';
import type { NativeAds } from './finish-native-answer';
import { type NativeRequestSource, nativeQuery } from './native-query';

export interface NativeAnswer extends NativeAds {
  /** `no-fill`: an answer without an ad. `unusable`: it had ads, of which none can be used; `remarks` say why. */
  readonly kind: 'ads' | 'no-fill' | 'unusable';
  /** Null: it told none, or not the service's own. */
  readonly serverTime: ServerTime | null;
}

const NO_ADS = { kind: 'no-fill', ads: [], leftOut: 0, remarks: [], videoErrors: [] } as const;

export type NativeClient = ReturnType<typeof createNativeClient>;

export interface NativeClientOptions extends NativeRequestSource {
  readonly http: Http;
  /** `service.nativeUrl`, without a slash at its end. */
  readonly nativeUrl: string;
  /** Whether its clock is that of the ads service: two clocks that differ would set the kiosk's in turns (rule 10). */
  readonly tellsTime: boolean;
  /** How wrappers in `vast2` assets are followed; null: they are not, and any counts as one that may lead to a video. */
  readonly wrappers: WrapperOptions | null;
  readonly reading: Pick<Reading, 'read'>;
  readonly newId: () => string;
}

const LIMITS: Limits = { headersMs: 30_000, totalMs: 30_000, maxBytes: 8 * 1024 * 1024 };

/** Client of `GET /api/v3/native`. */
export function createNativeClient(options: NativeClientOptions) {
  const { http, nativeUrl, settings, device, newId } = options;
  const host = new URL(nativeUrl).host;
  const userAgent = nativeUserAgent(settings.params, device.userAgent);
  // The advertising identifiers are kept out of messages like the token.
  const { idfa, gid } = settings.params;
  const ownSecrets = [settings.apptoken?.reveal(), idfa, gid].filter((value) => value !== undefined);

  return {
    /** Never rejects. `context`: current values of the sensors; rule 20 decides which of them are sent. */
    async request(context: Context, signal?: AbortSignal): Promise<NativeAnswer | ServiceFailure> {
      const query = nativeQuery(options, context);
      // A service may repeat in its message what it does not like, and the log must not tell of people.
      const secrets = [...ownSecrets, ...['age', 'gender'].flatMap((name) => query.get(name) ?? [])];
      const call: ServiceRequest = {
        operation: 'native',
        method: 'GET',
        url: `${nativeUrl}/api/v3/native?${query}`,
        headers: { Accept: 'application/json', 'User-Agent': userAgent },
        limits: LIMITS,
        expects: [200, 204],
        isAnonymous: true,
        secrets,
        ...(signal === undefined ? {} : { signal }),
      };
      const started = http.clock.monotonic();
      const response = await request(http, call);
      if (response.kind === 'error') return response;
      const { status, body } = response;
      const serverTime = options.tellsTime ? response.serverTime : null;
      if (status === 204) return { ...NO_ADS, serverTime };
      const unusable = (
        code: ServiceErrorCode,
        more: { detail?: string; serviceMessage?: string | null } = {},
      ) => failure('native', code, { host, status, ...more });
      if (body.trim() === '') return unusable('empty');
      if (looksLikeWebPage(body)) return unusable('web-page');
      const document = await options.reading.read('native', body, {
        adcount: settings.adcount,
        answerId: newId(),
      });
      switch (document.kind) {
        case 'unreadable':
          return unusable('malformed', { detail: document.message });
        case 'malformed':
          return unusable('malformed', { detail: document.detail });
        case 'not-json':
          return unusable('not-json');
        case 'refused': {
          const detail = `status ${document.status}`;
          return unusable('refused', { detail, serviceMessage: serviceMessage(body, secrets) });
        }
      }
      // Loaded on demand: it imports the XML parser, which few answers need.
      const { finishNativeAnswer } = await import('./finish-native-answer');
      const leftMs = ANSWER_MS - (http.clock.monotonic() - started);
      const end = startDeadline(leftMs, http.schedule, signal);
      const wrappers = options.wrappers && { ...options.wrappers, signal: end.signal };
      const answer = await finishNativeAnswer(document, wrappers).finally(end.release);
      const kind = answer.ads.length > 0 ? 'ads' : answer.leftOut > 0 ? 'unusable' : 'no-fill';
      return { kind, ...answer, serverTime };
    },
  };
}

/** The client of native ads; null: they are off. */
export function configuredNativeClient(
  parts: Pick<NativeClientOptions, 'http' | 'wrappers' | 'reading' | 'device' | 'newId'> & {
    readonly settings: Settings;
  },
): NativeClient | null {
  const { native, service, ui } = parts.settings;
  if (!native.enabled || service.nativeUrl === null) return null;
  return createNativeClient({
    ...parts,
    nativeUrl: service.nativeUrl,
    tellsTime: isSameHost(service.nativeUrl, service.baseUrl),
    settings: native,
    language: ui.language,
  });
}
