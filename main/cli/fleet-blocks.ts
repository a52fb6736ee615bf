import { setTimeout as wait } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { Block, MAX_BLOCKS } from '../fleet/link/block';
import { MAX_COMMAND_BYTES, type SignedBlocks } from '../fleet/link/commands';
import { type Addressee, addressTopic, fleetTopics } from '../fleet/link/topics';
import { type PublicKey, readPublicKey } from '../fleet/signing-key';
import { CommandError, plainJson, plainText, UsageError } from './command-result';
import { type FleetWork, readAddressee, readSignKey } from './fleet-arguments';
import { waitAndRead } from './fleet-connection';
import { readBlocks, signBlocks } from './fleet-documents';
import { type CommandKey, readCommandKey } from './fleet-keys';
import { createFleetView, type FleetView, isAddressed } from './fleet-kiosks';
import { namesOf, writeHintOfNobody } from './fleet-silence';

/** Our own document comes back from the broker within this time, ms. */
const ECHO_MS = 15_000;
const POLL_MS = 50;
/** Most documents that are published for one change, if other operators interfere. */
const MAX_TRIES = 10;
const PAUSE_MS = 500;
/** Versions above this are not believed: nobody changes blocks that often, and they would use up the numbers. */
const MAX_VERSION = 1_000_000_000;

/** `blocks --to WHOM`. */
export async function showBlocks(work: FleetWork): Promise<boolean> {
  const { args, process } = work;
  const to = readAddressee(args.options.to);
  const place = await subscribeToBlocks(work, to, await knownKeys(work));
  const stored = await place.stored();
  if (args.options.json === true) {
    await process.out(`${plainJson(stored ?? { aud: to, version: 0, blocks: [] }, 2)}\n`);
    return true;
  }
  if (stored === null) {
    await process.out(`${to}: no blocks at the broker\n`);
    return true;
  }
  const since = new Date(stored.iat * 1_000).toISOString();
  const lines = stored.blocks.map((block) => plainText(blockName(block), 2_100));
  await process.out(`${[`${to}: version ${stored.version} of ${since}`, ...lines].join('\n')}\n`);
  return true;
}

/**
 * `block THING …` and `unblock THING …`: publishes the next version of the addressee's blocks, until the document that
 * the broker keeps has the wanted content and is the only one of the highest version. If two operators publish at once,
 * the one whose document comes later at the broker sees the other's document first, and repeats its change on top of
 * that. Each one waits until no document has come for a while.
 */
export async function changeBlocks(work: FleetWork, how: 'block' | 'unblock'): Promise<boolean> {
  const { args, process, quiet } = work;
  const change = readChange(args, how);
  const { to } = change;
  const key = await readSignKey(args.options);
  const place = await subscribeToBlocks(work, to, await knownKeys(work));
  let base = change.beginsAnew ? [] : ((await place.stored())?.blocks ?? []);
  mustBeThere(base, change.lifted);
  const seen = place.documents.length;
  const done = async (words: string) => {
    await process.writeError(`fleet: ${to}: ${words}\n`);
    if (how === 'block') await writeHintOfNobody(process, place.view, to);
    return true;
  };
  let found = await judge(place, change);
  if (found.isDone && !change.beginsAnew) return done(`nothing to change, version ${found.highest}`);
  const own = new Set<string>();
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const iat = Math.floor(process.now() / 1_000);
    const jws = await signChange(change, base, { iat, version: found.highest + 1 }, key);
    own.add(jws);
    await place.publish(jws);
    await untilQuiet(place, quiet.blocksMs);
    await mustBeKnown(place, to, seen);
    found = await judge(place, change);
    if (found.isDone) return done(`version ${found.highest}`);
    if (tries === MAX_TRIES) break;
    await process.writeError(
      `fleet: ${to}: another operator changed these blocks at the same time; trying again\n`,
    );
    // A random wait, because two operators at the same pace would never finish.
    await wait(Math.random() * PAUSE_MS * tries);
    await mustBeKnown(place, to, seen);
    found = await judge(place, change);
    const others = found.known.filter((known) => !own.has(known.jws));
    base = others.sort((a, b) => a.blocks.version - b.blocks.version).at(-1)?.blocks.blocks ?? base;
  }
  throw new CommandError(
    `${to}: other operators keep changing these blocks. Agree with them who changes them, then try again`,
  );
}

