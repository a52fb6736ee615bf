import { join } from 'node:path';
import {
  type AdminCommand,
  type AdminHome,
  type AdminInput,
  AdminNews,
  type AdminOutput,
  adminCommands,
  type OverlayView,
} from '../../../shared/admin';
import { silentLog } from '../../../shared/log';
import type { RecordsCommand, RecordsInput, RecordsOutput } from '../../../shared/records';
import { Answer, OneWayMessage } from '../../../shared/rpc';
import { explainAdFromPlays } from '../../decisions/testing/explain-from-plays';
import { openSigningKey } from '../../fleet/signing-key';
import { provenPlay } from '../../records/testing/proven-plays';
import { type HandTurnedTime, handTurnedTime } from '../../service/testing/hand-turned-time';
import { noKeyring } from '../../settings/testing/keyrings';
import { readSettings } from '../../settings/testing/read-settings';
import { exampleStatus } from '../../status/testing/example-status';
import { createAdmin } from '../admin';
import type { AdminParts } from '../admin-parts';
import type { PressedKey } from '../gesture';
import { holdInPause, openMaintenance } from '../maintenance';
import { hashPin } from '../pin-hash';
import { openPreferences } from '../preferences';
import type { RunningKiosk } from '../running-kiosk';

export const PIN = '7382';
export const NOW = Date.UTC(2026, 10, 20, 12);
const CHEAP = { N: 16, r: 1, p: 1 };

export const WORKING_SETTINGS = {
  service: {
    baseUrl: 'https://ads.example',
    authUrl: 'https://auth.example',
    clientId: 'kiosk',
    clientSecret: 'a-secret',
    projectId: 'project',
  },
};

export interface WorldOptions {
  readonly folder: string;
  readonly hasPin?: boolean;
  readonly isSetUp?: boolean;
  readonly settingsFile?: string | null;
  readonly kiosk?: Partial<RunningKiosk>;
  readonly parts?: Partial<AdminParts>;
}

type Sent =
  | AdminNews
  | { kind: 'answer'; call: number; output: unknown }
  | { kind: 'refusal'; call: number; code: string; message: string };

/** What main sends, checked as the page does. */
function sentOf(message: unknown): Sent {
  const answer = Answer.safeParse(message);
  if (!answer.success) return AdminNews.parse(OneWayMessage.parse(message).value);
  const { ok, ...rest } = answer.data;
  return { kind: ok ? 'answer' : 'refusal', ...rest } as Sent;
}

interface FakeKioskParts {
  readonly folder: string;
  readonly hasPin: boolean;
  readonly time: HandTurnedTime;
  /** What the overlay made the kiosk do. */
  readonly done: string[];
  readonly holds: Set<string>;
  readonly overrides: Partial<RunningKiosk> & Pick<RunningKiosk, 'key'>;
}

async function fakeKiosk(parts: FakeKioskParts): Promise<RunningKiosk> {
  const { folder, hasPin, time, done, holds, overrides } = parts;
  const maintenance = await openMaintenance(join(folder, 'maintenance.json'), { ...time, log: silentLog });
  const hold = (reason: string, isHeld: boolean) => {
    if (isHeld) holds.add(reason);
    else holds.delete(reason);
  };
  holdInPause(maintenance, hold);
  const admin = { pinHash: hasPin ? await hashPin(PIN, undefined, CHEAP) : null };
  const read = readSettings({ ...WORKING_SETTINGS, playback: { volume: 0.25 }, admin }, 'test');
  if (read.kind === 'error') throw new Error(read.message);
  return {
    status: () =>
      exampleStatus(time.clock.now(), [
        { kind: 'service-succeeded', operation: 'ads' },
        { kind: 'held', reason: [...holds][0] ?? null },
      ]),
    records: {
      async run<C extends RecordsCommand>(command: C, _input: RecordsInput<C>): Promise<RecordsOutput<C>> {
        const answers: Partial<Record<RecordsCommand, unknown>> = {
          provePlays: { plays: [provenPlay('p1'), provenPlay('p2')], next: null, moves: '' },
          reportPlays: { report: null, done: 0.25 },
          listBeacons: [],
        };
        return answers[command] as RecordsOutput<C>;
      },
    },
    environment: 'store',
    player: 'player-1',
    playlist: () => null,
    explain: (ad, at, staleAt) =>
      explainAdFromPlays(ad, {
        at,
        staleAt,
        context: { shopper: null, cart: null, weather: null },
        media: { state: 'ready' },
        plays: [],
      }),
    media: () => ({ state: 'unsupported' }),
    rejected: () => ({ list: [], total: 0 }),
    onlineAnswer: () => null,
    maxAgeMs: 1,
    maintenance,
    hold,
    isStoreOpen: () => true,
    timeZone: () => null,
    refresh: async () => {
      done.push('refresh');
      return null;
    },
    pictureOf: () => null,
    mediaProblems: () => [],
    async switchDisplay(on) {
      done.push(`display ${on}`);
      return null;
    },
    clearMedia: async () => ({ files: 3, bytes: 300 }),
    settings: read.settings,
    ...overrides,
  };
}

