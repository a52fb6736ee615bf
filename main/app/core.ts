import type { Basics } from '../basics';
import type { Reading } from '../reading/reading';
import type { LiveSettingsStore } from '../settings/live-settings';
import type { RemoteTrialParts } from '../settings/remote/remote-trials';
import type { Settings } from '../settings/settings';
import type { DecidedClock } from '../shell/decided-clock';
import type { EmbeddedService } from '../shell/embedded-service';
import type { LockDown } from '../shell/lock-down';
import type { Windows } from '../shell/windows';
import type { AppEmitter } from './events';
import type { Lifecycle } from './lifecycle';

/** The remote settings (rule 30) as found at the start. */
export type FoundRemote = Pick<RemoteTrialParts, 'kept' | 'setAside' | 'check'>;

/** The settings, and their source. */
export interface FoundSettings {
  readonly settings: Settings;
  /** The settings file; null for the embedded demo. */
  readonly file: string | null;
  readonly warnings: readonly string[];
  /** Null: without a settings file there are no remote settings. */
  readonly remote: FoundRemote | null;
  /** The embedded ad service; null: a real one. */
  readonly service: EmbeddedService | null;
  /** The set-up still covers the stage, until the overlay of this kiosk reports that it is closed (rule 14). */
  readonly isCovered: boolean;
}

/** The parts that exist before the settings are read. */
export interface Base extends Pick<Basics, 'schedule' | 'random' | 'newId' | 'pause' | 'log'> {
  readonly windows: Windows;
  readonly lockDown: LockDown;
  readonly dataDirectory: string;
  readonly lifecycle: Lifecycle;
  readonly events: AppEmitter;
  readonly clock: DecidedClock;
  readonly reading: Reading;
}

/** The parts that every phase after the settings may use. */
export interface Core extends Base {
  readonly found: FoundSettings;
  /** The settings as read at the start. */
  readonly settings: Settings;
  /** The settings that may change while the kiosk plays. */
  readonly live: LiveSettingsStore;
}
