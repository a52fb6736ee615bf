import type { GuestCommand } from '../../shared/guests';
import type { GuestPaints } from './guest-paints';

/**
 * Holds the guests that main asked for. A guest is drawn, one pixel large behind
 * the stage: one that is not drawn at all may be throttled.
 */
export function guestHost(parent: HTMLElement, paints: GuestPaints): (command: GuestCommand) => void {
  const guests = new Map<string, HTMLElement>();
  return (command) => {
    if (command.type === 'painted' || command.type === 'broken') {
      paints.hear(command);
      return;
    }
    guests.get(command.guest)?.remove();
    guests.delete(command.guest);
    if (command.type === 'close') return;
    const guest = document.createElement('webview');
    guest.className = 'beacon-guest';
    // Nobody taps it, and it hears no keys.
    guest.inert = true;
    guest.setAttribute('partition', command.partition);
    guest.setAttribute('src', command.url);
    guests.set(command.guest, guest);
    parent.append(guest);
  };
}
