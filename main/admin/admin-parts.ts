import type { AdminHome, ConnectionStep } from '../../shared/admin';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { RpcPort } from '../../shared/rpc';
import type { Schedule } from '../schedule';
import type { Keyring } from '../settings/sealed-secrets';
import type { Settings } from '../settings/settings';
import type { PressedKey } from './gesture';
import type { DriveFiles } from './mounted-drives';
import type { Preferences } from './preferences';
import type { RunningKiosk } from './running-kiosk';

/** The connection to the kiosk page, and the keys of its window as main sees them. */
export interface AdminChannel extends RpcPort {
  /** The listener returns true for a key that must not reach the page. */
  onKey(listener: (key: PressedKey) => boolean): void;
}

/** What staff can do with the program and the computer. */
export interface MachineControls {
  readonly restartPlayer: () => void;
  /** Restarts the computer; null where the kiosk may not. */
  readonly restartKiosk: (() => Promise<void>) | null;
  /** Leaves to the desktop, or ends the program. */
  readonly leave: () => void;
  /** Whether the kiosk starts with the machine: read from the platform, and set there where that is allowed. */
  readonly autostart: {
    read(): Promise<AdminHome['autostart']>;
    set(on: boolean): Promise<AdminHome['autostart']>;
  };
  /** Runs the demo until the next start; null where there is none. */
  readonly tryDemo: (() => void) | null;
}

export interface AdminParts {
  readonly channel: AdminChannel;
  /** Calls the listener at every key, press or turn of the wheel on the kiosk window. */
  readonly onPress: (listener: () => void) => void;
  /** Calls the listener when the machine has slept and wakes up. */
  readonly onWake: (listener: () => void) => void;
  /** Called when an export of plays begins and ends. */
  readonly onExport: (isRunning: boolean) => void;
  readonly dataDirectory: string;
  readonly clock: Clock;
  readonly schedule: Schedule;
  /** Yields to other work. */
  readonly pause: () => Promise<void>;
  readonly log: Log;
  /** Null: the first set-up, on a kiosk without settings. */
  readonly kiosk: RunningKiosk | null;
  /** The settings file in use; null without one, or for the demo. */
  readonly settingsFile: string | null;
  /** Seals the secrets that the set-up stores. */
  readonly keyring: Keyring;
  readonly preferences: Preferences;
  readonly version: string;
  readonly hostName: string;
  readonly addresses: () => readonly string[];
  /** Tests the service of these settings; see `checkConnection`. */
  readonly checkConnection: (
    settings: Settings,
    onStep: (step: ConnectionStep) => void,
  ) => Promise<readonly ConnectionStep[]>;
  readonly driveFiles: DriveFiles;
  readonly machine: MachineControls;
}
