import type { FleetActions } from '../admin/kiosk-pages';
import { type RemoteTrials, startRemoteTrials } from '../settings/remote/remote-trials';
import type { Core, FoundRemote } from './core';
import type { Decisions } from './decisions';

/** Tries remote settings (rule 30), in this run or across a restart. */
export function startRemoteSettings(
  { live, clock, schedule, events, log }: Core,
  { kept, setAside, check }: FoundRemote,
  { board }: Decisions,
  { act }: FleetActions,
): RemoteTrials {
  const trials = startRemoteTrials({
    ...{ kept, setAside, check, live, clock, schedule, log },
    onScreen: board.told,
    restart: (by) =>
      void act({ action: 'restart-player' }, by).catch((error: unknown) =>
        log.warn('the player is ending already', { error }),
      ),
    changed: () => events.emit('remoteSettingsChanged'),
  });
  events.on('playback', trials.onPlayerFact);
  return trials;
}
