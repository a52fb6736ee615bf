import { readFileSync } from 'node:fs';
import { app } from 'electron';
import type { Log } from '../../shared/log';
import { writeWholeFileNow } from '../whole-file';
import {
  afterGraphicsCrash,
  emptyHistory,
  type GraphicsHistory,
  historyAtStart,
  readGraphicsHistory,
} from './graphics-history';
import { killProcess } from './page-processes';

/** A graphics process that dies this soon after the one before has drawn almost nothing, ms. */
const AT_ONCE_MS = 2_000;

/** How this start draws: with or without the graphics hardware. */
export type Graphics = ReturnType<typeof openGraphics>;

/** Kills by main for which no `child-process-gone` event has arrived yet. */
let deathsByMain = 0;

/**
 * Chooses how this start draws; call it before Electron is ready. After repeated
 * crashes of the graphics process it draws without the hardware, for a day or until
 * another version is installed (rule 25).
 *
 * @param file of the crashes, `graphics.json` of the data folder
 * @param version of Endcap
 */
export function openGraphics(file: string, version: string) {
  // Chromium would exit at the third crash. `graphics-history.ts` decides instead how many are too many.
  app.commandLine.appendSwitch('disable-gpu-process-crash-limit');
  let history = historyAtStart(read(file) ?? emptyHistory(version), { version, now: Date.now() });
  const isAskedFor = app.commandLine.hasSwitch('disable-gpu');
  const softwareSince = isAskedFor ? null : history.softwareSince;
  const isSoftware = isAskedFor || softwareSince !== null;
  if (softwareSince !== null) {
    app.disableHardwareAcceleration();
    app.commandLine.appendSwitch('disable-gpu');
  }
  return {
    /** Since when this kiosk draws without the hardware because it crashed, ms since the epoch; null: it does not. */
    softwareSince,
    /** Whether the next start would use the hardware again. By the clock that the start reads. */
    mayTryHardware: (): boolean =>
      softwareSince !== null && historyAtStart(history, { version, now: Date.now() }).softwareSince === null,
    /**
     * Counts and stores crashes of the graphics process from now on.
     *
     * @param parts.onEnd called whenever it ended
     * @param parts.onDeath called when it died and main did not kill it (`isAgain`: just after the last time); returns
     * whether the driver, not a creative, may be the cause (rule 11)
     * @param parts.onDriverBlamed called when the driver is the cause; carries the remedy out
     */
    watch(parts: {
      readonly log: Log;
      readonly onEnd: () => void;
      readonly onDeath: (isAgain: boolean) => boolean;
      readonly onDriverBlamed: (remedy: 'startOver' | 'giveUp') => void;
    }): void {
      const { log } = parts;
      let lastDeathAt = Number.NEGATIVE_INFINITY;
      const remember = (next: GraphicsHistory) => {
        history = next;
        try {
          // Synchronously: Chromium may be about to end the program.
          writeWholeFileNow(file, JSON.stringify(history), 0o600);
        } catch (error) {
          log.error('crashes of the graphics process could not be remembered', { error });
        }
      };
      if (softwareSince !== null)
        log.warn('pictures are drawn without the graphics hardware, which crashed repeatedly');
      app.on('child-process-gone', (_event, { type, reason, exitCode }) => {
        if (type !== 'GPU' || reason === 'clean-exit') return;
        parts.onEnd();
        const sinceLast = performance.now() - lastDeathAt;
        lastDeathAt = performance.now();
        if (deathsByMain > 0) {
          deathsByMain -= 1;
          log.warn('the graphics process ended: main killed it');
          return;
        }
        if (!parts.onDeath(sinceLast < AT_ONCE_MS)) {
          log.error('the graphics process ended while it drew a creative', { reason, exitCode });
          return;
        }
        const step = afterGraphicsCrash(history, Date.now(), isSoftware);
        log.error('the graphics process ended', { reason, exitCode, crashes: step.history.crashes.length });
        remember(step.history);
        if (step.remedy !== 'none') parts.onDriverBlamed(step.remedy);
      });
    },
  };
}

/** Kills the graphics process, which does not count against the driver; Chromium starts another at once. */
export function killGraphicsProcess(): void {
  const graphics = app.getAppMetrics().find(({ type }) => type === 'GPU');
  if (graphics && killProcess(graphics.pid)) deathsByMain += 1;
}

function read(file: string): GraphicsHistory | null {
  try {
    return readGraphicsHistory(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
