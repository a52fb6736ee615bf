import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { app } from 'electron';
import type { Log } from '../../shared/log';
import {
  afterGraphicsCrash,
  type GraphicsTrouble,
  isSurelyMissing,
  noGraphicsTrouble,
  readTrouble,
  troubleAtStart,
} from './graphics-trouble';
import { systemNow } from './system-now';

/** By then Chromium has found its graphics hardware or given up, ms. */
const SETTLED_MS = 10_000;

/** A graphics process that dies so soon after the one before it has hardly drawn anything, ms. */
const AT_ONCE_MS = 2_000;

/** The pictures' way to the display, as this start takes it. */
export interface Graphics {
  /**
   * From now on crashes of the graphics process are counted, and remembered; so is that there is no hardware.
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
 * another version is installed (rule 25); where there was none to be found, for 20 hours.
 *
 * @param file where trouble with graphics is remembered
 */
export function openGraphics(file: string): Graphics {
  // At the third crash Chromium would end the browser. How often is too often is decided here.
  app.commandLine.appendSwitch('disable-gpu-process-crash-limit');
  const version = app.getVersion();
  const devices = graphicsDevices();
  let trouble = troubleAtStart(read(file) ?? noGraphicsTrouble(version), {
    version,
    now: systemNow(),
    devices,
  });
  const { softwareSince, missing } = trouble;
  const isAskedFor = app.commandLine.hasSwitch('disable-gpu');
  const isSoftware = isAskedFor || softwareSince !== null || missing !== null;
  // What Chromium says of its hardware before this is a guess.
  let isKnown = false;
  app.once('gpu-info-update', () => {
    isKnown = true;
  });
  if (isSoftware && !isAskedFor) {
    app.disableHardwareAcceleration();
    app.commandLine.appendSwitch('disable-gpu');
  }
  return {
    watch({ log, onDeath, onDriverFault, startOver, giveUp }) {
      let hasCrashed = false;
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
      else if (missing !== null)
        log.info('pictures are drawn without graphics hardware: lately there was none');
      app.on('child-process-gone', (_event, { type, reason, exitCode }) => {
        if (type !== 'GPU' || reason === 'clean-exit') return;
        hasCrashed = true;
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
      const look = () => {
        // What crashed is not missing.
        if (isSoftware || hasCrashed || !isKnown || !isSurelyMissing(process.platform, devices)) return;
        if (app.getGPUFeatureStatus().gpu_compositing !== 'disabled_software') return;
        log.info('there is no graphics hardware; the starts of the next 20 hours do not look for it', {
          devices,
        });
        remember({ ...trouble, missing: { since: systemNow(), devices } });
      };
      setTimeout(look, SETTLED_MS).unref();
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

/** What Linux calls its graphics devices; none elsewhere, and where there are none. */
function graphicsDevices(): string {
  try {
    return readdirSync('/dev/dri').sort().join(' ');
  } catch {
    return '';
  }
}

function read(file: string): GraphicsTrouble | null {
  try {
    return readTrouble(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
