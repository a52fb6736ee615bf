import type { WebContents } from 'electron';
import type { GuestKind } from '../beacons/guest-page';
import type { GuestListener } from '../beacons/js-guests';
import { crashByMain, frameProcesses, killProcess } from './page-processes';
import type { Visit } from './partition-pool';

/** What a banner does (rules 17 and 18). */
export interface BannerListener {
  /** Its markup begins to load. */
  loads(): void;
  /** It has painted something. */
  painted(): void;
  /** An input event that the browser delivered to it. */
  input(type: string): void;
  /** It tried to navigate; that was blocked. */
  navigated(url: string): void;
  /** A script of it failed, or violated its policy; `detail` in a few words. Called ten times at most. */
  scriptFailed(detail: string): void;
}

/** A guest from its opening to its end. */
export interface Guest {
  /** Given by the caller of `open`. */
  readonly id: string;
  readonly kind: GuestKind;
  readonly url: string;
  readonly visit: Visit;
  readonly listener: GuestListener;
  readonly banner: BannerListener | null;
  /** Called for errors of its scripts and violations of its policy; null for a beacon, whose page reports them. */
  readonly scriptFailed: ((detail: string) => void) | null;
  readonly attached: () => void;
  contents: WebContents | null;
  /** Ends its lingering at once; null while it does not linger. */
  endLingering: (() => void) | null;
}

/** Kills its process, and those of its frames of other sites, which outlive its page. */
export function closeGuest({ contents }: Guest): void {
  if (contents === null) return;
  const processes = frameProcesses(contents);
  crashByMain(contents);
  for (const pid of processes) killProcess(pid);
}
