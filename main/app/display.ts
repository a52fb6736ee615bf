import { join } from 'node:path';
import { type DisplayControl, openDisplayControl, powerFile } from '../shell/display-switch/display-control';
import { systemWays } from '../shell/display-switch/ways';
import { runProgram } from '../shell/run-program';
import { reportDisplay } from '../status/report-kiosk';
import type { StatusBoard } from '../status/status-board';
import type { Core } from './core';

/** Opens the control of the display (`display.power`), which reports to stage and status. */
export async function openDisplay(
  { settings, windows, dataDirectory, clock, schedule, log }: Core,
  { tell }: StatusBoard,
): Promise<DisplayControl> {
  const report = reportDisplay(tell);
  const display: DisplayControl = await openDisplayControl({
    store: powerFile(join(dataDirectory, 'display.json')),
    hours: settings.display.power,
    ways: systemWays(process.platform, process.env, runProgram),
    ...{ clock, schedule, log },
    changed() {
      windows.stage.displayIs(!display.holds(), 'power');
      report(display.power());
    },
    switched: (way, isDone) => tell({ kind: 'display-switched', way, isDone }),
  });
  // Before the first slot: the kiosk may have started at night.
  windows.stage.displayIs(!display.holds(), 'power');
  return display;
}
