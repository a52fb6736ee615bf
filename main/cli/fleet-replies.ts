import { Reply } from '../fleet/link/commands';
import { type Addressee, fleetTopics } from '../fleet/link/topics';
import { type FleetConnection, waitAndRead } from './fleet-connection';
import { createFleetView, isAddressed, kioskOf, readMessage } from './fleet-kiosks';

/** Longest answer that is read, bytes: a picture of 1,920 pixels in base64. */
const MAX_REPLY_BYTES = 4 * 1024 * 1024;
const POLL_MS = 50;

/** The kiosks that a command is for, and what they answer. */
export type CommandReplies = Awaited<ReturnType<typeof listenForReplies>>;

/**
 * Subscribes to the answers to `id`, and finds out which kiosks should answer. Call it before the command is sent.
 *
 * @param onAnswer each kiosk's final answer, once
 */
export async function listenForReplies(
  fleet: FleetConnection,
  prefix: string,
  to: Addressee,
  id: string,
  onAnswer: (reply: Reply) => void,
) {
  const view = createFleetView(prefix);
  /** How each kiosk's command ended. */
  const answers = new Map<string, 'done' | 'refused'>();
  /** Kiosks that have it; they may not have finished it yet. */
  const accepted = new Set<string>();
  /**
   * Kiosks that have refused a document meanwhile without naming it: a kiosk does not read a document that none of
   * the keys it knows has signed.
   */
  const unread = new Map<string, string>();
  const named = to.startsWith('kiosk:') ? to.slice('kiosk:'.length) : null;
  const { state, reply } = fleetTopics(prefix, named ?? '+');
  await fleet.subscribe([state, reply], (topic, payload) => {
    const place = kioskOf(prefix, topic);
    if (place?.name !== 'reply') return void view.take(topic, payload);
    const read = readMessage(Reply, payload, MAX_REPLY_BYTES);
    // A kiosk may answer only for itself, and only once.
    if (read === null || read.kiosk !== place.kiosk) return;
    if (read.to === null && read.reason !== undefined) unread.set(read.kiosk, read.reason);
    if (read.to !== id || answers.has(read.kiosk)) return;
    // A broker may deliver a command twice: the kiosk refuses the second copy and still carries out the first.
    if (read.state === 'accepted' || read.reason === 'seen-before') return void accepted.add(read.kiosk);
    answers.set(read.kiosk, read.state);
    onAnswer(read);
  });
  await fleet.settled();
  // The command is sent after this, so earlier refusals are not about it.
  unread.clear();
  const online = [...view.kiosks.values()].filter(
    (kiosk) => kiosk.state?.online === true && isAddressed(kiosk, to),
  );
  /** Who is expected to answer: the kiosk that was named, else those that are online. */
  const expected = new Set(named === null ? online.map(({ kiosk }) => kiosk) : [named]);
  const silent = () => [...expected].filter((kiosk) => !answers.has(kiosk));
  return {
    view,
    expected,
    answers,
    accepted,
    unread,
    silent,
    /** Resolves when all expected kiosks have answered, after `timeoutMs`, or when `ended` is aborted. */
    async answered(timeoutMs: number, ended: AbortSignal) {
      for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; ) {
        if (silent().length === 0 || ended.aborted) return;
        await waitAndRead(POLL_MS);
      }
    },
  };
}