const fakeMachine = (done: string[]): AdminParts['machine'] => ({
  restartPlayer: () => void done.push('restart-player'),
  restartKiosk: null,
  autostart: {
    read: async () => ({ on: false, by: 'session' }),
    async set(on) {
      done.push(`autostart ${on}`);
      return { on, by: 'session' };
    },
  },
  leave: () => void done.push('leave'),
  tryDemo: () => void done.push('demo'),
});

/** A kiosk of fakes around the real admin, and a page that talks to it. */
export async function adminWorld({ folder, hasPin = true, isSetUp = true, ...options }: WorldOptions) {
  const time = handTurnedTime(NOW);
  const messages: Sent[] = [];
  const done: string[] = [];
  const holds = new Set<string>();
  let onCall: (message: unknown) => void = () => {};
  let onInput = () => {};
  let onWake = () => {};
  let onKey: (key: PressedKey) => boolean = () => false;
  const signingKey = await openSigningKey(join(folder, 'signing-key.pem'), silentLog);
  const overrides = { key: signingKey, ...options.kiosk };
  const kiosk = await fakeKiosk({ folder, hasPin, time, done, holds, overrides });
  const preferences = await openPreferences(join(folder, 'overlay.json'), 'de-DE', silentLog);
  const admin = await createAdmin({
    channel: {
      send: (message) => messages.push(sentOf(message)),
      onMessage: (listener) => (onCall = listener),
      onKey: (listener) => (onKey = listener),
    },
    onPress: (listener) => (onInput = listener),
    onWake: (listener) => (onWake = listener),
    onExport: (isRunning) => void done.push(isRunning ? 'export begins' : 'export ends'),
    dataDirectory: folder,
    clock: time.clock,
    schedule: time.schedule,
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    log: silentLog,
    kiosk: isSetUp ? kiosk : null,
    settingsFile: options.settingsFile === undefined ? join(folder, 'settings.json') : options.settingsFile,
    keyring: noKeyring,
    preferences,
    version: '0.1.0',
    hostName: 'kiosk-1',
    addresses: () => ['192.0.2.7'],
    checkConnection: async (_settings, onStep) => {
      const step = {
        ...({ step: 'token', ok: true, code: null, ads: null } as const),
        message: 'Fine.',
        advice: null,
        ms: 1,
      };
      onStep(step);
      return [step];
    },
    driveFiles: {
      read: () => Promise.reject(new Error('no such system')),
      realpath: () => Promise.reject(new Error('no such system')),
      freeBytes: async () => 1e9,
    },
    machine: fakeMachine(done),
    ...options.parts,
  });

  let calls = 0;
  /** The answer to a call, or the code it was refused with. */
  async function call<C extends AdminCommand>(
    command: C,
    input: AdminInput<C>,
  ): Promise<AdminOutput<C> | { refused: string; message: string }> {
    calls += 1;
    const number = calls;
    onCall({ call: number, command, input });
    for (;;) {
      const answer = messages.find(
        (message) => (message.kind === 'answer' || message.kind === 'refusal') && message.call === number,
      );
      if (answer?.kind === 'refusal') return { refused: answer.code, message: answer.message };
      if (answer?.kind === 'answer')
        return adminCommands[command].output.parse(answer.output) as AdminOutput<C>;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  const key: PressedKey = {
    key: 'F12',
    code: 'F12',
    control: true,
    alt: false,
    shift: true,
    meta: false,
    isAutoRepeat: false,
  };
  return {
    signingKey,
    admin,
    preferences,
    time,
    messages,
    done,
    holds,
    call,
    raw: (message: unknown) => onCall(message),
    input: () => onInput(),
    /** The machine wakes up. */
    wake: () => onWake(),
    pressShortcut: () => onKey(key),
    async tapCorner(times: number) {
      for (let index = 0; index < times; index += 1) {
        await call('tap', { x: 5, y: 5, width: 1920, height: 1080 });
      }
    },
    async unlock(pin = PIN) {
      return call('unlock', { pin });
    },
    async openUnlocked() {
      onKey(key);
      await call('unlock', { pin: PIN });
    },
    /** The last view that was sent to the page. */
    view(): OverlayView | undefined {
      return messages.findLast((message) => message.kind === 'overlay')?.state.overlay;
    },
    async home(): Promise<AdminHome> {
      const home = await call('home', null);
      if ('refused' in home) throw new Error(home.message);
      return home;
    },
  };
}
