import type { AdminBridge, AdminCall } from '../../shared/admin';

/** Main's messages, kept until somebody listens; the order stays. */
export interface HeldLine {
  call(message: AdminCall): void;
  /** From now on `listener` gets every message, first those that waited. */
  listen(listener: (message: unknown) => void): void;
}

/** Takes messages from the moment of this call; `onWaiting` is told of each that nobody listens to yet. */
export function heldLine(bridge: AdminBridge, onWaiting: () => void): HeldLine {
  let listening: ((message: unknown) => void) | null = null;
  let waiting: unknown[] = [];
  bridge.onMessage((message) => {
    if (listening !== null) {
      listening(message);
      return;
    }
    waiting.push(message);
    onWaiting();
  });
  return {
    call: (message) => bridge.call(message),
    listen(listener) {
      listening = listener;
      const kept = waiting;
      waiting = [];
      for (const message of kept) listener(message);
    },
  };
}
