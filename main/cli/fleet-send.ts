import { randomUUID } from 'node:crypto';
import { type Command, MAX_VALID_SECONDS, type Reply } from '../fleet/link/commands';
import { type Addressee, addressTopic } from '../fleet/link/topics';
import { readNamedFile } from './argument-files';
import { plainJson, plainText } from './command-result';
import { type FleetWork, readAddressee, readSeconds, readSignKey } from './fleet-arguments';
import { parseCommand } from './fleet-command-syntax';
import { signCommand } from './fleet-documents';
import type { CommandKey } from './fleet-keys';
import { nameOf } from './fleet-kiosks';
import { type CommandReplies, listenForReplies } from './fleet-replies';
import { namesOf, silenceHints, writeHintOfNobody } from './fleet-silence';

const MAX_TIMEOUT_SECONDS = 3_600;

/** `send COMMAND … --to WHOM`. */
export async function sendCommand(work: FleetWork): Promise<boolean> {
  const { args, process } = work;
  const to = readAddressee(args.options.to);
  const readText = async (path: string, most: number) => (await readNamedFile(path, most)).toString('utf8');
  const command = await parseCommand(args.words, { options: args.options, now: process.now(), readText });
  const key = await readSignKey(args.options);
  const print = async (reply: Reply, replies: CommandReplies) =>
    args.options.json === true ? `${plainJson(reply)}\n` : replyLines(reply, replies);
  return deliver(work, { to, command, key, isAwaited: args.options.wait === true }, print);
}

/** A command that is to be sent. */
interface Order {
  readonly to: Addressee;
  readonly command: Command;
  /** The key to sign it with. */
  readonly key: CommandKey;
  /** Whether to wait for the answers. */
  readonly isAwaited: boolean;
}

/**
 * Signs a command, sends it, and waits for the answers if they are awaited.
 *
 * @param print what an answer adds to standard output
 * @returns whether every expected kiosk has done it; true if no answer is awaited
 */
export async function deliver(
  { connect, prefix, args: { options }, process }: FleetWork,
  { to, command, key, isAwaited }: Order,
  print: (reply: Reply, replies: CommandReplies) => Promise<string>,
): Promise<boolean> {
  // Settings are tried for a minute, and for most of them the player starts over.
  const usual = command.name === 'settings' ? '3m' : '30s';
  const timeout = readSeconds('timeout', options.timeout ?? usual, MAX_TIMEOUT_SECONDS);
  const valid = readSeconds('valid', options.valid ?? '5m', MAX_VALID_SECONDS);
  const fleet = await connect();
  const jti = randomUUID();
  let printing = Promise.resolve();
  const errors: unknown[] = [];
  const replies = await listenForReplies(fleet, prefix, to, jti, (reply) => {
    if (!isAwaited) return;
    const printed = printing.then(async () => process.out(await print(reply, replies)));
    // One picture that cannot be written costs neither the next ones nor the summary.
    printing = printed.catch((error: unknown) => void errors.push(error));
  });
  const iat = Math.floor(process.now() / 1_000);
  const jws = await signCommand({ iat, exp: iat + valid, jti, aud: to, command }, key);
  // A kiosk that comes back may not know the time yet, so the broker drops what has expired.
  const properties = { messageExpiryInterval: valid };
  await fleet.publish(addressTopic(prefix, to, 'command'), jws, { properties });
  const until = new Date((iat + valid) * 1_000).toISOString();
  await process.writeError(`fleet: sent ${command.name} to ${to}, valid until ${until}\n`);
  if (!isAwaited) {
    await writeHintOfNobody(process, replies.view, to);
    return true;
  }
  await replies.answered(timeout * 1_000, AbortSignal.any([process.ended, fleet.lost]));
  await printing;
  const mayHaveAnswered = fleet.lost.aborted && replies.silent().length > 0;
  const hints = mayHaveAnswered
    ? [
        `the connection to ${fleet.broker} was lost, so answers may be missing. Look at what the kiosks do (endcap fleet list) before you send it again`,
      ]
    : silenceHints(replies, { to, until, publicKey: key.publicKey });
  for (const line of [summary(replies, to), ...hints]) await process.writeError(`fleet: ${line}\n`);
  if (errors.length > 0) throw errors[0];
  const { answers, expected } = replies;
  const areAllDone = [...answers.values()].every((state) => state === 'done');
  return expected.size > 0 && replies.silent().length === 0 && areAllDone;
}

function summary({ answers, expected, silent, view }: CommandReplies, to: Addressee): string {
  if (expected.size === 0) return `no kiosk of ${to} is online, so no answer was awaited`;
  const done = [...answers.values()].filter((state) => state === 'done').length;
  const missing = silent();
  const names = namesOf(missing, (kiosk) => {
    const isOnline = view.kiosks.get(kiosk)?.state?.online;
    return isOnline === true
      ? kiosk
      : `${kiosk} (${isOnline === false ? 'offline' : 'unknown to this broker'})`;
  });
  const rest = missing.length === 0 ? '' : `: ${names}`;
  return `${done} done, ${answers.size - done} refused, ${missing.length} without an answer${rest}`;
}

/** A kiosk's answer as readable lines. */
export function replyLines(reply: Reply, { view }: Pick<CommandReplies, 'view'>): string {
  const { kiosk, state, reason, message, result } = reply;
  const name = nameOf(view.kiosks.get(kiosk) ?? null);
  const why = [reason, message]
    .filter((text) => text !== undefined)
    .map((text) => plainText(text, 500))
    .join(': ');
  const head = [kiosk, name, state, why].filter((part) => part !== '').join('  ');
  const lines = (result?.lines ?? []).map((line) => `  ${plainText(line, 1_000)}`);
  return `${[head, ...lines].join('\n')}\n`;
}
