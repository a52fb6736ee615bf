import type { DisplayPower } from '../shell/display-switch/display-control';
import type { Tell } from './facts';

const CODE = 'display-not-switched';

/** Tells when the display is not as it should be, and when it is again. */
export function reportDisplay(tell: Tell): (power: DisplayPower | null) => void {
  let told: string | null = null;
  return (power) => {
    const message = power?.problem ?? null;
    if (message === told) return;
    told = message;
    if (message === null) return tell({ kind: 'attention-over', code: CODE });
    const advice =
      'Look at "The display at night" in install.md: what switches it has to be installed and allowed. The log says what was tried.';
    tell({ kind: 'attention', problem: { code: CODE, message, advice } });
  };
}
