import type { Addressee } from '../fleet/link/topics';
import { plainText } from './command-result';
import type { FleetProcess } from './fleet-arguments';
import { type FleetView, isAddressed } from './fleet-kiosks';
import type { CommandReplies } from './fleet-replies';

/** Most kiosks that are named in one line. */
const MAX_NAMED = 20;

interface SentCommand {
  readonly to: Addressee;
  /** Until when kiosks obey it, RFC 3339. */
  readonly until: string;
  /** The public half of the key that signed it, written as in `fleet.commandKeys`. */
  readonly publicKey: string;
}

/** Why kiosks gave no answer, as far as their messages show, and what to check: a line for each reason. */
export function silenceHints(replies: CommandReplies, sent: SentCommand): string[] {
  const { view, expected, answers } = replies;
  const nobody = hintOfNobody(view, sent.to);
  if (expected.size === 0 && nobody !== null) return [nobody];
  // Those that were offline are not awaited, but did not answer either.
  const addressed = [...view.kiosks.values()].filter((kiosk) => isAddressed(kiosk, sent.to));
  const silent = addressed.map(({ kiosk }) => kiosk).filter((kiosk) => !answers.has(kiosk));
  const kiosksOf = new Map<string, string[]>();
  for (const kiosk of new Set([...replies.silent(), ...silent])) {
    const hint = hintOf(kiosk, replies, sent);
    kiosksOf.set(hint, [...(kiosksOf.get(hint) ?? []), kiosk]);
  }
  return [...kiosksOf].map(([hint, kiosks]) => `${namesOf(kiosks)}: ${hint}`);
}

function hintOf(
  kiosk: string,
  { view, accepted, unread }: CommandReplies,
  { until, publicKey }: SentCommand,
): string {
  const state = view.kiosks.get(kiosk)?.state ?? null;
  if (accepted.has(kiosk))
    return 'accepted, but not done yet. Wait longer (--timeout). A restart may have lost it: if no answer comes, send it again';
  const refusal = unread.get(kiosk);
  if (refusal === 'unknown-key')
    return `refused a command whose key is not in its fleet.commandKeys. If it was this one, add ${publicKey} there`;
  if (refusal !== undefined)
    return `refused a command that it did not read (${plainText(refusal)}). Send it again later`;
  if (state === null) return HINT_OF_UNKNOWN_KIOSK;
  // A kiosk reports what it refuses, so the command or its answer did not get through.
  if (state.online)
    return "online, but it sent no answer. Wait longer (--timeout), or check the broker's access rules for it and for you";
  return `offline. It obeys if it is back before ${until} (--valid). Check its power, network and fleet.brokers`;
}

/** The hint if the broker has sent no message of a kiosk. */
export const HINT_OF_NO_KIOSK =
  "this broker knows no kiosk. Check --broker and --prefix, and the broker's access rules for you";

/** The hint on a kiosk that the broker has sent no message of. */
const HINT_OF_UNKNOWN_KIOSK =
  'this broker has no state message of it. Check its name (endcap fleet list), --broker and --prefix';

/** What to check if the addressee is none of the kiosks whose state the broker has; else null. One may still come. */
function hintOfNobody({ kiosks }: Pick<FleetView, 'kiosks'>, to: Addressee): string | null {
  if ([...kiosks.values()].some((kiosk) => isAddressed(kiosk, to))) return null;
  if (to.startsWith('kiosk:')) return HINT_OF_UNKNOWN_KIOSK;
  if (kiosks.size === 0) return HINT_OF_NO_KIOSK;
  return 'none of the kiosks at this broker belongs to it. Check its name, and fleet.groups of the kiosks';
}

/** Tells the operator what to check if nobody is addressed. */
export async function writeHintOfNobody(
  { writeError }: Pick<FleetProcess, 'writeError'>,
  view: FleetView,
  to: Addressee,
): Promise<void> {
  const nobody = hintOfNobody(view, to);
  if (nobody !== null) await writeError(`fleet: ${to}: ${nobody}\n`);
}

/** The names of at most `MAX_NAMED` kiosks, each formatted by `say`, and how many more there are. */
export function namesOf(kiosks: readonly string[], say = (kiosk: string): string => kiosk): string {
  const names = kiosks.slice(0, MAX_NAMED).map(say).join(', ');
  return kiosks.length > MAX_NAMED ? `${names} and ${kiosks.length - MAX_NAMED} more` : names;
}
