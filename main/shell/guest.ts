import type { WebContents } from 'electron';
import type { GuestKind } from '../beacons/guest-page';
import type { GuestListener } from '../beacons/js-guests';
import { killProcess } from './end-process';
import { noteEndedByMain } from './ended-by-main';
import { frameProcesses } from './frame-processes';
import type { Visit } from './partition-pool';

/** What a banner does (rules 17 and 18). */
export interface BannerListener {
  /** Its markup begins to load. */
  loads(): void;
  /** It was seen to have painted something. */
  painted(): void;
  /** An input event that the browser delivered to it. */
  input(type: string): void;
  /** It wanted to go somewhere; it was held. */
  navigated(url: string): void;
  /** A script of it failed, or did what its policy holds; `detail` in a few words. Told ten times at most. */
  faulty(detail: string): void;
}

/** A guest from its opening to its end. */
export interface Guest {
  /** What whoever opened it calls it. */
  readonly id: string;
  readonly kind: GuestKind;
  readonly url: string;
  readonly visit: Visit;
  readonly listener: GuestListener;
  readonly banner: BannerListener | null;
  /** Hears of errors of its scripts and violations of its policy; null of a beacon, which has its own ways. */
  readonly faulty: ((detail: string) => void) | null;
  readonly attached: () => void;
  contents: WebContents | null;
  /** Ends its lingering at once; null while it does not linger. */
  hurry: (() => void) | null;
}

export function crashGuest({ contents }: Guest): void {
  if (contents?.isDestroyed() !== false) return;
  noteEndedByMain(contents);
  contents.forcefullyCrashRenderer();
}

/** Ends its frames of other sites too, which do not end with its page. */
export function endGuest(guest: Guest): void {
  if (guest.contents === null) return;
  const processes = frameProcesses(guest.contents);
  crashGuest(guest);
  for (const pid of processes) killProcess(pid);
}