interface BlocksChange {
  readonly to: Addressee;
  readonly apply: (blocks: readonly Block[]) => Block[];
  /** Blocks that are to be lifted by name. */
  readonly lifted: readonly Block[];
  /** `--replace`: the change is made to an empty list, whatever the broker has. */
  readonly beginsAnew: boolean;
  readonly atOnce: boolean;
  /** The document has to take blocked ads off the screens, even if its blocks are in force already. */
  readonly hasToAct: boolean;
}

function readChange({ words, options }: FleetWork['args'], how: 'block' | 'unblock'): BlocksChange {
  const to = readAddressee(options.to);
  const isAll = how === 'unblock' && options.all === true;
  const beginsAnew = options.replace === true;
  if (isAll === words.length > 0)
    throw new UsageError(
      `${how}: expected at least one THING such as flight:ID${how === 'unblock' ? ', or --all' : ''}`,
    );
  if (how === 'unblock' && beginsAnew && !isAll)
    throw new UsageError('unblock: --replace begins an empty list, so it goes with --all only');
  const things = words.map(parseBlock);
  const atOnce = options['at-once'] === true;
  const common = { to, beginsAnew, atOnce };
  if (how === 'block')
    return { ...common, apply: (blocks) => addBlocks(blocks, things), lifted: [], hasToAct: atOnce };
  const apply: BlocksChange['apply'] = isAll ? () => [] : (blocks) => removeBlocks(blocks, things);
  return { ...common, apply, lifted: things, hasToAct: false };
}

/** Signs the changed blocks. Throws `CommandError` if they are more than a kiosk accepts. */
async function signChange(
  { to, atOnce, apply }: BlocksChange,
  base: readonly Block[],
  of: Pick<SignedBlocks, 'iat' | 'version'>,
  key: CommandKey,
): Promise<string> {
  const blocks = apply(base);
  if (blocks.length > MAX_BLOCKS)
    throw new CommandError(`expected at most ${MAX_BLOCKS} blocks, got ${blocks.length}. Lift some first`);
  const jws = await signBlocks({ ...of, aud: to, atOnce, blocks }, key);
  // Kiosks would refuse it, and the broker would keep it in the place of the list that they obey.
  if (jws.length > MAX_COMMAND_BYTES)
    throw new CommandError(
      `expected a list of blocks of at most ${MAX_COMMAND_BYTES} bytes, got ${jws.length}. Lift some first, or block by campaign instead of url`,
    );
  return jws;
}

/** Waits until no document has come for `quietMs`: an operator who read before ours came may still overwrite it. */
async function untilQuiet({ documents, fleet }: BlocksSubscription, quietMs: number): Promise<void> {
  for (let seen = -1; seen !== documents.length; await waitAndRead(quietMs)) seen = documents.length;
  if (fleet.lost.aborted)
    throw new CommandError(
      `the connection to ${fleet.broker} was lost after the blocks were published. See which are in force (endcap fleet blocks) before you change them again`,
    );
}

/** Throws if a document that no known key signed came after the first `seen`: another try would lift its blocks. */
async function mustBeKnown(place: BlocksSubscription, to: Addressee, seen: number): Promise<void> {
  // Not one that comes while their signatures are checked.
  const since = place.documents.slice(seen);
  const known = new Set((await place.known()).map(({ jws }) => jws));
  if (since.every((jws) => jws === '' || known.has(jws))) return;
  throw new CommandError(
    `${to}: meanwhile blocks were published that none of your keys signed. Name the other operator's key (--trust-key ed25519:…) and run the command again`,
  );
}

