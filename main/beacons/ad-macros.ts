import type { AdIds } from '../../shared/ad';
import { mediaIdentity } from '../media/media-identity';
import type { ScreenSize } from '../service/ads-reading/choose-media';
import { mayTrack } from '../settings/native-params';

/** The kiosk's own values for VAST macros, the same for all plays. */
export interface KioskFacts {
  readonly screen: ScreenSize;
  readonly userAgent: string;
  /** Name and version of the player. */
  readonly player: string;
  /** `native.params`: what may be sent about place and person (rule 20). */
  readonly params: Partial<
    Readonly<Record<'dnt' | 'coppa' | 'gid' | 'idfa' | 'lat' | 'long' | 'bundleid', string | undefined>>
  >;
}

/** The ad to which an event belongs. */
export interface MacroAd {
  readonly ids?: AdIds | undefined;
  readonly sequence: number | null;
  /** As stated in the ad, ms. */
  readonly durationMs: number | null;
}

export interface MacroEvent {
  readonly mediaUrl: string;
  /** Null: nothing plays. */
  readonly isMuted: boolean | null;
  /** Share of the ad that was played, 0 to 1; null: not known. */
  readonly share: number | null;
  /** Why a verification did not run (VAST 4.2, 3.17.4); absent: the event is another one. */
  readonly reason?: '2';
}

/** VAST 4.2, 3.17.4: the code of verification vendors is not executed here. */
export const NOT_SUPPORTED = '2';

/** VAST 2.0 to 4.2 and their wrappers, as IAB's AdCOM numbers them. */
const SUPPORTED_VERSIONS = '2,3,5,6,7,8,11,12,13,14';

const SUPPORTED_TYPES = 'video/mp4,video/webm,image/jpeg,image/png,image/gif,image/webp,image/avif,text/html';

/**
 * The values of the macros that depend on ad, event and kiosk (VAST 4.2, chapter 6), by macro. Values that are
 * unknown, or must not be sent by rule 20, are left out.
 */
export function adMacros(
  { screen, userAgent, player, params }: KioskFacts,
  ad: MacroAd,
  event: MacroEvent,
): ReadonlyMap<string, string> {
  const { universalAdId, adServingId } = ad.ids ?? { universalAdId: null, adServingId: null };
  const isTracked = mayTrack(params);
  const known: Readonly<Record<string, string | null | undefined>> = {
    ADSERVINGID: adServingId,
    UNIVERSALADID: universalAdId && `${universalAdId.registry} ${universalAdId.value}`,
    ASSETURI: event.mediaUrl === '' ? null : mediaIdentity(event.mediaUrl),
    MEDIAMIME: SUPPORTED_TYPES,
    PLAYERSIZE: `${screen.width},${screen.height}`,
    PLAYERSTATE: event.isMuted === null ? null : event.isMuted ? 'muted,fullscreen' : 'fullscreen',
    ADPLAYHEAD: playhead(ad.durationMs, event.share),
    PODSEQUENCE: ad.sequence === null ? null : String(ad.sequence),
    DEVICEUA: userAgent,
    CLIENTUA: player,
    APPBUNDLE: params.bundleid,
    // The kiosk itself sends every request.
    SERVERSIDE: '0',
    VASTVERSIONS: SUPPORTED_VERSIONS,
    // No IFA, on purpose: ads name trackers that the operator does not choose (docs/privacy.md).
    LIMITADTRACKING: isTracked ? '0' : '1',
    IFATYPE: isTracked ? ifaType(params) : null,
    LATLONG: params.coppa !== '1' && params.lat && params.long ? `${params.lat},${params.long}` : null,
    REGULATIONS: params.coppa === '1' ? 'coppa' : null,
    REASON: event.reason,
  };
  return new Map(Object.entries(known).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/** The values that depend on the kiosk alone, for events of ads that are not shown. */
export const kioskMacros = (kiosk: KioskFacts): ReadonlyMap<string, string> =>
  adMacros(kiosk, { sequence: null, durationMs: null }, { mediaUrl: '', isMuted: null, share: null });

function ifaType({ gid, idfa }: KioskFacts['params']): string | null {
  if (gid) return 'aaid';
  return idfa ? 'idfa' : null;
}

/** `HH:MM:SS.mmm`; null: not known. The start is known even without the duration. */
function playhead(durationMs: number | null, share: number | null): string | null {
  if (share === null || (durationMs === null && share > 0)) return null;
  const ms = Math.round((durationMs ?? 0) * share);
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  const rest = String(ms % 1000).padStart(3, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}.${rest}`;
}
