import { join } from 'node:path';
import {
  type AdminErrorCode,
  adminCommands,
  type ConnectionStep,
  type ExportState,
  type ExportTarget,
} from '../../shared/admin';
import type { Clock } from '../../shared/clock';
import type { Settings } from '../settings/settings';
import { cutOrNull } from '../status/shown-text';
import type { ActionRecord } from './action-record';
import type { createActions, Note } from './actions';
import type { AdsPages } from './ads-page';
import { type AdminCommands, AdminError } from './answer-calls';
import { bookPages } from './book-pages';
import { logPage, readLogEnd } from './log-tail';
import type { OverlayCommand } from './overlay-commands';
import type { ExportPlace, ExportRefusal, PlayExport } from './play-export';
import type { RunningKiosk } from './running-kiosk';
import type { SetUpCommand } from './set-up-commands';

const EXPORT_REFUSALS: Readonly<Record<ExportRefusal['code'], readonly [AdminErrorCode, string]>> = {
  busy: ['busy', 'Another export is under way.'],
  'no-target': ['no-target', 'The drive is not there. Plug it in and try again.'],
};

type KioskCommands = Omit<AdminCommands, OverlayCommand | SetUpCommand>;

/** The pages and actions of a kiosk that plays. */
export function kioskCommands(parts: {
  readonly kiosk: RunningKiosk;
  readonly home: KioskCommands['home'];
  readonly ads: AdsPages;
  readonly record: ActionRecord;
  readonly places: () => Promise<ExportPlace[]>;
  readonly exporting: PlayExport;
  readonly act: ReturnType<typeof createActions>;
  readonly test: (settings: Settings) => Promise<ConnectionStep[]>;
  readonly dataDirectory: string;
  readonly clock: Clock;
  readonly note: Note;
}): KioskCommands {
  const { kiosk, ads, record, places, exporting, act, test, note } = parts;
  return {
    home: parts.home,
    ads: (query) => ads.page(query),
    ...bookPages(kiosk),
    signals() {
      const { signals, signalsServer } = kiosk.status();
      const { url = null, problem = null } = signalsServer ?? {};
      return {
        at: parts.clock.now(),
        ...signals,
        server: { url: cutOrNull(url, 500), problem: cutOrNull(problem, 500) },
      };
    },
    log: async (query) => logPage(await readLogEnd(join(parts.dataDirectory, 'logs', 'endcap.log')), query),
    recordedActions: ({ limit }) => [...record.latest(limit)],

    async exportTargets() {
      return (await places()).map(
        ({ id, kind, label, freeBytes }): ExportTarget => ({ id, kind, label, freeBytes }),
      );
    },
    export: exporting.state,
    startExport: async ({ target, format, period }) =>
      exported(await exporting.start({ target, format, ...period })),
    cancelExport: exporting.cancel,

    act,
    async testConnection() {
      const steps = await test(kiosk.settings);
      const failed = steps.filter(({ ok }) => !ok).map(({ step }) => step);
      if (failed.length > 0) note('connection-test', { kind: 'steps-failed', steps: failed }, 'failed');
      else note('connection-test');
      return steps;
    },
  };
}

function exported(result: ExportState | ExportRefusal): ExportState {
  if ('kind' in result) throw new AdminError(...EXPORT_REFUSALS[result.code]);
  return result;
}

/** The same commands for a kiosk without settings: it refuses all of them. */
export function noKioskCommands(): KioskCommands {
  const refuse = () => {
    throw new AdminError('not-here', 'This kiosk is not set up yet.');
  };
  return Object.fromEntries(
    Object.keys(adminCommands).map((name) => [name, refuse]),
  ) as unknown as KioskCommands;
}
