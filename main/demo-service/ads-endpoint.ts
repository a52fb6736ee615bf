import { createHash } from 'node:crypto';
import { type DemoAd, metadataObject } from './demo-ad';
import { type Answer, bareAnswer, header, rpcError, type ServiceRequest, textAnswer } from './http-answer';
import { refuseUnauthorized } from './inventory-endpoint';
import type { Registration } from './kiosk-settings';
import { onlineContext, servesOnline } from './online-choice';
import type { IssuedTokens } from './token-endpoint';
import { vastAnswer } from './vast-answer';

/** Lifetime of an online ad, ms: it is meant for this moment only. */
const ONLINE_LIFETIME_MS = 60_000;

export interface AdsService extends Pick<Registration, 'projectId' | 'playerid' | 'key'> {
  readonly tokens: IssuedTokens;
  /** `none` for deployments that need no token. */
  readonly authentication: 'bearer' | 'none';
  readonly origin: string;
  /** The time the service shows to its clients: ms since the epoch, UTC. */
  readonly now: number;
  readonly mintRequestId: () => string;
  readonly playlist: readonly DemoAd[];
  /** What online requests choose from; null: the playlist. */
  readonly onlineAds: readonly DemoAd[] | null;
  /** Increases with every answer, so that successive online requests get different ads. */
  readonly turn: number;
}

/**
 * `GET /v1alpha2/ads`: `offline=true` returns the playlist to store, anything else online ads (one by
 * default).
 */
export function adsEndpoint(request: ServiceRequest, service: AdsService): Answer {
  if (service.authentication === 'bearer') {
    const refused = refuseUnauthorized(request, service.tokens, service.projectId, 'optional');
    if (refused !== null) return refused;
  }
  const { query } = request;
  const playerid = query.get('playerid') ?? '';
  const key = query.get('key') ?? '';
  if (playerid === '') return rpcError('invalid-argument', 'missing playerid');
  if (key === '') return rpcError('invalid-argument', 'missing key');
  if (key !== service.key) return rpcError('permission-denied', 'unknown key');
  if (playerid !== service.playerid) return rpcError('not-found', `player "${playerid}" is not registered`);
  const limitText = query.get('limit');
  if (limitText !== null && !/^[1-9]\d{0,8}$/.test(limitText)) {
    return rpcError('invalid-argument', 'limit must be a positive integer');
  }
  const limit = limitText === null ? null : Number(limitText);
  const sources = query.getAll('source').filter((source) => source !== '');
  const fromSource = (ad: DemoAd): boolean => {
    const { source, source_id } = metadataObject(ad);
    return sources.length === 0 || sources.some((wanted) => wanted === source || wanted === source_id);
  };

  const offline = query.get('offline') === 'true';
  const ads = offline
    ? service.playlist.filter(fromSource).slice(0, limit ?? undefined)
    : onlineAds(service, query, fromSource, limit ?? 1);
  const draw = (requestId: string): string => vastAnswer(ads, { origin: service.origin, requestId });
  // A weak ETag without the request id: answers that differ only in the id are equivalent.
  const etag = `W/"${createHash('sha256').update(draw('')).digest('base64url').slice(0, 22)}"`;
  const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
  if (offline && matchesEtag(header(request, 'if-none-match'), etag)) return bareAnswer(304, headers);
  return textAnswer(200, 'application/xml; charset=utf-8', draw(service.mintRequestId()), headers);
}

function onlineAds(
  service: AdsService,
  query: URLSearchParams,
  fromSource: (ad: DemoAd) => boolean,
  limit: number,
): DemoAd[] {
  const context = onlineContext(query);
  const fitting = (service.onlineAds ?? service.playlist).filter(
    (ad) => fromSource(ad) && servesOnline(ad, context, service.now),
  );
  // Targeted ads come first: for them an online request sends its context.
  const ordered = [true, false].flatMap((isTargeted) => {
    const some = fitting.filter((ad) => (metadataObject(ad).audience !== undefined) === isTargeted);
    return turned(some, service.turn);
  });
  const latest = service.now + ONLINE_LIFETIME_MS;
  const expiresAt = new Date(latest).toISOString().replace(/\.\d+Z$/, 'Z');
  const isLater = (time: unknown) => typeof time === 'string' && Date.parse(time) > latest;
  return ordered.slice(0, limit).map((ad) => {
    if (typeof ad.metadata !== 'object' || ad.metadata === null) return ad;
    const { frequency_caps: _caps, expires_at: own = expiresAt, ...metadata } = ad.metadata;
    return { ...ad, metadata: { ...metadata, expires_at: isLater(own) ? expiresAt : own } };
  });
}

function turned<T>(list: readonly T[], by: number): T[] {
  const at = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

/** `If-None-Match` by weak comparison (RFC 9110, section 13.1.2). */
export function matchesEtag(wanted: string | null, etag: string): boolean {
  const bare = (tag: string): string => tag.trim().replace(/^W\//, '');
  if (wanted === null) return false;
  return wanted.trim() === '*' || wanted.split(',').some((tag) => bare(tag) === bare(etag));
}
