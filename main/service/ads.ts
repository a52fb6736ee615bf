import type { StoredPlaylist } from '../../shared/records';
import { beforeDeadline, startDeadline } from '../deadline';
import type { Context } from '../decisions/audience';
import { discardBody, readText } from '../egress/decode-text';
import { ANSWER_MS, type Fetch } from '../egress/http-client';
import type { Text } from '../reading/reading';
import type { FetchedDocument } from './ads-reading/wrappers';
import { authorisedRequest } from './authorised-request';
import { type Http, type Limits, request, type ServiceRequest, type ServiceResponse } from './http';
import { expandOnlineParams, type Params, withoutDemographics } from './online-params';
import type { ServerTime } from './server-time';
import { failure, type Operation, type ServiceFailure } from './service-error';
import { looksLikeWebPage, MAX_BODY, serviceMessage } from './service-message';
import type { AccessTokens } from './token';

/** Validators for a conditional request, verbatim from the answer. */
export type Validators = Pick<StoredPlaylist, 'etag' | 'lastModified'>;

export type AdsAnswer =
  | {
      readonly kind: 'document';
      /** Begins like XML; only the reader decides whether it is VAST. A long text comes in pieces. */
      readonly text: Text;
      /** Null: the answer has none. */
      readonly validators: Validators | null;
      readonly serverTime: ServerTime | null;
      /** Time left for the wrappers in the document, ms; 0 or less: none. */
      readonly leftMs: number;
    }
  | { readonly kind: 'not-modified'; readonly serverTime: ServerTime | null }
  /** Status 204: the service has no ad now. This is a success. */
  | { readonly kind: 'no-fill'; readonly serverTime: ServerTime | null };

export interface AdsClientOptions {
  readonly http: Http;
  readonly baseUrl: string;
  /** Null: ads need no token (`ads.authentication: "none"`). */
  readonly tokens: AccessTokens | null;
  /** The header that names the project, sent with the token; null: none. */
  readonly projectHeader: Readonly<Record<string, string>> | null;
  /** `ads.params`, `ads.offlineParams` and `ads.onlineParams` of the settings. */
  readonly params: Params;
  readonly offlineParams: Params;
  readonly onlineParams: Params;
  /** Whether sensed age and gender may leave the kiosk (rule 20). */
  readonly sendDemographics: boolean;
}

export type AdsClient = ReturnType<typeof createAdsClient>;

const PLAYLIST_LIMITS: Limits = { headersMs: 30_000, totalMs: ANSWER_MS, maxBytes: 64 * 1024 * 1024 };
/** How many UTF-16 code units of a document are read to decide whether it is XML. */
const HEAD_LENGTH = MAX_BODY;
const MAX_ONLINE_BYTES = 4 * 1024 * 1024;
/** Longest document of a wrapper, bytes. */
const MAX_WRAPPED_BYTES = 4 * 1024 * 1024;

