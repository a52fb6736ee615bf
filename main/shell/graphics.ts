import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { app } from 'electron';
import type { Log } from '../../shared/log';
import { systemNow } from './decided-clock';
import { afterGraphicsCrash, GraphicsTrouble, noGraphicsTrouble, troubleAtStart } from './graphics-trouble';

/** The pictures' way to the display, as this start takes it. */
export interface Graphics {
  /** From now on crashes of the graphics process are counted, and remembered. */
  watch(parts: { readonly log: Log; readonly startOver: () => void; readonly giveUp: () => void }): void;
}

/**
 * Chooses how pictures are drawn; where trouble is remembered, before Electron is ready. After
 * repeated crashes of the graphics process that is without the hardware, for a day
 * or until another version is installed (rule 25).
 *
 * @param file where trouble with them is remembered; without it there is none
 */
export function openGraphics(file: string): Graphics {
  const version = app.getVersion();
  let trouble = troubleAtStart(read(file) ?? noGraphicsTrouble(version), version, systemNow());
  const isSoftware = trouble.softwareSince !== null;
  if (isSoftware) {
    app.disableHardwareAcceleration();
    app.commandLine.appendSwitch('disable-gpu');
  }
  return {
    watch({ log, startOver, giveUp }) {
      if (isSoftware) log.warn('pictures are drawn without the graphics hardware, which crashed repeatedly');
      app.on('child-process-gone', (_event, { type, reason, exitCode }) => {
        if (type !== 'GPU' || reason === 'clean-exit') return;
        const step = afterGraphicsCrash(trouble, systemNow());
        trouble = step.trouble;
        log.error('the graphics process ended', { reason, exitCode, crashes: trouble.crashes.length });
        try {
          // At once: the browser may be about to give up over it.
          writeFileSync(`${file}.part`, JSON.stringify(trouble), { mode: 0o600 });
          renameSync(`${file}.part`, file);
        } catch (fault) {
          log.error('trouble with graphics could not be remembered', { fault });
        }
        if (step.remedy === 'startOver') startOver();
        if (step.remedy === 'giveUp') giveUp();
      });
    },
  };
}

/** Ends the graphics process; Chromium starts another at once. */
export function endGraphicsProcess(): void {
  const graphics = app.getAppMetrics().find(({ type }) => type === 'GPU');
  if (graphics) process.kill(graphics.pid, 'SIGKILL');
}

function read(file: string): GraphicsTrouble | null {
  try {
    return GraphicsTrouble.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data ?? null;
  } catch {
    return null;
  }
}