/** `isDone`: the document at the broker has the wanted content, and no other document has the same version. */
async function judge(place: BlocksSubscription, { apply, hasToAct }: BlocksChange) {
  const known = await place.known();
  const versions = known.map(({ blocks }) => blocks.version);
  const highest = Math.max(0, place.inForce(), ...versions, ...place.documents.map(claimedVersion));
  const kept = known.find(({ jws }) => jws === place.documents.at(-1));
  const isAlone = versions.filter((version) => version === highest).length === 1;
  const { version, blocks, atOnce: hasActed } = kept?.blocks ?? { version: null, blocks: [], atOnce: false };
  // With the wanted content nothing is left to add or to remove.
  const hasContent = apply(blocks).length === blocks.length;
  const isDone = version === highest && isAlone && hasContent && (hasActed || !hasToAct);
  return { known, highest, isDone };
}

/**
 * The version that a document claims, whoever signed it; 0: none that is believed. Kiosks that are offline may have it in
 * force, and would refuse a new list of a lower version.
 */
function claimedVersion(jws: string): number {
  try {
    const { version } = decodeJwt(jws);
    return Number.isSafeInteger(version) && Number(version) <= MAX_VERSION ? Number(version) : 0;
  } catch {
    return 0;
  }
}

type BlocksSubscription = Awaited<ReturnType<typeof subscribeToBlocks>>;

/** Subscribes to an addressee's blocks that one of `keys` signed, and to the versions that kiosks have in force. */
async function subscribeToBlocks({ connect, prefix }: FleetWork, to: Addressee, keys: readonly PublicKey[]) {
  const fleet = await connect();
  const documents: string[] = [];
  const view = createFleetView(prefix);
  const topic = addressTopic(prefix, to, 'blocks');
  const kiosk = to.startsWith('kiosk:') ? to.slice('kiosk:'.length) : '+';
  await fleet.subscribe([topic, fleetTopics(prefix, kiosk).state], (at, payload) => {
    if (at !== topic) view.take(at, payload);
    else if (payload.length <= MAX_COMMAND_BYTES) documents.push(Buffer.from(payload).toString('latin1'));
  });
  await fleet.settled();
  return {
    fleet,
    /** Resolves when the broker has sent the document back. */
    async publish(jws: string): Promise<void> {
      await fleet.publish(topic, jws, { retain: true });
      for (const end = performance.now() + ECHO_MS; !documents.includes(jws); await wait(POLL_MS)) {
        if (performance.now() > end)
          throw new CommandError(
            'the broker accepted the blocks but did not send them back within 15 seconds. Try again',
          );
      }
    },
    /** Every document that the broker has sent, in its order; it keeps the last one. */
    documents: documents as readonly string[],
    /** Highest version that a kiosk reports as in force; 0: none does. */
    inForce: () => highestInForce(view, to).version,
    /** The kiosks whose state the broker has. */
    view,
    /** The documents that a known key signed. */
    async known() {
      const known: { readonly jws: string; readonly blocks: SignedBlocks }[] = [];
      // A broker may send it twice.
      for (const jws of new Set(documents)) {
        const blocks = await readBlocks(jws, to, keys);
        if (!('error' in blocks)) known.push({ jws, blocks });
      }
      return known;
    },
    /**
     * The document at the broker; null if there is none. Throws `CommandError` if no known key signed it, or if a kiosk has
     * a later version: a change of the older one would lift the kiosk's blocks.
     */
    async stored(): Promise<SignedBlocks | null> {
      const inForce = highestInForce(view, to);
      const kept = documents.at(-1) ?? '';
      const read = kept === '' ? null : await readBlocks(kept, to, keys);
      if (read !== null && 'error' in read)
        throw new CommandError(
          `${to}: expected blocks that you or another operator signed, got a document that cannot be used: ${plainText(read.error)} Name the other operator's key (--trust-key ed25519:…), or begin a new list (block --replace)`,
        );
      if ((read?.version ?? 0) >= inForce.version) return read;
      const rest = read === null ? 'has lost it' : `has only version ${read.version}`;
      throw new CommandError(
        `kiosks have version ${inForce.version} of these blocks in force (${inForce.kiosks.length} of ${inForce.addressed}: ${namesOf(inForce.kiosks)}), but the broker ${rest}. block --replace starts a new list with only the blocks that you name; fleet-blocks.json in the data folder of such a kiosk has those in force. What a kiosk reports is not signed: if few report this version, look at their files first ("Act on kiosks" in docs/fleet.md)`,
      );
    },
  };
}

