import { EMPTY_SET_UP_FORM } from '../../renderer/admin/testing/empty-set-up-form';
import { EXAMPLE_NOW, exampleHome } from '../../renderer/admin/testing/example-home';
import {
  type AdminHome,
  type AdminInput,
  type AdminNews,
  type AdReason,
  type AdRow,
  type ConnectionStep,
  type ExportState,
  type LogLevel,
  type OverlayState,
  type OverlayView,
  overlayContract,
  type PlayRow,
  type RecordedAction,
  type SetUpForm,
  type SetUpProblem,
} from '../../shared/admin';
import type { HourTotals, PlayReport, PlayTotals } from '../../shared/play-report';
import { Call, oneWaySender, type RpcCommands, RpcError, type RpcPort, serveRpc } from '../../shared/rpc';

const HOUR = 3_600_000;
const ADS = 10_000;
const PIN = '4826';
const ATTEMPTS = 5;

export type PretendMain = ReturnType<typeof pretendMain>;

/** Stands in for main: answers according to the contract, with made-up numbers. */
export function pretendMain(monotonic: () => number) {
  let toPage: (message: unknown) => void = () => undefined;
  let fromPage: (message: unknown) => void = () => undefined;
  const port: RpcPort = {
    send: (message) => toPage(message),
    onMessage: (listener) => {
      fromPage = listener;
    },
  };
  const tell = oneWaySender(port, overlayContract.fromServer);
  const send = (news: AdminNews) => tell('news', news);
  let state: OverlayState = {
    overlay: { view: 'closed' },
    preferences: { language: 'en', theme: 'dark' },
    maintenanceUntil: null,
  };
  let homeChange: Partial<AdminHome> = {};
  let exported: ExportState = { state: 'none' };
  const tellExport = (next: ExportState) => {
    exported = next;
    return next;
  };
  let attemptsLeft = ATTEMPTS;
  let test: readonly ConnectionStep[] = GOOD_TEST;
  const held = new Set<string>();
  const unanswered: unknown[] = [];
  const refused = new Map<string, string>();
  /** Every call so far. */
  const asked: Array<{ command: string; input: unknown }> = [];
  const startedAt = monotonic();

  const home = () => {
    const at = EXAMPLE_NOW + Math.floor((monotonic() - startedAt) / 1_000) * 1_000;
    const usual = exampleHome();
    const pictured = (showing: AdminHome['now'], file: string) =>
      showing && {
        ...showing,
        picture: { url: new URL(`/creatives/${file}`, location.href).href, kind: 'image' as const },
      };
    return {
      ...usual,
      now: pictured(usual.now, 'native-kiosko-banner.jpg'),
      next: pictured(usual.next, 'nordhain-offer-landscape.jpg'),
      clock: { ...usual.clock, now: at },
      ...homeChange,
    };
  };
  const tellState = () => send({ kind: 'overlay', state });
  const enter = (overlay: OverlayView) => {
    state = { ...state, overlay };
    tellState();
    return null;
  };
  const prefer = (chosen: AdminInput<'setPreferences'>) => {
    const { language, theme } = state.preferences;
    state = {
      ...state,
      preferences: { language: chosen.language ?? language, theme: chosen.theme ?? theme },
    };
    return state.preferences;
  };

  const commands: RpcCommands<typeof overlayContract> = {
    overlay: () => state,
    tap: () => null,
    close: () => enter({ view: 'closed' }),
    lock: () => {
      attemptsLeft = ATTEMPTS;
      return enter({ view: 'locked', attemptsLeft, waitMs: 0 });
    },
    unlock: ({ pin }) => {
      if (pin === PIN) {
        enter({ view: 'open', mayAct: true });
        return { result: 'unlocked' };
      }
      attemptsLeft -= 1;
      enter({ view: 'locked', attemptsLeft, waitMs: attemptsLeft > 0 ? 0 : 30_000 });
      if (attemptsLeft > 0) return { result: 'wrong', attemptsLeft };
      return { result: 'wait', waitMs: 30_000 };
    },
    setPreferences: (change) => {
      const preferences = prefer(change);
      tellState();
      return preferences;
    },
    home,
    ads: ({ search, show, limit }) => {
      const isShown = ({ eligible, reasons }: AdRow) =>
        show === 'all' ||
        (show === 'eligible' && eligible) ||
        (show === 'not-eligible' && !eligible) ||
        reasons.some((reason) => reason === show);
      const matching = ALL_ADS.filter(isShown).filter(({ id, title, source, flightId, campaignId }) =>
        `${id} ${title} ${source} ${flightId} ${campaignId}`.toLowerCase().includes(search.toLowerCase()),
      );
      const online = {
        title: null,
        eligible: true,
        reasons: [],
        detail: 'The service has matched its audience.',
      };
      return {
        at: EXAMPLE_NOW,
        counts: COUNTS,
        matching: matching.length,
        rows: matching.slice(0, limit),
        rejected: [
          {
            id: 'broken-ad',
            code: 'metadata-invalid',
            detail: 'frequency_caps[0].limit: expected a number.',
          },
        ],
        rejectedTotal: 1,
        online: {
          at: EXAMPLE_NOW - 4_000,
          more: 0,
          rejected: [{ id: 'online-3', code: 'metadata-missing', detail: 'no metadata extension' }],
          ads: [
            { ...online, id: 'online-1', title: 'Lumen', ...EXPIRED },
            { ...online, id: 'online-2', title: 'Papperi' },
          ],
        },
      };
    },
    report: ({ from, to }) => ({ state: 'ready', report: madeUpReport(from, to) }),
    plays: ({ before, limit, period }) => {
      const first = Number(before?.id ?? 0);
      const reached = Math.min(first + limit, PLAYS);
      const at = Math.min(EXAMPLE_NOW, period.to);
      const rows = Array.from({ length: reached - first }, (_, index) => playRow(first + index, at));
      return { rows, next: reached < PLAYS ? { at: 0, id: String(reached) } : null };
    },
    beacons: ({ show }) => ({
      open: 3,
      rows: Array.from({ length: { open: 3, lost: 12, unknown: 41, sent: 60 }[show] }, (_, index) => ({
        event: turn(index, ['impression', 'start', 'firstQuartile', 'complete']),
        url: `https://track.programmatic-exchange.example/v2/events/${index}/impression`,
        state: turn(index, BEACON_STATES[show]),
        attempts: show === 'sent' ? 1 : 1 + (index % 6),
        eventAt: EXAMPLE_NOW - index * 61_000,
        // The first one's host is down.
        dueAt: index === 0 ? EXAMPLE_NOW - 3 * HOUR : EXAMPLE_NOW + 400_000 + index * 70_000,
        finishedAt: show === 'open' ? null : EXAMPLE_NOW - index * 60_000,
        lastError: show === 'sent' ? null : turn(index, ['status-503', 'connection', 'timeout', null]),
      })),
    }),
    signals: () => ({
      at: EXAMPLE_NOW,
      shopper: { ageMs: 1_800, remainingMs: 8_200, count: 2 },
      cart: { ageMs: 94_000, remainingMs: 506_000, count: 7 },
      weather: null,
      server: { url: 'http://127.0.0.1:9777', problem: null },
    }),
    log: ({ level, search }) => ({
      lines: LOG.filter(
        (line) =>
          LEVELS.indexOf(line.level) >= LEVELS.indexOf(level) &&
          line.text.toLowerCase().includes(search.toLowerCase()),
      ),
      cut: true,
    }),
    recordedActions: () => RECORDED,
    exportTargets: () => TARGETS,
    export: () => exported,
    startExport: ({ format }) =>
      tellExport({
        state: 'running',
        file: `plays-2026-11-20.${format}`,
        target: USB,
        rows: 0,
        done: 0,
      }),
    cancelExport: () => tellExport({ state: 'cancelled' }),
    act: (action) =>
      action.action === 'clear-media'
        ? { result: 'cleared', files: 31, bytes: 912_000_000 }
        : action.action === 'refresh'
          ? { result: 'failed', ...UNREACHABLE, advice: 'Check the network cable.' }
          : { result: 'done' },
    testConnection: () => {
      for (const step of test) send({ kind: 'connection-step', step });
      return [...test];
    },
    changePin: () => ({ result: 'changed' }),
    setUp: () => {
      const isFirst = state.overlay.view === 'set-up';
      return {
        form: isFirst ? EMPTY_SET_UP_FORM : FULL_FORM,
        has: { clientSecret: !isFirst, apptoken: false, proxyPassword: false, pin: !isFirst },
        canTryDemo: isFirst,
      };
    },
    testSetUp: (form) => {
      const problems: SetUpProblem[] = [];
      if (!form.baseUrl.startsWith('https://'))
        problems.push({ field: 'baseUrl', code: 'address', message: 'Expected an http(s) address.' });
      if (form.caFile !== '')
        problems.push({ field: 'caFile', code: 'other', message: 'There is no such file.' });
      if (problems.length > 0) return { result: 'problems', problems };
      for (const step of test) send({ kind: 'connection-step', step });
      return { result: 'tested', steps: [...test] };
    },
    saveSetUp: () => ({ result: 'saved', file: '/var/lib/endcap/settings.json' }),
    judgePin: ({ pin }) => pin.length < 4 || /^(.)\1*$/.test(pin),
    tryDemo: () => null,
  };

  serveRpc(overlayContract, port, {
    commands,
    received: {},
    async around(command, run) {
      const message = refused.get(command);
      if (message !== undefined) throw new RpcError('failed', message);
      return run();
    },
  });
  const bridge: RpcPort = {
    send: (message) => {
      const { command, input } = Call.parse(message);
      asked.push({ command, input });
      // Answers after the call has returned, as over the real channel.
      if (held.has(command)) unanswered.push(message);
      else setTimeout(() => fromPage(message));
    },
    onMessage: (listener) => {
      toPage = listener;
    },
  };
  return {
    bridge,
    asked,
    show(view: OverlayView, preferences: Partial<OverlayState['preferences']> = {}): void {
      attemptsLeft = ATTEMPTS;
      prefer(preferences);
      enter(view);
    },
    tellHome(change: Partial<AdminHome>): void {
      homeChange = change;
    },
    tellExport,
    maintain(until: number | null): void {
      state = { ...state, maintenanceUntil: until };
      tellState();
    },
    /** Stops answering this command. */
    hold: (command: string) => void held.add(command),
    /** Answers everything again, what was not answered first. */
    letGo(): void {
      held.clear();
      for (const message of unanswered.splice(0)) fromPage(message);
    },
    /** Answers this command with an error and this message; null: it works again. */
    refuse(command: string, message: string | null): void {
      if (message === null) refused.delete(command);
      else refused.set(command, message);
    },
    /** From now on, the service rejects the sign-in. */
    failTest(): void {
      test = BAD_TEST;
    },
  };
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
/** Number of plays that are stored. */
const PLAYS = 450;

/** One after the other of these, again and again. */
const turn = <T>(index: number, values: readonly T[]): T => values[index % values.length] as T;

const passed = (step: ConnectionStep['step'], ms: number, message: string, ads: number | null = null) => ({
  step,
  ms,
  message,
  ads,
  ok: true,
  code: null,
  advice: null,
});

const GOOD_TEST: readonly ConnectionStep[] = [
  passed('token', 212, 'The service gave a token for 60 minutes.'),
  passed('inventory', 148, 'This kiosk is registered.'),
  passed('ads', 431, 'A playlist of 48 ads.', 48),
  passed('native', 187, 'One native ad.', 1),
];

const BAD_TEST: readonly ConnectionStep[] = [
  {
    ...passed('token', 640, 'The service refused the client id or secret (401).'),
    ok: false,
    code: 'wrong-secret',
    advice: 'Compare both with what the operator gave you, character by character.',
  },
];

const recorded = (
  hours: number,
  action: RecordedAction['action'],
  outcome: RecordedAction['outcome'],
  detail: RecordedAction['detail'] = null,
): RecordedAction => ({ at: EXAMPLE_NOW - hours * HOUR, action, outcome, detail });

const UNREACHABLE = {
  code: 'unreachable-name',
  message: 'The ads service at ads.retail-media.example cannot be found (ENOTFOUND).',
} as const;
const EXPORTED = 'endcap-plays_store-0412.csv';
const GONE = 'The drive KINGSTON is gone (EIO). Plug it in again and go on.';

const RECORDED: RecordedAction[] = [
  recorded(0.005, 'unlocked', 'done'),
  recorded(0.0125, 'wrong-pin', 'failed'),
  {
    ...recorded(2, 'blocks', 'done', { kind: 'text', text: 'all, version 3: 2' }),
    who: { kind: 'fleet', key: '91c20be455d87f3a' },
  },
  recorded(3, 'sound', 'done', { kind: 'volume', volume: 0.4 }),
  recorded(26, 'refresh', 'failed', { kind: 'failed', ...UNREACHABLE }),
  recorded(27, 'pause', 'done', { kind: 'minutes', minutes: 15 }),
  recorded(50, 'export', 'done', { kind: 'exported', file: EXPORTED, rows: 184_203 }),
  recorded(51, 'export', 'failed', {
    kind: 'export-interrupted',
    file: EXPORTED,
    code: 'target-gone',
    message: GONE,
  }),
  recorded(52, 'connection-test', 'failed', { kind: 'steps-failed', steps: ['ads', 'native'] }),
];

const USB = { id: 'usb:KINGSTON', kind: 'usb' as const, label: 'KINGSTON', freeBytes: 28_900_000_000 };
const TARGETS = [
  USB,
  { id: 'folder', kind: 'folder' as const, label: '/var/lib/endcap/exports', freeBytes: 21_700_000_000 },
];

const FULL_FORM: SetUpForm = {
  ...EMPTY_SET_UP_FORM,
  baseUrl: 'https://ads.retail-media.example',
  authUrl: 'https://login.retail-media.example',
  nativeUrl: 'https://native.retail-media.example',
  clientId: 'kiosk-fleet-north',
  projectId: 'retailer-demo',
  playerId: 'store-0412-endcap-3',
  playerKey: 'nord-supermarkets',
  zoneId: '88412',
};

const ADVERTISERS = [
  { ad: 'kiosko-cold-brew-10s', title: 'Kiosko Cold Brew', campaign: 'Kiosko spring' },
  { ad: 'nordhain-oat-drink', title: 'Nordhain Oat Drink', campaign: 'Nordhain oats' },
  { ad: 'papperi-fresh-pasta', title: 'Papperi: fresh pasta every evening', campaign: 'Papperi evenings' },
  { ad: 'volt-sparkling-6s', title: 'Volt Sparkling', campaign: 'Volt launch' },
  { ad: 'basketry-list', title: null, campaign: 'Basketry always on, northern region, second flight' },
] as const;

const SOURCES: ReadonlyArray<{ readonly sourceId: string; readonly source: string }> = [
  { sourceId: 'programmatic', source: 'Programmatic' },
  ...Array.from({ length: 2 }, () => ({ sourceId: 'retailer-direct', source: 'Retailer direct' })),
];

/** Why ads do not play, in turn; most play. */
const REASONS: ReadonlyArray<AdReason[]> = [
  [],
  [],
  [],
  ['no-media'],
  [],
  ['capped', 'audience'],
  [],
  ['expired'],
  [],
  ['audience'],
];
const EXPIRED = {
  eligible: false,
  reasons: ['expired'],
  detail: 'It expired at 2026-11-20T09:29:00Z.',
} satisfies Partial<AdRow>;

const AUDIENCE: AdRow['audience'] = {
  groups: [
    {
      conditions: [
        {
          kind: 'demographic',
          profiles: [{ ageRange: 'AGE_RANGE_25_29', gender: 'GENDER_FEMALE', groupSize: null }],
          more: 2,
        },
        { kind: 'weather', types: ['WEATHER_TYPE_SUNNY', 'WEATHER_TYPE_ABOVE_20_CELSIUS'], more: 0 },
      ],
      moreConditions: 0,
    },
  ],
  moreGroups: 0,
};

const ALL_ADS: readonly AdRow[] = Array.from({ length: ADS }, (_, index): AdRow => {
  const { ad, title, campaign } = turn(index, ADVERTISERS);
  const reasons = turn(index, REASONS);
  return {
    index,
    // Ids need not be unique: the first and the sixth ad share theirs.
    id: `${ad}-${index === 5 ? 0 : index}`,
    title,
    ...turn(index, SOURCES),
    flightId: `FL-${2200 + index}`,
    campaignId: campaign,
    expiresAt: EXAMPLE_NOW + (reasons.includes('expired') ? -7 : (index % 40) * 9 + 1) * HOUR,
    expiresWithPlaylist: index % 11 === 0,
    caps: [
      {
        window: 'FREQUENCY_CAP_WINDOW_HOUR',
        words: { en: 'hour', de: 'Stunde' },
        limit: 3,
        used: reasons.includes('capped') ? 3 : index % 3,
      },
      { window: 'FREQUENCY_CAP_WINDOW_DAY', words: { en: 'day', de: 'Tag' }, limit: 40, used: index % 40 },
    ].slice(0, index % 3),
    moreCaps: 0,
    audience: index % 4 === 0 ? null : AUDIENCE,
    media: {
      state: reasons.includes('no-media') ? 'waiting' : 'ready',
      url: `https://cdn.example/creatives/${ad}.mp4`,
      detail: null,
    },
    durationMs: 10_000,
    eligible: reasons.length === 0,
    reasons,
    detail:
      reasons.length === 0
        ? 'It has no audience. It may play until 2026-11-24T10:00:00Z.'
        : 'Group 1 needs a shopper who is "AGE_RANGE_25_29" "GENDER_FEMALE"; nobody is detected. The cap of 3 per hour is reached until 09:00.',
  };
});

const adsWith = (reason: AdReason) => ALL_ADS.filter(({ reasons }) => reasons.includes(reason)).length;
const MAY_PLAY = ALL_ADS.filter(({ eligible }) => eligible).length;
const COUNTS = {
  all: ADS,
  eligible: MAY_PLAY,
  'not-eligible': ADS - MAY_PLAY,
  expired: adsWith('expired'),
  audience: adsWith('audience'),
  capped: adsWith('capped'),
  uncountable: adsWith('uncountable'),
  'no-media': adsWith('no-media'),
  blocked: adsWith('blocked'),
};

const BEACONS = { sent: 5, unknown: 0, failed: 0, pending: 0 };
/** What differs from a play that ended as it should, in turn. */
const PLAY_KINDS: ReadonlyArray<Partial<PlayRow>> = [
  {},
  { scripts: ['ran', 'threw', 'timed-out'], beacons: { ...BEACONS, unknown: 2 } },
  { guestErrors: ['Uncaught ReferenceError: carousel is not defined', "the page's policy: object-src"] },
  { beacons: null },
  {},
  { outcome: 'interrupted', viewedMs: 3_400, endReason: 'overlay' },
  {},
];
const playRow = (number: number, newest: number): PlayRow => ({
  id: String(number),
  at: newest - number * 10_000,
  adId: turn(number, ADVERTISERS).ad,
  flightId: `FL-${2200 + (number % 5)}`,
  campaignId: turn(number, ADVERTISERS).campaign,
  sourceId: turn(number, SOURCES).sourceId,
  outcome: number === 0 ? 'reserved' : 'completed',
  viewedMs: 10_000,
  endReason: 'ended',
  beacons: BEACONS,
  scripts: [],
  guestErrors: [],
  ...turn(number, PLAY_KINDS),
});

const BEACON_STATES = {
  open: ['sending', 'waiting', 'waiting'],
  lost: ['expired', 'refused', 'refused', 'refused'],
  unknown: ['unknown'],
  sent: ['sent'],
} as const;

/** Lines of the log, in turn. */
const LINES: ReadonlyArray<readonly [LogLevel, string]> = [
  ['info', 'playlist: 48 ads, 2 rejected, 44 files on disk; next request in 300 s.'],
  ['debug', 'slot: chose kiosko-cold-brew-10s of retailer-direct among 31 eligible (0.04 ms).'],
  ['warn', 'service: the ads request took 8,412 ms; the stored playlist goes on.'],
  ['info', 'playlist: 48 ads, 2 rejected, 44 files on disk; next request in 300 s.'],
  [
    'error',
    'beacons: https://track.programmatic-exchange.example refused 3 of 3 (http-410); they are not sent again.',
  ],
];
const LOG = Array.from({ length: 120 }, (_, index) => {
  const [level, text] = turn(index, LINES);
  return { at: EXAMPLE_NOW - index * 7_000, level, text };
});

const totalsOf = (plays: number): PlayTotals => ({
  completed: Math.round(plays * 0.94),
  interrupted: Math.round(plays * 0.04),
  failed: Math.round(plays * 0.01),
  unknown: 0,
  reserved: 0,
  givenBack: Math.round(plays * 0.01),
  viewedMs: plays * 9_700,
  beacons: { sent: plays * 5, unknown: 2, failed: Math.round(plays * 0.02), pending: plays > 900 ? 3 : 0 },
});

/** Many plays in the afternoon, few in the morning, none at night. */
function madeUpReport(from: number, to: number): PlayReport {
  const end = Math.min(to, EXAMPLE_NOW);
  const hours: HourTotals[] = [];
  for (let hour = Math.ceil(from / HOUR) * HOUR; hour < end; hour += HOUR) {
    const of = new Date(hour).getHours();
    const plays =
      of < 1 || of > 21 ? 0 : Math.round(260 - 11 * Math.abs(of - 16) + 40 * Math.sin(hour / 7e6));
    if (plays > 0) hours.push({ hour, plays, completed: Math.round(plays * 0.94), viewedMs: plays * 9_700 });
  }
  const all = hours.reduce((sum, { plays }) => sum + plays, 0);
  const lines = <Key extends object>(keys: ReadonlyArray<readonly [Key, number]>, more = 0) => ({
    lines: keys.map(([key, share]) => ({ ...key, totals: totalsOf(Math.round(all * share)) })),
    more: { lines: more, totals: totalsOf(more * 30) },
  });
  const campaigns = [0.34, 0.24, 0.19, 0.14, 0.06, 0.03].map(
    (share, index) => [{ campaignId: ADVERTISERS[index]?.campaign ?? null }, share] as const,
  );
  const flights = campaigns.map(
    ([key, share], index) =>
      [{ ...key, flightId: index === 5 ? null : `FL-${2231 + index * 17}` }, share] as const,
  );
  return {
    from,
    to,
    totals: totalsOf(all),
    hours,
    flights: lines(flights),
    campaigns: lines(campaigns, 4),
    sources: lines([
      [turn(1, SOURCES), 0.66],
      [turn(0, SOURCES), 0.34],
    ]),
  };
}
