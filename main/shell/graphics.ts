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

/** A graphics process that dies so soon after the one before has drawn almost nothing, ms. */
const AT_ONCE_MS = 2_000;

/** How this start draws: with or without the graphics hardware. */
export interface Graphics {
  /**
   * Counts crashes of the graphics process from now on, and remembers them.
   *
   * @param parts.onDeath it died, and main did not end it (`isAgain`: just after the last time); answers whether the
   * driver may be the cause, and not a creative (rule 11)
   * @param parts.onDriverFault the driver is the cause
   */
  watch(parts: {
    readonly log: Log;
    readonly onDeath: (isAgain: boolean) => boolean;
    readonly onDriverFault: () => void;
    readonly startOver: () => void;
    readonly giveUp: () => void;
  }): void;
}

/** How often main ended the graphics process, as far as its end is not reported yet. */
let deathsByMain = 0;

/**
 * Chooses how this start draws; call it before Electron is ready. After repeated
 * crashes of the graphics process it draws without the hardware, for a day or until
 * another version is installed (rule 25).
 *
 * @param file of the crashes, `graphics.json` of the data folder
 */
export function openGraphics(file: string): Graphics {
  // At the third crash Chromium would end the browser. How often is too often is decided here.
  app.commandLine.appendSwitch('disable-gpu-process-crash-limit');
  const version = app.getVersion();
  let history = historyAtStart(read(file) ?? emptyHistory(version), { version, now: Date.now() });
  const { softwareSince } = history;
  const isAskedFor = app.commandLine.hasSwitch('disable-gpu');
  const isSoftware = isAskedFor || softwareSince !== null;
  if (isSoftware && !isAskedFor) {
    app.disableHardwareAcceleration();
    app.commandLine.appendSwitch('disable-gpu');
  }
  return {
    watch({ log, onDeath, onDriverFault, startOver, giveUp }) {
      let lastDeathAt = Number.NEGATIVE_INFINITY;
      const remember = (next: GraphicsHistory) => {
        history = next;
        try {
          // At once: Chromium may be about to end the program.
          writeWholeFileNow(file, JSON.stringify(history), 0o600);
        } catch (error) {
          log.error('crashes of the graphics process could not be remembered', { error });
        }
      };
      if (softwareSince !== null)
        log.warn('pictures are drawn without the graphics hardware, which crashed repeatedly');
      app.on('child-process-gone', (_event, { type, reason, exitCode }) => {
        if (type !== 'GPU' || reason === 'clean-exit') return;
        if (deathsByMain > 0) {
          deathsByMain -= 1;
          lastDeathAt = performance.now();
          log.warn('the graphics process ended, as it was told to');
          return;
        }
        const sinceLast = performance.now() - lastDeathAt;
        lastDeathAt = performance.now();
        if (!onDeath(sinceLast < AT_ONCE_MS)) {
          log.error('the graphics process ended over a creative', { reason, exitCode });
          return;
        }
        const step = afterGraphicsCrash(history, Date.now(), isSoftware);
        log.error('the graphics process ended', { reason, exitCode, crashes: step.history.crashes.length });
        remember(step.history);
        if (step.remedy !== 'none') onDriverFault();
        if (step.remedy === 'startOver') startOver();
        if (step.remedy === 'giveUp') giveUp();
      });
    },
  };
}

/** Ends the graphics process, which does not count against the driver; Chromium starts another at once. */
export function endGraphicsProcess(): void {
  const graphics = app.getAppMetrics().find(({ type }) => type === 'GPU');
  if (!graphics) return;
  try {
    process.kill(graphics.pid, 'SIGKILL');
    deathsByMain += 1;
  } catch {
    // It has just ended by itself.
  }
}

function read(file: string): GraphicsHistory | null {
  try {
    return readGraphicsHistory(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