/**
 * The highest version that kiosks report as in force, 0 if none does; which kiosks those are, and how many are addressed. What
 * they report, groups too, is not signed.
 */
function highestInForce({ kiosks }: FleetView, to: Addressee) {
  const addressed = [...kiosks.values()].filter((view) => isAddressed(view, to));
  const believed = addressed.map(({ kiosk, state }) => ({ kiosk, version: state?.blocks[to] ?? 0 }));
  const versions = believed.map(({ version }) => version).filter((version) => version <= MAX_VERSION);
  const highest = versions.reduce((most, version) => Math.max(most, version), 0);
  return {
    version: highest,
    kiosks: believed.filter(({ version }) => version === highest).map(({ kiosk }) => kiosk),
    addressed: addressed.length,
  };
}

/** A typing error must not look like a block that was lifted. */
function mustBeThere(known: readonly Block[], things: readonly Block[]): void {
  const names = blockNames(known);
  const missing = things.map(blockName).find((name) => !names.has(name));
  if (missing !== undefined)
    throw new CommandError(
      `${missing} is not blocked for this addressee. To see its blocks, run: endcap fleet blocks --to WHOM`,
    );
}

/** Public keys whose blocks are trusted: our own, and those that the operator named. */
async function knownKeys({ args: { options } }: FleetWork): Promise<PublicKey[]> {
  const file = options['sign-key'];
  const own = file === undefined ? [] : [(await readCommandKey(file)).publicKey];
  const keys = [...own, ...(options['trust-key'] ?? [])];
  if (keys.length === 0)
    throw new UsageError(
      'expected --sign-key FILE or --trust-key ed25519:…, with a key whose block lists you trust',
    );
  return keys.map((text) => {
    const key = readPublicKey(text);
    if (key !== null) return key;
    throw new UsageError(`--trust-key: expected a public key such as ed25519:…, got ${JSON.stringify(text)}`);
  });
}

/** `KIND:ID`, as operators write it. A URL loses its query and fragment. */
export function parseBlock(words: string): Block {
  const at = words.indexOf(':');
  const [kind, id] = [words.slice(0, at), words.slice(at + 1)];
  const read = Block.safeParse({ kind, id: kind === 'url' ? id.replace(/[?#].*$/s, '') : id });
  if (read.success) return read.data;
  throw new UsageError(
    `expected flight:ID, campaign:ID, source:ID, ad:ID, sha256:HEX or url:URL, got ${JSON.stringify(words)}`,
  );
}

const blockName = ({ kind, id }: Block): string => `${kind}:${id}`;

const blockNames = (blocks: readonly Block[]): Set<string> => new Set(blocks.map(blockName));

/** The known blocks and more, each once, in the order in which they came. */
function addBlocks(known: readonly Block[], more: readonly Block[]): Block[] {
  return [...new Map([...known, ...more].map((block) => [blockName(block), block])).values()];
}

/** The known blocks without those in `less`. */
function removeBlocks(known: readonly Block[], less: readonly Block[]): Block[] {
  const lifted = blockNames(less);
  return known.filter((block) => !lifted.has(blockName(block)));
}
