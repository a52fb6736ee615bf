import type { WebContents, WebPreferences } from 'electron';
import type { LinkGuest } from '../../shared/link';
import type { LinkFrameSender } from './link-frame-sender';
import type { LinkViewParts, LinkWindow } from './link-view-parts';
import { UNTRUSTED_PAGE } from './lock-down';
import type { Visit } from './partition-pool';

interface TurnedPageParts extends Pick<LinkViewParts, 'lockDown' | 'stage'> {
  readonly frame: LinkFrameSender;
}

/**
 * The page of the link view as a guest in the kiosk page, for a turned picture: it is drawn and tapped as turned. Its
 * contents exist once the kiosk page has attached them.
 */
export class TurnedPage {
  /** Asked for, and not attached yet. */
  #wanted: { here: Visit; guest: LinkGuest; onAttached: (window: LinkWindow) => void } | null = null;
  #guests = 0;

  constructor(private readonly parts: TurnedPageParts) {
    parts.lockDown.admitGuests((owner, params) => (parts.stage.owns(owner) ? this.#admit(params) : null));
  }

  open(here: Visit, url: string, onAttached: (window: LinkWindow) => void): void {
    this.#guests += 1;
    const guest = { id: this.#guests, url, partition: here.partition, isShown: false };
    this.#wanted = { here, guest, onAttached };
    this.parts.frame.showGuest(guest);
  }

  /** Removes the page, attached or not. */
  close(): void {
    this.#wanted = null;
    this.parts.frame.showGuest(undefined);
  }

  /** A guest was attached to the kiosk page. Returns whether it is this one. */
  attached(contents: WebContents): boolean {
    if (contents.session !== this.#wanted?.here.session) return false;
    const { guest, onAttached } = this.#wanted;
    this.#wanted = null;
    onAttached({
      contents,
      show: () => this.parts.frame.showGuest({ ...guest, isShown: true }),
      hide: () => this.parts.frame.showGuest({ ...guest, isShown: false }),
      setBounds() {}, // The kiosk page places it.
    });
    return true;
  }

  #admit({ src, partition }: Record<string, string>): WebPreferences | null {
    const guest = this.#wanted?.guest;
    if (guest === undefined || src !== guest.url || partition !== guest.partition) return null;
    return { ...UNTRUSTED_PAGE, partition };
  }
}
