import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { app } from 'electron';
import type { Log } from '../../shared/log';
import {
  afterGraphicsCrash,
  type GraphicsTrouble,
  noGraphicsTrouble,
  readTrouble,
  troubleAtStart,
} from './graphics-trouble';
import { systemNow } from './system-now';

/** A graphics process that dies so soon after the one before it has hardly drawn anything, ms. */
const AT_ONCE_MS = 2_000;

/** The pictures' way to the display, as this start takes it. */
export interface Graphics {
  /**
   * From now on crashes of the graphics process are counted, and remembered.
   *
   * @param parts.onDeath it died, and not because main ended it (`isAgain`: just after the last time); answers whether the driver may be at fault, and
   * not a creative (rule 11)
   * @param parts.onDriverFault the driver was found to be at fault
   */
  watch(parts: {
    readonly log: Log;
    readonly onDeath: (isAgain: boolean) => boolean;
    readonly onDriverFault: () => void;
    readonly startOver: () => void;
    readonly giveUp: () => void;
  }): void;
}

/** Deaths of the graphics process that main brought about, and has not heard of yet. */
let deathsByMain = 0;

/**
 * Chooses how pictures are drawn; to be called before Electron is ready. After repeated
 * crashes of the graphics process that is without the hardware, for a day or until
 * another version is installed (rule 25).
 *
 * @param file where trouble with graphics is remembered
 */
export function openGraphics(file: string): Graphics {
  // At the third crash Chromium would end the browser. How often is too often is decided here.
  app.commandLine.appendSwitch('disable-gpu-process-crash-limit');
  const version = app.getVersion();
  let trouble = troubleAtStart(read(file) ?? noGraphicsTrouble(version), { version, now: systemNow() });
  const { softwareSince } = trouble;
  const isAskedFor = app.commandLine.hasSwitch('disable-gpu');
  const isSoftware = isAskedFor || softwareSince !== null;
  if (isSoftware && !isAskedFor) {
    app.disableHardwareAcceleration();
    app.commandLine.appendSwitch('disable-gpu');
  }
  return {
    watch({ log, onDeath, onDriverFault, startOver, giveUp }) {
      let lastDeathAt = Number.NEGATIVE_INFINITY;
      const remember = (next: GraphicsTrouble) => {
        trouble = next;
        try {
          // At once: the browser may be about to give up over it.
          writeFileSync(`${file}.part`, JSON.stringify(trouble), { mode: 0o600 });
          renameSync(`${file}.part`, file);
        } catch (fault) {
          log.error('trouble with graphics could not be remembered', { fault });
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
        const step = afterGraphicsCrash(trouble, systemNow(), isSoftware);
        log.error('the graphics process ended', { reason, exitCode, crashes: step.trouble.crashes.length });
        remember(step.trouble);
        if (step.remedy !== 'none') onDriverFault();
        if (step.remedy === 'startOver') startOver();
        if (step.remedy === 'giveUp') giveUp();
      });
    },
  };
}

/** Ends the graphics process, which is no proof of a bad driver; Chromium starts another at once. */
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

function read(file: string): GraphicsTrouble | null {
  try {
    return readTrouble(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
