import { join } from 'node:path';
import { cecWay, ddcWay } from '../shell/display-switch/cable-ways';
import { dpmsWay, swayWay, wlopmWay } from '../shell/display-switch/compositor-ways';
import {
  type DisplayControl,
  type DisplayWay,
  openDisplayControl,
} from '../shell/display-switch/display-control';
import { powerFile } from '../shell/display-switch/kept-power';
import { runProgram } from '../shell/run-program';
import { reportDisplay } from '../status/report-kiosk';
import type { StatusBoard } from '../status/status-board';
import type { Core } from './core';

/** The switch of the display (`display.power`), which tells stage and status how it stands. */
export async function openDisplay(
  { settings, windows, dataDirectory, clock, schedule, log }: Core,
  { tell }: StatusBoard,
): Promise<DisplayControl> {
  const report = reportDisplay(tell);
  const display: DisplayControl = await openDisplayControl({
    store: powerFile(join(dataDirectory, 'display.json')),
    hours: settings.display.power,
    ways: displayWays(),
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

/** What is tried on this system, in this order. */
function displayWays(): readonly DisplayWay[] {
  if (process.platform !== 'linux') return [];
  const { env } = process;
  return [
    wlopmWay(env, runProgram),
    swayWay(env, runProgram),
    dpmsWay(env, runProgram),
    ddcWay(runProgram),
    cecWay(runProgram),
  ];
}
