import type { Rectangle, View, WebContents } from 'electron';
import type { LinkCommand } from '../../shared/link';
import type { Log } from '../../shared/log';
import type { EgressPolicy } from '../egress/egress-policy';
import type { Schedule } from '../schedule';
import type { LockDown } from './lock-down';

export interface LinkViewParts {
  /** The kiosk window's view, which the page is laid over; null: the window is gone. */
  readonly host: () => View | null;
  /** Whether these contents are the kiosk page. */
  readonly owns: (contents: WebContents) => boolean;
  /** Whether the picture is turned (`playback.rotation`). */
  readonly isTurned: boolean;
  readonly send: (command: LinkCommand) => void;
  readonly lockDown: LockDown;
  readonly egressPolicy: EgressPolicy;
  /** The same as for the ad whose link is followed (rule 19). */
  readonly userAgent: string;
  readonly schedule: Schedule;
  readonly language: string;
  readonly log: Log;
  /** An input event on a page, which the kiosk page does not receive. */
  readonly onTouched: (type: string) => void;
}

/** A window of a visit: a page, and the place where it is drawn. */
export interface LinkWindow {
  readonly contents: WebContents;
  /** Shows it above the other windows. */
  show(): void;
  hide(): void;
  setBounds(bounds: Rectangle): void;
}
