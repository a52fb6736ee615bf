import type { LinkCommand } from '../../shared/link';
import type { Log } from '../../shared/log';
import type { EgressPolicy } from '../egress/egress-policy';
import type { Schedule } from '../schedule';
import type { Settings } from '../settings/settings';
import type { KioskScreen } from './kiosk-window';
import type { LockDown } from './lock-down';

export interface LinkViewParts {
  readonly stage: Pick<KioskScreen, 'owns' | 'view'>;
  readonly settings: Pick<Settings, 'playback' | 'ui'>;
  readonly send: (command: LinkCommand) => void;
  readonly lockDown: LockDown;
  readonly egressPolicy: EgressPolicy;
  /** The same as for the ad whose link is followed (rule 19). */
  readonly userAgent: string;
  readonly schedule: Schedule;
  readonly log: Log;
  /** An input event on a page, which the kiosk page does not receive. */
  readonly onTouched: (type: string) => void;
}
