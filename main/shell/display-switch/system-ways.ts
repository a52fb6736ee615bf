import type { RunProgram } from '../run-program';
import { cecWay, ddcWay } from './cable-ways';
import { dpmsWay, swayWay, wlopmWay } from './compositor-ways';
import type { DisplayWay } from './display-control';

/** The ways to try on this platform, in order; none except on Linux. */
export function systemWays(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
  run: RunProgram,
): readonly DisplayWay[] {
  if (platform !== 'linux') return [];
  return [wlopmWay(env, run), swayWay(env, run), dpmsWay(env, run), ddcWay(run), cecWay(run)];
}