/** Client of `GET /v1alpha2/ads`. */
export function createAdsClient(options: AdsClientOptions) {
  const { http, baseUrl, tokens, projectHeader } = options;

  const get = async (
    operation: Operation,
    query: Params,
    limits: Limits,
    validators: Validators | null,
    signal: AbortSignal | undefined,
  ): Promise<AdsAnswer | ServiceFailure> => {
    const call: ServiceRequest = {
      operation,
      method: 'GET',
      url: adsAddress(baseUrl, query),
      headers: {
        Accept: 'application/xml',
        ...(tokens && projectHeader),
        ...(validators?.etag ? { 'If-None-Match': validators.etag } : {}),
        ...(validators?.lastModified ? { 'If-Modified-Since': validators.lastModified } : {}),
      },
      limits,
      expects: validators === null ? [200, 204] : [200, 204, 304],
      isAnonymous: tokens === null,
      secrets: [],
      ...(signal === undefined ? {} : { signal }),
    };
    const started = http.clock.monotonic();
    const response = await (tokens === null ? request(http, call) : authorisedRequest(http, tokens, call));
    if (response.kind === 'error') return response;
    const leftMs = limits.totalMs - (http.clock.monotonic() - started);
    return answerOf(operation, new URL(call.url).host, response, leftMs);
  };

  return {
    /** Requests the playlist. @param validators those of the stored playlist; null: none */
    requestPlaylist: (validators: Validators | null, signal?: AbortSignal) =>
      get('playlist', { ...options.params, ...options.offlineParams }, PLAYLIST_LIMITS, validators, signal),
    /** Requests an ad for one slot. Resolves within `deadlineMs`, if need be to a failure. */
    requestOnline: async (context: Context, deadlineMs: number) => {
      // The deadline is the slot's, so it includes the request of a token and the repetition after a 401.
      const slot = startDeadline(deadlineMs, http.schedule);
      const query = {
        ...options.params,
        ...expandOnlineParams(
          options.onlineParams,
          options.sendDemographics ? context : withoutDemographics(context),
        ),
      };
      const limits = { headersMs: deadlineMs, totalMs: deadlineMs, maxBytes: MAX_ONLINE_BYTES };
      try {
        return await beforeDeadline(slot, (end) => get('online-ads', query, limits, null, end));
      } catch (error) {
        if (!slot.signal.aborted) throw error;
        return failure('online-ads', 'timeout', { host: new URL(baseUrl).host });
      }
    },
  };
}

/** The URL of an ads request; a list repeats its parameter. */
function adsAddress(baseUrl: string, query: Params): string {
  const search = new URLSearchParams();
  for (const [name, values] of Object.entries(query)) {
    for (const value of [values].flat()) search.append(name, value);
  }
  const text = search.toString();
  return `${baseUrl}/v1alpha2/ads${text === '' ? '' : `?${text}`}`;
}

function answerOf(
  operation: Operation,
  host: string,
  response: ServiceResponse,
  leftMs: number,
): AdsAnswer | ServiceFailure {
  const { status, headers, pieces, serverTime } = response;
  if (status === 304) return { kind: 'not-modified', serverTime };
  if (status === 204) return { kind: 'no-fill', serverTime };
  // Read only the beginning, because joining 64 MB would block main (rule 31).
  const head = (pieces[0] ?? '').slice(0, HEAD_LENGTH);
  const start = head.trimStart();
  const isWhole = pieces.length === 1 && head.length === pieces[0]?.length;
  if (start === '' && isWhole) return failure(operation, 'empty', { host, status });
  if (looksLikeWebPage(head)) return failure(operation, 'web-page', { host, status });
  if (start !== '' && !start.startsWith('<')) {
    const serviceWords = isWhole ? serviceMessage(head, []) : null;
    return failure(operation, 'not-xml', { host, status, serviceMessage: serviceWords });
  }
  const etag = headers.get('etag');
  const lastModified = headers.get('last-modified');
  const validators = etag === null && lastModified === null ? null : { etag, lastModified };
  const text = pieces.length === 1 ? (pieces[0] ?? '') : pieces;
  return { kind: 'document', text, validators, serverTime, leftMs };
}

/**
 * Downloads the document of a wrapper: without credentials, with redirects (ad servers depend on them), at
 * most 4 MiB. Fills its macros as for a beacon.
 */
export function wrapperDocuments(fetch: Fetch, fillMacros: (url: string) => string) {
  return async (url: string, signal: AbortSignal): Promise<FetchedDocument> => {
    const response = await fetch(fillMacros(url), {
      signal,
      // As in `request`: a cache must not answer with ads that were shown.
      headers: { Accept: 'application/xml, text/xml', 'Cache-Control': 'no-cache' },
    });
    if (response.status === 204) return { kind: 'document', text: '<VAST/>' };
    if (!response.ok || !response.body) {
      discardBody(response);
      return { kind: 'error', message: `status ${response.status}` };
    }
    const body = await readText(response, MAX_WRAPPED_BYTES);
    if (body === 'too-large') return { kind: 'error', message: `over ${MAX_WRAPPED_BYTES} bytes` };
    if (body === 'unknown-encoding') return { kind: 'error', message: 'in an unknown encoding' };
    return { kind: 'document', text: body.pieces.join('') };
  };
}
