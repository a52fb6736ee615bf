import type { Schedule } from '../../schedule';

/**
 * Most messages that wait for the broker's receipt: the client holds them in memory. A working broker leaves a few
 * waiting, even in a storm of a fleet.
 */
const MAX_UNANSWERED = 200;
/** Longest wait for a receipt, ms: a node that its cluster has lost may answer pings and nothing else. */
export const MAX_RECEIPT_MS = 120_000;

type OnReceipt = (error?: Error | null) => void;

/**
 * The messages on their way to a broker, until its receipts.
 *
 * @param onMissing called if too many receipts are missing, or one for too long
 */
export function createReceipts(schedule: Schedule, onMissing: () => void) {
  const unanswered = new Set<OnReceipt>();
  /** Messages that are sent once others have their receipt. */
  const waiting: Array<() => void> = [];
  let last: Promise<unknown> = Promise.resolve();
  return {
    /**
     * Sends a message, in the order of the calls. Resolves at its receipt; rejects if the broker refuses it, or the
     * connection ends.
     *
     * @param atOnce so many may wait for their receipts (MQTT 5: the receive maximum of the broker)
     */
    of(send: (onReceipt: OnReceipt) => void, atOnce: number): Promise<void> {
      if (unanswered.size >= MAX_UNANSWERED) {
        onMissing();
        return Promise.reject(new Error('the broker acknowledges no message'));
      }
      const receipt = new Promise<void>((resolve, reject) => {
        const cancel = schedule(MAX_RECEIPT_MS, onMissing);
        const settle: OnReceipt = (error) => {
          cancel();
          unanswered.delete(settle);
          if (error) reject(error);
          else resolve();
        };
        const start = () =>
          send((error) => {
            settle(error);
            waiting.shift()?.();
          });
        unanswered.add(settle);
        if (unanswered.size <= atOnce) start();
        else waiting.push(start);
      });
      last = receipt.catch(() => {});
      return receipt;
    },
    /** Resolves when the last message has its receipt, or never gets one. */
    all: () => last,
    /** No receipt comes any more. */
    end(error: Error): void {
      waiting.length = 0;
      for (const settle of unanswered) settle(error);
    },
  };
}
