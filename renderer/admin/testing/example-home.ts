import { ActionName, type AdminHome } from '../../../shared/admin';

const available = Object.fromEntries(
  ActionName.options.map((action) => [action, null]),
) as AdminHome['actions'];

/** 20 November 2026, 08:07:54 UTC. */
export const EXAMPLE_NOW = 1_795_162_074_000;

/** A restart 40 minutes ago, a shopper who read on, and one file that could not be shown. */
function exampleTimeline(at: number): AdminHome['timeline'] {
  const minute = 60_000;
  const from = (Math.floor(at / minute) - 59) * minute;
  const startedAt = from + 19 * minute + 20_000;
  return {
    from,
    countedFrom: from,
    startedAt,
    minutes: Array.from({ length: 60 }, (_, index) => ({
      plays: index < 19 ? 0 : 6,
      interrupted: index === 38 || index === 39 ? 1 : 0,
      failed: index === 51 ? 1 : 0,
      viewedMs:
        index < 19 ? 0 : index === 19 ? 38_000 : index === 38 ? 21_000 : index === 59 ? 54_000 : 60_000,
    })),
  };
}

/** A playing kiosk without problems; `change` overrides fields. */
export function exampleHome(change: Partial<AdminHome> = {}): AdminHome {
  const at = EXAMPLE_NOW;
  return {
    state: 'playing',
    apartFromProblems: 'playing',
    since: at - 40 * 60_000,
    attention: [],
    now: {
      delivery: 'offline',
      adId: 'kiosko-cold-brew-10s',
      flightId: 'FL-2231',
      campaignId: 'Kiosko spring',
      sourceId: 'retailer-direct',
      mediaUrl: 'https://cdn.example/creatives/kiosko-cold-brew.mp4',
      picture: null,
      at: at - 4_000,
      durationMs: 10_000,
    },
    next: {
      delivery: 'offline',
      adId: 'nordhain-oat-drink',
      flightId: 'FL-1187',
      campaignId: 'Nordhain oats',
      sourceId: 'programmatic',
      mediaUrl: 'https://cdn.example/creatives/nordhain.jpg',
      picture: null,
      at: null,
      durationMs: 8_000,
    },
    timeline: exampleTimeline(at),
    service: (['token', 'inventory', 'ads', 'native'] as const).map((operation, index) => ({
      operation,
      lastSuccessAt: at - (index + 1) * 11_000,
      failing: false,
      lastError: null,
    })),
    lastContactAt: at - 11_000,
    clock: { now: at, correctionMs: 1_200, trusted: true, timeZone: null },
    playlist: {
      receivedAt: at - 4 * 60_000,
      rejected: 2,
      ads: 48,
      eligible: 31,
    },
    storage: {
      mediaFiles: 44,
      mediaBytes: 1_340_000_000,
      quotaBytes: 4_000_000_000,
      freeBytes: 21_700_000_000,
      plays: 184_203,
      lostPlays: 0,
      problems: [],
    },
    display: { how: 'sway', on: true, until: at + 6 * 3_600_000, by: 'hours', failing: false },
    proof: { waiting: 3, lastSentAt: at - 5 * 60_000, setAside: 0, failing: false },
    link: { connected: true, broker: 'mqtts://broker.example:8883', since: at - 3 * 3_600_000, error: null },
    kiosk: {
      id: '7f3a-91c2-0be4-55d8',
      player: 'store-0412-endcap-3',
      hostName: 'kiosk-0412-3',
      addresses: ['10.20.4.112', 'fd00:20:4::112'],
      publicKey: 'ed25519:q1kZ8m3v5w0Yx7Jt2uNc4dRbEoPfHsLaG9iKTzWXyQ0',
      environment: 'ads.example / retailer-demo / store-0412-endcap-3',
    },
    versions: { endcap: '0.1.0', electron: '42.1.0', chromium: '150.0.7000.12', node: '24.4.1' },
    settings: {
      file: '/var/lib/endcap/settings.json',
      managed: false,
      problems: [],
      remote: {
        since: at - 3 * 86_400_000,
        by: '5d1e0c7a93b24f68',
        settings: ['ads.sourceWeights', 'playback.openHours', 'native.everySlots'],
        onTrial: false,
      },
    },
    sound: { volume: 0.4 },
    autostart: { on: true, by: 'session' },
    maintenanceUntil: null,
    actions: { ...available, resume: 'nothing-to-do' },
    suggestions: ['pause', 'skip', 'refresh'],
    ...change,
  };
}
